//! CONCAT and SIZE.

use crate::functions::aggregate::length;
use crate::functions::builtin::{Builtin, Definition, Fault};
use crate::functions::signature::{Overload, Parameter, Signature};
use crate::functions::text::utf16_length;
use crate::types::PigType::{self, Chararray, Long};
use crate::value::Value;
use crate::value::text::write_bytes;

pub(super) fn functions() -> Vec<Definition> {
    vec![Definition::plain("CONCAT", concat), Definition::plain("SIZE", size)]
}

/// `CONCAT`: two or more chararrays, or two or more bytearrays; with a chararray among them, bytearrays become such.
fn concat() -> Builtin {
    let bytes = || Parameter::Is(PigType::DYNAMIC);
    let chararray = || Parameter::Is(Chararray);
    let overloads = vec![
        Overload::new(vec![chararray(), chararray()], Chararray).and_more(chararray()),
        Overload::with(vec![bytes(), bytes()], |arguments| {
            let same = arguments.windows(2).all(|pair| pair[0] == pair[1]);
            arguments.first().filter(|_| same).cloned().unwrap_or(PigType::DYNAMIC)
        })
        .and_more(bytes()),
    ];
    Builtin::lenient("CONCAT", Signature::Overloads(overloads), |arguments| {
        let texts: Option<Vec<&str>> = arguments
            .iter()
            .map(|argument| if let Value::Chararray(text) = argument { Some(text.as_str()) } else { None })
            .collect();
        if let Some(texts) = texts {
            return Ok(Value::Chararray(texts.concat()));
        }
        let mut bytes = Vec::new();
        for argument in arguments {
            write_bytes(argument, &mut bytes);
        }
        Ok(Value::Bytearray(bytes))
    })
    .null_in_null_out()
}

/// `SIZE`: characters as Java counts them, bytes, fields, tuples, entries; of a number, boolean or datetime 1.
fn size() -> Builtin {
    let overloads = vec![Overload::new(vec![Parameter::Any], Long)];
    Builtin::strict("SIZE", overloads, |arguments| match arguments {
        [Value::Chararray(text)] => Ok(length(utf16_length(text))),
        [Value::Bytearray(bytes)] => Ok(length(bytes.len())),
        [Value::Tuple(items) | Value::Bag(items)] => Ok(length(items.len())),
        [Value::Map(entries)] => Ok(length(entries.len())),
        [_] => Ok(Value::Long(1)),
        _ => Err(Fault::Arguments),
    })
}
