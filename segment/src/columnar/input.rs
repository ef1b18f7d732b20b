//! What bulk encoding takes: whole columns, as they lie in Arrow arrays.

/// The row ids of a segment to be, strictly ascending.
#[derive(Debug, Clone, Copy)]
pub enum RowsInput<'a> {
    /// Row ids of fixed width, word by word; see [`RowLayout::words`](super::RowLayout::words). All words have one value a row.
    Words(&'a [FixedInput<'a>]),
    /// Any row ids: `offsets[i]..offsets[i + 1]` of `data` is the id of row `i`.
    Bytes {
        /// One more than rows.
        offsets: &'a [i32],
        /// The ids.
        data: &'a [u8],
        /// How to cut them.
        layout: &'a super::RowLayout,
    },
}

/// Values of one width as unsigned integers in big-endian order: the encoding keeps the order.
#[derive(Debug, Clone, Copy)]
pub enum FixedInput<'a> {
    /// At most 8 bytes wide.
    Narrow {
        /// Width in bytes, 1 to 8.
        width: u8,
        /// One value a row.
        values: &'a [u64],
    },
    /// At most 16 bytes wide.
    Wide {
        /// Width in bytes, 1 to 16.
        width: u8,
        /// One value a row.
        values: &'a [u128],
    },
}

/// One column of a segment to be: at most one cell a row, all with the time and label of the segment.
#[derive(Debug, Clone, Copy)]
pub struct ColumnInput<'a> {
    /// The column family.
    pub family: &'a [u8],
    /// The column qualifier.
    pub qualifier: &'a [u8],
    /// The values; those of rows without one are not looked at.
    pub values: ValuesInput<'a>,
    /// Which rows have a cell; `None`: all.
    pub valid: Option<ValidityInput<'a>>,
}

/// The values of a [`ColumnInput`].
#[derive(Debug, Clone, Copy)]
pub enum ValuesInput<'a> {
    /// Of one width.
    Fixed(FixedInput<'a>),
    /// `offsets[i]..offsets[i + 1]` of `data` is the value of row `i`.
    Bytes {
        /// One more than rows.
        offsets: &'a [i32],
        /// The values.
        data: &'a [u8],
    },
    /// The same in every row.
    Constant(&'a [u8]),
}

/// A bit a row, the least significant of a byte first, set where there is a value: Arrow's null buffer.
#[derive(Debug, Clone, Copy)]
pub struct ValidityInput<'a> {
    /// The bits.
    pub bits: &'a [u8],
    /// Which of them belongs to the first row.
    pub offset: usize,
}

impl RowsInput<'_> {
    /// How many rows there are.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Words(words) => words.first().map_or(0, FixedInput::len),
            Self::Bytes { offsets, .. } => offsets.len().saturating_sub(1),
        }
    }
}

impl FixedInput<'_> {
    pub(super) fn width(&self) -> u8 {
        let (Self::Narrow { width, .. } | Self::Wide { width, .. }) = self;
        *width
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Narrow { values, .. } => values.len(),
            Self::Wide { values, .. } => values.len(),
        }
    }

    /// The value of a row; 0 past the end.
    pub(super) fn value(&self, row: usize) -> u128 {
        match self {
            Self::Narrow { values, .. } => values.get(row).map_or(0, |value| u128::from(*value)),
            Self::Wide { values, .. } => values.get(row).copied().unwrap_or(0),
        }
    }

    /// The largest value of the width.
    pub(super) fn limit(&self) -> u128 {
        u128::MAX.checked_shr(128 - 8 * u32::from(self.width().min(16))).unwrap_or(0)
    }
}

impl ValidityInput<'_> {
    #[inline]
    pub(super) fn is_set(&self, row: usize) -> bool {
        super::validity::is_set(self.bits, self.offset + row)
    }
}
