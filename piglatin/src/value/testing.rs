//! What the tests of values share: values of every type, and a context that keeps warnings.

use std::str::FromStr;

use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::BigInt;
use proptest::prelude::*;

use crate::value::{CallContext, Datetime, Value, Warning, WarningKind};

/// A context that keeps all warnings.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    pub(crate) warnings: Vec<Warning>,
    unique: u64,
}

impl Recorder {
    pub(crate) fn count(&self, kind: WarningKind) -> usize {
        self.warnings.iter().filter(|warning| warning.kind == kind).count()
    }
}

impl CallContext for Recorder {
    fn started_millis(&self) -> i64 {
        1_577_934_245_006
    }

    fn random(&mut self) -> f64 {
        0.5
    }

    fn unique(&mut self) -> u64 {
        self.unique += 1;
        self.unique
    }

    fn warn(&mut self, warning: Warning) {
        self.warnings.push(warning);
    }
}

/// A bigdecimal as it is written.
pub(crate) fn decimal(text: &str) -> Value {
    Value::BigDecimal(BigDecimal::from_str(text).unwrap())
}

/// A chararray.
pub(crate) fn text(value: &str) -> Value {
    Value::Chararray(value.to_owned())
}

fn any_scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Boolean),
        (-2i32..3).prop_map(Value::Int),
        any::<i32>().prop_map(Value::Int),
        any::<i64>().prop_map(Value::Long),
        any::<u32>().prop_map(|bits| Value::Float(f32::from_bits(bits))),
        any::<u64>().prop_map(|bits| Value::Double(f64::from_bits(bits))),
        prop_oneof![Just(0.0), Just(-0.0), Just(1.0), Just(f64::NAN)].prop_map(Value::Double),
        (-2i64..3, -2i16..3).prop_map(|(millis, offset_minutes)| {
            Value::Datetime(Datetime { millis, offset_minutes: offset_minutes * 60 })
        }),
        (any::<i64>(), any::<i16>())
            .prop_map(|(millis, offset_minutes)| Value::Datetime(Datetime { millis, offset_minutes })),
        proptest::collection::vec(prop_oneof![Just(0u8), Just(1), Just(255), any::<u8>()], 0..5)
            .prop_map(Value::Bytearray),
        "[a\u{0}\u{1}b]{0,4}|\\PC{0,4}".prop_map(Value::Chararray),
        (any::<i128>(), 0u32..100)
            .prop_map(|(base, shift)| Value::BigInteger((BigInt::from(base) << shift) >> (100 - shift))),
        (-20i64..20, -3i64..4).prop_map(|(unscaled, scale)| {
            Value::BigDecimal(BigDecimal::new(BigInt::from(unscaled * 10), scale))
        }),
        (any::<i64>(), any::<i32>()).prop_map(|(unscaled, scale)| {
            Value::BigDecimal(BigDecimal::new(BigInt::from(unscaled), i64::from(scale)))
        }),
    ]
}

/// Values of all types, nested.
pub(crate) fn any_value() -> impl Strategy<Value = Value> {
    any_scalar().prop_recursive(3, 24, 4, |inner| {
        let tuple = proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::Tuple);
        prop_oneof![
            tuple.clone(),
            proptest::collection::vec(prop_oneof![9 => tuple, 1 => Just(Value::Null)], 0..4)
                .prop_map(Value::Bag),
            proptest::collection::btree_map("[ab\u{0}]{0,2}", inner, 0..4).prop_map(Value::Map),
        ]
    })
}
