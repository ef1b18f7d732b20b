//! `SHOW TABLES`, `SHOW CREATE TABLE t`, `SHOW TBLPROPERTIES t ('k')`, `DESCRIBE t`.

use datafusion::common::TableReference;
use datafusion::sql::sqlparser::tokenizer::Token;

use super::Position;
use super::cursor::StatementParser;
use crate::error::HandlerError;

/// A question about the catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Show {
    /// `SHOW TABLES [LIKE 'pattern']`.
    Tables {
        /// An SQL LIKE pattern on the names.
        pattern: Option<String>,
    },
    /// `SHOW CREATE TABLE t` (or VIEW).
    CreateTable(TableReference, Position),
    /// `SHOW TBLPROPERTIES t`, or one of them.
    Properties {
        /// The table.
        table: TableReference,
        /// Where its name stands.
        position: Position,
        /// The one key asked for.
        key: Option<String>,
    },
    /// `DESCRIBE t`.
    Columns(TableReference, Position),
}

/// Reads the statement; None where DataFusion knows it (`SHOW ALL`, `SHOW COLUMNS`, `DESCRIBE SELECT ...`).
pub(super) fn parse(parser: &mut StatementParser<'_>) -> Result<Option<Show>, HandlerError> {
    let show = if parser.peek_words(&["SHOW", "TABLES"]) {
        parser.consume_words(&["SHOW", "TABLES"]);
        if parser.consume_word("FROM") || parser.consume_word("IN") {
            parser.identifier("the name of a schema")?;
        }
        let pattern =
            if parser.consume_word("LIKE") { Some(parser.literal_string("the pattern")?) } else { None };
        Show::Tables { pattern }
    } else if parser.consume_words(&["SHOW", "CREATE", "TABLE"])
        || parser.consume_words(&["SHOW", "CREATE", "VIEW"])
    {
        let (table, position) = parser.table_name()?;
        Show::CreateTable(table, position)
    } else if parser.consume_words(&["SHOW", "TBLPROPERTIES"]) {
        let (table, position) = parser.table_name()?;
        let mut key = None;
        if parser.consume(&Token::LParen) {
            key = Some(parser.property_key()?);
            parser.expect(&Token::RParen)?;
        }
        Show::Properties { table, position, key }
    } else if describes_table(parser) {
        parser.next_word();
        let _ = parser.consume_word("TABLE")
            || parser.word_at(1).is_some()
                && (parser.consume_word("EXTENDED") || parser.consume_word("FORMATTED"));
        let (table, position) = parser.table_name()?;
        Show::Columns(table, position)
    } else {
        return Ok(None);
    };
    parser.end()?;
    Ok(Some(show))
}

fn describes_table(parser: &StatementParser<'_>) -> bool {
    let describes = parser.peek_word("DESCRIBE") || parser.peek_word("DESC");
    let query = ["SELECT", "WITH", "VALUES", "INSERT", "UPDATE", "DELETE"];
    describes && !query.iter().any(|word| parser.peek_word_at(1, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_text(text: &str) -> Option<Show> {
        parse(&mut StatementParser::new(text).unwrap()).unwrap()
    }

    #[test]
    fn questions() {
        let bare = TableReference::bare("t");
        let at = |column| Position { line: 1, column };
        assert_eq!(parse_text("show tables"), Some(Show::Tables { pattern: None }));
        assert_eq!(parse_text("SHOW TABLES LIKE 'a%'"), Some(Show::Tables { pattern: Some("a%".into()) }));
        assert_eq!(parse_text("SHOW CREATE TABLE T"), Some(Show::CreateTable(bare.clone(), at(19))));
        assert_eq!(
            parse_text("SHOW TBLPROPERTIES t ('ttl')"),
            Some(Show::Properties { table: bare.clone(), position: at(20), key: Some("ttl".into()) })
        );
        assert_eq!(parse_text("DESCRIBE t"), Some(Show::Columns(bare.clone(), at(10))));
        assert_eq!(parse_text("DESC EXTENDED t"), Some(Show::Columns(bare, at(15))));
        assert_eq!(
            parse_text("DESCRIBE extended"),
            Some(Show::Columns(TableReference::bare("extended"), at(10)))
        );
        assert_eq!(parse_text("DESCRIBE SELECT 1"), None);
        assert_eq!(parse_text("SHOW datafusion.execution.batch_size"), None);
    }
}
