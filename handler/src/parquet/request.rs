//! [`Request`]: what a table or a query asks of a file, and the footer that answers it.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use datafusion::arrow::datatypes::Fields;
use datafusion::object_store::ObjectMeta;
use datafusion::object_store::path::Path;
use datafusion::parquet::arrow::parquet_to_arrow_schema;
use datafusion::parquet::file::metadata::{FileMetaData, ParquetMetaData, ParquetMetaDataBuilder};
use ostracon_parquet::{
    ClipError, ClippedFooter, FIELD_ID, Matching, Reason, RequestedField, RequestedSchema, RequestedType,
};
use parking_lot::Mutex;

use super::access::ColumnAccess;
use super::widen::{Refusal, check_fields};
use crate::error::{HandlerError, Result};

/// The columns that are asked for, and how they are found.
#[derive(Debug, Clone)]
pub(super) struct Request {
    columns: Fields,
    case_sensitive: bool,
    /// The types that a writer noted for programs on Arrow count.
    noted_types: bool,
    /// What requests of parts of these columns share.
    clipped: Arc<ClippedFooters>,
}

/// Clipped footers by file and by what was asked of it, each with the footer that it was made of.
type ClippedFooters = Mutex<HashMap<(Path, Fields), (Arc<ParquetMetaData>, Arc<ParquetMetaData>)>>;

/// Footers kept at a time: a scan of more files clips some of them once a partition.
const KEPT_FOOTERS: usize = 4096;

impl Request {
    /// A request of columns; field ids are Arrow metadata of their fields.
    pub(super) fn new(columns: Fields, case_sensitive: bool) -> Self {
        Self { columns, case_sensitive, noted_types: false, clipped: Arc::default() }
    }

    /// A request that will be made of what the files have.
    pub(super) fn inferring(case_sensitive: bool) -> Self {
        Self::new(Fields::empty(), case_sensitive)
    }

    /// The same for columns that were taken from the files, with the types that their writers noted.
    pub(super) fn with_noted_types(self) -> Self {
        Self { noted_types: true, ..self }
    }

    pub(super) fn case_sensitive(&self) -> bool {
        self.case_sensitive
    }

    /// Whether columns at the top are found by field ids.
    pub(super) fn has_field_ids(&self) -> bool {
        self.columns.iter().any(|column| column.metadata().contains_key(FIELD_ID))
    }

    /// The request of some of the columns.
    pub(super) fn only(&self, names: &BTreeSet<String>) -> Self {
        let columns = self.columns.iter().filter(|column| names.contains(column.name())).cloned().collect();
        Self { columns, ..self.clone() }
    }

    /// The request of no more than is looked at.
    pub(super) fn narrow(&self, access: &ColumnAccess) -> Self {
        Self { columns: access.narrow(&self.columns), ..self.clone() }
    }

    /// A column that nobody asks for. Of a file that has nothing of what is asked, it stands for the places of the row
    /// groups: scans that share a file find their groups by its first column.
    fn anchor(&self, footer: &ParquetMetaData) -> Option<RequestedSchema> {
        let spare = footer.file_metadata().schema().get_fields().iter().find(|field| {
            self.columns.iter().all(|column| column.name().to_lowercase() != field.name().to_lowercase())
        })?;
        Some(RequestedSchema { fields: vec![RequestedField::new(spare.name(), RequestedType::Whole)] })
    }

    /// As [`Request::clip`], once for each footer.
    pub(super) fn clipped(
        &self,
        footer: &Arc<ParquetMetaData>,
        file: &ObjectMeta,
    ) -> Result<Arc<ParquetMetaData>> {
        let key = (file.location.clone(), self.columns.clone());
        if let Some((made_of, clipped)) = self.clipped.lock().get(&key)
            && Arc::ptr_eq(made_of, footer)
        {
            return Ok(Arc::clone(clipped));
        }
        let clipped = self.clip(footer, file)?;
        let mut known = self.clipped.lock();
        if known.len() >= KEPT_FOOTERS {
            known.clear();
        }
        known.insert(key, (Arc::clone(footer), Arc::clone(&clipped)));
        Ok(clipped)
    }

    /// The footer of a file that has what is asked for and nothing else.
    pub(super) fn clip(&self, footer: &ParquetMetaData, file: &ObjectMeta) -> Result<Arc<ParquetMetaData>> {
        checked_rows(footer, file)?;
        let matching = if self.case_sensitive { Matching::Exact } else { Matching::CaseInsensitive };
        let requested = RequestedSchema::from_arrow(&self.columns);
        let of_file = |error: ClipError| unfit(&error, file.location.as_ref());
        let mut clipped = ClippedFooter::new(footer, &requested, matching).map_err(of_file)?;
        if clipped.clipped.leaves.is_empty()
            && let Some(anchor) = self.anchor(footer)
        {
            // The file is fit to be read without it.
            clipped = ClippedFooter::new(footer, &anchor, Matching::Exact).unwrap_or(clipped);
        }
        let ClippedFooter { metadata, clipped } = clipped;
        for leaf in &clipped.leaves {
            check_chunks(footer, *leaf, file)?;
        }
        let clipped = if self.noted_types { metadata } else { without_noted_types(metadata) };
        let clipped_file = clipped.file_metadata();
        let given = parquet_to_arrow_schema(clipped_file.schema_descr(), clipped_file.key_value_metadata())
            .map_err(|error| HandlerError::corrupt(format!("file {}: {error}", file.location)))?;
        check_fields(given.fields(), &self.columns).map_err(|refusal| refused(&refusal, &file.location))?;
        Ok(Arc::new(clipped))
    }
}

/// A file that does not fit, or is no good.
pub(super) fn unfit(error: &ClipError, file: &str) -> HandlerError {
    let message = match error.path.is_empty() {
        true => format!("file {file}: {}", error.reason),
        false => format!("column {}: file {file}: {}", error.path, error.reason),
    };
    match error.reason {
        Reason::Ambiguous(_) | Reason::AmbiguousId(..) | Reason::OtherKind { .. } => {
            HandlerError::invalid(message)
        }
        Reason::Malformed(_) | Reason::Footer(_) => HandlerError::corrupt(message),
    }
}

/// For declared columns values are read as what the file gives, and then made what the table declares: a number is a
/// number, whatever a writer noted for programs on Arrow.
fn without_noted_types(footer: ParquetMetaData) -> ParquetMetaData {
    let file = footer.file_metadata();
    let plain = FileMetaData::new(
        file.version(),
        file.num_rows(),
        file.created_by().map(str::to_owned),
        None,
        file.schema_descr_ptr(),
        file.column_orders().cloned(),
    );
    let mut known = footer.into_builder();
    let (column_index, offset_index) = (known.take_column_index(), known.take_offset_index());
    ParquetMetaDataBuilder::new(plain)
        .set_row_groups(known.take_row_groups())
        .set_column_index(column_index)
        .set_offset_index(offset_index)
        .build()
}

/// Readers trust what a footer says of a column's chunks.
fn check_chunks(footer: &ParquetMetaData, leaf: usize, file: &ObjectMeta) -> Result<()> {
    for (nth, group) in footer.row_groups().iter().enumerate() {
        let fault = |what: String| {
            let path = footer.file_metadata().schema_descr().column(leaf).path().string();
            let message = format!(
                "column {path}: file {}, row group {nth}: {what}; write the file anew",
                file.location
            );
            Err(HandlerError::corrupt(message))
        };
        let Some(chunk) = group.columns().get(leaf) else { return fault("there are no data".to_owned()) };
        let start = chunk.dictionary_page_offset().unwrap_or(chunk.data_page_offset());
        let end = start.checked_add(chunk.compressed_size()).and_then(|end| u64::try_from(end).ok());
        let negative = start < 0 || chunk.data_page_offset() < 0 || chunk.compressed_size() < 0;
        if negative || end.is_none_or(|end| end > file.size) {
            return fault(format!("the data lie outside of the file's {} bytes", file.size));
        }
        let (values, rows) = (chunk.num_values(), group.num_rows());
        if chunk.column_descr().max_rep_level() == 0 && values != rows {
            return fault(format!("there are {values} values for {rows} rows"));
        }
    }
    Ok(())
}

fn refused(refusal: &Refusal, location: &Path) -> HandlerError {
    let Refusal { path, from, to } = refusal;
    HandlerError::invalid(format!(
        "column {path}: file {location} has {}, which cannot be read as {} without loss; declare a type that holds both",
        crate::statement::sql_type_name(from),
        crate::statement::sql_type_name(to),
    ))
}

/// The number of rows that the row groups of a file hold, if its footer agrees.
pub(super) fn checked_rows(footer: &ParquetMetaData, file: &ObjectMeta) -> Result<usize> {
    let counted = footer.row_groups().iter().try_fold(0_i64, |sum, group| sum.checked_add(group.num_rows()));
    let told = footer.file_metadata().num_rows();
    match counted.and_then(|rows| usize::try_from(rows).ok()) {
        Some(rows) if i64::try_from(rows) == Ok(told) => Ok(rows),
        _ => Err(HandlerError::corrupt(format!(
            "file {}: the footer tells of {told} rows, its row groups of {}; write the file anew",
            file.location,
            counted.unwrap_or_default()
        ))),
    }
}
