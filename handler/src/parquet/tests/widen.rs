use datafusion::arrow::datatypes::DataType;

use crate::parquet::widen::{check_fields, common, widens};
use crate::statement::data_type::read_type_name;

fn of(name: &str) -> DataType {
    read_type_name(name).unwrap()
}

#[test]
fn what_widens_and_what_does_not() {
    for (from, to, wanted) in [
        ("INT", "BIGINT", true),
        ("BIGINT", "INT", false),
        ("INT UNSIGNED", "BIGINT", true),
        ("BIGINT UNSIGNED", "BIGINT", false),
        ("INT", "BIGINT UNSIGNED", false),
        ("INT", "DOUBLE", true),
        ("BIGINT", "DOUBLE", false),
        ("INT", "REAL", false),
        ("SMALLINT", "REAL", true),
        ("REAL", "DOUBLE", true),
        ("DOUBLE", "REAL", false),
        ("INT", "DECIMAL(10, 0)", true),
        ("INT", "DECIMAL(10, 1)", false),
        ("DECIMAL(5, 2)", "DECIMAL(7, 4)", true),
        ("DECIMAL(5, 2)", "DECIMAL(6, 4)", false),
        ("DECIMAL(5, 0)", "BIGINT", false),
        ("DATE", "TIMESTAMP", true),
        ("TIMESTAMP", "DATE", false),
        ("TIMESTAMP(3)", "TIMESTAMP", true),
        ("TIMESTAMP", "TIMESTAMP(6)", false),
        ("INT", "VARCHAR", false),
        ("VARCHAR", "INT", false),
        ("BYTEA", "VARCHAR", true),
        ("BOOLEAN", "INT", false),
    ] {
        assert_eq!(widens(&of(from), &of(to)), wanted, "{from} to {to}");
    }
}

#[test]
fn the_common_type_holds_both() {
    for (left, right, wanted) in [
        ("INT", "BIGINT", Some("BIGINT")),
        ("REAL", "DOUBLE", Some("DOUBLE")),
        ("BYTEA", "VARCHAR", Some("BYTEA")),
        ("INT", "INT UNSIGNED", Some("BIGINT")),
        ("BIGINT", "BIGINT UNSIGNED", Some("DECIMAL(20, 0)")),
        ("DECIMAL(5, 2)", "DECIMAL(6, 4)", Some("DECIMAL(7, 4)")),
        ("INT", "DECIMAL(5, 2)", Some("DECIMAL(12, 2)")),
        ("BIGINT", "DOUBLE", None),
        ("INT", "VARCHAR", None),
    ] {
        assert_eq!(common(&of(left), &of(right)), wanted.map(of), "{left} and {right}");
        assert_eq!(common(&of(right), &of(left)), wanted.map(of), "{right} and {left}");
    }
}

#[test]
fn refusals_name_the_way_down() {
    for (from, to, path) in [
        ("STRUCT<s STRUCT<a BIGINT>>", "STRUCT<s STRUCT<a INT>>", "s.a"),
        ("STRUCT<l ARRAY<STRUCT<x INT>>>", "STRUCT<l ARRAY<STRUCT<x VARCHAR>>>", "l.element.x"),
        ("STRUCT<m MAP<VARCHAR, DOUBLE>>", "STRUCT<m MAP<VARCHAR, INT>>", "m.value"),
        ("STRUCT<m MAP<INT, INT>>", "STRUCT<m MAP<VARCHAR, INT>>", "m.key"),
        ("STRUCT<s STRUCT<a INT>>", "STRUCT<s ARRAY<INT>>", "s"),
    ] {
        let (DataType::Struct(from), DataType::Struct(to)) = (of(from), of(to)) else { panic!("{path}") };
        assert_eq!(check_fields(&from, &to).unwrap_err().path, path);
    }
}
