//! [`ColumnText`]: one column of a batch, ready to be written value by value as plain text or as JSON.

use std::fmt::Write as _;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Float16Array, Float32Array, Float64Array, OffsetSizeTrait,
};
use arrow::buffer::NullBuffer;
use arrow::datatypes::DataType;
use arrow::error::ArrowError;
use arrow::util::display::{ArrayFormatter, FormatOptions};

use super::json::write_json_string;

/// Writes the values of one array as text.
///
/// Plain text: integers and exact decimals in digits, floats in the shortest text that reads back to the same bits
/// (`NaN`, `inf`, `-inf`), `true`/`false`, ISO 8601 dates, times and timestamps, binary as `\x` and lower-case hex,
/// nested values as JSON. JSON: the same, but binary is bare hex in a string, and NaN and the infinities are strings.
#[derive(Debug)]
pub struct ColumnText<'a> {
    nulls: Option<NullBuffer>,
    values: Values<'a>,
}

/// The value reader of each group of types. Boxed readers are used once a value, never once a byte.
enum Values<'a> {
    Null,
    Boolean(&'a BooleanArray),
    /// Digits that are JSON numbers as they stand: integers and decimals.
    Number(ArrayFormatter<'a>),
    Half(&'a Float16Array),
    Single(&'a Float32Array),
    Double(&'a Float64Array),
    Text(Box<dyn Fn(usize) -> &'a str + 'a>),
    Binary(Box<dyn Fn(usize) -> &'a [u8] + 'a>),
    /// Dates, times, intervals: text that JSON quotes.
    Quoted(ArrayFormatter<'a>),
    List(Box<ColumnText<'a>>, Box<dyn Fn(usize) -> (usize, usize) + 'a>),
    Struct(Vec<(String, ColumnText<'a>)>),
    Map(Box<ColumnText<'a>>, Box<ColumnText<'a>>, Box<dyn Fn(usize) -> (usize, usize) + 'a>),
    /// Dictionaries and run ends: the value's place in another column.
    Elsewhere(Box<ColumnText<'a>>, Box<dyn Fn(usize) -> usize + 'a>),
}

impl std::fmt::Debug for Values<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Values")
    }
}

const OPTIONS: FormatOptions<'static> = FormatOptions::new().with_display_error(false);

impl<'a> ColumnText<'a> {
    /// Prepares `array`; fails on types that have no text form (unions).
    pub fn new(array: &'a ArrayRef) -> Result<Self, ArrowError> {
        Self::over(array.as_ref())
    }

    fn over(array: &'a dyn Array) -> Result<Self, ArrowError> {
        let values = match array.data_type() {
            DataType::Null => Values::Null,
            DataType::Boolean => Values::Boolean(array.as_boolean()),
            DataType::Float16 => Values::Half(array.as_primitive()),
            DataType::Float32 => Values::Single(array.as_primitive()),
            DataType::Float64 => Values::Double(array.as_primitive()),
            data_type if data_type.is_integer() || data_type.is_decimal() => {
                Values::Number(ArrayFormatter::try_new(array, &OPTIONS)?)
            }
            DataType::Utf8 => text(array.as_string::<i32>()),
            DataType::LargeUtf8 => text(array.as_string::<i64>()),
            DataType::Utf8View => {
                let array = array.as_string_view();
                Values::Text(Box::new(move |row| array.value(row)))
            }
            DataType::Binary => binary(array.as_binary::<i32>()),
            DataType::LargeBinary => binary(array.as_binary::<i64>()),
            DataType::BinaryView => {
                let array = array.as_binary_view();
                Values::Binary(Box::new(move |row| array.value(row)))
            }
            DataType::FixedSizeBinary(_) => {
                let array = array.as_fixed_size_binary();
                Values::Binary(Box::new(move |row| array.value(row)))
            }
            DataType::List(_) => list(array.as_list::<i32>())?,
            DataType::LargeList(_) => list(array.as_list::<i64>())?,
            DataType::FixedSizeList(_, width) => {
                let (array, width) = (array.as_fixed_size_list(), usize::try_from(*width).unwrap_or(0));
                let items = Box::new(Self::new(array.values())?);
                Values::List(items, Box::new(move |row| (row * width, (row + 1) * width)))
            }
            DataType::Struct(fields) => {
                let columns = fields.iter().zip(array.as_struct().columns());
                let columns = columns.map(|(field, column)| Ok((field.name().clone(), Self::new(column)?)));
                Values::Struct(columns.collect::<Result<_, ArrowError>>()?)
            }
            DataType::Map(..) => {
                let array = array.as_map();
                let (keys, values) = (Self::new(array.keys())?, Self::new(array.values())?);
                Values::Map(Box::new(keys), Box::new(values), bounds(array.value_offsets()))
            }
            DataType::Dictionary(..) => {
                let array = array.as_any_dictionary();
                let keys = array.normalized_keys();
                let values = Box::new(Self::new(array.values())?);
                Values::Elsewhere(values, Box::new(move |row| keys.get(row).copied().unwrap_or(0)))
            }
            DataType::Date32
            | DataType::Date64
            | DataType::Time32(_)
            | DataType::Time64(_)
            | DataType::Timestamp(..)
            | DataType::Duration(_)
            | DataType::Interval(_) => Values::Quoted(ArrayFormatter::try_new(array, &OPTIONS)?),
            other => {
                let message =
                    format!("values of the type {other} cannot be written as text; CAST the column first");
                return Err(ArrowError::NotYetImplemented(message));
            }
        };
        Ok(Self { nulls: array.logical_nulls(), values })
    }

    /// Whether the value of a row is NULL.
    pub fn is_null(&self, row: usize) -> bool {
        match &self.values {
            Values::Null => true,
            _ => self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)),
        }
    }

    /// Appends the plain text of a value; of NULL: nothing. `row` is below the array's length.
    ///
    /// Fails where a value has no text: a date or timestamp beyond the calendar's reach.
    pub fn write_text(&self, row: usize, out: &mut String) -> Result<(), ArrowError> {
        if self.is_null(row) {
            return Ok(());
        }
        match &self.values {
            Values::Text(get) => out.push_str(get(row)),
            Values::Binary(get) => {
                out.push_str("\\x");
                write_hex(get(row), out);
            }
            Values::Quoted(formatter) => write_formatted(formatter, row, out)?,
            Values::Half(array) => write_float(array.value(row).into(), &f32::from(array.value(row)), out),
            Values::Single(array) => write_float(array.value(row).into(), &array.value(row), out),
            Values::Double(array) => write_float(array.value(row), &array.value(row), out),
            Values::Elsewhere(column, at) => column.write_text(at(row), out)?,
            _ => self.write_json(row, out)?,
        }
        Ok(())
    }

    /// Appends the value as JSON; NULL is `null`. `row` is below the array's length.
    pub fn write_json(&self, row: usize, out: &mut String) -> Result<(), ArrowError> {
        if self.is_null(row) {
            out.push_str("null");
            return Ok(());
        }
        match &self.values {
            Values::Null => out.push_str("null"),
            Values::Boolean(array) => out.push_str(if array.value(row) { "true" } else { "false" }),
            Values::Number(formatter) => write_formatted(formatter, row, out)?,
            Values::Half(_) | Values::Single(_) | Values::Double(_) => {
                let start = out.len();
                self.write_text(row, out)?;
                if out.ends_with(['N', 'f']) {
                    out.insert(start, '"');
                    out.push('"');
                }
            }
            Values::Text(get) => write_json_string(get(row), out),
            Values::Binary(get) => {
                out.push('"');
                write_hex(get(row), out);
                out.push('"');
            }
            Values::Quoted(formatter) => {
                out.push('"');
                write_formatted(formatter, row, out)?;
                out.push('"');
            }
            Values::List(items, bounds) => {
                let (start, end) = bounds(row);
                separated(out, ['[', ']'], start..end, |item, out| items.write_json(item, out))?;
            }
            Values::Struct(columns) => {
                separated(out, ['{', '}'], columns.iter(), |(name, column), out| {
                    write_json_string(name, out);
                    out.push(':');
                    column.write_json(row, out)
                })?;
            }
            // JSON's objects have texts for keys.
            Values::Map(keys, values, bounds) if keys.is_nested() => {
                let (start, end) = bounds(row);
                separated(out, ['[', ']'], start..end, |entry, out| {
                    out.push_str("{\"key\":");
                    keys.write_json(entry, out)?;
                    out.push_str(",\"value\":");
                    values.write_json(entry, out)?;
                    out.push('}');
                    Ok(())
                })?;
            }
            Values::Map(keys, values, bounds) => {
                let (start, end) = bounds(row);
                separated(out, ['{', '}'], start..end, |entry, out| {
                    let mut key = String::new();
                    keys.write_text(entry, &mut key)?;
                    write_json_string(&key, out);
                    out.push(':');
                    values.write_json(entry, out)
                })?;
            }
            Values::Elsewhere(column, at) => column.write_json(at(row), out)?,
        }
        Ok(())
    }

    fn is_nested(&self) -> bool {
        matches!(self.values, Values::List(..) | Values::Struct(..) | Values::Map(..))
    }
}

fn text<O: OffsetSizeTrait>(array: &arrow::array::GenericStringArray<O>) -> Values<'_> {
    Values::Text(Box::new(move |row| array.value(row)))
}

fn binary<O: OffsetSizeTrait>(array: &arrow::array::GenericBinaryArray<O>) -> Values<'_> {
    Values::Binary(Box::new(move |row| array.value(row)))
}

fn list<O: OffsetSizeTrait>(array: &arrow::array::GenericListArray<O>) -> Result<Values<'_>, ArrowError> {
    Ok(Values::List(Box::new(ColumnText::new(array.values())?), bounds(array.value_offsets())))
}

fn bounds<'a, O: OffsetSizeTrait>(offsets: &'a [O]) -> Box<dyn Fn(usize) -> (usize, usize) + 'a> {
    Box::new(move |row| match offsets.get(row..row + 2) {
        Some([start, end]) => (start.as_usize(), end.as_usize()),
        _ => (0, 0),
    })
}

fn separated<T>(
    out: &mut String,
    [open, close]: [char; 2],
    items: impl Iterator<Item = T>,
    mut write: impl FnMut(T, &mut String) -> Result<(), ArrowError>,
) -> Result<(), ArrowError> {
    out.push(open);
    for (index, item) in items.enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(item, out)?;
    }
    out.push(close);
    Ok(())
}

fn write_formatted(formatter: &ArrayFormatter<'_>, row: usize, out: &mut String) -> Result<(), ArrowError> {
    formatter.value(row).write(out)
}

/// `shortest` prints the value at its own width: 0.1 as REAL is `0.1`, not the double that it widens to.
fn write_float(value: f64, shortest: &dyn std::fmt::Debug, out: &mut String) {
    if value.is_nan() {
        out.push_str("NaN");
    } else {
        // Writing to a String cannot fail. Debug gives `1e300` and `-0.0`, and `inf` for the infinities.
        let _ = write!(out, "{shortest:?}");
    }
}

fn write_hex(bytes: &[u8], out: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for byte in bytes {
        for nibble in [byte >> 4, byte & 15] {
            out.push(DIGITS.get(usize::from(nibble)).map_or('0', |digit| char::from(*digit)));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::*;
    use arrow::buffer::OffsetBuffer;
    use arrow::datatypes::{Field, Int8Type, Int32Type, i256};

    use super::*;

    fn both(array: ArrayRef) -> Vec<(String, String)> {
        let column = ColumnText::new(&array).unwrap();
        let row = |row| {
            let (mut text, mut json) = (String::new(), String::new());
            column.write_text(row, &mut text).unwrap();
            column.write_json(row, &mut json).unwrap();
            (text, json)
        };
        (0..array.len()).map(row).collect()
    }

    fn check(array: impl Array + 'static, wanted: &[(&str, &str)]) {
        let found = both(Arc::new(array));
        let found: Vec<_> = found.iter().map(|(text, json)| (text.as_str(), json.as_str())).collect();
        assert_eq!(found, wanted);
    }

    #[test]
    fn integers_keep_all_digits() {
        check(
            Int64Array::from(vec![i64::MIN, i64::MAX]),
            &[
                ("-9223372036854775808", "-9223372036854775808"),
                ("9223372036854775807", "9223372036854775807"),
            ],
        );
        check(
            UInt64Array::from(vec![Some(u64::MAX), None]),
            &[("18446744073709551615", "18446744073709551615"), ("", "null")],
        );
    }

    #[test]
    fn floats_are_shortest_and_specials_are_json_strings() {
        check(
            Float64Array::from(vec![0.1, -0.0, 1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300]),
            &[
                ("0.1", "0.1"),
                ("-0.0", "-0.0"),
                ("1.0", "1.0"),
                ("NaN", "\"NaN\""),
                ("inf", "\"inf\""),
                ("-inf", "\"-inf\""),
                ("1e300", "1e300"),
            ],
        );
        check(Float32Array::from(vec![0.1f32, -f32::NAN]), &[("0.1", "0.1"), ("NaN", "\"NaN\"")]);
    }

    #[test]
    fn decimals_are_exact() {
        let array = Decimal128Array::from(vec![-1, 999_999_999_999]).with_precision_and_scale(12, 3).unwrap();
        check(array, &[("-0.001", "-0.001"), ("999999999.999", "999999999.999")]);
        let array = Decimal256Array::from(vec![i256::from_i128(5)]).with_precision_and_scale(40, 0).unwrap();
        check(array, &[("5", "5")]);
    }

    #[test]
    fn times_are_iso() {
        check(
            Date32Array::from(vec![-719_162, 2_932_896]),
            &[("0001-01-01", "\"0001-01-01\""), ("9999-12-31", "\"9999-12-31\"")],
        );
        check(
            TimestampNanosecondArray::from(vec![0, -1000]),
            &[
                ("1970-01-01T00:00:00", "\"1970-01-01T00:00:00\""),
                ("1969-12-31T23:59:59.999999", "\"1969-12-31T23:59:59.999999\""),
            ],
        );
        check(
            TimestampSecondArray::from(vec![0]).with_timezone("+00:00"),
            &[("1970-01-01T00:00:00Z", "\"1970-01-01T00:00:00Z\"")],
        );
    }

    #[test]
    fn a_timestamp_beyond_the_calendar_is_an_error() {
        let array: ArrayRef = Arc::new(TimestampSecondArray::from(vec![i64::MAX]));
        let column = ColumnText::new(&array).unwrap();
        assert!(column.write_json(0, &mut String::new()).is_err());
    }

    #[test]
    fn binary_is_hex() {
        check(
            BinaryArray::from(vec![Some(b"\xff\x00".as_slice()), Some(b""), None]),
            &[("\\xff00", "\"ff00\""), ("\\x", "\"\""), ("", "null")],
        );
    }

    #[test]
    fn strings_are_raw_in_text_and_escaped_in_json() {
        check(StringViewArray::from(vec!["a\"b\n", "é"]), &[("a\"b\n", "\"a\\\"b\\n\""), ("é", "\"é\"")]);
    }

    #[test]
    fn maps_with_nested_keys_are_lists_of_entries() {
        let key: ArrayRef = Arc::new(Int32Array::from(vec![1, 2]));
        let keys: ArrayRef =
            Arc::new(StructArray::from(vec![(Arc::new(Field::new("k", DataType::Int32, true)), key)]));
        let values: ArrayRef = Arc::new(Int32Array::from(vec![Some(10), None]));
        let entries = StructArray::from(vec![
            (Arc::new(Field::new("key", keys.data_type().clone(), false)), keys),
            (Arc::new(Field::new("value", DataType::Int32, true)), values),
        ]);
        let field = Arc::new(Field::new("entries", entries.data_type().clone(), false));
        let map = MapArray::new(field, OffsetBuffer::new(vec![0, 2, 2].into()), entries, None, false);
        let first = r#"[{"key":{"k":1},"value":10},{"key":{"k":2},"value":null}]"#;
        check(map, &[(first, first), ("[]", "[]")]);
    }

    #[test]
    fn nested_values_are_json() {
        let list = ListArray::from_iter_primitive::<Int32Type, _, _>(vec![
            Some(vec![Some(1), None]),
            None,
            Some(vec![]),
        ]);
        check(list, &[("[1,null]", "[1,null]"), ("", "null"), ("[]", "[]")]);
        let mut map = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
        map.keys().append_value("a\"");
        map.values().append_value(1);
        map.append(true).unwrap();
        map.append(false).unwrap();
        check(map.finish(), &[("{\"a\\\"\":1}", "{\"a\\\"\":1}"), ("", "null")]);
        let dictionary: DictionaryArray<Int8Type> = vec![Some("x"), None, Some("x")].into_iter().collect();
        check(dictionary, &[("x", "\"x\""), ("", "null"), ("x", "\"x\"")]);
    }
}
