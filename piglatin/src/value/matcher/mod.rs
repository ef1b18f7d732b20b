//! Java's regular expressions over text and over bytes of no known encoding (N33).

mod cache;
mod class;
mod problem;
mod replacement;
#[cfg(test)]
mod tests;
mod translate;

pub use cache::MatcherCache;
pub use problem::PatternProblem;
pub use replacement::Replacement;

use std::sync::OnceLock;

use regex::{Captures, Regex, bytes};

use translate::{Mode, translate};

/// A compiled pattern.
///
/// Patterns are written as for Java; what only Java's engine can do (look-around, back references, possessive
/// quantifiers) is refused by name. Differences that are left: `(?i)` folds the case of all letters and not only of ASCII
/// ones, `$` does not match before a line break at the end, and `^` and `$` under `(?m)` heed only `\n`.
#[derive(Debug)]
pub struct Matcher {
    pattern: String,
    /// Matches anywhere.
    anywhere: Regex,
    /// Matches the whole value.
    whole: Regex,
    /// The same over bytes; most values are text, so it is made when the first comes that is not.
    whole_bytes: OnceLock<Result<bytes::Regex, PatternProblem>>,
}

impl Matcher {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// If it is no pattern, or one that only Java can match.
    pub fn new(pattern: &str) -> Result<Self, PatternProblem> {
        let translated = translate(pattern, Mode::Text)?;
        let compile = |pattern: &str| Regex::new(pattern).map_err(|error| PatternProblem::of_regex(&error));
        Ok(Self {
            pattern: pattern.to_owned(),
            anywhere: compile(&translated)?,
            whole: compile(&format!(r"\A(?:{translated})\z"))?,
            whole_bytes: OnceLock::new(),
        })
    }

    /// The pattern as it was given.
    #[must_use]
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    /// How many groups it has, without the whole match.
    #[must_use]
    pub fn groups(&self) -> usize {
        self.anywhere.captures_len() - 1
    }

    /// Whether the whole text matches: Java's `matches`.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        self.whole.is_match(text)
    }

    /// Whether all bytes match: as text if they are UTF-8, else each byte is a character.
    ///
    /// # Errors
    /// If the pattern is too large for bytes.
    pub fn matches_bytes(&self, value: &[u8]) -> Result<bool, PatternProblem> {
        if let Ok(text) = std::str::from_utf8(value) {
            return Ok(self.matches(text));
        }
        match self.whole_bytes.get_or_init(|| self.compile_bytes()) {
            Ok(regex) => Ok(regex.is_match(value)),
            Err(problem) => Err(problem.clone()),
        }
    }

    /// Classes of letters other than ASCII have no meaning for bytes; a pattern with one matches the characters that there
    /// are, and bytes between them match nothing.
    fn compile_bytes(&self) -> Result<bytes::Regex, PatternProblem> {
        let whole = |mode: Mode, flags: &str| {
            let translated = translate(&self.pattern, mode)?;
            bytes::Regex::new(&format!(r"{flags}\A(?:{translated})\z"))
                .map_err(|error| PatternProblem::of_regex(&error))
        };
        whole(Mode::Bytes, "(?-u)").or_else(|_| whole(Mode::Text, ""))
    }

    /// The groups of the whole text, that of the match first: Java's `matches` and `group`.
    #[must_use]
    pub fn captures_whole<'t>(&self, text: &'t str) -> Option<Captures<'t>> {
        self.whole.captures(text)
    }

    /// The groups of the first match from a place on, that of the match first: Java's `find`.
    #[must_use]
    pub fn find<'t>(&self, text: &'t str, from: usize) -> Option<Captures<'t>> {
        if from > text.len() { None } else { self.anywhere.captures_at(text, from) }
    }

    /// Calls back for each match, as repeated `find` in Java: after an empty match the next begins a character on; after
    /// another one an empty match may follow at once.
    pub fn each_match<'t>(&self, text: &'t str, mut found: impl FnMut(&Captures<'t>)) {
        let mut from = 0;
        while let Some(captures) = self.find(text, from) {
            let Some(whole) = captures.get(0) else { return };
            found(&captures);
            from = whole.end();
            if whole.is_empty() {
                from += text[from..].chars().next().map_or(1, char::len_utf8);
            }
        }
    }

    /// Java's `replaceAll`.
    #[must_use]
    pub fn replace_all(&self, text: &str, replacement: &Replacement) -> String {
        let (mut out, mut copied) = (String::with_capacity(text.len()), 0);
        self.each_match(text, |captures| {
            if let Some(whole) = captures.get(0) {
                out.push_str(&text[copied..whole.start()]);
                replacement.append(captures, &mut out);
                copied = whole.end();
            }
        });
        out.push_str(&text[copied..]);
        out
    }
}
