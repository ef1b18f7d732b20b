//! Prepared statements: the same answers as with the values in the text, whatever happened in between.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, its helpers too"
)]

#[path = "prepared/direct.rs"]
mod direct;
#[path = "prepared/literals.rs"]
mod literals;
#[path = "prepared/rules.rs"]
mod rules;

use arrow::array::RecordBatch;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use futures::TryStreamExt;
use ostracon::{DataLocation, Result, Session, SessionOptions, StatementOutcome};

/// A session on a store in memory.
fn session() -> Session {
    Session::open(SessionOptions { data: DataLocation::Memory, ..SessionOptions::default() }).unwrap()
}

async fn run(session: &Session, statements: &[&str]) {
    for statement in statements {
        if let Err(error) = rows(session, statement).await {
            panic!("{statement}: {error}");
        }
    }
}

/// The rows of a statement as text, a row a line; what has none gives its outcome.
async fn rows(session: &Session, statement: &str) -> Result<Vec<String>> {
    lines_of(session.execute(statement).await?).await
}

async fn lines_of(outcome: StatementOutcome) -> Result<Vec<String>> {
    match outcome {
        StatementOutcome::Rows { stream, .. } => {
            let batches: Vec<RecordBatch> = stream.try_collect().await?;
            Ok(batches.iter().flat_map(lines).collect())
        }
        other => Ok(vec![format!("{other:?}")]),
    }
}

/// The rows of a batch as text, with their types.
fn lines(batch: &RecordBatch) -> Vec<String> {
    let options = FormatOptions::default().with_null("NULL").with_types_info(false);
    let schema = batch.schema();
    let columns: Vec<_> =
        batch.columns().iter().map(|array| ArrayFormatter::try_new(array, &options).unwrap()).collect();
    let cell = |row: usize| {
        let cells = columns.iter().zip(schema.fields());
        cells
            .map(|(column, field)| format!("{} {}", column.value(row), field.data_type()))
            .collect::<Vec<_>>()
    };
    (0..batch.num_rows()).map(|row| cell(row).join(", ")).collect()
}
