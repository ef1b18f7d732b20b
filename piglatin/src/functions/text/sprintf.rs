//! SPRINTF: the part of `java.util.Formatter` that concerns Pig's values.

mod number;

use crate::functions::builtin::{Builtin, Definition, Fault};
use crate::functions::signature::{Overload, Parameter, Signature};
use crate::functions::text::utf16_length;
use crate::types::PigType::Chararray;
use crate::value::{Value, to_text};

pub(super) fn functions() -> Vec<Definition> {
    vec![Definition::plain("SPRINTF", sprintf)]
}

/// The widest field and the most digits that are written.
const LIMIT: usize = 10_000;

/// `SPRINTF(format, ...)`: `%s %S %d %o %x %X %e %E %f %b %B %c %C %n %%` with argument index, flags, width and
/// precision. With a null argument the result is null. The conversions `%t`, `%g`, `%a` and `%h` are refused with a warning.
fn sprintf() -> Builtin {
    let overload = Overload::new(vec![Parameter::Is(Chararray)], Chararray).and_more(Parameter::Any);
    Builtin::lenient("SPRINTF", Signature::Overloads(vec![overload]), |arguments| match arguments {
        nulls if nulls.iter().any(|argument| matches!(argument, Value::Null)) => Ok(Value::Null),
        [Value::Chararray(format), arguments @ ..] => {
            format_all(format, arguments).map(Value::Chararray).map_err(Fault::Value)
        }
        _ => Err(Fault::Arguments),
    })
}

/// `%[index$][flags][width][.precision]conversion`.
struct Specifier<'a> {
    text: &'a str,
    index: Index,
    flags: &'a str,
    width: Option<usize>,
    precision: Option<usize>,
    conversion: char,
}

/// Which argument is written.
#[derive(Clone, Copy)]
enum Index {
    Next,
    /// `%<s`: that of the specifier before.
    Last,
    /// `%2$s`, from 1.
    At(usize),
}

impl Specifier<'_> {
    fn has(&self, flag: char) -> bool {
        self.flags.contains(flag)
    }

    /// Only these flags may be there, each once.
    fn check_flags(&self, allowed: &str) -> Result<(), String> {
        let wrong = self.flags.char_indices().find(|(place, flag)| {
            !allowed.contains(*flag) || self.flags.get(..*place).is_some_and(|before| before.contains(*flag))
        });
        match wrong {
            Some((_, flag)) => Err(format!("{} cannot have the flag '{flag}'", self.text)),
            None if self.has('-') && self.has('0') => {
                Err(format!("{} cannot have both '-' and '0'", self.text))
            }
            None if (self.has('-') || self.has('0')) && self.width.is_none() => {
                Err(format!("{} has no width", self.text))
            }
            None => Ok(()),
        }
    }

    fn no_precision(&self) -> Result<(), String> {
        match self.precision {
            None => Ok(()),
            Some(_) => Err(format!("{} cannot have a precision", self.text)),
        }
    }

    /// Fills up to the width with blanks.
    fn pad(&self, text: &str, out: &mut String) {
        let missing = self.width.unwrap_or(0).saturating_sub(utf16_length(text));
        if !self.has('-') {
            out.extend(std::iter::repeat_n(' ', missing));
        }
        out.push_str(text);
        if self.has('-') {
            out.extend(std::iter::repeat_n(' ', missing));
        }
    }
}

fn format_all(format: &str, arguments: &[Value]) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = format;
    let (mut next, mut last) = (0, None);
    while let Some(place) = rest.find('%') {
        out.push_str(&rest[..place]);
        let (specifier, after) = parse(&rest[place..])?;
        rest = after;
        match specifier.conversion {
            '%' => {
                specifier.check_flags("-")?;
                specifier.no_precision()?;
                specifier.pad("%", &mut out);
                continue;
            }
            'n' => {
                out.push('\n');
                continue;
            }
            _ => {}
        }
        let at = match specifier.index {
            Index::Next => {
                next += 1;
                Some(next - 1)
            }
            Index::Last => last,
            Index::At(index) => index.checked_sub(1),
        };
        last = at;
        let argument = at.and_then(|at| arguments.get(at));
        let argument = argument.ok_or_else(|| format!("there is no argument for {}", specifier.text))?;
        write_one(&specifier, argument, &mut out)?;
    }
    out.push_str(rest);
    Ok(out)
}

/// Takes a specifier off a text that begins with `%`.
fn parse(text: &str) -> Result<(Specifier<'_>, &str), String> {
    let unknown = || format!("'{text}' is no format");
    let mut rest = &text[1..];
    let mut index = Index::Next;
    if let Some(after) = rest.strip_prefix('<') {
        (index, rest) = (Index::Last, after);
    } else if let Some((digits, after)) = rest.split_once('$')
        && digits.starts_with(|digit: char| matches!(digit, '1'..='9'))
        && digits.bytes().all(|digit| digit.is_ascii_digit())
    {
        (index, rest) = (Index::At(digits.parse().map_err(|_| unknown())?), after);
    }
    let after = rest.trim_start_matches(['-', '#', '+', ' ', '0', ',', '(']);
    let flags = &rest[..rest.len() - after.len()];
    let (width, after) = number_at(after).ok_or_else(unknown)?;
    let (precision, after) = match after.strip_prefix('.') {
        None => (None, after),
        Some(after) => {
            let (precision, after) = number_at(after).ok_or_else(unknown)?;
            (Some(precision.ok_or_else(unknown)?), after)
        }
    };
    let conversion = after.chars().next().ok_or_else(unknown)?;
    let after = &after[conversion.len_utf8()..];
    let text = &text[..text.len() - after.len()];
    if width.max(precision).is_some_and(|number| number > LIMIT) {
        return Err(format!("{text} is wider than {LIMIT}"));
    }
    Ok((Specifier { text, index, flags, width, precision, conversion }, after))
}

/// The number that a text begins with, if it does; nothing if it is too large.
fn number_at(text: &str) -> Option<(Option<usize>, &str)> {
    let after = text.trim_start_matches(|digit: char| digit.is_ascii_digit());
    let digits = &text[..text.len() - after.len()];
    if digits.is_empty() { Some((None, after)) } else { Some((Some(digits.parse().ok()?), after)) }
}

fn write_one(specifier: &Specifier<'_>, argument: &Value, out: &mut String) -> Result<(), String> {
    let text = match (specifier.conversion, argument) {
        ('b' | 'B', value) => {
            specifier.check_flags("-")?;
            cut(specifier, !matches!(value, Value::Null | Value::Boolean(false)), |value| value.to_string())
        }
        ('s' | 'S', value) => {
            specifier.check_flags("-")?;
            cut(specifier, value, text_of)
        }
        ('c' | 'C', value) => {
            specifier.check_flags("-")?;
            specifier.no_precision()?;
            match value {
                Value::Null => "null".to_owned(),
                Value::Int(code) => u32::try_from(*code)
                    .ok()
                    .and_then(char::from_u32)
                    .map(String::from)
                    .ok_or_else(|| format!("{code} is no character"))?,
                other => return Err(unfit(specifier, other)),
            }
        }
        ('d' | 'o' | 'x' | 'X', Value::Null) => cut(specifier, argument, text_of),
        ('e' | 'E' | 'f', Value::Null) => cut(specifier, argument, text_of),
        ('d', value) => number::decimal(specifier, value)?,
        ('o', value) => number::radix(specifier, value, 8)?,
        ('x' | 'X', value) => number::radix(specifier, value, 16)?,
        ('f', value) => number::fixed(specifier, value)?,
        ('e' | 'E', value) => number::scientific(specifier, value)?,
        _ => return Err(format!("the conversion {} is not supported", specifier.text)),
    };
    let text = if specifier.conversion.is_uppercase() { text.to_uppercase() } else { text };
    specifier.pad(&text, out);
    Ok(())
}

fn text_of(value: &Value) -> String {
    if matches!(value, Value::Null) { "null".to_owned() } else { to_text(value) }
}

/// The precision of a text is the most letters that are written of it.
fn cut<T>(specifier: &Specifier<'_>, value: T, text: impl Fn(T) -> String) -> String {
    let text = text(value);
    match specifier.precision {
        Some(precision) => text.chars().take(precision).collect(),
        None => text,
    }
}

fn unfit(specifier: &Specifier<'_>, value: &Value) -> String {
    format!("{} does not write {}", specifier.text, to_text(value))
}
