//! From tokens to the tree: recursive descent for statements, precedence climbing for expressions.

mod cursor;
mod define;
mod expression;
mod foreach;
mod literal;
mod operand;
mod operator;
mod schema;
mod settings;
mod statement;
mod words;

use crate::lex::tokenize;
use crate::source::{Diagnostic, SourceId};

use cursor::Parser;
pub(crate) use statement::{Item, MacroCall, MacroDefinition};
pub(crate) use words::OPERATORS;

/// What one text holds.
pub(crate) struct ParsedSource {
    pub(crate) items: Vec<Item>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Whether more lines might make it right.
    pub(crate) incomplete: bool,
}

/// Parses one text, without regard to what others define.
pub(crate) fn parse_source(source: SourceId, text: &str) -> ParsedSource {
    let mut parser = Parser::new(text, tokenize(source, text));
    let items = parser.items();
    let incomplete = parser.incomplete && parser.diagnostics.len() == 1;
    ParsedSource { items, diagnostics: parser.diagnostics, incomplete }
}
