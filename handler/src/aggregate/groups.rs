//! [`GroupTable`]: the groups that were met, numbered in the order in which they came.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, BinaryArray, BooleanArray, StringArray};
use datafusion::arrow::datatypes::DataType;
use ostracon_compare::ScalarRef;

use super::kernel::Refusal;
use super::numbers::{self, Numbers};
use crate::error::{HandlerError, Result};

/// The most groups that are kept. Beyond it DataFusion's own aggregation, which can spill, is the better place.
pub(super) const MOST_GROUPS: usize = 1 << 14;

/// A value of a column that rows are grouped by; `None` is NULL, a group like others.
pub(super) type Key = Option<Value>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    Number(i128),
    Bytes(Box<[u8]>),
}

/// The values of one column, numbered.
#[derive(Debug)]
struct KeyColumn {
    data_type: DataType,
    null: Option<u32>,
    numbers: HashMap<i128, u32>,
    bytes: HashMap<Box<[u8]>, u32>,
    keys: Vec<Key>,
}

/// The groups of an aggregate.
#[derive(Debug)]
pub(super) struct GroupTable {
    columns: Vec<KeyColumn>,
    by_codes: HashMap<Box<[u32]>, u32>,
    groups: Vec<Box<[u32]>>,
    most: usize,
}

/// Whether rows can be grouped by values of the type.
pub(super) fn is_key(data_type: &DataType) -> bool {
    match data_type {
        DataType::Utf8 | DataType::Binary | DataType::Boolean => true,
        // Which zero and which NaN stands for the others is not ours to say.
        DataType::Float32 | DataType::Float64 => false,
        other => numbers::is_number(other),
    }
}

impl KeyColumn {
    fn new(data_type: DataType) -> Self {
        Self { data_type, null: None, numbers: HashMap::new(), bytes: HashMap::new(), keys: Vec::new() }
    }

    fn code_of_null(&mut self) -> u32 {
        let keys = &mut self.keys;
        *self.null.get_or_insert_with(|| numbered(keys, None))
    }

    fn code_of_number(&mut self, number: i128) -> u32 {
        let keys = &mut self.keys;
        *self.numbers.entry(number).or_insert_with(|| numbered(keys, Some(Value::Number(number))))
    }

    fn code_of_bytes(&mut self, bytes: &[u8]) -> u32 {
        if let Some(code) = self.bytes.get(bytes) {
            return *code;
        }
        let code = numbered(&mut self.keys, Some(Value::Bytes(bytes.into())));
        self.bytes.insert(bytes.into(), code);
        code
    }

    /// The codes of an array's values.
    fn codes(&mut self, array: &ArrayRef) -> Result<Vec<u32>> {
        let rows = 0..array.len();
        Ok(match array.data_type() {
            DataType::Utf8 => {
                let texts = array.as_string::<i32>().iter();
                texts
                    .map(|text| self.code(text, |column, text| column.code_of_bytes(text.as_bytes())))
                    .collect()
            }
            DataType::Binary => {
                let values = array.as_binary::<i32>().iter();
                values.map(|bytes| self.code(bytes, Self::code_of_bytes)).collect()
            }
            DataType::Boolean => {
                let values = array.as_boolean().iter();
                values
                    .map(|value| self.code(value, |column, value| column.code_of_number(value.into())))
                    .collect()
            }
            _ => {
                let numbers = Numbers::read(array)?
                    .map_err(|_| HandlerError::internal("rows are not grouped by floats"))?;
                let number = |row: usize| if array.is_null(row) { None } else { numbers.get(row) };
                rows.map(|row| self.code(number(row), Self::code_of_number)).collect()
            }
        })
    }

    fn code<V>(&mut self, value: Option<V>, of_value: impl Fn(&mut Self, V) -> u32) -> u32 {
        match value {
            Some(value) => of_value(self, value),
            None => self.code_of_null(),
        }
    }

    /// An array of the values with these codes.
    fn array(&self, codes: impl Iterator<Item = u32>) -> Result<ArrayRef> {
        let misfit = || HandlerError::internal(format!("a group of type {} is none", self.data_type));
        let keys: Vec<&Key> =
            codes.map(|code| self.keys.get(code as usize).ok_or_else(misfit)).collect::<Result<_>>()?;
        let bytes = || {
            keys.iter().map(|key| match key {
                Some(Value::Bytes(bytes)) => Some(bytes.as_ref()),
                _ => None,
            })
        };
        let number = |key: &&Key| match key {
            Some(Value::Number(number)) => Some(*number),
            _ => None,
        };
        Ok(match &self.data_type {
            DataType::Utf8 => {
                let texts = bytes().map(|bytes| bytes.map(std::str::from_utf8).transpose());
                let texts = texts.collect::<std::result::Result<Vec<_>, _>>().map_err(|_| misfit())?;
                Arc::new(StringArray::from(texts))
            }
            DataType::Binary => Arc::new(BinaryArray::from_iter(bytes())),
            DataType::Boolean => {
                Arc::new(keys.iter().map(|key| number(key).map(|n| n != 0)).collect::<BooleanArray>())
            }
            other => numbers::array_of(&keys.iter().map(number).collect::<Vec<_>>(), other)?,
        })
    }
}

fn numbered(keys: &mut Vec<Key>, key: Key) -> u32 {
    keys.push(key);
    // Codes are never more than the rows of a batch and the groups before it.
    u32::try_from(keys.len() - 1).unwrap_or(u32::MAX)
}

impl GroupTable {
    /// A table of groups by columns of these types. Without columns there is one group.
    pub(super) fn new(types: impl IntoIterator<Item = DataType>) -> Self {
        let columns: Vec<KeyColumn> = types.into_iter().map(KeyColumn::new).collect();
        let mut table = Self { columns, by_codes: HashMap::new(), groups: Vec::new(), most: MOST_GROUPS };
        if table.columns.is_empty() {
            table.groups.push(Box::default());
        }
        table
    }

    /// How many groups there are.
    pub(super) fn len(&self) -> usize {
        self.groups.len()
    }

    /// The group of every row, by the arrays of the key columns, into `out`. The inner error: too many groups.
    pub(super) fn groups_of(
        &mut self,
        arrays: &[ArrayRef],
        out: &mut Vec<u32>,
    ) -> Result<std::result::Result<(), Refusal>> {
        out.clear();
        let codes = self.columns.iter_mut().zip(arrays).map(|(column, array)| column.codes(array));
        let codes = codes.collect::<Result<Vec<_>>>()?;
        let rows = arrays.first().map_or(0, |array| array.len());
        let mut row_codes = vec![0; codes.len()];
        let mut last: Option<u32> = None;
        for row in 0..rows {
            let mut same = last.is_some();
            for (code, column) in row_codes.iter_mut().zip(&codes) {
                let found = column.get(row).copied().unwrap_or_default();
                same &= *code == found;
                *code = found;
            }
            // Neighbours are often alike.
            let group = match last.filter(|_| same) {
                Some(group) => group,
                None => match self.group(&row_codes) {
                    Ok(group) => group,
                    Err(refusal) => return Ok(Err(refusal)),
                },
            };
            last = Some(group);
            out.push(group);
        }
        Ok(Ok(()))
    }

    /// A value as the key of a group; `None` if it is of a type that rows are not grouped by.
    pub(super) fn value(value: ScalarRef<'_>) -> Option<Key> {
        Some(Some(match value {
            ScalarRef::Boolean(value) => Value::Number(value.into()),
            ScalarRef::Int(number) => Value::Number(number.into()),
            ScalarRef::UInt(number) => Value::Number(number.into()),
            ScalarRef::Decimal128(number) => Value::Number(number),
            ScalarRef::Utf8(text) => Value::Bytes(text.as_bytes().into()),
            ScalarRef::Binary(bytes) => Value::Bytes(bytes.into()),
            ScalarRef::Float32(_) | ScalarRef::Float64(_) | ScalarRef::Decimal256(_) => return None,
        }))
    }

    /// The code of a key of the column at a position.
    pub(super) fn key(&mut self, column: usize, key: Key) -> u32 {
        self.columns.get_mut(column).map_or(u32::MAX, |column| match key {
            None => column.code_of_null(),
            Some(Value::Number(number)) => column.code_of_number(number),
            Some(Value::Bytes(bytes)) => column.code_of_bytes(&bytes),
        })
    }

    /// The number of the group with these codes, one a column.
    pub(super) fn group(&mut self, codes: &[u32]) -> std::result::Result<u32, Refusal> {
        if let Some(group) = self.by_codes.get(codes) {
            return Ok(*group);
        }
        if self.groups.len() >= self.most {
            return Err(Refusal::Groups);
        }
        let group = u32::try_from(self.groups.len()).map_err(|_| Refusal::Groups)?;
        self.groups.push(codes.into());
        self.by_codes.insert(codes.into(), group);
        Ok(group)
    }

    /// The key columns of the groups at these positions.
    pub(super) fn arrays(&self, groups: &[usize]) -> Result<Vec<ArrayRef>> {
        let array = |(index, column): (usize, &KeyColumn)| {
            let codes = groups.iter().filter_map(|group| self.groups.get(*group)?.get(index).copied());
            column.array(codes)
        };
        self.columns.iter().enumerate().map(array).collect()
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{Decimal128Array, Int16Array};

    use super::*;

    #[test]
    fn groups_are_numbered_as_they_come_and_null_is_one() {
        let texts: ArrayRef = Arc::new(StringArray::from(vec![Some("b"), None, Some(""), Some("b"), None]));
        let flags: ArrayRef = Arc::new(BooleanArray::from(vec![true, true, false, true, false]));
        let small: ArrayRef = Arc::new(Int16Array::from(vec![Some(1), Some(1), None, Some(1), Some(1)]));
        let types = [&texts, &flags, &small].map(|array| array.data_type().clone());
        let mut table = GroupTable::new(types);
        let mut groups = Vec::new();
        let arrays = [texts, flags, small];
        table.groups_of(&arrays, &mut groups).unwrap().unwrap();
        assert_eq!(groups, [0, 1, 2, 0, 3]);
        let shown = table.arrays(&[3, 0, 2]).unwrap();
        let picked = datafusion::arrow::array::UInt32Array::from(vec![4, 0, 2]);
        for (shown, array) in shown.iter().zip(&arrays) {
            let wanted = datafusion::arrow::compute::take(array, &picked, None).unwrap();
            assert_eq!(shown, &wanted);
        }
        table.groups_of(&arrays, &mut groups).unwrap().unwrap();
        assert_eq!((groups, table.len()), (vec![0, 1, 2, 0, 3], 4));
    }

    #[test]
    fn more_groups_than_are_kept_are_refused() {
        let decimals = Decimal128Array::from_iter_values(0..10).with_precision_and_scale(10, 2).unwrap();
        let mut table = GroupTable::new([decimals.data_type().clone()]);
        table.most = 9;
        let found = table.groups_of(&[Arc::new(decimals)], &mut Vec::new()).unwrap();
        assert_eq!(found, Err(Refusal::Groups));
    }

    #[test]
    fn without_columns_there_is_one_group() {
        let table = GroupTable::new([]);
        assert_eq!((table.len(), table.arrays(&[0]).unwrap().len()), (1, 0));
        assert!(
            is_key(&DataType::Date32) && !is_key(&DataType::Float64) && !is_key(&DataType::Decimal256(76, 2))
        );
    }
}
