//! The session: when a store is made, who may see what, what survives, where errors point.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, its helpers too")]

use std::path::Path;

use datafusion::arrow::util::pretty::pretty_format_batches;
use futures::TryStreamExt;
use ostracon::handler::statement::Position;
use ostracon::{
    Authorizations, DataLocation, ErrorKind, Notice, Result, Session, SessionOptions, StatementOutcome,
};

fn at(folder: &Path) -> SessionOptions {
    SessionOptions { data: DataLocation::Path(folder.join("data")), ..SessionOptions::default() }
}

async fn rows(session: &Session, sql: &str) -> Result<String> {
    match session.execute(sql).await? {
        StatementOutcome::Rows { stream, .. } => {
            Ok(pretty_format_batches(&stream.try_collect::<Vec<_>>().await?)?.to_string())
        }
        other => Ok(format!("{other:?}")),
    }
}

#[tokio::test]
async fn the_folder_is_made_by_the_first_statement_that_writes() {
    let folder = tempfile::tempdir().unwrap();
    let session = Session::open(at(folder.path())).unwrap();
    assert!(rows(&session, "SELECT 1 AS x").await.unwrap().contains("| 1 |"));
    assert_eq!(rows(&session, "SELECT * FROM t").await.unwrap_err().kind, ErrorKind::NotFound);
    assert_eq!(rows(&session, "DROP TABLE t").await.unwrap_err().kind, ErrorKind::NotFound);
    assert!(rows(&session, "CREATE TABLE t (k INTT)").await.is_err());
    rows(&session, "SHOW TABLES").await.unwrap();
    assert!(!folder.path().join("data").exists());
    assert_eq!(session.take_notices(), []);
    rows(&session, "CREATE TABLE t (k INT PRIMARY KEY)").await.unwrap();
    assert!(folder.path().join("data").exists());
    assert_eq!(session.take_notices(), [Notice::StoreMade(folder.path().join("data"))]);
    assert_eq!(session.take_notices(), []);
}

#[tokio::test]
async fn warnings_are_told_once() {
    let session =
        Session::open(SessionOptions { data: DataLocation::Memory, ..SessionOptions::default() }).unwrap();
    let sql = "CREATE EXTERNAL TABLE t (k string, v string) STORED BY 'org.apache.hadoop.hive.accumulo.AccumuloStorageHandler' \
               WITH SERDEPROPERTIES ('accumulo.columns.mapping' = ':rowid,f:v', 'accumulo.instance.name' = 'x')";
    rows(&session, sql).await.unwrap();
    let notices = session.take_notices();
    assert!(
        matches!(notices.as_slice(), [Notice::Warning(text)] if text.contains("instance.name")),
        "{notices:?}"
    );
    assert!(notices.iter().all(|notice| notice.to_string().starts_with("warning: ")));
}

#[tokio::test]
async fn a_user_may_not_ask_for_labels_and_sees_no_counts() {
    let folder = tempfile::tempdir().unwrap();
    {
        let admin = Session::open(at(folder.path())).unwrap();
        assert!(admin.is_admin());
        rows(&admin, "CREATE TABLE t (k INT PRIMARY KEY)").await.unwrap();
        rows(&admin, "INSERT INTO t VALUES (1), (2)").await.unwrap();
        let counts = rows(&admin, "EXPLAIN ANALYZE SELECT * FROM t WHERE k = 1").await.unwrap();
        assert!(counts.contains("rows_read=1"), "{counts}");
    }
    let user = SessionOptions { user: Some("ada".to_owned()), ..at(folder.path()) };
    let asking = SessionOptions { authorizations: Authorizations::new(["A"]), ..user.clone() };
    let refused = Session::open(asking).unwrap_err();
    assert_eq!(refused.kind, ErrorKind::Unauthorized);
    let user = Session::open(user).unwrap();
    assert!(!user.is_admin());
    let counts = rows(&user, "EXPLAIN ANALYZE SELECT * FROM t WHERE k = 1").await.unwrap();
    assert!(counts.contains("TabletScan: table=t") && !counts.contains("rows_read"), "{counts}");
    assert!(rows(&user, "SELECT count(*) AS n FROM t").await.unwrap().contains("| 2 |"));
}

#[tokio::test]
async fn settings_are_checked_when_a_session_opens() {
    let setting = |key: &str, value: &str| SessionOptions {
        data: DataLocation::Memory,
        settings: vec![(key.to_owned(), value.to_owned())],
        ..SessionOptions::default()
    };
    assert!(Session::open(setting("ostracon.use_index", "false")).is_ok());
    let unknown = Session::open(setting("ostracon.use_indx", "false")).unwrap_err();
    assert!(
        unknown.kind == ErrorKind::Invalid && unknown.message.contains("ostracon.use_index"),
        "{unknown}"
    );
    assert!(Session::open(setting("datafusion.execution.batch_size", "many")).is_err());
}

#[tokio::test]
async fn tables_views_and_files_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let csv = folder.path().join("in.csv");
    std::fs::write(&csv, "1,one\n2,two\n").unwrap();
    {
        let session = Session::open(at(folder.path())).unwrap();
        for sql in [
            "CREATE TABLE typed (k INT PRIMARY KEY, v VARCHAR DEFAULT 'd')".to_owned(),
            "CREATE EXTERNAL TABLE mapped (k VARCHAR, n INT) STORED AS TABLET OPTIONS ('columns.mapping' ':rowid,f:n#b')".to_owned(),
            format!("CREATE EXTERNAL TABLE files (k INT, v VARCHAR) STORED AS CSV LOCATION '{}' OPTIONS ('has_header' 'false')", csv.display()),
            "CREATE VIEW seen AS SELECT files.v AS word, typed.v FROM files JOIN typed ON files.k = typed.k".to_owned(),
            "INSERT INTO typed (k) VALUES (1), (2)".to_owned(),
            "INSERT INTO mapped VALUES ('a', 256)".to_owned(),
            "ALTER TABLE mapped SET TBLPROPERTIES ('iterator.pushdown' = 'false')".to_owned(),
        ] {
            session.execute(&sql).await.unwrap();
        }
    }
    let session = Session::open(at(folder.path())).unwrap();
    let seen = rows(&session, "SELECT * FROM seen ORDER BY word").await.unwrap();
    assert!(seen.contains("| one  | d |") && seen.contains("| two  | d |"), "{seen}");
    session.execute("INSERT INTO typed (k) VALUES (3)").await.unwrap();
    assert!(rows(&session, "SELECT v FROM typed WHERE k = 3").await.unwrap().contains("| d |"));
    assert!(rows(&session, "SELECT n FROM mapped WHERE n = 256").await.unwrap().contains("| 256 |"));
    let plan = rows(&session, "EXPLAIN SELECT n FROM mapped WHERE k = 'a'").await.unwrap();
    assert!(plan.contains("FULL SCAN"), "{plan}");
    let columns =
        rows(&session, "SELECT table_name, column_name FROM information_schema.columns").await.unwrap();
    assert!(columns.contains("seen") && columns.contains("word"), "{columns}");
}

#[tokio::test]
async fn scripts_stop_at_the_first_error_and_say_where() {
    let session =
        Session::open(SessionOptions { data: DataLocation::Memory, ..SessionOptions::default() }).unwrap();
    let script = "CREATE TABLE t (k INT PRIMARY KEY); -- a table\nINSERT INTO t VALUES (1);\n\n  SELECT k,\n         z\n    FROM t;\nINSERT INTO t VALUES (2);";
    let mut statements = 0;
    let error = session
        .run(script, |_, _| {
            statements += 1;
            std::future::ready(Ok(()))
        })
        .await
        .unwrap_err();
    assert_eq!(statements, 2);
    assert_eq!(error.position, Some(Position { line: 5, column: 10 }), "{error}");
    assert!(error.message.contains("there is no column z"), "{error}");
    // The session goes on.
    assert!(rows(&session, "SELECT count(*) AS n FROM t").await.unwrap().contains("| 1 |"));
}

#[tokio::test]
async fn two_sessions_on_one_folder_are_told_apart_from_damage() {
    let folder = tempfile::tempdir().unwrap();
    let one = Session::open(at(folder.path())).unwrap();
    rows(&one, "CREATE TABLE t (k INT PRIMARY KEY)").await.unwrap();
    let other = Session::open(at(folder.path())).unwrap();
    let refused = rows(&other, "SELECT * FROM t").await.unwrap_err();
    assert_eq!(refused.kind, ErrorKind::Unavailable, "{refused}");
    assert!(refused.message.contains("open in another process"), "{refused}");
    assert!(rows(&other, "SELECT 1 AS x").await.is_ok());
}
