//! What stands in the parentheses of `CREATE TABLE`: columns and constraints.

use datafusion::sql::sqlparser::ast::Expr;
use datafusion::sql::sqlparser::tokenizer::Token;

use super::cursor::{StatementParser, from_parser};
use super::data_type::parse_data_type;
use super::{ColumnSpec, CreateTable, KeyColumn, Position};
use crate::definition::ColumnChange;
use crate::error::HandlerError;

/// Reads the list up to its closing parenthesis.
pub(super) fn columns(
    parser: &mut StatementParser<'_>,
    table: &mut CreateTable,
    time_zone: Option<&str>,
) -> Result<(), HandlerError> {
    if parser.consume(&Token::RParen) {
        return Ok(());
    }
    loop {
        if !constraint(parser, table)? {
            let column = column(parser, table, time_zone)?;
            if table.columns.iter().any(|other| other.name == column.name) {
                let message = format!("the table has two columns {}", column.name);
                return Err(HandlerError::syntax(message, Some(column.position)));
            }
            table.columns.push(column);
        }
        if parser.consume(&Token::Comma) {
            continue;
        }
        return parser.expect(&Token::RParen);
    }
}

/// `ADD`, `DROP` or `RENAME` of a column, where it stands, and whether `IF [NOT] EXISTS` is said; none if something else
/// is to be altered.
pub(super) fn change(
    parser: &mut StatementParser<'_>,
    time_zone: Option<&str>,
) -> Result<Option<(ColumnChange, Position, bool)>, HandlerError> {
    if parser.peek_word("RENAME") && !parser.word_at(1).is_some_and(|word| word.eq_ignore_ascii_case("TO")) {
        parser.next_word();
        parser.consume_word("COLUMN");
        let position = parser.position();
        let from = parser.identifier("the name of a column")?;
        parser.expect_word("TO")?;
        let to = parser.identifier("its new name")?;
        return Ok(Some((ColumnChange::Rename { from, to }, position, false)));
    }
    if parser.consume_word("DROP") {
        parser.consume_word("COLUMN");
        let lenient = parser.consume_words(&["IF", "EXISTS"]);
        let position = parser.position();
        let name = parser.identifier("the name of a column")?;
        return Ok(Some((ColumnChange::Drop(name), position, lenient)));
    }
    if !parser.consume_word("ADD") {
        return Ok(None);
    }
    parser.consume_word("COLUMN");
    let lenient = parser.consume_words(&["IF", "NOT", "EXISTS"]);
    let position = parser.position();
    let name = parser.identifier("the name of a column")?;
    let mut spec = crate::definition::ColumnSpec::new(name, parse_data_type(parser, time_zone)?);
    loop {
        if parser.consume_words(&["NOT", "NULL"]) {
            spec.nullable = false;
        } else if parser.consume_word("DEFAULT") {
            spec.default = Some(parser.sql().parse_expr().map_err(from_parser)?.to_string());
        } else if !parser.consume_word("NULL") {
            return Ok(Some((ColumnChange::Add(spec), position, lenient)));
        }
    }
}

/// A table constraint, told from a column by the word after its first.
fn constraint(parser: &mut StatementParser<'_>, table: &mut CreateTable) -> Result<bool, HandlerError> {
    let position = parser.position();
    if parser.peek_word("CONSTRAINT") && parser.word_at(2).is_some() {
        parser.next_word();
        parser.identifier("the name of the constraint")?;
    }
    if parser.consume_words(&["PRIMARY", "KEY"]) {
        set_primary_key(table, position)?;
        parser.expect(&Token::LParen)?;
        loop {
            let position = parser.position();
            let name = parser.identifier("a column of the primary key")?;
            let descending = parser.consume_word("DESC");
            if !descending {
                parser.consume_word("ASC");
            }
            if table.primary_key.iter().any(|key| key.name == name) {
                let message = format!("the primary key names {name} twice");
                return Err(HandlerError::syntax(message, Some(position)));
            }
            table.primary_key.push(KeyColumn { name, descending, position });
            if !parser.consume(&Token::Comma) {
                break;
            }
        }
        parser.expect(&Token::RParen)?;
        // Hive's words for a key that nobody checks; this one is the row id.
        for words in [&["DISABLE", "NOVALIDATE"][..], &["RELY"], &["NORELY"]] {
            parser.consume_words(words);
        }
        return Ok(true);
    }
    let refused = (parser.peek_word("UNIQUE") || parser.peek_word("CHECK"))
        && matches!(parser.sql().peek_nth_token(1).token, Token::LParen)
        || parser.peek_word("FOREIGN") && parser.peek_word_at(1, "KEY");
    if refused {
        return Err(
            parser.error_here("only PRIMARY KEY and NOT NULL are enforced; leave other constraints out")
        );
    }
    Ok(false)
}

fn set_primary_key(table: &CreateTable, position: Position) -> Result<(), HandlerError> {
    if table.primary_key.is_empty() {
        Ok(())
    } else {
        Err(HandlerError::syntax("the table has two primary keys", Some(position)))
    }
}

fn column(
    parser: &mut StatementParser<'_>,
    table: &mut CreateTable,
    time_zone: Option<&str>,
) -> Result<ColumnSpec, HandlerError> {
    let position = parser.position();
    let name = parser.identifier("the name of a column")?;
    let data_type = parse_data_type(parser, time_zone)?;
    let mut column = ColumnSpec { name, data_type, nullable: true, default: None, position };
    loop {
        if parser.consume_words(&["NOT", "NULL"]) {
            column.nullable = false;
        } else if parser.consume_word("NULL") {
            column.nullable = true;
        } else if parser.peek_word("PRIMARY") {
            let position = parser.position();
            parser.next_word();
            parser.expect_word("KEY")?;
            set_primary_key(table, position)?;
            let descending = parser.consume_word("DESC");
            if !descending {
                parser.consume_word("ASC");
            }
            column.nullable = false;
            table.primary_key.push(KeyColumn { name: column.name.clone(), descending, position });
        } else if parser.consume_word("DEFAULT") {
            // The expression grammar takes a NOT NULL that follows for its own `x NOT NULL`.
            let expression = match parser.sql().parse_expr().map_err(from_parser)? {
                Expr::IsNotNull(inner) => {
                    column.nullable = false;
                    *inner
                }
                other => other,
            };
            column.default = Some(expression.to_string());
        } else if parser.consume_word("COMMENT") {
            parser.literal_string("the comment")?;
        } else if parser.peek(&Token::Comma) || parser.peek(&Token::RParen) {
            return Ok(column);
        } else {
            return Err(parser.expected("NOT NULL, DEFAULT, PRIMARY KEY, a comma or )"));
        }
    }
}
