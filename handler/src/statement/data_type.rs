//! Column types of `CREATE TABLE`: SQL's, PostgreSQL's and Hive's names, read into Arrow's types.
//!
//! `STRUCT<a INT, b: VARCHAR>`, `MAP<K, V>`, `ARRAY<T>` and `T[]` nest freely; `NOT NULL` may follow any of their
//! parts. Text types are one type whatever their length says, as in DataFusion.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, Fields, TimeUnit};
use datafusion::sql::sqlparser::tokenizer::Token;

use super::cursor::StatementParser;
use crate::error::HandlerError;

/// How deep types may nest.
const MAX_DEPTH: usize = 64;

/// Reads one type. A `TIMESTAMP WITH TIME ZONE` gets `time_zone`, the session's (none: a plain timestamp in UTC).
pub(super) fn parse_data_type(
    parser: &mut StatementParser<'_>,
    time_zone: Option<&str>,
) -> Result<DataType, HandlerError> {
    let mut types = TypeParser { parser, time_zone, closing: 0 };
    let data_type = types.data_type(0)?;
    match types.closing {
        0 => Ok(data_type),
        _ => Err(types.parser.error_here("there is one > too many behind the type")),
    }
}

/// Reads a text that is one type, as [`sql_type_name`](super::sql_type_name) prints it; a time zone is UTC.
pub fn read_type_name(text: &str) -> Result<DataType, HandlerError> {
    let mut parser = StatementParser::new(text)?;
    let data_type = parse_data_type(&mut parser, Some("UTC"))?;
    parser.end()?;
    Ok(data_type)
}

struct TypeParser<'p, 'a> {
    parser: &'p mut StatementParser<'a>,
    time_zone: Option<&'p str>,
    /// `>` that were read ahead: the tokenizer joins two into `>>`.
    closing: usize,
}

impl TypeParser<'_, '_> {
    fn data_type(&mut self, depth: usize) -> Result<DataType, HandlerError> {
        if depth > MAX_DEPTH {
            return Err(self.parser.error_here(format!("types may not nest deeper than {MAX_DEPTH}")));
        }
        let position = self.parser.position();
        let Some(name) = self.parser.next_word() else {
            return Err(self.parser.expected("a type, as in BIGINT or VARCHAR"));
        };
        let mut data_type = match name.to_ascii_uppercase().as_str() {
            "STRUCT" => self.struct_type(depth)?,
            "MAP" => self.map_type(depth)?,
            "ARRAY" => {
                self.open()?;
                let (element, nullable) = self.part(depth)?;
                self.close()?;
                list_of(element, nullable)
            }
            upper => self
                .scalar_type(&name, upper)
                .map_err(|message| HandlerError::syntax(message, Some(position)))?,
        };
        while self.closing == 0 && self.parser.consume(&Token::LBracket) {
            self.parser.expect(&Token::RBracket)?;
            data_type = list_of(data_type, true);
        }
        Ok(data_type)
    }

    fn scalar_type(&mut self, name: &str, upper: &str) -> Result<DataType, String> {
        let unsigned = |parser: &mut StatementParser<'_>, signed: DataType, other: DataType| {
            if parser.consume_word("UNSIGNED") { other } else { signed }
        };
        Ok(match upper {
            "BOOLEAN" | "BOOL" => DataType::Boolean,
            "TINYINT" | "INT1" | "BYTE" => unsigned(self.parser, DataType::Int8, DataType::UInt8),
            "SMALLINT" | "INT2" => unsigned(self.parser, DataType::Int16, DataType::UInt16),
            "INT" | "INTEGER" | "INT4" | "MEDIUMINT" => {
                unsigned(self.parser, DataType::Int32, DataType::UInt32)
            }
            "BIGINT" | "INT8" | "LONG" => unsigned(self.parser, DataType::Int64, DataType::UInt64),
            "UTINYINT" => DataType::UInt8,
            "USMALLINT" => DataType::UInt16,
            "UINTEGER" | "UINT" => DataType::UInt32,
            "UBIGINT" => DataType::UInt64,
            "REAL" | "FLOAT4" => DataType::Float32,
            "FLOAT" => match self.arguments()?.as_slice() {
                // SQL counts binary digits: up to 24 fit four bytes.
                [digits] if *digits > 24 => DataType::Float64,
                _ => DataType::Float32,
            },
            "DOUBLE" | "FLOAT8" => {
                self.parser.consume_word("PRECISION");
                DataType::Float64
            }
            "DECIMAL" | "NUMERIC" | "DEC" => self.decimal()?,
            "VARCHAR" | "CHAR" | "CHARACTER" | "TEXT" | "STRING" | "NVARCHAR" | "BPCHAR" => {
                self.parser.consume_word("VARYING");
                self.arguments()?;
                DataType::Utf8
            }
            "BYTEA" | "BINARY" | "VARBINARY" | "BLOB" => {
                self.parser.consume_word("VARYING");
                self.arguments()?;
                DataType::Binary
            }
            "DATE" | "DATE32" => DataType::Date32,
            "TIME" => {
                let unit = self.time_unit()?;
                self.without_time_zone()?;
                match unit {
                    TimeUnit::Second | TimeUnit::Millisecond => DataType::Time32(unit),
                    TimeUnit::Microsecond | TimeUnit::Nanosecond => DataType::Time64(unit),
                }
            }
            "TIMESTAMP" | "DATETIME" => {
                let unit = self.time_unit()?;
                let zone = if self.with_time_zone()? { self.time_zone.map(Arc::from) } else { None };
                DataType::Timestamp(unit, zone)
            }
            "TIMESTAMPTZ" => DataType::Timestamp(self.time_unit()?, self.time_zone.map(Arc::from)),
            _ => {
                let hint = nearest_type(upper).map_or_else(
                    || "known are BOOLEAN, TINYINT to BIGINT (UNSIGNED too), REAL, DOUBLE, DECIMAL, VARCHAR, BYTEA, \
                        DATE, TIME, TIMESTAMP, STRUCT<..>, MAP<..> and ARRAY<..>"
                        .to_owned(),
                    |near| format!("did you mean {near}?"),
                );
                return Err(format!("unknown type {name}; {hint}"));
            }
        })
    }

    fn decimal(&mut self) -> Result<DataType, String> {
        let arguments = self.arguments()?;
        let (precision, scale) = match arguments.as_slice() {
            [] => (38, 10),
            [precision] => (*precision, 0),
            [precision, scale] => (*precision, *scale),
            _ => return Err("DECIMAL takes a precision and a scale, as in DECIMAL(12, 2)".to_owned()),
        };
        if !(1..=76).contains(&precision) || scale > precision {
            return Err(format!(
                "DECIMAL({precision}, {scale}) is out of range: the precision is 1 to 76, the scale 0 to the precision"
            ));
        }
        let (small, scale) = (precision as u8, scale as i8);
        Ok(if precision <= 38 {
            DataType::Decimal128(small, scale)
        } else {
            DataType::Decimal256(small, scale)
        })
    }

    fn time_unit(&mut self) -> Result<TimeUnit, String> {
        match self.arguments()?.as_slice() {
            [] | [9] => Ok(TimeUnit::Nanosecond),
            [0] => Ok(TimeUnit::Second),
            [3] => Ok(TimeUnit::Millisecond),
            [6] => Ok(TimeUnit::Microsecond),
            _ => Err("the digits of a second are 0, 3, 6 or 9, as in TIMESTAMP(6)".to_owned()),
        }
    }

    fn with_time_zone(&mut self) -> Result<bool, String> {
        let with = self.parser.peek_word("WITH") && self.parser.peek_word_at(1, "TIME");
        let without = self.parser.peek_word("WITHOUT");
        if with || without {
            self.parser.next_word();
            if !(self.parser.consume_word("TIME") && self.parser.consume_word("ZONE")) {
                return Err("expected TIME ZONE".to_owned());
            }
        }
        Ok(with)
    }

    fn without_time_zone(&mut self) -> Result<(), String> {
        if self.with_time_zone()? { Err("TIME has no time zone here".to_owned()) } else { Ok(()) }
    }

    /// `(12, 2)`, or nothing.
    fn arguments(&mut self) -> Result<Vec<u32>, String> {
        let mut arguments = Vec::new();
        if !self.parser.consume(&Token::LParen) {
            return Ok(arguments);
        }
        loop {
            match self.parser.next_token() {
                Token::Number(digits, _) => arguments
                    .push(digits.parse().map_err(|_| format!("{digits} is no length, precision or scale"))?),
                Token::Word(word) if word.value.eq_ignore_ascii_case("max") => {}
                other => return Err(format!("expected a number in the type's parentheses, found {other}")),
            }
            match self.parser.next_token() {
                Token::Comma => {}
                Token::RParen => return Ok(arguments),
                // VARCHAR(10 CHAR)
                Token::Word(_) if self.parser.consume(&Token::RParen) => return Ok(arguments),
                other => return Err(format!("expected , or ) in the type's parentheses, found {other}")),
            }
        }
    }

    fn struct_type(&mut self, depth: usize) -> Result<DataType, HandlerError> {
        self.open()?;
        let mut fields: Vec<Field> = Vec::new();
        loop {
            let position = self.parser.position();
            let name = self.parser.identifier("the name of a field")?;
            self.parser.consume(&Token::Colon);
            let (data_type, nullable) = self.part(depth)?;
            if self.closing == 0 && self.parser.consume_word("COMMENT") {
                self.parser.literal_string("the comment")?;
            }
            if fields.iter().any(|field| *field.name() == name) {
                return Err(HandlerError::syntax(
                    format!("the struct has two fields {name}"),
                    Some(position),
                ));
            }
            fields.push(Field::new(name, data_type, nullable));
            // What stands behind a `>>` whose second half closes this struct is not part of it.
            if self.closing > 0 || !self.parser.consume(&Token::Comma) {
                self.close()?;
                return Ok(DataType::Struct(Fields::from(fields)));
            }
        }
    }

    fn map_type(&mut self, depth: usize) -> Result<DataType, HandlerError> {
        self.open()?;
        let (key, _) = self.part(depth)?;
        if self.closing > 0 {
            return Err(self.parser.expected("a comma and the type of the map's values"));
        }
        self.parser.expect(&Token::Comma)?;
        let (value, nullable) = self.part(depth)?;
        self.close()?;
        Ok(map_of(key, value, nullable))
    }

    fn part(&mut self, depth: usize) -> Result<(DataType, bool), HandlerError> {
        let data_type = self.data_type(depth + 1)?;
        let nullable = if self.closing == 0 && self.parser.consume_word("NOT") {
            self.parser.expect_word("NULL")?;
            false
        } else {
            true
        };
        Ok((data_type, nullable))
    }

    fn open(&mut self) -> Result<(), HandlerError> {
        self.parser.expect(&Token::Lt)
    }

    fn close(&mut self) -> Result<(), HandlerError> {
        if self.closing > 0 {
            self.closing -= 1;
        } else if self.parser.consume(&Token::ShiftRight) {
            self.closing = 1;
        } else {
            self.parser.expect(&Token::Gt)?;
        }
        Ok(())
    }
}

/// Arrow's list, its element named `item` as DataFusion does.
fn list_of(element: DataType, nullable: bool) -> DataType {
    DataType::List(Arc::new(Field::new_list_field(element, nullable)))
}

/// Arrow's map with the names that DataFusion's own `MAP(...)` uses.
pub fn map_of(key: DataType, value: DataType, nullable: bool) -> DataType {
    let entries = Fields::from(vec![Field::new("key", key, false), Field::new("value", value, nullable)]);
    DataType::Map(Arc::new(Field::new("entries", DataType::Struct(entries), false)), false)
}

const TYPE_NAMES: [&str; 22] = [
    "BOOLEAN",
    "TINYINT",
    "SMALLINT",
    "INT",
    "INTEGER",
    "BIGINT",
    "REAL",
    "FLOAT",
    "DOUBLE",
    "DECIMAL",
    "NUMERIC",
    "VARCHAR",
    "TEXT",
    "STRING",
    "BYTEA",
    "BINARY",
    "VARBINARY",
    "DATE",
    "TIME",
    "TIMESTAMP",
    "STRUCT",
    "ARRAY",
];

fn nearest_type(name: &str) -> Option<&'static str> {
    crate::suggest::nearest(name, TYPE_NAMES.into_iter())
}

#[cfg(test)]
mod tests;
