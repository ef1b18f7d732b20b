//! Case and trimming: UPPER, LOWER, UCFIRST, LCFIRST, TRIM, LTRIM, RTRIM.

use crate::functions::builtin::{Builtin, Definition, Fault, takes};
use crate::types::PigType::Chararray;
use crate::value::Value;

pub(super) fn functions() -> Vec<Definition> {
    vec![
        Definition::plain("UPPER", || of_text("UPPER", str::to_uppercase)),
        Definition::plain("LOWER", || of_text("LOWER", str::to_lowercase)),
        Definition::plain("UCFIRST", || of_text("UCFIRST", |text| first(text, upper))),
        Definition::plain("LCFIRST", || of_text("LCFIRST", |text| first(text, lower))),
        Definition::plain("TRIM", || of_text("TRIM", |text| text.trim_matches(blank).to_owned())),
        Definition::plain("LTRIM", || of_text("LTRIM", |text| text.trim_start_matches(' ').to_owned())),
        Definition::plain("RTRIM", || of_text("RTRIM", |text| text.trim_end_matches(' ').to_owned())),
    ]
}

/// A function from chararray to chararray.
fn of_text(name: &'static str, compute: fn(&str) -> String) -> Builtin {
    Builtin::strict(name, vec![takes([Chararray], Chararray)], move |arguments| match arguments {
        [Value::Chararray(text)] => Ok(Value::Chararray(compute(text))),
        _ => Err(Fault::Arguments),
    })
}

/// What `String.trim` takes away; LTRIM and RTRIM take spaces only, as in Pig.
fn blank(letter: char) -> bool {
    letter <= ' '
}

fn first(text: &str, change: fn(char) -> char) -> String {
    let mut letters = text.chars();
    letters.next().map(change).into_iter().chain(letters).collect()
}

/// `Character.toUpperCase`: one letter for one letter, or the letter itself.
pub(super) fn upper(letter: char) -> char {
    single(letter.to_uppercase()).unwrap_or(letter)
}

/// `Character.toLowerCase`.
pub(super) fn lower(letter: char) -> char {
    single(letter.to_lowercase()).unwrap_or(letter)
}

fn single(mut letters: impl Iterator<Item = char>) -> Option<char> {
    let letter = letters.next();
    letter.filter(|_| letters.next().is_none())
}
