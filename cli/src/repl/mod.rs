//! The shell: statements and backslash commands typed by a person.
//!
//! A line goes through [`helper::ShellHelper`] while it is typed (completion, colours, waiting for the semicolon) and is then
//! either a [`commands::MetaCommand`] or a script for the [`Runner`]. Ctrl-C while a statement runs drops it, which
//! cancels it; an error ends the statements of that input only.

mod commands;
mod helper;
mod words;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use arrow::array::{ArrayRef, RecordBatch, StringArray};
use ostracon_handler::HandlerError;
use ostracon_handler::catalog::CatalogEntry;
use rustyline::error::ReadlineError;
use rustyline::history::{FileHistory, History};
use rustyline::{ColorMode, CompletionType, Config, Editor, Helper};

use self::commands::{HELP, Listed, MetaCommand};
use self::helper::ShellHelper;
use self::words::Words;
use crate::error::{CliError, Result};
use crate::format::Format;
use crate::runner::Runner;
use crate::terminal::{grouped, tell};

/// Lines that the history keeps.
const HISTORY: usize = 5000;

/// Whether the shell goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Prompt,
    Leave,
}

struct Shell {
    runner: Runner,
    words: Arc<Mutex<Words>>,
    /// The last statement, for `\watch`.
    last: Option<String>,
    /// The format that `\x` goes back to.
    unexpanded: Format,
}

/// Runs the shell until the person leaves.
pub(crate) async fn run(runner: Runner) -> Result<()> {
    let config = Config::builder().completion_type(CompletionType::List).max_history_size(HISTORY);
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let colours = if plain { ColorMode::Disabled } else { ColorMode::Enabled };
    let config = config.map_err(broken)?.auto_add_history(false).color_mode(colours).build();
    let mut editor: Editor<ShellHelper, FileHistory> = Editor::with_config(config).map_err(broken)?;
    let words = Arc::new(Mutex::new(Words::default()));
    editor.set_helper(Some(ShellHelper::new(Arc::clone(&words))));
    let history = history_file("history");
    if let Some(path) = &history {
        // The first run has no history to load.
        let _ = editor.load_history(path);
    }
    tell("Ostracon. Statements end in a semicolon; \\? for help, \\q to leave.\n");
    let unexpanded = if runner.format == Format::Vertical { Format::Table } else { runner.format };
    let mut shell = Shell { runner, words, last: None, unexpanded };
    shell.learn();
    loop {
        // Typing blocks a thread of its own, so that what runs behind (timers, closing streams) goes on.
        let line = tokio::task::block_in_place(|| editor.readline("ostracon> "));
        match line {
            Ok(line) if line.trim().is_empty() => {}
            Ok(line) => {
                // A line that the history cannot take is still run.
                let _ = editor.add_history_entry(line.trim_end());
                if shell.take(&line).await? == Next::Leave {
                    break;
                }
            }
            Err(ReadlineError::Interrupted) => {}
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(broken(error)),
        }
    }
    keep_history(&mut editor, history.as_deref());
    Ok(())
}

/// Keeps what was typed for the next time; that it cannot be kept is told.
pub(crate) fn keep_history<H: Helper, I: History>(editor: &mut Editor<H, I>, path: Option<&Path>) {
    if let Some(path) = path
        && let Err(error) = editor.save_history(path)
    {
        tell(&format!("warning: the history could not be kept in {}: {error}\n", path.display()));
    }
}

pub(crate) fn broken(error: ReadlineError) -> CliError {
    CliError::new(ostracon_handler::ErrorKind::Unavailable, format!("the terminal cannot be read: {error}"))
}

impl Shell {
    /// Runs one input; errors are told and forgotten, but for a closed output.
    async fn take(&mut self, line: &str) -> Result<Next> {
        let done = if line.trim_start().starts_with('\\') {
            match MetaCommand::parse(line) {
                Ok(MetaCommand::Quit) => return Ok(Next::Leave),
                Ok(command) => self.meta(command).await,
                Err(reason) => Err(CliError::invalid(reason)),
            }
        } else {
            self.last = Some(line.to_owned());
            self.run_text(line).await
        };
        match done {
            Ok(()) => {}
            Err(CliError::Failed(failure)) => tell(&failure.render()),
            Err(CliError::Told(told)) => tell(&told),
            Err(CliError::Interrupted) => tell("cancelled\n"),
            Err(closed @ CliError::PipeClosed) => return Err(closed),
        }
        self.learn();
        Ok(Next::Prompt)
    }

    async fn run_text(&mut self, text: &str) -> Result<()> {
        tokio::select! {
            done = self.runner.run_text("<input>", text) => done,
            _ = tokio::signal::ctrl_c() => Err(CliError::Interrupted),
        }
    }

    async fn meta(&mut self, command: MetaCommand) -> Result<()> {
        match command {
            MetaCommand::Quit => Ok(()),
            MetaCommand::Help => {
                tell(HELP);
                Ok(())
            }
            MetaCommand::List(listed) => self.list(listed),
            MetaCommand::Describe(table) => self.describe(&table).await,
            MetaCommand::Timing(on) => {
                self.runner.timing = on.unwrap_or(!self.runner.timing);
                tell(if self.runner.timing { "Timing is on.\n" } else { "Timing is off.\n" });
                Ok(())
            }
            MetaCommand::Expanded(on) => {
                let on = on.unwrap_or(self.runner.format != Format::Vertical);
                self.runner.format = if on { Format::Vertical } else { self.unexpanded };
                tell(if on { "One column a line.\n" } else { "One row a line.\n" });
                Ok(())
            }
            MetaCommand::Format(None) => {
                tell(&format!("The format is {:?}.\n", self.runner.format).to_lowercase());
                Ok(())
            }
            MetaCommand::Format(Some(format)) => {
                self.runner.format = format;
                if format != Format::Vertical {
                    self.unexpanded = format;
                }
                Ok(())
            }
            MetaCommand::Include(file) => {
                let path = PathBuf::from(file);
                tokio::select! {
                    done = self.runner.run_file(&path) => done,
                    _ = tokio::signal::ctrl_c() => Err(CliError::Interrupted),
                }
            }
            MetaCommand::Watch(pause) => {
                let Some(last) = self.last.clone() else {
                    return Err(CliError::invalid("there is no statement yet that \\watch could repeat"));
                };
                loop {
                    self.run_text(&last).await?;
                    tokio::select! {
                        () = tokio::time::sleep(pause) => {}
                        _ = tokio::signal::ctrl_c() => return Ok(()),
                    }
                }
            }
        }
    }

    /// Prints a table's columns and properties and says how it lies in the store.
    async fn describe(&mut self, table: &str) -> Result<()> {
        let timing = std::mem::replace(&mut self.runner.timing, false);
        let described = self.run_text(&format!("DESCRIBE {table}")).await;
        self.runner.timing = timing;
        described?;
        let session = self.runner.session();
        let quoted = table.strip_prefix('"').and_then(|name| name.strip_suffix('"'));
        let name = quoted.map_or_else(|| table.to_lowercase(), |name| name.replace("\"\"", "\""));
        let Ok(definition) = session.catalog().tablet_definition(&name) else { return Ok(()) };
        let (keys, values): (Vec<_>, Vec<_>) = definition.properties.pairs().iter().cloned().unzip();
        if !keys.is_empty() {
            let columns: [(&str, ArrayRef); 2] = [
                ("property", Arc::new(StringArray::from(keys))),
                ("value", Arc::new(StringArray::from(values))),
            ];
            self.runner.print(&RecordBatch::try_from_iter(columns)?)?;
        }
        if let Some(store) = session.store().existing()? {
            let tablets = store.tablets(&definition.store_table).map_err(HandlerError::from)?;
            let rows = tablets.iter().map(|tablet| tablet.rows).sum();
            tell(&format!("Tablets: {}, about {} rows.\n", tablets.len(), grouped(rows)));
        }
        Ok(())
    }

    /// Prints the names of tables and views.
    fn list(&self, listed: Listed) -> Result<()> {
        let (mut names, mut kinds) = (Vec::new(), Vec::new());
        for (name, entry) in self.runner.session().catalog().entries()? {
            let (kind, is_view) = match entry {
                CatalogEntry::Handled(table) if !table.external => ("table", false),
                CatalogEntry::Handled(_) | CatalogEntry::File(_) => ("external table", false),
                CatalogEntry::View(_) => ("view", true),
            };
            if listed == Listed::All || is_view == (listed == Listed::Views) {
                names.push(name);
                kinds.push(kind);
            }
        }
        let columns: [(&str, ArrayRef); 2] =
            [("name", Arc::new(StringArray::from(names))), ("kind", Arc::new(StringArray::from(kinds)))];
        self.runner.print(&RecordBatch::try_from_iter(columns)?)
    }

    /// Brings the catalog's names to the completion. Without them the shell works as well.
    fn learn(&self) {
        let mut found = Words::default();
        let catalog = self.runner.session().catalog();
        for name in catalog.names().unwrap_or_default() {
            if let Ok(definition) = catalog.tablet_definition(&name) {
                found.columns.extend(definition.columns.into_iter().map(|column| column.name));
            }
            found.tables.insert(name);
        }
        *self.words.lock().unwrap_or_else(PoisonError::into_inner) = found;
    }
}

/// The history's file in the user's state folder, which is made.
pub(crate) fn history_file(name: &str) -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let state = folder("XDG_STATE_HOME")
        .or_else(|| folder("HOME").map(|home| home.join(".local").join("state")))
        .or_else(|| folder("LOCALAPPDATA"))?;
    let ours = state.join("ostracon");
    std::fs::create_dir_all(&ours).ok()?;
    Some(ours.join(name))
}
