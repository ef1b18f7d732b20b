//! A session, and what its queries give.

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
