//! REGEX_EXTRACT, REGEX_EXTRACT_ALL, REGEX_SEARCH, REPLACE.

use regex::Captures;

use crate::functions::builtin::{Builtin, Definition, Fault, Make, takes};
use crate::functions::signature::bag_of;
use crate::functions::text::patterns::{Patterns, check, fatal, null};
use crate::types::PigType::{Chararray, Int, Tuple};
use crate::value::Value;
use crate::value::matcher::Replacement;

pub(super) fn functions() -> Vec<Definition> {
    vec![
        Definition { name: "REGEX_EXTRACT", make: Make::Constructed(extract) },
        Definition { name: "REGEX_EXTRACT_ALL", make: Make::Constructed(extract_all) },
        Definition::plain("REGEX_SEARCH", search),
        Definition::plain("REPLACE", replace),
    ]
}

/// Made with `'true'`, the whole text must match; made with `'false'`, a part of it.
fn whole(constructor: &[String], default: bool) -> Result<bool, String> {
    match constructor {
        [] => Ok(default),
        [whole] if whole.eq_ignore_ascii_case("true") => Ok(true),
        [whole] if whole.eq_ignore_ascii_case("false") => Ok(false),
        _ => Err("its constructor takes 'true', to match the whole text, or 'false'".to_owned()),
    }
}

fn group(captures: &Captures<'_>, group: usize) -> Value {
    captures.get(group).map_or(Value::Null, |found| Value::Chararray(found.as_str().to_owned()))
}

/// `REGEX_EXTRACT(text, pattern, group)`: of the first match anywhere; null if there is none.
fn extract(constructor: &[String]) -> Result<Builtin, String> {
    let whole = whole(constructor, false)?;
    let patterns = Patterns::new();
    let overloads = vec![takes([Chararray, Chararray, Int], Chararray)];
    let function = Builtin::strict("REGEX_EXTRACT", overloads, move |arguments| {
        let [Value::Chararray(text), Value::Chararray(pattern), Value::Int(index)] = arguments else {
            return Err(Fault::Arguments);
        };
        let matcher = patterns.get(pattern).map_err(fatal)?;
        let index = usize::try_from(*index)
            .ok()
            .filter(|index| *index <= matcher.groups())
            .ok_or_else(|| Fault::Value(format!("'{pattern}' has no group {index}")))?;
        let captures = if whole { matcher.captures_whole(text) } else { matcher.find(text, 0) };
        Ok(captures.map_or(Value::Null, |captures| group(&captures, index)))
    });
    Ok(function.checked(check))
}

/// `REGEX_EXTRACT_ALL(text, pattern)`: all groups, if the whole text matches; else null.
fn extract_all(constructor: &[String]) -> Result<Builtin, String> {
    let whole = whole(constructor, true)?;
    let patterns = Patterns::new();
    let overloads = vec![takes([Chararray, Chararray], Tuple(None))];
    let function = Builtin::strict("REGEX_EXTRACT_ALL", overloads, move |arguments| {
        let [Value::Chararray(text), Value::Chararray(pattern)] = arguments else {
            return Err(Fault::Arguments);
        };
        let matcher = patterns.get(pattern).map_err(fatal)?;
        let captures = if whole { matcher.captures_whole(text) } else { matcher.find(text, 0) };
        let groups =
            |captures: Captures<'_>| (1..captures.len()).map(|index| group(&captures, index)).collect();
        Ok(captures.map_or(Value::Null, |captures| Value::Tuple(groups(captures))))
    });
    Ok(function.checked(check))
}

/// `REGEX_SEARCH(text, pattern)`: the first group of every match, as a bag; null if there is none.
fn search() -> Builtin {
    let patterns = Patterns::new();
    let overloads = vec![takes([Chararray, Chararray], bag_of(Chararray))];
    Builtin::strict("REGEX_SEARCH", overloads, move |arguments| {
        let [Value::Chararray(text), Value::Chararray(pattern)] = arguments else {
            return Err(Fault::Arguments);
        };
        let matcher = patterns.get(pattern).map_err(fatal)?;
        if matcher.groups() == 0 {
            return Err(Fault::Value(format!("'{pattern}' has no group")));
        }
        let mut found = Vec::new();
        matcher.each_match(text, |captures| found.push(Value::Tuple(vec![group(captures, 1)])));
        Ok(if found.is_empty() { Value::Null } else { Value::Bag(found) })
    })
    .checked(check)
}

/// `REPLACE(text, pattern, replacement)`: all matches, with `$1` in the replacement, as `String.replaceAll`.
fn replace() -> Builtin {
    let patterns = Patterns::new();
    let overloads = vec![takes([Chararray, Chararray, Chararray], Chararray)];
    Builtin::strict("REPLACE", overloads, move |arguments| {
        let [Value::Chararray(text), Value::Chararray(pattern), Value::Chararray(replacement)] = arguments
        else {
            return Err(Fault::Arguments);
        };
        let matcher = patterns.get(pattern).map_err(null)?;
        let replacement = Replacement::new(replacement, &matcher).map_err(null)?;
        Ok(Value::Chararray(matcher.replace_all(text, &replacement)))
    })
    .checked(check)
}
