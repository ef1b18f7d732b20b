//! Records taken column by column are those taken one by one.

use arrow::datatypes::{DataType, Field, TimeUnit};
use proptest::prelude::*;

use super::*;

const MARKS: Marks = Marks { delimiter: b',', quote: b'"', escape: b'"' };

fn types() -> impl Strategy<Value = DataType> {
    prop::sample::select(vec![
        DataType::Boolean,
        DataType::Int8,
        DataType::Int16,
        DataType::Int32,
        DataType::Int64,
        DataType::UInt8,
        DataType::UInt32,
        DataType::UInt64,
        DataType::Float32,
        DataType::Float64,
        DataType::Decimal128(15, 2),
        DataType::Decimal128(4, 0),
        DataType::Decimal256(50, 3),
        DataType::Date32,
        DataType::Date64,
        DataType::Time32(TimeUnit::Second),
        DataType::Time64(TimeUnit::Nanosecond),
        DataType::Timestamp(TimeUnit::Second, None),
        DataType::Timestamp(TimeUnit::Microsecond, Some("+02:00".into())),
        DataType::Utf8,
        DataType::LargeUtf8,
        DataType::Binary,
        DataType::List(Arc::new(Field::new("item", DataType::Int32, true))),
    ])
}

/// A field of the file, quotes and all: often a value of many types, sometimes of none.
fn fields() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "-?[1-9][0-9]{0,2}",
        3 => "-?[0-9]{1,20}(\\.[0-9]{0,4})?",
        4 => "[12][0-9]{3}-0[1-9]-[0-2][0-9]([T ]1[0-9]:[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,4})?Z?)?",
        2 => prop::sample::select(vec![
            "", "\"\"", "true", "F", "off", " 7", "+7", "7.0", "1e2", "inf", "NaN", "12:30:05", "\\x00ff", "[1]", "x", "é",
            "\"1\"", "\"a,\"\"b\"", "N", "\"N\"",
        ]).prop_map(str::to_owned),
    ]
}

/// Both ways of a block; gives whether it was taken as a whole.
fn compare(schema: &SchemaRef, text: &[u8], null: &str) -> bool {
    let mut records = CsvRecords::new(text, MARKS);
    if schema.fields().len() > 1 {
        records.skip_blank_lines();
    }
    let mut one_by_one = Columns::new(Arc::clone(schema), 1000).unwrap();
    let mut together = Columns::new(Arc::clone(schema), 1000).unwrap();
    assert!(records.read(1000).unwrap());
    let bad: Vec<_> =
        records.block().records().filter_map(|record| append(&mut one_by_one, &record, null).err()).collect();
    let taken = together.append_block(records.block(), null.as_bytes());
    assert_eq!(taken, bad.is_empty(), "{bad:?}");
    let rest = together.finish().unwrap();
    match taken {
        true => assert_eq!(rest, one_by_one.finish().unwrap()),
        false => assert!(rest.is_none()),
    }
    taken
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn together_is_one_by_one(
        columns in prop::collection::vec((types(), any::<bool>()), 1..3),
        rows in prop::collection::vec(prop::collection::vec(fields(), 2), 1..4),
        null in prop::sample::select(vec!["", "N"]),
    ) {
        let field = |(place, (ty, nullable)): (usize, &(DataType, bool))| Field::new(format!("c{place}"), ty.clone(), *nullable);
        let schema: SchemaRef = Arc::new(Schema::new(columns.iter().enumerate().map(field).collect::<Vec<_>>()));
        let line = |row: &Vec<String>| row.iter().take(columns.len()).cloned().collect::<Vec<_>>().join(",") + "\n";
        let text: String = rows.iter().map(line).collect();
        prop_assume!(columns.len() == 1 || !text.trim().is_empty());
        compare(&schema, text.as_bytes(), null);
    }
}

#[test]
fn what_is_bad_is_found_whatever_it_is() {
    let fields = vec![Field::new("k", DataType::Int32, false), Field::new("v", DataType::Utf8, true)];
    let schema: SchemaRef = Arc::new(Schema::new(fields));
    assert!(compare(&schema, b"1,a\n+2,\n\"3\",\"x\"\"\ny\"\n", ""));
    for bad in ["1,a\n2\n", "1,a\n2,b,c\n", "1,a\n2x,b\n", "1,a\n,b\n", "1,a,b\n2\n3,c\n"] {
        assert!(!compare(&schema, bad.as_bytes(), ""), "{bad}");
    }
    assert!(!compare(&schema, b"1,a\n2,\xff\n", ""));
    // Half a character in each of two fields.
    assert!(!compare(&schema, b"1,\xc3\n2,\xa9\n", ""));
}
