//! The binary `ostracon`: the command line of the tablet store.
//!
//! [`args::LowArgs`] is what was typed, [`settings::Settings`] what it means together with the environment and a
//! configuration file. [`runner::Runner`] runs scripts against an `ostracon::Session` and writes results through
//! [`format::ResultWriter`]; [`repl`] types for people; [`pig`] runs Pig Latin;
//! [`load`], [`store`] and [`demo`] are the other commands.
//!
//! Results go to stdout; progress, timings, warnings and errors to stderr. The exit status is 0 when done, 1 when a
//! statement failed, 2 for bad usage. Nothing here knows how statements are planned or rows are stored.

mod args;
mod demo;
mod error;
mod format;
mod load;
mod parquet;
mod pig;
mod progress;
mod repl;
mod runner;
mod settings;
mod store;
mod terminal;

use std::process::ExitCode;

use crate::error::{CliError, Result};
use crate::runner::Runner;
use crate::settings::{Command, Settings};

/// Stack of the threads that plan and run: a deeply nested expression is walked by recursion in places.
const STACK: usize = 64 << 20;

fn main() -> ExitCode {
    let settings = match Settings::from_args(std::env::args_os()) {
        Ok(settings) => settings,
        Err(error) => {
            // Help goes to stdout with status 0, a complaint to stderr with status 2; if neither can be written there
            // is nobody to tell.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let main = std::thread::Builder::new()
        .name("main-loop".to_owned())
        .stack_size(STACK)
        .spawn(move || run(settings));
    let outcome = match main.map(std::thread::JoinHandle::join) {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(_)) => return ExitCode::from(1),
        Err(error) => Err(error.into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            match &error {
                CliError::Failed(failure) => terminal::tell(&failure.render()),
                CliError::Told(told) => terminal::tell(told),
                CliError::PipeClosed | CliError::Interrupted => {}
            }
            ExitCode::from(error.exit_status())
        }
    }
}

fn run(settings: Settings) -> Result<()> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().thread_stack_size(STACK).build()?;
    let outcome = runtime.block_on(async {
        let Settings { store, format, progress, interactive, command } = settings;
        match command {
            Command::Scripts(scripts) => {
                let mut runner = Runner::open(&store, format, interactive)?;
                for script in scripts {
                    runner.run(&script).await?;
                }
                Ok(())
            }
            Command::Shell => repl::run(Runner::open(&store, format, interactive)?).await,
            Command::Pig(args) => pig::run(&store, args, progress).await,
            Command::Load(args) => load::run(&store, args, progress).await,
            Command::Parquet(command) => parquet::run(&command),
            Command::Store(command) => store::run(&store, command, format).await,
            Command::Demo { keep } => demo::run(&store, keep, progress).await,
        }
    });
    // A cancelled query may still hold a blocking thread; the process ends anyway.
    runtime.shutdown_timeout(std::time::Duration::from_secs(1));
    outcome
}
