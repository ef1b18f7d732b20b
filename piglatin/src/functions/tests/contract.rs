use std::sync::Arc;

use proptest::prelude::*;

use super::{fits, type_of};
use crate::functions::FunctionRegistry;
use crate::types::{Field, PigType, Schema, Unknown};
use crate::value::testing::Recorder;
use crate::value::{Datetime, EvalFunc, Value};

/// Types that some function or other takes.
fn any_type() -> impl Strategy<Value = PigType> {
    let scalar = prop_oneof![
        Just(PigType::Boolean),
        Just(PigType::Int),
        Just(PigType::Long),
        Just(PigType::Float),
        Just(PigType::Double),
        Just(PigType::Datetime),
        Just(PigType::RAW),
        Just(PigType::DYNAMIC),
        Just(PigType::Chararray),
        Just(PigType::BigInteger),
        Just(PigType::BigDecimal),
    ];
    scalar.prop_recursive(2, 8, 2, |inner| {
        let schema = prop::collection::vec(inner.clone(), 1..3)
            .prop_map(|types| Schema::new(types.into_iter().map(Field::unnamed).collect()));
        prop_oneof![
            prop::option::of(schema.clone()).prop_map(PigType::Tuple),
            prop::option::of(schema).prop_map(|fields| PigType::Bag { tuple_name: None, fields }),
            inner.prop_map(|ty| PigType::Map(Box::new(ty))),
        ]
    })
}

/// Values of a type, null among them.
fn value_of(ty: &PigType) -> BoxedStrategy<Value> {
    let fields = |schema: &Schema| -> BoxedStrategy<Vec<Value>> {
        schema.fields.iter().map(|field| value_of(&field.ty)).collect::<Vec<_>>().boxed()
    };
    let values = match ty {
        PigType::Boolean => any::<bool>().prop_map(Value::Boolean).boxed(),
        PigType::Int => prop_oneof![any::<i32>(), -3..12].prop_map(Value::Int).boxed(),
        PigType::Long => prop_oneof![any::<i64>(), -3i64..12].prop_map(Value::Long).boxed(),
        PigType::Float => any::<u32>().prop_map(|bits| Value::Float(f32::from_bits(bits))).boxed(),
        PigType::Double => any::<u64>().prop_map(|bits| Value::Double(f64::from_bits(bits))).boxed(),
        PigType::Datetime => (any::<i64>(), -1080i16..1080)
            .prop_map(|(millis, offset_minutes)| Value::Datetime(Datetime { millis, offset_minutes }))
            .boxed(),
        PigType::Chararray => any_text().prop_map(Value::Chararray).boxed(),
        PigType::BigInteger => any::<i128>().prop_map(|number| Value::BigInteger(number.into())).boxed(),
        PigType::BigDecimal => (any::<i64>(), -5i64..9)
            .prop_map(|(number, scale)| Value::BigDecimal(bigdecimal::BigDecimal::new(number.into(), scale)))
            .boxed(),
        PigType::Bytearray(Unknown::Raw(_)) => {
            prop::collection::vec(any::<u8>(), 0..6).prop_map(Value::Bytearray).boxed()
        }
        PigType::Bytearray(Unknown::Dynamic) => {
            prop_oneof![any::<i32>().prop_map(Value::Int), any_text().prop_map(Value::Chararray)].boxed()
        }
        PigType::Tuple(Some(schema)) => fields(schema).prop_map(Value::Tuple).boxed(),
        PigType::Tuple(None) => {
            prop::collection::vec(value_of(&PigType::DYNAMIC), 0..4).prop_map(Value::Tuple).boxed()
        }
        PigType::Bag { fields, .. } => prop::collection::vec(value_of(&PigType::Tuple(fields.clone())), 0..4)
            .prop_map(Value::Bag)
            .boxed(),
        PigType::Map(value) => {
            prop::collection::btree_map(any_text(), value_of(value), 0..4).prop_map(Value::Map).boxed()
        }
    };
    prop_oneof![1 => Just(Value::Null), 9 => values].boxed()
}

/// Texts that patterns, formats, durations and regular expressions may meet.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-zA-Z0-9 %$.,:'(){}|+*?<>\\\\\\[\\]^#-]{0,12}", "\\PC{0,6}"]
}

/// The function as the checker would put it into a call of these types.
fn bound(name: &str, types: &[PigType]) -> Arc<dyn EvalFunc> {
    let constructor: &[String] = if name == "PluckTuple" { &["x".to_owned()] } else { &[] };
    let function = FunctionRegistry::default().create(name, constructor).unwrap();
    let fields: Vec<Field> = types
        .iter()
        .enumerate()
        .map(|(place, ty)| Field::named(["x1", "y", "x2", "z"][place % 4], ty.clone()))
        .collect();
    function.bind(&fields).unwrap().unwrap_or(function)
}

/// What a function is asked with, and values for what it then takes.
fn calls() -> impl Strategy<Value = (String, Vec<PigType>, Vec<Value>)> {
    let names: Vec<String> = FunctionRegistry::default().names().into_iter().map(str::to_owned).collect();
    let types = prop_oneof![
        3 => prop::collection::vec(any_type(), 0..4),
        3 => likely_types(),
    ];
    (prop::sample::select(names), types).prop_flat_map(|(name, types)| {
        let function = bound(&name, &types);
        let taken = function.resolve(&types).map(|resolved| resolved.arguments).unwrap_or_default();
        let values: Vec<BoxedStrategy<Value>> = taken.iter().map(value_of).collect();
        (Just(name), Just(types), values)
    })
}

/// The types most functions take.
fn likely_types() -> impl Strategy<Value = Vec<PigType>> {
    let bag = |ty: PigType| PigType::bag(Schema::new(vec![Field::unnamed(ty)]));
    prop::sample::select(vec![
        vec![PigType::Double],
        vec![PigType::Double, PigType::Int],
        vec![PigType::Double, PigType::Int, PigType::Int],
        vec![PigType::Chararray],
        vec![PigType::Chararray, PigType::Chararray],
        vec![PigType::Chararray, PigType::Chararray, PigType::Int],
        vec![PigType::Chararray, PigType::Chararray, PigType::Chararray],
        vec![PigType::Chararray, PigType::Int, PigType::Int],
        vec![PigType::Datetime],
        vec![PigType::Datetime, PigType::Datetime],
        vec![PigType::Datetime, PigType::Chararray],
        vec![PigType::Long],
        vec![bag(PigType::Int)],
        vec![bag(PigType::BigDecimal)],
        vec![bag(PigType::Double), bag(PigType::Double)],
        vec![PigType::Int, PigType::Int, bag(PigType::Chararray)],
        vec![PigType::Map(Box::new(PigType::Int))],
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    /// The result is null or of the promised type, and what ends the run is found before it in constants; equal arguments give equal results; what does not fit is told what
    /// there is.
    #[test]
    fn results_are_of_the_promised_type((name, types, values) in calls()) {
        let function = bound(&name, &types);
        match function.resolve(&types) {
            Err(error) => prop_assert!(error.contains("there is: ("), "{name}: {error}"),
            Ok(resolved) => {
                prop_assert_eq!(resolved.arguments.len(), types.len());
                let again = function.resolve(&resolved.arguments).unwrap();
                prop_assert_eq!(&again.result, &resolved.result);
                let mut context = Recorder::default();
                let value = match function.exec(&values, &mut context) {
                    Ok(value) => value,
                    Err(error) => {
                        let constants: Vec<Option<Value>> = values.iter().cloned().map(Some).collect();
                        prop_assert!(function.check_constants(&constants).is_err(), "{name} {values:?}: {error}");
                        return Ok(());
                    }
                };
                prop_assert!(fits(&value, &resolved.result), "{name} {values:?}: {value:?}");
                prop_assert!(context.warnings.len() <= 1);
                prop_assert!(context.warnings.is_empty() || matches!(value, Value::Null));
                if function.deterministic() {
                    let second = function.exec(&values, &mut context).unwrap();
                    prop_assert_eq!(format!("{value:?}"), format!("{second:?}"));
                }
            }
        }
    }
}

/// Functions that make something of nothing.
const TAKE_NULLS: [&str; 6] = ["TOTUPLE", "TOBAG", "TOMAP", "SUBTRACT", "DIFF", "PluckTuple"];

#[test]
fn null_in_null_out() {
    let registry = FunctionRegistry::default();
    for name in registry.names().into_iter().filter(|name| !TAKE_NULLS.contains(name)) {
        for arity in 1..4 {
            let nulls = vec![Value::Null; arity];
            let types: Vec<PigType> = nulls.iter().map(type_of).collect();
            let function = bound(name, &types);
            if function.resolve(&types).is_err() || !function.deterministic() {
                continue;
            }
            let mut context = Recorder::default();
            let value = function.exec(&nulls, &mut context).unwrap();
            assert!(matches!(value, Value::Null), "{name} of {arity} nulls: {value:?}");
            assert_eq!(context.warnings, [], "{name}");
        }
    }
}
