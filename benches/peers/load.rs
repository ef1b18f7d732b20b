//! W1: loading, and what a loaded table is brought into afterwards.

use std::sync::Arc;

use arrow::compute::cast;
use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use datafusion::datasource::MemTable;
use datafusion::prelude::ParquetReadOptions;
use ostracon::Session;
use ostracon::handler::load::{LoadOptions, LoadProgress};

use crate::Failure;
use crate::measure::{Answer, Report, Stopwatch, folder_bytes, settle};
use crate::options::Options;
use crate::table::{create, rows, write};

/// W1-load: the CSV file by the way that `ostracon load` takes, until it is on disk and the store has come to rest.
pub(crate) async fn csv(session: &Session, options: &Options, report: &Report) -> Result<(), Failure> {
    rows(session, &create("lineitem")).await?;
    let file = options.data.join("lineitem.csv");
    let watch = Stopwatch::start()?;
    let progress = Arc::new(LoadProgress::default());
    let loaded = session.load("lineitem", &[file], LoadOptions::default(), progress).await?;
    session.store().create()?.flush(None)?;
    let mut times = watch.stop()?;
    settle()?;
    times.cpu = watch.stop()?.cpu;
    report.line("W1-load", times, &Answer::rows(loaded));
    report.number("disk-loaded", folder_bytes(&options.store)?);
    Ok(())
}

/// W1-compact: what a table that was just loaded still has to be compacted.
pub(crate) fn compact(session: &Session, options: &Options, report: &Report) -> Result<(), Failure> {
    let store = session.store().create()?;
    let watch = Stopwatch::start()?;
    store.compact(None)?;
    let mut times = watch.stop()?;
    settle()?;
    times.cpu = watch.stop()?.cpu;
    let usage = store.du(Some("lineitem"))?;
    report.line("W1-compact", times, &Answer::rows(usage.iter().map(|table| table.rows).sum()));
    report.number("disk-base", folder_bytes(&options.store)?);
    Ok(())
}

/// W1-arrow: record batches that are in memory already.
pub(crate) async fn arrow(session: &Session, options: &Options, report: &Report) -> Result<(), Failure> {
    const TABLE: &str = "lineitem_arrow";
    const BATCHES: &str = "arrow_batches";
    rows(session, &create(TABLE)).await?;
    let context = session.context();
    let schema = context.table_provider(TABLE).await?.schema();
    let file = options.data.join("lineitem.parquet");
    let file = file.to_str().ok_or("the data's path is no UTF-8")?;
    let read = context.read_parquet(file, ParquetReadOptions::default()).await?.collect().await?;
    let batches: Result<Vec<_>, Failure> = read.iter().map(|batch| as_declared(batch, &schema)).collect();
    drop(read);
    context.register_table(BATCHES, Arc::new(MemTable::try_new(schema, vec![batches?])?))?;
    let watch = Stopwatch::start()?;
    let inserted = write(session, &format!("INSERT INTO {TABLE} SELECT * FROM {BATCHES}")).await?;
    session.store().create()?.flush(None)?;
    let mut times = watch.stop()?;
    settle()?;
    times.cpu = watch.stop()?.cpu;
    report.line("W1-arrow", times, &Answer::rows(inserted));
    context.deregister_table(BATCHES)?;
    rows(session, &format!("DROP TABLE {TABLE}")).await?;
    settle()
}

fn as_declared(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, Failure> {
    let columns: Result<Vec<_>, _> = batch
        .columns()
        .iter()
        .zip(schema.fields())
        .map(|(column, field)| cast(column, field.data_type()))
        .collect();
    Ok(RecordBatch::try_new(Arc::clone(schema), columns?)?)
}

/// Writes some of the rows again, with the values that they have. Which rows is decided by the order, so that they lie
/// all over the table.
pub(crate) async fn delta(session: &Session, options: &Options, report: &Report) -> Result<(), Failure> {
    let percent = options.delta.unwrap_or(2);
    let sql = format!("UPDATE lineitem SET l_tax = l_tax WHERE (l_orderkey * 19) % 100 < {percent}");
    let watch = Stopwatch::start()?;
    let changed = write(session, &sql).await?;
    session.store().create()?.flush(None)?;
    let times = watch.stop()?;
    settle()?;
    report.line("delta", times, &Answer::rows(changed));
    Ok(())
}
