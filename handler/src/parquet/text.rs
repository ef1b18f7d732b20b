//! Message types as text: what `ostracon parquet schema` and `ostracon parquet clip` print.

use std::fs::File;
use std::path::Path;

use datafusion::arrow::datatypes::DataType;
use datafusion::parquet::errors::ParquetError;
use datafusion::parquet::file::metadata::{PageIndexPolicy, ParquetMetaDataReader};
use datafusion::parquet::schema::parser::parse_message_type;
use ostracon_parquet::{ClipError, Matching, Message, Reason, RequestedSchema, clip};

use super::options::MatchingOptions;
use crate::error::{ErrorKind, HandlerError, Result};
use crate::statement::data_type::read_type_name;

/// The message type of a file.
///
/// # Errors
/// `NotFound`; `Corrupt` if it is no Parquet file.
pub fn message_of_file(path: &Path) -> Result<String> {
    let shown = path.display();
    let file = File::open(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            HandlerError::new(ErrorKind::NotFound, format!("there is no file {shown}"))
        }
        _ => HandlerError::new(ErrorKind::Unavailable, format!("{shown} cannot be read: {error}")),
    })?;
    let footer = ParquetMetaDataReader::new()
        .with_page_index_policy(PageIndexPolicy::Skip)
        .parse_and_finish(&file)
        .map_err(|error| HandlerError::corrupt(format!("{shown} cannot be read as Parquet: {error}")))?;
    Ok(Message(footer.file_metadata().schema_descr().root_schema()).to_string())
}

/// A message type clipped to columns of DDL. `ids` are `PATH=N`, parted by commas.
///
/// # Errors
/// `Invalid` for a text that cannot be read, and where the type cannot be clipped.
pub fn clipped_message(
    message: &str,
    columns: &str,
    matching: Matching,
    ids: Option<&str>,
) -> Result<String> {
    let message = parse_message_type(message).map_err(|error| match error {
        ParquetError::General(what) => {
            HandlerError::invalid(format!("the message type cannot be read: {what}"))
        }
        other => HandlerError::invalid(format!("the message type cannot be read: {other}")),
    })?;
    let fields = match columns.trim() {
        "" => datafusion::arrow::datatypes::Fields::empty(),
        columns => match read_type_name(&format!("STRUCT<{columns}>"))? {
            DataType::Struct(fields) => fields,
            other => return Err(HandlerError::invalid(format!("{other} is no list of columns"))),
        },
    };
    let mut options = MatchingOptions::default();
    for pair in ids.unwrap_or_default().split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
        let known = pair.split_once('=').and_then(|(path, id)| Some((path.trim(), id.trim().parse().ok()?)));
        let (path, id) = known.ok_or_else(|| {
            HandlerError::invalid(format!("'{pair}' is no field id; write PATH=N, as s.a=7"))
        })?;
        options.field_ids.insert(path.to_owned(), id);
    }
    let requested = RequestedSchema::from_arrow(&options.with_field_ids(&fields)?);
    let clipped = clip(&message, &requested, matching).map_err(|error| clip_error(&error))?;
    Ok(Message(&clipped.message).to_string())
}

/// Why a type cannot be clipped, as an error of ours.
pub(super) fn clip_error(error: &ClipError) -> HandlerError {
    let text = match error.path.as_str() {
        "" => error.reason.to_string(),
        path => format!("column {path}: {}", error.reason),
    };
    match error.reason {
        Reason::Malformed(_) | Reason::Footer(_) => HandlerError::corrupt(text),
        Reason::Ambiguous(_) | Reason::AmbiguousId(..) | Reason::OtherKind { .. } => {
            HandlerError::invalid(text)
        }
    }
}
