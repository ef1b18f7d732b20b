//! [`Position`]: where something is wrong with a statement.

use std::fmt;

use crate::error::HandlerError;

/// A place in a text: line and column count from 1; columns are characters, not bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Line, from 1.
    pub line: u64,
    /// Character within the line, from 1.
    pub column: u64,
}

impl Position {
    /// The place of a byte offset; an offset past the end is the end.
    pub fn of(text: &str, offset: usize) -> Self {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = text.get(..offset).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = 1 + before.bytes().filter(|byte| *byte == b'\n').count() as u64;
        let column = 1 + before.get(line_start..).unwrap_or_default().chars().count() as u64;
        Self { line, column }
    }

    /// The byte offset of this place in a text; places past the end of a line are its end.
    pub fn offset_in(&self, text: &str) -> usize {
        let mut start = 0;
        for _ in 1..self.line {
            match text.get(start..).and_then(|rest| rest.find('\n')) {
                Some(end) => start += end + 1,
                None => return text.len(),
            }
        }
        let line = text.get(start..).unwrap_or_default();
        let line = line.split('\n').next().unwrap_or_default();
        let column = usize::try_from(self.column.saturating_sub(1)).unwrap_or(usize::MAX);
        start + line.char_indices().nth(column).map_or(line.len(), |(at, _)| at)
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

impl HandlerError {
    /// A statement that cannot be understood, and where it stops making sense.
    pub fn syntax(message: impl Into<String>, position: Option<Position>) -> Self {
        Self { position, ..Self::invalid(message) }
    }

    /// Reads the place out of a message of the SQL parser, which ends in ` at Line: L, Column: C`, and takes the
    /// parser's own prefixes off.
    pub(crate) fn from_parser_message(message: &str) -> Self {
        let (mut text, position) = split_position(message);
        for prefix in ["SQL error: ", "sql parser error: ", "ParserError(\"", "TokenizerError(\""] {
            if let Some(inner) = text.strip_prefix(prefix) {
                text = inner.to_owned();
            }
        }
        let text = text.trim_end().trim_end_matches("\")").replace("\\\"", "\"");
        if text.contains("RecursionLimitExceeded") || text.contains("recursion limit exceeded") {
            return Self::syntax(TOO_DEEP, None);
        }
        Self::syntax(text, position)
    }

    /// An error about the end of a statement has no token to point at: it points behind the last one.
    pub(super) fn or_at_end_of(mut self, statement: &str) -> Self {
        if self.position.is_none() && self.message.ends_with("found: EOF") {
            self.message = self.message.replace("found: EOF", "found the end of the statement");
            self.position = Some(Position::of(statement, statement.trim_end().len()));
        }
        self
    }
}

pub(super) const TOO_DEEP: &str = "the statement nests too deep: take some of its parentheses apart";

/// Splits ` at Line: L, Column: C` off a message.
pub(crate) fn split_position(message: &str) -> (String, Option<Position>) {
    let Some(at) = message.rfind(" at Line: ") else { return (message.to_owned(), None) };
    let (before, after) = message.split_at(at);
    let after = after.trim_start_matches(" at Line: ");
    let Some((line, rest)) = after.split_once(", Column: ") else { return (message.to_owned(), None) };
    let digits_end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (column, tail) = rest.split_at(digits_end);
    match (line.parse(), column.parse()) {
        (Ok(line), Ok(column)) => (format!("{before}{tail}"), Some(Position { line, column })),
        _ => (message.to_owned(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters() {
        let text = "aé\n\u{1F600}b";
        for (offset, line, column) in [(0, 1, 1), (1, 1, 2), (3, 1, 3), (4, 2, 1), (8, 2, 2), (99, 2, 3)] {
            let position = Position::of(text, offset);
            assert_eq!(position, Position { line, column }, "offset {offset}");
            assert_eq!(position.offset_in(text), offset.min(text.len()));
        }
        assert_eq!(Position { line: 9, column: 1 }.offset_in(text), text.len());
    }

    #[test]
    fn the_parsers_place_is_taken_off_its_message() {
        let error = HandlerError::from_parser_message(
            "sql parser error: Expected: a table, found: FROM at Line: 2, Column: 13",
        );
        assert_eq!(error.message, "Expected: a table, found: FROM");
        assert_eq!(error.position, Some(Position { line: 2, column: 13 }));
        assert_eq!(HandlerError::from_parser_message("no place").position, None);
    }
}
