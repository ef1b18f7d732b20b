//! Classes of characters.

use super::PatternProblem;
use super::translate::{Flags, Input, Mode, push_literal};

/// Classes in classes: no pattern needs more, and a hostile one must not end the process.
const DEEPEST: usize = 50;

/// `\d` and the like: in Java they are ASCII.
pub(super) struct Predefined {
    letter: char,
}

impl Predefined {
    pub(super) fn of(letter: char) -> Option<Self> {
        matches!(letter, 'd' | 'D' | 'w' | 'W' | 's' | 'S' | 'h' | 'H' | 'v' | 'V').then_some(Self { letter })
    }

    /// As a class of its own, which may also stand in another one.
    pub(super) fn write(&self, flags: Flags, mode: Mode) -> String {
        if flags.unicode_classes && mode == Mode::Text && !matches!(self.letter, 'h' | 'H' | 'v' | 'V') {
            return format!("\\{}", self.letter);
        }
        let members = match (self.letter.to_ascii_lowercase(), mode) {
            ('d', _) => "0-9",
            ('w', _) => "a-zA-Z0-9_",
            ('s', _) => r" \t\n\x0B\f\r",
            ('h', Mode::Text) => r" \t\u{A0}\u{1680}\u{180E}\u{2000}-\u{200A}\u{202F}\u{205F}\u{3000}",
            ('h', Mode::Bytes) => r" \t",
            (_, Mode::Text) => r"\n\x0B\f\r\u{85}\u{2028}\u{2029}",
            (_, Mode::Bytes) => r"\n\x0B\f\r",
        };
        let negation = if self.letter.is_ascii_uppercase() { "^" } else { "" };
        format!("[{negation}{members}]")
    }
}

/// A class whose `[` was read: ranges, escapes, classes in it, `&&`.
pub(super) fn translate(
    input: &mut Input<'_>,
    flags: Flags,
    mode: Mode,
    out: &mut String,
) -> Result<(), PatternProblem> {
    one_class(input, flags, mode, out, DEEPEST)
}

fn one_class(
    input: &mut Input<'_>,
    flags: Flags,
    mode: Mode,
    out: &mut String,
    depth: usize,
) -> Result<(), PatternProblem> {
    let inner = depth.checked_sub(1).ok_or_else(|| PatternProblem::invalid("classes are nested too deep"))?;
    out.push('[');
    if input.take("^") {
        out.push('^');
    }
    let mut first = true;
    loop {
        let next = input.next().ok_or_else(|| PatternProblem::invalid("'[' is not closed"))?;
        match next {
            ']' if !first => {
                out.push(']');
                return Ok(());
            }
            '[' => one_class(input, flags, mode, out, inner)?,
            '&' if input.take("&") => out.push_str("&&"),
            '\\' => match member(input, flags, mode)? {
                Member::One(literal) => range(literal, input, flags, mode, out)?,
                Member::Many(class) => out.push_str(&class),
            },
            literal => range(literal, input, flags, mode, out)?,
        }
        first = false;
    }
}

enum Member {
    One(char),
    Many(String),
}

/// What an escape in a class is.
fn member(input: &mut Input<'_>, flags: Flags, mode: Mode) -> Result<Member, PatternProblem> {
    let letter = input.next().ok_or_else(|| PatternProblem::invalid("'[' is not closed"))?;
    if matches!(letter, 'p' | 'P') {
        return property(input, letter == 'P', mode).map(Member::Many);
    }
    if letter == 'Q' {
        return Err(PatternProblem::Unsupported("\\Q in a class"));
    }
    if let Some(class) = Predefined::of(letter) {
        return Ok(Member::Many(class.write(flags, mode)));
    }
    match input.escaped_character(letter)? {
        Some(literal) => Ok(Member::One(literal)),
        None => Err(PatternProblem::invalid(format!("'\\{letter}' has no meaning in a class"))),
    }
}

/// A character, or the range that it begins.
fn range(
    from: char,
    input: &mut Input<'_>,
    flags: Flags,
    mode: Mode,
    out: &mut String,
) -> Result<(), PatternProblem> {
    push_literal(from, out);
    if input.peek() != Some('-') {
        return Ok(());
    }
    input.next();
    match input.peek() {
        // A minus at the end, or before a class, is a minus.
        None | Some(']' | '[') => out.push_str("\\-"),
        Some(_) => {
            let to = match input.next() {
                Some('\\') => match member(input, flags, mode)? {
                    Member::One(to) => to,
                    Member::Many(_) => return Err(PatternProblem::invalid("a range ends in a class")),
                },
                Some(to) => to,
                None => return Err(PatternProblem::invalid("'[' is not closed")),
            };
            if to < from {
                return Err(PatternProblem::invalid(format!("the range '{from}-{to}' is empty")));
            }
            out.push('-');
            push_literal(to, out);
        }
    }
    Ok(())
}

/// `\p{Alpha}`, `\p{Lu}`, `\pL`, `\p{IsLatin}`: behind the `p`. The names of POSIX are ASCII in Java.
pub(super) fn property(input: &mut Input<'_>, negated: bool, mode: Mode) -> Result<String, PatternProblem> {
    let name = if input.peek() == Some('{') {
        input.braces()?.to_owned()
    } else {
        input.next().ok_or_else(|| PatternProblem::invalid("'\\p' has no name"))?.to_string()
    };
    let ascii = match name.as_str() {
        "Lower" => "a-z",
        "Upper" => "A-Z",
        "ASCII" => r"\x00-\x7F",
        "Alpha" => "a-zA-Z",
        "Digit" => "0-9",
        "Alnum" => "a-zA-Z0-9",
        "Punct" => r"!-/:-@\[-`\{-~",
        "Graph" => "!-~",
        "Print" => " -~",
        "Blank" => r" \t",
        "Cntrl" => r"\x00-\x1F\x7F",
        "XDigit" => "0-9a-fA-F",
        "Space" => r" \t\n\x0B\f\r",
        _ => "",
    };
    if !ascii.is_empty() {
        let negation = if negated { "^" } else { "" };
        return Ok(format!("[{negation}{ascii}]"));
    }
    let unicode = match name.as_str() {
        "javaLowerCase" => "Lowercase",
        "javaUpperCase" => "Uppercase",
        "javaAlphabetic" => "Alphabetic",
        name if name.starts_with("java") => return Err(PatternProblem::Unsupported("\\p{java...}")),
        name if name.starts_with("In") || name.starts_with("blk=") || name.starts_with("block=") => {
            return Err(PatternProblem::Unsupported("a block of Unicode"));
        }
        name => {
            let script = name.strip_prefix("script=").or_else(|| name.strip_prefix("sc="));
            let category = name.strip_prefix("general_category=").or_else(|| name.strip_prefix("gc="));
            script.or(category).or_else(|| name.strip_prefix("Is")).unwrap_or(name)
        }
    };
    if mode == Mode::Bytes {
        return Err(PatternProblem::Unsupported("a property of Unicode over bytes"));
    }
    if unicode.is_empty() || !unicode.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return Err(PatternProblem::invalid(format!("'\\p{{{name}}}' is no property")));
    }
    Ok(format!("\\{}{{{unicode}}}", if negated { 'P' } else { 'p' }))
}
