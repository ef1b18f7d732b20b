//! Values of every type that lie where encodings and comparisons go wrong: few, so that random tests meet equal ones.

use arrow::datatypes::{TimeUnit, i256};
use ostracon_compare::{PrimitiveType, Scalar};

/// Every primitive type, decimals at two scales.
pub(crate) const TYPES: &[PrimitiveType] = &[
    PrimitiveType::Boolean,
    PrimitiveType::Int8,
    PrimitiveType::Int16,
    PrimitiveType::Int32,
    PrimitiveType::Int64,
    PrimitiveType::UInt8,
    PrimitiveType::UInt16,
    PrimitiveType::UInt32,
    PrimitiveType::UInt64,
    PrimitiveType::Float32,
    PrimitiveType::Float64,
    PrimitiveType::Decimal128 { precision: 12, scale: 2 },
    PrimitiveType::Decimal128 { precision: 5, scale: 5 },
    PrimitiveType::Decimal256 { precision: 50, scale: 3 },
    PrimitiveType::Date32,
    PrimitiveType::Date64,
    PrimitiveType::Time32(TimeUnit::Second),
    PrimitiveType::Time64(TimeUnit::Nanosecond),
    PrimitiveType::Timestamp(TimeUnit::Second),
    PrimitiveType::Timestamp(TimeUnit::Nanosecond),
    PrimitiveType::Utf8,
    PrimitiveType::Binary,
    // Text again: it has the most predicates.
    PrimitiveType::Utf8,
];

/// Some values of a type.
pub(crate) fn samples(ty: PrimitiveType) -> Vec<Scalar> {
    let ints = |values: &[i64]| values.iter().copied().map(Scalar::Int).collect();
    let uints = |max: u64| [0, 1, 2, max - 1, max].map(Scalar::UInt).to_vec();
    const DAY: i64 = 86_400;
    match ty {
        PrimitiveType::Boolean => [false, true].map(Scalar::Boolean).to_vec(),
        PrimitiveType::Int8 => ints(&[i8::MIN.into(), -1, 0, 1, 7, i8::MAX.into()]),
        PrimitiveType::Int16 => ints(&[i16::MIN.into(), -1, 0, 1, 7, i16::MAX.into()]),
        PrimitiveType::Int32 => ints(&[i32::MIN.into(), -1, 0, 1, 7, i32::MAX.into()]),
        PrimitiveType::Int64 => ints(&[i64::MIN, -1, 0, 1, 7, i64::MAX]),
        PrimitiveType::UInt8 => uints(u8::MAX.into()),
        PrimitiveType::UInt16 => uints(u16::MAX.into()),
        PrimitiveType::UInt32 => uints(u32::MAX.into()),
        PrimitiveType::UInt64 => uints(u64::MAX),
        PrimitiveType::Float32 => {
            [-f32::NAN, f32::NEG_INFINITY, -1.5, -0.0, 0.0, f32::MIN_POSITIVE, 1.5, f32::INFINITY, f32::NAN]
                .map(Scalar::Float32)
                .to_vec()
        }
        PrimitiveType::Float64 => {
            [-f64::NAN, f64::NEG_INFINITY, -1.5, -0.0, 0.0, f64::MIN_POSITIVE, 1.5, f64::INFINITY, f64::NAN]
                .map(Scalar::Float64)
                .to_vec()
        }
        PrimitiveType::Decimal128 { .. } => [-99_999, -1, 0, 1, 10, 99_999].map(Scalar::Decimal128).to_vec(),
        PrimitiveType::Decimal256 { .. } => {
            let ten = i256::from_i128(10);
            let large = (0..49).fold(i256::ONE, |power, _| power.wrapping_mul(ten));
            [large.wrapping_neg(), i256::MINUS_ONE, i256::ZERO, i256::ONE, ten, large]
                .map(Scalar::Decimal256)
                .to_vec()
        }
        PrimitiveType::Date32 => ints(&[-1, 0, 1, 18_262]),
        PrimitiveType::Date64 => ints(&[-DAY * 1000, 0, DAY * 1000, 18_262 * DAY * 1000]),
        PrimitiveType::Time32(_) => ints(&[0, 1, 59, DAY - 1]),
        PrimitiveType::Time64(_) => ints(&[0, 1, 1_000_000_000, DAY * 1_000_000_000 - 1]),
        PrimitiveType::Timestamp(_) => ints(&[-1, 0, 1, 1_577_836_800]),
        PrimitiveType::Utf8 => ["", "a", "ab", "aB", "a%", "b", "ä", "\0", "a\nb", "\u{1f600}", "\\"]
            .map(|text| Scalar::Utf8(text.to_owned()))
            .to_vec(),
        PrimitiveType::Binary => [&b""[..], b"\0", b"\0\x01", b"a", b"\xff", b"\xff\xff"]
            .map(|bytes| Scalar::Binary(bytes.to_vec()))
            .to_vec(),
    }
}
