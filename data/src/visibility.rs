//! Label expressions.
//!
//! [`ColumnVisibility`] is a parsed label: tokens joined by `&` and `|`. The grammar is Accumulo's access expressions:
//!
//! ```text
//! expression = [ operand { "&" operand } / operand { "|" operand } ]     ; empty is valid and always true
//! operand    = token / "(" operand { ... } ")"                           ; & and | never mix without parentheses
//! token      = 1*( A-Z / a-z / 0-9 / "_" / "-" / "." / ":" / "/" )
//!            / DQUOTE 1*( any Unicode but " and \  /  "\"" DQUOTE  /  "\\" ) DQUOTE
//! ```
//!
//! The parser and the evaluation keep their own stacks on the heap, so that a label nested a million deep is slow but
//! never a crash. A label is parsed once and evaluated as a flat postfix program. Caching decisions is the work of
//! [`VisibilityEvaluator`](crate::VisibilityEvaluator).

use std::fmt;
use std::ops::Range;

use crate::Authorizations;

/// Why a label, or a list of authorizations, is not well-formed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} (at byte {position})")]
pub struct VisibilityError {
    /// What is wrong and what is allowed.
    pub message: String,
    /// Offset of the offending byte from the start of the label; its length if the end came too early.
    pub position: usize,
}

impl VisibilityError {
    fn new(position: usize, message: impl Into<String>) -> Self {
        Self { message: message.into(), position }
    }

    /// The same error for text that starts at `offset`.
    pub(crate) fn at(self, offset: usize) -> Self {
        Self { position: self.position + offset, ..self }
    }
}

/// A parsed label.
///
/// ```
/// use ostracon_data::{Authorizations, ColumnVisibility};
///
/// let label = ColumnVisibility::parse(br#"(admin|"a user")&eu"#)?;
/// assert!(label.evaluate(&Authorizations::new(["a user", "eu"])));
///
/// let error = ColumnVisibility::parse(b"a&b|c").unwrap_err();
/// assert_eq!(error.position, 3);
/// # Ok::<(), ostracon_data::VisibilityError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnVisibility {
    expression: Vec<u8>,
    /// The tokens one after the other, quotes and escapes removed.
    tokens: Vec<u8>,
    program: Vec<Step>,
}

/// A step of the postfix program.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    /// Pushes whether the token, a range of `tokens`, is held.
    Token(Range<usize>),
    /// Replaces the topmost values, that many, by whether all hold.
    All(usize),
    /// Replaces the topmost values, that many, by whether one holds.
    Any(usize),
}

/// An open parenthesis (or the whole expression) while its operands are read.
#[derive(Clone, Copy)]
struct Group {
    /// Where it was opened, for messages.
    opened: usize,
    operator: Option<u8>,
    operands: usize,
}

impl ColumnVisibility {
    /// Parses a label.
    pub fn parse(expression: &[u8]) -> Result<Self, VisibilityError> {
        let mut parser = Parser { tokens: Vec::new(), program: Vec::new() };
        parser.run(expression)?;
        Ok(Self { expression: expression.to_vec(), tokens: parser.tokens, program: parser.program })
    }

    /// The label as it was written.
    pub fn expression(&self) -> &[u8] {
        &self.expression
    }

    /// The tokens the label names, in order of appearance, repeats included.
    pub fn tokens(&self) -> impl Iterator<Item = &[u8]> {
        self.program.iter().filter_map(|step| match step {
            Step::Token(range) => self.tokens.get(range.clone()),
            _ => None,
        })
    }

    /// Whether a reader with these authorizations may see a cell with this label.
    pub fn evaluate(&self, authorizations: &Authorizations) -> bool {
        let mut stack: Vec<bool> = Vec::new();
        for step in &self.program {
            let value = match step {
                Step::Token(range) => {
                    self.tokens.get(range.clone()).is_some_and(|token| authorizations.contains(token))
                }
                Step::All(count) => {
                    stack.split_off(stack.len().saturating_sub(*count)).iter().all(|held| *held)
                }
                Step::Any(count) => {
                    stack.split_off(stack.len().saturating_sub(*count)).iter().any(|held| *held)
                }
            };
            stack.push(value);
        }
        // The empty label has no step and is true.
        stack.pop().unwrap_or(true)
    }

    /// The token as it must be written in a label: in quotes where it has other than plain token characters.
    ///
    /// `None` for the empty token, which no label can name.
    pub fn quote(token: &str) -> Option<String> {
        if token.is_empty() {
            return None;
        }
        if token.bytes().all(is_token_byte) {
            return Some(token.to_owned());
        }
        Some(format!("\"{}\"", token.replace('\\', "\\\\").replace('"', "\\\"")))
    }
}

impl fmt::Display for ColumnVisibility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.expression))
    }
}

/// Bytes a token may have without quotes.
pub(crate) fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':' | b'/')
}

pub(crate) fn write_quoted(f: &mut fmt::Formatter<'_>, token: &[u8]) -> fmt::Result {
    let text = String::from_utf8_lossy(token);
    write!(f, "\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Reads a quoted token that starts at `input`'s first byte: its bytes without quotes and escapes, and how many bytes of
/// the input it takes.
pub(crate) fn read_quoted(input: &[u8]) -> Result<(Vec<u8>, usize), VisibilityError> {
    let mut token = Vec::new();
    let mut bytes = input.iter().enumerate().skip(1);
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'"' if token.is_empty() => {
                return Err(VisibilityError::new(0, "a quoted token must not be empty"));
            }
            b'"' if std::str::from_utf8(&token).is_err() => {
                return Err(VisibilityError::new(0, "a quoted token must be valid UTF-8"));
            }
            b'"' => return Ok((token, at + 1)),
            b'\\' => match bytes.next() {
                Some((_, escaped @ (b'"' | b'\\'))) => token.push(*escaped),
                _ => {
                    return Err(VisibilityError::new(
                        at,
                        "within quotes a backslash must be followed by a double quote or a backslash",
                    ));
                }
            },
            other => token.push(*other),
        }
    }
    Err(VisibilityError::new(0, "the quoted token is not closed: a double quote is missing"))
}

struct Parser {
    tokens: Vec<u8>,
    program: Vec<Step>,
}

impl Parser {
    fn run(&mut self, input: &[u8]) -> Result<(), VisibilityError> {
        if input.is_empty() {
            return Ok(());
        }
        let mut group = Group { opened: 0, operator: None, operands: 0 };
        let mut outer: Vec<Group> = Vec::new();
        let mut operand_due = true;
        let mut at = 0;
        while let Some(byte) = input.get(at).copied() {
            if operand_due {
                match byte {
                    b'(' => {
                        outer.push(group);
                        group = Group { opened: at, operator: None, operands: 0 };
                        at += 1;
                        continue;
                    }
                    b'"' => {
                        let rest = input.get(at..).unwrap_or_default();
                        let (token, length) = read_quoted(rest).map_err(|error| error.at(at))?;
                        self.push_token(&token);
                        at += length;
                    }
                    _ => {
                        let rest = input.get(at..).unwrap_or_default();
                        let length = rest.iter().take_while(|byte| is_token_byte(**byte)).count();
                        if length == 0 {
                            return Err(VisibilityError::new(at, expected_operand(byte)));
                        }
                        self.push_token(rest.get(..length).unwrap_or_default());
                        at += length;
                    }
                }
                group.operands += 1;
                operand_due = false;
                continue;
            }
            match byte {
                b'&' | b'|' => {
                    if group.operator.is_some_and(|operator| operator != byte) {
                        return Err(VisibilityError::new(
                            at,
                            "& and | must not be mixed without parentheses: write (a&b)|c or a&(b|c)",
                        ));
                    }
                    group.operator = Some(byte);
                    operand_due = true;
                }
                b')' => {
                    let Some(parent) = outer.pop() else {
                        return Err(VisibilityError::new(at, "this parenthesis was never opened"));
                    };
                    self.close(group);
                    group = parent;
                    group.operands += 1;
                }
                _ => {
                    return Err(VisibilityError::new(
                        at,
                        format!("expected & or | or the end, found {}", shown(byte)),
                    ));
                }
            }
            at += 1;
        }
        if operand_due {
            return Err(VisibilityError::new(input.len(), "the label ends where a token is expected"));
        }
        if !outer.is_empty() {
            return Err(VisibilityError::new(
                input.len(),
                format!("the parenthesis opened at byte {} is not closed", group.opened),
            ));
        }
        self.close(group);
        Ok(())
    }

    fn push_token(&mut self, token: &[u8]) {
        let start = self.tokens.len();
        self.tokens.extend_from_slice(token);
        self.program.push(Step::Token(start..self.tokens.len()));
    }

    /// Ends a group: joins its operands. A single operand needs no step.
    fn close(&mut self, group: Group) {
        match group.operator {
            Some(b'&') => self.program.push(Step::All(group.operands)),
            Some(_) => self.program.push(Step::Any(group.operands)),
            None => {}
        }
    }
}

fn expected_operand(byte: u8) -> String {
    format!(
        "expected a token, a quoted token or an open parenthesis, found {}: tokens have letters, digits and _ - . : / \
         only, others go in double quotes",
        shown(byte)
    )
}

fn shown(byte: u8) -> String {
    format!("'{}'", byte.escape_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(label: &str) -> usize {
        ColumnVisibility::parse(label.as_bytes()).unwrap_err().position
    }

    #[test]
    fn errors_point_at_the_byte() {
        assert_eq!(position("a&"), 2);
        assert_eq!(position("&a"), 0);
        assert_eq!(position("a b"), 1);
        assert_eq!(position("a&b|c"), 3);
        assert_eq!(position("(a"), 2);
        assert_eq!(position("a)"), 1);
        assert_eq!(position("()"), 1);
        assert_eq!(position("a&\"b"), 2);
        assert_eq!(position("a|\"b\\x\""), 4);
        assert_eq!(position("a|\"\""), 2);
        assert_eq!(position("a&é"), 2);
        let message = ColumnVisibility::parse(b"a&b|c").unwrap_err().to_string();
        assert!(
            message.contains("mixed without parentheses") && message.ends_with("(at byte 3)"),
            "{message}"
        );
    }

    #[test]
    fn a_token_in_quotes_must_be_utf8() {
        assert!(ColumnVisibility::parse(b"\"\xff\"").is_err());
        assert!(ColumnVisibility::parse("\"\u{0}é\"".as_bytes()).is_ok());
    }

    #[test]
    fn deep_nesting_does_not_overflow_the_stack() {
        let depth = 200_000;
        let label = ["(".repeat(depth), "a".to_owned(), ")".repeat(depth)].concat();
        let parsed = ColumnVisibility::parse(label.as_bytes()).unwrap();
        assert!(parsed.evaluate(&Authorizations::new(["a"])));
        let label = ["(a|".repeat(depth), "b".to_owned(), ")".repeat(depth)].concat();
        let parsed = ColumnVisibility::parse(label.as_bytes()).unwrap();
        assert!(parsed.evaluate(&Authorizations::new(["b"])));
        assert!(!parsed.evaluate(&Authorizations::new(["c"])));
    }

    #[test]
    fn tokens_come_without_quotes() {
        let parsed = ColumnVisibility::parse(br#"a&("b\"\\"|a)"#).unwrap();
        assert_eq!(parsed.tokens().collect::<Vec<_>>(), [&b"a"[..], b"b\"\\", b"a"]);
        assert_eq!(parsed.to_string(), r#"a&("b\"\\"|a)"#);
    }
}
