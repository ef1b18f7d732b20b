//! A folder to work in and the binary to run there.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// A working folder with a store in it; gone when dropped.
pub(crate) struct Ground(tempfile::TempDir);

/// What a run left behind.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) status: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ground {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn file(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ostracon"));
        command.args(args).current_dir(self.0.path()).env_remove("OSTRACON_DATA").env("HOME", self.0.path());
        command
    }

    /// Runs the binary with nothing to read.
    pub(crate) fn run(&self, args: &[&str]) -> Run {
        self.feed(args, "")
    }

    /// Runs the binary with something to read.
    pub(crate) fn feed(&self, args: &[&str], input: &str) -> Run {
        let mut command = self.command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A run that fails early closes its input.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        Run::of(child.wait_with_output().unwrap())
    }

    /// Runs SQL that must succeed; gives its lines of NDJSON.
    pub(crate) fn sql(&self, sql: &str) -> Vec<String> {
        let run = self.feed(&["--format", "ndjson", "sql", "-f", "-"], sql);
        assert_eq!((run.status, run.err_but_notices().as_str()), (0, ""), "{sql}");
        run.out.lines().map(str::to_owned).collect()
    }
}

impl Run {
    fn of(output: Output) -> Self {
        Self {
            status: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Stderr without the words on a store that was made.
    pub(crate) fn err_but_notices(&self) -> String {
        let lines = self.err.lines().filter(|line| !line.contains("ostracon-data"));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// That the run did what it was told; gives stdout.
    pub(crate) fn done(self) -> String {
        assert_eq!(self.status, 0, "{self:?}");
        self.out
    }

    /// That a statement failed with an error of a kind; gives stderr.
    pub(crate) fn failed(self, kind: &str) -> String {
        assert_eq!(self.status, 1, "{self:?}");
        assert!(self.err.contains(&format!("error: {kind}: ")), "{self:?}");
        self.err
    }
}
