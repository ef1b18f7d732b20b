//! [`Words`]: values of fixed width as the integers that their bytes are.

use std::cmp::Ordering;
use std::ops::Range;

use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::datatypes::*;
use ostracon_compare::{PrimitiveType, Word};
use ostracon_segment::FixedInput;

use crate::error::{HandlerError, Result};

/// In which form values become integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordForm {
    /// As cells of the native encoding.
    Native,
    /// As cells of the binary encoding.
    Binary,
    /// As ascending parts of a key.
    Key,
}

/// Integers of at most 8 or of 16 bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Words {
    width: u8,
    values: Values,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Values {
    Narrow(Vec<u64>),
    Wide(Vec<u128>),
}

impl Words {
    /// No values yet of a type; `None` for types that are not of a fixed width of at most 16 bytes.
    pub(super) fn of_type(ty: PrimitiveType) -> Option<Self> {
        let width = u8::try_from(ty.width()?).ok()?;
        let values = match width {
            1..=8 => Values::Narrow(Vec::new()),
            16 => Values::Wide(Vec::new()),
            _ => return None,
        };
        Some(Self { width, values })
    }

    /// `count` numbers of eight bytes from `first` on.
    pub(super) fn sequence(first: u64, count: usize) -> Self {
        Self { width: 8, values: Values::Narrow((first..).take(count).collect()) }
    }

    /// Appends the values of a range of an array of the words' type. A NULL becomes any word.
    pub(super) fn extend(&mut self, array: &ArrayRef, rows: Range<usize>, form: WordForm) -> Result<()> {
        let extended = match &mut self.values {
            Values::Narrow(out) => extend_narrow(out, array, rows, form),
            Values::Wide(out) => match array.as_primitive_opt::<Decimal128Type>() {
                Some(array) => {
                    array.values().get(rows).map(|values| extend(out, values.iter().copied(), form))
                }
                None => None,
            },
        };
        extended.ok_or_else(|| {
            HandlerError::internal(format!("an array of the type {} has no words", array.data_type()))
        })
    }

    /// Appends the words of a range of others of the same type.
    pub(super) fn extend_from(&mut self, other: &Self, rows: Range<usize>) {
        match (&mut self.values, &other.values) {
            (Values::Narrow(out), Values::Narrow(from)) => {
                out.extend_from_slice(from.get(rows).unwrap_or_default())
            }
            (Values::Wide(out), Values::Wide(from)) => {
                out.extend_from_slice(from.get(rows).unwrap_or_default())
            }
            _ => {}
        }
    }

    pub(super) fn len(&self) -> usize {
        match &self.values {
            Values::Narrow(values) => values.len(),
            Values::Wide(values) => values.len(),
        }
    }

    pub(super) fn width(&self) -> usize {
        self.width.into()
    }

    pub(super) fn truncate(&mut self, len: usize) {
        match &mut self.values {
            Values::Narrow(values) => values.truncate(len),
            Values::Wide(values) => values.truncate(len),
        }
    }

    /// How a value compares with one of others of the same type.
    #[inline]
    pub(super) fn compare(&self, at: usize, other: &Self, place: usize) -> Ordering {
        match (&self.values, &other.values) {
            (Values::Narrow(a), Values::Narrow(b)) => a.get(at).cmp(&b.get(place)),
            (Values::Wide(a), Values::Wide(b)) => a.get(at).cmp(&b.get(place)),
            _ => Ordering::Equal,
        }
    }

    /// Appends the bytes of a value.
    pub(super) fn append_bytes(&self, at: usize, out: &mut Vec<u8>) {
        let value = match &self.values {
            Values::Narrow(values) => values.get(at).copied().unwrap_or_default().into(),
            Values::Wide(values) => values.get(at).copied().unwrap_or_default(),
        };
        out.extend_from_slice(value.to_be_bytes().get(16 - self.width()..).unwrap_or_default());
    }

    pub(super) fn input(&self) -> FixedInput<'_> {
        match &self.values {
            Values::Narrow(values) => FixedInput::Narrow { width: self.width, values },
            Values::Wide(values) => FixedInput::Wide { width: self.width, values },
        }
    }
}

fn extend<W: Word>(out: &mut Vec<W::Bits>, values: impl Iterator<Item = W>, form: WordForm) {
    match form {
        WordForm::Native => out.extend(values.map(Word::native_word)),
        WordForm::Binary => out.extend(values.map(Word::binary_word)),
        WordForm::Key => out.extend(values.map(Word::key_word)),
    }
}

fn extend_narrow(out: &mut Vec<u64>, array: &ArrayRef, rows: Range<usize>, form: WordForm) -> Option<()> {
    macro_rules! primitive {
        ($arrow:ty) => {
            extend(out, array.as_primitive_opt::<$arrow>()?.values().get(rows)?.iter().copied(), form)
        };
    }
    match array.data_type() {
        DataType::Boolean => {
            let values = array.as_boolean_opt()?.values();
            extend(out, values.iter().skip(rows.start).take(rows.len()), form);
        }
        DataType::Int8 => primitive!(Int8Type),
        DataType::Int16 => primitive!(Int16Type),
        DataType::Int32 => primitive!(Int32Type),
        DataType::Int64 => primitive!(Int64Type),
        DataType::UInt8 => primitive!(UInt8Type),
        DataType::UInt16 => primitive!(UInt16Type),
        DataType::UInt32 => primitive!(UInt32Type),
        DataType::UInt64 => primitive!(UInt64Type),
        DataType::Float32 => primitive!(Float32Type),
        DataType::Float64 => primitive!(Float64Type),
        DataType::Date32 => primitive!(Date32Type),
        DataType::Date64 => primitive!(Date64Type),
        DataType::Time32(TimeUnit::Second) => primitive!(Time32SecondType),
        DataType::Time32(_) => primitive!(Time32MillisecondType),
        DataType::Time64(TimeUnit::Microsecond) => primitive!(Time64MicrosecondType),
        DataType::Time64(_) => primitive!(Time64NanosecondType),
        DataType::Timestamp(TimeUnit::Second, _) => primitive!(TimestampSecondType),
        DataType::Timestamp(TimeUnit::Millisecond, _) => primitive!(TimestampMillisecondType),
        DataType::Timestamp(TimeUnit::Microsecond, _) => primitive!(TimestampMicrosecondType),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => primitive!(TimestampNanosecondType),
        _ => return None,
    }
    Some(())
}
