//! Java's syntax to that of the regex crate.

use super::PatternProblem;
use super::class::{self, Predefined};

/// What a character is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// A character of Unicode.
    Text,
    /// A byte.
    Bytes,
}

/// The flags that change how a pattern is written here; of `(?i)` and `(?m)` the engine takes care.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Flags {
    /// `(?s)`: `.` is every character.
    dot_all: bool,
    /// `(?d)`: `.` is every character but `\n`.
    unix_lines: bool,
    /// `(?U)`: `\d`, `\w` and `\s` are not only ASCII.
    pub(super) unicode_classes: bool,
}

/// Writes a pattern for the engine.
pub(super) fn translate(pattern: &str, mode: Mode) -> Result<String, PatternProblem> {
    let mut translator = Translator {
        input: Input { rest: pattern },
        out: String::with_capacity(pattern.len() + 16),
        mode,
        flags: Flags::default(),
        open: Vec::new(),
    };
    translator.run()?;
    Ok(translator.out)
}

/// The pattern that is left.
pub(super) struct Input<'p> {
    rest: &'p str,
}

impl Input<'_> {
    pub(super) fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.rest = &self.rest[next.len_utf8()..];
        Some(next)
    }

    pub(super) fn take(&mut self, prefix: &str) -> bool {
        match self.rest.strip_prefix(prefix) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// What stands before an end, which is passed over; all if there is none.
    fn until(&mut self, end: &str) -> &str {
        let (before, after) = self.rest.split_once(end).unwrap_or((self.rest, ""));
        self.rest = after;
        before
    }

    /// What stands in the braces that begin here.
    pub(super) fn braces(&mut self) -> Result<&str, PatternProblem> {
        if !self.take("{") {
            return Err(PatternProblem::invalid("'{' is missing"));
        }
        let (before, after) =
            self.rest.split_once('}').ok_or_else(|| PatternProblem::invalid("'{' is not closed"))?;
        self.rest = after;
        Ok(before)
    }

    fn digits(&mut self, radix: u32, most: usize) -> Result<u32, PatternProblem> {
        let length = self.rest.chars().take(most).take_while(|letter| letter.is_digit(radix)).count();
        let (digits, rest) = self.rest.split_at(length);
        let value = u32::from_str_radix(digits, radix);
        self.rest = rest;
        value.map_err(|_| PatternProblem::invalid("an escape has no digits"))
    }

    /// The character of an escape that names one, behind `\` and its letter; none if the letter begins no such escape.
    pub(super) fn escaped_character(&mut self, letter: char) -> Result<Option<char>, PatternProblem> {
        let code = match letter {
            't' => 9,
            'n' => 10,
            'f' => 12,
            'r' => 13,
            'a' => 7,
            'e' => 27,
            '0' => {
                // Three digits only up to 377.
                let most = if self.peek().is_some_and(|first| first <= '3') { 3 } else { 2 };
                self.digits(8, most)?
            }
            'x' if self.peek() == Some('{') => u32::from_str_radix(self.braces()?, 16)
                .map_err(|_| PatternProblem::invalid("'\\x{' holds no number"))?,
            'x' => self.digits(16, 2)?,
            'u' => {
                let high = self.digits(16, 4)?;
                if (0xD800..0xDC00).contains(&high) && self.take("\\u") {
                    let low = self.digits(16, 4)?;
                    0x1_0000 + ((high - 0xD800) << 10) + (low.wrapping_sub(0xDC00) & 0x3FF)
                } else {
                    high
                }
            }
            'c' => self.next().map_or(0, u32::from) ^ 64,
            letter if letter.is_ascii_alphanumeric() => return Ok(None),
            letter => return Ok(Some(letter)),
        };
        char::from_u32(code).map(Some).ok_or_else(|| PatternProblem::invalid("an escape is no character"))
    }
}

struct Translator<'p> {
    input: Input<'p>,
    out: String,
    mode: Mode,
    flags: Flags,
    /// The flags around each open group.
    open: Vec<Flags>,
}

impl Translator<'_> {
    fn run(&mut self) -> Result<(), PatternProblem> {
        // A quantifier needs something before it.
        let mut quantifiable = false;
        while let Some(next) = self.input.next() {
            match next {
                '*' | '+' | '?' | '{' => {
                    if !quantifiable {
                        return Err(PatternProblem::invalid(format!("'{next}' has nothing to repeat")));
                    }
                    self.quantifier(next)?;
                    quantifiable = false;
                    continue;
                }
                '(' => {
                    quantifiable = false;
                    self.group()?;
                    continue;
                }
                ')' => {
                    self.flags =
                        self.open.pop().ok_or_else(|| PatternProblem::invalid("')' closes no group"))?;
                    self.out.push(')');
                }
                '|' => {
                    self.out.push('|');
                    quantifiable = false;
                    continue;
                }
                '[' => class::translate(&mut self.input, self.flags, self.mode, &mut self.out)?,
                '.' => self.dot(),
                '^' | '$' => self.out.push(next),
                '\\' => self.escape()?,
                literal => push_literal(literal, &mut self.out),
            }
            quantifiable = true;
        }
        if self.open.is_empty() { Ok(()) } else { Err(PatternProblem::invalid("'(' is not closed")) }
    }

    fn dot(&mut self) {
        self.out.push_str(match (self.flags.dot_all, self.flags.unix_lines, self.mode) {
            (true, ..) => "(?s:.)",
            (false, true, _) => r"[^\n]",
            (false, false, Mode::Text) => r"[^\n\r\u{85}\u{2028}\u{2029}]",
            (false, false, Mode::Bytes) => r"[^\n\r]",
        });
    }

    fn quantifier(&mut self, first: char) -> Result<(), PatternProblem> {
        if first == '{' {
            self.input.rest.split_once('}').ok_or_else(|| PatternProblem::invalid("'{' is not closed"))?;
            let bounds = self.input.until("}");
            let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            let valid = match bounds.split_once(',') {
                Some((least, most)) => number(least) && (most.is_empty() || number(most)),
                None => number(bounds),
            };
            if !valid {
                return Err(PatternProblem::invalid(format!("'{{{bounds}}}' is no repetition")));
            }
            self.out.push_str(&format!("{{{bounds}}}"));
        } else {
            self.out.push(first);
        }
        if self.input.take("+") {
            return Err(PatternProblem::Unsupported("a possessive quantifier"));
        }
        if self.input.take("?") {
            self.out.push('?');
        }
        Ok(())
    }

    fn group(&mut self) -> Result<(), PatternProblem> {
        for (start, construct) in [
            ("?=", "look-ahead"),
            ("?!", "look-ahead"),
            ("?<=", "look-behind"),
            ("?<!", "look-behind"),
            ("?>", "an atomic group"),
        ] {
            if self.input.take(start) {
                return Err(PatternProblem::Unsupported(construct));
            }
        }
        if self.input.take("?<") {
            self.open.push(self.flags);
            let name = self.input.until(">").to_owned();
            if !name.starts_with(|letter: char| letter.is_ascii_alphabetic())
                || !name.bytes().all(|byte| byte.is_ascii_alphanumeric())
            {
                return Err(PatternProblem::invalid(format!("'{name}' is no name of a group")));
            }
            self.out.push_str(&format!("(?<{name}>"));
        } else if self.input.take("?") {
            self.flags_group()?;
        } else {
            self.open.push(self.flags);
            self.out.push('(');
        }
        Ok(())
    }

    /// `(?i)` holds up to the end of the group it stands in, `(?i:…)` for its own.
    fn flags_group(&mut self) -> Result<(), PatternProblem> {
        let around = self.flags;
        let (mut on, mut off, mut value) = (String::new(), String::new(), true);
        loop {
            match self.input.next() {
                Some('-') if value => value = false,
                Some(flag @ ('i' | 'm')) => (if value { &mut on } else { &mut off }).push(flag),
                Some('s') => self.flags.dot_all = value,
                Some('d') => self.flags.unix_lines = value,
                Some('U') => self.flags.unicode_classes = value,
                // Case is always folded as Unicode has it.
                Some('u') => {}
                Some('x') => return Err(PatternProblem::Unsupported("(?x), comments in a pattern,")),
                Some(end @ (':' | ')')) => {
                    let off = if off.is_empty() { off } else { format!("-{off}") };
                    if end == ':' {
                        self.open.push(around);
                        self.out.push_str(&format!("(?{on}{off}:"));
                    } else if !(on.is_empty() && off.is_empty()) {
                        self.out.push_str(&format!("(?{on}{off})"));
                    }
                    return Ok(());
                }
                Some(other) => return Err(PatternProblem::invalid(format!("'(?' is followed by '{other}'"))),
                None => return Err(PatternProblem::invalid("'(' is not closed")),
            }
        }
    }

    fn escape(&mut self) -> Result<(), PatternProblem> {
        let letter = self.input.next().ok_or_else(|| PatternProblem::invalid("the pattern ends in '\\'"))?;
        match letter {
            'Q' => {
                let literal = self.input.until("\\E").to_owned();
                // A quantifier behind it repeats the last character only.
                literal.chars().for_each(|literal| push_literal(literal, &mut self.out));
            }
            '1'..='9' | 'k' => return Err(PatternProblem::Unsupported("a back reference")),
            'G' => return Err(PatternProblem::Unsupported("\\G")),
            'Z' => return Err(PatternProblem::Unsupported("\\Z (use \\z)")),
            'X' => return Err(PatternProblem::Unsupported("\\X")),
            'N' => return Err(PatternProblem::Unsupported("\\N{...}")),
            'A' => self.out.push_str(r"\A"),
            'z' => self.out.push_str(r"\z"),
            'b' if self.input.peek() == Some('{') => return Err(PatternProblem::Unsupported("\\b{...}")),
            'b' => self.out.push_str(r"\b"),
            'B' => self.out.push_str(r"\B"),
            'R' => match self.mode {
                Mode::Text => self.out.push_str(r"(?:\r\n|[\n\x0B\f\r\u{85}\u{2028}\u{2029}])"),
                Mode::Bytes => self.out.push_str(r"(?:\r\n|[\n\x0B\f\r])"),
            },
            'p' | 'P' => self.out.push_str(&class::property(&mut self.input, letter == 'P', self.mode)?),
            letter => {
                if let Some(class) = Predefined::of(letter) {
                    self.out.push_str(&class.write(self.flags, self.mode));
                } else if let Some(literal) = self.input.escaped_character(letter)? {
                    push_literal(literal, &mut self.out);
                } else {
                    return Err(PatternProblem::invalid(format!("'\\{letter}' has no meaning")));
                }
            }
        }
        Ok(())
    }
}

/// Writes a character that stands for itself.
pub(super) fn push_literal(literal: char, out: &mut String) {
    if literal.is_ascii_punctuation() && !matches!(literal, '<' | '>' | '_') {
        out.push('\\');
    }
    if literal.is_control() {
        out.push_str(&format!("\\x{{{:X}}}", u32::from(literal)));
    } else {
        out.push(literal);
    }
}
