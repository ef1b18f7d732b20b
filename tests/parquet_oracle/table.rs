//! One round: files, tables over them, and what they give.

use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::datatypes::{DataType, Int32Type, Int64Type};
use futures::TryStreamExt;
use ostracon::{DataLocation, Session, SessionOptions, StatementOutcome};

use crate::model::{Value, projected, told, value};
use crate::random::Random;
use crate::types::{Node, columns, ddl, merged, of_file, requested};
use crate::{shred, types};

/// Writes two files and reads them by a request and by none; gives the numbers of rows of the answers.
pub(crate) async fn round(random: &mut Random, about: &str) -> Vec<usize> {
    let folder = tempfile::tempdir().unwrap();
    let wanted = columns(random);
    let (mut rows, mut files, mut messages) = (Vec::new(), Vec::new(), Vec::new());
    for file in 0..2_i64 {
        let nodes = of_file(random, &wanted);
        let count = i64::try_from(random.below(7)).unwrap();
        let written: Vec<(i64, Vec<Value>)> = (0..count)
            .map(|row| (file * 100 + row, nodes.iter().map(|node| value(random, node)).collect()))
            .collect();
        messages.push(shred::write(&folder.path().join(format!("{file}.parquet")), &nodes, &written));
        rows.extend(written.into_iter().map(|(id, values)| {
            let names = nodes.iter().map(|node| node.name.clone());
            (id, Value::Struct(names.zip(values).collect()))
        }));
        files.push(nodes);
    }
    let session =
        Session::open(SessionOptions { data: DataLocation::Memory, ..SessionOptions::default() }).unwrap();
    let filters = random.of(&["true", "false"]);
    run(&session, &format!("SET datafusion.execution.parquet.pushdown_filters = {filters}")).await.unwrap();
    let asked = requested(random, &wanted);
    let told_of = format!("{about}\n{}\n{}\nasked: {}", messages[0], messages[1], ddl(&asked));
    let location = folder.path().display();
    let declared = format!("(id BIGINT, {})", ddl(&asked));
    let mut answers = Vec::new();
    for (table, declared, nodes) in
        [("declared", declared.as_str(), asked), ("inferred", "", merged(&files[0], &files[1]))]
    {
        let create =
            format!("CREATE EXTERNAL TABLE {table} {declared} STORED AS PARQUET LOCATION '{location}/'");
        run(&session, &create).await.unwrap_or_else(|error| panic!("{told_of}\n{table}: {error}"));
        for (query, kept) in queries(random, table, &nodes) {
            let found = run(&session, &query).await;
            let found = found.unwrap_or_else(|error| panic!("{told_of}\n{query}: {error}"));
            let found = texts(&found);
            let expected = expected(&rows, &kept, &query);
            assert_eq!(found, expected, "{told_of}\n{query}, filters in the reader: {filters}");
            answers.push(found.len());
        }
    }
    answers
}

/// Queries over a table, each with the columns that it gives behind `id`.
fn queries(random: &mut Random, table: &str, nodes: &[Node]) -> Vec<(String, Vec<Node>)> {
    let names = |nodes: &[Node]| {
        let names = std::iter::once("id").chain(nodes.iter().map(|node| node.name.as_str()));
        names.collect::<Vec<_>>().join(", ")
    };
    let mut some: Vec<Node> = nodes.to_vec();
    random.shuffle(&mut some);
    some.truncate(1 + random.below(nodes.len()));
    let one = random.of(nodes);
    vec![
        (format!("SELECT {} FROM {table}", names(nodes)), nodes.to_vec()),
        (format!("SELECT {} FROM {table} WHERE id % 2 = 0", names(&some)), some),
        (format!("SELECT id FROM {table} WHERE {} IS NULL", one.name), vec![one.clone()]),
    ]
}

fn expected(rows: &[(i64, Value)], kept: &[Node], query: &str) -> Vec<String> {
    let wanted = types::Shape::Struct(kept.to_vec());
    let is_null_query = query.ends_with("IS NULL");
    let mut texts = Vec::new();
    for (id, row) in rows {
        if query.ends_with("id % 2 = 0") && id % 2 != 0 {
            continue;
        }
        let Value::Struct(fields) = projected(row, &wanted) else { panic!("a row is a struct") };
        if is_null_query {
            if fields.iter().all(|(_, value)| *value == Value::Null) {
                texts.push(format!("{id}"));
            }
            continue;
        }
        let values = fields.iter().map(|(_, value)| told(value));
        texts.push(std::iter::once(id.to_string()).chain(values).collect::<Vec<_>>().join(" | "));
    }
    texts.sort();
    texts
}

async fn run(session: &Session, sql: &str) -> ostracon::Result<Vec<RecordBatch>> {
    match session.execute(sql).await? {
        StatementOutcome::Rows { stream, .. } => stream.try_collect().await.map_err(ostracon::Error::from),
        _ => Ok(Vec::new()),
    }
}

fn texts(batches: &[RecordBatch]) -> Vec<String> {
    let mut texts = Vec::new();
    for batch in batches {
        for row in 0..batch.num_rows() {
            let values = batch.columns().iter().map(|column| told(&read(column, row)));
            texts.push(values.collect::<Vec<_>>().join(" | "));
        }
    }
    texts.sort();
    texts
}

fn read(array: &ArrayRef, row: usize) -> Value {
    if array.is_null(row) {
        return Value::Null;
    }
    let all = |items: &ArrayRef| (0..items.len()).map(|item| read(items, item)).collect::<Vec<_>>();
    match array.data_type() {
        DataType::Int32 => Value::Number(i64::from(array.as_primitive::<Int32Type>().value(row))),
        DataType::Int64 => Value::Number(array.as_primitive::<Int64Type>().value(row)),
        DataType::Utf8 => Value::Text(array.as_string::<i32>().value(row).to_owned()),
        DataType::Utf8View => Value::Text(array.as_string_view().value(row).to_owned()),
        DataType::Struct(fields) => {
            let columns = array.as_struct().columns().iter();
            let values = columns.map(|column| read(column, row));
            Value::Struct(fields.iter().map(|field| field.name().clone()).zip(values).collect())
        }
        DataType::List(_) => Value::List(all(&array.as_list::<i32>().value(row))),
        DataType::Map(..) => {
            let entries = array.as_map().value(row);
            Value::Map(all(entries.column(0)).into_iter().zip(all(entries.column(1))).collect())
        }
        other => panic!("{other} is not written here"),
    }
}
