//! Random message types, in the forms that writers gave lists and maps, and random requests of parts of them.

use std::sync::Arc;

use arrow::datatypes::DataType;
use ostracon_parquet::{RequestedField, RequestedSchema, RequestedType};
use parquet::basic::{ConvertedType, Repetition, Type as PhysicalType};
use parquet::schema::types::{Type, TypePtr};
use proptest::prelude::*;
use proptest::sample::Index;

/// What a field is; its form is chosen when it is written.
#[derive(Debug, Clone)]
enum Kind {
    Leaf(PhysicalType),
    Struct(Vec<Kind>),
    /// 0: a repeated field by itself; 1, 2: of two levels; 3, 4: of three.
    List(u8, Box<Kind>),
    Map(bool, PhysicalType, Box<Kind>),
}

fn kind() -> impl Strategy<Value = Kind> {
    let leaf = prop_oneof![
        Just(PhysicalType::INT32),
        Just(PhysicalType::INT64),
        Just(PhysicalType::BYTE_ARRAY),
        Just(PhysicalType::BOOLEAN)
    ];
    let below = leaf.clone().prop_map(Kind::Leaf);
    below.prop_recursive(4, 16, 3, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(Kind::Struct),
            (0_u8..5, inner.clone()).prop_map(|(form, kind)| Kind::List(form, Box::new(kind))),
            (any::<bool>(), leaf.clone(), inner).prop_map(|(old, key, kind)| Kind::Map(
                old,
                key,
                Box::new(kind)
            )),
        ]
    })
}

fn group(name: &str, repetition: Repetition, annotation: ConvertedType, fields: Vec<TypePtr>) -> TypePtr {
    let builder = Type::group_type_builder(name).with_repetition(repetition).with_converted_type(annotation);
    Arc::new(builder.with_fields(fields).build().unwrap())
}

/// A field. `may_repeat`: it may be a list by being repeated itself.
fn field(name: &str, repetition: Repetition, kind: &Kind, may_repeat: bool) -> TypePtr {
    const PLAIN: ConvertedType = ConvertedType::NONE;
    match kind {
        Kind::Leaf(ty) => {
            let builder = Type::primitive_type_builder(name, *ty).with_repetition(repetition);
            Arc::new(builder.build().unwrap())
        }
        Kind::Struct(kinds) => {
            let fields = kinds.iter().enumerate().map(|(nth, kind)| {
                let own = if nth % 2 == 0 { Repetition::OPTIONAL } else { Repetition::REQUIRED };
                field(&format!("f{nth}"), own, kind, true)
            });
            group(name, repetition, PLAIN, fields.collect())
        }
        Kind::List(0, element) if may_repeat => field(name, Repetition::REPEATED, element, false),
        Kind::List(form @ 0..=2, element) => {
            let repeated = if *form == 1 { "array".to_owned() } else { format!("{name}_tuple") };
            group(
                name,
                repetition,
                ConvertedType::LIST,
                vec![field(&repeated, Repetition::REPEATED, element, false)],
            )
        }
        Kind::List(form, element) => {
            let (wrapper, of) = if *form == 3 { ("list", "element") } else { ("bag", "array_element") };
            let element = field(of, Repetition::OPTIONAL, element, false);
            let repeated = group(wrapper, Repetition::REPEATED, PLAIN, vec![element]);
            group(name, repetition, ConvertedType::LIST, vec![repeated])
        }
        Kind::Map(old, key, value) => {
            let (inner, names) = match old {
                true => (ConvertedType::MAP_KEY_VALUE, ("map", "k", "v")),
                false => (PLAIN, ("key_value", "key", "value")),
            };
            let key = field(names.1, Repetition::REQUIRED, &Kind::Leaf(*key), false);
            let value = field(names.2, Repetition::OPTIONAL, value, true);
            let entries = group(names.0, Repetition::REPEATED, inner, vec![key, value]);
            group(name, repetition, ConvertedType::MAP, vec![entries])
        }
    }
}

/// A message type of one to four columns.
pub(crate) fn message() -> impl Strategy<Value = TypePtr> {
    prop::collection::vec(kind(), 1..5).prop_map(|kinds| {
        let columns = kinds.iter().enumerate().map(|(nth, kind)| {
            let own = if nth % 2 == 0 { Repetition::REQUIRED } else { Repetition::OPTIONAL };
            field(&format!("c{nth}"), own, kind, true)
        });
        Arc::new(Type::group_type_builder("m").with_fields(columns.collect()).build().unwrap())
    })
}

/// Parts of what a file has, in some order, with a field that it lacks now and then.
pub(crate) fn requested(file: &TypePtr) -> impl Strategy<Value = RequestedSchema> + use<> {
    let columns: Vec<RequestedField> =
        file.get_fields().iter().map(|column| whole_field(column, false)).collect();
    prop::collection::vec(any::<(Index, u8)>(), 64).prop_map(move |choices| {
        let mut next = choices.into_iter().cycle();
        RequestedSchema { fields: some_of(&columns, &mut next) }
    })
}

type Choices<'c> = &'c mut dyn Iterator<Item = (Index, u8)>;

fn some_of(fields: &[RequestedField], next: Choices<'_>) -> Vec<RequestedField> {
    let mut kept: Vec<RequestedField> = Vec::new();
    for of in fields {
        let (place, chance) = next.next().unwrap();
        if chance % 4 > 0 {
            kept.insert(place.index(kept.len() + 1), part(of, next));
        }
    }
    if kept.is_empty() || next.next().unwrap().1.is_multiple_of(8) {
        kept.push(RequestedField::new("lacking", RequestedType::Primitive(DataType::Int32)));
    }
    kept
}

fn part(of: &RequestedField, next: Choices<'_>) -> RequestedField {
    let ty = match &of.ty {
        _ if next.next().unwrap().1.is_multiple_of(8) => RequestedType::Whole,
        RequestedType::Struct(fields) => RequestedType::Struct(some_of(fields, next)),
        RequestedType::List(element) => RequestedType::List(Box::new(part(element, next))),
        RequestedType::Map(key, value) => RequestedType::Map(key.clone(), Box::new(part(value, next))),
        other => other.clone(),
    };
    RequestedField { ty, ..of.clone() }
}

/// What a field is as these message types have it; `is_element`: its being repeated was seen.
fn whole_field(field: &TypePtr, is_element: bool) -> RequestedField {
    let info = field.get_basic_info();
    let list = |element| RequestedType::List(Box::new(element));
    let ty = if info.repetition() == Repetition::REPEATED && !is_element {
        list(whole_field(field, true))
    } else if field.is_primitive() {
        RequestedType::Primitive(DataType::Int64)
    } else {
        match (info.converted_type(), field.get_fields()) {
            (ConvertedType::LIST, [repeated]) => match repeated.name() {
                "list" | "bag" => list(whole_field(&repeated.get_fields()[0], false)),
                _ => list(whole_field(repeated, true)),
            },
            (ConvertedType::MAP, [entries]) => {
                let parts = entries.get_fields();
                RequestedType::Map(
                    Box::new(whole_field(&parts[0], false)),
                    Box::new(whole_field(&parts[1], false)),
                )
            }
            (_, fields) => {
                RequestedType::Struct(fields.iter().map(|field| whole_field(field, false)).collect())
            }
        }
    };
    RequestedField::new(field.name(), ty)
}
