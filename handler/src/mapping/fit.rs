//! Do the entries fit the columns? Counts, types, and cells that two entries would share.

use std::borrow::Cow;

use arrow::datatypes::DataType;
use ostracon_compare::{Encoding, NestedType, PrimitiveType};

use super::parse::Entry;
use super::{ColumnTarget, MappingError};

/// Checks parsed entries against the declared columns, from left to right.
pub(super) fn check(
    text: &str,
    entries: &[Entry],
    columns: &[(String, DataType)],
) -> Result<(), MappingError> {
    for (i, entry) in entries.iter().enumerate() {
        let fault = |message: String| MappingError { message, position: entry.position };
        let Some((column, data_type)) = columns.get(i) else {
            return Err(fault(format!(
                "{} entries for {} columns; there is no column for '{}'",
                entries.len(),
                columns.len(),
                entry.target
            )));
        };
        if let Err(wanted) = fits(&entry.target, data_type) {
            return Err(fault(format!(
                "column '{column}' of type {data_type} cannot be '{}': {wanted}",
                entry.target
            )));
        }
        for (other, (earlier, _)) in entries.iter().take(i).zip(columns) {
            if let Some(clash) = clash(&other.target, &entry.target) {
                return Err(fault(format!("the columns '{earlier}' and '{column}' {clash}")));
            }
        }
    }
    match columns.get(entries.len()) {
        None => Ok(()),
        Some((column, _)) => Err(MappingError {
            message: format!(
                "{} entries for {} columns; column '{column}' and what follows have none",
                entries.len(),
                columns.len()
            ),
            position: text.len(),
        }),
    }
}

fn is_primitive(data_type: &DataType) -> bool {
    PrimitiveType::from_arrow(data_type).is_some()
}

/// Whether values of the type can stand behind the target; if not, what is wanted.
fn fits(target: &ColumnTarget, data_type: &DataType) -> Result<(), Cow<'static, str>> {
    match target {
        ColumnTarget::Cell { encoding: Encoding::Native, .. } if data_type.is_nested() => {
            Ok(NestedType::from_arrow(data_type).map(drop)?)
        }
        ColumnTarget::Cell { .. } if data_type.is_nested() => Err(match data_type {
            DataType::Map(..) => {
                "a MAP is either an entry that ends in *, with a cell for each key, or one native cell; \
                     write * or #n behind the entry"
            }
            _ => "a cell holds nested values in native encoding only; write #n behind the entry",
        }
        .into()),
        _ => fits_plain(target, data_type).map_err(Cow::Borrowed),
    }
}

/// [`fits`], for all but nested values of one cell.
fn fits_plain(target: &ColumnTarget, data_type: &DataType) -> Result<(), &'static str> {
    match (target, data_type) {
        (ColumnTarget::RowId { .. }, DataType::Struct(fields)) => {
            let plain = !fields.is_empty() && fields.iter().all(|field| is_primitive(field.data_type()));
            if plain { Ok(()) } else { Err("a struct is a row id only if its fields are plain values") }
        }
        (ColumnTarget::Map { .. }, DataType::Map(entries, _)) => match entries.data_type() {
            DataType::Struct(pair) if pair.iter().all(|field| is_primitive(field.data_type())) => Ok(()),
            _ => Err("the keys and values of a map must be plain values, each value is one cell"),
        },
        (ColumnTarget::Map { .. }, _) => {
            Err("an entry that ends in * needs a MAP column; write \\* for a bare star")
        }
        (ColumnTarget::RowId { .. } | ColumnTarget::Cell { .. }, plain) if is_primitive(plain) => Ok(()),
        (ColumnTarget::RowId { .. } | ColumnTarget::Cell { .. }, _) => Err(
            "the store has no encoding for this type; use a number, boolean, text, bytes, date, time or timestamp",
        ),
        (ColumnTarget::Timestamp, DataType::Int64 | DataType::Timestamp(..)) => Ok(()),
        (ColumnTarget::Timestamp, _) => {
            Err(":timestamp is a BIGINT (milliseconds since 1970) or a TIMESTAMP")
        }
        (ColumnTarget::Visibility, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View) => Ok(()),
        (ColumnTarget::Visibility, _) => Err(":visibility is a VARCHAR"),
    }
}

/// Why two targets cannot be in one table, if they cannot.
fn clash(earlier: &ColumnTarget, later: &ColumnTarget) -> Option<&'static str> {
    match (earlier, later) {
        (ColumnTarget::RowId { .. }, ColumnTarget::RowId { .. }) => Some(
            "are both :rowid; a row has one id (a STRUCT column with 'composite.rowid' may hold several parts)",
        ),
        (ColumnTarget::Timestamp, ColumnTarget::Timestamp) => Some("are both :timestamp; one is enough"),
        (ColumnTarget::Visibility, ColumnTarget::Visibility) => Some("are both :visibility; one is enough"),
        (
            ColumnTarget::Cell { family: a, qualifier: x, .. },
            ColumnTarget::Cell { family: b, qualifier: y, .. },
        ) if a == b && x == y => Some("name the same cell; a cell has one column"),
        (ColumnTarget::Map { family: a, prefix: x, .. }, ColumnTarget::Map { family: b, prefix: y, .. })
            if a == b && (x.starts_with(y) || y.starts_with(x)) =>
        {
            Some("are maps over the same cells; give them prefixes of which none starts with the other")
        }
        (ColumnTarget::Map { family: a, prefix, .. }, ColumnTarget::Cell { family: b, qualifier, .. })
        | (ColumnTarget::Cell { family: b, qualifier, .. }, ColumnTarget::Map { family: a, prefix, .. })
            if a == b && qualifier.starts_with(prefix) =>
        {
            Some("share a cell: the map's prefix covers the other's qualifier; use another prefix")
        }
        _ => None,
    }
}
