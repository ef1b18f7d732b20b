//! The table, and statements over it.

use arrow::array::RecordBatch;
use arrow::util::display::array_value_to_string;
use futures::TryStreamExt;
use ostracon::{Session, StatementOutcome};

use crate::Failure;

/// Rows at scale factor 1.
pub(crate) const SF1_ROWS: u64 = 6_001_215;

/// The statement that makes lineitem under a name.
pub(crate) fn create(table: &str) -> String {
    format!(
        "CREATE TABLE {table} (
            l_orderkey BIGINT NOT NULL, l_partkey BIGINT NOT NULL, l_suppkey BIGINT NOT NULL, l_linenumber INT NOT NULL,
            l_quantity DECIMAL(15,2) NOT NULL, l_extendedprice DECIMAL(15,2) NOT NULL,
            l_discount DECIMAL(15,2) NOT NULL, l_tax DECIMAL(15,2) NOT NULL,
            l_returnflag VARCHAR NOT NULL, l_linestatus VARCHAR NOT NULL,
            l_shipdate DATE NOT NULL, l_commitdate DATE NOT NULL, l_receiptdate DATE NOT NULL,
            l_shipinstruct VARCHAR NOT NULL, l_shipmode VARCHAR NOT NULL, l_comment VARCHAR NOT NULL,
            PRIMARY KEY (l_orderkey, l_linenumber))"
    )
}

/// Runs a statement to its end.
pub(crate) async fn rows(session: &Session, sql: &str) -> Result<Vec<RecordBatch>, Failure> {
    match session.execute(sql).await? {
        StatementOutcome::Rows { stream, .. } => {
            Ok(stream.try_collect().await.map_err(ostracon::Error::from)?)
        }
        StatementOutcome::Count(_) | StatementOutcome::Done => Ok(Vec::new()),
    }
}

/// Runs a statement that writes; gives the number of rows written.
pub(crate) async fn write(session: &Session, sql: &str) -> Result<u64, Failure> {
    match session.execute(sql).await? {
        StatementOutcome::Count(rows) => Ok(rows),
        other => Err(format!("{sql}: gave {other:?} instead of a count").into()),
    }
}

/// The number of rows in batches.
pub(crate) fn count(batches: &[RecordBatch]) -> u64 {
    batches.iter().map(|batch| batch.num_rows() as u64).sum()
}

/// The values of some columns of the first row, as text.
pub(crate) fn first_row(
    batches: &[RecordBatch],
    columns: impl IntoIterator<Item = usize>,
) -> Result<String, Failure> {
    let batch = batches.iter().find(|batch| batch.num_rows() > 0).ok_or("a row was expected")?;
    let values: Result<Vec<String>, _> =
        columns.into_iter().map(|column| array_value_to_string(batch.column(column), 0)).collect();
    Ok(values?.join(", "))
}
