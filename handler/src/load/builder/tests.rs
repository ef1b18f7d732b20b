use super::*;

/// The values that fields give, or why the first bad one gives none.
fn read(data_type: DataType, fields: &[Option<&str>]) -> Result<ArrayRef, String> {
    let mut builder = ColumnBuilder::new(&Field::new("c", data_type.clone(), true)).unwrap();
    for field in fields {
        match field {
            Some(field) => builder.append_text(field)?,
            None => builder.append_null()?,
        }
    }
    let array = builder.finish().unwrap();
    assert_eq!(array.data_type(), &data_type);
    Ok(array)
}

fn read_json(data_type: DataType, values: &[&str]) -> Result<ArrayRef, String> {
    let mut builder = ColumnBuilder::new(&Field::new("c", data_type.clone(), true)).unwrap();
    for value in values {
        let value = JsonValue::parse(value).map_err(|fault| fault.reason.to_owned())?;
        builder.append_json(&value)?;
    }
    let array = builder.finish().unwrap();
    assert_eq!(array.data_type(), &data_type);
    Ok(array)
}

fn shown(array: &ArrayRef) -> String {
    (0..array.len())
        .map(|row| {
            let mut text = String::new();
            let column = crate::export::ColumnText::new(array).unwrap();
            column.write_json(row, &mut text).unwrap();
            text
        })
        .collect::<Vec<_>>()
        .join(" ")
}

fn check(data_type: DataType, field: &str, wanted: &str) {
    assert_eq!(
        read(data_type.clone(), &[Some(field)]).map(|array| shown(&array)).as_deref(),
        Ok(wanted),
        "{data_type} {field}"
    );
}

#[test]
fn every_type_is_read_from_text() {
    check(DataType::Boolean, "t", "true");
    check(DataType::Int8, "-128", "-128");
    check(DataType::Int64, " 9223372036854775807 ", "9223372036854775807");
    check(DataType::UInt64, "18446744073709551615", "18446744073709551615");
    check(DataType::Float32, "0.1", "0.1");
    check(DataType::Float64, "-0.0", "-0.0");
    check(DataType::Float64, "NaN", "\"NaN\"");
    check(DataType::Float64, "-inf", "\"-inf\"");
    check(DataType::Decimal128(12, 3), "-0.001", "-0.001");
    check(
        DataType::Decimal256(50, 2),
        "12345678901234567890123456789012345678901234567.5",
        "12345678901234567890123456789012345678901234567.50",
    );
    check(DataType::Date32, "0001-01-01", "\"0001-01-01\"");
    check(DataType::Date64, "9999-12-31", "\"9999-12-31T00:00:00\"");
    check(DataType::Time32(TimeUnit::Second), "12:34:56", "\"12:34:56\"");
    check(DataType::Time64(TimeUnit::Nanosecond), "12:34:56.000000001", "\"12:34:56.000000001\"");
    check(DataType::Timestamp(TimeUnit::Second, None), "2013-01-01 05:15:00", "\"2013-01-01T05:15:00\"");
    check(
        DataType::Timestamp(TimeUnit::Nanosecond, None),
        "1969-12-31T23:59:59.999999",
        "\"1969-12-31T23:59:59.999999\"",
    );
    check(DataType::Timestamp(TimeUnit::Millisecond, None), "2020-01-01", "\"2020-01-01T00:00:00\"");
    check(DataType::Utf8, " \u{1F600} ", "\" \u{1F600} \"");
    check(DataType::LargeUtf8, "x", "\"x\"");
    check(DataType::Binary, "\\xff00", "\"ff00\"");
    check(DataType::LargeBinary, "", "\"\"");
}

#[test]
fn what_does_not_fit_names_the_wanted_type() {
    for (data_type, field, wanted) in [
        (DataType::Int32, "n/a", "INT"),
        (DataType::Int32, "", "INT"),
        (DataType::Int8, "128", "TINYINT"),
        (DataType::Int32, "1.5", "INT"),
        (DataType::UInt8, "-1", "TINYINT UNSIGNED"),
        (DataType::Decimal128(4, 2), "100", "DECIMAL(4,2)"),
        (DataType::Decimal128(4, 2), "1.005", "DECIMAL(4,2)"),
        (DataType::Date32, "2013-02-29", "DATE"),
        (DataType::Boolean, "maybe", "BOOLEAN"),
        (DataType::Binary, "\\xf", "BYTEA"),
        (DataType::Timestamp(TimeUnit::Second, None), "soon", "TIMESTAMP(0)"),
    ] {
        let reason = read(data_type.clone(), &[Some(field)]).unwrap_err();
        assert!(reason.contains(&format!("the type {wanted} (")), "{data_type} {field}: {reason}");
    }
}

#[test]
fn json_numbers_go_through_no_double() {
    let array = read_json(DataType::Int64, &["9007199254740993", "1e3", "5.0", "null", "\"7\""]).unwrap();
    assert_eq!(shown(&array), "9007199254740993 1000 5 null 7");
    let array = read_json(DataType::Decimal128(20, 2), &["123456789012345678.91", "1e2"]).unwrap();
    assert_eq!(shown(&array), "123456789012345678.91 100.00");
    assert!(read_json(DataType::Int64, &["1.5"]).is_err());
    assert!(read_json(DataType::Int32, &["1e10"]).is_err());
    assert!(read_json(DataType::Date32, &["1"]).unwrap_err().contains("JSON string"));
    assert!(read_json(DataType::Int32, &["true"]).is_err());
    assert_eq!(shown(&read_json(DataType::Float64, &["\"NaN\"", "-0.0", "1"]).unwrap()), "\"NaN\" -0.0 1.0");
    assert_eq!(shown(&read_json(DataType::Binary, &["\"ff00\"", "\"\""]).unwrap()), "\"ff00\" \"\"");
    assert_eq!(
        shown(&read_json(DataType::Utf8, &["1.10", "true", "[1, 2]"]).unwrap()),
        "\"1.10\" \"true\" \"[1, 2]\""
    );
}

#[test]
fn nested_values_are_json_and_are_taken_back_whole() {
    let list = DataType::List(Arc::new(Field::new("item", DataType::Int32, true)));
    let fields = vec![Field::new("a", DataType::Int32, true), Field::new("l", list, true)];
    let data_type = DataType::Struct(fields.into());
    let mut builder = ColumnBuilder::new(&Field::new("s", data_type, true)).unwrap();
    builder.append_text("{\"a\": 1, \"l\": [1, null]}").unwrap();
    assert!(builder.append_text("{\"l\": [2, 3], \"a\": 1.5}").is_err());
    builder.truncate(1);
    assert!(builder.append_text("{\"l\": [4, \"x\"]}").is_err());
    builder.truncate(1);
    assert!(builder.append_text("{\"b\": 1}").unwrap_err().contains("unknown field b"));
    builder.truncate(1);
    builder.append_null().unwrap();
    builder.append_text("{\"l\": []}").unwrap();
    assert_eq!(shown(&builder.finish().unwrap()), "{\"a\":1,\"l\":[1,null]} null {\"a\":null,\"l\":[]}");
}

#[test]
fn maps_are_json_objects() {
    let pair = vec![Field::new("key", DataType::Utf8, false), Field::new("value", DataType::Int32, true)];
    let entries = Field::new("entries", DataType::Struct(pair.into()), false);
    let data_type = DataType::Map(Arc::new(entries), false);
    let array = read_json(data_type.clone(), &["{\"a\": 1, \"b\": null}", "null", "{}"]).unwrap();
    assert_eq!(shown(&array), "{\"a\":1,\"b\":null} null {}");
    assert!(read_json(data_type, &["[1]"]).unwrap_err().contains("JSON object"));
}
