//! [`Words`]: what the shell knows while a line is typed, for completion and colours.

use std::borrow::Cow;
use std::collections::BTreeSet;

/// Words of SQL that are completed and coloured.
const KEYWORDS: &[&str] = &[
    "ALL",
    "ALTER",
    "ANALYZE",
    "AND",
    "AS",
    "ASC",
    "BETWEEN",
    "BIGINT",
    "BOOLEAN",
    "BY",
    "BYTEA",
    "CASE",
    "CAST",
    "COPY",
    "CREATE",
    "CROSS",
    "DATE",
    "DEALLOCATE",
    "DECIMAL",
    "DEFAULT",
    "DELETE",
    "DESC",
    "DESCRIBE",
    "DISTINCT",
    "DOUBLE",
    "DROP",
    "ELSE",
    "END",
    "EXCEPT",
    "EXECUTE",
    "EXISTS",
    "EXPLAIN",
    "EXTERNAL",
    "FALSE",
    "FROM",
    "FULL",
    "GROUP",
    "HAVING",
    "IF",
    "ILIKE",
    "IN",
    "INNER",
    "INSERT",
    "INT",
    "INTERSECT",
    "INTERVAL",
    "INTO",
    "IS",
    "JOIN",
    "KEY",
    "LEFT",
    "LIKE",
    "LIMIT",
    "LOCATION",
    "NOT",
    "NULL",
    "OFFSET",
    "ON",
    "OPTIONS",
    "OR",
    "ORDER",
    "OUTER",
    "OVER",
    "OVERWRITE",
    "PARQUET",
    "PARTITION",
    "PREPARE",
    "PRIMARY",
    "REAL",
    "RIGHT",
    "SELECT",
    "SERDEPROPERTIES",
    "SET",
    "SHOW",
    "SMALLINT",
    "STORED",
    "TABLE",
    "TABLES",
    "TABLET",
    "TBLPROPERTIES",
    "THEN",
    "TIMESTAMP",
    "TINYINT",
    "TO",
    "TRUE",
    "TRUNCATE",
    "UNION",
    "UPDATE",
    "USING",
    "VALUES",
    "VARCHAR",
    "VIEW",
    "WHEN",
    "WHERE",
    "WITH",
];

/// After these a table's name is wanted.
const BEFORE_TABLES: &[&str] =
    &["COPY", "DESCRIBE", "FROM", "INTO", "JOIN", "OVERWRITE", "TABLE", "TRUNCATE", "UPDATE"];

/// Names of the catalog.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Words {
    /// Tables and views.
    pub(crate) tables: BTreeSet<String>,
    /// Columns of all tables.
    pub(crate) columns: BTreeSet<String>,
}

impl Words {
    /// Where the word before the cursor begins, and what it may become.
    pub(crate) fn complete(&self, line: &str, cursor: usize) -> (usize, Vec<String>) {
        let before = line.get(..cursor).unwrap_or(line);
        if before.starts_with('\\') && !before.contains(char::is_whitespace) {
            let found = super::commands::NAMES.iter().filter(|name| name.starts_with(before));
            return (0, found.map(|name| (*name).to_owned()).collect());
        }
        let start = before.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| {
            at + before.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
        });
        let typed = before.get(start..).unwrap_or("");
        if typed.is_empty() {
            return (start, Vec::new());
        }
        let folded = typed.to_lowercase();
        let begins = |word: &str| word.to_lowercase().starts_with(&folded);
        let mut found: Vec<String> =
            self.tables.iter().filter(|name| begins(name)).map(|name| quoted_if_needed(name)).collect();
        let previous = before.get(..start).and_then(|text| text.split_whitespace().next_back()).unwrap_or("");
        if !found.is_empty() && BEFORE_TABLES.iter().any(|word| word.eq_ignore_ascii_case(previous)) {
            return (start, found);
        }
        found.extend(self.columns.iter().filter(|name| begins(name)).map(|name| quoted_if_needed(name)));
        let lower = typed.chars().all(|c| !c.is_uppercase());
        let keywords = KEYWORDS.iter().filter(|word| begins(word));
        found.extend(keywords.map(|word| if lower { word.to_lowercase() } else { (*word).to_owned() }));
        found.dedup();
        (start, found)
    }
}

fn quoted_if_needed(name: &str) -> String {
    let plain = !name.is_empty()
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        && !name.starts_with(|c: char| c.is_ascii_digit());
    if plain { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}

const BOLD: &str = "\u{1b}[1;34m";
const GREEN: &str = "\u{1b}[32m";
const DIM: &str = "\u{1b}[2m";
const CYAN: &str = "\u{1b}[36m";
const RESET: &str = "\u{1b}[0m";

/// A line in colours: keywords, strings, numbers, comments.
pub(crate) fn highlight(line: &str) -> Cow<'_, str> {
    let mut out = String::with_capacity(line.len() + 32);
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let (length, colour) = token(rest, first);
        let (text, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        match colour {
            Some(colour) => out.extend([colour, text, RESET]),
            None => out.push_str(text),
        }
        rest = after;
    }
    if out.len() == line.len() { Cow::Borrowed(line) } else { Cow::Owned(out) }
}

fn token(rest: &str, first: char) -> (usize, Option<&'static str>) {
    let run = |keep: fn(char) -> bool| rest.find(|c| !keep(c)).unwrap_or(rest.len());
    if rest.starts_with("--") {
        return (rest.find('\n').unwrap_or(rest.len()), Some(DIM));
    }
    match first {
        '\'' => {
            let end = rest.get(1..).and_then(|text| text.find('\'')).map_or(rest.len(), |at| at + 2);
            (end, Some(GREEN))
        }
        '"' => (rest.get(1..).and_then(|text| text.find('"')).map_or(rest.len(), |at| at + 2), None),
        '0'..='9' => (run(|c| c.is_ascii_alphanumeric() || c == '.'), Some(CYAN)),
        _ if first.is_alphabetic() || first == '_' => {
            let length = run(|c| c.is_alphanumeric() || c == '_');
            let word = rest.get(..length).unwrap_or(rest).to_uppercase();
            (length, KEYWORDS.binary_search(&word.as_str()).is_ok().then_some(BOLD))
        }
        _ => (first.len_utf8(), None),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words() -> Words {
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Words { tables: set(&["flights", "Flock"]), columns: set(&["fl no", "origin"]) }
    }

    #[test]
    fn keywords_are_sorted_for_the_search() {
        assert!(KEYWORDS.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn names_come_first_and_are_quoted_where_they_must_be() {
        assert_eq!(
            words().complete("SELECT fl", 9),
            (7, vec!["\"Flock\"".to_owned(), "flights".to_owned(), "\"fl no\"".to_owned()])
        );
        assert_eq!(words().complete("SELECT * from fl", 16).1, ["\"Flock\"", "flights"]);
        assert_eq!(words().complete("sel", 3), (0, vec!["select".to_owned()]));
        assert_eq!(words().complete("SEL", 3), (0, vec!["SELECT".to_owned()]));
        assert_eq!(words().complete("SELECT ", 7), (7, vec![]));
        assert_eq!(words().complete("\\t", 2), (0, vec!["\\timing".to_owned()]));
        assert_eq!(words().complete("é.or", 5).0, 3);
    }

    #[test]
    fn colours_mark_keywords_and_strings() {
        let line = highlight("select 'a' from t -- x");
        assert_eq!(
            line,
            format!("{BOLD}select{RESET} {GREEN}'a'{RESET} {BOLD}from{RESET} t {DIM}-- x{RESET}")
        );
        assert!(matches!(highlight("a + b"), Cow::Borrowed(_)));
    }

    proptest! {
        #[test]
        fn colours_change_no_character(line in "[a-z'\"0-9 é漢\\-\n;]{0,40}", cursor in 0usize..40) {
            let plain = [BOLD, GREEN, DIM, CYAN, RESET].iter().fold(highlight(&line).into_owned(), |text, code| text.replace(code, ""));
            prop_assert_eq!(plain, line.clone());
            if line.is_char_boundary(cursor) && cursor <= line.len() {
                prop_assert!(words().complete(&line, cursor).0 <= cursor);
            }
        }
    }
}
