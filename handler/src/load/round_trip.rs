//! What the writers of [`crate::export`] write, the readers here read back to equal values, whatever the values are.

use std::sync::Arc;

use arrow::array::*;
use arrow::compute::concat_batches;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit, i256};
use arrow::error::ArrowError;
use proptest::prelude::*;

use super::{HeaderRule, LoadOptions, LoadSource};
use crate::export::{CsvDialect, CsvWriter, JsonLayout, JsonWriter};

/// Days and seconds that the calendar of four-digit years reaches.
const DAYS: std::ops::RangeInclusive<i32> = -719_162..=2_932_896;
const SECONDS: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

fn values<T: std::fmt::Debug + Clone + 'static>(
    value: impl Strategy<Value = T> + 'static,
    rows: usize,
) -> BoxedStrategy<Vec<Option<T>>> {
    prop::collection::vec(prop::option::weighted(0.8, value), rows).boxed()
}

fn column<T, A>(
    value: impl Strategy<Value = T> + 'static,
    rows: usize,
    build: fn(Vec<Option<T>>) -> A,
) -> BoxedStrategy<ArrayRef>
where
    T: std::fmt::Debug + Clone + 'static,
    A: Array + 'static,
{
    values(value, rows).prop_map(move |values| Arc::new(build(values)) as ArrayRef).boxed()
}

/// Text with everything that CSV and JSON treat apart.
fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a,\"\\\\\r\n\t é漢😀\u{0}\u{feff}x']{0,6}",
        Just(String::new()),
        Just("NULL".to_owned()),
        Just("\\N".to_owned()),
        Just(" padded ".to_owned()),
    ]
}

fn batches() -> impl Strategy<Value = RecordBatch> {
    (1usize..20).prop_flat_map(|n| {
        let columns = vec![
            column(any::<bool>(), n, BooleanArray::from),
            column(any::<i8>(), n, Int8Array::from),
            column(any::<i64>(), n, Int64Array::from),
            column(any::<u64>(), n, UInt64Array::from),
            column(any::<u32>().prop_map(f32::from_bits), n, Float32Array::from),
            column(any::<u64>().prop_map(f64::from_bits), n, Float64Array::from),
            column(-999_999_999_999i128..=999_999_999_999, n, |values| {
                Decimal128Array::from(values).with_data_type(DataType::Decimal128(12, 3))
            }),
            column(any::<i128>(), n, |values: Vec<Option<i128>>| {
                let wide = values.into_iter().map(|value| value.map(i256::from_i128)).collect::<Vec<_>>();
                Decimal256Array::from(wide).with_data_type(DataType::Decimal256(50, 7))
            }),
            column(DAYS, n, Date32Array::from),
            column(0i64..86_400_000_000_000, n, Time64NanosecondArray::from),
            column(SECONDS, n, TimestampSecondArray::from),
            column(any::<i64>(), n, TimestampNanosecondArray::from),
            column(texts(), n, StringArray::from),
            column(prop::collection::vec(any::<u8>(), 0..6), n, |values| {
                values.into_iter().collect::<BinaryArray>()
            }),
        ];
        columns.prop_map(|columns| {
            let named =
                columns.into_iter().enumerate().map(|(index, column)| (format!("c {index}"), column, true));
            RecordBatch::try_from_iter_with_nullable(named).unwrap()
        })
    })
}

/// One NaN for all: text has only one.
fn with_one_nan(batch: &RecordBatch) -> RecordBatch {
    let columns = batch.columns().iter().map(|column| match column.data_type() {
        DataType::Float32 => {
            let array = column.as_primitive::<arrow::datatypes::Float32Type>();
            Arc::new(
                array.unary::<_, arrow::datatypes::Float32Type>(|v| if v.is_nan() { f32::NAN } else { v }),
            )
        }
        DataType::Float64 => {
            let array = column.as_primitive::<arrow::datatypes::Float64Type>();
            Arc::new(
                array.unary::<_, arrow::datatypes::Float64Type>(|v| if v.is_nan() { f64::NAN } else { v }),
            ) as ArrayRef
        }
        _ => Arc::clone(column),
    });
    RecordBatch::try_new(batch.schema(), columns.collect()).unwrap()
}

fn read_back(name: &str, bytes: &[u8], target: &SchemaRef, header: HeaderRule) -> RecordBatch {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let options = LoadOptions { header, batch_rows: 7, ..LoadOptions::default() };
    let source = LoadSource::open(&[path], target, options, Arc::default()).unwrap();
    let batches = source.batches().collect::<Result<Vec<_>, _>>().unwrap();
    concat_batches(source.schema(), &batches).unwrap()
}

fn csv(batch: &RecordBatch, dialect: CsvDialect, header: bool) -> Result<Vec<u8>, ArrowError> {
    let mut writer = CsvWriter::new(Vec::new(), dialect);
    if header {
        writer.write_header(&batch.schema())?;
    }
    writer.write(batch)?;
    Ok(writer.finish()?)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn csv_and_tsv(batch in batches(), header: bool) {
        let wanted = with_one_nan(&batch);
        let rule = if header { HeaderRule::Names } else { HeaderRule::Absent };
        let bytes = csv(&batch, CsvDialect::default(), header).unwrap();
        prop_assert_eq!(&read_back("a.csv", &bytes, &batch.schema(), rule), &wanted);
        let bytes = csv(&batch, CsvDialect::tabs(), header).unwrap();
        prop_assert_eq!(&read_back("a.tsv", &bytes, &batch.schema(), rule), &wanted);
    }

    #[test]
    fn json_lines_and_arrays(batch in batches()) {
        let wanted = with_one_nan(&batch);
        for (name, layout) in [("a.ndjson", JsonLayout::Lines), ("a.json", JsonLayout::Array)] {
            let mut writer = JsonWriter::new(Vec::new(), layout);
            writer.write(&batch).unwrap();
            let bytes = writer.finish().unwrap();
            prop_assert_eq!(&read_back(name, &bytes, &batch.schema(), HeaderRule::Guess), &wanted);
        }
    }

    /// One column, where a line without a character is a row.
    #[test]
    fn csv_of_one_column(texts in prop::collection::vec(prop::option::of(texts()), 1..10)) {
        let schema = Arc::new(Schema::new(vec![Field::new("t", DataType::Utf8, true)]));
        let batch = RecordBatch::try_new(schema, vec![Arc::new(StringArray::from(texts))]).unwrap();
        let bytes = csv(&batch, CsvDialect::default(), false).unwrap();
        prop_assert_eq!(&read_back("a.csv", &bytes, &batch.schema(), HeaderRule::Absent), &batch);
    }
}

/// Bytes that look like a file often enough to get past the first check.
fn hostile() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "{", "}", "[", "]", "\"", ",", ":", "\n", "\r", "\r\n", "\\", "\\u", "d83d", "1", "-", "e9",
            ".5", "null", "\"k\":", "k,v", "\t", "\\x", "é",
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 1..3),
    ];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

proptest! {
    /// No bytes make a reader panic or go on for ever, and without a reject file every row is read or refused.
    #[test]
    fn any_bytes_are_read_or_refused(bytes in hostile(), reject: bool) {
        let nested = DataType::List(Arc::new(Field::new("item", DataType::Int32, true)));
        let fields = vec![Field::new("k", DataType::Int32, true), Field::new("v", nested, true)];
        let target: SchemaRef = Arc::new(Schema::new(fields));
        let folder = tempfile::tempdir().unwrap();
        let reject = reject.then(|| folder.path().join("rejected"));
        for name in ["a.csv", "a.tsv", "a.ndjson", "a.parquet", "a.csv.gz"] {
            let path = folder.path().join(name);
            std::fs::write(&path, &bytes).unwrap();
            let options = LoadOptions { reject: reject.clone(), batch_rows: 3, ..LoadOptions::default() };
            let Ok(source) = LoadSource::open(&[path], &target, options, Arc::default()) else { continue };
            let mut rows = 0;
            for batch in source.batches() {
                let Ok(batch) = batch else { break };
                prop_assert!(batch.num_rows() > 0 && batch.num_rows() <= 3);
                rows += batch.num_rows();
            }
            prop_assert!(rows <= bytes.len());
            prop_assert_eq!(u64::try_from(rows).unwrap(), source.progress().rows());
        }
    }
}

#[test]
fn a_zoned_timestamp_keeps_its_instant() {
    let zone = DataType::Timestamp(TimeUnit::Microsecond, Some("+02:00".into()));
    let array = TimestampMicrosecondArray::from(vec![Some(1_000_001), None]).with_data_type(zone);
    let batch = RecordBatch::try_from_iter([("t", Arc::new(array) as ArrayRef)]).unwrap();
    let bytes = csv(&batch, CsvDialect::default(), false).unwrap();
    assert_eq!(read_back("a.csv", &bytes, &batch.schema(), HeaderRule::Absent).columns(), batch.columns());
}
