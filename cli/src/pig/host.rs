//! What scripts ask of the machine: imports, commands of parameters, and the shell's file commands.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use ostracon::pig::error::{PigError, PigErrorKind, Result};
use ostracon::pig::progress::Progress;
use ostracon::pig::run::Host;
use ostracon::piglatin::ast::ShellCommand;
use ostracon::piglatin::preprocess::{CommandRunner, ScriptReader};

use crate::progress::{Counters, ReadBar};

/// Reads files beside a script, and runs commands.
#[derive(Debug)]
pub(crate) struct Machine {
    folder: PathBuf,
}

impl Machine {
    /// For a script of this name.
    pub(crate) fn beside(script: &str) -> Self {
        Self { folder: Path::new(script).parent().map(Path::to_owned).unwrap_or_default() }
    }
}

impl ScriptReader for Machine {
    fn read_script(&self, path: &str) -> std::result::Result<Option<String>, String> {
        for found in [PathBuf::from(path), self.folder.join(path)] {
            match std::fs::read_to_string(found) {
                Ok(text) => return Ok(Some(text)),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(error.to_string()),
            }
        }
        Ok(None)
    }
}

impl CommandRunner for Machine {
    fn output_of(&self, command: &str) -> std::result::Result<String, String> {
        let done = Command::new("sh").arg("-c").arg(command).output().map_err(|error| error.to_string())?;
        match done.status.success() {
            true => Ok(String::from_utf8_lossy(&done.stdout).trim_end_matches('\n').to_owned()),
            false => Err(format!("{}: {}", done.status, String::from_utf8_lossy(&done.stderr).trim())),
        }
    }
}

/// Runs the commands of the shell on this machine's files.
pub(crate) struct ShellHost {
    output: Box<dyn Write + Send>,
    /// Whether a bar is drawn while a STORE runs.
    show_progress: bool,
}

impl ShellHost {
    pub(crate) fn new(show_progress: bool) -> Self {
        Self { output: Box::new(std::io::BufWriter::new(std::io::stdout())), show_progress }
    }
}

impl Host for ShellHost {
    fn output(&mut self) -> &mut (dyn Write + Send) {
        &mut self.output
    }

    fn storing(&mut self, progress: &Progress) -> Option<Box<dyn Send>> {
        if !self.show_progress {
            return None;
        }
        let progress = progress.clone();
        let bar = ReadBar::start(move || Counters {
            total_bytes: progress.total_bytes(),
            bytes: progress.bytes(),
            rows: progress.rows(),
        });
        Some(Box::new(bar))
    }

    fn shell(&mut self, command: &ShellCommand) -> Result<()> {
        let arguments: Vec<&str> = command.arguments.iter().map(|argument| argument.text.as_str()).collect();
        let (name, arguments) = match (command.command.text.as_str(), arguments.as_slice()) {
            ("fs", [name, rest @ ..]) => (name.trim_start_matches('-'), rest),
            (name, rest) => (name, rest),
        };
        let done = self
            .file_command(name, arguments)
            .and_then(|()| self.output.flush().map_err(|error| refused(name, "stdout", error)));
        done.map_err(|error| error.at(command.command.span))
    }
}

impl ShellHost {
    fn file_command(&mut self, name: &str, arguments: &[&str]) -> Result<()> {
        match (name, arguments) {
            ("sh", words) => self.program(&words.join(" ")),
            ("pwd", []) => {
                let folder = std::env::current_dir().map_err(|error| refused("pwd", ".", error))?;
                self.say(&folder.display().to_string())
            }
            ("cd", [folder]) => {
                std::env::set_current_dir(folder).map_err(|error| refused("cd", folder, error))
            }
            ("ls", paths) => {
                let paths = if paths.is_empty() { &["."][..] } else { paths };
                paths.iter().try_for_each(|path| self.list(path))
            }
            ("cat", paths) if !paths.is_empty() => paths.iter().try_for_each(|path| self.show(path)),
            ("mkdir", paths) => each(paths, |path| std::fs::create_dir_all(path), "mkdir"),
            ("rm" | "rmr", paths) => each(paths, remove, "rm"),
            ("rmf", paths) => each(paths, |path| if path.exists() { remove(path) } else { Ok(()) }, "rmf"),
            ("mv", [from, to]) => {
                std::fs::rename(from, into(from, to)).map_err(|error| refused("mv", from, error))
            }
            ("cp" | "copyfromlocal" | "copytolocal" | "copyFromLocal" | "copyToLocal", [from, to]) => {
                copy(Path::new(from), &into(from, to)).map_err(|error| refused(name, from, error))
            }
            ("clear", []) => self.say("\u{1b}[2J\u{1b}[H"),
            ("help", _) => self.say(HELP),
            _ => {
                let text = format!(
                    "there is no command {name} with {} words here; help lists them",
                    arguments.len()
                );
                Err(PigError::new(PigErrorKind::Unsupported, text))
            }
        }
    }

    fn say(&mut self, text: &str) -> Result<()> {
        writeln!(self.output, "{text}").map_err(|error| refused("print", "stdout", error))
    }

    fn list(&mut self, path: &str) -> Result<()> {
        let folder = Path::new(path);
        if folder.is_file() {
            return self.say(path);
        }
        let entries = std::fs::read_dir(folder).map_err(|error| refused("ls", path, error))?;
        let mut names = entries
            .map(|entry| {
                let entry = entry?;
                let end = if entry.file_type()?.is_dir() { "/" } else { "" };
                Ok(format!("{}{end}", entry.path().display()))
            })
            .collect::<std::io::Result<Vec<_>>>()
            .map_err(|error| refused("ls", path, error))?;
        names.sort();
        names.iter().try_for_each(|name| self.say(name))
    }

    /// A file, or the files of a folder but for those that begin with `_` or `.`.
    fn show(&mut self, path: &str) -> Result<()> {
        let mut files = vec![PathBuf::from(path)];
        if Path::new(path).is_dir() {
            let entries = std::fs::read_dir(path).map_err(|error| refused("cat", path, error))?;
            files = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
            files.retain(|file| {
                let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                file.is_file() && !name.starts_with(['_', '.'])
            });
            files.sort();
        }
        for file in files {
            let mut input = std::fs::File::open(&file).map_err(|error| refused("cat", path, error))?;
            std::io::copy(&mut input, &mut self.output).map_err(|error| refused("cat", path, error))?;
        }
        Ok(())
    }

    fn program(&mut self, command: &str) -> Result<()> {
        let done = Command::new("sh")
            .arg("-c")
            .arg(command)
            .output()
            .map_err(|error| refused("sh", command, error))?;
        self.output.write_all(&done.stdout).map_err(|error| refused("sh", command, error))?;
        match done.status.success() {
            true => Ok(()),
            false => {
                let said = String::from_utf8_lossy(&done.stderr);
                Err(PigError::invalid(format!("sh {command} ended with {}: {}", done.status, said.trim())))
            }
        }
    }
}

const HELP: &str = "Statements of Pig Latin end in a semicolon. Commands:
  ls, cat, cd, pwd, mkdir, cp, mv, rm, rmf     files of this machine, also as fs -ls and so on
  sh COMMAND                                   a program
  describe A; explain A; illustrate A; dump A; what a relation is
  set pig.strict true;                         warnings are errors
  quit";

fn each(paths: &[&str], act: impl Fn(&Path) -> std::io::Result<()>, name: &str) -> Result<()> {
    let words = paths.iter().filter(|path| !path.starts_with('-'));
    words.copied().try_for_each(|path| act(Path::new(path)).map_err(|error| refused(name, path, error)))
}

fn remove(path: &Path) -> std::io::Result<()> {
    if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) }
}

/// Where a file goes: into a folder under its own name, or to the name given.
fn into(from: &str, to: &str) -> PathBuf {
    let target = Path::new(to);
    match (target.is_dir(), Path::new(from).file_name()) {
        (true, Some(name)) => target.join(name),
        _ => target.to_owned(),
    }
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    if !from.is_dir() {
        return std::fs::copy(from, to).map(drop);
    }
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

fn refused(name: &str, path: &str, error: std::io::Error) -> PigError {
    let kind = match error.kind() {
        std::io::ErrorKind::NotFound => PigErrorKind::NotFound,
        std::io::ErrorKind::AlreadyExists => PigErrorKind::AlreadyExists,
        _ => PigErrorKind::Unavailable,
    };
    PigError::new(kind, format!("{name} {path}: {error}")).with_source(error)
}
