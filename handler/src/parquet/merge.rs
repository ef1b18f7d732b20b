//! One schema for files that differ.
//!
//! Columns come in the order in which the files, sorted by name, bring them, at every level. A field that some files lack
//! is NULL there. Where types differ, the wider one counts ([`super::widen::common`]); types that have no common one are
//! refused. How a file writes lists and maps makes no difference.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Fields};
use datafusion::parquet::arrow::parquet_to_arrow_schema;
use datafusion::parquet::file::metadata::ParquetMetaData;
use ostracon_parquet::{ClippedFooter, Matching};

use super::request::unfit;
use super::widen::common;
use crate::error::{HandlerError, Result};
use crate::statement::data_type::map_of;

/// The columns of all files of a table.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Merged {
    pub(super) columns: Fields,
    /// Whether the columns find their files only by the names as written.
    pub(super) case_sensitive: bool,
}

/// The columns of files, each with its name. Names that differ by case only are one column, unless some file has two
/// such: then every name stands for itself.
pub(super) fn merged(footers: &[(String, Arc<ParquetMetaData>)], case_sensitive: bool) -> Result<Merged> {
    let mut files = Vec::with_capacity(footers.len());
    for (file, footer) in footers {
        files.push((file.as_str(), columns_of(file, footer)?));
    }
    let case_sensitive = case_sensitive || files.iter().any(|(_, columns)| clash(columns));
    let mut merging = Merging { case_sensitive, first: "" };
    let mut columns = Fields::empty();
    for (file, fields) in &files {
        if merging.first.is_empty() {
            merging.first = file;
            columns = fields.clone();
        } else {
            columns = merging.fields("", &columns, fields, file)?;
        }
    }
    Ok(Merged { columns, case_sensitive })
}

/// The columns that a file gives, in the table's own words: everything may be NULL, lists have items, maps have entries.
fn columns_of(file: &str, footer: &ParquetMetaData) -> Result<Fields> {
    let whole = ostracon_parquet::whole(footer.file_metadata().schema());
    // In the standard form, so that every flavour of lists and maps reads as what it is.
    let footer = ClippedFooter::new(footer, &whole, Matching::Exact).map_err(|error| unfit(&error, file))?;
    let metadata = footer.metadata.file_metadata();
    let corrupt = |error| HandlerError::corrupt(format!("file {file}: {error}"));
    let plain = parquet_to_arrow_schema(metadata.schema_descr(), None).map_err(corrupt)?;
    let hinted =
        parquet_to_arrow_schema(metadata.schema_descr(), metadata.key_value_metadata()).map_err(corrupt)?;
    Ok(plain.fields().iter().zip(hinted.fields()).map(|(plain, hinted)| standard(plain, hinted)).collect())
}

/// A field as the table names its parts, of the types that the writer noted; how long lists may be is not kept.
fn standard(plain: &Field, hinted: &Field) -> FieldRef {
    Arc::new(Field::new(plain.name(), standard_type(plain.data_type(), hinted.data_type()), true))
}

fn standard_type(plain: &DataType, hinted: &DataType) -> DataType {
    match (plain, hinted) {
        (DataType::Struct(fields), DataType::Struct(hints)) if fields.len() == hints.len() => {
            DataType::Struct(fields.iter().zip(hints).map(|(field, hint)| standard(field, hint)).collect())
        }
        (DataType::Struct(fields), _) => {
            DataType::Struct(fields.iter().map(|field| standard(field, field)).collect())
        }
        (DataType::List(element), hinted) => {
            let hint = match hinted {
                DataType::List(hint) | DataType::LargeList(hint) | DataType::FixedSizeList(hint, _) => hint,
                _ => element,
            };
            list_of(standard_type(element.data_type(), hint.data_type()))
        }
        (DataType::Map(entries, _), hinted) => {
            let hints = match hinted {
                DataType::Map(hints, _) => hints,
                _ => entries,
            };
            match (pair(entries), pair(hints)) {
                (Some((key, value)), Some((key_hint, value_hint))) => map_of(
                    standard_type(key.data_type(), key_hint.data_type()),
                    standard_type(value.data_type(), value_hint.data_type()),
                    true,
                ),
                _ => plain.clone(),
            }
        }
        (plain, hinted) if !plain.is_nested() && !hinted.is_nested() => hinted.clone(),
        _ => plain.clone(),
    }
}

fn list_of(element: DataType) -> DataType {
    DataType::List(Arc::new(Field::new_list_field(element, true)))
}

/// Key and value of a map's entries.
fn pair(entries: &Field) -> Option<(&FieldRef, &FieldRef)> {
    match entries.data_type() {
        DataType::Struct(fields) => match fields.as_ref() {
            [key, value] => Some((key, value)),
            _ => None,
        },
        _ => None,
    }
}

/// Whether two fields of one struct differ by case only.
fn clash(fields: &Fields) -> bool {
    let mut names: Vec<String> = fields.iter().map(|field| field.name().to_lowercase()).collect();
    names.sort_unstable();
    names.windows(2).any(|two| two.first() == two.last())
        || fields.iter().any(|field| clash_within(field.data_type()))
}

fn clash_within(data_type: &DataType) -> bool {
    match data_type {
        DataType::Struct(fields) => clash(fields),
        DataType::List(inner) | DataType::Map(inner, _) => clash_within(inner.data_type()),
        _ => false,
    }
}

struct Merging<'f> {
    case_sensitive: bool,
    /// The file that what is known so far starts with.
    first: &'f str,
}

impl Merging<'_> {
    fn same(&self, left: &str, right: &str) -> bool {
        left == right || !self.case_sensitive && left.to_lowercase() == right.to_lowercase()
    }

    fn fields(&self, parent: &str, known: &Fields, more: &Fields, file: &str) -> Result<Fields> {
        let mut made: Vec<FieldRef> = known.iter().cloned().collect();
        for field in more {
            let path =
                if parent.is_empty() { field.name().clone() } else { format!("{parent}.{}", field.name()) };
            match made.iter_mut().find(|other| self.same(other.name(), field.name())) {
                Some(other) => {
                    let data_type = self.types(&path, other.data_type(), field.data_type(), file)?;
                    *other = Arc::new(other.as_ref().clone().with_data_type(data_type));
                }
                None => made.push(Arc::clone(field)),
            }
        }
        Ok(made.into())
    }

    fn types(&self, path: &str, known: &DataType, more: &DataType, file: &str) -> Result<DataType> {
        match (known, more) {
            (DataType::Struct(known), DataType::Struct(more)) => {
                Ok(DataType::Struct(self.fields(path, known, more, file)?))
            }
            (DataType::List(known), DataType::List(more)) => {
                let path = format!("{path}.element");
                Ok(list_of(self.types(&path, known.data_type(), more.data_type(), file)?))
            }
            (DataType::Map(known, _), DataType::Map(more, _)) => match (pair(known), pair(more)) {
                (Some((key, value)), Some((more_key, more_value))) => {
                    let of = |name: &str, known: &Field, more: &Field| {
                        self.types(&format!("{path}.{name}"), known.data_type(), more.data_type(), file)
                    };
                    Ok(map_of(of("key", key, more_key)?, of("value", value, more_value)?, true))
                }
                _ => Err(self.refused(path, known.data_type(), more.data_type(), file)),
            },
            _ => common(known, more).ok_or_else(|| self.refused(path, known, more, file)),
        }
    }

    fn refused(&self, path: &str, known: &DataType, more: &DataType, file: &str) -> HandlerError {
        HandlerError::invalid(format!(
            "column {path}: file {file} has {}, the files from {} on have {}, and no type holds both; declare the \
             table's columns and leave this one out, or make two tables",
            crate::statement::sql_type_name(more),
            self.first,
            crate::statement::sql_type_name(known),
        ))
    }
}
