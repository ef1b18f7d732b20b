//! The labels a reader holds.
//!
//! [`Authorizations`] is a set of tokens; [`ColumnVisibility`](crate::ColumnVisibility) decides by it. Who may hold
//! which token is the concern of upper layers.

use std::collections::BTreeSet;
use std::fmt;

use crate::VisibilityError;
use crate::visibility::{is_token_byte, write_quoted};

/// A set of authorization tokens, byte strings that labels name.
///
/// ```
/// use ostracon_data::Authorizations;
///
/// let granted = Authorizations::parse(r#"staff, "a,b""#)?;
/// assert!(granted.contains(b"staff") && granted.contains(b"a,b"));
/// assert_eq!(granted.to_string(), r#""a,b",staff"#);
/// # Ok::<(), ostracon_data::VisibilityError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Authorizations(BTreeSet<Vec<u8>>);

impl Authorizations {
    /// No token: only unlabelled cells are seen.
    pub fn empty() -> Self {
        Self::default()
    }

    /// The set of the given tokens.
    pub fn new<T: Into<Vec<u8>>>(tokens: impl IntoIterator<Item = T>) -> Self {
        tokens.into_iter().collect()
    }

    /// Reads `A,B`: tokens separated by commas, white space around them dropped, empty ones too. A token with a comma
    /// or white space at its ends is written in double quotes, within which `\"` and `\\` stand for the characters.
    pub fn parse(text: &str) -> Result<Self, VisibilityError> {
        let bytes = text.as_bytes();
        let mut tokens = BTreeSet::new();
        let mut at = 0;
        while at < bytes.len() {
            let rest = bytes.get(at..).unwrap_or_default();
            let skipped = rest.iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == b',').count();
            if skipped > 0 {
                at += skipped;
                continue;
            }
            let (token, length) = if rest.first() == Some(&b'"') {
                crate::visibility::read_quoted(rest).map_err(|error| error.at(at))?
            } else {
                let plain = rest.split(|byte| *byte == b',').next().unwrap_or_default();
                (plain.trim_ascii_end().to_vec(), plain.len())
            };
            at += length;
            tokens.insert(token);
            let tail = bytes.get(at..).unwrap_or_default().trim_ascii_start();
            if tail.first().is_some_and(|byte| *byte != b',') {
                return Err(VisibilityError {
                    message: "a comma is missing after a quoted authorization".to_owned(),
                    position: bytes.len() - tail.len(),
                });
            }
        }
        Ok(Self(tokens))
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many tokens there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the token is in the set.
    pub fn contains(&self, token: &[u8]) -> bool {
        self.0.contains(token)
    }

    /// The tokens in both sets.
    pub fn intersect(&self, other: &Self) -> Self {
        Self(self.0.intersection(&other.0).cloned().collect())
    }

    /// The tokens in either set.
    pub fn union(&self, other: &Self) -> Self {
        Self(self.0.union(&other.0).cloned().collect())
    }

    /// Whether every token of this set is in the other.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.0.is_subset(&other.0)
    }

    /// The tokens in byte order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.0.iter().map(Vec::as_slice)
    }
}

impl<T: Into<Vec<u8>>> FromIterator<T> for Authorizations {
    fn from_iter<I: IntoIterator<Item = T>>(tokens: I) -> Self {
        Self(tokens.into_iter().map(Into::into).collect())
    }
}

impl fmt::Display for Authorizations {
    /// Comma text that [`parse`](Self::parse) reads back (if the tokens are UTF-8; other bytes are shown replaced).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, token) in self.0.iter().enumerate() {
            if at > 0 {
                f.write_str(",")?;
            }
            if !token.is_empty() && token.iter().all(|byte| is_token_byte(*byte)) {
                f.write_str(&String::from_utf8_lossy(token))?;
            } else {
                write_quoted(f, token)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn parse_trims_and_drops_empty_parts() {
        let parsed = Authorizations::parse(" A ,,B C, é,").unwrap();
        assert_eq!(parsed, Authorizations::new(["A", "B C", "é"]));
        assert_eq!(Authorizations::parse("").unwrap(), Authorizations::empty());
        assert_eq!(Authorizations::parse(" , ").unwrap(), Authorizations::empty());
    }

    #[test]
    fn parse_refuses_broken_quotes() {
        assert_eq!(Authorizations::parse("A,\"B").unwrap_err().position, 2);
        assert_eq!(Authorizations::parse("\"A\"B").unwrap_err().position, 3);
        assert_eq!(Authorizations::parse("x, \"\"").unwrap_err().position, 3);
    }

    #[test]
    fn set_algebra() {
        let a = Authorizations::new(["A", "B"]);
        let b = Authorizations::new(["B", "C"]);
        assert_eq!(a.intersect(&b), Authorizations::new(["B"]));
        assert_eq!(a.union(&b).len(), 3);
        assert!(a.intersect(&b).is_subset(&a) && !a.is_subset(&b));
        assert!(Authorizations::empty().is_empty() && Authorizations::empty().is_subset(&a));
        assert_eq!(a.iter().collect::<Vec<_>>(), [b"A", b"B"]);
        assert!(a.contains(b"A") && !a.contains(b"C"));
    }

    proptest! {
        #[test]
        fn display_parses_back(tokens in prop::collection::btree_set("[ -~é\u{0}\n]{1,4}", 0..4)) {
            let set = Authorizations::new(tokens);
            prop_assert_eq!(Authorizations::parse(&set.to_string()).unwrap(), set);
        }

        #[test]
        fn parse_never_panics(text in "[A\", \\\\é]{0,12}") {
            let parsed = Authorizations::parse(&text);
            prop_assert!(parsed.is_ok() || parsed.is_err_and(|error| error.position <= text.len()));
        }
    }
}
