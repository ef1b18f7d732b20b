//! Choosing symbols.

use super::matcher::{Matcher, last_word};
use super::{ESCAPE, MAX_SYMBOL, Symbol};

/// Chooses the symbols of a table by a sample, round by round: compress it with the symbols found so far, count them and pairs
/// of neighbours, keep those that save most.
#[derive(Debug, Default)]
pub(crate) struct Trainer {
    /// How often each symbol, and after them each single byte, came up.
    singles: Vec<u32>,
    pairs: Pairs,
    candidates: Vec<(u64, Symbol)>,
}

/// The part of the sample, in eighths, that each round looks at.
const ROUNDS: [usize; 4] = [2, 4, 6, 8];
/// In counts, single bytes lie behind the symbols.
const BYTES_AT: usize = 256;

impl Trainer {
    /// Makes `matcher` a table for strings like the sample's. `scale` is how many bytes there are for each of the sample: symbols
    /// that would not save their own entry are left out.
    pub(crate) fn train(&mut self, sample: &[&[u8]], scale: u64, matcher: &mut Matcher) {
        matcher.rebuild(std::iter::empty());
        for eighths in ROUNDS {
            let last = eighths == 8;
            let part = sample.get(..(sample.len() * eighths).div_ceil(8)).unwrap_or(sample);
            self.count(part, matcher, !last);
            self.collect(matcher, eighths as u32, if last { Some(scale) } else { None });
            matcher.rebuild(self.candidates.iter().map(|(_, symbol)| *symbol));
        }
    }

    fn count(&mut self, sample: &[&[u8]], matcher: &Matcher, count_pairs: bool) {
        self.singles.clear();
        self.singles.resize(2 * BYTES_AT, 0);
        self.pairs.clear();
        let mut count_single = |code: usize| {
            if let Some(count) = self.singles.get_mut(code) {
                *count += 1;
            }
        };
        let Some(lookup) = matcher.lookup() else { return };
        for string in sample {
            let mut rest: &[u8] = string;
            let mut before: Option<usize> = None;
            while let Some(&byte) = rest.first() {
                let found = match rest.first_chunk::<MAX_SYMBOL>() {
                    Some(head) => lookup.next(u64::from_le_bytes(*head)),
                    None => lookup.next_of_few(last_word(rest, 0, rest.len()), rest.len()),
                };
                let as_byte = BYTES_AT + usize::from(byte);
                let code = if found.code == ESCAPE { as_byte } else { usize::from(found.code) };
                count_single(code);
                if found.len > 1 {
                    // The other way on: only its first byte.
                    count_single(as_byte);
                }
                if let (Some(before), true) = (before, count_pairs) {
                    self.pairs.count(before, code);
                    if found.len > 1 {
                        self.pairs.count(before, as_byte);
                    }
                }
                before = Some(code);
                rest = rest.get(usize::from(found.len)..).unwrap_or_default();
            }
        }
    }

    /// Fills the candidates, those that save most first.
    fn collect(&mut self, matcher: &Matcher, eighths: u32, final_scale: Option<u64>) {
        let symbol_of = |code: usize| match code.checked_sub(BYTES_AT) {
            Some(byte) => Some(Symbol::of_byte(byte as u8)),
            None => matcher.symbol(code),
        };
        self.candidates.clear();
        for (code, &count) in self.singles.iter().enumerate() {
            let Some(symbol) = symbol_of(code).filter(|_| count > 0) else { continue };
            // A byte without a symbol takes two: single bytes are worth more than they are long.
            let weight = if symbol.len == 1 { 8 } else { u64::from(symbol.len) };
            self.candidates.push((u64::from(count) * weight, symbol));
        }
        let least = (5 * eighths / 8).max(2);
        for (first, second, count) in self.pairs.iter().filter(|(_, _, count)| *count >= least) {
            let joined = symbol_of(first).zip(symbol_of(second)).and_then(|(a, b)| a.then(b));
            if let Some(symbol) = joined {
                self.candidates.push((u64::from(count) * u64::from(symbol.len), symbol));
            }
        }
        // The same bytes may have come together in several ways.
        self.candidates.sort_unstable_by_key(|(_, symbol)| (symbol.bytes, symbol.len));
        self.candidates.dedup_by(|next, kept| {
            let same = next.1 == kept.1;
            if same {
                kept.0 += next.0;
            }
            same
        });
        if let Some(scale) = final_scale {
            let entry = MAX_SYMBOL as u64 + 1;
            self.candidates.retain(|(gain, symbol)| {
                let saved = if symbol.len == 1 { gain / 8 } else { gain - gain / u64::from(symbol.len) };
                saved * scale > entry
            });
        }
        self.candidates
            .sort_unstable_by(|a, b| b.0.cmp(&a.0).then((a.1.bytes, a.1.len).cmp(&(b.1.bytes, b.1.len))));
    }
}

/// How often two codes followed each other.
#[derive(Debug, Default)]
struct Pairs {
    /// `first << 9 | second + 1` and the count; 0: free.
    slots: Vec<(u32, u32)>,
    used: usize,
}

const PAIR_SLOTS: usize = 1 << 14;

impl Pairs {
    fn clear(&mut self) {
        self.slots.clear();
        self.slots.resize(PAIR_SLOTS, (0, 0));
        self.used = 0;
    }

    #[inline]
    fn count(&mut self, first: usize, second: usize) {
        let key = (first << 9 | second) as u32 + 1;
        let mut place = (key.wrapping_mul(2_654_435_761) >> (32 - PAIR_SLOTS.ilog2())) as usize;
        loop {
            match self.slots.get_mut(place % PAIR_SLOTS) {
                Some((held, count)) if *held == key => {
                    *count += 1;
                    return;
                }
                // Rare pairs of a large sample that find no room are no loss.
                Some((held, count)) if *held == 0 && self.used < PAIR_SLOTS / 2 => {
                    (*held, *count) = (key, 1);
                    self.used += 1;
                    return;
                }
                Some((0, _)) | None => return,
                Some(_) => place += 1,
            }
        }
    }

    fn iter(&self) -> impl Iterator<Item = (usize, usize, u32)> {
        self.slots.iter().filter(|(key, _)| *key > 0).map(|(key, count)| {
            let key = *key as usize - 1;
            (key >> 9, key & 511, *count)
        })
    }
}
