//! Sessions over Parquet files, and what their queries give.

use std::path::Path;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use futures::TryStreamExt;
use ostracon::{DataLocation, Session, SessionOptions, StatementOutcome};

pub(crate) fn session() -> Session {
    Session::open(SessionOptions { data: DataLocation::Memory, ..SessionOptions::default() }).unwrap()
}

pub(crate) async fn run(session: &Session, sql: &str) -> ostracon::Result<Vec<RecordBatch>> {
    match session.execute(sql).await? {
        StatementOutcome::Rows { stream, .. } => stream.try_collect().await.map_err(ostracon::Error::from),
        _ => Ok(Vec::new()),
    }
}

/// The rows as texts, sorted.
pub(crate) async fn rows(session: &Session, sql: &str) -> Vec<String> {
    try_rows(session, sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"))
}

/// The rows as texts, sorted, or what is wrong.
pub(crate) async fn try_rows(session: &Session, sql: &str) -> ostracon::Result<Vec<String>> {
    let options = FormatOptions::new().with_null("NULL");
    let mut found = Vec::new();
    for batch in run(session, sql).await? {
        let columns: Vec<_> =
            batch.columns().iter().map(|column| ArrayFormatter::try_new(column, &options).unwrap()).collect();
        for row in 0..batch.num_rows() {
            let values: Vec<String> = columns.iter().map(|column| column.value(row).to_string()).collect();
            found.push(values.join("|"));
        }
    }
    found.sort();
    Ok(found)
}

pub(crate) async fn create(session: &Session, table: &str, columns: &str, files: &[&str]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/parquet");
    let files: Vec<String> =
        files.iter().map(|file| format!("'{}.parquet'", folder.join(file).display())).collect();
    let sql =
        format!("CREATE EXTERNAL TABLE {table} {columns} STORED AS PARQUET LOCATION {}", files.join(", "));
    run(session, &sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
}

/// What EXPLAIN says of a scan's `name=[...]`.
pub(crate) async fn of_scan(session: &Session, sql: &str, name: &str) -> String {
    let plan = rows(session, &format!("EXPLAIN {sql}")).await.join("\n");
    let scan = plan.split("DataSourceExec").find(|node| node.contains("file_type=parquet"));
    let scan = scan.unwrap_or_else(|| panic!("{sql}: {plan}"));
    let found = scan.split(&format!("{name}=[")).nth(1).and_then(|rest| rest.split(']').next());
    found.unwrap_or_default().to_owned()
}

/// The bytes that the scans of a query read.
pub(crate) async fn bytes(session: &Session, sql: &str) -> usize {
    let plan = rows(session, &format!("EXPLAIN ANALYZE {sql}")).await.join("\n");
    let counts = plan.split("bytes_scanned=").skip(1);
    let counts = counts.map(|rest| rest.split([',', ']']).next().unwrap_or_default().trim().to_owned());
    counts
        .map(|count| match count.split_once(' ') {
            Some((number, "K")) => (number.parse::<f64>().unwrap() * 1000.0) as usize,
            Some((number, "B")) => number.parse().unwrap(),
            _ => count.parse().unwrap_or_else(|_| panic!("{count}: {plan}")),
        })
        .sum()
}
