//! Columns as segments keep them, for readers that have no use for arrays.

use ostracon_compare::{Encoding, PrimitiveType, ScalarRef, decode};
use ostracon_segment::{Chunk, Integers, Segment, Values};

use super::columnar::word_at;
use super::decoder::RowDecoder;
use super::source::Source;

/// The values of one column in a segment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StoredColumn<'s> {
    pub(crate) place: StoredPlace<'s>,
    ty: PrimitiveType,
    encoding: Encoding,
}

/// Where the values of a column lie in a segment.
#[derive(Debug, Clone, Copy)]
pub(crate) enum StoredPlace<'s> {
    /// No row has one.
    Nowhere,
    /// In cells.
    Chunk(&'s Chunk<'s>),
    /// In the row ids: every row has one.
    Word(&'s Integers<'s>),
}

/// Numbers that lie at equal distances: `low + step * v` for the packed `v`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spaced {
    pub(crate) low: i128,
    pub(crate) high: i128,
    pub(crate) step: u64,
}

impl RowDecoder {
    /// Whether rows of a segment can be read column by column at all: with `skip_row` a row is judged whole.
    pub(crate) fn reads_by_column(&self) -> bool {
        self.judged.is_empty()
    }

    /// An output column in a segment; `None` if its values depend on more than one cell or a part of the row id, or if cells
    /// may stand for NULL.
    pub(crate) fn stored<'s>(&self, column: usize, segment: &'s Segment<'s>) -> Option<StoredColumn<'s>> {
        match &self.columns.get(column)?.source {
            Source::Cell { family, qualifier, ty, encoding, null: None } => {
                let found = segment.column(family, qualifier);
                let place = found.map_or(StoredPlace::Nowhere, |column| StoredPlace::Chunk(column.chunk()));
                Some(StoredColumn { place, ty: *ty, encoding: *encoding })
            }
            Source::RowId { ty, encoding } => {
                let [word] = segment.row_words()? else { return None };
                Some(StoredColumn { place: StoredPlace::Word(word), ty: *ty, encoding: *encoding })
            }
            Source::KeyPart { lexicoder, index } => {
                let part = lexicoder.parts().get(*index).filter(|part| !part.descending)?;
                let word = word_at(segment, lexicoder.part_place(*index)?)?;
                let encoding = Encoding::Native;
                Some(StoredColumn { place: StoredPlace::Word(word), ty: part.ty, encoding })
            }
            _ => None,
        }
    }
}

impl<'s> StoredColumn<'s> {
    /// How many rows have no value.
    pub(crate) fn absent(&self) -> usize {
        match self.place {
            StoredPlace::Chunk(chunk) => chunk.absent(),
            StoredPlace::Nowhere | StoredPlace::Word(_) => 0,
        }
    }

    /// The integers, if the values are kept so.
    pub(crate) fn integers(&self) -> Option<&'s Integers<'s>> {
        match self.place {
            StoredPlace::Chunk(chunk) => chunk.integers(),
            StoredPlace::Word(word) => Some(word),
            StoredPlace::Nowhere => None,
        }
    }

    /// A value's bytes as a value; `None` if they are none.
    pub(crate) fn value<'b>(&self, bytes: &'b [u8]) -> Option<ScalarRef<'b>> {
        decode(self.ty, self.encoding, bytes).ok()
    }

    /// A value's bytes as a whole number: decimals are unscaled, dates and times counted. `None` if they are no such value.
    pub(crate) fn number(&self, bytes: &[u8]) -> Option<i128> {
        match self.value(bytes)? {
            ScalarRef::Int(number) => Some(number.into()),
            ScalarRef::UInt(number) => Some(number.into()),
            ScalarRef::Decimal128(number) => Some(number),
            _ => None,
        }
    }

    /// The numbers that the integers are; `None` if they are not all numbers of the type.
    pub(crate) fn spaced(&self, integers: &Integers<'_>) -> Option<Spaced> {
        let step = integers.step();
        let end = |v| {
            let bytes = integers.value_of(v).to_be_bytes();
            self.number(bytes.get(bytes.len().checked_sub(integers.width())?..)?)
        };
        let (low, high) = (end(0)?, end(integers.top())?);
        // Signed numbers whose signs are not flipped lie on two sides of the others.
        let evenly = high.checked_sub(low)? == i128::from(step).checked_mul(integers.top().into())?;
        evenly.then_some(Spaced { low, high, step })
    }

    /// Whether every value is a good one, as far as that is told without looking at each.
    pub(crate) fn is_clean(&self) -> bool {
        match (self.ty, self.place) {
            (_, StoredPlace::Nowhere) | (PrimitiveType::Binary, StoredPlace::Chunk(_)) => true,
            (PrimitiveType::Utf8, StoredPlace::Chunk(chunk)) => chunk.is_utf8(),
            (PrimitiveType::Float32 | PrimitiveType::Float64, StoredPlace::Chunk(chunk)) => {
                self.encoding != Encoding::String && chunk.width() == self.ty.width()
            }
            (_, StoredPlace::Chunk(chunk)) => match chunk.values() {
                Values::Integers(integers) => self.spaced(integers).is_some(),
                Values::Dictionary(dictionary) => {
                    let each = dictionary.for_each_entry(|_, entry| match self.value(entry) {
                        Some(_) => Ok(()),
                        None => Err(NotClean),
                    });
                    each.is_ok()
                }
                Values::Bytes(_) => false,
            },
            (_, StoredPlace::Word(word)) => self.spaced(word).is_some(),
        }
    }
}

/// Some entry is no value, or cannot be read.
struct NotClean;

impl From<ostracon_segment::Error> for NotClean {
    fn from(_: ostracon_segment::Error) -> Self {
        Self
    }
}
