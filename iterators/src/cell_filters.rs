//! Filters that judge a cell by its time, its label or patterns: Accumulo's `TimestampFilter`, `ColumnAgeOffFilter`,
//! `ReqVisFilter` and `RegExFilter`.

use std::collections::BTreeMap;

use ostracon_data::Key;
use regex::bytes::Regex;

use crate::filter::{CellPredicate, Filter};

/// Cells from one time to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WithinTimes {
    /// The first time, and whether it counts itself.
    pub start: Option<(i64, bool)>,
    /// The last time, and whether it counts itself.
    pub end: Option<(i64, bool)>,
}

impl CellPredicate for WithinTimes {
    fn accept(&mut self, key: &Key, _value: &[u8]) -> bool {
        let from = self
            .start
            .is_none_or(|(start, inclusive)| key.timestamp > start || inclusive && key.timestamp == start);
        let to =
            self.end.is_none_or(|(end, inclusive)| key.timestamp < end || inclusive && key.timestamp == end);
        from && to
    }
}

/// An iterator over the cells of a time.
pub type TimestampFilter = Filter<WithinTimes>;

/// Cells that are not older than their column's time to live; a column without one keeps all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnNotExpired {
    /// Milliseconds by family and qualifier; a family's own counts where the column has none.
    pub ttl_ms: BTreeMap<(Vec<u8>, Option<Vec<u8>>), u64>,
    /// The time to count from.
    pub now_ms: i64,
}

impl CellPredicate for ColumnNotExpired {
    fn accept(&mut self, key: &Key, _value: &[u8]) -> bool {
        let column = (key.family.clone(), Some(key.qualifier.clone()));
        let ttl = self.ttl_ms.get(&column).or_else(|| self.ttl_ms.get(&(column.0, None)));
        ttl.is_none_or(|ttl| i128::from(self.now_ms) - i128::from(key.timestamp) <= i128::from(*ttl))
    }
}

/// An iterator over the cells that are not older than their column allows.
pub type ColumnAgeOffFilter = Filter<ColumnNotExpired>;

/// Cells with a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HasLabel;

impl CellPredicate for HasLabel {
    fn accept(&mut self, key: &Key, _value: &[u8]) -> bool {
        !key.visibility.is_empty()
    }
}

/// An iterator over the cells that have a label.
pub type ReqVisFilter = Filter<HasLabel>;

/// Patterns for the parts of a cell; a part without one is not looked at.
#[derive(Debug, Clone, Default)]
pub struct MatchesPatterns {
    /// For the row.
    pub row: Option<Regex>,
    /// For the family.
    pub family: Option<Regex>,
    /// For the qualifier.
    pub qualifier: Option<Regex>,
    /// For the value.
    pub value: Option<Regex>,
    /// Whether one match is enough; else all parts that have a pattern must match.
    pub any: bool,
}

impl MatchesPatterns {
    /// A pattern for bytes, which matches them whole unless a part is enough.
    ///
    /// # Errors
    /// The reason why the text is no pattern.
    pub fn pattern(text: &str, part_is_enough: bool) -> Result<Regex, String> {
        let whole = if part_is_enough { format!("(?:{text})") } else { format!(r"\A(?:{text})\z") };
        Regex::new(&whole).map_err(|error| format!("\"{text}\" is no regular expression: {error}"))
    }
}

impl CellPredicate for MatchesPatterns {
    fn accept(&mut self, key: &Key, value: &[u8]) -> bool {
        let parts: [(&Option<Regex>, &[u8]); 4] = [
            (&self.row, &key.row),
            (&self.family, &key.family),
            (&self.qualifier, &key.qualifier),
            (&self.value, value),
        ];
        let mut judged =
            parts.into_iter().filter_map(|(pattern, bytes)| Some(pattern.as_ref()?.is_match(bytes)));
        match self.any {
            // Without any pattern nothing is asked for.
            true => judged.next().is_none_or(|first| first || judged.any(|matches| matches)),
            false => judged.all(|matches| matches),
        }
    }
}

/// An iterator over the cells that match patterns.
pub type RegExFilter = Filter<MatchesPatterns>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_count_their_ends_as_told() {
        let accept = |start, end, timestamp| {
            WithinTimes { start, end }.accept(&Key { timestamp, ..Key::default() }, b"")
        };
        assert!(accept(None, None, i64::MIN) && accept(Some((5, true)), Some((5, true)), 5));
        assert!(!accept(Some((5, false)), None, 5) && !accept(None, Some((5, false)), 5));
        assert!(
            accept(Some((5, false)), Some((7, false)), 6) && !accept(Some((5, true)), Some((7, true)), 8)
        );
    }

    #[test]
    fn columns_age_by_themselves() {
        let mut filter = ColumnNotExpired {
            ttl_ms: BTreeMap::from([
                ((b"f".to_vec(), None), 10),
                ((b"f".to_vec(), Some(b"q".to_vec())), 100),
            ]),
            now_ms: 1000,
        };
        let mut accept = |family: &str, qualifier: &str, timestamp| {
            filter.accept(&Key::new("r", family, qualifier, "", timestamp), b"")
        };
        assert!(accept("f", "x", 990) && !accept("f", "x", 989));
        assert!(accept("f", "q", 900) && !accept("f", "q", 899));
        assert!(accept("g", "x", i64::MIN));
    }

    #[test]
    fn patterns_match_whole_parts_or_anywhere() {
        let key = Key::new("row7", "fam", "qual", "", 1);
        let whole = |text: &str| Some(MatchesPatterns::pattern(text, false).unwrap());
        let part = |text: &str| Some(MatchesPatterns::pattern(text, true).unwrap());
        let accept = |mut patterns: MatchesPatterns| patterns.accept(&key, b"value\xff");
        assert!(accept(MatchesPatterns::default()));
        assert!(accept(MatchesPatterns {
            row: whole("row[0-9]"),
            family: whole("f.m"),
            ..Default::default()
        }));
        assert!(!accept(MatchesPatterns { row: whole("row"), ..Default::default() }));
        assert!(accept(MatchesPatterns { row: part("row"), ..Default::default() }));
        assert!(!accept(MatchesPatterns { row: part("row"), value: whole("a|b"), ..Default::default() }));
        assert!(accept(MatchesPatterns {
            row: part("row"),
            value: whole("a|b"),
            any: true,
            ..Default::default()
        }));
        assert!(accept(MatchesPatterns { value: part(r"(?-u)\xff"), ..Default::default() }));
        assert!(MatchesPatterns::pattern("(", false).is_err());
    }
}
