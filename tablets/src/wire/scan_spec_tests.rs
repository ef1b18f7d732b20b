//! Specifications against themselves after the journey, and against hostile bytes.

use arrow::datatypes::{TimeUnit, i256};
use ostracon_compare::{CompareOp, Encoding, KeyPart, PrimitiveType, Scalar};
use ostracon_iterators::{IteratorSetting, OnBadValue, Operand, OperandSource, RowFilterSpec, RowPredicate};
use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..5)
}

fn unit() -> impl Strategy<Value = TimeUnit> {
    prop_oneof![
        Just(TimeUnit::Second),
        Just(TimeUnit::Millisecond),
        Just(TimeUnit::Microsecond),
        Just(TimeUnit::Nanosecond)
    ]
}

fn primitive_type() -> impl Strategy<Value = PrimitiveType> {
    use PrimitiveType::*;
    let plain = [
        Boolean, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64, Float32, Float64, Date32, Date64,
        Utf8, Binary,
    ];
    prop_oneof![
        proptest::sample::select(plain.to_vec()),
        (any::<u8>(), any::<i8>()).prop_map(|(precision, scale)| Decimal128 { precision, scale }),
        (any::<u8>(), any::<i8>()).prop_map(|(precision, scale)| Decimal256 { precision, scale }),
        unit().prop_map(Time32),
        unit().prop_map(Time64),
        unit().prop_map(Timestamp),
    ]
}

fn scalar() -> impl Strategy<Value = Scalar> {
    prop_oneof![
        any::<bool>().prop_map(Scalar::Boolean),
        any::<i64>().prop_map(Scalar::Int),
        any::<u64>().prop_map(Scalar::UInt),
        any::<u32>().prop_map(|bits| Scalar::Float32(f32::from_bits(bits))),
        any::<u64>().prop_map(|bits| Scalar::Float64(f64::from_bits(bits))),
        any::<i128>().prop_map(Scalar::Decimal128),
        any::<[u8; 32]>().prop_map(|bytes| Scalar::Decimal256(i256::from_be_bytes(bytes))),
        any::<String>().prop_map(Scalar::Utf8),
        bytes().prop_map(Scalar::Binary),
    ]
}

fn op() -> impl Strategy<Value = CompareOp> {
    use CompareOp::*;
    proptest::sample::select(vec![
        Equal,
        NotEqual,
        LessThan,
        LessThanOrEqual,
        GreaterThan,
        GreaterThanOrEqual,
    ])
}

/// Every predicate refers to operands 0 to 2.
fn predicate() -> impl Strategy<Value = RowPredicate> {
    let leaf = prop_oneof![
        any::<Option<bool>>().prop_map(RowPredicate::Constant),
        (0..3usize, op(), scalar()).prop_map(|(operand, op, constant)| RowPredicate::Compare {
            operand,
            op,
            constant
        }),
        (0..3usize, scalar(), scalar()).prop_map(|(operand, low, high)| RowPredicate::Between {
            operand,
            low,
            high
        }),
        (0..3usize, vec(scalar(), 0..4), any::<bool>())
            .prop_map(|(operand, values, has_null)| RowPredicate::In { operand, values, has_null }),
        (0..3usize, any::<String>(), any::<bool>()).prop_map(|(operand, pattern, case_insensitive)| {
            RowPredicate::Like { operand, pattern, case_insensitive }
        }),
        (0..3usize).prop_map(|operand| RowPredicate::IsNull { operand }),
        (0..3usize, any::<bool>())
            .prop_map(|(operand, value)| RowPredicate::ConstantUnlessNull { operand, value }),
        (0..3usize, op(), 0..3usize).prop_map(|(left, op, right)| RowPredicate::CompareOperands {
            left,
            op,
            right
        }),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(RowPredicate::And),
            vec(inner.clone(), 0..3).prop_map(RowPredicate::Or),
            inner.clone().prop_map(|input| RowPredicate::Not(Box::new(input))),
            (inner, any::<Option<bool>>())
                .prop_map(|(input, truth)| RowPredicate::IsTruth { input: Box::new(input), truth }),
        ]
    })
}

fn operand() -> impl Strategy<Value = Operand> {
    let part = (primitive_type(), any::<bool>()).prop_map(|(ty, descending)| KeyPart { ty, descending });
    let source = prop_oneof![
        Just(OperandSource::Row),
        (vec(part, 0..3), 0..4usize).prop_map(|(parts, index)| OperandSource::RowPart { parts, index }),
        (bytes(), 0..4usize).prop_map(|(delimiter, index)| OperandSource::RowField { delimiter, index }),
        (bytes(), bytes()).prop_map(|(family, qualifier)| OperandSource::Cell { family, qualifier }),
    ];
    let encoding = proptest::sample::select(vec![Encoding::String, Encoding::Binary, Encoding::Native]);
    (any::<String>(), source, primitive_type(), encoding, proptest::option::of(bytes())).prop_map(
        |(name, source, ty, encoding, null_sequence)| Operand { name, source, ty, encoding, null_sequence },
    )
}

fn filter() -> impl Strategy<Value = RowFilterSpec> {
    let on_bad_value =
        proptest::sample::select(vec![OnBadValue::Error, OnBadValue::Null, OnBadValue::SkipRow]);
    (vec(operand(), 3), predicate(), on_bad_value)
        .prop_map(|(operands, predicate, on_bad_value)| RowFilterSpec { operands, predicate, on_bad_value })
}

fn selection() -> impl Strategy<Value = ColumnSelection> {
    let column = prop_oneof![
        (bytes(), bytes()).prop_map(|(family, qualifier)| ColumnFilter::Exact { family, qualifier }),
        (bytes(), bytes())
            .prop_map(|(family, qualifier_prefix)| ColumnFilter::Prefix { family, qualifier_prefix }),
    ];
    prop_oneof![Just(ColumnSelection::All), vec(column, 0..4).prop_map(ColumnSelection::Columns)]
}

fn spec() -> impl Strategy<Value = ScanSpec> {
    let range = (bytes(), proptest::option::of(bytes())).prop_map(|(start, end)| RowRange::new(start, end));
    let ranges = prop_oneof![Just(RowRanges::All), vec(range, 0..5).prop_map(RowRanges::from_ranges)];
    let iterators = vec(
        (any::<String>(), any::<u32>(), any::<String>(), any::<String>()).prop_map(
            |(name, priority, class, value)| {
                IteratorSetting::new(name, priority, class).with_option("o", value)
            },
        ),
        0..3,
    );
    let numbers =
        (1u32.., any::<Option<u64>>(), any::<i64>(), any::<Option<u64>>(), any::<bool>(), 1..9999usize);
    let labels = vec("[A-Z]{1,3}", 0..3).prop_map(Authorizations::new);
    (ranges, selection(), selection(), labels, proptest::option::of(filter()), iterators, numbers).prop_map(
        |(ranges, columns, projection, authorizations, filter, iterators, numbers)| {
            let (max_versions, ttl_ms, now_ms, limit, reverse, batch_rows) = numbers;
            ScanSpec {
                ranges,
                columns,
                projection,
                authorizations,
                filter,
                iterators,
                max_versions,
                ttl_ms,
                now_ms,
                limit,
                reverse,
                batch_rows,
            }
        },
    )
}

proptest! {
    #[test]
    fn a_specification_arrives_as_it_left(spec in spec()) {
        prop_assert_eq!(decode(&encode(&spec).unwrap()).unwrap(), spec);
    }

    #[test]
    fn damaged_bytes_are_refused_or_read(spec in spec(), at: prop::sample::Index, flip in 1u8..) {
        let mut bytes = encode(&spec).unwrap();
        let at = at.index(bytes.len());
        bytes[at] ^= flip;
        if let Ok(read) = decode(&bytes) {
            prop_assert!(read.max_versions > 0 && read.batch_rows > 0);
        }
    }

    #[test]
    fn bytes_that_end_early_are_refused(spec in spec(), cut: prop::sample::Index) {
        let bytes = encode(&spec).unwrap();
        prop_assert!(decode(&bytes[..cut.index(bytes.len())]).is_err());
    }

    #[test]
    fn random_bytes_never_panic(tail in vec(any::<u8>(), 0..200)) {
        let bytes = [&[VERSION][..], &tail].concat();
        if let Ok(read) = decode(&bytes) {
            prop_assert!(encode(&read).is_ok());
        }
    }
}

#[test]
fn an_empty_set_is_no_rows_and_stays_so() {
    let spec = ScanSpec { ranges: RowRanges::none(), ..ScanSpec::default() };
    let read = decode(&encode(&spec).unwrap()).unwrap();
    assert!(read.ranges.is_empty() && !read.ranges.is_all());
}

#[test]
fn a_filter_as_deep_as_it_likes_travels() {
    let mut predicate = RowPredicate::Constant(None);
    for _ in 0..100_000 {
        predicate = RowPredicate::Not(Box::new(predicate));
    }
    let filter = RowFilterSpec { operands: Vec::new(), predicate, on_bad_value: OnBadValue::Error };
    let spec = ScanSpec { filter: Some(filter), ..ScanSpec::default() };
    assert!(decode(&encode(&spec).unwrap()).unwrap() == spec);
}

#[test]
fn nonsense_is_named() {
    assert!(matches!(decode(&[]), Err(Error::BadWire { .. })));
    assert!(matches!(decode(&[200, 1, 2]), Err(Error::NewerFormat { found: 200, .. })));
    let mut longer = encode(&ScanSpec::default()).unwrap();
    longer.push(0);
    let text = decode(&longer).unwrap_err().to_string();
    assert!(text.contains("1 bytes are left over"), "{text}");
    // A length that nothing follows must not be believed.
    let huge = [VERSION, 1, 253, 255, 255, 255, 255, 255, 255, 255, 127];
    assert!(matches!(decode(&huge), Err(Error::BadWire { .. })));
    let filter = RowFilterSpec {
        operands: Vec::new(),
        predicate: RowPredicate::IsNull { operand: 4 },
        on_bad_value: OnBadValue::Null,
    };
    let spec = ScanSpec { filter: Some(filter), ..ScanSpec::default() };
    let text = decode(&encode(&spec).unwrap()).unwrap_err().to_string();
    assert!(text.contains("operand 4 of 0"), "{text}");
}
