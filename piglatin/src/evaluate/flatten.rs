//! FLATTEN (N27, N43).

use crate::logical::Flatten;
use crate::types::PigType;
use crate::value::Value;

/// The value of one item of a GENERATE.
#[derive(Debug)]
pub struct FlattenItem<'a> {
    /// The value.
    pub value: Value,
    /// Its type, which tells how many nulls a null is.
    pub ty: &'a PigType,
    /// Without, the value is one field.
    pub flatten: Option<&'a Flatten>,
}

/// The rows of one GENERATE: every combination of what the items become.
///
/// A bag becomes a row for each tuple, an empty one none; a map a row for each entry, key and value; a tuple its fields;
/// any other value itself. Null becomes nulls: as many as the tuples of its type have fields (one if that is not known),
/// of a map two. Where the item has a width, each of its rows is filled with nulls or cut.
#[must_use]
pub fn flatten_rows(items: Vec<FlattenItem<'_>>) -> Vec<Vec<Value>> {
    let mut rows = vec![Vec::with_capacity(items.len())];
    for item in items {
        let mut choices = choices(item);
        if let [only] = choices.as_mut_slice() {
            // The last row takes what all others copy.
            if let Some((last, others)) = rows.split_last_mut() {
                others.iter_mut().for_each(|row| row.extend_from_slice(only));
                last.append(only);
            }
            continue;
        }
        rows = rows
            .iter()
            .flat_map(|row| choices.iter().map(move |choice| [row.as_slice(), choice.as_slice()].concat()))
            .collect();
    }
    rows
}

fn choices(item: FlattenItem<'_>) -> Vec<Vec<Value>> {
    let FlattenItem { value, ty, flatten } = item;
    let Some(flatten) = flatten else { return vec![vec![value]] };
    let mut rows = match value {
        Value::Null => vec![nulls(ty)],
        Value::Tuple(fields) => vec![fields],
        Value::Bag(items) => items
            .into_iter()
            .map(|item| match item {
                Value::Tuple(fields) => fields,
                _ => nulls(ty),
            })
            .collect(),
        Value::Map(entries) => {
            entries.into_iter().map(|(key, value)| vec![Value::Chararray(key), value]).collect()
        }
        other => vec![vec![other]],
    };
    if let Some(width) = flatten.width {
        rows.iter_mut().for_each(|row| row.resize(width, Value::Null));
    }
    rows
}

fn nulls(ty: &PigType) -> Vec<Value> {
    let width = match ty {
        PigType::Map(_) => 2,
        PigType::Tuple(Some(schema)) | PigType::Bag { fields: Some(schema), .. } => {
            schema.fields.len().max(1)
        }
        _ => 1,
    };
    vec![Value::Null; width]
}
