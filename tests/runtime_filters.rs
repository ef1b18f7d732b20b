//! What a query learns while it runs narrows its scans.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, its helpers too")]

use datafusion::arrow::util::pretty::pretty_format_batches;
use futures::TryStreamExt;
use ostracon::{DataLocation, Session, SessionOptions, StatementOutcome};

const ROWS: usize = 120_000;

async fn run(session: &Session, sql: &str) -> String {
    match session.execute(sql).await.unwrap() {
        StatementOutcome::Rows { stream, .. } => {
            let batches: Vec<_> = stream.try_collect().await.unwrap();
            pretty_format_batches(&batches).unwrap().to_string()
        }
        other => format!("{other:?}"),
    }
}

/// The largest count of that name in a plan's lines: that of the scan of the large table.
fn count(plan: &str, name: &str) -> usize {
    let label = format!("{name}=");
    let counts = plan.split(&label).skip(1).map(|rest| {
        let digits: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
        let thousands = rest.get(digits.len()..).is_some_and(|rest| rest.trim_start().starts_with('K'));
        let number: f64 = digits.trim_end_matches('.').parse().unwrap();
        (number * if thousands { 1000.0 } else { 1.0 }) as usize
    });
    counts.max().unwrap()
}

/// A table of thirty segments whose rows have a number that grows with the key, and a text that does not.
async fn session() -> Session {
    let session =
        Session::open(SessionOptions { data: DataLocation::Memory, ..SessionOptions::default() }).unwrap();
    for sql in [
        "CREATE TABLE t (k INT PRIMARY KEY, n INT, text VARCHAR)".to_owned(),
        format!("INSERT INTO t SELECT k, k / 2, concat('row ', k) FROM generate_series(1, {ROWS}) AS s(k)"),
        "CREATE TABLE few (id INT PRIMARY KEY, n INT)".to_owned(),
        "INSERT INTO few VALUES (1, 20000), (2, 20001)".to_owned(),
        "SET datafusion.execution.target_partitions = 1".to_owned(),
    ] {
        run(&session, &sql).await;
    }
    session.store().create().unwrap().compact(None).unwrap();
    session
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_topk_leaves_out_segments_that_cannot_beat_it() {
    let session = session().await;
    let query = "SELECT n, text FROM t ORDER BY n, text LIMIT 3";
    let rows = run(&session, query).await;
    assert!(
        rows.contains("| 0 | row 1 |") && rows.contains("| 1 | row 2 |") && rows.contains("| 1 | row 3 |"),
        "{rows}"
    );
    let plan = run(&session, &format!("EXPLAIN ANALYZE {query}")).await;
    // Some batches are on their way before the first one is looked at.
    assert!(count(&plan, "rows_read") < ROWS * 2 / 3, "{plan}");
    assert!(count(&plan, "segments_pruned") >= 8, "{plan}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_join_reads_only_segments_that_may_have_its_keys() {
    let session = session().await;
    let query = "SELECT text FROM t JOIN few ON t.n = few.n ORDER BY text";
    let rows = run(&session, query).await;
    for k in 40_000..40_004 {
        assert!(rows.contains(&format!("| row {k} |")), "{rows}");
    }
    let plan = run(&session, &format!("EXPLAIN ANALYZE {query}")).await;
    assert!(count(&plan, "rows_read") <= 8192, "{plan}");
    assert!(count(&plan, "rows_returned") <= 4, "{plan}");
    assert!(count(&plan, "segments_pruned") >= 25, "{plan}");
}

#[tokio::test(flavor = "multi_thread")]
async fn narrowing_changes_no_answer() {
    let session = session().await;
    run(&session, "UPDATE t SET n = -1, text = 'changed' WHERE k % 10007 = 0").await;
    for query in [
        "SELECT n, k FROM t ORDER BY n, k DESC LIMIT 20",
        "SELECT n, text FROM t ORDER BY text DESC, n LIMIT 20",
        "SELECT n, text FROM t WHERE n > 100 ORDER BY n NULLS FIRST, k LIMIT 5",
        "SELECT t.k FROM t JOIN few ON t.n = few.n + 100 ORDER BY t.k",
        "SELECT count(*) FROM t JOIN few ON t.n = few.n AND t.k > few.n WHERE t.text LIKE 'row 4%'",
    ] {
        run(&session, "SET ostracon.iterator_pushdown = false").await;
        let wanted = run(&session, query).await;
        run(&session, "SET ostracon.iterator_pushdown = true").await;
        assert_eq!(run(&session, query).await, wanted, "{query}");
    }
}
