//! [`parse_statement`]: which grammar reads a statement, and the shorter ones of our own.

use datafusion::error::DataFusionError;
use datafusion::sql::parser::{DFParserBuilder, Statement as EngineStatement};
use datafusion::sql::sqlparser::ast::Statement as SqlStatement;
use datafusion::sql::sqlparser::dialect::Dialect;
use datafusion::sql::sqlparser::tokenizer::Token;

use super::cursor::{DIALECT, StatementParser, normalized, table_reference};
use super::{
    AlterColumns, AlterProperties, CreateView, Drop, Numbered, Position, Prepare, Statement, columns, copy,
    create_table, show,
};
use crate::error::HandlerError;

/// Reads one statement. `time_zone` is the session's, for `TIMESTAMP WITH TIME ZONE` columns.
pub fn parse_statement(text: &str, time_zone: Option<&str>) -> Result<Statement, HandlerError> {
    parse_statement_in(text, time_zone, &DIALECT)
}

/// As [`parse_statement`]; what DataFusion's own grammar reads is of the given dialect, which has lambdas or has not.
pub fn parse_statement_in(
    text: &str,
    time_zone: Option<&str>,
    dialect: &dyn Dialect,
) -> Result<Statement, HandlerError> {
    let mut parser = StatementParser::new(text)?;
    if let Some(statement) = own_statement(&mut parser, text, time_zone)? {
        return Ok(statement);
    }
    let statement = engine_statement_in(text, dialect)?;
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
        ["ALTER", "TABLE", ..] => Some(alter_table(parser, time_zone)?),
        ["SHOW" | "DESCRIBE" | "DESC", ..] => show::parse(parser)?.map(Statement::Show),
        ["COPY", ..] => copy::parse(parser, text)?,
        ["PREPARE", ..] => Some(prepare(text)?),
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
    engine_statement_in(text, &DIALECT)
}

fn engine_statement_in(text: &str, dialect: &dyn Dialect) -> Result<EngineStatement, HandlerError> {
    let engine_error = |error| engine_error(error).or_at_end_of(text);
    let mut parser = DFParserBuilder::new(text).with_dialect(dialect).build().map_err(engine_error)?;
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

fn prepare(text: &str) -> Result<Statement, HandlerError> {
    let numbered = Numbered::new(text)?;
    let statement = engine_statement(&numbered.text).map_err(|error| numbered.place_back(error))?;
    let name = match &statement {
        EngineStatement::Statement(sql) => match sql.as_ref() {
            SqlStatement::Prepare { name, .. } => normalized(name),
            _ => return Ok(Statement::Engine(Box::new(statement))),
        },
        _ => return Ok(Statement::Engine(Box::new(statement))),
    };
    Ok(Statement::Prepare(Box::new(Prepare { name, numbered, statement })))
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

fn alter_table(parser: &mut StatementParser<'_>, time_zone: Option<&str>) -> Result<Statement, HandlerError> {
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
        let AlterProperties { table, position, if_exists, .. } = alter;
        let Some((change, column, lenient)) = columns::change(parser, time_zone)? else {
            let change = parser.word_at(0).unwrap_or_default().to_ascii_uppercase();
            return Ok(unsupported(
                &format!("ALTER TABLE ... {change}"),
                "this version knows ADD COLUMN, DROP COLUMN, RENAME COLUMN, SET and UNSET TBLPROPERTIES",
            ));
        };
        parser.end()?;
        let alter = AlterColumns { table, position, if_exists, change, column, lenient };
        return Ok(Statement::AlterColumns(alter));
    }
    parser.end()?;
    Ok(Statement::AlterProperties(alter))
}

#[cfg(test)]
mod tests {
    use datafusion::common::TableReference;

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
            ("ALTER TABLE t ALTER COLUMN c TYPE INT", "ALTER TABLE ... ALTER"),
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
    fn prepare_numbers_its_parameters() {
        match parse("PREPARE \"P\" (INT, VARCHAR) AS SELECT ?, '?', ?").unwrap() {
            Statement::Prepare(prepare) => {
                assert_eq!((prepare.name.as_str(), prepare.numbered.parameters), ("P", 2));
                assert!(prepare.numbered.text.ends_with("SELECT $1, '?', $2"));
            }
            other => panic!("{other:?}"),
        }
        let error = parse("PREPARE p AS SELECT ?, ? FROM WHERE )").unwrap_err();
        assert_eq!(error.position, Some(Position { line: 1, column: 37 }), "{error}");
        assert!(parse("PREPARE p AS SELECT ?, $2").unwrap_err().message.contains("not both"));
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
