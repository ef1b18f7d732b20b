use super::*;
use crate::statement::sql_type_name;

fn parse(text: &str) -> Result<DataType, HandlerError> {
    let mut parser = StatementParser::new(text)?;
    let data_type = parse_data_type(&mut parser, None)?;
    parser.end()?;
    Ok(data_type)
}

#[test]
fn names_of_sql_and_hive_are_read_and_printed() {
    for (text, printed) in [
        ("bool", "BOOLEAN"),
        ("bigint unsigned", "BIGINT UNSIGNED"),
        ("double precision", "DOUBLE"),
        ("float(53)", "DOUBLE"),
        ("decimal", "DECIMAL(38, 10)"),
        ("NUMERIC(40,2)", "DECIMAL(40, 2)"),
        ("varchar(100)", "VARCHAR"),
        ("character varying(10)", "VARCHAR"),
        ("string", "VARCHAR"),
        ("varbinary", "BYTEA"),
        ("timestamp(6)", "TIMESTAMP(6)"),
        ("timestamp without time zone", "TIMESTAMP"),
        ("time", "TIME"),
        ("map<string,array<int>>", "MAP<VARCHAR, ARRAY<INT>>"),
        (
            "struct<a: int not null, \"B c\" map<string, struct<x double>>>",
            "STRUCT<a INT NOT NULL, \"B c\" MAP<VARCHAR, STRUCT<x DOUBLE>>>",
        ),
        ("int[][]", "ARRAY<ARRAY<INT>>"),
    ] {
        let data_type = parse(text).unwrap();
        assert_eq!(sql_type_name(&data_type), printed, "{text}");
        assert_eq!(parse(printed).unwrap(), data_type, "{printed}");
    }
}

#[test]
fn a_time_zone_is_the_sessions() {
    let mut parser = StatementParser::new("TIMESTAMPTZ").unwrap();
    let zoned = parse_data_type(&mut parser, Some("UTC")).unwrap();
    assert_eq!(zoned, DataType::Timestamp(TimeUnit::Nanosecond, Some("UTC".into())));
    assert_eq!(parse("timestamp with time zone").unwrap(), DataType::Timestamp(TimeUnit::Nanosecond, None));
}

/// `>>` is one token, whose halves close two types.
#[test]
fn what_follows_two_closing_brackets_is_not_inside() {
    let mut parser = StatementParser::new("STRUCT<a INT, b ARRAY<INT>>, c INT").unwrap();
    let data_type = parse_data_type(&mut parser, None).unwrap();
    assert_eq!(sql_type_name(&data_type), "STRUCT<a INT, b ARRAY<INT>>");
    assert!(parser.consume(&Token::Comma), "the comma is still there");
    let printed = |text: &str| sql_type_name(&parse(text).unwrap());
    assert_eq!(printed("ARRAY<STRUCT<a INT>>[]"), "ARRAY<ARRAY<STRUCT<a INT>>>");
    assert_eq!(printed("MAP<INT, MAP<INT, ARRAY<INT>>>"), "MAP<INT, MAP<INT, ARRAY<INT>>>");
}

#[test]
fn errors_name_the_type_and_its_place() {
    let error = parse("BIGNIT").unwrap_err();
    assert_eq!(error.message, "unknown type BIGNIT; did you mean BIGINT?");
    assert_eq!(error.position.map(|p| (p.line, p.column)), Some((1, 1)));
    for bad in [
        "DECIMAL(77,0)",
        "DECIMAL(5,6)",
        "TIMESTAMP(4)",
        "MAP<INT>",
        "STRUCT<a INT, a INT>",
        "INT)",
        "ARRAY<INT",
        "ARRAY<INT>>",
        "MAP<ARRAY<INT>>, INT>",
        "",
    ] {
        assert!(parse(bad).is_err(), "{bad}");
    }
    assert!(parse(&"ARRAY<".repeat(500)).is_err());
}
