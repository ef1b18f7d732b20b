//! Arrays as a file gives them, made into arrays as the table declares them.
//!
//! Fields are found by name at every level, through lists and maps; what the file lacks is NULL, what the table does not
//! ask for is left out. A value whose parent is NULL is NULL: below an optional group Parquet keeps no place for a
//! required field, and readers put any value there.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, ListArray, MapArray, StructArray, UInt32Array, new_null_array,
};
use datafusion::arrow::buffer::{NullBuffer, OffsetBuffer};
use datafusion::arrow::compute::{CastOptions, cast_with_options, nullif, take};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Fields};
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::row::{RowConverter, SortField};

/// No value is lost without a word.
const CHECKED: CastOptions<'static> =
    CastOptions { safe: false, format_options: datafusion::arrow::util::display::FormatOptions::new() };

/// Whether values can be taken as they are.
pub(super) fn is_identity(from: &Field, to: &Field) -> bool {
    from.data_type() == to.data_type() && !has_map(to.data_type())
}

/// Maps are looked through for keys that occur twice.
fn has_map(data_type: &DataType) -> bool {
    match data_type {
        DataType::Map(_, _) => true,
        DataType::List(element) => has_map(element.data_type()),
        DataType::Struct(fields) => fields.iter().any(|field| has_map(field.data_type())),
        _ => false,
    }
}

/// `array` with the type `to`.
pub(super) fn convert(array: &ArrayRef, to: &DataType) -> Result<ArrayRef, ArrowError> {
    match (array.data_type(), to) {
        (DataType::Struct(from), DataType::Struct(fields)) => {
            convert_struct(array.as_struct(), from, fields).map(|made| Arc::new(made) as ArrayRef)
        }
        (DataType::List(_), DataType::List(element)) => {
            let list = array.as_list::<i32>();
            let values = convert(list.values(), element.data_type())?;
            let made = ListArray::try_new(
                Arc::clone(element),
                list.offsets().clone(),
                values,
                list.nulls().cloned(),
            )?;
            Ok(Arc::new(made))
        }
        (DataType::Map(_, _), DataType::Map(entries, sorted)) => {
            convert_map(array.as_map(), entries, *sorted).map(|made| Arc::new(made) as ArrayRef)
        }
        (from, to) if from == to => Ok(Arc::clone(array)),
        _ => cast_with_options(array, to, &CHECKED),
    }
}

fn convert_struct(array: &StructArray, from: &Fields, to: &Fields) -> Result<StructArray, ArrowError> {
    let columns = to.iter().map(|field| {
        let Some((source, column)) =
            from.iter().zip(array.columns()).find(|(source, _)| source.name() == field.name())
        else {
            return Ok(new_null_array(field.data_type(), array.len()));
        };
        match array.nulls() {
            Some(nulls) if !source.is_nullable() => convert(&below(column, nulls)?, field.data_type()),
            _ => convert(column, field.data_type()),
        }
    });
    let columns = columns.collect::<Result<Vec<_>, ArrowError>>()?;
    StructArray::try_new_with_length(to.clone(), columns, array.nulls().cloned(), array.len())
}

/// A column with NULL wherever its parent is NULL.
fn below(column: &ArrayRef, parent: &NullBuffer) -> Result<ArrayRef, ArrowError> {
    if parent.null_count() == 0 {
        return Ok(Arc::clone(column));
    }
    nullif(column, &BooleanArray::new(!parent.inner(), None))
}

fn convert_map(array: &MapArray, to: &FieldRef, sorted: bool) -> Result<MapArray, ArrowError> {
    let DataType::Struct(parts) = to.data_type() else {
        return Err(ArrowError::SchemaError(format!(
            "the entries of a map are a struct, not {}",
            to.data_type()
        )));
    };
    let [key, value] = parts.as_ref() else {
        return Err(ArrowError::SchemaError("the entries of a map are a key and a value".into()));
    };
    let mut keys = convert(array.keys(), key.data_type())?;
    let mut values = match array.entries().columns().get(1) {
        Some(column) => convert(column, value.data_type())?,
        None => new_null_array(value.data_type(), keys.len()),
    };
    let mut offsets = array.offsets().clone();
    if let Some((kept, left)) = last_of_each_key(&keys, &offsets, array.nulls())? {
        keys = take(&keys, &kept, None)?;
        values = take(&values, &kept, None)?;
        offsets = left;
    }
    let entries = StructArray::try_new(parts.clone(), vec![keys, values], None)?;
    MapArray::try_new(Arc::clone(to), offsets, entries, array.nulls().cloned(), sorted)
}

/// The entries that stay where a key occurs twice in a map: the last one counts. None where no key does.
fn last_of_each_key(
    keys: &ArrayRef,
    offsets: &OffsetBuffer<i32>,
    nulls: Option<&NullBuffer>,
) -> Result<Option<(UInt32Array, OffsetBuffer<i32>)>, ArrowError> {
    let several = offsets.windows(2).any(|pair| matches!(pair, [start, end] if end - start > 1));
    if !several {
        return Ok(None);
    }
    let converter = RowConverter::new(vec![SortField::new(keys.data_type().clone())])?;
    let rows = converter.convert_columns(&[Arc::clone(keys)])?;
    let mut kept = Vec::with_capacity(keys.len());
    let mut left = vec![0_i32];
    let mut last: HashMap<&[u8], usize> = HashMap::new();
    let mut twice = false;
    for (map, pair) in offsets.windows(2).enumerate() {
        let [start, end] = pair else { continue };
        let entries = *start as usize..*end as usize;
        if nulls.is_none_or(|nulls| nulls.is_valid(map)) {
            last.clear();
            for entry in entries.clone() {
                twice |= last.insert(rows.row(entry).data(), entry).is_some();
            }
            kept.extend(
                entries
                    .filter(|entry| last.get(rows.row(*entry).data()) == Some(entry))
                    .map(|entry| entry as u32),
            );
        }
        left.push(kept.len() as i32);
    }
    Ok(twice.then(|| (UInt32Array::from(kept), OffsetBuffer::new(left.into()))))
}
