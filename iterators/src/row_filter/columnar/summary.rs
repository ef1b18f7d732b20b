//! [`ValueSummary`]: what is known of an operand's values in a block of rows, and what follows for a test.

use ostracon_compare::RowPlace;
use ostracon_data::{RowRange, row_successor};

use super::value_sets::ValueSets;
use super::{CleanWhen, LeafTest, Outcomes};

/// The values of one operand in some rows, from outside.
///
/// "Values" are the bytes that [`ColumnarOperand::place`](super::ColumnarOperand::place) speaks of: a cell's value, or the
/// bytes at a place of the row id. A null sequence counts as a value here.
#[derive(Clone, Copy, Debug)]
pub struct ValueSummary<'a> {
    /// The number of rows.
    pub rows: usize,
    /// How many of them have no value.
    pub absent: usize,
    /// The least value, or something that is not greater.
    pub min: &'a [u8],
    /// Whether `min` is itself a value.
    pub min_attained: bool,
    /// The greatest value, or something that is not less; `None` if no bound is known.
    pub max: Option<&'a [u8]>,
    /// Whether `max` is itself a value.
    pub max_attained: bool,
    /// The width that all values have; `None` if they differ or it is not known.
    pub width: Option<usize>,
    /// Whether all values are known to be valid UTF-8.
    pub utf8: bool,
}

impl ValueSummary<'_> {
    /// Rows of which nothing is known but their number.
    pub fn unknown(rows: usize) -> Self {
        ValueSummary {
            rows,
            absent: 0,
            min: &[],
            min_attained: false,
            max: None,
            max_attained: false,
            width: None,
            utf8: false,
        }
    }

    /// The value that every row has that has one.
    fn constant(&self) -> Option<&[u8]> {
        self.max.filter(|max| self.min_attained && self.max_attained && self.min == *max)
    }

    /// The byte strings among which all values are.
    fn range(&self) -> RowRange {
        let end = self.max.map(|max| if self.max_attained { row_successor(max) } else { max.to_vec() });
        RowRange { start: self.min.to_vec(), end }
    }
}

impl CleanWhen {
    /// Whether all values are certainly good. False where the summary does not tell.
    pub fn holds(&self, values: &ValueSummary<'_>) -> bool {
        values.absent >= values.rows
            || match self {
                CleanWhen::Always => true,
                CleanWhen::Utf8 => values.utf8,
                CleanWhen::FixedWidth(width) => values.width == Some(*width),
                CleanWhen::Within { width, ranges } => {
                    values.width == Some(*width) && ranges.covers(&values.range())
                }
                CleanWhen::EachChecked => false,
            }
    }
}

impl LeafTest {
    /// The answers that the test can give for clean rows whose values of its operand have this summary.
    ///
    /// For a comparison of two operands, and for an operand of the row id without a place, that is [`Outcomes::ANY`].
    pub fn outcomes(&self, values: &ValueSummary<'_>) -> Outcomes {
        if values.rows == 0 {
            return Outcomes::NONE;
        }
        if self.other_index().is_some() || !self.has_values() {
            return Outcomes::ANY;
        }
        let absent = if values.absent > 0 { Outcomes::of(self.when_absent()) } else { Outcomes::NONE };
        if values.absent >= values.rows {
            return absent;
        }
        let known = match values.constant() {
            Some(value) if self.is_of_value() => self.on_value(value).map_or(Outcomes::ANY, Outcomes::of),
            _ => self.outcomes_within(&values.range()),
        };
        known | absent
    }

    /// The answers for values among a range of bytes.
    fn outcomes_within(&self, range: &RowRange) -> Outcomes {
        let ValueSets { truth, falsity, null, .. } = self.sets();
        let sets = [(truth, Some(true)), (falsity, Some(false)), (null, None)];
        let null_values = self.null_values().map(|null| (null, self.when_absent()));
        let possible = sets.into_iter().chain(null_values).filter(|(set, _)| set.meets(range));
        possible.map(|(_, answer)| answer).collect()
    }

    /// The answers for clean rows from `first` to `last`, for a test of the row id; [`Outcomes::ANY`] for another, and
    /// where the two rows do not tell.
    pub fn outcomes_of_rows(&self, first: &[u8], last: &[u8]) -> Outcomes {
        let place = match self.place() {
            Some(place) if self.other_index().is_none() => place,
            _ => return Outcomes::ANY,
        };
        if place == RowPlace::ROW && first == last {
            return self.on_value(first).map_or(Outcomes::ANY, Outcomes::of);
        }
        let same_before = first.get(..place.offset).is_some_and(|before| last.starts_with(before));
        match (place.of(first), place.of(last)) {
            // Rows that agree in what lies before the place sort by what is there.
            (Some(low), Some(high)) if same_before => {
                self.outcomes_within(&RowRange::new(low, Some(row_successor(high))))
            }
            _ => Outcomes::ANY,
        }
    }
}
