//! [`Runner`]: statements of a script, one after the other, their results to stdout.

use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};

use arrow::array::RecordBatch;
use futures::StreamExt;
use ostracon::{DataLocation, Session, SessionOptions, StatementOutcome};
use ostracon_handler::statement::{Position, ScriptStatement, is_complete, parse_script};
use ostracon_handler::{ErrorKind, HandlerError};

use crate::error::{CliError, Result};
use crate::format::{Format, ResultWriter};
use crate::settings::{Script, StoreSettings};
use crate::terminal::{results, tell};

/// Runs SQL and writes what comes of it.
pub(crate) struct Runner {
    session: Session,
    pub(crate) format: Format,
    /// Whether a person watches: counts are told, NULLs of the catalog are not.
    interactive: bool,
    pub(crate) timing: bool,
}

impl Runner {
    /// Opens a session on a store.
    pub(crate) fn open(store: &StoreSettings, format: Format, interactive: bool) -> Result<Self> {
        Ok(Self { session: open_session(store)?, format, interactive, timing: false })
    }

    /// The session that statements run in.
    pub(crate) fn session(&self) -> &Session {
        &self.session
    }

    /// Runs all statements of a script; the first error ends it.
    pub(crate) async fn run(&mut self, script: &Script) -> Result<()> {
        match script {
            Script::Text(text) => self.run_text("<command>", text).await,
            Script::Stdin => self.run_text("<stdin>", &read_stdin()?).await,
            Script::File(path) => self.run_file(path).await,
        }
    }

    /// Runs the statements of a file.
    pub(crate) async fn run_file(&mut self, path: &Path) -> Result<()> {
        self.run_text(&path.display().to_string(), &read_file(path)?).await
    }

    /// Runs the statements of a text; `name` is what errors call it.
    pub(crate) async fn run_text(&mut self, name: &str, text: &str) -> Result<()> {
        let (statements, fault) = cut(text);
        for statement in &statements {
            if let Err(error) = self.run_statement(statement).await {
                return Err(match error {
                    StatementError::Failed(error) => placed(error, name, text, statement),
                    StatementError::Ended(error) => error,
                });
            }
        }
        match fault {
            None => Ok(()),
            Some(error) => {
                let position = error.position;
                Err(CliError::in_script(error, name, text, position))
            }
        }
    }

    /// Prints rows that no statement gave.
    pub(crate) fn print(&self, batch: &RecordBatch) -> Result<()> {
        let mut writer = ResultWriter::new(self.format, &batch.schema(), results())?;
        writer.write(batch)?;
        writer.finish()?;
        Ok(())
    }

    async fn run_statement(&mut self, statement: &ScriptStatement) -> Result<(), StatementError> {
        let started = Instant::now();
        let outcome = self.session.execute(&statement.text).await;
        tell_notices(&self.session);
        match outcome? {
            StatementOutcome::Rows { schema, mut stream } => {
                let mut writer =
                    ResultWriter::new(self.format, &schema, results()).map_err(CliError::from)?;
                while let Some(batch) = stream.next().await {
                    let batch = batch.map_err(HandlerError::from)?;
                    writer.write(&batch).map_err(CliError::from)?;
                }
                writer.finish().map_err(CliError::from)?;
            }
            StatementOutcome::Count(rows) if self.interactive => {
                tell(&format!(
                    "{} {}\n",
                    crate::terminal::grouped(rows),
                    if rows == 1 { "row" } else { "rows" }
                ));
            }
            StatementOutcome::Count(_) | StatementOutcome::Done => {}
        }
        if self.timing {
            tell(&format!("Time: {}\n", shown_time(started.elapsed())));
        }
        Ok(())
    }
}

/// Opens a session as the settings say. The store itself is opened when a statement first needs it.
pub(crate) fn open_session(store: &StoreSettings) -> Result<Session> {
    let data = store.folder.clone().map_or(DataLocation::Memory, DataLocation::Path);
    Ok(Session::open(SessionOptions {
        data,
        user: store.user.clone(),
        authorizations: store.auths.clone(),
        settings: store.session.clone(),
        ..SessionOptions::default()
    })?)
}

/// Tells the person what the session has to say besides results.
pub(crate) fn tell_notices(session: &Session) {
    for notice in session.take_notices() {
        tell(&format!("{notice}\n"));
    }
}

/// Why a statement did not end well.
enum StatementError {
    /// It failed.
    Failed(HandlerError),
    /// Its result could not be written.
    Ended(CliError),
}

impl From<HandlerError> for StatementError {
    fn from(error: HandlerError) -> Self {
        Self::Failed(error)
    }
}

impl From<CliError> for StatementError {
    fn from(error: CliError) -> Self {
        Self::Ended(error)
    }
}

/// The text of a script's file.
pub(crate) fn read_file(path: &Path) -> Result<String> {
    let name = path.display().to_string();
    match std::fs::read(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(CliError::new(ErrorKind::NotFound, format!("there is no file {name}")))
        }
        read => text_of(&name, read),
    }
}

/// The text that comes from standard input.
pub(crate) fn read_stdin() -> Result<String> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().read_to_end(&mut bytes);
    text_of("<stdin>", read.map(|_| bytes))
}

fn text_of(name: &str, read: std::io::Result<Vec<u8>>) -> Result<String> {
    let text = read.map_err(|error| error.to_string()).and_then(utf8);
    text.map_err(|reason| CliError::invalid(format!("cannot read {name}: {reason}")))
}

fn utf8(bytes: Vec<u8>) -> Result<String, String> {
    String::from_utf8(bytes)
        .map_err(|error| format!("byte {} is not UTF-8", error.utf8_error().valid_up_to() + 1))
}

/// The statements of a script up to the first quote or comment that is never closed, and that fault: what stands before
/// it is run, as if the script were typed.
fn cut(text: &str) -> (Vec<ScriptStatement>, Option<HandlerError>) {
    let fault = match parse_script(text) {
        Ok(statements) => return (statements, None),
        Err(fault) => fault,
    };
    let before = fault.position.map_or(0, |position| position.offset_in(text));
    let before = text.get(..before).unwrap_or("");
    let mut statements = parse_script(before).unwrap_or_default();
    if !is_complete(before) {
        statements.pop();
    }
    (statements, Some(fault))
}

/// An error with its place in the script; one that knows none is put at the statement's begin.
fn placed(error: HandlerError, name: &str, text: &str, statement: &ScriptStatement) -> CliError {
    let within = error.position.unwrap_or(Position { line: 1, column: 1 });
    let position = statement.position_in(text, within);
    CliError::in_script(error, name, text, Some(position))
}

/// A duration as psql's \timing shows it.
pub(crate) fn shown_time(elapsed: Duration) -> String {
    let ms = elapsed.as_secs_f64() * 1000.0;
    if ms < 1000.0 { format!("{ms:.3} ms") } else { format!("{ms:.3} ms ({:.1} s)", ms / 1000.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_before_an_open_quote_are_run() {
        let (statements, fault) = cut("SELECT 1; SELECT 2;\nSELECT 'x");
        assert_eq!(statements.iter().map(|s| s.text.as_str()).collect::<Vec<_>>(), ["SELECT 1", "SELECT 2"]);
        assert_eq!(
            fault.and_then(|fault| fault.position),
            Some(Position { line: 3, column: 8 }).map(|p| Position { line: 2, ..p })
        );
        let (statements, fault) = cut("SELECT 1");
        assert_eq!((statements.len(), fault.is_none()), (1, true));
    }

    #[test]
    fn times_are_in_milliseconds() {
        assert_eq!(shown_time(Duration::from_micros(1234)), "1.234 ms");
        assert_eq!(shown_time(Duration::from_millis(1500)), "1500.000 ms (1.5 s)");
    }
}
