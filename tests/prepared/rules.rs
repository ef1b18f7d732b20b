//! What a prepared statement is told, what it refuses, and what it follows.

use arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use ostracon::{Authorizations, DataLocation, ErrorKind, Session, SessionOptions};

use super::{lines, lines_of, rows, run, session};

const TABLE: &str = "CREATE TABLE t (k INT, n BIGINT, v VARCHAR, PRIMARY KEY (k, n))";

async fn filled() -> Session {
    let session = session();
    run(&session, &[TABLE, "INSERT INTO t VALUES (1, 1, 'a'), (1, 2, 'b'), (2, 1, 'c'), (3, 1, NULL)"]).await;
    session
}

fn int(value: i64) -> ScalarValue {
    ScalarValue::Int64(Some(value))
}

#[tokio::test]
async fn parameters_are_counted_and_typed_by_what_they_stand_beside() {
    let session = filled().await;
    let prepared = session.prepare("SELECT v, ? FROM t WHERE k = ? AND v LIKE ?").await.unwrap();
    let types: Vec<_> = prepared.parameters().into_iter().map(|parameter| parameter.data_type).collect();
    assert_eq!(types, [None, Some(DataType::Int32), Some(DataType::Utf8)]);
    assert_eq!(prepared.schema().field(0).name(), "v");
    for (values, words) in [
        (vec![], "takes 3 parameters ($1, $2 INT, $3 VARCHAR), 0 values were given"),
        (vec![int(1); 4], "4 values were given"),
        (vec![int(1), true.into(), "a".into()], "the values are $1 BIGINT, $2 BOOLEAN, $3 VARCHAR"),
    ] {
        let error = prepared.query(&values).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Invalid, "{error}");
        assert!(error.message.contains(words), "{error}");
    }
    let found = prepared.query(&[int(7), int(1), "%".into()]).await.unwrap();
    assert_eq!(lines(&found), ["a Utf8, 7 Int64", "b Utf8, 7 Int64"]);
}

#[tokio::test]
async fn declared_types_are_cast_to() {
    let session = filled().await;
    run(&session, &["PREPARE p (INT, VARCHAR) AS SELECT n FROM t WHERE k = $1 AND v = $2"]).await;
    assert_eq!(rows(&session, "EXECUTE p('1', 'b')").await.unwrap(), ["2 Int64"]);
    let error = rows(&session, "EXECUTE p('x', 'b')").await.unwrap_err();
    assert!(error.message.starts_with("$1 was declared INT"), "{error}");
    let error =
        rows(&session, "PREPARE q (INT) AS SELECT n FROM t WHERE k = $1 AND v = $2").await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Invalid, "{error}");
}

#[tokio::test]
async fn what_cannot_be_prepared_is_refused_by_name() {
    let session = filled().await;
    for (statement, kind, words) in [
        ("CREATE TABLE x (k INT PRIMARY KEY)", ErrorKind::Unsupported, "cannot be prepared"),
        ("DROP TABLE t", ErrorKind::Unsupported, "cannot be prepared"),
        ("SHOW TABLES", ErrorKind::Unsupported, "cannot be prepared"),
        ("SET ostracon.use_index = ?", ErrorKind::Invalid, ""),
        ("SELECT * FROM tt WHERE k = ?", ErrorKind::NotFound, "did you mean t?"),
        ("SELECT v FROM t WHERE k = $1 AND n = ?", ErrorKind::Invalid, "not both"),
        ("SELECT v FROM t WHERE kk = ?", ErrorKind::Invalid, "did you mean k?"),
    ] {
        let error = session.prepare(statement).await.unwrap_err();
        assert_eq!(error.kind, kind, "{statement}: {error}");
        assert!(error.message.contains(words), "{statement}: {error}");
    }
    let error = session.prepare("SELECT ?, ?, zz FROM t").await.unwrap_err();
    assert_eq!(error.position.map(|at| at.column), Some(14), "{error}: a place in the text as written");
    assert!(rows(&session, "SELECT v FROM t WHERE k = ?").await.is_err(), "without PREPARE");
}

#[tokio::test]
async fn names_of_sql_are_kept_until_they_are_deallocated() {
    let session = filled().await;
    run(&session, &["PREPARE Get AS SELECT v FROM t WHERE k = ? AND n = ?"]).await;
    let clone = session.clone();
    assert_eq!(rows(&clone, "EXECUTE get(1, 1 + 1)").await.unwrap(), ["b Utf8"]);
    assert_eq!(rows(&session, "EXECUTE get(CAST('2' AS INT), abs(-1))").await.unwrap(), ["c Utf8"]);
    let error = rows(&session, "PREPARE get AS SELECT 1").await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::AlreadyExists);
    let error = rows(&session, "EXECUTE gett(1, 1)").await.unwrap_err();
    assert!(error.kind == ErrorKind::NotFound && error.message.contains("did you mean get?"), "{error}");
    run(&session, &["DEALLOCATE get", "PREPARE get AS SELECT 1", "DEALLOCATE PREPARE get"]).await;
    assert_eq!(rows(&session, "DEALLOCATE get").await.unwrap_err().kind, ErrorKind::NotFound);
}

#[tokio::test]
async fn writes_take_the_types_of_their_columns() {
    let session = filled().await;
    let insert = session.prepare("INSERT INTO t VALUES (?, ?, ?)").await.unwrap();
    let outcome = insert.execute(&[int(9), 1_i32.into(), "nine".into()]).await.unwrap();
    assert_eq!(lines_of(outcome).await.unwrap(), ["Count(1)"]);
    let outcome = insert.execute(&["8".into(), int(1), ScalarValue::Null]).await.unwrap();
    assert_eq!(lines_of(outcome).await.unwrap(), ["Count(1)"]);
    assert!(insert.execute(&[int(1 << 40), int(1), "x".into()]).await.is_err(), "no INT");
    assert!(insert.execute(&[ScalarValue::Null, int(1), "x".into()]).await.is_err(), "no key");
    assert!(insert.query(&[int(7), int(7), "x".into()]).await.is_err(), "it gives no rows");
    let update = session.prepare("UPDATE t SET v = $2 WHERE k = $1").await.unwrap();
    for (key, count) in [(int(9), "Count(1)"), (int(1), "Count(2)"), (int(1 << 40), "Count(0)")] {
        let outcome = update.execute(&[key, int(5)]).await.unwrap();
        assert_eq!(lines_of(outcome).await.unwrap(), [count]);
    }
    let delete = session.prepare("DELETE FROM t WHERE k = ? AND n = ?").await.unwrap();
    let outcome = delete.execute(&[int(7), int(7)]).await.unwrap();
    assert_eq!(lines_of(outcome).await.unwrap(), ["Count(1)"]);
    let left = rows(&session, "SELECT k, v FROM t ORDER BY k, n").await.unwrap();
    assert_eq!(
        left,
        [
            "1 Int32, 5 Utf8",
            "1 Int32, 5 Utf8",
            "2 Int32, c Utf8",
            "3 Int32, NULL Utf8",
            "8 Int32, NULL Utf8",
            "9 Int32, 5 Utf8"
        ]
    );
}

#[tokio::test]
async fn every_run_sees_what_was_committed_before_it() {
    let session = filled().await;
    let get = session.prepare("SELECT v FROM t WHERE k = ? AND n = ?").await.unwrap();
    let few = session.prepare("SELECT n FROM t WHERE k = ?").await.unwrap();
    for round in 0..4 {
        let text = format!("r{round}");
        run(&session, &[&format!("UPDATE t SET v = '{text}' WHERE k = 1 AND n = 1")]).await;
        assert_eq!(lines(&get.query(&[int(1), int(1)]).await.unwrap()), [format!("{text} Utf8")]);
        run(&session, &[&format!("INSERT INTO t VALUES (5, {round}, 'x')")]).await;
        assert_eq!(few.query(&[int(5)]).await.unwrap().num_rows(), round + 1);
        let store = session.store().create().unwrap();
        if round == 1 {
            store.flush(None).unwrap()
        } else {
            store.compact(None).unwrap()
        }
        assert_eq!(few.query(&[int(5)]).await.unwrap().num_rows(), round + 1);
    }
    run(&session, &["TRUNCATE TABLE t"]).await;
    assert_eq!(few.query(&[int(5)]).await.unwrap().num_rows(), 0);
}

#[tokio::test]
async fn tables_that_are_altered_dropped_or_made_anew_are_met_as_they_are() {
    let session = filled().await;
    let get = session.prepare("SELECT * FROM t WHERE k = ?").await.unwrap();
    run(&session, &["PREPARE named AS SELECT * FROM t WHERE k = ?"]).await;
    let one = [int(2)];
    assert_eq!(lines(&get.query(&one).await.unwrap()), ["2 Int32, 1 Int64, c Utf8"]);
    run(&session, &["ALTER TABLE t SET TBLPROPERTIES ('iterator.pushdown' = 'false')"]).await;
    assert_eq!(lines(&get.query(&one).await.unwrap()), ["2 Int32, 1 Int64, c Utf8"]);
    run(&session, &["ALTER TABLE t UNSET TBLPROPERTIES ('iterator.pushdown')"]).await;
    assert_eq!(lines(&get.query(&one).await.unwrap()), ["2 Int32, 1 Int64, c Utf8"]);
    run(&session, &["DROP TABLE t"]).await;
    assert_eq!(get.query(&one).await.unwrap_err().kind, ErrorKind::NotFound);
    assert_eq!(rows(&session, "EXECUTE named(2)").await.unwrap_err().kind, ErrorKind::NotFound);
    run(&session, &["CREATE TABLE t (v VARCHAR, k BIGINT PRIMARY KEY)", "INSERT INTO t VALUES ('new', 2)"])
        .await;
    assert_eq!(lines(&get.query(&one).await.unwrap()), ["new Utf8, 2 Int64"]);
    assert_eq!(rows(&session, "EXECUTE named(2)").await.unwrap(), ["new Utf8, 2 Int64"]);
    run(&session, &["DROP TABLE t", "CREATE VIEW t AS SELECT 2 AS k, 'view' AS v"]).await;
    assert_eq!(lines(&get.query(&one).await.unwrap()), ["2 Int64, view Utf8"]);
}

#[tokio::test]
async fn settings_of_the_session_are_followed() {
    let session = filled().await;
    let get = session.prepare("SELECT v FROM t WHERE k = ?").await.unwrap();
    let zone = session.prepare("SELECT to_timestamp(0) AT TIME ZONE 'UTC', ? FROM t LIMIT 1").await.unwrap();
    let mut answers = Vec::new();
    for setting in [
        "SET ostracon.iterator_pushdown = false",
        "SET ostracon.iterator_pushdown = true",
        "SET datafusion.execution.batch_size = 1",
        "SET datafusion.execution.time_zone = '+02:00'",
    ] {
        run(&session, &[setting]).await;
        assert_eq!(lines(&get.query(&[int(1)]).await.unwrap()), ["a Utf8", "b Utf8"], "{setting}");
        answers.push(lines(&zone.query(&[int(1)]).await.unwrap()));
    }
    let streamed = lines_of(get.execute(&[int(1)]).await.unwrap()).await.unwrap();
    assert_eq!(streamed.len(), 2, "two batches of one row");
    assert_eq!(answers[0], answers[1]);
}

#[tokio::test]
async fn the_time_is_that_of_the_run() {
    let session = filled().await;
    for statement in [
        "SELECT now() FROM t WHERE k = ? LIMIT 1",
        "SELECT v FROM t WHERE k = ? AND now() > CAST(? AS TIMESTAMP)",
    ] {
        let prepared = session.prepare(statement).await.unwrap();
        let values = [int(2), "1999-01-01".into()];
        let values = &values[..prepared.parameters().len()];
        let first = lines(&prepared.query(values).await.unwrap());
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        let second = lines(&prepared.query(values).await.unwrap());
        assert_eq!((first.len(), second.len()), (1, 1));
        assert_eq!(first == second, !statement.starts_with("SELECT now()"), "{first:?} {second:?}");
    }
}

#[tokio::test]
async fn labels_and_expiry_hold() {
    let folder = tempfile::tempdir().unwrap();
    let open = |labels: &[&str]| {
        Session::open(SessionOptions {
            data: DataLocation::Path(folder.path().join("data")),
            authorizations: Authorizations::new(labels.iter().copied()),
            ..SessionOptions::default()
        })
        .unwrap()
    };
    {
        let session = open(&["A"]);
        run(&session, &[
            "CREATE EXTERNAL TABLE w (k VARCHAR, v VARCHAR, label VARCHAR) STORED AS TABLET OPTIONS ('columns.mapping' ':rowid,f:v,:visibility')",
            "INSERT INTO w VALUES ('open', 'o', ''), ('one', 'a', 'A')",
            "CREATE TABLE brief (k INT PRIMARY KEY, v VARCHAR) WITH ('ttl' = '300ms')",
        ])
        .await;
        let get = session.prepare("SELECT v, label FROM w WHERE k = ?").await.unwrap();
        assert_eq!(lines(&get.query(&["one".into()]).await.unwrap()), ["a Utf8, A Utf8"]);
        run(&session, &["INSERT INTO brief VALUES (1, 'x')"]).await;
        let brief = session.prepare("SELECT v FROM brief WHERE k = ?").await.unwrap();
        let mut seen = Vec::new();
        for _ in 0..2 {
            seen.push(brief.query(&[int(1)]).await.unwrap().num_rows());
            tokio::time::sleep(std::time::Duration::from_millis(400)).await;
        }
        assert_eq!(seen, [1, 0]);
    }
    let session = open(&[]);
    let get = session.prepare("SELECT v, label FROM w WHERE k = ?").await.unwrap();
    assert_eq!(get.query(&["one".into()]).await.unwrap().num_rows(), 0);
    assert_eq!(lines(&get.query(&["open".into()]).await.unwrap()), ["o Utf8,  Utf8"]);
}
