//! `ostracon pig`: Pig Latin from files, from the command line, or typed in.

mod grunt;
mod host;
mod words;

use std::io::IsTerminal;

use ostracon::pig::engine::{ScriptError, expand};
use ostracon::pig::warnings::Warnings;
use ostracon::piglatin::preprocess::ScriptParser;
use ostracon_tablets::{Clock, SystemClock};

use crate::args::PigArgs;
use crate::error::{CliError, Result};
use crate::pig::host::{Machine, ShellHost};
use crate::pig::words::Words;
use crate::runner::{open_session, read_file, read_stdin, tell_notices};
use crate::settings::StoreSettings;
use crate::terminal::{results, tell};

/// Runs, checks or shows a script; without one, the shell.
pub(crate) async fn run(store: &StoreSettings, args: PigArgs, show_progress: bool) -> Result<()> {
    let session = open_session(store)?;
    let engine = session.pig();
    let started = SystemClock.now_ms();
    let words = Words::of(&engine);
    let mut scripts = engine.session(started, started.unsigned_abs());
    let given = script(&args)?;
    let machine = Machine::beside(given.as_ref().map_or("", |(name, _)| name));
    let mut parser = ScriptParser::new(&machine, &machine);
    for path in &args.parameter_files {
        let name = path.display().to_string();
        parser.add_parameter_file(&name, &read_file(path)?).map_err(CliError::invalid)?;
    }
    for parameter in &args.parameters {
        parser.add_parameter(parameter).map_err(CliError::invalid)?;
    }
    let Some((name, text)) = given else {
        return grunt::run(&mut scripts, parser, words, show_progress).await;
    };
    if args.dryrun {
        let expanded = expand(parser, &name, &text).map_err(failed)?;
        std::io::Write::write_all(&mut results(), expanded.as_bytes())?;
        return Ok(());
    }
    let checked = scripts.check(parser, &name, &text).map_err(failed)?;
    checked.told.iter().for_each(|text| tell(text));
    if args.check {
        return Ok(());
    }
    let done = scripts.run(&checked, &mut ShellHost::new(show_progress)).await;
    tell_notices(&session);
    tell_warnings(scripts.warnings());
    done.map_err(failed)
}

/// The name and text of what is to be run; none for the shell.
fn script(args: &PigArgs) -> Result<Option<(String, String)>> {
    if !args.execute.is_empty() {
        return Ok(Some(("<command>".to_owned(), args.execute.join("\n"))));
    }
    match &args.file {
        Some(path) if path.as_os_str() != "-" => Ok(Some((path.display().to_string(), read_file(path)?))),
        None if std::io::stdin().is_terminal() => Ok(None),
        _ => Ok(Some(("<stdin>".to_owned(), read_stdin()?))),
    }
}

/// A line for each kind of warning: how many, and the first.
fn tell_warnings(warnings: &Warnings) {
    for (kind, counted) in warnings.take() {
        let values = if counted.count == 1 { "value became null" } else { "values became null, the first" };
        tell(&format!("warning: {kind}: {} {values}: {}\n", counted.count, counted.sample));
    }
}

fn failed(error: ScriptError) -> CliError {
    match error {
        ScriptError::Faults { rendered, .. } | ScriptError::Run { rendered, .. } => CliError::Told(rendered),
    }
}
