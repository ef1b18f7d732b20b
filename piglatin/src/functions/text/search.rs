//! Places in texts: SUBSTRING, INDEXOF, LAST_INDEX_OF, STARTSWITH, ENDSWITH, EqualsIgnoreCase; and UniqueID.

use crate::functions::builtin::{Builtin, Definition, Fault, takes};
use crate::functions::signature::{Overload, Parameter, Signature};
use crate::functions::text::case::{lower, upper};
use crate::types::PigType::{Boolean, Chararray, Int};
use crate::value::Value;

pub(super) fn functions() -> Vec<Definition> {
    vec![
        Definition::plain("SUBSTRING", substring),
        Definition::plain("INDEXOF", index_of),
        Definition::plain("LAST_INDEX_OF", last_index_of),
        Definition::plain("STARTSWITH", || test("STARTSWITH", |text, part| text.starts_with(part))),
        Definition::plain("ENDSWITH", || test("ENDSWITH", |text, part| text.ends_with(part))),
        Definition::plain("EqualsIgnoreCase", || test("EqualsIgnoreCase", equals_ignore_case)),
        Definition::plain("UniqueID", unique_id),
    ]
}

/// `String.length`.
pub(in crate::functions) fn utf16_length(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.encode_utf16().count() }
}

/// The byte at which a UTF-16 unit begins; inside a pair of units, that of the letter.
fn byte_of(text: &str, unit: usize) -> usize {
    if text.is_ascii() {
        return unit.min(text.len());
    }
    let mut units = 0;
    for (byte, letter) in text.char_indices() {
        units += letter.len_utf16();
        if units > unit {
            return byte;
        }
    }
    text.len()
}

fn as_int(units: usize) -> Value {
    Value::Int(i32::try_from(units).unwrap_or(i32::MAX))
}

/// `SUBSTRING(text, from, to)`: an end behind the text is its end; a beginning out of range gives null and a warning.
/// Half of a surrogate pair is U+FFFD.
fn substring() -> Builtin {
    let overloads = vec![takes([Chararray, Int, Int], Chararray)];
    Builtin::strict("SUBSTRING", overloads, |arguments| {
        let [Value::Chararray(text), Value::Int(from), Value::Int(to)] = arguments else {
            return Err(Fault::Arguments);
        };
        let length = utf16_length(text);
        let out_of_range = || Fault::Value(format!("{from} to {to} is out of range of '{text}'"));
        let begin = usize::try_from(*from).map_err(|_| out_of_range())?;
        let end = usize::try_from(*to).map_err(|_| out_of_range())?.min(length);
        if begin > end {
            return Err(out_of_range());
        }
        if text.is_ascii() {
            return Ok(Value::Chararray(text.get(begin..end).unwrap_or_default().to_owned()));
        }
        let units: Vec<u16> = text.encode_utf16().skip(begin).take(end - begin).collect();
        Ok(Value::Chararray(String::from_utf16_lossy(&units)))
    })
}

/// `INDEXOF(text, part [, from])`: -1 if it is not there.
fn index_of() -> Builtin {
    let overloads = vec![takes([Chararray, Chararray], Int), takes([Chararray, Chararray, Int], Int)];
    Builtin::strict("INDEXOF", overloads, |arguments| {
        let (text, part, from) = match arguments {
            [Value::Chararray(text), Value::Chararray(part)] => (text, part, 0),
            [Value::Chararray(text), Value::Chararray(part), Value::Int(from)] => {
                (text, part, usize::try_from(*from).unwrap_or(0))
            }
            _ => return Err(Fault::Arguments),
        };
        let mut start = byte_of(text, from);
        // From the second half of a letter on, that letter cannot be found.
        if utf16_length(&text[..start]) < from {
            start = text[start..].chars().next().map_or(start, |letter| start + letter.len_utf8());
        }
        let found = text[start..].find(part.as_str()).map(|place| utf16_length(&text[..start + place]));
        Ok(found.map_or(Value::Int(-1), as_int))
    })
}

/// `LAST_INDEX_OF(text, part)`: -1 if it is not there.
fn last_index_of() -> Builtin {
    Builtin::strict("LAST_INDEX_OF", vec![takes([Chararray, Chararray], Int)], |arguments| match arguments {
        [Value::Chararray(text), Value::Chararray(part)] => {
            let found = text.rfind(part.as_str()).map(|place| utf16_length(&text[..place]));
            Ok(found.map_or(Value::Int(-1), as_int))
        }
        _ => Err(Fault::Arguments),
    })
}

/// A test of two chararrays.
fn test(name: &'static str, test: fn(&str, &str) -> bool) -> Builtin {
    let overloads = vec![takes([Chararray, Chararray], Boolean)];
    Builtin::strict(name, overloads, move |arguments| match arguments {
        [Value::Chararray(text), Value::Chararray(other)] => Ok(Value::Boolean(test(text, other))),
        _ => Err(Fault::Arguments),
    })
}

/// `String.equalsIgnoreCase`: letter by letter, in upper case and then in lower.
fn equals_ignore_case(left: &str, right: &str) -> bool {
    let folded = |letter: char| lower(upper(letter));
    left.chars().map(folded).eq(right.chars().map(folded))
}

/// `UniqueID`: `index-sequence`, another for each call of a run. Arguments are ignored.
fn unique_id() -> Builtin {
    let overload = Overload::new(Vec::new(), Chararray).and_more(Parameter::Any);
    Builtin::with_context("UniqueID", Signature::Overloads(vec![overload]), |_, context| {
        Ok(Value::Chararray(format!("0-{}", context.unique())))
    })
    .volatile()
}
