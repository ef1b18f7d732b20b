//! Values of every type, hard ones first, and their Arrow arrays.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow::array::*;
use arrow::datatypes::{TimeUnit, i256};
use ostracon_compare::{PrimitiveType, Scalar};
use proptest::prelude::*;

pub(crate) const UNITS: [TimeUnit; 4] =
    [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond];

/// Every type, decimals with several parameters.
pub(crate) fn every_type() -> Vec<PrimitiveType> {
    use PrimitiveType as T;
    let mut types = vec![
        T::Boolean,
        T::Int8,
        T::Int16,
        T::Int32,
        T::Int64,
        T::UInt8,
        T::UInt16,
        T::UInt32,
        T::UInt64,
        T::Float32,
        T::Float64,
        T::Date32,
        T::Date64,
        T::Time32(TimeUnit::Second),
        T::Time32(TimeUnit::Millisecond),
        T::Time64(TimeUnit::Microsecond),
        T::Time64(TimeUnit::Nanosecond),
        T::Utf8,
        T::Binary,
    ];
    types.extend(UNITS.map(T::Timestamp));
    for (precision, scale) in [
        (38, 0),
        (38, 10),
        (38, 38),
        (20, 0),
        (19, 0),
        (30, 15),
        (10, 2),
        (11, 1),
        (5, 5),
        (3, 1),
        (1, 0),
        (5, -2),
    ] {
        types.push(T::Decimal128 { precision, scale });
    }
    for (precision, scale) in [(76, 0), (76, 20), (76, 76), (40, 2), (21, 1), (3, 1), (4, -3)] {
        types.push(T::Decimal256 { precision, scale });
    }
    types
}

pub(crate) fn any_type() -> impl Strategy<Value = PrimitiveType> {
    prop::sample::select(every_type())
}

fn int_bounds(ty: PrimitiveType) -> (i64, i64) {
    use PrimitiveType as T;
    match ty {
        T::Int8 => (i8::MIN.into(), i8::MAX.into()),
        T::Int16 => (i16::MIN.into(), i16::MAX.into()),
        T::Int32 | T::Date32 | T::Time32(_) => (i32::MIN.into(), i32::MAX.into()),
        _ => (i64::MIN, i64::MAX),
    }
}

pub(crate) fn doubles() -> Vec<f64> {
    let magnitudes = [
        0.0,
        f64::from_bits(1),
        f64::MIN_POSITIVE,
        1e-7,
        0.1,
        0.5,
        1.0,
        1.5,
        5.5,
        127.0,
        255.5,
        16_777_217.0,
        9_007_199_254_740_993.0,
        9_223_372_036_854_775_807.0,
        18_446_744_073_709_551_615.0,
        1e38,
        f64::from(f32::MAX),
        3.5e38,
        1e300,
        f64::MAX,
        f64::INFINITY,
        f64::NAN,
        f64::from_bits(0x7ff0_0000_0000_0001),
        f64::from_bits(0x7fff_ffff_ffff_ffff),
    ];
    magnitudes.iter().flat_map(|value| [*value, -*value]).collect()
}

fn power(exponent: u8) -> i256 {
    i256::from_i128(10).checked_pow(exponent.into()).unwrap()
}

fn decimal(precision: u8) -> BoxedStrategy<i256> {
    let limit = power(precision);
    let nines = limit.wrapping_sub(i256::ONE);
    let hard = prop::sample::select(vec![
        i256::ZERO,
        i256::ONE,
        i256::from_i128(5),
        nines,
        nines.wrapping_sub(i256::ONE),
        nines.wrapping_div(i256::from_i128(2)),
    ])
    .prop_map(move |value| value.wrapping_rem(limit));
    let digits = prop::collection::vec(0u8..10, 0..=usize::from(precision)).prop_map(|digits| {
        digits.iter().fold(i256::ZERO, |value, digit| {
            value.wrapping_mul(i256::from_i128(10)).wrapping_add(i256::from_i128((*digit).into()))
        })
    });
    (prop_oneof![hard, digits], any::<bool>())
        .prop_map(|(value, negative)| if negative { value.wrapping_neg() } else { value })
        .boxed()
}

/// Any value of the type; every bit pattern of a float.
pub(crate) fn value(ty: PrimitiveType) -> BoxedStrategy<Scalar> {
    use PrimitiveType as T;
    match ty {
        T::Boolean => any::<bool>().prop_map(Scalar::Boolean).boxed(),
        T::UInt8 | T::UInt16 | T::UInt32 | T::UInt64 => {
            let greatest = match ty {
                T::UInt8 => u8::MAX.into(),
                T::UInt16 => u16::MAX.into(),
                T::UInt32 => u32::MAX.into(),
                _ => u64::MAX,
            };
            let hard =
                prop::sample::select(vec![0, 1, 2, 127, 128, 255, greatest / 2, greatest - 1, greatest]);
            prop_oneof![hard, 0..=greatest].prop_map(Scalar::UInt).boxed()
        }
        T::Float32 => {
            let hard = prop::sample::select(doubles()).prop_map(|value| value as f32);
            let bits = any::<u32>().prop_map(f32::from_bits);
            prop_oneof![hard, bits, -1000f32..1000.0].prop_map(Scalar::Float32).boxed()
        }
        T::Float64 => {
            let bits = any::<u64>().prop_map(f64::from_bits);
            prop_oneof![prop::sample::select(doubles()), bits, -1000f64..1000.0]
                .prop_map(Scalar::Float64)
                .boxed()
        }
        T::Decimal128 { precision, .. } => {
            decimal(precision).prop_map(|value| Scalar::Decimal128(value.to_i128().unwrap())).boxed()
        }
        T::Decimal256 { precision, .. } => decimal(precision).prop_map(Scalar::Decimal256).boxed(),
        T::Utf8 => {
            let chars =
                prop::sample::select(vec!['\0', '\u{1}', 'a', 'b', '\u{ff}', '\u{e000}', '\u{10ffff}']);
            prop::collection::vec(chars, 0..4)
                .prop_map(|chars| Scalar::Utf8(chars.into_iter().collect()))
                .boxed()
        }
        T::Binary => prop::collection::vec(prop::sample::select(vec![0u8, 1, b'a', 0xfe, 0xff]), 0..4)
            .prop_map(Scalar::Binary)
            .boxed(),
        temporal_or_signed => {
            let (least, greatest) = int_bounds(temporal_or_signed);
            let hard = prop::sample::select(vec![
                least,
                least + 1,
                -2,
                -1,
                0,
                1,
                2,
                5,
                127,
                greatest - 1,
                greatest,
                86_400i64.clamp(least, greatest),
                -86_400_001i64.clamp(least, greatest),
                (1i64 << 53).clamp(least, greatest) + i64::from(greatest > 1 << 53),
            ]);
            prop_oneof![hard, least..=greatest, -100i64..100].prop_map(Scalar::Int).boxed()
        }
    }
}

/// Several values of one type.
pub(crate) fn values(count: usize) -> impl Strategy<Value = (PrimitiveType, Vec<Scalar>)> {
    any_type().prop_flat_map(move |ty| (Just(ty), prop::collection::vec(value(ty), count)))
}

/// DataFusion's order, read off its rule: floats by total order once `-0.0` is `0.0`.
pub(crate) fn model_order(a: &Scalar, b: &Scalar) -> Ordering {
    match (a, b) {
        (Scalar::Boolean(a), Scalar::Boolean(b)) => a.cmp(b),
        (Scalar::Int(a), Scalar::Int(b)) => a.cmp(b),
        (Scalar::UInt(a), Scalar::UInt(b)) => a.cmp(b),
        (Scalar::Float32(a), Scalar::Float32(b)) => {
            let plus = |value: f32| if value == 0.0 { 0.0 } else { value };
            plus(*a).total_cmp(&plus(*b))
        }
        (Scalar::Float64(a), Scalar::Float64(b)) => {
            let plus = |value: f64| if value == 0.0 { 0.0 } else { value };
            plus(*a).total_cmp(&plus(*b))
        }
        (Scalar::Decimal128(a), Scalar::Decimal128(b)) => a.cmp(b),
        (Scalar::Decimal256(a), Scalar::Decimal256(b)) => a.cmp(b),
        (Scalar::Utf8(a), Scalar::Utf8(b)) => a.as_bytes().cmp(b.as_bytes()),
        (Scalar::Binary(a), Scalar::Binary(b)) => a.cmp(b),
        _ => panic!("{a:?} and {b:?} are of different kinds"),
    }
}

/// The value as a key holds it.
pub(crate) fn as_key(value: &Scalar) -> Scalar {
    match value {
        Scalar::Float32(float) if float.is_nan() => Scalar::Float32(f32::NAN),
        Scalar::Float32(float) if *float == 0.0 => Scalar::Float32(0.0),
        Scalar::Float64(float) if float.is_nan() => Scalar::Float64(f64::NAN),
        Scalar::Float64(float) if *float == 0.0 => Scalar::Float64(0.0),
        other => other.clone(),
    }
}

macro_rules! primitive_array {
    ($array:ty, $values:expr, $variant:ident) => {
        <$array>::from_iter_values($values.iter().map(|value| match value {
            Scalar::$variant(value) => (*value).try_into().unwrap(),
            other => panic!("{other:?}"),
        }))
    };
}

/// The values as an Arrow array of the type.
pub(crate) fn array(ty: PrimitiveType, values: &[Scalar]) -> ArrayRef {
    use PrimitiveType as T;
    match ty {
        T::Boolean => {
            let values: Vec<bool> =
                values.iter().map(|value| matches!(value, Scalar::Boolean(true))).collect();
            Arc::new(BooleanArray::from(values))
        }
        T::Int8 => Arc::new(primitive_array!(Int8Array, values, Int)),
        T::Int16 => Arc::new(primitive_array!(Int16Array, values, Int)),
        T::Int32 => Arc::new(primitive_array!(Int32Array, values, Int)),
        T::Int64 => Arc::new(primitive_array!(Int64Array, values, Int)),
        T::UInt8 => Arc::new(primitive_array!(UInt8Array, values, UInt)),
        T::UInt16 => Arc::new(primitive_array!(UInt16Array, values, UInt)),
        T::UInt32 => Arc::new(primitive_array!(UInt32Array, values, UInt)),
        T::UInt64 => Arc::new(primitive_array!(UInt64Array, values, UInt)),
        T::Float32 => Arc::new(primitive_array!(Float32Array, values, Float32)),
        T::Float64 => Arc::new(primitive_array!(Float64Array, values, Float64)),
        T::Date32 => Arc::new(primitive_array!(Date32Array, values, Int)),
        T::Date64 => Arc::new(primitive_array!(Date64Array, values, Int)),
        T::Time32(TimeUnit::Second) => Arc::new(primitive_array!(Time32SecondArray, values, Int)),
        T::Time32(_) => Arc::new(primitive_array!(Time32MillisecondArray, values, Int)),
        T::Time64(TimeUnit::Nanosecond) => Arc::new(primitive_array!(Time64NanosecondArray, values, Int)),
        T::Time64(_) => Arc::new(primitive_array!(Time64MicrosecondArray, values, Int)),
        T::Timestamp(TimeUnit::Second) => Arc::new(primitive_array!(TimestampSecondArray, values, Int)),
        T::Timestamp(TimeUnit::Millisecond) => {
            Arc::new(primitive_array!(TimestampMillisecondArray, values, Int))
        }
        T::Timestamp(TimeUnit::Microsecond) => {
            Arc::new(primitive_array!(TimestampMicrosecondArray, values, Int))
        }
        T::Timestamp(TimeUnit::Nanosecond) => {
            Arc::new(primitive_array!(TimestampNanosecondArray, values, Int))
        }
        T::Decimal128 { precision, scale } => Arc::new(
            primitive_array!(Decimal128Array, values, Decimal128)
                .with_precision_and_scale(precision, scale)
                .unwrap(),
        ),
        T::Decimal256 { precision, scale } => Arc::new(
            primitive_array!(Decimal256Array, values, Decimal256)
                .with_precision_and_scale(precision, scale)
                .unwrap(),
        ),
        T::Utf8 => Arc::new(StringArray::from_iter_values(values.iter().map(|value| match value {
            Scalar::Utf8(text) => text,
            other => panic!("{other:?}"),
        }))),
        T::Binary => Arc::new(BinaryArray::from_iter_values(values.iter().map(|value| match value {
            Scalar::Binary(bytes) => bytes,
            other => panic!("{other:?}"),
        }))),
    }
}

/// What DataFusion does to both sides before it compares: `0.0` for `-0.0`, NaNs untouched.
pub(crate) fn with_one_zero(array: ArrayRef) -> ArrayRef {
    if let Some(floats) = array.as_any().downcast_ref::<Float32Array>() {
        return Arc::new(
            floats.unary::<_, arrow::datatypes::Float32Type>(|v| if v == 0.0 { 0.0 } else { v }),
        );
    }
    if let Some(floats) = array.as_any().downcast_ref::<Float64Array>() {
        return Arc::new(
            floats.unary::<_, arrow::datatypes::Float64Type>(|v| if v == 0.0 { 0.0 } else { v }),
        );
    }
    array
}
