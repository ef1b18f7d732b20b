//! What makes tuples, bags and maps: TOTUPLE, TOBAG, TOMAP; and KEYSET, VALUELIST, VALUESET, INVERSEMAP.

use std::collections::BTreeMap;

use crate::functions::bag::distinct;
use crate::functions::builtin::{Builtin, Definition, Fault};
use crate::functions::signature::{Overload, Parameter, Signature, arguments_text, bag_of, common_type};
use crate::types::{Field, PigType, Schema};
use crate::value::{Resolved, Value, to_text};

pub(super) fn functions() -> Vec<Definition> {
    vec![
        Definition::plain("TOTUPLE", to_tuple),
        Definition::plain("TOBAG", to_bag),
        Definition::plain("TOMAP", to_map),
        Definition::plain("KEYSET", keyset),
        Definition::plain("VALUELIST", || values("VALUELIST", <[Value]>::to_vec)),
        Definition::plain("VALUESET", || values("VALUESET", distinct)),
        Definition::plain("INVERSEMAP", inverse_map),
    ]
}

/// `TOTUPLE`: a tuple of its arguments, with their types.
fn to_tuple() -> Builtin {
    let overload = Overload::with(Vec::new(), |arguments| {
        let fields = arguments.iter().cloned().map(Field::unnamed).collect();
        PigType::Tuple((!arguments.is_empty()).then(|| Schema::new(fields)))
    });
    let signature = Signature::Overloads(vec![overload.and_more(Parameter::Any)]);
    Builtin::lenient("TOTUPLE", signature, |arguments| Ok(Value::Tuple(arguments.to_vec())))
}

/// `TOBAG`: a bag of its arguments; what is no tuple becomes one. Its fields are known if all arguments have one type.
fn to_bag() -> Builtin {
    bag_maker(|value| match value {
        Value::Tuple(_) => value.clone(),
        value => Value::Tuple(vec![value.clone()]),
    })
    .bound_by(|arguments| {
        // A null among tuples is a tuple that is null, and no tuple with a null in it.
        let tuples = arguments.iter().all(|argument| matches!(argument.ty, PigType::Tuple(_)));
        tuples.then(|| bag_maker(Value::clone))
    })
}

fn bag_maker(tuple: fn(&Value) -> Value) -> Builtin {
    let overload = Overload::with(Vec::new(), |arguments| match common_type(arguments.iter()) {
        Some(PigType::Tuple(fields)) => PigType::Bag { tuple_name: None, fields },
        // A value that carries its type may turn out to be a tuple.
        Some(ty) if ty != PigType::DYNAMIC => bag_of(ty),
        _ => PigType::Bag { tuple_name: None, fields: None },
    });
    let signature = Signature::Overloads(vec![overload.and_more(Parameter::Any)]);
    Builtin::lenient("TOBAG", signature, move |arguments| {
        Ok(Value::Bag(arguments.iter().map(tuple).collect()))
    })
}

/// `TOMAP(key, value, ...)`, or of a bag of pairs. The map is typed if all values have one type. Without a key there is
/// no entry: a null key is left out.
fn to_map() -> Builtin {
    let signature = Signature::Computed {
        forms: "(chararray, any, ...), (bag{(chararray, any)})",
        resolve: resolve_to_map,
    };
    Builtin::lenient("TOMAP", signature, |arguments| {
        let mut map = BTreeMap::new();
        match arguments {
            [] => return Ok(Value::Null),
            [Value::Null] => return Ok(Value::Null),
            [Value::Bag(pairs)] => {
                for pair in pairs {
                    match pair {
                        Value::Null => {}
                        Value::Tuple(fields) if fields.len() == 2 => {
                            insert(&mut map, &fields[0], &fields[1])?
                        }
                        other => {
                            return Err(Fault::Value(format!("{} is no pair", to_text(other))));
                        }
                    }
                }
            }
            arguments => {
                for pair in arguments.chunks(2) {
                    let [key, value] = pair else { return Err(Fault::Arguments) };
                    insert(&mut map, key, value)?;
                }
            }
        }
        Ok(Value::Map(map))
    })
}

fn insert(map: &mut BTreeMap<String, Value>, key: &Value, value: &Value) -> Result<(), Fault> {
    match key {
        Value::Null => {}
        Value::Chararray(key) => {
            map.insert(key.clone(), value.clone());
        }
        Value::Bytearray(key) => {
            map.insert(String::from_utf8_lossy(key).into_owned(), value.clone());
        }
        other => return Err(Fault::Value(format!("the key {} is not a chararray", to_text(other)))),
    }
    Ok(())
}

fn resolve_to_map(arguments: &[PigType]) -> Result<Resolved, String> {
    let is_key = |ty: &PigType| matches!(ty, PigType::Chararray | PigType::Bytearray(_));
    if let [PigType::Bag { fields, .. }] = arguments {
        let value = match fields.as_ref().map(|schema| schema.fields.as_slice()) {
            None => PigType::DYNAMIC,
            Some([key, value]) if is_key(&key.ty) => map_value(&value.ty),
            Some(_) => return Err("takes a bag of pairs with chararray keys".to_owned()),
        };
        return Ok(Resolved { arguments: arguments.to_vec(), result: PigType::Map(Box::new(value)) });
    }
    let pairs = arguments.chunks_exact(2);
    if !pairs.remainder().is_empty() || !pairs.clone().all(|pair| is_key(&pair[0])) {
        return Err(format!("does not take {}", arguments_text(arguments)));
    }
    let values: Vec<PigType> = pairs.clone().map(|pair| map_value(&pair[1])).collect();
    let value = common_type(values.iter()).unwrap_or(PigType::DYNAMIC);
    let cast = pairs.flat_map(|pair| [PigType::Chararray, pair[1].clone()]).collect();
    Ok(Resolved { arguments: cast, result: PigType::Map(Box::new(value)) })
}

/// Values of which nothing is known stay so in a map: `map[]` says no more of them.
fn map_value(ty: &PigType) -> PigType {
    if matches!(ty, PigType::Bytearray(_)) { PigType::DYNAMIC } else { ty.clone() }
}

/// `KEYSET`: the keys, as a bag of chararrays.
fn keyset() -> Builtin {
    let overloads = vec![Overload::new(vec![Parameter::Map], bag_of(PigType::Chararray))];
    Builtin::strict("KEYSET", overloads, |arguments| match arguments {
        [Value::Map(map)] => Ok(Value::Bag(map.keys().map(|key| key_tuple(key)).collect())),
        _ => Err(Fault::Arguments),
    })
}

fn key_tuple(key: &str) -> Value {
    Value::Tuple(vec![Value::Chararray(key.to_owned())])
}

/// `VALUELIST`: the values of a map, as a bag; `VALUESET`: each once.
fn values(name: &'static str, select: fn(&[Value]) -> Vec<Value>) -> Builtin {
    let overload = Overload::with(vec![Parameter::Map], |arguments| match arguments {
        [PigType::Map(value)] => bag_of((**value).clone()),
        _ => PigType::Bag { tuple_name: None, fields: None },
    });
    Builtin::strict(name, vec![overload], move |arguments| match arguments {
        [Value::Map(map)] => {
            let values: Vec<Value> = map.values().cloned().collect();
            Ok(Value::Bag(select(&values).into_iter().map(|value| Value::Tuple(vec![value])).collect()))
        }
        _ => Err(Fault::Arguments),
    })
}

/// `INVERSEMAP`: from the text of each value to a bag of the keys that had it. A null value is left out.
fn inverse_map() -> Builtin {
    let result = PigType::Map(Box::new(bag_of(PigType::Chararray)));
    let overloads = vec![Overload::new(vec![Parameter::Map], result)];
    Builtin::strict("INVERSEMAP", overloads, |arguments| {
        let [Value::Map(map)] = arguments else { return Err(Fault::Arguments) };
        let mut inverse: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for (key, value) in map {
            match value {
                Value::Null => {}
                Value::Tuple(_) | Value::Bag(_) | Value::Map(_) => {
                    return Err(Fault::Value(format!("the value {} cannot be a key", to_text(value))));
                }
                value => inverse.entry(to_text(value)).or_default().push(key_tuple(key)),
            }
        }
        Ok(Value::Map(inverse.into_iter().map(|(value, keys)| (value, Value::Bag(keys))).collect()))
    })
}
