//! `COPY t FROM 'file'` and `COPY t TO 'file'` in a text format; other formats are DataFusion's.
//!
//! Options follow as PostgreSQL writes them, `(FORMAT csv, HEADER true)`, or as DataFusion does,
//! `STORED AS CSV OPTIONS ('header' 'true')`; both are one list.

use datafusion::common::TableReference;
use datafusion::sql::sqlparser::ast::Query;
use datafusion::sql::sqlparser::tokenizer::Token;

use super::cursor::{StatementParser, from_parser, normalized};
use super::parser::engine_statement;
use super::{Position, Property, Statement};
use crate::error::HandlerError;

/// Where the rows of `COPY ... TO` come from.
#[derive(Debug, Clone)]
pub enum CopySource {
    /// A table, or some of its columns.
    Table {
        /// The table.
        table: TableReference,
        /// Where its name stands.
        position: Position,
        /// The columns; none means all.
        columns: Vec<String>,
    },
    /// A query in parentheses.
    Query(Box<Query>),
}

/// Rows to be written into one text file.
#[derive(Debug, Clone)]
pub struct CopyTo {
    /// The rows.
    pub source: CopySource,
    /// The file, as written.
    pub target: String,
    /// `STORED AS`, or the option `FORMAT`, in lower case.
    pub format: Option<String>,
    /// The other options.
    pub options: Vec<Property>,
}

/// Rows to be read from a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyFrom {
    /// The table that takes them.
    pub table: TableReference,
    /// Where its name stands.
    pub position: Position,
    /// The columns that the file's fields fill, in order; none means all.
    pub columns: Vec<String>,
    /// The file, as written.
    pub source: String,
    /// `STORED AS`, or the option `FORMAT`, in lower case.
    pub format: Option<String>,
    /// The other options.
    pub options: Vec<Property>,
}

/// The extensions and names of the formats that are written here.
const TEXT_FORMATS: [&str; 5] = ["csv", "tsv", "json", "ndjson", "jsonl"];

/// Whether a format, or else a file's name, speaks of a text format.
fn is_text(format: Option<&str>, target: &str) -> bool {
    let extension = || target.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map(|(_, end)| end);
    let name = format.or_else(extension).unwrap_or_default().to_ascii_lowercase();
    TEXT_FORMATS.contains(&name.as_str())
}

/// Reads the statement; None where it is DataFusion's.
pub(super) fn parse(parser: &mut StatementParser<'_>, text: &str) -> Result<Option<Statement>, HandlerError> {
    parser.expect_word("COPY")?;
    if parser.peek_word("INTO") {
        return Ok(None);
    }
    let source = source(parser)?;
    if parser.consume_word("FROM") {
        let CopySource::Table { table, position, columns } = source else {
            return Err(parser.expected("TO: a query cannot be read into"));
        };
        let from = parser.literal_string("the name of the file")?;
        let (format, options, _) = options(parser)?;
        parser.end()?;
        let copy = CopyFrom { table, position, columns, source: from, format, options };
        return Ok(Some(Statement::CopyFrom(Box::new(copy))));
    }
    parser.expect_word("TO")?;
    let target = parser.literal_string("the name of the file")?;
    let (format, options, partitioned) = options(parser)?;
    if partitioned || !is_text(format.as_deref(), &target) {
        return engine_statement(text).map(|statement| Some(Statement::Engine(Box::new(statement))));
    }
    parser.end()?;
    Ok(Some(Statement::CopyTo(Box::new(CopyTo { source, target, format, options }))))
}

fn source(parser: &mut StatementParser<'_>) -> Result<CopySource, HandlerError> {
    if parser.consume(&Token::LParen) {
        let query = parser.sql().parse_query().map_err(from_parser)?;
        parser.expect(&Token::RParen)?;
        return Ok(CopySource::Query(query));
    }
    let (table, position) = parser.table_name()?;
    let mut columns = Vec::new();
    if parser.consume(&Token::LParen) {
        loop {
            let ident = parser.sql().parse_identifier().map_err(from_parser)?;
            columns.push(normalized(&ident));
            if !parser.consume(&Token::Comma) {
                break;
            }
        }
        parser.expect(&Token::RParen)?;
    }
    Ok(CopySource::Table { table, position, columns })
}

type Options = (Option<String>, Vec<Property>, bool);

fn options(parser: &mut StatementParser<'_>) -> Result<Options, HandlerError> {
    let mut format = None;
    let mut properties = Vec::new();
    let mut partitioned = false;
    while !parser.at_end() {
        if parser.consume_words(&["STORED", "AS"]) {
            format = parser.next_word().map(|word| word.to_ascii_lowercase());
        } else if parser.consume_words(&["PARTITIONED", "BY"]) {
            partitioned = true;
            let _ = option_list(parser)?;
        } else {
            let _ = parser.consume_word("WITH") || parser.consume_word("OPTIONS");
            properties.extend(option_list(parser)?);
        }
    }
    let named = properties.iter().position(|property| property.key.eq_ignore_ascii_case("format"));
    if let Some(index) = named {
        format = Some(properties.remove(index).value.to_ascii_lowercase());
    }
    Ok((format, properties, partitioned))
}

/// `(HEADER, NULL '', 'format.x' = 'y')`: an option alone is true.
fn option_list(parser: &mut StatementParser<'_>) -> Result<Vec<Property>, HandlerError> {
    parser.expect(&Token::LParen)?;
    let mut options = Vec::new();
    loop {
        let position = parser.position();
        let key = parser.property_key()?;
        parser.consume(&Token::Eq);
        let value = if parser.peek(&Token::Comma) || parser.peek(&Token::RParen) {
            "true".to_owned()
        } else {
            parser.property_value(&key)?
        };
        options.push(Property { key, value, position });
        if parser.consume(&Token::Comma) {
            continue;
        }
        parser.expect(&Token::RParen)?;
        return Ok(options);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statement::parse_statement;

    #[test]
    fn from_takes_postgresqls_options() {
        let text = "COPY t (b, \"A\") FROM 'dir/f.csv' WITH (FORMAT csv, HEADER, NULL '-', DELIMITER ';')";
        match parse_statement(text, None).unwrap() {
            Statement::CopyFrom(copy) => {
                assert_eq!((copy.source.as_str(), copy.format.as_deref()), ("dir/f.csv", Some("csv")));
                assert_eq!(copy.columns, ["b", "A"]);
                let options: Vec<_> =
                    copy.options.iter().map(|o| (o.key.as_str(), o.value.as_str())).collect();
                assert_eq!(options, [("HEADER", "true"), ("NULL", "-"), ("DELIMITER", ";")]);
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn to_is_ours_for_text_only() {
        for text in
            ["COPY t TO 'f.csv'", "COPY (SELECT 1) TO 'f' STORED AS JSON", "COPY t TO 'f' (FORMAT ndjson)"]
        {
            assert!(matches!(parse_statement(text, None), Ok(Statement::CopyTo(_))), "{text}");
        }
        for text in [
            "COPY t TO 'f.parquet'",
            "COPY t TO 'f.csv' STORED AS PARQUET",
            "COPY t TO 'd/' STORED AS CSV PARTITIONED BY (a)",
        ] {
            assert!(matches!(parse_statement(text, None), Ok(Statement::Engine(_))), "{text}");
        }
        assert!(parse_statement("COPY (SELECT 1) FROM 'f.csv'", None).is_err());
        assert!(parse_statement("COPY t FROM f", None).is_err());
    }
}
