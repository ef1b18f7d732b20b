//! Arrow's types by the names that `CREATE TABLE` takes.

use datafusion::arrow::datatypes::{DataType, TimeUnit};

use super::cursor::quote_identifier;

/// The SQL name of a type; [`DataType`]s that no `CREATE TABLE` can name are printed as Arrow prints them.
pub fn sql_type_name(data_type: &DataType) -> String {
    let digits = |unit: &TimeUnit| match unit {
        TimeUnit::Second => "(0)",
        TimeUnit::Millisecond => "(3)",
        TimeUnit::Microsecond => "(6)",
        TimeUnit::Nanosecond => "",
    };
    let not_null = |nullable: bool| if nullable { "" } else { " NOT NULL" };
    match data_type {
        DataType::Boolean => "BOOLEAN".to_owned(),
        DataType::Int8 => "TINYINT".to_owned(),
        DataType::Int16 => "SMALLINT".to_owned(),
        DataType::Int32 => "INT".to_owned(),
        DataType::Int64 => "BIGINT".to_owned(),
        DataType::UInt8 => "TINYINT UNSIGNED".to_owned(),
        DataType::UInt16 => "SMALLINT UNSIGNED".to_owned(),
        DataType::UInt32 => "INT UNSIGNED".to_owned(),
        DataType::UInt64 => "BIGINT UNSIGNED".to_owned(),
        DataType::Float32 => "REAL".to_owned(),
        DataType::Float64 => "DOUBLE".to_owned(),
        DataType::Decimal128(precision, scale) | DataType::Decimal256(precision, scale) => {
            format!("DECIMAL({precision}, {scale})")
        }
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => "VARCHAR".to_owned(),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            "BYTEA".to_owned()
        }
        DataType::Date32 => "DATE".to_owned(),
        DataType::Time32(unit) | DataType::Time64(unit) => format!("TIME{}", digits(unit)),
        DataType::Timestamp(unit, None) => format!("TIMESTAMP{}", digits(unit)),
        DataType::Timestamp(unit, Some(_)) => format!("TIMESTAMP{} WITH TIME ZONE", digits(unit)),
        DataType::Struct(fields) => {
            let parts: Vec<_> = fields
                .iter()
                .map(|field| {
                    let name = quote_identifier(field.name());
                    format!("{name} {}{}", sql_type_name(field.data_type()), not_null(field.is_nullable()))
                })
                .collect();
            format!("STRUCT<{}>", parts.join(", "))
        }
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(parts) => match parts.iter().as_slice() {
                [key, value] => format!(
                    "MAP<{}, {}{}>",
                    sql_type_name(key.data_type()),
                    sql_type_name(value.data_type()),
                    not_null(value.is_nullable())
                ),
                _ => data_type.to_string(),
            },
            _ => data_type.to_string(),
        },
        DataType::List(element) | DataType::LargeList(element) => {
            format!("ARRAY<{}{}>", sql_type_name(element.data_type()), not_null(element.is_nullable()))
        }
        other => other.to_string(),
    }
}
