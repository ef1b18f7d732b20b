use std::sync::{Arc, OnceLock};

/// A piece of a pattern of Joda-Time's `DateTimeFormat`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Item {
    /// Text that stands for itself.
    Literal(String),
    /// A letter and how often it stands there.
    Field { letter: char, count: usize },
}

/// The pattern of one call in a script, which as a rule is a constant: the first is read once.
#[derive(Debug, Default)]
pub(super) struct FirstPattern(OnceLock<(String, Arc<[Item]>)>);

impl FirstPattern {
    /// The pieces of a pattern.
    ///
    /// # Errors
    /// As of [`parse_pattern`].
    pub(super) fn get(&self, pattern: &str) -> Result<Arc<[Item]>, String> {
        match self.0.get() {
            Some((first, items)) if first == pattern => Ok(Arc::clone(items)),
            Some(_) => Ok(parse_pattern(pattern)?.into()),
            None => {
                let items: Arc<[Item]> = parse_pattern(pattern)?.into();
                // Another thread may have been first, with another pattern; this one is read again when it comes.
                let _ = self.0.set((pattern.to_owned(), Arc::clone(&items)));
                Ok(items)
            }
        }
    }
}

/// The letters there are; `b` and the like are none.
const LETTERS: &str = "GCYyxMwdDeEaKhHkmsSzZ";

/// Reads a pattern: letters, `'quoted text'`, `''`.
///
/// # Errors
/// Says which letter means nothing.
pub(super) fn parse_pattern(pattern: &str) -> Result<Vec<Item>, String> {
    let mut items = Vec::new();
    let mut rest = pattern;
    while let Some(first) = rest.chars().next() {
        if first.is_ascii_alphabetic() {
            let after = rest.trim_start_matches(first);
            let count = rest.len() - after.len();
            if !LETTERS.contains(first) {
                return Err(format!("'{first}' means nothing in the pattern '{pattern}'"));
            }
            items.push(Item::Field { letter: first, count });
            rest = after;
        } else if let Some(quoted) = rest.strip_prefix('\'') {
            rest = quoted_text(quoted, &mut items);
        } else {
            literal(&mut items, &rest[..first.len_utf8()]);
            rest = &rest[first.len_utf8()..];
        }
    }
    if items.is_empty() {
        return Err("the pattern is empty".to_owned());
    }
    Ok(items)
}

/// Behind an opening quote: a quote, or text up to the closing one, in which two quotes are one.
fn quoted_text<'a>(text: &'a str, items: &mut Vec<Item>) -> &'a str {
    if let Some(after) = text.strip_prefix('\'') {
        literal(items, "'");
        return after;
    }
    let mut rest = text;
    loop {
        let Some((part, after)) = rest.split_once('\'') else {
            literal(items, rest);
            return "";
        };
        literal(items, part);
        match after.strip_prefix('\'') {
            Some(more) => {
                literal(items, "'");
                rest = more;
            }
            None => return after,
        }
    }
}

fn literal(items: &mut Vec<Item>, text: &str) {
    if let Some(Item::Literal(before)) = items.last_mut() {
        before.push_str(text);
    } else if !text.is_empty() {
        items.push(Item::Literal(text.to_owned()));
    }
}

impl Item {
    /// Whether it reads digits, so that a number before it must know its own end.
    pub(super) fn is_numeric(&self) -> bool {
        match self {
            Self::Literal(_) => false,
            Self::Field { letter: 'M', count } => *count <= 2,
            Self::Field { letter, .. } => !matches!(letter, 'G' | 'E' | 'a' | 'z' | 'Z'),
        }
    }
}

/// In English, as everything Ostracon writes.
pub(super) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// From Monday.
pub(super) const WEEKDAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
