//! The rounds: make a table, fill it, ask queries in the mode of the moment, change the mode, ask again.

use std::fmt;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::datasource::MemTable;
use datafusion::prelude::SessionContext;
use ostracon::{DataLocation, Session, SessionOptions, StatementOutcome};

use crate::aggregate;
use crate::predicate::predicate;
use crate::random::Random;
use crate::schema::Table;

/// What a run found.
#[derive(Default, Debug)]
pub(crate) struct Summary {
    pub(crate) asked: usize,
    pub(crate) non_empty: usize,
    /// Queries whose scan read fewer rows than the table has.
    pub(crate) narrowed: usize,
    /// Queries that fail in memory too (a cast of the planner's that overflows, say).
    pub(crate) failing: usize,
    pub(crate) differences: Vec<String>,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "oracle: {} queries, {} with rows, {} narrowed, {} failing alike, {} differences",
            self.asked,
            self.non_empty,
            self.narrowed,
            self.failing,
            self.differences.len()
        )
    }
}

const QUERIES_PER_TABLE: usize = 40;
const PHASES: &[&str] =
    &["fresh", "flushed", "split", "changed", "compacted", "half compacted", "rewritten", "compacted again"];

pub(crate) async fn rounds(queries: usize, seed: u64) -> Summary {
    let mut summary = Summary::default();
    let mut round = 0;
    while summary.asked < queries && summary.differences.len() < 5 {
        let mut random = Random::new(seed.wrapping_mul(1_000_003).wrapping_add(round));
        if let Err(problem) = one_table(&mut random, &mut summary).await {
            summary.differences.push(format!("round {round}: {problem}"));
        }
        round += 1;
    }
    summary
}

async fn one_table(random: &mut Random, summary: &mut Summary) -> Result<(), String> {
    let table = Table::random(random);
    let session = Session::open(SessionOptions { data: DataLocation::Memory, ..SessionOptions::default() })
        .map_err(|e| e.to_string())?;
    run(&session, &table.create).await.map_err(|e| format!("{}: {e}", table.create))?;
    if random.chance(50) {
        // Every INSERT is loaded as segments where it can be.
        run(&session, "SET ostracon.bulk_insert_rows = 0").await?;
    }
    let memory = SessionContext::new_with_config(session.context().copied_config());

    let count = *random.pick(&[0, 1, 10, 40]);
    let count = if count == 0 && random.chance(70) { 25 } else { count };
    if count > 0 {
        insert(&session, &memory, &table, random, count).await?;
    } else {
        let empty = table.rows(random, 1);
        let source =
            memory.sql(&format!("SELECT * FROM ({empty}) WHERE false")).await.map_err(|e| e.to_string())?;
        keep(&memory, "m", source.schema().as_arrow().clone().into(), vec![])?;
    }

    for phase in PHASES {
        enter(phase, &session, &memory, &table, random)
            .await
            .map_err(|e| format!("{}; {phase}: {e}", table.create))?;
        for _ in 0..QUERIES_PER_TABLE.div_ceil(PHASES.len()) {
            one_query(&session, &memory, &table, phase, random, summary).await?;
        }
    }
    Ok(())
}

/// Puts the store into the next state; the memory table follows where rows change.
async fn enter(
    phase: &str,
    session: &Session,
    memory: &SessionContext,
    table: &Table,
    random: &mut Random,
) -> Result<(), String> {
    let store = session.store().create().map_err(|e| e.to_string())?;
    let name = store.table_names().into_iter().next().ok_or("no store table")?;
    match phase {
        "flushed" => store.flush(None).map_err(|e| e.to_string()),
        "compacted" | "compacted again" => store.compact(None).map_err(|e| e.to_string()),
        "split" => {
            let points = (0..1 + random.below(3))
                .map(|_| (0..1 + random.below(4)).map(|_| random.next() as u8).collect());
            store.split(&name, points.collect()).map_err(|e| e.to_string())
        }
        // The second time over segments, which the changed rows lie over.
        "changed" | "half compacted" => change(session, memory, table, random).await,
        "rewritten" => {
            insert(session, memory, table, random, 8).await?;
            store.flush(None).map_err(|e| e.to_string())
        }
        _ => Ok(()),
    }
}

/// DELETE and UPDATE by random predicates, on both sides.
async fn change(
    session: &Session,
    memory: &SessionContext,
    table: &Table,
    random: &mut Random,
) -> Result<(), String> {
    let condition = predicate(table, random, 1);
    let kept = memory.sql(&format!("SELECT * FROM m WHERE ({condition}) IS NOT TRUE")).await;
    if let Ok(kept) = kept
        && let schema = Arc::new(kept.schema().as_arrow().clone())
        && let Ok(rows) = kept.collect().await
    {
        let delete = format!("DELETE FROM t WHERE {condition}");
        run(session, &delete).await.map_err(|e| format!("{delete}: {e}"))?;
        keep(memory, "m", schema, rows)?;
    }
    let values: Vec<_> = table.columns.iter().filter(|c| !c.key).collect();
    let Some(column) = values.first() else { return Ok(()) };
    let condition = predicate(table, random, 1);
    let value = if random.chance(30) { "NULL" } else { *random.pick(column.sql_type.values) };
    let value = column.sql_type.cast(value);
    let columns: Vec<_> = table
        .columns
        .iter()
        .map(|c| match c.name == column.name {
            true => format!("CASE WHEN {condition} THEN {value} ELSE {} END AS {}", c.name, c.name),
            false => c.name.clone(),
        })
        .collect();
    let changed = memory.sql(&format!("SELECT {} FROM m", columns.join(", "))).await;
    if let Ok(changed) = changed
        && let schema = Arc::new(changed.schema().as_arrow().clone())
        && let Ok(rows) = changed.collect().await
    {
        let update = format!("UPDATE t SET {} = {value} WHERE {condition}", column.name);
        run(session, &update).await.map_err(|e| format!("{update}: {e}"))?;
        keep(memory, "m", schema, rows)?;
    }
    Ok(())
}

/// Upserts random rows: in memory, old rows of the same keys go first.
async fn insert(
    session: &Session,
    memory: &SessionContext,
    table: &Table,
    random: &mut Random,
    count: usize,
) -> Result<(), String> {
    let rows = table.rows(random, count);
    let sql = |e: datafusion::error::DataFusionError| format!("{rows}: {e}");
    let fresh = memory.sql(&rows).await.map_err(sql)?;
    let schema = Arc::new(fresh.schema().as_arrow().clone());
    keep(memory, "fresh", schema.clone(), fresh.collect().await.map_err(sql)?)?;
    let keys: Vec<_> =
        table.columns.iter().filter(|c| c.key).map(|c| format!("m.{0} = fresh.{0}", c.name)).collect();
    if memory.table_exist("m").map_err(sql)? {
        let union = format!(
            "SELECT * FROM fresh UNION ALL SELECT * FROM m WHERE NOT EXISTS (SELECT 1 FROM fresh WHERE {})",
            keys.join(" AND ")
        );
        let all = memory.sql(&union).await.map_err(sql)?.collect().await.map_err(sql)?;
        keep(memory, "m", schema, all)?;
    } else {
        let all = memory.sql("SELECT * FROM fresh").await.map_err(sql)?.collect().await.map_err(sql)?;
        keep(memory, "m", schema, all)?;
    }
    run(session, &format!("INSERT INTO t {rows}"))
        .await
        .map(drop)
        .map_err(|e| format!("INSERT INTO t {rows}: {e}"))
}

fn keep(
    memory: &SessionContext,
    name: &str,
    schema: arrow::datatypes::SchemaRef,
    rows: Vec<RecordBatch>,
) -> Result<(), String> {
    // Nullability differs from plan to plan; a table keeps the widest form.
    let fields: Vec<_> = schema.fields().iter().map(|f| f.as_ref().clone().with_nullable(true)).collect();
    let schema = Arc::new(arrow::datatypes::Schema::new(fields));
    let rows = rows
        .into_iter()
        .map(|batch| RecordBatch::try_new(schema.clone(), batch.columns().to_vec()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|e| e.to_string())?;
    let provider = MemTable::try_new(schema, vec![rows]).map_err(|e| e.to_string())?;
    memory.deregister_table(name).map_err(|e| e.to_string())?;
    memory.register_table(name, Arc::new(provider)).map(drop).map_err(|e| e.to_string())
}

async fn one_query(
    session: &Session,
    memory: &SessionContext,
    table: &Table,
    phase: &str,
    random: &mut Random,
    summary: &mut Summary,
) -> Result<(), String> {
    let depth = random.below(4);
    let condition = predicate(table, random, depth);
    let keys: Vec<_> = table.columns.iter().filter(|c| c.key).map(|c| c.name.clone()).collect();
    let (select, tail, ordered) = match random.below(10) {
        0 => ("count(*)".to_owned(), String::new(), false),
        1 => (random.pick(&table.columns).name.clone(), String::new(), false),
        2 => ("*".to_owned(), format!(" ORDER BY {} LIMIT {}", keys.join(", "), 1 + random.below(4)), true),
        3 => {
            let down: Vec<_> = keys.iter().map(|k| format!("{k} DESC")).collect();
            ("*".to_owned(), format!(" ORDER BY {} LIMIT {}", down.join(", "), 1 + random.below(4)), true)
        }
        4 | 5 => aggregate::random(table, random),
        _ => ("*".to_owned(), String::new(), false),
    };
    let query = |name: &str| format!("SELECT {select} FROM {name} WHERE {condition}{tail}");
    let want = match ordered {
        true => filtered_then_ordered(memory, &condition, &tail).await,
        false => collect_memory(memory, &query("m")).await,
    };
    summary.asked += 1;
    match &want {
        Ok(rows) if !rows.is_empty() => summary.non_empty += 1,
        Err(_) => summary.failing += 1,
        Ok(_) => {}
    }
    let modes: &[&[&str]] = if random.chance(25) {
        &[
            &["SET ostracon.iterator_pushdown = true"],
            &["SET ostracon.iterator_pushdown = false"],
            &["SET ostracon.iterator_pushdown = true", "SET datafusion.execution.batch_size = 1"],
            &["SET ostracon.partial_aggregates = false"],
        ]
    } else {
        &[&["SET ostracon.iterator_pushdown = true"]]
    };
    for mode in modes {
        for set in *mode {
            run(session, set).await?;
        }
        let pushed = !mode[0].contains("false");
        let got = run(session, &query("t")).await;
        run(session, "SET datafusion.execution.batch_size = 8192").await?;
        let same = match (&want, &got) {
            (Ok(want), Ok(got)) if ordered => want == got,
            (Ok(want), Ok(got)) => sorted(want) == sorted(got),
            (Err(_), Err(_)) => true,
            // Pushdown may remove an error of rows it never reads, never add one.
            (Err(_), Ok(_)) => pushed,
            (Ok(_), Err(_)) => false,
        };
        if !same {
            summary.differences.push(format!(
                "{phase}, {mode:?}\n  {}\n  {}\n  wanted {}\n  got    {}",
                table.create,
                query("t"),
                shown(&want),
                shown(&got)
            ));
            return Ok(());
        }
    }
    run(session, "SET ostracon.iterator_pushdown = true").await?;
    run(session, "SET ostracon.partial_aggregates = true").await?;
    if random.chance(10) {
        let plan = run(session, &format!("EXPLAIN {}", query("t"))).await.unwrap_or_default().join("\n");
        summary.narrowed += usize::from(plan.contains("TabletScan") && !plan.contains("FULL SCAN"));
    }
    Ok(())
}

fn shown(rows: &Result<Vec<String>, String>) -> String {
    match rows {
        Ok(rows) => format!("{} rows {:?}", rows.len(), sorted(rows).iter().take(12).collect::<Vec<_>>()),
        Err(problem) => format!("error {problem}"),
    }
}

fn sorted(rows: &[String]) -> Vec<String> {
    let mut rows = rows.to_vec();
    rows.sort();
    rows
}

/// Filters first and sorts the kept rows in a second query: a planner that takes `CAST(k AS DOUBLE) = x` for "k is
/// constant" leaves the sort out, though several integers round to one double.
async fn filtered_then_ordered(
    memory: &SessionContext,
    condition: &str,
    tail: &str,
) -> Result<Vec<String>, String> {
    let picked =
        memory.sql(&format!("SELECT * FROM m WHERE {condition}")).await.map_err(|e| e.to_string())?;
    let schema = Arc::new(picked.schema().as_arrow().clone());
    keep(memory, "picked", schema, picked.collect().await.map_err(|e| e.to_string())?)?;
    collect_memory(memory, &format!("SELECT * FROM picked{tail}")).await
}

async fn collect_memory(memory: &SessionContext, query: &str) -> Result<Vec<String>, String> {
    let frame = memory.sql(query).await.map_err(|e| e.to_string())?;
    text(&frame.collect().await.map_err(|e| e.to_string())?)
}

async fn run(session: &Session, sql: &str) -> Result<Vec<String>, String> {
    let mut rows = Vec::new();
    for statement in ostracon::parse_script(sql).map_err(|e| e.to_string())? {
        if let StatementOutcome::Rows { stream, .. } =
            session.execute(&statement.text).await.map_err(|e| e.to_string())?
        {
            let batches =
                datafusion::physical_plan::common::collect(stream).await.map_err(|e| e.to_string())?;
            rows.extend(text(&batches)?);
        }
    }
    Ok(rows)
}

/// Rows as text, a value a column, in a form in which equal values look equal.
fn text(batches: &[RecordBatch]) -> Result<Vec<String>, String> {
    let options = FormatOptions::default().with_null("NULL").with_display_error(false);
    let mut rows = Vec::new();
    for batch in batches {
        let columns = batch
            .columns()
            .iter()
            .map(|column| ArrayFormatter::try_new(column.as_ref(), &options))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|e| e.to_string())?;
        for row in 0..batch.num_rows() {
            let cells: Vec<_> = columns.iter().map(|c| c.value(row).to_string()).collect();
            rows.push(cells.join("|"));
        }
    }
    Ok(rows)
}
