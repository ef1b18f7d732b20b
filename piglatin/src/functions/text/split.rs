//! TOKENIZE, STRSPLIT and STRSPLITTOBAG.

use crate::functions::builtin::{Builtin, Definition, Fault, takes};
use crate::functions::signature::bag_of;
use crate::functions::text::patterns::{Patterns, check, null};
use crate::types::PigType::{self, Chararray, Int, Tuple};
use crate::value::Value;
use crate::value::matcher::Matcher;

pub(super) fn functions() -> Vec<Definition> {
    vec![
        Definition::plain("TOKENIZE", tokenize),
        Definition::plain("STRSPLIT", || splitter("STRSPLIT", &Tuple(None), Value::Tuple)),
        Definition::plain("STRSPLITTOBAG", || {
            splitter("STRSPLITTOBAG", &bag_of(Chararray), |parts| {
                Value::Bag(parts.into_iter().map(|part| Value::Tuple(vec![part])).collect())
            })
        }),
    ]
}

/// `TOKENIZE(text [, delimiters])`: the stretches between the letters of a set, as a bag; empty ones are dropped. Tabs
/// and line ends are not in the set that Pig takes by default.
fn tokenize() -> Builtin {
    let bag = bag_of(Chararray);
    let overloads = vec![takes([Chararray], bag.clone()), takes([Chararray, Chararray], bag)];
    Builtin::strict("TOKENIZE", overloads, |arguments| {
        let (text, delimiters) = match arguments {
            [Value::Chararray(text)] => (text, " \",()*"),
            [Value::Chararray(text), Value::Chararray(delimiters)] => (text, delimiters.as_str()),
            _ => return Err(Fault::Arguments),
        };
        let tokens = text.split(|letter| delimiters.contains(letter)).filter(|token| !token.is_empty());
        Ok(Value::Bag(tokens.map(|token| Value::Tuple(vec![Value::Chararray(token.to_owned())])).collect()))
    })
}

/// `STRSPLIT(text [, pattern [, limit]])`: the parts as a tuple, between blanks without a pattern;
/// `STRSPLITTOBAG`: as a bag.
fn splitter(name: &'static str, result: &PigType, collect: fn(Vec<Value>) -> Value) -> Builtin {
    let patterns = Patterns::new();
    let overloads = vec![
        takes([Chararray], result.clone()),
        takes([Chararray, Chararray], result.clone()),
        takes([Chararray, Chararray, Int], result.clone()),
    ];
    Builtin::strict(name, overloads, move |arguments| {
        let (text, pattern, limit) = match arguments {
            [Value::Chararray(text)] => (text, "\\s", 0),
            [Value::Chararray(text), Value::Chararray(pattern)] => (text, pattern.as_str(), 0),
            [Value::Chararray(text), Value::Chararray(pattern), Value::Int(limit)] => {
                (text, pattern.as_str(), *limit)
            }
            _ => return Err(Fault::Arguments),
        };
        let matcher = patterns.get(pattern).map_err(null)?;
        let parts = split(&matcher, text, limit);
        Ok(collect(parts.into_iter().map(|part| Value::Chararray(part.to_owned())).collect()))
    })
    .checked(check)
}

/// `String.split`: at most `limit` parts if it is positive; empty parts at the end fall away if it is 0. An empty match
/// at the beginning splits nothing off.
fn split<'t>(matcher: &Matcher, text: &'t str, limit: i32) -> Vec<&'t str> {
    let most = usize::try_from(limit).ok().filter(|most| *most > 0);
    let mut parts = Vec::new();
    let mut start = 0;
    matcher.each_match(text, |captures| {
        let Some(found) = captures.get(0) else { return };
        let full = most.is_some_and(|most| parts.len() + 1 >= most);
        let empty_at_start = start == 0 && found.start() == 0 && found.is_empty();
        if full || empty_at_start {
            return;
        }
        parts.push(&text[start..found.start()]);
        start = found.end();
    });
    if start == 0 {
        return vec![text];
    }
    parts.push(&text[start..]);
    if limit == 0 {
        while parts.last().is_some_and(|part| part.is_empty()) {
            parts.pop();
        }
    }
    parts
}
