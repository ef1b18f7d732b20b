//! Random aggregates over random tables: whether scans compute the first half of them or DataFusion does it all must not
//! show in an answer, nor in whether there is one.
//!
//! `OSTRACON_AGGREGATES_N=5000 OSTRACON_AGGREGATES_SEED=1` set the number of queries and the seed; a failure prints both,
//! with the statement.

#[path = "aggregates/query.rs"]
mod query;
#[path = "oracle/random.rs"]
mod random;
#[path = "aggregates/table.rs"]
mod table;

use std::collections::BTreeMap;

use datafusion::arrow::datatypes::DataType;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use futures::TryStreamExt;
use ostracon::{Authorizations, DataLocation, Session, SessionOptions, StatementOutcome};

use random::Random;
use table::Table;

const PHASES: [&str; 6] = ["fresh", "flushed", "split", "changed", "compacted", "rewritten"];
const QUERIES_PER_PHASE: usize = 6;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// What the queries came to.
#[derive(Debug, Default)]
struct Summary {
    asked: usize,
    /// Queries of which the store computed a part.
    taken: usize,
    /// Queries of which the store handed rows back.
    handed_back: usize,
    failed: usize,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_adds_up_does_not_show() {
    let queries = setting("OSTRACON_AGGREGATES_N", 200) as usize;
    let seed = setting("OSTRACON_AGGREGATES_SEED", 1);
    let mut summary = Summary::default();
    let mut round = 0;
    while summary.asked < queries {
        let mut random = Random::new(seed.wrapping_mul(1_000_003).wrapping_add(round));
        if let Err(difference) = one_table(&mut random, &mut summary).await {
            panic!("seed {seed}, round {round}: {difference}");
        }
        round += 1;
    }
    println!("{summary:?}");
    assert!(summary.taken * 3 >= summary.asked, "most aggregates are computed in part: {summary:?}");
    assert!(summary.handed_back > 0 && summary.failed > 0 || queries < 150, "{summary:?}");
    assert!(summary.failed * 4 <= summary.asked, "most queries have an answer: {summary:?}");
}

async fn one_table(random: &mut Random, summary: &mut Summary) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let table = Table::random(random);
    let open = |labels: &str| {
        let options = SessionOptions {
            data: DataLocation::Path(folder.path().join("data")),
            authorizations: Authorizations::parse(labels).map_err(|error| error.to_string())?,
            ..SessionOptions::default()
        };
        Session::open(options).map_err(|error| error.to_string())
    };
    let mut session = open("A,B")?;
    run(&session, &table.create).await?;
    insert(&session, &table, random).await?;
    for phase in PHASES {
        let told = |error: String| format!("{}; {phase}: {error}", table.create);
        enter(phase, &session, &table, random).await.map_err(told)?;
        for _ in 0..QUERIES_PER_PHASE {
            let query = query::random(&table, random);
            one_query(&session, &query, random, summary).await.map_err(told)?;
        }
        if table.labelled {
            // The same rows with other eyes.
            close(session, folder.path()).await?;
            let labels = random.pick(&["", "A", "B", "A,B"]);
            session = open(labels)?;
        }
    }
    Ok(())
}

/// Closes a session; its store's threads may take a moment to end.
async fn close(session: Session, folder: &std::path::Path) -> Result<(), String> {
    use ostracon::tablets::{Error, StoreOptions, TabletStore};
    drop(session);
    for _ in 0..500 {
        let options = StoreOptions { create: false, ..StoreOptions::default() };
        match TabletStore::open(folder.join("data"), options) {
            Err(Error::Locked { .. }) => tokio::time::sleep(std::time::Duration::from_millis(10)).await,
            _ => return Ok(()),
        }
    }
    Err("the store stays open".to_owned())
}

async fn insert(session: &Session, table: &Table, random: &mut Random) -> Result<(), String> {
    let rows = *random.pick(&[0, 1, 7, 60, 300]);
    if rows == 0 {
        return Ok(());
    }
    run(session, &format!("INSERT INTO t {}", table.rows(random, rows))).await.map(drop)
}

/// Puts the store into the next state.
async fn enter(phase: &str, session: &Session, table: &Table, random: &mut Random) -> Result<(), String> {
    let store = session.store().create().map_err(|error| error.to_string())?;
    let name = store.table_names().into_iter().next().ok_or("no store table")?;
    match phase {
        "flushed" => store.flush(None).map_err(|error| error.to_string()),
        "compacted" => store.compact(None).map_err(|error| error.to_string()),
        "split" => {
            let points = (0..1 + random.below(3)).map(|_| {
                let byte = 0x80 | (random.next() % 128) as u8;
                vec![byte, random.next() as u8]
            });
            store.split(&name, points.collect()).map_err(|error| error.to_string())
        }
        "changed" => {
            run(session, &format!("DELETE FROM t WHERE {}", query::condition(table, random))).await?;
            let column = random.pick(&table.columns).clone();
            let value = column.value(random);
            let condition = query::condition(table, random);
            run(session, &format!("UPDATE t SET {} = {value} WHERE {condition}", column.name)).await.map(drop)
        }
        "rewritten" => insert(session, table, random).await,
        _ => Ok(()),
    }
}

async fn one_query(
    session: &Session,
    query: &str,
    random: &mut Random,
    summary: &mut Summary,
) -> Result<(), String> {
    let batch = *random.pick(&[1, 3, 100, 8192]);
    let partitions = *random.pick(&[1, 2, 4]);
    run(session, &format!("SET datafusion.execution.batch_size = {batch}")).await?;
    run(session, &format!("SET datafusion.execution.target_partitions = {partitions}")).await?;
    run(session, "SET ostracon.partial_aggregates = true").await?;
    let plan = run(session, &format!("EXPLAIN ANALYZE {query}")).await;
    let plan = plan.map(|lines| lines.join("\n")).unwrap_or_default();
    let found = run(session, query).await;
    run(session, "SET ostracon.partial_aggregates = false").await?;
    let wanted = run(session, query).await;
    summary.asked += 1;
    summary.taken += usize::from(plan.contains("aggregates=["));
    summary.handed_back += usize::from(plan.contains("handed_back="));
    summary.failed += usize::from(wanted.is_err());
    let same = match (&found, &wanted) {
        (Ok(found), Ok(wanted)) => counted(found) == counted(wanted),
        // Which row of several fails first is nobody's promise; that it is an overflow is.
        (Err(found), Err(wanted)) => found.contains("verflow") == wanted.contains("verflow"),
        _ => false,
    };
    if same {
        return Ok(());
    }
    Err(format!(
        "{query}\n  in batches of {batch}, {partitions} partitions\n  in the store {}\n  in DataFusion {}\n{plan}",
        shown(&found),
        shown(&wanted)
    ))
}

fn counted(rows: &[String]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for row in rows {
        *counts.entry(row.as_str()).or_default() += 1;
    }
    counts
}

fn shown(rows: &Result<Vec<String>, String>) -> String {
    match rows {
        Ok(rows) => format!("{} rows {:?}", rows.len(), rows.iter().take(10).collect::<Vec<_>>()),
        Err(problem) => format!("error {problem}"),
    }
}

/// The rows of a statement as text.
async fn run(session: &Session, sql: &str) -> Result<Vec<String>, String> {
    let told = |error: &dyn std::fmt::Display| format!("{error}");
    let mut rows = Vec::new();
    if let StatementOutcome::Rows { stream, .. } = session.execute(sql).await.map_err(|error| told(&error))? {
        let batches = stream.try_collect::<Vec<_>>().await.map_err(|error| told(&error))?;
        let options = FormatOptions::default().with_null("NULL");
        for batch in batches {
            let columns =
                batch.columns().iter().map(|column| ArrayFormatter::try_new(column.as_ref(), &options));
            let columns = columns.collect::<Result<Vec<_>, _>>().map_err(|error| told(&error))?;
            for row in 0..batch.num_rows() {
                let texts = columns.iter().map(|column| column.value(row).to_string());
                let values =
                    batch.columns().iter().zip(texts).map(|(array, text)| match text.parse::<f64>() {
                        // Partitions that end in another order round in another order, and give another zero.
                        Ok(float) if *array.data_type() == DataType::Float64 => {
                            format!("{:.9e}", float + 0.0)
                        }
                        _ => text,
                    });
                rows.push(values.collect::<Vec<_>>().join("|"));
            }
        }
    }
    Ok(rows)
}
