//! [`StatementParser`]: the token cursor of our own grammar, and names as SQL sees them.

use datafusion::common::TableReference;
use datafusion::sql::sqlparser::ast::{Ident, ObjectName};
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::keywords::{RESERVED_FOR_COLUMN_ALIAS, RESERVED_FOR_TABLE_ALIAS};
use datafusion::sql::sqlparser::parser::{Parser, ParserError};
use datafusion::sql::sqlparser::tokenizer::{Location, Token, Tokenizer, TokenizerError};

use super::position::TOO_DEEP;
use super::{Position, Property};
use crate::error::HandlerError;

/// The dialect of every statement, DataFusion's default.
pub(super) static DIALECT: GenericDialect = GenericDialect {};

/// The tokens of a text, each with its place.
pub(crate) fn tokens(text: &str) -> Result<Vec<(Token, Position)>, HandlerError> {
    let tokens = Tokenizer::new(&DIALECT, text).tokenize_with_location().map_err(tokenizer_error)?;
    let place = |start: Location| Position { line: start.line, column: start.column };
    Ok(tokens.into_iter().map(|token| (token.token, place(token.span.start))).collect())
}

fn tokenizer_error(error: TokenizerError) -> HandlerError {
    let position = Position { line: error.location.line, column: error.location.column };
    HandlerError::syntax(error.message, Some(position))
}

/// A cursor over the tokens of one statement. Words are compared without regard to case.
pub(super) struct StatementParser<'a> {
    parser: Parser<'a>,
    /// The place after the last character, which the end of the statement has no token for.
    end: Position,
}

impl<'a> StatementParser<'a> {
    pub(super) fn new(text: &str) -> Result<Self, HandlerError> {
        let tokens = Tokenizer::new(&DIALECT, text).tokenize_with_location().map_err(tokenizer_error)?;
        let end = Position::of(text, text.trim_end().len());
        Ok(Self { parser: Parser::new(&DIALECT).with_tokens_with_locations(tokens), end })
    }

    /// The SQL parser behind the cursor, for queries and expressions.
    pub(super) fn sql(&mut self) -> &mut Parser<'a> {
        &mut self.parser
    }

    /// The place of the token that comes next.
    pub(super) fn position(&self) -> Position {
        match self.parser.peek_token_ref().span.start {
            start if start.line > 0 => Position { line: start.line, column: start.column },
            _ => self.end,
        }
    }

    pub(super) fn error_here(&self, message: impl Into<String>) -> HandlerError {
        HandlerError::syntax(message, Some(self.position()))
    }

    pub(super) fn expected(&self, what: &str) -> HandlerError {
        self.error_here(format!("expected {what}, found {}", found(&self.parser.peek_token_ref().token)))
    }

    pub(super) fn next_token(&mut self) -> Token {
        self.parser.next_token().token
    }

    /// The unquoted or quoted word `nth` tokens ahead.
    pub(super) fn word_at(&self, nth: usize) -> Option<String> {
        match &self.parser.peek_nth_token_ref(nth).token {
            Token::Word(word) => Some(word.value.clone()),
            _ => None,
        }
    }

    pub(super) fn peek_word(&self, word: &str) -> bool {
        self.peek_word_at(0, word)
    }

    pub(super) fn peek_word_at(&self, nth: usize, word: &str) -> bool {
        match &self.parser.peek_nth_token_ref(nth).token {
            Token::Word(found) => found.quote_style.is_none() && found.value.eq_ignore_ascii_case(word),
            _ => false,
        }
    }

    pub(super) fn peek(&self, token: &Token) -> bool {
        self.parser.peek_token_ref().token == *token
    }

    pub(super) fn at_end(&self) -> bool {
        matches!(self.parser.peek_token_ref().token, Token::EOF | Token::SemiColon)
    }

    /// Fails unless the statement ends here.
    pub(super) fn end(&mut self) -> Result<(), HandlerError> {
        let _ = self.parser.consume_token(&Token::SemiColon);
        if self.peek(&Token::EOF) { Ok(()) } else { Err(self.expected("the end of the statement")) }
    }

    pub(super) fn next_word(&mut self) -> Option<String> {
        let word = match &self.parser.peek_token_ref().token {
            Token::Word(word) if word.quote_style.is_none() => Some(word.value.clone()),
            _ => None,
        };
        if word.is_some() {
            self.parser.next_token();
        }
        word
    }

    pub(super) fn peek_words(&self, words: &[&str]) -> bool {
        words.iter().enumerate().all(|(nth, word)| self.peek_word_at(nth, word))
    }

    pub(super) fn consume_word(&mut self, word: &str) -> bool {
        let here = self.peek_word(word);
        if here {
            self.parser.next_token();
        }
        here
    }

    /// Takes all of the words or none.
    pub(super) fn consume_words(&mut self, words: &[&str]) -> bool {
        let here = words.iter().enumerate().all(|(nth, word)| self.peek_word_at(nth, word));
        if here {
            for _ in words {
                self.parser.next_token();
            }
        }
        here
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Result<(), HandlerError> {
        if self.consume_word(word) { Ok(()) } else { Err(self.expected(word)) }
    }

    pub(super) fn consume(&mut self, token: &Token) -> bool {
        self.parser.consume_token(token)
    }

    pub(super) fn expect(&mut self, token: &Token) -> Result<(), HandlerError> {
        if self.consume(token) { Ok(()) } else { Err(self.expected(&token.to_string())) }
    }

    /// A name as SQL sees it: lower case unless quoted.
    pub(super) fn identifier(&mut self, what: &str) -> Result<String, HandlerError> {
        match &self.parser.peek_token_ref().token {
            Token::Word(_) => {}
            _ => return Err(self.expected(what)),
        }
        self.parser.parse_identifier().map(|ident| normalized(&ident)).map_err(from_parser)
    }

    pub(super) fn table_name(&mut self) -> Result<(TableReference, Position), HandlerError> {
        let position = self.position();
        if !matches!(self.parser.peek_token_ref().token, Token::Word(_)) {
            return Err(self.expected("the name of a table"));
        }
        let name = self.parser.parse_object_name(false).map_err(from_parser)?;
        Ok((table_reference(&name, position)?, position))
    }

    pub(super) fn literal_string(&mut self, what: &str) -> Result<String, HandlerError> {
        let text = match &self.parser.peek_token_ref().token {
            Token::SingleQuotedString(text)
            | Token::DoubleQuotedString(text)
            | Token::EscapedStringLiteral(text)
            | Token::NationalStringLiteral(text) => text.clone(),
            // GenericDialect reads "..." as a name.
            Token::Word(word) if word.quote_style == Some('"') => word.value.clone(),
            _ => return Err(self.expected(&format!("{what} in quotes"))),
        };
        self.parser.next_token();
        Ok(text)
    }

    /// `'columns.mapping'`, or a bare `columns.mapping`.
    pub(super) fn property_key(&mut self) -> Result<String, HandlerError> {
        if let Some(word) = self.next_word() {
            let mut key = word;
            while self.consume(&Token::Period) {
                let part =
                    self.next_word().ok_or_else(|| self.expected("the rest of the property's name"))?;
                key.push('.');
                key.push_str(&part);
            }
            return Ok(key);
        }
        self.literal_string("the name of a property")
    }

    /// `('k' = 'v', 'k' 'v', k = 5)`.
    pub(super) fn properties(&mut self) -> Result<Vec<Property>, HandlerError> {
        self.expect(&Token::LParen)?;
        let mut properties = Vec::new();
        if self.consume(&Token::RParen) {
            return Ok(properties);
        }
        loop {
            let position = self.position();
            let key = self.property_key()?;
            self.consume(&Token::Eq);
            let value = self.property_value(&key)?;
            properties.push(Property { key, value, position });
            if self.consume(&Token::Comma) {
                continue;
            }
            self.expect(&Token::RParen)?;
            return Ok(properties);
        }
    }

    /// The value of a property: a text in quotes, a number or a bare word.
    pub(super) fn property_value(&mut self, key: &str) -> Result<String, HandlerError> {
        let negative = self.consume(&Token::Minus);
        let number = match &self.parser.peek_token_ref().token {
            Token::Number(digits, _) => Some(digits.clone()),
            _ => None,
        };
        if let Some(digits) = number {
            self.parser.next_token();
            return Ok(if negative { format!("-{digits}") } else { digits });
        }
        if !negative && let Some(word) = self.next_word() {
            return Ok(word);
        }
        self.literal_string(&format!("the value of {key}"))
    }
}

/// How a token is named in an error.
fn found(token: &Token) -> String {
    match token {
        Token::EOF => "the end of the statement".to_owned(),
        other => other.to_string(),
    }
}

pub(super) fn from_parser(error: ParserError) -> HandlerError {
    match error {
        ParserError::RecursionLimitExceeded => HandlerError::syntax(TOO_DEEP, None),
        ParserError::TokenizerError(message) | ParserError::ParserError(message) => {
            HandlerError::from_parser_message(&message)
        }
    }
}

/// A name as SQL sees it.
pub(super) fn normalized(ident: &Ident) -> String {
    if ident.quote_style.is_some() { ident.value.clone() } else { ident.value.to_lowercase() }
}

/// A name as it must be written to be read back.
pub fn quote_identifier(name: &str) -> String {
    let plain = name.chars().next().is_some_and(|c| c.is_ascii_lowercase() || c == '_')
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if plain && !is_reserved(name) { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}

/// Whether a word begins something else where a name is due: `INSERT INTO t (select` is a query.
fn is_reserved(name: &str) -> bool {
    match Token::make_word(name, None) {
        Token::Word(word) => {
            RESERVED_FOR_COLUMN_ALIAS.contains(&word.keyword)
                || RESERVED_FOR_TABLE_ALIAS.contains(&word.keyword)
        }
        _ => false,
    }
}

pub(super) fn table_reference(name: &ObjectName, position: Position) -> Result<TableReference, HandlerError> {
    let parts: Vec<String> = name.0.iter().filter_map(|part| part.as_ident()).map(normalized).collect();
    match parts.as_slice() {
        [table] => Ok(TableReference::bare(table.clone())),
        [schema, table] => Ok(TableReference::partial(schema.clone(), table.clone())),
        [catalog, schema, table] => Ok(TableReference::full(catalog.clone(), schema.clone(), table.clone())),
        _ => Err(HandlerError::syntax(
            format!("{name} is no name of a table: at most catalog.schema.table"),
            Some(position),
        )),
    }
}
