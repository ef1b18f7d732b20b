//! Rows by their key: `Session::table`, `get` and `multi_get` against the same rows by SQL.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, its helpers too")]

use datafusion::common::ScalarValue;
use futures::TryStreamExt;
use ostracon::{
    Authorizations, DataLocation, ErrorKind, Row, Session, SessionOptions, StatementOutcome, TableReader,
};

fn session() -> Session {
    Session::open(SessionOptions { data: DataLocation::Memory, ..SessionOptions::default() }).unwrap()
}

async fn run(session: &Session, statements: &[&str]) {
    for statement in statements {
        match session.execute(statement).await {
            Ok(StatementOutcome::Rows { stream, .. }) => drop(stream.try_collect::<Vec<_>>().await.unwrap()),
            Ok(_) => {}
            Err(error) => panic!("{statement}: {error}"),
        }
    }
}

fn int(value: i64) -> ScalarValue {
    ScalarValue::Int64(Some(value))
}

fn text(row: &Row) -> String {
    let values = row.values().unwrap();
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

fn get(reader: &TableReader, key: &[ScalarValue]) -> Option<String> {
    reader.get(key).unwrap().as_ref().map(text)
}

#[tokio::test]
async fn a_row_is_found_by_its_whole_key() {
    let session = session();
    run(
        &session,
        &[
            "CREATE TABLE t (k INT, day DATE, v VARCHAR, d DECIMAL(8,2), PRIMARY KEY (day, k))",
            "INSERT INTO t VALUES (1, '2024-05-01', 'a', 1.5), (2, '2024-05-01', NULL, NULL), (1, '2024-05-02', 'c', 3)",
        ],
    )
    .await;
    let day = |text: &str| ScalarValue::from(text).cast_to(&arrow::datatypes::DataType::Date32).unwrap();
    let reader = session.table("t").unwrap();
    assert_eq!(get(&reader, &[day("2024-05-01"), 1_i32.into()]).unwrap(), "1,2024-05-01,a,1.50");
    let row = reader.get(&[day("2024-05-01"), int(2)]).unwrap().unwrap();
    assert_eq!(row.value("v").unwrap(), ScalarValue::Utf8(None));
    assert_eq!(row.value("k").unwrap(), 2_i32.into());
    assert_eq!(row.schema().field(3).name(), "d");
    assert_eq!((row.as_batch().num_rows(), row.clone().into_batch()), (1, row.as_batch().clone()));
    assert!(row.value("z").unwrap_err().message.contains("k, day, v, d"));
    for key in [
        [day("2024-05-03"), int(1)],
        [day("2024-05-01"), ScalarValue::Null],
        [day("2024-05-01"), int(1 << 40)],
        [day("2024-05-01"), ScalarValue::Float64(Some(1.5))],
    ] {
        assert_eq!(get(&reader, &key), None, "{key:?}");
    }
    let half = reader.select(&["v", "k"]).unwrap();
    assert_eq!(get(&half, &[day("2024-05-02"), ScalarValue::Float64(Some(1.0))]).unwrap(), "c,1");
    let names: Vec<_> = half.schema().unwrap().fields().iter().map(|field| field.name().clone()).collect();
    assert_eq!(names, ["v", "k"]);
    let none = reader.select(&[]).unwrap();
    assert_eq!(
        none.get(&[day("2024-05-02"), int(1)]).unwrap().map(|row| row.values().unwrap()),
        Some(vec![])
    );
    for (error, words) in [
        (reader.get(&[int(1)]).unwrap_err(), "the key of table t is (day, k), 1 values were given"),
        (reader.get(&[int(1), int(1)]).unwrap_err(), "key column day: a value of type Int64"),
        (reader.get(&[day("2024-05-01"), "1".into()]).unwrap_err(), "key column k"),
        (reader.select(&["vv"]).unwrap_err(), "did you mean v?"),
    ] {
        assert_eq!(error.kind, ErrorKind::Invalid, "{error}");
        assert!(error.message.contains(words), "{error}");
    }
}

#[tokio::test]
async fn many_rows_come_in_the_order_of_their_keys() {
    let session = session();
    let rows: Vec<String> = (0..500).map(|row| format!("({row}, 'v{row}')")).collect();
    let insert = format!("INSERT INTO t VALUES {}", rows.join(", "));
    run(&session, &["CREATE TABLE t (k BIGINT PRIMARY KEY, v VARCHAR)", &insert]).await;
    let store = session.store().create().unwrap();
    let table = store.table_names().pop().unwrap();
    store.split(&table, vec![vec![0x80, 0, 0, 0, 0, 0, 0, 100]]).unwrap();
    let reader = session.table("t").unwrap().select(&["v"]).unwrap();
    let asked = [499, 3, -1, 3, 250, 1000, 0].map(|key| [int(key)]);
    let null = [ScalarValue::Null];
    let asked: Vec<&[ScalarValue]> = asked.iter().map(|key| &key[..]).chain([&null[..]]).collect();
    for step in 0..3 {
        match step {
            0 => {}
            1 => store.flush(None).unwrap(),
            _ => store.compact(None).unwrap(),
        }
        let found = reader.multi_get(&asked).unwrap();
        assert_eq!(found.keys, [0, 1, 3, 4, 6]);
        let values = (0..5).map(|row| ScalarValue::try_from_array(found.batch.column(0), row).unwrap());
        assert_eq!(values.map(|v| v.to_string()).collect::<Vec<_>>(), ["v499", "v3", "v3", "v250", "v0"]);
    }
    let sorted: Vec<[ScalarValue; 1]> = (10..20).map(|key| [int(key)]).collect();
    let found = reader.multi_get(&sorted).unwrap();
    assert_eq!((found.batch.num_rows(), found.keys), (10, (0..10).collect()));
    assert_eq!(reader.multi_get(&[[int(-5)]]).unwrap().batch.num_rows(), 0);
    let no_keys: [[ScalarValue; 1]; 0] = [];
    assert!(reader.multi_get(&no_keys).unwrap().keys.is_empty());
    assert!(reader.multi_get(&[[int(1)], ["x".into()]]).is_err());
}

#[tokio::test]
async fn mapped_tables_have_one_key_or_the_fields_of_a_struct() {
    let session = session();
    run(&session, &[
        "CREATE EXTERNAL TABLE texts (k INT, v VARCHAR, tags MAP<VARCHAR, INT>) STORED AS TABLET OPTIONS ('columns.mapping' ':rowid,f:v,tag:*')",
        "INSERT INTO texts VALUES (7, 'seven', MAP {'a': 1, 'b': 2}), (-1, 'minus', NULL)",
        "CREATE EXTERNAL TABLE parts (k STRUCT<a VARCHAR, b INT>, v VARCHAR) STORED AS TABLET OPTIONS ('columns.mapping' ':rowid,f:v', 'composite.rowid' ':')",
        "INSERT INTO parts VALUES (named_struct('a', 'x', 'b', 1), 'x1'), (named_struct('a', 'y', 'b', 2), 'y2')",
        "CREATE EXTERNAL TABLE native (k STRUCT<a VARCHAR, b INT>, v VARCHAR) STORED AS TABLET OPTIONS ('columns.mapping' ':rowid,f:v', 'composite.rowid' 'native')",
        "INSERT INTO native SELECT * FROM parts",
        "CREATE TABLE hidden (v VARCHAR)",
        "CREATE VIEW seen AS SELECT 1 AS k",
    ])
    .await;
    let texts = session.table("texts").unwrap();
    assert_eq!(get(&texts.select(&["v", "k"]).unwrap(), &[int(7)]).unwrap(), "seven,7");
    assert_eq!(get(&texts.select(&["v"]).unwrap(), &[int(-1)]).unwrap(), "minus");
    let tags = texts.get(&[int(7)]).unwrap().unwrap().value("tags").unwrap().to_string();
    assert!(tags.contains('a') && tags.contains('2'), "{tags}");
    for table in ["parts", "native"] {
        let reader = session.table(table).unwrap().select(&["v"]).unwrap();
        assert_eq!(get(&reader, &["y".into(), int(2)]).unwrap(), "y2", "{table}");
        assert_eq!(get(&reader, &["y".into(), int(1)]), None);
        assert!(reader.get(&["y".into()]).unwrap_err().message.contains("(a, b)"));
    }
    assert_eq!(
        get(&session.table("parts").unwrap(), &["y:2".into(), int(2)]),
        None,
        "no such field can be written"
    );
    assert_eq!(session.table("hidden").unwrap_err().kind, ErrorKind::Unsupported);
    assert_eq!(session.table("seen").unwrap_err().kind, ErrorKind::Unsupported);
    let error = session.table("text").unwrap_err();
    assert!(error.kind == ErrorKind::NotFound && error.message.contains("did you mean texts?"), "{error}");
}

#[tokio::test]
async fn labels_hold_and_changes_are_seen_at_once() {
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
        ])
        .await;
        let reader = session.table("w").unwrap();
        assert_eq!(get(&reader, &["one".into()]).unwrap(), "one,a,A");
        run(&session, &["UPDATE w SET v = 'b' WHERE k = 'one'"]).await;
        assert_eq!(get(&reader, &["one".into()]).unwrap(), "one,b,A");
        run(&session, &["DELETE FROM w WHERE k = 'one'"]).await;
        assert_eq!(get(&reader, &["one".into()]), None);
        run(&session, &["INSERT INTO w VALUES ('one', 'c', 'A')"]).await;
    }
    let session = open(&[]);
    let reader = session.table("w").unwrap();
    assert_eq!(get(&reader, &["one".into()]), None);
    let found = reader.multi_get(&[["one".into()], ["open".into()]]).unwrap();
    assert_eq!((found.batch.num_rows(), found.keys), (1, vec![1]));
    run(&session, &["DROP TABLE w"]).await;
    assert_eq!(reader.get(&["open".into()]).unwrap_err().kind, ErrorKind::NotFound);
    let again = "CREATE EXTERNAL TABLE w (v VARCHAR, k VARCHAR) STORED AS TABLET OPTIONS ('columns.mapping' 'f:v,:rowid')";
    run(&session, &[again]).await;
    assert_eq!(get(&reader, &["open".into()]).unwrap(), "o,open");
    assert!(reader.select(&["label"]).is_err());
}

#[tokio::test]
async fn nested_values_come_with_their_rows() {
    let session = session();
    let all = "SELECT * FROM t ORDER BY k";
    run(
        &session,
        &[
            "CREATE TABLE t (k BIGINT PRIMARY KEY, l ARRAY<INT>, s STRUCT<a INT, m MAP<VARCHAR, DOUBLE>>)",
            "INSERT INTO t SELECT value, CASE WHEN value % 3 = 0 THEN NULL ELSE [value, NULL] END, \
             {a: value, m: MAP {'x': value / 2.0}} FROM generate_series(0, 199)",
        ],
    )
    .await;
    for compacted in [false, true] {
        if compacted {
            session.store().create().unwrap().compact(None).unwrap();
        }
        let StatementOutcome::Rows { stream, .. } = session.execute(all).await.unwrap() else {
            panic!("no rows");
        };
        let batches: Vec<_> = stream.try_collect().await.unwrap();
        let wanted = arrow::compute::concat_batches(&batches[0].schema(), &batches).unwrap();
        let reader = session.table("t").unwrap();
        let keys: Vec<_> = (0..200).map(|key| [int(key)]).collect();
        let found = reader.multi_get(&keys).unwrap();
        assert_eq!(found.batch.columns(), wanted.columns());
        let row = reader.get(&[int(9)]).unwrap().unwrap();
        assert_eq!(row.into_batch().columns(), wanted.slice(9, 1).columns());
    }
}
