//! Columns of a file in the types of a table's, each value as it is or not at all.
//!
//! Nested types are gone through part by part: fields of structs are matched by name, as columns are, and one that a file
//! lacks is NULL.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, ListArray, MapArray, StructArray, UInt64Array, new_null_array,
};
use arrow::buffer::BooleanBuffer;
use arrow::compute::kernels::cmp::not_distinct;
use arrow::compute::{CastOptions, can_cast_types, cast_with_options, take};
use arrow::datatypes::{DataType, Field, FieldRef, Fields, Schema};
use arrow::error::ArrowError;

use super::columns::find_column;
use super::text;
use crate::definition::map_parts;

/// Refuses a column whose values cannot become those of a type, naming the part that cannot.
pub(super) fn refuse_misfit(path: &str, from: &DataType, to: &DataType) -> Result<(), String> {
    let cannot = || {
        Err(format!(
            "column {path} is {}, which cannot become {}",
            text::type_name(from),
            text::type_name(to)
        ))
    };
    match (from, to) {
        (DataType::Struct(from), DataType::Struct(to)) => {
            let target = Schema::new(to.clone());
            let mut taken = Vec::new();
            for field in from {
                let name = field.name();
                let Some(place) = find_column(&target, name) else {
                    let known = text::type_name(&DataType::Struct(to.clone()));
                    return Err(format!(
                        "column {path} has a field {name}, and the table's {known} has none"
                    ));
                };
                if taken.contains(&place) {
                    return Err(format!("column {path} has the field {name} twice, written alike or not"));
                }
                taken.push(place);
                let to = target.field(place).data_type();
                refuse_misfit(&format!("{path}.{name}"), field.data_type(), to)?;
            }
            Ok(())
        }
        (DataType::Map(from, _), DataType::Map(to, _)) => match (map_parts(from), map_parts(to)) {
            (Some((from_key, from_value)), Some((to_key, to_value))) => {
                refuse_misfit(&format!("{path}.key"), from_key, to_key)?;
                refuse_misfit(&format!("{path}.value"), from_value, to_value)
            }
            _ => cannot(),
        },
        (from_list, DataType::List(to)) => match item_of(from_list) {
            Some(from) => refuse_misfit(&format!("{path}.element"), from.data_type(), to.data_type()),
            None => cannot(),
        },
        (_, to) if to.is_nested() => cannot(),
        (from, to) if from == to || can_cast_types(from, to) => Ok(()),
        _ => cannot(),
    }
}

fn item_of(list: &DataType) -> Option<&FieldRef> {
    match list {
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _) => Some(item),
        _ => None,
    }
}

/// A column in the wanted type, and for each row whether its value came over unchanged.
pub(super) fn fit(column: &ArrayRef, field: &Field) -> Result<(ArrayRef, BooleanArray), ArrowError> {
    let (fitted, fits) = fit_values(column, field.data_type())?;
    let fits = (0..column.len()).map(|row| match column.is_null(row) {
        true => field.is_nullable(),
        false => fits.value(row),
    });
    Ok((fitted, BooleanArray::new(BooleanBuffer::from_iter(fits), None)))
}

/// The values in the wanted type, and which of them came over; NULL always does.
fn fit_values(array: &ArrayRef, wanted: &DataType) -> Result<(ArrayRef, BooleanBuffer), ArrowError> {
    match wanted {
        DataType::Struct(fields) => fit_structs(array, fields),
        DataType::List(item) => fit_lists(array, item),
        DataType::Map(entries, sorted) => fit_maps(array, entries, *sorted),
        plain => fit_plain(array, plain),
    }
}

fn fit_plain(array: &ArrayRef, wanted: &DataType) -> Result<(ArrayRef, BooleanBuffer), ArrowError> {
    let safe = CastOptions { safe: true, ..CastOptions::default() };
    let fitted = cast_with_options(array, wanted, &safe)?;
    let unchanged = match checks_by_return(array.data_type(), wanted) {
        true => Some(not_distinct(&cast_with_options(&fitted, array.data_type(), &safe)?, array)?),
        false => None,
    };
    let fits = (0..array.len()).map(|row| {
        array.is_null(row) || (!fitted.is_null(row) && unchanged.as_ref().is_none_or(|same| same.value(row)))
    });
    let fits = BooleanBuffer::from_iter(fits);
    Ok((fitted, fits))
}

fn fit_structs(array: &ArrayRef, fields: &Fields) -> Result<(ArrayRef, BooleanBuffer), ArrowError> {
    let found = array.as_struct_opt().ok_or_else(|| misfit(array, &DataType::Struct(fields.clone())))?;
    let target = Schema::new(fields.clone());
    let mut parts: Vec<Option<ArrayRef>> = vec![None; fields.len()];
    let mut fits = BooleanBuffer::new_set(array.len());
    for (field, part) in found.fields().iter().zip(found.columns()) {
        let place = find_column(&target, field.name());
        let place = place.ok_or_else(|| misfit(array, &DataType::Struct(fields.clone())))?;
        let (fitted, good) = fit_values(part, target.field(place).data_type())?;
        fits = &fits & &good;
        if let Some(slot) = parts.get_mut(place) {
            *slot = Some(fitted);
        }
    }
    // What lies behind a NULL is not looked at.
    if let Some(nulls) = found.nulls() {
        fits = &fits | &!nulls.inner();
    }
    let parts = parts
        .into_iter()
        .zip(fields)
        .map(|(part, field)| part.unwrap_or_else(|| new_null_array(field.data_type(), array.len())));
    let fitted = StructArray::try_new(fields.clone(), parts.collect(), found.nulls().cloned())?;
    Ok((Arc::new(fitted), fits))
}

fn fit_lists(array: &ArrayRef, item: &FieldRef) -> Result<(ArrayRef, BooleanBuffer), ArrowError> {
    let wanted = || DataType::List(Arc::clone(item));
    let from = item_of(array.data_type()).ok_or_else(|| misfit(array, &wanted()))?;
    // Lists of every form as one, with their elements as they are.
    let lists = cast_with_options(array, &DataType::List(Arc::clone(from)), &CastOptions::default())?;
    let lists = lists.as_list_opt::<i32>().ok_or_else(|| misfit(array, &wanted()))?;
    let (items, good) = fit_values(lists.values(), item.data_type())?;
    let fits = all_of_each(lists.value_offsets(), &good, lists);
    let fitted =
        ListArray::try_new(Arc::clone(item), lists.offsets().clone(), items, lists.nulls().cloned())?;
    Ok((Arc::new(fitted), fits))
}

fn fit_maps(
    array: &ArrayRef,
    entries: &FieldRef,
    sorted: bool,
) -> Result<(ArrayRef, BooleanBuffer), ArrowError> {
    let wanted = || DataType::Map(Arc::clone(entries), sorted);
    let maps = array.as_map_opt().ok_or_else(|| misfit(array, &wanted()))?;
    let DataType::Struct(pair) = entries.data_type() else { return Err(misfit(array, &wanted())) };
    let [key, value] = pair.as_ref() else { return Err(misfit(array, &wanted())) };
    let (keys, good_keys) = fit_values(maps.keys(), key.data_type())?;
    let (values, good_values) = fit_values(maps.values(), value.data_type())?;
    let fits = all_of_each(maps.value_offsets(), &(&good_keys & &good_values), maps);
    if keys.null_count() > 0 && fits.count_set_bits() < fits.len() {
        // No map has a key that is NULL: those that do not fit become NULL as a whole.
        let places = (0..array.len()).map(|row| fits.value(row).then_some(row as u64));
        let kept = take(array, &UInt64Array::from_iter(places), None)?;
        return Ok((fit_maps(&kept, entries, sorted)?.0, fits));
    }
    let pairs = StructArray::try_new(pair.clone(), vec![keys, values], None)?;
    let fitted =
        MapArray::try_new(Arc::clone(entries), maps.offsets().clone(), pairs, maps.nulls().cloned(), sorted)?;
    Ok((Arc::new(fitted), fits))
}

/// For each row whether all entries between its offsets are good.
fn all_of_each(offsets: &[i32], good: &BooleanBuffer, rows: &dyn Array) -> BooleanBuffer {
    let place = |offset: i32| usize::try_from(offset).unwrap_or(0);
    let spans = offsets.iter().zip(offsets.iter().skip(1)).enumerate();
    spans
        .map(|(row, (start, end))| {
            let mut entries = place(*start)..place(*end);
            rows.is_null(row) || entries.all(|entry| entry < good.len() && good.value(entry))
        })
        .collect()
}

fn misfit(array: &ArrayRef, wanted: &DataType) -> ArrowError {
    let (from, to) = (text::type_name(array.data_type()), text::type_name(wanted));
    ArrowError::CastError(format!("{from} cannot become {to}"))
}

/// Whether a cast between the types may lose something that it does not report. Text reports what it cannot parse.
fn checks_by_return(from: &DataType, to: &DataType) -> bool {
    let numeric = |ty: &DataType| ty.is_numeric() || ty.is_temporal();
    from != to && numeric(from) && numeric(to) && !(from.is_floating() && to.is_floating())
}

#[cfg(test)]
mod tests;
