//! `CREATE [OR REPLACE] [EXTERNAL] TABLE [IF NOT EXISTS] name (columns) clauses [AS query]`.
//!
//! The clauses come in any order: `STORED AS format`, Hive's `STORED BY 'class'`, `WITH SERDEPROPERTIES`,
//! `TBLPROPERTIES`, `OPTIONS`, `LOCATION`, `PARTITIONED BY`, `WITH ORDER`, `COMMENT`. All property lists are one.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::TableReference;
use datafusion::sql::sqlparser::ast::Query;
use datafusion::sql::sqlparser::tokenizer::Token;

use super::cursor::{StatementParser, from_parser};
use super::data_type::parse_data_type;
use super::{Position, Property, columns};
use crate::error::HandlerError;

/// A table to be made, as written.
#[derive(Debug, Clone)]
pub struct CreateTable {
    /// Its name.
    pub name: TableReference,
    /// Where the name stands.
    pub position: Position,
    /// `OR REPLACE`.
    pub or_replace: bool,
    /// `IF NOT EXISTS`.
    pub if_not_exists: bool,
    /// `EXTERNAL`: dropping the table keeps what it stands for.
    pub external: bool,
    /// The columns; none may be listed where a query or the files tell them.
    pub columns: Vec<ColumnSpec>,
    /// The parts of the primary key, in order.
    pub primary_key: Vec<KeyColumn>,
    /// What keeps the rows.
    pub stored: StoredAs,
    /// Properties and options, in the order written.
    pub properties: Vec<Property>,
    /// `LOCATION`.
    pub locations: Vec<String>,
    /// `PARTITIONED BY`: names of columns.
    pub partitioned_by: Vec<String>,
    /// `WITH ORDER`: expressions as SQL text.
    pub sort_order: Vec<SortKey>,
    /// `AS query`.
    pub query: Option<Box<Query>>,
}

/// What keeps the rows of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoredAs {
    /// Nothing was said: a tablet table.
    Unsaid,
    /// `STORED AS PARQUET`: a format or the name of a storage handler, in upper case.
    Format(String),
    /// `STORED BY 'class'`: the name of a storage handler, as written.
    Handler(String),
}

/// One column as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnSpec {
    /// Its name, in lower case unless quoted.
    pub name: String,
    /// Its type.
    pub data_type: DataType,
    /// False for `NOT NULL` and for the parts of the key.
    pub nullable: bool,
    /// `DEFAULT`, as SQL text.
    pub default: Option<String>,
    /// Where the name stands.
    pub position: Position,
}

/// One part of a primary key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyColumn {
    /// The column's name.
    pub name: String,
    /// `DESC`: rows lie from the greatest value to the least.
    pub descending: bool,
    /// Where the name stands.
    pub position: Position,
}

/// One part of a declared order of files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortKey {
    /// The expression, as SQL text.
    pub expression: String,
    /// ASC, which is the default.
    pub ascending: bool,
    /// NULLS FIRST; by default NULLs are greatest.
    pub nulls_first: bool,
}

/// Reads the statement; None where it creates something else than a table.
pub(super) fn parse(
    parser: &mut StatementParser<'_>,
    time_zone: Option<&str>,
) -> Result<Option<CreateTable>, HandlerError> {
    if !creates_table(parser) {
        return Ok(None);
    }
    parser.expect_word("CREATE")?;
    let or_replace = parser.consume_words(&["OR", "REPLACE"]);
    if parser.peek_word("TEMPORARY") || parser.peek_word("TEMP") {
        return Err(
            parser.error_here("there are no temporary tables: leave the word out, and DROP the table later")
        );
    }
    let external = parser.consume_word("EXTERNAL");
    parser.expect_word("TABLE")?;
    let if_not_exists = parser.consume_words(&["IF", "NOT", "EXISTS"]);
    if or_replace && if_not_exists {
        return Err(parser.error_here("OR REPLACE and IF NOT EXISTS exclude each other"));
    }
    let (name, position) = parser.table_name()?;
    let mut table = CreateTable {
        name,
        position,
        or_replace,
        if_not_exists,
        external,
        columns: Vec::new(),
        primary_key: Vec::new(),
        stored: StoredAs::Unsaid,
        properties: Vec::new(),
        locations: Vec::new(),
        partitioned_by: Vec::new(),
        sort_order: Vec::new(),
        query: None,
    };
    if parser.consume(&Token::LParen) {
        columns::columns(parser, &mut table, time_zone)?;
    }
    while !parser.at_end() {
        clause(parser, &mut table, time_zone)?;
    }
    for key in &table.primary_key {
        let Some(column) = table.columns.iter_mut().find(|column| column.name == key.name) else {
            if table.columns.is_empty() && table.query.is_some() {
                continue;
            }
            let message = format!("the primary key names {}, which is no column of the table", key.name);
            return Err(HandlerError::syntax(message, Some(key.position)));
        };
        column.nullable = false;
    }
    Ok(Some(table))
}

/// Whether the words up to the first name spell CREATE ... TABLE.
fn creates_table(parser: &StatementParser<'_>) -> bool {
    for nth in 1..5 {
        if parser.peek_word_at(nth, "TABLE") {
            return true;
        }
        let known = ["OR", "REPLACE", "EXTERNAL", "TEMP", "TEMPORARY"];
        if !known.iter().any(|word| parser.peek_word_at(nth, word)) {
            return false;
        }
    }
    false
}

fn clause(
    parser: &mut StatementParser<'_>,
    table: &mut CreateTable,
    time_zone: Option<&str>,
) -> Result<(), HandlerError> {
    let position = parser.position();
    let once = |given: bool, what: &str| {
        if given {
            Err(HandlerError::syntax(format!("{what} is given twice"), Some(position)))
        } else {
            Ok(())
        }
    };
    if parser.consume_word("STORED") {
        once(table.stored != StoredAs::Unsaid, "STORED")?;
        if parser.consume_word("BY") {
            table.stored = StoredAs::Handler(parser.literal_string("the storage handler's class")?);
        } else {
            parser.expect_word("AS")?;
            let Some(format) = parser.next_word() else {
                return Err(parser.expected("a format, as in TABLET or PARQUET"));
            };
            table.stored = StoredAs::Format(format.to_uppercase());
        }
    } else if parser.consume_words(&["WITH", "SERDEPROPERTIES"])
        || parser.consume_word("TBLPROPERTIES")
        || parser.consume_word("OPTIONS")
    {
        table.properties.extend(parser.properties()?);
    } else if parser.consume_words(&["WITH", "ORDER"]) {
        sort_order(parser, &mut table.sort_order)?;
    } else if parser.consume_words(&["WITH", "HEADER", "ROW"]) {
        table.properties.push(Property { key: "has_header".into(), value: "true".into(), position });
    } else if parser.peek_word("WITH") {
        parser.next_word();
        table.properties.extend(parser.properties()?);
    } else if parser.consume_word("LOCATION") {
        once(!table.locations.is_empty(), "LOCATION")?;
        loop {
            table.locations.push(parser.literal_string("the location")?);
            if !parser.consume(&Token::Comma) {
                break;
            }
        }
    } else if parser.consume_words(&["PARTITIONED", "BY"]) {
        once(!table.partitioned_by.is_empty(), "PARTITIONED BY")?;
        partitioned_by(parser, table, time_zone)?;
    } else if parser.consume_word("COMMENT") {
        parser.literal_string("the comment")?;
    } else if parser.peek_words(&["ROW", "FORMAT"]) {
        return Err(parser.error_here(
            "ROW FORMAT is for files that Hive splits: use STORED AS CSV with OPTIONS, or STORED AS TABLET",
        ));
    } else if parser.consume_word("AS") || parser.peek_word("SELECT") {
        table.query = Some(parser.sql().parse_query().map_err(from_parser)?);
    } else {
        return Err(parser.expected(
            "STORED AS, STORED BY, OPTIONS, TBLPROPERTIES, LOCATION, PARTITIONED BY, WITH ORDER, AS or the end of the statement",
        ));
    }
    Ok(())
}

/// `(a)`, or `(a INT)`, which adds the column.
fn partitioned_by(
    parser: &mut StatementParser<'_>,
    table: &mut CreateTable,
    time_zone: Option<&str>,
) -> Result<(), HandlerError> {
    parser.expect(&Token::LParen)?;
    loop {
        let position = parser.position();
        let name = parser.identifier("a partition column")?;
        if !parser.peek(&Token::Comma) && !parser.peek(&Token::RParen) {
            let data_type = parse_data_type(parser, time_zone)?;
            table.columns.push(ColumnSpec {
                name: name.clone(),
                data_type,
                nullable: true,
                default: None,
                position,
            });
        }
        table.partitioned_by.push(name);
        if !parser.consume(&Token::Comma) {
            return parser.expect(&Token::RParen);
        }
    }
}

fn sort_order(parser: &mut StatementParser<'_>, order: &mut Vec<SortKey>) -> Result<(), HandlerError> {
    parser.expect(&Token::LParen)?;
    loop {
        let key = parser.sql().parse_order_by_expr().map_err(from_parser)?;
        let ascending = key.options.asc.unwrap_or(true);
        order.push(SortKey {
            expression: key.expr.to_string(),
            ascending,
            nulls_first: key.options.nulls_first.unwrap_or(!ascending),
        });
        if !parser.consume(&Token::Comma) {
            return parser.expect(&Token::RParen);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_text(text: &str) -> Result<CreateTable, HandlerError> {
        let mut parser = StatementParser::new(text)?;
        let table = parse(&mut parser, None)?.unwrap();
        parser.end()?;
        Ok(table)
    }

    #[test]
    fn a_typed_table() {
        let table = parse_text(
            "CREATE TABLE IF NOT EXISTS events (id BIGINT, \"At\" TIMESTAMP, kind VARCHAR DEFAULT 'a' || 'b' NOT NULL, \
             amount DECIMAL(12,2), CONSTRAINT pk PRIMARY KEY (id, \"At\" DESC))",
        )
        .unwrap();
        assert!(table.if_not_exists && !table.external);
        let names: Vec<_> = table.columns.iter().map(|c| (c.name.as_str(), c.nullable)).collect();
        assert_eq!(names, [("id", false), ("At", false), ("kind", false), ("amount", true)]);
        assert_eq!(table.columns[2].default.as_deref(), Some("'a' || 'b'"));
        let key: Vec<_> = table.primary_key.iter().map(|k| (k.name.as_str(), k.descending)).collect();
        assert_eq!(key, [("id", false), ("At", true)]);
        assert_eq!(table.stored, StoredAs::Unsaid);
    }

    #[test]
    fn hives_form() {
        let table = parse_text(
            "CREATE EXTERNAL TABLE people (key string, value MAP<string,string>, age int COMMENT 'years')
             STORED BY 'org.apache.hadoop.hive.accumulo.AccumuloStorageHandler'
             WITH SERDEPROPERTIES ('accumulo.columns.mapping' = ':rowid,a:*,person:age#b')
             TBLPROPERTIES (\"accumulo.table.name\" = \"people_store\")",
        )
        .unwrap();
        assert!(table.external);
        assert!(
            matches!(&table.stored, StoredAs::Handler(class) if class.ends_with("AccumuloStorageHandler"))
        );
        let keys: Vec<_> = table.properties.iter().map(|p| (p.key.as_str(), p.value.as_str())).collect();
        assert_eq!(
            keys,
            [
                ("accumulo.columns.mapping", ":rowid,a:*,person:age#b"),
                ("accumulo.table.name", "people_store")
            ]
        );
    }

    #[test]
    fn files_and_queries() {
        let table = parse_text(
            "CREATE EXTERNAL TABLE p (id BIGINT) STORED AS PARQUET LOCATION 'a', 'b' PARTITIONED BY (ds VARCHAR) \
             WITH ORDER (id DESC, id + 1 NULLS FIRST) OPTIONS ('format.x' '1')",
        )
        .unwrap();
        assert_eq!(table.stored, StoredAs::Format("PARQUET".into()));
        assert_eq!((table.locations.len(), table.partitioned_by.len(), table.columns.len()), (2, 1, 2));
        assert_eq!(
            table.sort_order[0],
            SortKey { expression: "id".into(), ascending: false, nulls_first: true }
        );
        assert_eq!(table.sort_order[1].expression, "id + 1");
        let table = parse_text("CREATE OR REPLACE TABLE t STORED AS TABLET AS SELECT 1 AS a").unwrap();
        assert!(table.or_replace && table.query.is_some());
    }

    #[test]
    fn mistakes_are_placed() {
        for (text, word) in [
            ("CREATE TABLE t (a INT, a INT)", "two columns a"),
            ("CREATE TABLE t (a INT PRIMARY KEY, PRIMARY KEY (a))", "two primary keys"),
            ("CREATE TABLE t (a INT, PRIMARY KEY (b))", "names b"),
            ("CREATE TABLE t (a INT UNIQUE)", "expected"),
            ("CREATE TABLE t (a INT, UNIQUE (a))", "enforced"),
            ("CREATE TABLE t (a INTT)", "did you mean INT?"),
            ("CREATE TEMP TABLE t (a INT)", "temporary"),
            ("CREATE TABLE t (a INT) STORED AS A STORED AS B", "twice"),
            ("CREATE TABLE t (a INT) FOO", "expected"),
            ("CREATE TABLE t (a INT", "expected"),
        ] {
            let error = parse_text(text).unwrap_err();
            assert!(error.message.contains(word), "{text}: {error}");
            assert!(error.position.is_some(), "{text}");
        }
    }
}
