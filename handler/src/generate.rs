//! Random tables, rows and filters for property tests.
//!
//! Values come from small pools of edge cases, so that random comparisons hit, miss by one, and meet NULL. All is
//! made from one seed: a failure is repeated by its number.

mod filters;
mod nested;
mod tables;

use std::sync::Arc;

use arrow::datatypes::{DataType, TimeUnit, i256};
use datafusion::common::ScalarValue;

pub(crate) use filters::filter;
pub(crate) use nested::{nested_array, nested_type};
pub(crate) use tables::{Sample, row_of, sample};

/// A source of random numbers (SplitMix64): small, fast, and the same everywhere.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    /// True once in `n` times.
    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

const UNITS: [TimeUnit; 4] =
    [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond];

/// A type that a cell can have.
pub(crate) fn data_type(random: &mut Random) -> DataType {
    match random.below(24) {
        0 => DataType::Boolean,
        1 => DataType::Int8,
        2 => DataType::Int16,
        3 | 4 => DataType::Int32,
        5 => DataType::Int64,
        6 => DataType::UInt8,
        7 => DataType::UInt16,
        8 => DataType::UInt32,
        9 => DataType::UInt64,
        10 => DataType::Float32,
        11 | 12 => DataType::Float64,
        13 => DataType::Decimal128(5, 2),
        14 => DataType::Decimal128(20, 4),
        15 => DataType::Decimal256(40, 3),
        16 => DataType::Date32,
        17 => DataType::Time64(TimeUnit::Microsecond),
        18 => DataType::Timestamp(*random.pick(&UNITS), None),
        19 => DataType::Timestamp(*random.pick(&UNITS), Some("UTC".into())),
        20 => DataType::Binary,
        _ => DataType::Utf8,
    }
}

/// Texts that are near each other, escapes of LIKE and of keys, and the ends of UTF-8.
pub(crate) const TEXTS: [&str; 18] = [
    "",
    "a",
    "a\0",
    "a\0b",
    "a\u{1}",
    "ab",
    "abc",
    "abd",
    "b",
    "foo_",
    "foo_a",
    "foox",
    "x%",
    "é",
    "10",
    "9",
    "\u{ffff}",
    "\u{10ffff}",
];

/// A value of a type, never NULL.
pub(crate) fn value(random: &mut Random, data_type: &DataType) -> ScalarValue {
    let float = |random: &mut Random| -> f64 {
        *random.pick(&[
            0.0,
            -0.0,
            1.5,
            -1.5,
            0.1,
            100.25,
            f64::NAN,
            -f64::NAN,
            f64::from_bits(0x7ff8_0000_0000_0001),
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::MAX,
            f64::MIN,
            5e-324,
            16_777_216.0,
            16_777_217.0,
            9_223_372_036_854_775_808.0,
        ])
    };
    let small = |random: &mut Random| -> i64 { *random.pick(&[-128, -2, -1, 0, 1, 2, 5, 9, 10, 100, 127]) };
    let signed = |random: &mut Random, min: i64, max: i64| -> i64 {
        match random.below(6) {
            0 => min,
            1 => max,
            2 => max - 1,
            3 => min + 1,
            _ => small(random).clamp(min, max),
        }
    };
    let unsigned = |random: &mut Random, max: u64| -> u64 {
        match random.below(5) {
            0 => max,
            1 => max / 2 + 1,
            2 => max - 1,
            _ => small(random).unsigned_abs().min(max),
        }
    };
    let time = |random: &mut Random, unit: TimeUnit| -> i64 {
        let ticks: i64 = match unit {
            TimeUnit::Second => 1,
            TimeUnit::Millisecond => 1_000,
            TimeUnit::Microsecond => 1_000_000,
            TimeUnit::Nanosecond => 1_000_000_000,
        };
        // 2020-01-01 and its neighbourhood, 1969 and its end.
        let second: i64 =
            *random.pick(&[1_577_836_800, 1_577_836_799, 1_577_923_200, 0, -1, -86_400, -86_401]);
        second * ticks + [0, 1, ticks - 1, ticks / 2][random.below(4)]
    };
    match data_type {
        DataType::Boolean => ScalarValue::Boolean(Some(random.one_in(2))),
        DataType::Int8 => ScalarValue::Int8(Some(signed(random, i8::MIN.into(), i8::MAX.into()) as i8)),
        DataType::Int16 => ScalarValue::Int16(Some(signed(random, i16::MIN.into(), i16::MAX.into()) as i16)),
        DataType::Int32 => ScalarValue::Int32(Some(signed(random, i32::MIN.into(), i32::MAX.into()) as i32)),
        DataType::Int64 => ScalarValue::Int64(Some(signed(random, i64::MIN, i64::MAX))),
        DataType::UInt8 => ScalarValue::UInt8(Some(unsigned(random, u8::MAX.into()) as u8)),
        DataType::UInt16 => ScalarValue::UInt16(Some(unsigned(random, u16::MAX.into()) as u16)),
        DataType::UInt32 => ScalarValue::UInt32(Some(unsigned(random, u32::MAX.into()) as u32)),
        DataType::UInt64 => ScalarValue::UInt64(Some(unsigned(random, u64::MAX))),
        DataType::Float32 => ScalarValue::Float32(Some(float(random) as f32)),
        DataType::Float64 => ScalarValue::Float64(Some(float(random))),
        DataType::Decimal128(precision, scale) => {
            let max = 10_i128.pow(u32::from(*precision)) - 1;
            let unscaled = match random.below(5) {
                0 => max,
                1 => -max,
                _ => i128::from(small(random)) * [1, 10, 50, 100, 10_000][random.below(5)],
            };
            ScalarValue::Decimal128(Some(unscaled.clamp(-max, max)), *precision, *scale)
        }
        DataType::Decimal256(precision, scale) => {
            let unscaled = i256::from_i128(i128::from(small(random)) * [1, 10, 500, 1_000][random.below(4)]);
            ScalarValue::Decimal256(Some(unscaled), *precision, *scale)
        }
        DataType::Date32 => {
            let day = *random.pick(&[0, -1, 1, 18_262, 18_263, 18_261, -719_162, 2_932_896]);
            ScalarValue::Date32(Some(day))
        }
        DataType::Time64(_) => {
            let time = *random.pick(&[0, 1, 43_200_000_000, 86_399_999_999]);
            ScalarValue::Time64Microsecond(Some(time))
        }
        DataType::Timestamp(unit, zone) => {
            let at = Some(time(random, *unit));
            let zone: Option<Arc<str>> = zone.clone();
            match unit {
                TimeUnit::Second => ScalarValue::TimestampSecond(at, zone),
                TimeUnit::Millisecond => ScalarValue::TimestampMillisecond(at, zone),
                TimeUnit::Microsecond => ScalarValue::TimestampMicrosecond(at, zone),
                TimeUnit::Nanosecond => ScalarValue::TimestampNanosecond(at, zone),
            }
        }
        DataType::Utf8 => ScalarValue::Utf8(Some((*random.pick(&TEXTS)).to_owned())),
        DataType::Binary => {
            let pool: [&[u8]; 8] = [b"", b"\0", b"\0\x01", b"\0\xff", b"a", b"\xfe", b"\xff", b"\xff\xff"];
            ScalarValue::Binary(Some(random.pick(&pool).to_vec()))
        }
        other => panic!("no values of type {other}"),
    }
}

/// A value of a type, NULL once in `n` times.
pub(crate) fn nullable(random: &mut Random, data_type: &DataType, n: usize) -> ScalarValue {
    if random.one_in(n) {
        ScalarValue::try_from(data_type).expect("every type has a NULL")
    } else {
        value(random, data_type)
    }
}
