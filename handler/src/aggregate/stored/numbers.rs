//! [`StoredNumbers`]: the whole numbers of a column, from its packed integers.

use ostracon_segment::{Integers, Values};

use super::rows::Rows;
use super::{Packed, Read};
use crate::aggregate::kernel::Interval;
use crate::rows::{StoredColumn, StoredPlace};

/// Dictionaries of more entries are left to record batches.
const MOST_ENTRIES: usize = 1 << 12;

/// The numbers of a column of a segment; all of them fit 64 bits.
pub(super) enum StoredNumbers<'s> {
    /// No row has one.
    Nowhere,
    /// `low + step * v` of packed `v`.
    Spaced { integers: &'s Integers<'s>, low: i64, step: u64, bounds: Interval },
    /// The numbers of a dictionary's entries.
    Entries { codes: &'s Integers<'s>, numbers: Vec<i64>, bounds: Interval },
}

impl<'s> StoredNumbers<'s> {
    /// The numbers of a column; `None` if they are kept in another way, too large, or not all good.
    pub(super) fn of(column: &StoredColumn<'s>) -> Option<Self> {
        let chunk = match column.place {
            StoredPlace::Nowhere => return Some(Self::Nowhere),
            StoredPlace::Word(word) => return Self::spaced(column, word),
            StoredPlace::Chunk(chunk) => chunk,
        };
        match chunk.values() {
            Values::Integers(integers) => Self::spaced(column, integers),
            Values::Dictionary(dictionary) if dictionary.entries() <= MOST_ENTRIES => {
                let mut numbers = Vec::with_capacity(dictionary.entries());
                for code in 0..dictionary.entries() {
                    let number = column.number(dictionary.entry(code).ok()?)?;
                    numbers.push(i64::try_from(number).ok()?);
                }
                let (low, high) = (*numbers.iter().min()?, *numbers.iter().max()?);
                let bounds = Interval::new(low.into(), high.into());
                Some(Self::Entries { codes: dictionary.codes(), numbers, bounds })
            }
            Values::Dictionary(_) | Values::Bytes(_) => None,
        }
    }

    fn spaced(column: &StoredColumn<'_>, integers: &'s Integers<'s>) -> Option<Self> {
        let spaced = column.spaced(integers)?;
        let bounds = Interval::new(spaced.low, spaced.high);
        let low = i64::try_from(spaced.low).ok().filter(|_| bounds.is_narrow())?;
        Some(Self::Spaced { integers, low, step: spaced.step, bounds })
    }

    /// All numbers are in it.
    pub(super) fn bounds(&self) -> Interval {
        match self {
            Self::Nowhere => Interval::point(0),
            Self::Spaced { bounds, .. } | Self::Entries { bounds, .. } => *bounds,
        }
    }

    /// Sets `out` to the numbers of some rows; to any within the bounds where a row has none.
    pub(super) fn read(&self, rows: &Rows<'_>, packed: &mut Packed, out: &mut Vec<i64>) -> Read<()> {
        out.clear();
        match self {
            Self::Nowhere => out.resize(rows.len(), 0),
            Self::Spaced { integers, low, .. } if integers.top() == 0 => out.resize(rows.len(), *low),
            Self::Spaced { integers, low, step, .. } => {
                // What would leave 64 bits on the way comes back: the ends are in them.
                let low = *low;
                match u32::try_from(*step) {
                    Ok(1) => {
                        packed.unpack(integers, rows, out, |v| low.wrapping_add(v.cast_signed()))?;
                    }
                    // Vector units can take products of halves.
                    Ok(step) if integers.top() <= u64::from(u32::MAX) => {
                        packed.unpack(integers, rows, out, |v| {
                            let product = (v & u64::from(u32::MAX)).wrapping_mul(u64::from(step));
                            low.wrapping_add(product.cast_signed())
                        })?;
                    }
                    _ => packed.unpack(integers, rows, out, |v| {
                        low.wrapping_add(v.wrapping_mul(*step).cast_signed())
                    })?,
                }
            }
            Self::Entries { codes, numbers, .. } => {
                packed.unpack(codes, rows, out, |code| {
                    usize::try_from(code).ok().and_then(|code| numbers.get(code)).copied().unwrap_or_default()
                })?;
            }
        }
        Ok(())
    }
}

impl Packed {
    /// Appends something of the packed integer of each row.
    pub(super) fn unpack<T>(
        &mut self,
        integers: &Integers<'_>,
        rows: &Rows<'_>,
        out: &mut Vec<T>,
        of: impl Fn(u64) -> T,
    ) -> Read<()> {
        let Rows::Span(span, _) = rows else {
            let Rows::Each(hits) = rows else { return Ok(()) };
            self.longs.clear();
            integers.gather(hits, &mut self.longs)?;
            out.extend(self.longs.iter().map(|v| of(*v)));
            return Ok(());
        };
        let span = span.clone();
        match integers.bits() {
            0..=8 => {
                self.bytes.clear();
                integers.unpack_u8(span, &mut self.bytes)?;
                out.extend(self.bytes.iter().map(|v| of(u64::from(*v))));
            }
            9..=16 => {
                self.shorts.clear();
                integers.unpack_u16(span, &mut self.shorts)?;
                out.extend(self.shorts.iter().map(|v| of(u64::from(*v))));
            }
            17..=32 => {
                self.words.clear();
                integers.unpack_u32(span, &mut self.words)?;
                out.extend(self.words.iter().map(|v| of(u64::from(*v))));
            }
            _ => {
                self.longs.clear();
                integers.unpack_u64(span, &mut self.longs)?;
                out.extend(self.longs.iter().map(|v| of(*v)));
            }
        }
        Ok(())
    }
}
