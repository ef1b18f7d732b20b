//! `PIG $$ ... $$`: a script of Pig Latin as a statement of SQL.

use std::io::Write;
use std::sync::{Arc, PoisonError};

use arrow::array::{ArrayRef, RecordBatch, StringArray};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::stream;
use ostracon_handler::execute::StatementOutcome;
use ostracon_handler::{ErrorKind, HandlerError, Result};
use ostracon_pig::engine::ScriptError;
use ostracon_pig::error::{PigError, PigErrorKind};
use ostracon_pig::run::Host;
use ostracon_piglatin::ScriptParser;
use ostracon_piglatin::ast::ShellCommand;
use ostracon_piglatin::preprocess::Isolated;
use ostracon_tablets::{Clock, SystemClock};

use crate::Session;

/// What errors call the text between the dollar signs.
const NAME: &str = "script";

/// The script of a statement `PIG $$ ... $$` or `PIG $tag$ ... $tag$`.
pub(crate) fn script_of(statement: &str) -> Option<&str> {
    let statement = statement.trim().trim_end_matches(';').trim_end();
    let word = statement.get(..3)?;
    let quoted = statement.get(3..)?.trim_start();
    if !word.eq_ignore_ascii_case("pig") || !quoted.starts_with('$') {
        return None;
    }
    let end = quoted.get(1..)?.find('$')? + 2;
    let (tag, rest) = quoted.split_at_checked(end)?;
    rest.strip_suffix(tag)
}

/// Keeps what a script prints; a statement of SQL has no business with the machine's files.
#[derive(Default)]
struct Kept(Vec<u8>);

impl Host for Kept {
    fn output(&mut self) -> &mut (dyn Write + Send) {
        &mut self.0
    }

    fn shell(&mut self, command: &ShellCommand) -> ostracon_pig::error::Result<()> {
        let text = format!("{} is a command of `ostracon pig`, not of a script in SQL", command.command.text);
        Err(PigError::new(PigErrorKind::Unsupported, text).at(command.command.span))
    }
}

impl Session {
    /// Runs a script, and gives what it printed as rows, a line each.
    pub(crate) async fn run_pig(&self, script: &str) -> Result<StatementOutcome> {
        let engine = self.pig();
        let started = SystemClock.now_ms();
        let mut scripts = engine.session(started, started.unsigned_abs());
        let checked = scripts.check(ScriptParser::new(&Isolated, &Isolated), NAME, script).map_err(failed)?;
        let mut kept = Kept::default();
        let done = scripts.run(&checked, &mut kept).await;
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.extend(checked.told.iter().map(|text| one_line(text.trim_start_matches("warning: "))));
        for (kind, counted) in scripts.warnings().take() {
            told.push(format!("{kind}: {}, the first: {}", counted.count, counted.sample));
        }
        drop(told);
        done.map_err(failed)?;
        if kept.0.is_empty() {
            return Ok(StatementOutcome::Done);
        }
        let text = String::from_utf8_lossy(&kept.0);
        let lines: ArrayRef = Arc::new(text.lines().map(Some).collect::<StringArray>());
        let batch = RecordBatch::try_from_iter([("output", lines)]).map_err(HandlerError::from)?;
        let schema = batch.schema();
        let rows = RecordBatchStreamAdapter::new(Arc::clone(&schema), stream::iter([Ok(batch)]));
        Ok(StatementOutcome::Rows { schema, stream: Box::pin(rows) })
    }
}

fn failed(error: ScriptError) -> HandlerError {
    let (kind, rendered) = match &error {
        ScriptError::Faults { rendered, .. } => (kind_of(rendered), rendered),
        ScriptError::Run { rendered, .. } => (kind_of(rendered), rendered),
    };
    let mut lines = rendered.lines();
    let mut faults = Vec::new();
    while let Some(line) = lines.next() {
        if let Some(fault) = line.strip_prefix("error: ") {
            let what = fault.split_once(": ").map_or(fault, |(_, what)| what);
            let place = lines.next().filter(|place| place.starts_with(NAME)).unwrap_or_default();
            faults.push(if place.is_empty() { what.to_owned() } else { format!("{what} ({place})") });
        }
    }
    HandlerError::new(kind, faults.join("; "))
}

/// The kind that the first line of an error names.
fn kind_of(rendered: &str) -> ErrorKind {
    let word = rendered.strip_prefix("error: ").and_then(|rest| rest.split(':').next()).unwrap_or_default();
    let kinds = [
        ErrorKind::Invalid,
        ErrorKind::NotFound,
        ErrorKind::AlreadyExists,
        ErrorKind::Unsupported,
        ErrorKind::Unavailable,
        ErrorKind::Corrupt,
        ErrorKind::Resource,
    ];
    kinds.into_iter().find(|kind| kind.as_str() == word).unwrap_or(ErrorKind::Internal)
}

fn one_line(text: &str) -> String {
    text.lines().take(2).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_stand_between_dollar_signs() {
        assert_eq!(script_of("PIG $$ a = b; $$"), Some(" a = b; "));
        assert_eq!(script_of("pig $x$ $$ $x$ ;"), Some(" $$ "));
        for other in ["SELECT 1", "PIGS $$ $$", "PIG 'x'", "PIG $$ x", "PI"] {
            assert_eq!(script_of(other), None, "{other}");
        }
    }
}
