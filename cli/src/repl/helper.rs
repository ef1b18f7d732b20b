//! [`ShellHelper`]: the words of the shell as rustyline asks for them.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use ostracon_handler::statement::is_complete;
use rustyline::completion::Completer;
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::{Hinter, HistoryHinter};
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Helper};

use super::words::{Words, highlight};

/// Completes names, colours the line, hints from the history, and waits for the semicolon.
pub(crate) struct ShellHelper {
    words: Arc<Mutex<Words>>,
    history: HistoryHinter,
}

impl ShellHelper {
    /// `words` is changed from outside when the catalog changes.
    pub(crate) fn new(words: Arc<Mutex<Words>>) -> Self {
        Self { words, history: HistoryHinter::new() }
    }
}

impl Helper for ShellHelper {}

impl Completer for ShellHelper {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        cursor: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(self.words.lock().unwrap_or_else(PoisonError::into_inner).complete(line, cursor))
    }
}

impl Hinter for ShellHelper {
    type Hint = String;

    fn hint(&self, line: &str, cursor: usize, context: &Context<'_>) -> Option<String> {
        self.history.hint(line, cursor, context)
    }
}

impl Highlighter for ShellHelper {
    fn highlight<'l>(&self, line: &'l str, _: usize) -> Cow<'l, str> {
        highlight(line)
    }

    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        format!("\u{1b}[2m{hint}\u{1b}[0m").into()
    }

    fn highlight_char(&self, _: &str, _: usize, kind: CmdKind) -> bool {
        kind != CmdKind::MoveCursor
    }
}

impl Validator for ShellHelper {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let text = context.input();
        let ready = text.trim_start().starts_with('\\') || is_complete(text);
        Ok(if ready { ValidationResult::Valid(None) } else { ValidationResult::Incomplete })
    }
}
