//! The tablet store in a DataFusion program of one's own: its tables join those that are there.
//!
//! `cargo run --example register`

use std::io::Write;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Int64Array, StringArray};
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::prelude::SessionContext;
use ostracon::Result;
use ostracon::tablets::{StoreOptions, TabletStore};

#[tokio::main]
async fn main() -> Result<()> {
    // The program as it was: a context with a table in memory.
    let context = SessionContext::new();
    let names: ArrayRef = Arc::new(StringArray::from(vec!["Ada", "Bo"]));
    let ids: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
    context.register_batch("people", RecordBatch::try_from_iter([("id", ids), ("name", names)])?)?;

    // The store joins it: its tables are in the default schema, beside the others.
    let store = TabletStore::in_memory(StoreOptions::default())?;
    ostracon::handler::register(&context, store)?;

    // DataFusion's own statements make a tablet table (its grammar wants a LOCATION) and write to it.
    for statement in [
        "CREATE EXTERNAL TABLE scores (person BIGINT, points BIGINT, PRIMARY KEY (person)) STORED AS TABLET LOCATION ''",
        "INSERT INTO scores VALUES (1, 10), (2, 20), (3, 30)",
        "UPDATE scores SET points = points + 1 WHERE person = 1",
        "DELETE FROM scores WHERE person NOT IN (SELECT id FROM people)",
    ] {
        context.sql(statement).await?.collect().await?;
    }
    let query = "SELECT name, points FROM people JOIN scores ON id = person WHERE person < 3 ORDER BY name";
    let batches = context.sql(query).await?.collect().await?;
    // A closed pipe ends the output, not the program.
    let _ = writeln!(std::io::stdout(), "{}", pretty_format_batches(&batches)?);
    Ok(())
}
