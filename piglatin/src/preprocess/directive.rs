//! `%declare`, `%default`, and the lines of parameter files.

use super::outside::CommandRunner;
use super::parameters::Parameters;
use super::substitute::{Scanner, Values, substitute};
use crate::lex::{is_word_part, is_word_start};

impl Scanner<'_> {
    /// Takes the line, if it is a directive, out of the text.
    pub(super) fn directive(&mut self) -> bool {
        let line = self.rest().lines().next().unwrap_or("").to_owned();
        let (word, behind) = split_word(&line[1..]);
        let declare = word.eq_ignore_ascii_case("declare");
        if !declare && !word.eq_ignore_ascii_case("default") {
            return false;
        }
        let Values::Parameters(parameters, commands) = &mut self.values else { return false };
        let (name, value) = split_word(behind.trim_start());
        let read = if name.is_empty() || !value.starts_with(char::is_whitespace) {
            Err(format!("%{} takes a name and a value", word.to_ascii_lowercase()))
        } else if !declare && parameters.get(name).is_some() {
            // The value is not wanted, so a command in it is not run.
            Ok(None)
        } else {
            evaluate(value, parameters, *commands).map(Some)
        };
        match read {
            Ok(Some(value)) if declare => parameters.declare(name, value),
            Ok(Some(value)) => parameters.default_to(name, value),
            Ok(None) => {}
            Err(message) => {
                // A blank stands for the line, so that the error has a place in the new text.
                self.stand_in();
                self.fault(1, message, None);
            }
        }
        self.at += line.len();
        self.resume();
        true
    }
}

fn split_word(text: &str) -> (&str, &str) {
    let length = match text.chars().next() {
        Some(first) if is_word_start(first) => text.find(|c| !is_word_part(c)).unwrap_or(text.len()),
        _ => 0,
    };
    text.split_at(length)
}

/// A value as it is written: in quotes, in backticks, or one word; `;` and comments may follow it.
pub(super) fn evaluate(
    written: &str,
    parameters: &mut Parameters,
    commands: &dyn CommandRunner,
) -> Result<String, String> {
    let written = written.trim();
    let quote = written.chars().next().filter(|quote| matches!(quote, '\'' | '"' | '`'));
    let (inside, behind) = match quote {
        Some(quote) => {
            let end = closing(&written[1..], quote)
                .ok_or_else(|| format!("the value {written} has no closing {quote}"))?;
            (&written[1..=end], &written[end + 2..])
        }
        None => {
            written.split_at(written.find(|c: char| c.is_whitespace() || c == ';').unwrap_or(written.len()))
        }
    };
    let behind = behind.trim_start().trim_start_matches(';').trim_start();
    if !(behind.is_empty() || behind.starts_with("--") || behind.starts_with('#') || behind.starts_with("/*"))
    {
        return Err(format!(
            "found '{behind}' behind the value; write a value of several words in single quotes"
        ));
    }
    let made = substitute(inside, Values::Parameters(parameters, commands));
    if let Some(fault) = made.diagnostics(crate::source::SourceId(0)).into_iter().next() {
        return Err(match fault.help {
            Some(help) => format!("{}, {help}", fault.message),
            None => fault.message,
        });
    }
    if quote == Some('`') {
        let printed = commands.output_of(&made.text);
        return printed
            .map(|text| text.trim_end_matches(['\n', '\r']).to_owned())
            .map_err(|why| format!("the command `{}` gave no value: {why}", made.text));
    }
    Ok(made.text)
}

/// Where the quote is that closes, backslashes minded.
fn closing(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let found = c == quote && !escaped;
        escaped = c == '\\' && !escaped;
        found.then_some(at)
    })
}

/// Reads `name = value` of the command line.
pub(super) fn assignment(
    written: &str,
    parameters: &mut Parameters,
    commands: &dyn CommandRunner,
) -> Result<(String, String), String> {
    let wrong = || format!("'{written}' is not NAME=VALUE");
    let (name, value) = written.split_once('=').ok_or_else(wrong)?;
    let name = name.trim();
    if name.is_empty() || !split_word(name).1.is_empty() {
        return Err(wrong());
    }
    let value = value.trim();
    let quoted = value.starts_with(['\'', '"', '`']);
    // What a shell passed on may hold blanks without quotes.
    let value = if quoted { evaluate(value, parameters, commands)? } else { value.to_owned() };
    Ok((name.to_owned(), value))
}

/// Reads a parameter file: `name = value` a line; blank lines and those with `#` or `--` first say nothing. The number
/// of the line, from 1, goes with an error.
pub(super) fn parameter_file(
    text: &str,
    parameters: &mut Parameters,
    commands: &dyn CommandRunner,
) -> Result<(), (usize, String)> {
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') || line.starts_with("--") {
            continue;
        }
        let at_line = |why| (number + 1, why);
        let (name, written) =
            line.split_once('=').ok_or_else(|| at_line(format!("'{line}' is not NAME=VALUE")))?;
        let name = name.trim();
        if name.is_empty() || !split_word(name).1.is_empty() {
            return Err(at_line(format!("'{name}' is no name of a parameter")));
        }
        let quoted = written.trim_start().starts_with(['\'', '"', '`']);
        let value = if quoted {
            evaluate(written, parameters, commands)
        } else {
            evaluate_words(written, parameters, commands)
        };
        parameters.give_in_file(name, value.map_err(at_line)?);
    }
    Ok(())
}

/// A value without quotes goes to the end of its line.
fn evaluate_words(
    written: &str,
    parameters: &mut Parameters,
    commands: &dyn CommandRunner,
) -> Result<String, String> {
    let made = substitute(written.trim(), Values::Parameters(parameters, commands));
    match made.diagnostics(crate::source::SourceId(0)).into_iter().next() {
        Some(fault) => Err(fault.message),
        None => Ok(made.text),
    }
}
