//! [`CliError`]: an error on its way to the person, with the place in the script that it belongs to.

use std::fmt::Write as _;
use std::io;

use arrow::error::ArrowError;
use ostracon_handler::statement::Position;
use ostracon_handler::{ErrorKind, HandlerError};
use unicode_width::UnicodeWidthChar;

/// Why a command ends early.
#[derive(Debug)]
pub(crate) enum CliError {
    /// A statement or command failed.
    Failed(Box<Failure>),
    /// Faults that are written out already, places and all.
    Told(String),
    /// Whoever read our output has gone: nothing is left to say.
    PipeClosed,
    /// The person broke it off.
    Interrupted,
}

/// What is printed of an error.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) kind: ErrorKind,
    pub(crate) message: String,
    pub(crate) place: Option<Place>,
}

/// A place in a text that has a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// A file's name, `<stdin>` or `<command>`.
    pub(crate) source: String,
    pub(crate) position: Position,
    /// The line at that place.
    pub(crate) line: String,
}

/// The results of commands.
pub(crate) type Result<T, E = CliError> = std::result::Result<T, E>;

impl CliError {
    /// An error without a place.
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self::Failed(Box::new(Failure { kind, message: message.into(), place: None }))
    }

    /// What was asked for is wrong.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, message)
    }

    /// An error of the statement at `offset` (in bytes) of a script.
    pub(crate) fn in_script(
        error: HandlerError,
        source: &str,
        script: &str,
        position: Option<Position>,
    ) -> Self {
        if error.source.as_deref().is_some_and(|source| is_closed_pipe(source)) {
            return Self::PipeClosed;
        }
        let place = position.map(|position| {
            let index = usize::try_from(position.line.saturating_sub(1)).unwrap_or(usize::MAX);
            let line = script.split('\n').nth(index).unwrap_or("").trim_end_matches('\r').to_owned();
            Place { source: source.to_owned(), position, line }
        });
        Self::Failed(Box::new(Failure { kind: error.kind, message: error.message, place }))
    }

    /// The exit status of a process that ends so.
    pub(crate) fn exit_status(&self) -> u8 {
        match self {
            Self::Failed(_) | Self::Told(_) => 1,
            Self::PipeClosed => 0,
            // As shells have it: 128 and SIGINT.
            Self::Interrupted => 130,
        }
    }
}

impl From<HandlerError> for CliError {
    fn from(error: HandlerError) -> Self {
        if error.source.as_deref().is_some_and(|source| is_closed_pipe(source)) {
            return Self::PipeClosed;
        }
        Self::new(error.kind, error.message)
    }
}

impl From<io::Error> for CliError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::PipeClosed,
            _ => Self::new(ErrorKind::Unavailable, format!("cannot write the result: {error}")),
        }
    }
}

impl From<ArrowError> for CliError {
    fn from(error: ArrowError) -> Self {
        match error {
            ArrowError::IoError(_, error) => error.into(),
            other => HandlerError::from(other).into(),
        }
    }
}

fn is_closed_pipe(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        if error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
            return true;
        }
        next = error.source();
    }
    false
}

impl Failure {
    /// `error: KIND: message`, and with a place `FILE:LINE:COL`, the line and a caret; ends in a line end.
    pub(crate) fn render(&self) -> String {
        let message = self.message.replace("\r\n", " ").replace(['\n', '\r'], " ");
        let mut out = format!("error: {}: {message}\n", self.kind);
        if let Some(place) = &self.place {
            let Position { line, column } = place.position;
            let (text, indent) = excerpt(&place.line, usize::try_from(column).unwrap_or(usize::MAX));
            // Writing to a String cannot fail.
            let _ = writeln!(out, "{}:{line}:{column}", place.source);
            let _ = writeln!(out, "  {text}\n  {}^", " ".repeat(indent));
        }
        out
    }
}

/// The part of a line around a column (from 1) and the blanks that bring a caret under it.
fn excerpt(line: &str, column: usize) -> (String, usize) {
    const BEFORE: usize = 60;
    const WIDTH: usize = 120;
    let chars: Vec<char> = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let target = column.saturating_sub(1).min(chars.len());
    let start = if chars.len() > WIDTH { target.saturating_sub(BEFORE) } else { 0 };
    let end = (start + WIDTH).min(chars.len());
    let width = |part: &[char]| part.iter().map(|c| c.width().unwrap_or(0)).sum::<usize>();
    let prefix = if start > 0 { "..." } else { "" };
    let suffix = if end < chars.len() { "..." } else { "" };
    let shown: String = chars.get(start..end).unwrap_or_default().iter().collect();
    let indent = prefix.len() + width(chars.get(start..target).unwrap_or_default());
    (format!("{prefix}{shown}{suffix}"), indent)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(script: &str, line: u64, column: u64) -> String {
        let error = HandlerError::invalid("no such\nthing");
        match CliError::in_script(error, "a.sql", script, Some(Position { line, column })) {
            CliError::Failed(failure) => failure.render(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_caret_stands_below_the_place() {
        assert_eq!(
            rendered("SELECT 1;\r\n\tSELEC 漢 x;\r\n", 2, 10),
            "error: invalid: no such thing\na.sql:2:10\n   SELEC 漢 x;\n            ^\n"
        );
    }

    #[test]
    fn a_place_past_the_end_is_the_end() {
        assert_eq!(
            rendered("SELECT", 1, 99),
            "error: invalid: no such thing\na.sql:1:99\n  SELECT\n        ^\n"
        );
        assert_eq!(rendered("SELECT", 9, 1), "error: invalid: no such thing\na.sql:9:1\n  \n  ^\n");
    }

    #[test]
    fn long_lines_are_cut_around_the_place() {
        let line = format!("{}HERE{}", "x".repeat(5000), "y".repeat(5000));
        let text = rendered(&line, 1, 5001);
        let lines: Vec<_> = text.lines().collect();
        assert!(lines[2].len() < 140 && lines[2].contains("HERE"), "{text}");
        assert_eq!(lines[2].find("HERE"), lines[3].find('^'), "{text}");
    }

    #[test]
    fn a_closed_pipe_is_no_failure() {
        let error = CliError::from(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!(error.exit_status(), 0);
        let error = HandlerError::invalid("x").with_source(io::Error::from(io::ErrorKind::BrokenPipe));
        assert!(matches!(CliError::from(error), CliError::PipeClosed));
    }
}
