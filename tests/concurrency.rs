//! Statements of one session at the same time: each is atomic, and a reader sees whole ones.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, its helpers too")]

use std::sync::Arc;
use std::time::Duration;

use datafusion::arrow::util::pretty::pretty_format_batches;
use futures::TryStreamExt;
use ostracon::tablets::{Error as StoreError, StoreOptions, TabletStore};
use ostracon::{DataLocation, ErrorKind, Result, Session, SessionOptions, StatementOutcome};

fn open(data: DataLocation) -> Arc<Session> {
    Arc::new(Session::open(SessionOptions { data, ..SessionOptions::default() }).unwrap())
}

async fn run(session: &Session, sql: &str) -> Result<String> {
    Ok(match session.execute(sql).await? {
        StatementOutcome::Rows { stream, .. } => {
            pretty_format_batches(&stream.try_collect::<Vec<_>>().await?)?.to_string()
        }
        StatementOutcome::Count(count) => count.to_string(),
        StatementOutcome::Done => String::new(),
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn updates_lose_nothing_and_readers_see_whole_ones() {
    let session = open(DataLocation::Memory);
    run(&session, "CREATE TABLE t (k INT PRIMARY KEY, n BIGINT)").await.unwrap();
    run(&session, "INSERT INTO t SELECT CAST(value AS INT), 0 FROM generate_series(1, 60)").await.unwrap();
    let mut tasks = Vec::new();
    for _ in 0..4 {
        let session = Arc::clone(&session);
        tasks.push(tokio::spawn(async move {
            for _ in 0..10 {
                let updated = run(&session, "UPDATE t SET n = n + 1 WHERE k <= 30").await.unwrap();
                assert_eq!(updated, "30");
            }
        }));
    }
    for _ in 0..2 {
        let session = Arc::clone(&session);
        tasks.push(tokio::spawn(async move {
            for _ in 0..20 {
                let sql = "SELECT max(n) - min(n) AS spread, count(*) AS rows FROM t WHERE k <= 30";
                let seen = run(&session, sql).await.unwrap();
                assert!(seen.contains("| 0      | 30   |"), "{seen}");
                let sql = "SELECT count(*) AS rows FROM t AS a JOIN t AS b ON a.k = b.k AND a.n = b.n";
                let seen = run(&session, sql).await.unwrap();
                assert!(seen.contains("| 60   |"), "one statement reads one version: {seen}");
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    let sum = run(&session, "SELECT sum(n) AS sum FROM t").await.unwrap();
    assert!(sum.contains(&format!("| {} |", 4 * 10 * 30)), "{sum}");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_statements_that_make_one_table_one_fails() {
    let session = open(DataLocation::Memory);
    let mut tasks = Vec::new();
    for number in 0..6 {
        let session = Arc::clone(&session);
        tasks.push(tokio::spawn(async move {
            run(&session, &format!("CREATE TABLE x AS SELECT {number} AS a")).await
        }));
    }
    let mut made = 0;
    for task in tasks {
        match task.await.unwrap() {
            Ok(rows) => {
                assert_eq!(rows, "1");
                made += 1;
            }
            Err(error) => assert_eq!(error.kind, ErrorKind::AlreadyExists, "{error}"),
        }
    }
    assert_eq!(made, 1);
    assert!(run(&session, "SELECT count(*) AS n FROM x").await.unwrap().contains("| 1 |"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_statement_leaves_nothing_and_lets_the_store_go() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    let session = open(DataLocation::Path(path.clone()));
    run(&session, "CREATE TABLE t (k BIGINT PRIMARY KEY, v VARCHAR)").await.unwrap();
    run(&session, "INSERT INTO t SELECT value, 'v' || value FROM generate_series(1, 50000)").await.unwrap();
    run(&session, "SET datafusion.execution.batch_size = 100").await.unwrap();
    let StatementOutcome::Rows { mut stream, .. } = session.execute("SELECT * FROM t").await.unwrap() else {
        panic!("a query gives rows");
    };
    assert_eq!(stream.try_next().await.unwrap().unwrap().num_rows(), 100);
    drop(stream);
    // Wherever the statement was when it was dropped: it is whole, or it never was.
    for milliseconds in [0, 1, 5, 20, 60] {
        let update = run(&session, "UPDATE t SET v = 'x' || v WHERE v NOT LIKE 'x%'");
        let _ = tokio::time::timeout(Duration::from_millis(milliseconds), update).await;
        let changed = run(&session, "SELECT count(*) AS n FROM t WHERE v LIKE 'x%'").await.unwrap();
        assert!(changed.contains("| 0 |") || changed.contains("| 50000 |"), "{changed}");
    }
    drop(session);
    for _ in 0..1000 {
        match TabletStore::open(&path, StoreOptions::default()) {
            Ok(_) => return,
            Err(StoreError::Locked { .. }) => tokio::time::sleep(Duration::from_millis(10)).await,
            Err(error) => panic!("{error}"),
        }
    }
    panic!("the store stays open after its session is gone");
}
