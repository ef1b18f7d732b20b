//! How row ids are cut into integers.

/// How the row ids of a table are built, as far as it is known: of parts with fixed widths, or of any bytes.
///
/// It is a hint. A segment whose rows do not have the layout's length keeps them as bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowLayout {
    widths: Vec<u8>,
}

/// More words than any key has parts; the header counts them in a byte.
pub(super) const MAX_WORDS: usize = 32;
/// The widest integer, in bytes.
pub(super) const MAX_WIDTH: u8 = 16;

impl RowLayout {
    /// Row ids of any length.
    pub fn bytes() -> Self {
        Self::default()
    }

    /// Row ids made of big-endian unsigned integers, so many bytes each: a key of a BIGINT and an INT is `[8, 4]`.
    ///
    /// Widths that cannot be kept so (0, above 16, or more than 32 of them) give [`bytes`](Self::bytes).
    pub fn words(widths: impl IntoIterator<Item = u8>) -> Self {
        let widths: Vec<u8> = widths.into_iter().collect();
        let fits = widths.len() <= MAX_WORDS && widths.iter().all(|width| (1..=MAX_WIDTH).contains(width));
        if fits { Self { widths } } else { Self::bytes() }
    }

    /// The widths of the words in bytes; none: row ids are bytes of any length.
    pub fn widths(&self) -> &[u8] {
        &self.widths
    }

    /// The length of a row id of this layout; 0 if there is none.
    pub(super) fn row_len(&self) -> usize {
        self.widths.iter().map(|&width| usize::from(width)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::RowLayout;

    #[test]
    fn impossible_words_are_bytes() {
        assert_eq!(RowLayout::words([8, 4]).widths(), [8, 4]);
        assert_eq!(RowLayout::words([8, 4]).row_len(), 12);
        for widths in [vec![], vec![0], vec![8, 17], vec![1; 33]] {
            assert_eq!(RowLayout::words(widths), RowLayout::bytes());
        }
    }
}
