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
    /// How many bits of a word are not the symbol's.
    ignored: u8,
    code: u8,
    len: u8,
}

/// Fits nothing: a word without its highest bits has not this one.
const FREE: Long = Long { bytes: 1 << 63, ignored: 8, code: 0, len: 0 };
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
                        *place =
                            Long { bytes: symbol.bytes, ignored: 64 - 8 * symbol.len, code, len: symbol.len };
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

    /// The symbol of one byte.
    fn single(&self, byte: u8) -> Match {
        let wanted = Symbol::of_byte(byte);
        let code = self.symbols.iter().position(|symbol| *symbol == wanted);
        Match { code: code.map_or(ESCAPE, |code| code as u8), len: 1 }
    }

    pub(super) fn symbol(&self, code: usize) -> Option<Symbol> {
        self.symbols.get(code).copied()
    }

    /// How many symbols there are.
    pub(crate) fn len(&self) -> usize {
        self.symbols.len()
    }

    /// The tables; `None` never, but the compiler knows their lengths now.
    #[inline]
    pub(super) fn lookup(&self) -> Option<Lookup<'_>> {
        Some(Lookup { long: self.long.first_chunk()?, short: self.short.first_chunk()?, matcher: self })
    }

    /// Sets `codes` to the codes of strings, one after the other, and `ends` to the end of each. String `i` lies at
    /// `offsets[i]..offsets[i + 1]` of `data`.
    pub(crate) fn compress(&self, offsets: &[u32], data: &[u8], codes: &mut Vec<u8>, ends: &mut Vec<u32>) {
        ends.clear();
        // No byte takes more than an escape and itself.
        let room = 2 * data.len() + 2;
        if codes.len() < room {
            codes.resize(room, 0);
        }
        let mut written = 0;
        if let Some(lookup) = self.lookup() {
            for pair in offsets.windows(2) {
                if let &[start, end] = pair {
                    lookup.compress(data, start as usize..end as usize, codes, &mut written);
                    ends.push(written as u32);
                }
            }
        }
        codes.truncate(written);
    }

    /// Appends the table as [`Symbols`](super::Symbols) reads it.
    pub(crate) fn append_table(&self, out: &mut Vec<u8>) {
        out.extend(self.symbols.iter().flat_map(|symbol| symbol.bytes.to_le_bytes()));
        out.extend(self.symbols.iter().map(|symbol| symbol.len));
    }
}

/// The tables of a [`Matcher`] for many look-ups.
#[derive(Clone, Copy)]
pub(super) struct Lookup<'m> {
    long: &'m [Long; LONG_PLACES],
    short: &'m [u16; 1 << 16],
    matcher: &'m Matcher,
}

impl Lookup<'_> {
    /// The symbol that eight bytes begin with, the first one lowest.
    #[inline(always)]
    pub(super) fn next(&self, word: u64) -> Match {
        let long = &self.long[place_of(word)];
        if word & (u64::MAX >> long.ignored) == long.bytes {
            return Match { code: long.code, len: long.len };
        }
        self.next_short(word)
    }

    #[inline(always)]
    fn next_short(&self, word: u64) -> Match {
        let [code, len] = self.short[(word & 0xFFFF) as usize].to_le_bytes();
        Match { code, len }
    }

    /// The symbol that `left` bytes, fewer than eight, begin with; zeros behind them.
    #[inline]
    pub(super) fn next_of_few(&self, word: u64, left: usize) -> Match {
        let found = self.next(word);
        if usize::from(found.len) <= left {
            return found;
        }
        // It has taken zeros behind the string for bytes of it: a shorter one may fit.
        let found = self.next_short(word);
        if usize::from(found.len) <= left {
            return found;
        }
        self.matcher.single(word as u8)
    }

    /// Writes the codes of a string to `codes` from `written` on.
    #[inline(always)]
    fn compress(&self, data: &[u8], string: std::ops::Range<usize>, codes: &mut [u8], written: &mut usize) {
        let mut put = |found: Match, byte: u8| {
            if let Some([code, literal]) = codes.get_mut(*written..*written + 2) {
                // The second one is overwritten, but after an escape.
                (*code, *literal) = (found.code, byte);
                *written += 1 + usize::from(found.code == ESCAPE);
            }
        };
        let mut rest = data.get(string.clone()).unwrap_or_default();
        while let Some(head) = rest.first_chunk::<MAX_SYMBOL>() {
            let found = self.next(u64::from_le_bytes(*head));
            put(found, head[0]);
            rest = rest.get(usize::from(found.len)..).unwrap_or_default();
        }
        let mut left = rest.len();
        let mut word = last_word(data, string.end - left, left);
        while left > 0 {
            let found = self.next_of_few(word, left);
            put(found, word as u8);
            word >>= 8 * u32::from(found.len);
            left -= usize::from(found.len);
        }
    }
}

/// Fewer than eight bytes from `start` on as a word, zeros behind them.
#[inline(always)]
pub(super) fn last_word(data: &[u8], start: usize, left: usize) -> u64 {
    match data.get(start..).and_then(<[u8]>::first_chunk) {
        // What follows is another string's.
        Some(word) => u64::from_le_bytes(*word) & !(u64::MAX << (8 * left)),
        None => {
            let rest = data.get(start..start + left).unwrap_or_default();
            rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
        }
    }
}
