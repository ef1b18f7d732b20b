//! grunt: Pig Latin typed by a person.

use ostracon::pig::engine::{Grunt, ScriptSession, Taken};
use ostracon::piglatin::preprocess::ScriptParser;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{CompletionType, Config, Editor};

use crate::error::{CliError, Result};
use crate::pig::host::ShellHost;
use crate::pig::words::Words;
use crate::pig::{failed, tell_warnings};
use crate::repl::{broken, history_file, keep_history};
use crate::terminal::tell;

/// Reads and runs statements until the person leaves.
pub(crate) async fn run<'s>(
    scripts: &'s mut ScriptSession<'s>,
    parser: ScriptParser<'s>,
    words: Words,
    show_progress: bool,
) -> Result<()> {
    let config = Config::builder().auto_add_history(true).completion_type(CompletionType::List).build();
    let mut editor: Editor<Words, FileHistory> = Editor::with_config(config).map_err(broken)?;
    editor.set_helper(Some(words));
    let history = history_file("pig_history");
    if let Some(path) = &history {
        // The first run has no history to load.
        let _ = editor.load_history(path);
    }
    tell("grunt, the shell of Pig Latin. Statements end in a semicolon; help for commands, quit to leave.\n");
    let mut grunt = Grunt::new(scripts, parser);
    let mut host = ShellHost::new(show_progress);
    let mut text = String::new();
    loop {
        let prompt = if text.is_empty() { "grunt> " } else { ">> " };
        match tokio::task::block_in_place(|| editor.readline(prompt)) {
            Ok(line) => {
                let word = line.trim().trim_end_matches(';').to_lowercase();
                if text.is_empty() && (word == "quit" || word == "q") {
                    break;
                }
                text.push_str(&line);
                text.push('\n');
            }
            Err(ReadlineError::Interrupted) => {
                text.clear();
                continue;
            }
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(broken(error)),
        }
        if text.trim().is_empty() {
            text.clear();
            continue;
        }
        let mut told = |text: &str| tell(text);
        let done = tokio::select! {
            done = grunt.take(&text, &mut host, &mut told) => done.map_err(failed),
            _ = tokio::signal::ctrl_c() => Err(CliError::Interrupted),
        };
        tell_warnings(grunt.warnings());
        if let Some(words) = editor.helper_mut() {
            words.relations = grunt.aliases().map(str::to_owned).collect();
        }
        match done {
            Ok(Taken::Incomplete) => continue,
            Ok(Taken::Done) => {}
            Err(CliError::Told(told)) => tell(&told),
            Err(CliError::Failed(failure)) => tell(&failure.render()),
            Err(CliError::Interrupted) => tell("cancelled\n"),
            Err(closed @ CliError::PipeClosed) => return Err(closed),
        }
        text.clear();
    }
    keep_history(&mut editor, history.as_deref());
    Ok(())
}
