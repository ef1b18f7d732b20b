//! A third party's storage handler beside the tablet store: `STORED AS MEMORY`.
//!
//! `cargo run --example memory_handler`

mod handler;

use std::sync::Arc;

use datafusion::arrow::util::pretty::pretty_format_batches;
use futures::TryStreamExt;
use ostracon::{DataLocation, Result, Session, SessionOptions, StatementOutcome};

use handler::MemoryHandler;

const SCRIPT: [&str; 6] = [
    "CREATE TABLE kept (id BIGINT PRIMARY KEY, kind VARCHAR)",
    "CREATE TABLE passing (id BIGINT, weight DOUBLE) STORED AS MEMORY",
    "INSERT INTO kept VALUES (1, 'start'), (2, 'stop')",
    "INSERT INTO passing VALUES (1, 0.5), (2, 1.5), (3, 2.5)",
    "SHOW TABLES",
    "SELECT kind, weight FROM kept JOIN passing ON kept.id = passing.id WHERE kept.id >= 2",
];

#[tokio::main]
async fn main() -> Result<()> {
    let session = Session::open(SessionOptions { data: DataLocation::Memory, ..SessionOptions::default() })?;
    session.handlers().register(Arc::new(MemoryHandler::default()))?;
    for statement in SCRIPT {
        if let StatementOutcome::Rows { stream, .. } = session.execute(statement).await? {
            let batches: Vec<_> = stream.try_collect().await?;
            print(&format!("{statement}\n{}\n", pretty_format_batches(&batches)?));
        }
    }
    Ok(())
}

fn print(text: &str) {
    use std::io::Write;
    // A closed pipe ends the output, not the program.
    let _ = writeln!(std::io::stdout(), "{text}");
}
