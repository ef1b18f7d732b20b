//! [`MetaCommand`]: the backslash commands of the shell, parsed.

use std::time::Duration;

use clap::ValueEnum;

use crate::format::Format;

/// A line that begins with a backslash.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum MetaCommand {
    /// `\q`
    Quit,
    /// `\?`
    Help,
    /// `\d`, `\dt`, `\dv`: names, all or only tables or views.
    List(Listed),
    /// `\d NAME`
    Describe(String),
    /// `\timing [on|off]`
    Timing(Option<bool>),
    /// `\x [on|off]`
    Expanded(Option<bool>),
    /// `\format [NAME]`
    Format(Option<Format>),
    /// `\watch [SECONDS]`
    Watch(Duration),
    /// `\i FILE`
    Include(String),
}

/// What a `\d` without a name lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listed {
    All,
    Tables,
    Views,
}

/// What `\?` prints.
pub(crate) const HELP: &str = r"Statements end in a semicolon and may take several lines. Ctrl-C breaks off, Ctrl-D or \q leaves.

  \d              list tables and views          \dt, \dv    only tables, only views
  \d NAME         columns, key, properties and tablets of a table
  \i FILE         run the statements of a file
  \watch [SEC]    run the last statement again and again (every 2 seconds)
  \timing [on|off]  show how long statements take
  \x [on|off]     one column a line
  \format [NAME]  table, csv, tsv, json, ndjson, vertical or markdown
  \q              leave
";

/// The names of all commands, for completion.
pub(crate) const NAMES: [&str; 10] =
    ["\\?", "\\d", "\\dt", "\\dv", "\\format", "\\i", "\\q", "\\timing", "\\watch", "\\x"];

impl MetaCommand {
    /// Parses a line; the error is a sentence.
    pub(crate) fn parse(line: &str) -> Result<Self, String> {
        let line = line.trim().trim_end_matches(';').trim_end();
        let (name, argument) = match line.split_once(char::is_whitespace) {
            Some((name, argument)) => (name, Some(argument.trim())),
            None => (line, None),
        };
        let none = |command: Self| match argument {
            None => Ok(command),
            Some(argument) => Err(format!("{name} takes nothing after it, not {argument}")),
        };
        match (name, argument) {
            ("\\q" | "\\quit", _) => none(Self::Quit),
            ("\\?" | "\\h" | "\\help", _) => none(Self::Help),
            ("\\d", None) => Ok(Self::List(Listed::All)),
            ("\\d" | "\\d+" | "\\dt" | "\\dv", Some(table)) => Ok(Self::Describe(table.to_owned())),
            ("\\dt", None) => Ok(Self::List(Listed::Tables)),
            ("\\dv", None) => Ok(Self::List(Listed::Views)),
            ("\\timing", _) => Ok(Self::Timing(switch(name, argument)?)),
            ("\\x", _) => Ok(Self::Expanded(switch(name, argument)?)),
            ("\\format", None) => Ok(Self::Format(None)),
            ("\\format", Some(format)) => {
                let known = || Format::value_variants().iter().filter_map(Format::to_possible_value);
                let names =
                    || known().map(|value| value.get_name().to_owned()).collect::<Vec<_>>().join(", ");
                let format = Format::from_str(format, true)
                    .map_err(|_| format!("there is no format {format}; choose one of {}", names()))?;
                Ok(Self::Format(Some(format)))
            }
            ("\\watch", argument) => {
                let seconds = argument.unwrap_or("2");
                let duration =
                    seconds.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
                duration.map(Self::Watch).ok_or_else(|| format!("\\watch takes seconds, not {seconds}"))
            }
            ("\\i" | "\\include", Some(file)) => Ok(Self::Include(unquoted(file).to_owned())),
            ("\\i" | "\\include", None) => Err("\\i wants the name of a file".to_owned()),
            _ => Err(format!("there is no command {name}; \\? lists them")),
        }
    }
}

fn switch(name: &str, argument: Option<&str>) -> Result<Option<bool>, String> {
    match argument {
        None => Ok(None),
        Some("on") => Ok(Some(true)),
        Some("off") => Ok(Some(false)),
        Some(other) => Err(format!("{name} takes on or off, not {other}")),
    }
}

fn unquoted(text: &str) -> &str {
    text.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_parsed() {
        for (line, wanted) in [
            ("\\q", MetaCommand::Quit),
            (" \\d ; ", MetaCommand::List(Listed::All)),
            ("\\dt", MetaCommand::List(Listed::Tables)),
            ("\\d \"T a\"", MetaCommand::Describe("\"T a\"".to_owned())),
            ("\\timing", MetaCommand::Timing(None)),
            ("\\x off", MetaCommand::Expanded(Some(false))),
            ("\\format NDJSON", MetaCommand::Format(Some(Format::Ndjson))),
            ("\\watch 0.5", MetaCommand::Watch(Duration::from_millis(500))),
            ("\\i 'a b.sql'", MetaCommand::Include("a b.sql".to_owned())),
        ] {
            assert_eq!(MetaCommand::parse(line), Ok(wanted), "{line}");
        }
    }

    #[test]
    fn wrong_ones_say_what_to_do() {
        for (line, words) in [
            ("\\nope", "\\?"),
            ("\\q now", "nothing after"),
            ("\\x maybe", "on or off"),
            ("\\watch -1", "seconds"),
            ("\\watch 1e300", "seconds"),
            ("\\format xml", "markdown"),
            ("\\i", "file"),
        ] {
            assert!(MetaCommand::parse(line).unwrap_err().contains(words), "{line}");
        }
    }

    #[test]
    fn help_and_completion_know_every_command() {
        for name in NAMES {
            assert!(HELP.contains(name) || name == "\\?", "{name}");
        }
    }
}
