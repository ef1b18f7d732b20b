//! What damage in a file comes out as.
//!
//! Decoders know nothing of files; a scan has many. Everything that goes wrong while one file is planned and read is told
//! with its name. Some damage makes the decoders panic; that is an error of the file, too.

use std::any::Any;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::error::DataFusionError;
use datafusion::object_store::ObjectMeta;
use datafusion::parquet::file::metadata::ParquetMetaData;
use datafusion_datasource::morsel::{Morsel, MorselPlan, MorselPlanner, Morselizer};
use futures::StreamExt;
use futures::stream::BoxStream;

use crate::error::HandlerError;

/// A morselizer whose errors name their files.
#[derive(Debug)]
pub(super) struct NamingMorselizer(pub(super) Box<dyn Morselizer>);

impl Morselizer for NamingMorselizer {
    fn plan_file(&self, file: PartitionedFile) -> Result<Box<dyn MorselPlanner>, DataFusionError> {
        let name: Arc<str> = Arc::from(file.object_meta.location.as_ref());
        let planner = self.0.plan_file(file).map_err(|error| named(error, &name))?;
        Ok(Box::new(NamingPlanner { planner, name }))
    }
}

#[derive(Debug)]
struct NamingPlanner {
    planner: Box<dyn MorselPlanner>,
    name: Arc<str>,
}

impl MorselPlanner for NamingPlanner {
    fn plan(self: Box<Self>) -> Result<Option<MorselPlan>, DataFusionError> {
        let Self { planner, name } = *self;
        let Some(mut plan) = planner.plan().map_err(|error| named(error, &name))? else { return Ok(None) };
        let over =
            |planner| Box::new(NamingPlanner { planner, name: Arc::clone(&name) }) as Box<dyn MorselPlanner>;
        let morsels = plan.take_morsels().into_iter();
        let morsels = morsels
            .map(|morsel| Box::new(NamingMorsel { morsel, name: Arc::clone(&name) }) as Box<dyn Morsel>);
        let mut made = MorselPlan::new()
            .with_morsels(morsels.collect())
            .with_planners(plan.take_ready_planners().into_iter().map(over).collect());
        if let Some(pending) = plan.take_pending_planner() {
            made.set_pending_planner(async move {
                match pending.await {
                    Ok(planner) => Ok(Box::new(NamingPlanner { planner, name }) as Box<dyn MorselPlanner>),
                    Err(error) => Err(named(error, &name)),
                }
            });
        }
        Ok(Some(made))
    }
}

struct NamingMorsel {
    morsel: Box<dyn Morsel>,
    name: Arc<str>,
}

impl fmt::Debug for NamingMorsel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} of {}", self.morsel, self.name)
    }
}

impl Morsel for NamingMorsel {
    fn into_stream(self: Box<Self>) -> BoxStream<'static, Result<RecordBatch, DataFusionError>> {
        let Self { morsel, name } = *self;
        // After a panic nothing of the stream is used any more.
        let batches = AssertUnwindSafe(morsel.into_stream()).catch_unwind();
        batches
            .map(move |batch| match batch {
                Ok(batch) => batch.map_err(|error| named(error, &name)),
                Err(panic) => Err(damaged(&name, panic.as_ref()).into()),
            })
            .boxed()
    }
}

fn named(error: DataFusionError, file: &str) -> DataFusionError {
    let known = HandlerError::from(error);
    if known.message.contains(file) {
        return known.into();
    }
    HandlerError { message: format!("file {file}: {}", known.message), ..known }.into()
}

/// The error of a file whose decoding panicked.
pub(super) fn damaged(file: &str, panic: &(dyn Any + Send)) -> HandlerError {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason is known");
    HandlerError::corrupt(format!("file {file} is damaged: {text}; write it anew"))
}

/// Checks that a footer is as long as the last bytes of its file say.
pub(super) fn check_trailer(file: &ObjectMeta, trailer: &[u8]) -> Result<(), HandlerError> {
    let told = match trailer {
        [a, b, c, d, ..] => u64::from(u32::from_le_bytes([*a, *b, *c, *d])),
        _ => 0,
    };
    if told.saturating_add(TRAILER) > file.size {
        return Err(HandlerError::corrupt(format!(
            "file {} has {} bytes, its footer is said to have {told}; write it anew",
            file.location, file.size
        )));
    }
    Ok(())
}

/// The length of the footer and the magic word at the end of a file.
pub(super) const TRAILER: u64 = 8;

/// Whether a file has page indexes; they must lie in it.
pub(super) fn has_page_index(footer: &ParquetMetaData, file: &ObjectMeta) -> Result<bool, HandlerError> {
    let mut found = false;
    for (nth, group) in footer.row_groups().iter().enumerate() {
        for chunk in group.columns() {
            let places = [
                (chunk.column_index_offset(), chunk.column_index_length()),
                (chunk.offset_index_offset(), chunk.offset_index_length()),
            ];
            for (start, length) in places {
                let Some(start) = start else { continue };
                found = true;
                let end = start.checked_add(i64::from(length.unwrap_or(0)));
                let end = end.and_then(|end| u64::try_from(end).ok());
                if start < 0 || length.unwrap_or(0) < 0 || end.is_none_or(|end| end > file.size) {
                    return Err(HandlerError::corrupt(format!(
                        "column {}: file {}, row group {nth}: the page index lies outside of the file's {} bytes; \
                         write the file anew",
                        chunk.column_path().string(),
                        file.location,
                        file.size
                    )));
                }
            }
        }
    }
    Ok(found)
}
