//! Finding the symbol that a string goes on with.

use super::{ESCAPE, MAX_SYMBOL, Symbol};

/// A table of symbols in the shape that compressing needs.
pub(crate) struct Matcher {
    /// By code.
    symbols: Vec<Symbol>,
    /// Symbols of three bytes or more by a hash of the first three, one a place.
    long: Vec<Long>,
    /// By the first two bytes: `length << 8 | code` of the shorter symbol that fits; 1 << 8 | ESCAPE: none.
    short: Vec<u16>,
}

#[derive(Debug, Clone, Copy)]
struct Long {
    bytes: u64,
    mask: u64,
    code: u8,
    len: u8,
}

/// Fits nothing.
const FREE: Long = Long { bytes: 1, mask: 0, code: 0, len: 0 };
const LONG_PLACES: usize = 2048;
const NOTHING: u16 = 1 << 8 | ESCAPE as u16;

/// How a string goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Match {
    /// The code; [`ESCAPE`]: no symbol, a byte for itself.
    pub(super) code: u8,
    pub(super) len: u8,
}

impl Default for Matcher {
    fn default() -> Self {
        Self { symbols: Vec::new(), long: vec![FREE; LONG_PLACES], short: vec![NOTHING; 1 << 16] }
    }
}

impl std::fmt::Debug for Matcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Matcher").field("symbols", &self.symbols).finish_non_exhaustive()
    }
}

fn place_of(bytes: u64) -> usize {
    let three = (bytes & 0xFF_FFFF) as u32;
    (three.wrapping_mul(2_654_435_761) >> (32 - LONG_PLACES.ilog2())) as usize
}

impl Matcher {
    /// Makes this the table of those of `symbols` that have a place, the first ones first; no more than 255.
    pub(super) fn rebuild(&mut self, symbols: impl Iterator<Item = Symbol>) {
        self.symbols.clear();
        self.long.fill(FREE);
        let mut row = [NOTHING; 256];
        let mut pairs = Vec::new();
        for symbol in symbols {
            if self.symbols.len() == super::MAX_SYMBOLS {
                break;
            }
            let code = self.symbols.len() as u8;
            match symbol.len {
                1 => {
                    if let Some(entry) = row.get_mut(symbol.bytes as usize) {
                        *entry = 1 << 8 | u16::from(code);
                    }
                }
                2 => pairs.push((symbol.bytes as usize, 2 << 8 | u16::from(code))),
                _ => match self.long.get_mut(place_of(symbol.bytes)) {
                    Some(place) if place.len == 0 => {
                        let mask = u64::MAX >> (64 - 8 * u32::from(symbol.len));
                        *place = Long { bytes: symbol.bytes, mask, code, len: symbol.len };
                    }
                    _ => continue,
                },
            }
            self.symbols.push(symbol);
        }
        self.short.chunks_exact_mut(256).for_each(|entries| entries.copy_from_slice(&row));
        for (bytes, entry) in pairs {
            if let Some(place) = self.short.get_mut(bytes) {
                *place = entry;
            }
        }
    }

    pub(super) fn symbol(&self, code: usize) -> Option<Symbol> {
        self.symbols.get(code).copied()
    }

    /// How many symbols there are.
    pub(crate) fn len(&self) -> usize {
        self.symbols.len()
    }

    /// The symbol that eight bytes begin with, the first one lowest.
    #[inline]
    pub(super) fn next(&self, word: u64) -> Match {
        let long = self.long.get(place_of(word)).copied().unwrap_or(FREE);
        if word & long.mask == long.bytes {
            return Match { code: long.code, len: long.len };
        }
        let [code, len] = self.short.get((word & 0xFFFF) as usize).copied().unwrap_or(NOTHING).to_le_bytes();
        Match { code, len }
    }

    /// The symbol that a string of less than eight bytes begins with; zeros behind it.
    pub(super) fn next_of_few(&self, word: u64, left: usize) -> Match {
        let found = self.next(word);
        if usize::from(found.len) <= left {
            return found;
        }
        // It is longer than what is left, having taken zeros for bytes: shorter ones may fit.
        let [code, len] = self.short.get((word & 0xFFFF) as usize).copied().unwrap_or(NOTHING).to_le_bytes();
        if usize::from(len) <= left {
            return Match { code, len };
        }
        // One byte is left. All entries of one first byte have the same single byte, but where a pair is.
        let single = self.symbols.iter().position(|symbol| *symbol == Symbol { bytes: word & 0xFF, len: 1 });
        Match { code: single.map_or(ESCAPE, |code| code as u8), len: 1 }
    }

    /// Appends the codes of a string.
    pub(crate) fn compress(&self, mut rest: &[u8], out: &mut Vec<u8>) {
        while let Some(head) = rest.first_chunk::<MAX_SYMBOL>() {
            let found = self.next(u64::from_le_bytes(*head));
            out.push(found.code);
            if found.code == ESCAPE {
                out.push(head[0]);
            }
            rest = rest.get(usize::from(found.len)..).unwrap_or_default();
        }
        let mut word = rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
        let mut left = rest.len();
        while left > 0 {
            let found = self.next_of_few(word, left);
            out.push(found.code);
            if found.code == ESCAPE {
                out.push(word as u8);
            }
            word >>= 8 * u32::from(found.len);
            left -= usize::from(found.len);
        }
    }

    /// Appends the table as [`Symbols`](super::Symbols) reads it.
    pub(crate) fn append_table(&self, out: &mut Vec<u8>) {
        out.extend(self.symbols.iter().flat_map(|symbol| symbol.bytes.to_le_bytes()));
        out.extend(self.symbols.iter().map(|symbol| symbol.len));
    }
}
