//! FSST (Boncz, Neumann, Leis 2020): short strings, compressed one by one.
//!
//! A *symbol* is 1 to 8 bytes that come up often; a table has up to 255 of them. A string is kept as one byte a symbol, the
//! symbol's code, and as [`ESCAPE`] and the byte itself where no symbol fits. So any string can be read without its
//! neighbours, which block compressors cannot offer, at a ratio that they need large blocks for.

mod matcher;
#[cfg(test)]
mod tests;
mod train;

pub(crate) use matcher::Matcher;
pub(crate) use train::Trainer;

/// The code before a byte that stands for itself.
const ESCAPE: u8 = 255;
/// Codes below [`ESCAPE`].
const MAX_SYMBOLS: usize = 255;
/// Bytes of the longest symbol.
pub(crate) const MAX_SYMBOL: usize = 8;

/// Some bytes that a code stands for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
struct Symbol {
    /// The bytes, the first one lowest; zeros behind them.
    bytes: u64,
    len: u8,
}

impl Symbol {
    fn of_byte(byte: u8) -> Self {
        Self { bytes: u64::from(byte), len: 1 }
    }

    /// Both, one after the other; `None` if that is too long.
    fn then(self, next: Self) -> Option<Self> {
        let len = self.len + next.len;
        (usize::from(len) <= MAX_SYMBOL)
            .then(|| Self { bytes: self.bytes | next.bytes << (8 * self.len), len })
    }
}

/// A table of symbols as it is kept: what decoding needs, without a step in between.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Symbols<'a> {
    /// The bytes of each symbol, zeros behind them.
    bytes: &'a [[u8; MAX_SYMBOL]],
    lengths: &'a [u8],
}

impl<'a> Symbols<'a> {
    /// The bytes of a table of `count` symbols.
    pub(crate) fn byte_len(count: u8) -> usize {
        usize::from(count) * (MAX_SYMBOL + 1)
    }

    /// A table; `None` if it has another length.
    pub(crate) fn new(table: &'a [u8], count: u8) -> Option<Self> {
        let (bytes, lengths) = table.split_at_checked(usize::from(count) * MAX_SYMBOL)?;
        (lengths.len() == usize::from(count)).then_some(Self { bytes: bytes.as_chunks().0, lengths })
    }

    /// Writes the string that `codes` stands for to the beginning of `room` and gives its length; `None` if the codes mean
    /// nothing or there is too little room.
    ///
    /// There is room if it is [`room_for`](Self::room_for) the codes; what lies behind the string is overwritten too.
    #[inline]
    pub(crate) fn decode(&self, codes: &[u8], room: &mut [u8]) -> Option<usize> {
        let mut written = 0;
        let mut codes = codes.iter();
        while let Some(&code) = codes.next() {
            // The symbols' lengths are at most 8, or the table is damaged and a later slice is refused.
            if let (Some(symbol), Some(&length)) =
                (self.bytes.get(usize::from(code)), self.lengths.get(usize::from(code)))
            {
                *room.get_mut(written..)?.first_chunk_mut()? = *symbol;
                written += usize::from(length);
            } else if code == ESCAPE {
                *room.get_mut(written)? = *codes.next()?;
                written += 1;
            } else {
                return None;
            }
        }
        (written <= room.len()).then_some(written)
    }

    /// The room that decoding so many codes takes, however they decode.
    pub(crate) fn room_for(codes: usize) -> usize {
        codes.saturating_add(1).saturating_mul(MAX_SYMBOL)
    }
}
