//! `$name`, `${name}` and `\$` in the text of a script, and the lines `%declare` and `%default`.

use std::collections::BTreeMap;

use super::outside::CommandRunner;
use super::parameters::Parameters;
use crate::lex::{is_word_part, is_word_start, parameter_length};
use crate::source::{Diagnostic, Segment, SourceId, Span};

/// A text with its values put in.
#[derive(Debug, Default)]
pub(super) struct Substituted {
    pub(super) text: String,
    pub(super) segments: Vec<Segment>,
    errors: Vec<Fault>,
}

/// Something wrong, by its place in the new text.
#[derive(Debug)]
struct Fault {
    start: usize,
    end: usize,
    message: String,
    help: Option<String>,
}

impl Substituted {
    /// What was wrong, once the text has its id.
    pub(super) fn diagnostics(&self, source: SourceId) -> Vec<Diagnostic> {
        let one = |fault: &Fault| {
            let span = Span { source, start: offset(fault.start), end: offset(fault.end) };
            let mut diagnostic = Diagnostic::invalid(&fault.message, span);
            diagnostic.help.clone_from(&fault.help);
            diagnostic
        };
        self.errors.iter().map(one).collect()
    }
}

/// Where the values come from.
pub(super) enum Values<'a> {
    /// Of a script.
    Parameters(&'a mut Parameters, &'a dyn CommandRunner),
    /// Of a macro's body at a call.
    Arguments(&'a BTreeMap<String, String>),
}

/// Puts values into a script or a macro's body. Comments stay as they are.
pub(super) fn substitute(raw: &str, values: Values<'_>) -> Substituted {
    let mut scanner =
        Scanner { raw, at: 0, values, made: Substituted::default(), shadowed: Vec::new(), body: None };
    scanner.resume();
    scanner.run();
    scanner.made
}

pub(super) fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

pub(super) struct Scanner<'a> {
    pub(super) raw: &'a str,
    pub(super) at: usize,
    pub(super) values: Values<'a>,
    made: Substituted,
    /// Names of the macro whose body this is: its calls give them values.
    shadowed: Vec<String>,
    /// Open braces since the head of that macro.
    body: Option<usize>,
}

impl Scanner<'_> {
    fn run(&mut self) {
        while let Some(next) = self.peek() {
            let rest = self.rest();
            match next {
                '-' if rest.starts_with("--") => self.copy(rest.find('\n').unwrap_or(rest.len())),
                '/' if rest.starts_with("/*") => self.copy(rest.find("*/").map_or(rest.len(), |end| end + 2)),
                '\'' | '`' => {
                    self.copy(1);
                    self.quoted(next);
                }
                '%' if self.at_line_start() && matches!(self.values, Values::Parameters(..)) => {
                    if !self.directive() {
                        self.copy(1);
                    }
                }
                '$' => self.parameter(),
                '\\' => self.backslash(),
                '{' | '}' => self.brace(next),
                _ if is_word_start(next) => {
                    let length = rest.find(|c| !is_word_part(c)).unwrap_or(rest.len());
                    if rest[..length].eq_ignore_ascii_case("DEFINE") && self.body.is_none() {
                        self.enter_macro(length);
                    }
                    self.copy(length);
                }
                _ => self.copy(next.len_utf8()),
            }
        }
    }

    pub(super) fn rest(&self) -> &str {
        self.raw.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn copy(&mut self, length: usize) {
        let copied = self.raw.get(self.at..self.at + length).unwrap_or("");
        self.made.text.push_str(copied);
        self.at += length;
    }

    /// From here on the new text follows the old one again.
    pub(super) fn resume(&mut self) {
        let segment = Segment { at: offset(self.made.text.len()), origin: offset(self.at), replaced: false };
        self.made.segments.push(segment);
    }

    /// A blank for what is here in the old text.
    pub(super) fn stand_in(&mut self) {
        self.resume();
        self.made.text.push(' ');
    }

    /// Something is wrong with the last `length` bytes of the new text.
    pub(super) fn fault(&mut self, length: usize, message: String, help: Option<String>) {
        let end = self.made.text.len();
        self.made.errors.push(Fault { start: end.saturating_sub(length), end, message, help });
    }

    fn at_line_start(&self) -> bool {
        let before = self.raw.get(..self.at).unwrap_or("");
        let line = before.rfind('\n').map_or(0, |end| end + 1);
        before[line..].trim().is_empty()
    }

    /// Behind the quote, up to behind the one that closes it. A string ends on its line.
    fn quoted(&mut self, quote: char) {
        while let Some(next) = self.peek() {
            match next {
                '$' => self.parameter(),
                '\\' => self.backslash(),
                '\n' if quote == '\'' => return,
                _ => {
                    self.copy(next.len_utf8());
                    if next == quote {
                        return;
                    }
                }
            }
        }
    }

    /// `\$` is a plain dollar sign; any other escape is the lexer's.
    fn backslash(&mut self) {
        let behind = self.rest().chars().nth(1);
        if behind == Some('$') && self.body.is_none() {
            self.at += 1;
            self.resume();
        }
        let copied = self.peek().map_or(0, char::len_utf8);
        // A backslash that is copied takes what it escapes with it, so that `\\$x` and `\'` are read right.
        let escaped = match (self.peek(), behind) {
            (Some('\\'), Some(c)) if c != '\n' => c.len_utf8(),
            _ => 0,
        };
        self.copy(copied + escaped);
    }

    fn parameter(&mut self) {
        let behind = self.rest().get(1..).unwrap_or("");
        let name = behind.trim_start_matches('{');
        let length = parameter_length(behind);
        if length == 0 || !name.chars().next().is_some_and(is_word_start) {
            return self.copy(1);
        }
        let name: String = name.chars().take_while(|c| is_word_part(*c)).collect();
        let whole = 1 + length;
        if self.body.is_some() && self.shadowed.contains(&name) {
            return self.copy(whole);
        }
        let value = match &self.values {
            Values::Parameters(parameters, _) => parameters.get(&name).map(str::to_owned),
            Values::Arguments(arguments) => arguments.get(&name).cloned(),
        };
        if let Some(value) = value {
            let segment =
                Segment { at: offset(self.made.text.len()), origin: offset(self.at), replaced: true };
            self.made.segments.push(segment);
            self.made.text.push_str(&value);
            self.at += whole;
            self.resume();
            return;
        }
        self.copy(whole);
        if let Values::Parameters(parameters, _) = &self.values {
            let help = if self.body.is_some() {
                format!("in a macro $ stands before its parameters and results: {}", self.shadowed.join(", "))
            } else {
                parameters.help_for(&name)
            };
            self.fault(whole, format!("the parameter '{name}' has no value"), Some(help));
        }
    }

    fn brace(&mut self, brace: char) {
        self.copy(1);
        if let Some(open) = &mut self.body {
            match brace {
                '{' => *open += 1,
                _ => *open = open.saturating_sub(1),
            }
            if *open == 0 {
                self.body = None;
                self.shadowed.clear();
            }
        }
    }

    /// If the DEFINE is of a macro, its names are no parameters of the script until its `}`.
    fn enter_macro(&mut self, length: usize) {
        if !matches!(self.values, Values::Parameters(..)) {
            return;
        }
        if let Some(names) = macro_names(self.rest().get(length..).unwrap_or("")) {
            self.shadowed = names;
            self.body = Some(0);
        }
    }
}

/// `m(p, q) RETURNS a, b {`: p, q, a and b.
fn macro_names(behind: &str) -> Option<Vec<String>> {
    let mut rest = behind;
    word(&mut rest)?;
    sign(&mut rest, '(')?;
    let mut names = Vec::new();
    if sign(&mut rest, ')').is_none() {
        loop {
            names.push(word(&mut rest)?);
            if sign(&mut rest, ',').is_none() {
                sign(&mut rest, ')')?;
                break;
            }
        }
    }
    if !word(&mut rest)?.eq_ignore_ascii_case("RETURNS") {
        return None;
    }
    loop {
        names.push(word(&mut rest)?);
        if sign(&mut rest, ',').is_none() {
            return sign(&mut rest, '{').map(|()| names);
        }
    }
}

fn skip_blanks(rest: &mut &str) {
    loop {
        *rest = rest.trim_start();
        let comment = if rest.starts_with("--") {
            rest.find('\n')
        } else if rest.starts_with("/*") {
            rest.find("*/").map(|end| end + 2)
        } else {
            return;
        };
        *rest = comment.and_then(|end| rest.get(end..)).unwrap_or("");
    }
}

fn word(rest: &mut &str) -> Option<String> {
    skip_blanks(rest);
    if !rest.chars().next().is_some_and(is_word_start) {
        return None;
    }
    let (word, behind) = rest.split_at(rest.find(|c| !is_word_part(c)).unwrap_or(rest.len()));
    *rest = behind;
    Some(word.to_owned())
}

fn sign(rest: &mut &str, sign: char) -> Option<()> {
    skip_blanks(rest);
    *rest = rest.strip_prefix(sign)?;
    Some(())
}
