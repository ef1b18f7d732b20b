//! LIKE and ILIKE.
//!
//! [`LikePattern`] is a compiled pattern with exactly the meaning of Arrow's `like` and `ilike` kernels, which DataFusion
//! runs: `%` is any text, `_` any one character (a newline too), a backslash makes the next character literal whatever it
//! is, and a backslash at the end is itself.
//!
//! LIKE is matched by the segments between the `%`s, without backtracking over them. ILIKE folds case as the regex engine
//! does under Arrow, and so uses it.

use regex::{Regex, RegexBuilder};

/// Why a pattern cannot be compiled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the ILIKE pattern of {length} bytes cannot be compiled: {reason}; shorten it")]
pub struct PatternError {
    /// Length of the pattern in bytes.
    pub length: usize,
    /// What the regex engine says, in one line.
    pub reason: String,
}

/// A compiled LIKE or ILIKE pattern.
///
/// ```
/// use ostracon_compare::LikePattern;
///
/// let pattern = LikePattern::compile(r"50\%_off%", false)?;
/// assert!(pattern.matches("50% off today") && !pattern.matches("500 off"));
/// assert_eq!(pattern.prefix(), "50%");
/// # Ok::<(), ostracon_compare::PatternError>(())
/// ```
#[derive(Clone, Debug)]
pub struct LikePattern {
    /// The literal text before the first wildcard; empty for ILIKE.
    prefix: String,
    matcher: Matcher,
}

#[derive(Clone, Debug)]
enum Matcher {
    /// No wildcard: the prefix is the whole text.
    Exact,
    /// The prefix, then anything.
    Prefix,
    /// Segments in order with anything between them.
    Segments(Vec<Segment>),
    /// ILIKE.
    Folded(Regex),
}

/// What stands between two `%`s.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Segment {
    pieces: Vec<Piece>,
    /// Number of characters.
    chars: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Literal(String),
    /// So many characters, whatever they are.
    AnyChars(usize),
}

/// A character of the pattern with its escape resolved.
enum Token {
    Literal(char),
    AnyChar,
    AnyText,
}

fn tokens(pattern: &str) -> impl Iterator<Item = Token> {
    let mut chars = pattern.chars();
    std::iter::from_fn(move || {
        Some(match chars.next()? {
            '%' => Token::AnyText,
            '_' => Token::AnyChar,
            '\\' => Token::Literal(chars.next().unwrap_or('\\')),
            literal => Token::Literal(literal),
        })
    })
}

impl LikePattern {
    /// Compiles a pattern. A LIKE pattern always compiles; an ILIKE pattern of many kilobytes may exceed what the regex
    /// engine accepts (as it does in DataFusion).
    pub fn compile(pattern: &str, case_insensitive: bool) -> Result<Self, PatternError> {
        if case_insensitive {
            let matcher = Matcher::Folded(folded(pattern)?);
            return Ok(Self { prefix: String::new(), matcher });
        }
        let mut segments = vec![Segment::default()];
        for token in tokens(pattern) {
            match (token, segments.last_mut()) {
                (Token::Literal(char), Some(segment)) => segment.push_literal(char),
                (Token::AnyChar, Some(segment)) => segment.push_any(),
                (Token::AnyText, _) | (_, None) => segments.push(Segment::default()),
            }
        }
        let prefix = segments.first().map(Segment::literal_start).unwrap_or_default().to_owned();
        // Nothing between two `%`s is nothing to look for.
        let last = segments.len() - 1;
        let mut position = 0;
        segments.retain(|segment| {
            let inner = position != 0 && position != last;
            position += 1;
            !inner || segment.chars > 0
        });
        let matcher = match segments.as_slice() {
            [only] if only.is_literal() => Matcher::Exact,
            [first, end] if first.is_literal() && end.chars == 0 => Matcher::Prefix,
            _ => Matcher::Segments(segments),
        };
        Ok(Self { prefix, matcher })
    }

    /// Whether the text matches.
    pub fn matches(&self, text: &str) -> bool {
        match &self.matcher {
            Matcher::Exact => text == self.prefix,
            Matcher::Prefix => text.starts_with(&self.prefix),
            Matcher::Segments(segments) => matches_segments(segments, text),
            Matcher::Folded(regex) => regex.is_match(text),
        }
    }

    /// The literal text every match starts with, escapes resolved; empty for ILIKE.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Whether the pattern is its prefix followed by nothing but `%`: a text matches exactly if it starts with the prefix.
    pub fn is_prefix_only(&self) -> bool {
        matches!(self.matcher, Matcher::Prefix)
    }

    /// Whether the pattern has no wildcard: a text matches exactly if it equals the prefix.
    pub fn is_exact(&self) -> bool {
        matches!(self.matcher, Matcher::Exact)
    }
}

/// The segments in order: the first at the start, the last at the end, each other at its first place behind its
/// predecessor. Taking the first place never loses a match, since what follows only needs room.
fn matches_segments(segments: &[Segment], text: &str) -> bool {
    let Some((first, others)) = segments.split_first() else { return text.is_empty() };
    let Some(mut rest) = first.strip_from_start(text) else { return false };
    let Some((last, middle)) = others.split_last() else { return rest.is_empty() };
    for segment in middle {
        match segment.find(rest) {
            Some(behind) => rest = behind,
            None => return false,
        }
    }
    last.ends(rest)
}

impl Segment {
    fn push_literal(&mut self, char: char) {
        self.chars += 1;
        match self.pieces.last_mut() {
            Some(Piece::Literal(text)) => text.push(char),
            _ => self.pieces.push(Piece::Literal(char.into())),
        }
    }

    fn push_any(&mut self) {
        self.chars += 1;
        match self.pieces.last_mut() {
            Some(Piece::AnyChars(count)) => *count += 1,
            _ => self.pieces.push(Piece::AnyChars(1)),
        }
    }

    fn literal_start(&self) -> &str {
        match self.pieces.first() {
            Some(Piece::Literal(text)) => text,
            _ => "",
        }
    }

    fn is_literal(&self) -> bool {
        matches!(self.pieces.as_slice(), [] | [Piece::Literal(_)])
    }

    /// What is left of the text behind the segment, if the text starts with it.
    fn strip_from_start<'a>(&self, text: &'a str) -> Option<&'a str> {
        let mut rest = text;
        for piece in &self.pieces {
            rest = match piece {
                Piece::Literal(literal) => rest.strip_prefix(literal.as_str())?,
                Piece::AnyChars(count) => {
                    let mut chars = rest.chars();
                    chars.nth(count - 1)?;
                    chars.as_str()
                }
            };
        }
        Some(rest)
    }

    /// What is left of the text behind the first place where the segment is.
    fn find<'a>(&self, text: &'a str) -> Option<&'a str> {
        // Where a literal leads, only its places come into question.
        let lead = self.literal_start();
        let mut rest = text;
        loop {
            rest = rest.get(rest.find(lead)?..)?;
            if let Some(behind) = self.strip_from_start(rest) {
                return Some(behind);
            }
            let mut chars = rest.chars();
            chars.next()?;
            rest = chars.as_str();
        }
    }

    /// Whether the text ends with the segment.
    fn ends(&self, text: &str) -> bool {
        let Some(back) = self.chars.checked_sub(1) else { return true };
        match text.char_indices().nth_back(back) {
            Some((at, _)) => {
                text.get(at..).and_then(|tail| self.strip_from_start(tail)).is_some_and(str::is_empty)
            }
            None => false,
        }
    }
}

/// The pattern as a regex that ignores case.
fn folded(pattern: &str) -> Result<Regex, PatternError> {
    let mut regex = String::with_capacity(pattern.len() + 8);
    regex.push('^');
    for token in tokens(pattern) {
        match token {
            Token::AnyText => regex.push_str(".*"),
            Token::AnyChar => regex.push('.'),
            Token::Literal(char) => {
                regex.push_str(&regex::escape(char.encode_utf8(&mut [0; 4])));
            }
        }
    }
    regex.push('$');
    RegexBuilder::new(&regex).case_insensitive(true).dot_matches_new_line(true).build().map_err(|error| {
        let reason = error.to_string();
        PatternError {
            length: pattern.len(),
            reason: reason.lines().next_back().unwrap_or_default().to_owned(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn like(pattern: &str, text: &str) -> bool {
        LikePattern::compile(pattern, false).unwrap().matches(text)
    }

    #[test]
    fn wildcards() {
        for (pattern, matching, other) in [
            ("", &[""][..], &["a"][..]),
            ("%", &["", "a", "\n"], &[]),
            ("_", &["a", "é", "\n", "😀"], &["", "ab"]),
            ("a%", &["a", "ab"], &["", "ba"]),
            ("%a", &["a", "ba"], &["ab"]),
            ("%a%", &["a", "bab"], &["b", ""]),
            ("a%b%c", &["abc", "axbxc", "abbcc"], &["ab", "acb", "abcx"]),
            ("a_c", &["abc", "aéc"], &["ac", "abbc"]),
            ("%ab%ab%", &["abab", "xabyabz"], &["ab", "aab"]),
            ("_%_", &["ab", "abc"], &["a", ""]),
            ("%_", &["a", "ab"], &[""]),
            ("ab%ba", &["abba", "abxba"], &["aba"]),
            ("%a_%", &["ab", "xaa"], &["a", "xa"]),
        ] {
            for text in matching {
                assert!(like(pattern, text), "{pattern:?} {text:?}");
            }
            for text in other {
                assert!(!like(pattern, text), "{pattern:?} {text:?}");
            }
        }
    }

    #[test]
    fn backslashes() {
        assert!(like(r"50\%", "50%") && !like(r"50\%", "500"));
        assert!(like(r"a\_b", "a_b") && !like(r"a\_b", "axb"));
        assert!(like(r"\a", "a") && like(r"a\\b", r"a\b"));
        assert!(like("a\\", "a\\") && !like("a\\", "a"));
        assert!(like(r"\\%", r"\x"));
    }

    #[test]
    fn what_a_planner_asks() {
        let of = |pattern| {
            let compiled = LikePattern::compile(pattern, false).unwrap();
            (compiled.prefix().to_owned(), compiled.is_prefix_only(), compiled.is_exact())
        };
        assert_eq!(of("abc"), ("abc".into(), false, true));
        assert_eq!(of("abc%"), ("abc".into(), true, false));
        assert_eq!(of("abc%%"), ("abc".into(), true, false));
        assert_eq!(of("%"), (String::new(), true, false));
        assert_eq!(of("abc%d"), ("abc".into(), false, false));
        assert_eq!(of("abc_"), ("abc".into(), false, false));
        assert_eq!(of("_"), (String::new(), false, false));
        assert_eq!(of(r"fo\_%"), ("fo_".into(), true, false));
        assert_eq!(of(""), (String::new(), false, true));
        let folded = LikePattern::compile("abc%", true).unwrap();
        assert!(folded.prefix().is_empty() && !folded.is_prefix_only() && !folded.is_exact());
    }

    #[test]
    fn folding_is_unicode() {
        let folded = LikePattern::compile("stra\u{df}e%", true).unwrap();
        assert!(folded.matches("STRA\u{1e9e}E 5"));
        assert!(LikePattern::compile("k_", true).unwrap().matches("\u{212a}\n"));
        assert!(LikePattern::compile(r"a.\%", true).unwrap().matches("A.%"));
    }

    #[test]
    fn a_monstrous_pattern_is_an_error_not_a_panic() {
        let error = LikePattern::compile(&"_".repeat(200_000), true).unwrap_err();
        assert_eq!(error.length, 200_000);
        assert!(like(&"_".repeat(200_000), &"x".repeat(200_000)));
    }
}
