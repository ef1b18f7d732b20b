//! Point reads and scans of a compacted table of 100,000 rows in memory, by SQL: what a statement costs beside the rows.

use criterion::{Criterion, Throughput};
use futures::TryStreamExt;
use ostracon::{DataLocation, Session, SessionOptions, StatementOutcome};
use tokio::runtime::Runtime;

const ROWS: u64 = 100_000;

type Failure = Box<dyn std::error::Error>;

async fn filled() -> Result<Session, Failure> {
    let session = Session::open(SessionOptions {
        data: DataLocation::Memory,
        settings: vec![("datafusion.execution.target_partitions".to_owned(), "1".to_owned())],
        ..SessionOptions::default()
    })?;
    session
        .execute("CREATE TABLE sales (id BIGINT PRIMARY KEY, day DATE, kind VARCHAR, amount DECIMAL(12,2), note VARCHAR)")
        .await?;
    session
        .execute(&format!(
            "INSERT INTO sales SELECT value AS id, DATE '2024-01-01' + CAST(value % 100 AS INT) AS day,
                    CASE value % 3 WHEN 0 THEN 'sale' WHEN 1 THEN 'refund' ELSE 'gift' END AS kind,
                    CAST((value * 7919) % 100000 AS DECIMAL(12,2)) / 100 AS amount,
                    'row number ' || value AS note
             FROM generate_series(1, {ROWS})"
        ))
        .await?;
    session.store().create()?.compact(None)?;
    session.execute("PREPARE point AS SELECT * FROM sales WHERE id = $1").await?;
    session.execute("PREPARE span AS SELECT * FROM sales WHERE id >= $1 AND id < $2").await?;
    Ok(session)
}

async fn rows(session: &Session, sql: &str) -> Result<usize, Failure> {
    match session.execute(sql).await? {
        StatementOutcome::Rows { stream, .. } => {
            let batches: Vec<_> = stream.try_collect().await.map_err(ostracon::Error::from)?;
            Ok(batches.iter().map(|batch| batch.num_rows()).sum())
        }
        other => Err(format!("{sql}: gave {other:?} instead of rows").into()),
    }
}

fn main() -> Result<(), Failure> {
    let mut criterion = Criterion::default().configure_from_args();
    run(&mut criterion)?;
    criterion.final_summary();
    Ok(())
}

fn run(criterion: &mut Criterion) -> Result<(), Failure> {
    let runtime = Runtime::new()?;
    let session = runtime.block_on(filled())?;
    // Keys in no order, and the same ones in each run.
    let mut key = 0;
    let mut next_key = || {
        key = (key + 61_803) % ROWS;
        key + 1
    };
    let mut points = criterion.benchmark_group("points");
    type Statement = fn(u64) -> String;
    let statements: [(&str, Statement, usize); 3] = [
        ("prepared", |key| format!("EXECUTE point({key})"), 1),
        ("by text", |key| format!("SELECT * FROM sales WHERE id = {key}"), 1),
        (
            "of 100 rows, prepared",
            |key| format!("EXECUTE span({}, {})", key.min(ROWS - 99), key.min(ROWS - 99) + 100),
            100,
        ),
    ];
    for (name, statement, expected) in statements {
        points.bench_function(name, |bencher| {
            bencher.iter(|| {
                let found = runtime.block_on(rows(&session, &statement(next_key())));
                assert!(found.is_ok_and(|found| found == expected));
            });
        });
    }
    points.finish();
    let mut scans = criterion.benchmark_group("scans");
    scans.throughput(Throughput::Elements(ROWS)).sample_size(20);
    let queries = [
        ("count", "SELECT count(*) FROM sales", 1),
        ("1 percent", "SELECT id, amount FROM sales WHERE day = DATE '2024-02-01'", 1_000),
        ("sum of a filter", "SELECT sum(amount) FROM sales WHERE kind = 'gift' AND amount < 500", 1),
        ("groups", "SELECT kind, sum(amount), count(*) FROM sales GROUP BY kind", 3),
        ("all rows", "SELECT * FROM sales", 100_000),
    ];
    for (name, sql, expected) in queries {
        scans.bench_function(name, |bencher| {
            bencher.iter(|| {
                let found = runtime.block_on(rows(&session, sql));
                assert!(found.is_ok_and(|found| found == expected));
            });
        });
    }
    scans.finish();
    Ok(())
}
