//! Third parties: a storage handler of one's own, and the store in a `SessionContext` of one's own.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, its helpers too")]

#[path = "../examples/memory_handler/handler.rs"]
mod handler;

use std::sync::Arc;

use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::prelude::SessionContext;
use futures::TryStreamExt;
use ostracon::handler::storage::contract;
use ostracon::tablets::{StoreOptions, TabletStore};
use ostracon::{DataLocation, ErrorKind, Session, SessionOptions, StatementOutcome};

use handler::MemoryHandler;

#[tokio::test]
async fn the_example_keeps_the_contract() {
    contract::check(&MemoryHandler::default(), &[]).await.unwrap();
}

async fn rows(session: &Session, sql: &str) -> String {
    let StatementOutcome::Rows { stream, .. } = session.execute(sql).await.unwrap() else {
        panic!("no rows: {sql}")
    };
    let batches: Vec<_> = stream.try_collect().await.unwrap();
    pretty_format_batches(&batches).unwrap().to_string()
}

#[tokio::test]
async fn a_handler_is_found_by_name_and_its_tables_join_others() {
    let session =
        Session::open(SessionOptions { data: DataLocation::Memory, ..SessionOptions::default() }).unwrap();
    session.handlers().register(Arc::new(MemoryHandler::default())).unwrap();
    let twice = session.handlers().register(Arc::new(MemoryHandler::default())).unwrap_err();
    assert_eq!(twice.kind, ErrorKind::AlreadyExists);
    for sql in [
        "CREATE TABLE a (k BIGINT PRIMARY KEY, v VARCHAR)",
        "CREATE TABLE b (k BIGINT, w VARCHAR) STORED BY 'memory'",
        "INSERT INTO a VALUES (1, 'x'), (2, 'y')",
        "INSERT INTO b SELECT k, v || '!' FROM a WHERE k > 1",
    ] {
        session.execute(sql).await.unwrap();
    }
    let joined = rows(&session, "SELECT a.v, b.w FROM a JOIN b ON a.k = b.k").await;
    assert!(joined.contains("| y | y! |"), "{joined}");
    let described = rows(&session, "SHOW CREATE TABLE b").await;
    assert!(described.contains("STORED AS MEMORY"), "{described}");
    let refused =
        session.execute("CREATE TABLE c (k BIGINT) STORED AS MEMORY OPTIONS ('ttl' '1d')").await.unwrap_err();
    assert_eq!(refused.kind, ErrorKind::Invalid);
    assert!(refused.position.is_some());
    session.execute("DROP TABLE b").await.unwrap();
    assert_eq!(session.execute("SELECT * FROM b").await.unwrap_err().kind, ErrorKind::NotFound);
}

async fn sql(context: &SessionContext, sql: &str) -> datafusion::error::Result<String> {
    let batches = context.sql(sql).await?.collect().await?;
    Ok(pretty_format_batches(&batches)?.to_string())
}

#[tokio::test]
async fn a_plain_context_reads_and_writes_tablet_tables() {
    let store = TabletStore::in_memory(StoreOptions::default()).unwrap();
    let context = SessionContext::new();
    ostracon::handler::register(&context, store.clone()).unwrap();
    let create =
        "CREATE EXTERNAL TABLE t (k BIGINT, v VARCHAR, PRIMARY KEY (k)) STORED AS TABLET LOCATION ''";
    sql(&context, create).await.unwrap();
    sql(&context, "INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')").await.unwrap();
    sql(&context, "UPDATE t SET v = upper(v) WHERE k IN (SELECT max(k) FROM t)").await.unwrap();
    sql(&context, "DELETE FROM t WHERE k = (SELECT min(k) FROM t)").await.unwrap();
    let found = sql(&context, "SELECT * FROM t ORDER BY k DESC").await.unwrap();
    assert!(found.contains("| 3 | C |\n| 2 | b |"), "{found}");
    let plan = sql(&context, "EXPLAIN SELECT v FROM t WHERE k = 2").await.unwrap();
    assert!(plan.contains("TabletScan: table=t, ranges=[k = 2]"), "{plan}");
    sql(&context, "SET ostracon.iterator_pushdown = false").await.unwrap();
    let plan = sql(&context, "EXPLAIN SELECT v FROM t WHERE k = 2").await.unwrap();
    assert!(plan.contains("FULL SCAN"), "{plan}");

    // Another context over the same store finds the table; a mapped one may stand over the same cells.
    let other = SessionContext::new();
    ostracon::handler::register(&other, store).unwrap();
    assert!(sql(&other, "SELECT v FROM t WHERE k = 3").await.unwrap().contains("| C |"));
    let mapped = "CREATE EXTERNAL TABLE m (id VARCHAR, x VARCHAR) STORED AS TABLET LOCATION '' \
                  OPTIONS ('columns.mapping' ':rowid,f:x')";
    sql(&other, mapped).await.unwrap();
    sql(&other, "INSERT INTO m VALUES ('r', 'y')").await.unwrap();
    assert!(sql(&context, "SELECT x FROM m").await.unwrap().contains("| y |"));
    sql(&other, "TRUNCATE t").await.unwrap();
    assert!(sql(&context, "SELECT count(*) AS n FROM t").await.unwrap().contains("| 0 |"));
    sql(&other, "DROP TABLE t").await.unwrap();
    assert!(context.sql("SELECT * FROM t").await.is_err());
}
