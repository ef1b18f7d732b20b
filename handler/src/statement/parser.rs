//! [`parse_statement`]: which grammar reads a statement, and [`StatementParser`], the token cursor of our own.

use datafusion::common::TableReference;
use datafusion::error::DataFusionError;
use datafusion::sql::parser::{DFParserBuilder, Statement as EngineStatement};
use datafusion::sql::sqlparser::ast::{Ident, ObjectName, Statement as SqlStatement};
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::parser::{Parser, ParserError};
use datafusion::sql::sqlparser::tokenizer::{Token, Tokenizer};

use super::position::TOO_DEEP;
use super::{AlterProperties, CreateView, Drop, Position, Property, Statement, copy, create_table, show};
use crate::error::HandlerError;

/// The dialect of every statement, DataFusion's default.
static DIALECT: GenericDialect = GenericDialect {};

/// Reads one statement. `time_zone` is the session's, for `TIMESTAMP WITH TIME ZONE` columns.
pub fn parse_statement(text: &str, time_zone: Option<&str>) -> Result<Statement, HandlerError> {
    let mut parser = StatementParser::new(text)?;
    if let Some(statement) = own_statement(&mut parser, text, time_zone)? {
        return Ok(statement);
    }
    let statement = engine_statement(text)?;
    if let EngineStatement::Statement(sql) = &statement
        && let SqlStatement::CreateView(view) = sql.as_ref()
    {
        if view.materialized || view.temporary {
            return Ok(unsupported(
                "a materialized or temporary view",
                "use CREATE VIEW, or CREATE TABLE ... AS to keep the rows",
            ));
        }
        return Ok(Statement::CreateView(Box::new(CreateView {
            name: table_reference(&view.name, Position::of(text, 0))?,
            or_replace: view.or_replace,
            if_not_exists: view.if_not_exists,
            query: view.query.to_string(),
            columns: view.columns.iter().map(|column| normalized(&column.name)).collect(),
        })));
    }
    Ok(Statement::Engine(Box::new(statement)))
}

/// The statements of our own grammar; None leaves the text to DataFusion's parser.
fn own_statement(
    parser: &mut StatementParser<'_>,
    text: &str,
    time_zone: Option<&str>,
) -> Result<Option<Statement>, HandlerError> {
    let words: Vec<String> =
        (0..4).map_while(|nth| parser.word_at(nth)).map(|word| word.to_ascii_uppercase()).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    Ok(match words.as_slice() {
        ["BEGIN" | "COMMIT" | "ROLLBACK" | "SAVEPOINT" | "RELEASE", ..] | ["START", "TRANSACTION", ..] => {
            Some(unsupported(
                words.first().copied().unwrap_or_default(),
                "there are no transactions of several statements; each statement is atomic by itself",
            ))
        }
        ["CREATE" | "DROP" | "ALTER" | "SHOW" | "DESCRIBE" | "DESC" | "CHECK", rest @ ..]
            if names_index(rest) =>
        {
            Some(unsupported(
                "a secondary index",
                "this version reads by key ranges and server-side filters only",
            ))
        }
        ["CREATE", ..] => match create_table::parse(parser, time_zone)? {
            Some(table) => {
                parser.end()?;
                Some(Statement::CreateTable(Box::new(table)))
            }
            None => None,
        },
        ["DROP", "TABLE" | "VIEW", ..] => Some(drop_statement(parser)?),
        ["ALTER", "TABLE", ..] => Some(alter_table(parser)?),
        ["SHOW" | "DESCRIBE" | "DESC", ..] => show::parse(parser)?.map(Statement::Show),
        ["COPY", ..] => copy::parse(parser, text)?,
        _ => None,
    })
}

/// Whether the words after CREATE, DROP, SHOW ... speak of an index.
fn names_index(words: &[&str]) -> bool {
    match words.iter().position(|word| matches!(*word, "INDEX" | "INDEXES")) {
        Some(0) => true,
        Some(_) => matches!(words, ["UNIQUE" | "FORMATTED" | "EXTENDED", ..]),
        None => false,
    }
}

pub(super) fn unsupported(what: &str, hint: &str) -> Statement {
    Statement::Unsupported { what: what.to_owned(), hint: hint.to_owned() }
}

/// Reads a text that must be exactly one statement of DataFusion's.
pub(super) fn engine_statement(text: &str) -> Result<EngineStatement, HandlerError> {
    let engine_error = |error| engine_error(error).or_at_end_of(text);
    let mut parser = DFParserBuilder::new(text).with_dialect(&DIALECT).build().map_err(engine_error)?;
    let mut statements = parser.parse_statements().map_err(engine_error)?;
    match (statements.pop_front(), statements.is_empty()) {
        (Some(statement), true) => Ok(statement),
        (None, _) => Err(HandlerError::syntax("the statement is empty", None)),
        (Some(_), false) => {
            Err(HandlerError::syntax("one statement at a time: cut the script with parse_script first", None))
        }
    }
}

fn engine_error(error: DataFusionError) -> HandlerError {
    HandlerError::from_parser_message(&error.strip_backtrace())
}

fn drop_statement(parser: &mut StatementParser<'_>) -> Result<Statement, HandlerError> {
    parser.expect_word("DROP")?;
    let view = parser.consume_word("VIEW");
    if !view {
        parser.expect_word("TABLE")?;
    }
    let if_exists = parser.consume_words(&["IF", "EXISTS"]);
    let mut names = Vec::new();
    loop {
        names.push(parser.table_name()?);
        if !parser.consume(&Token::Comma) {
            break;
        }
    }
    // Nothing depends on a table here, so both words mean the same.
    let _ = parser.consume_word("CASCADE") || parser.consume_word("RESTRICT") || parser.consume_word("PURGE");
    parser.end()?;
    Ok(Statement::Drop(Drop { view, if_exists, names }))
}

fn alter_table(parser: &mut StatementParser<'_>) -> Result<Statement, HandlerError> {
    parser.expect_word("ALTER")?;
    parser.expect_word("TABLE")?;
    let if_exists = parser.consume_words(&["IF", "EXISTS"]);
    let (table, position) = parser.table_name()?;
    let mut alter = AlterProperties { table, position, if_exists, set: Vec::new(), unset: Vec::new() };
    if parser.consume_words(&["SET", "TBLPROPERTIES"]) || parser.consume_words(&["SET", "SERDEPROPERTIES"]) {
        alter.set = parser.properties()?;
    } else if parser.consume_words(&["UNSET", "TBLPROPERTIES"]) {
        parser.consume_words(&["IF", "EXISTS"]);
        parser.expect(&Token::LParen)?;
        loop {
            alter.unset.push(parser.property_key()?);
            if !parser.consume(&Token::Comma) {
                break;
            }
        }
        parser.expect(&Token::RParen)?;
    } else {
        let change = parser.word_at(0).unwrap_or_default().to_ascii_uppercase();
        return Ok(unsupported(
            &format!("ALTER TABLE ... {change}"),
            "this version changes properties only: ALTER TABLE t SET TBLPROPERTIES ('k' = 'v')",
        ));
    }
    parser.end()?;
    Ok(Statement::AlterProperties(alter))
}

/// A cursor over the tokens of one statement. Words are compared without regard to case.
pub(super) struct StatementParser<'a> {
    parser: Parser<'a>,
    /// The place after the last character, which the end of the statement has no token for.
    end: Position,
}

impl<'a> StatementParser<'a> {
    pub(super) fn new(text: &str) -> Result<Self, HandlerError> {
        let tokens = Tokenizer::new(&DIALECT, text).tokenize_with_location().map_err(|error| {
            let position = Position { line: error.location.line, column: error.location.column };
            HandlerError::syntax(error.message, Some(position))
        })?;
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
    if plain { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Statement, HandlerError> {
        parse_statement(text, None)
    }

    #[test]
    fn what_datafusion_knows_is_left_to_it() {
        for text in [
            "SELECT 1",
            "INSERT OVERWRITE t VALUES (1)",
            "INSERT OVERWRITE TABLE t SELECT 1",
            "INSERT INTO t (a) VALUES (1)",
            "UPDATE t SET a = 1 WHERE b = 2",
            "DELETE FROM t",
            "TRUNCATE TABLE t",
            "TRUNCATE t",
            "EXPLAIN ANALYZE SELECT 1",
            "SET ostracon.use_index = false",
            "SHOW ostracon.use_index",
            "SHOW ALL",
            "PREPARE p AS SELECT $1",
            "EXECUTE p(1)",
            "COPY t TO 'x.parquet'",
            "COPY (SELECT 1) TO 'x' STORED AS PARQUET",
            "DESCRIBE SELECT 1",
        ] {
            assert!(matches!(parse(text), Ok(Statement::Engine(_))), "{text}: {:?}", parse(text));
        }
    }

    #[test]
    fn transactions_and_indexes_are_refused_by_name() {
        for (text, word) in [
            ("BEGIN", "BEGIN"),
            ("begin transaction", "BEGIN"),
            ("COMMIT", "COMMIT"),
            ("CREATE INDEX i ON TABLE t (a) AS 'COMPACT'", "a secondary index"),
            ("DROP INDEX IF EXISTS i ON t", "a secondary index"),
            ("SHOW FORMATTED INDEXES ON t", "a secondary index"),
            ("ALTER TABLE t ADD COLUMN c INT", "ALTER TABLE ... ADD"),
        ] {
            match parse(text) {
                Ok(Statement::Unsupported { what, .. }) => assert_eq!(what, word),
                other => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn drops_and_alters() {
        match parse("DROP TABLE IF EXISTS a, S.\"B\"").unwrap() {
            Statement::Drop(drop) => {
                assert!(drop.if_exists && !drop.view);
                assert_eq!(drop.names[1].0, TableReference::partial("s", "B"));
                assert_eq!(drop.names[1].1, Position { line: 1, column: 25 });
            }
            other => panic!("{other:?}"),
        }
        match parse("ALTER TABLE t SET TBLPROPERTIES ('Iterator.Pushdown' = 'false', max.versions 3, 'x' -1)")
            .unwrap()
        {
            Statement::AlterProperties(alter) => {
                let pairs: Vec<_> = alter.set.iter().map(|p| (p.key.as_str(), p.value.as_str())).collect();
                assert_eq!(pairs, [("Iterator.Pushdown", "false"), ("max.versions", "3"), ("x", "-1")]);
            }
            other => panic!("{other:?}"),
        }
        match parse("ALTER TABLE t UNSET TBLPROPERTIES ('ttl')").unwrap() {
            Statement::AlterProperties(alter) => assert_eq!(alter.unset, ["ttl"]),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn errors_say_where() {
        for (text, line, column) in [
            ("SELEC id FROM events", 1, 1),
            ("SELECT 1\n WHERE", 2, 7),
            ("SELECT 1\nFROM WHERE )", 2, 12),
            ("DROP TABLE", 1, 11),
            ("ALTER TABLE t SET TBLPROPERTIES ('a' = )", 1, 40),
        ] {
            let error = parse(text).unwrap_err();
            assert_eq!(error.position, Some(Position { line, column }), "{text}: {error}");
        }
        assert!(parse("SELEC id FROM events").unwrap_err().message.contains("SELEC"));
        assert!(parse("SELECT 'a").is_err());
        assert!(parse("").is_err());
        assert!(parse("SELECT 1; SELECT 2").is_err());
    }

    #[test]
    fn views_keep_their_text() {
        match parse("CREATE OR REPLACE VIEW v (a, \"B\") AS SELECT 1, 2").unwrap() {
            Statement::CreateView(view) => {
                assert_eq!((view.query.as_str(), view.or_replace), ("SELECT 1, 2", true));
                assert_eq!(view.columns, ["a", "B"]);
            }
            other => panic!("{other:?}"),
        }
    }
}
