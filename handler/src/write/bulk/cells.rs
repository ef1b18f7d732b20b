//! [`CellValues`]: the values of one column of a segment to be.

use std::ops::Range;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, BooleanBufferBuilder};
use datafusion::arrow::datatypes::{DataType, Decimal256Type};
use ostracon_compare::{Encoding, PrimitiveType};
use ostracon_segment::{ColumnInput, ValidityInput, ValuesInput};

use super::words::{WordForm, Words};
use crate::error::{HandlerError, Result};

/// Values of a column as segments take them, and which rows have one.
#[derive(Debug)]
pub(super) struct CellValues {
    form: WordForm,
    values: Values,
    len: usize,
    /// None: every row has a value.
    valid: Option<BooleanBufferBuilder>,
}

#[derive(Debug)]
enum Values {
    Words(Words),
    Bytes { offsets: Vec<i32>, data: Vec<u8> },
}

impl CellValues {
    /// No values yet; `None` where the bytes of a cell are not those of one integer, text or bytes.
    pub(super) fn new(ty: PrimitiveType, encoding: Encoding) -> Option<Self> {
        let form = match encoding {
            Encoding::Native => WordForm::Native,
            Encoding::Binary => WordForm::Binary,
            Encoding::String => return None,
        };
        let values = match Words::of_type(ty) {
            Some(words) => Values::Words(words),
            None => Values::Bytes { offsets: vec![0], data: Vec::new() },
        };
        Some(Self { form, values, len: 0, valid: None })
    }

    pub(super) fn clear(&mut self) {
        self.truncate(0);
        self.valid = None;
    }

    pub(super) fn truncate(&mut self, len: usize) {
        match &mut self.values {
            Values::Words(words) => words.truncate(len),
            Values::Bytes { offsets, data } => {
                offsets.truncate(len + 1);
                data.truncate(end_of(offsets));
            }
        }
        self.len = self.len.min(len);
        if let Some(valid) = &mut self.valid {
            valid.truncate(self.len);
        }
    }

    /// Appends the rows of a range of an array of the column's type.
    pub(super) fn extend(&mut self, array: &ArrayRef, rows: Range<usize>) -> Result<()> {
        let count = rows.len();
        match array.nulls().filter(|nulls| nulls.null_count() > 0) {
            None => {
                if let Some(valid) = &mut self.valid {
                    valid.append_n(count, true);
                }
            }
            Some(nulls) => {
                let valid = self.valid.get_or_insert_with(|| {
                    let mut valid = BooleanBufferBuilder::new(self.len + count);
                    valid.append_n(self.len, true);
                    valid
                });
                valid.append_buffer(&nulls.inner().slice(rows.start, count));
            }
        }
        self.len += count;
        match &mut self.values {
            Values::Words(words) => words.extend(array, rows, self.form),
            Values::Bytes { offsets, data } => extend_bytes(offsets, data, array, rows, self.form),
        }
    }

    /// The column as a segment takes it.
    pub(super) fn input<'a>(&'a self, family: &'a [u8], qualifier: &'a [u8]) -> ColumnInput<'a> {
        let values = match &self.values {
            Values::Words(words) => ValuesInput::Fixed(words.input()),
            Values::Bytes { offsets, data } => ValuesInput::Bytes { offsets, data },
        };
        let valid = self.valid.as_ref().map(|valid| ValidityInput { bits: valid.as_slice(), offset: 0 });
        ColumnInput { family, qualifier, values, valid }
    }
}

/// The bytes of values of an array before each row, for arrays whose values have no fixed width of at most 16 bytes.
pub(super) fn byte_offsets(array: &ArrayRef) -> Option<&[i32]> {
    match array.data_type() {
        DataType::Utf8 => Some(array.as_string_opt::<i32>()?.value_offsets()),
        DataType::Binary => Some(array.as_binary_opt::<i32>()?.value_offsets()),
        _ => None,
    }
}

fn extend_bytes(
    offsets: &mut Vec<i32>,
    data: &mut Vec<u8>,
    array: &ArrayRef,
    rows: Range<usize>,
    form: WordForm,
) -> Result<()> {
    let wrong = || HandlerError::internal(format!("an array of the type {} has no bytes", array.data_type()));
    if let Some(array) = array.as_primitive_opt::<Decimal256Type>() {
        for value in array.values().get(rows).ok_or_else(wrong)? {
            let mut bytes = value.to_be_bytes();
            if let (Some(first), WordForm::Native) = (bytes.first_mut(), form) {
                *first ^= 0x80;
            }
            data.extend_from_slice(&bytes);
            offsets.push(offset(data.len())?);
        }
        return Ok(());
    }
    let ends =
        byte_offsets(array).and_then(|offsets| offsets.get(rows.start..=rows.end)).ok_or_else(wrong)?;
    let values = match array.data_type() {
        DataType::Utf8 => array.as_string_opt::<i32>().map(|array| array.value_data()),
        _ => array.as_binary_opt::<i32>().map(|array| array.value_data()),
    };
    let (first, last) = (ends.first().copied().unwrap_or(0), ends.last().copied().unwrap_or(0));
    let place = |offset: i32| usize::try_from(offset).unwrap_or(usize::MAX);
    let values = values.and_then(|values| values.get(place(first)..place(last))).ok_or_else(wrong)?;
    let before = offset(data.len())?;
    // All of them fit if the last one does.
    offset(data.len() + values.len())?;
    data.extend_from_slice(values);
    offsets.extend(ends.iter().skip(1).map(|end| end - first + before));
    Ok(())
}

fn offset(end: usize) -> Result<i32> {
    i32::try_from(end).map_err(|_| HandlerError::invalid("the values of a few rows are larger than 2 GiB"))
}

fn end_of(offsets: &[i32]) -> usize {
    offsets.last().map_or(0, |end| usize::try_from(*end).unwrap_or(0))
}
