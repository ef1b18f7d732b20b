//! Pig Latin as text: every `.case` file below `cases/` is run in every mode, and so are those of
//! `rules/` and `generated/`, many to a file.
//!
//! A file has sections, each begun by a line `=== NAME`: `about`, `file NAME` (an input), `script` (in which `$dir` is
//! the folder of the files), `output` (what is printed, in order; `output unordered`: lines in any order) and `told`
//! (warnings and errors). A case without `told` tells nothing.
//!
//! Modes: `plain`; `single` (batches of one row); `serial` (one partition); `many` (seven partitions).
//! `UPDATE_PIG=1 cargo test --test pig` writes what the mode `plain` gave into the files.

#![allow(clippy::expect_used, reason = "a test fails by panicking, its helpers too")]

mod many;

use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libmimic::{Arguments, Failed, Trial};
use ostracon::pig::engine::ScriptError;
use ostracon::pig::run::Host;
use ostracon::piglatin::ScriptParser;
use ostracon::piglatin::ast::ShellCommand;
use ostracon::piglatin::preprocess::Isolated;
use ostracon::{DataLocation, Session, SessionOptions};

/// Settings of DataFusion that may change no answer.
const MODES: [(&str, &[(&str, &str)]); 4] = [
    ("plain", &[]),
    ("single", &[("datafusion.execution.batch_size", "1")]),
    ("serial", &[("datafusion.execution.target_partitions", "1")]),
    ("many", &[("datafusion.execution.target_partitions", "7")]),
];

fn main() -> ExitCode {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pig/cases");
    let mut trials = Vec::new();
    for path in files(&folder) {
        let name = path.file_stem().unwrap_or_default().display().to_string();
        for (mode, settings) in MODES {
            let path = path.clone();
            trials.push(Trial::test(format!("{name}::{mode}"), move || check(&path, mode, settings)));
        }
    }
    trials.extend(many::trials("rules", true));
    trials.extend(many::trials("generated", false));
    libmimic::run(&Arguments::from_args(), trials).exit_code()
}

/// The files of a folder, of which there is one at least.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder of cases");
    let found: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry of the folder").path()).collect();
    assert!(!found.is_empty(), "no cases below {}", folder.display());
    found
}

/// A section: what stands behind `===`, and the lines below.
struct Section<'a> {
    head: &'a str,
    body: &'a str,
}

impl<'a> Section<'a> {
    /// The first word of the head.
    fn kind(&self) -> &'a str {
        self.head.split_once(' ').map_or(self.head, |(kind, _)| kind)
    }
}

fn sections(text: &str) -> Vec<Section<'_>> {
    let begins: Vec<usize> = std::iter::once(0)
        .chain(text.match_indices("\n===").map(|(at, _)| at + 1))
        .filter(|&at| text[at..].starts_with("=== "))
        .collect();
    let ends = begins.iter().skip(1).copied().chain([text.len()]);
    begins
        .iter()
        .zip(ends)
        .map(|(&begin, end)| {
            let (head, body) = text[begin..end].split_once('\n').unwrap_or((&text[begin..end], ""));
            Section { head: head.trim_start_matches("=== ").trim(), body }
        })
        .collect()
}

/// Keeps what a script prints.
#[derive(Default)]
struct Kept(Vec<u8>);

impl Host for Kept {
    fn output(&mut self) -> &mut (dyn Write + Send) {
        &mut self.0
    }

    fn shell(&mut self, _: &ShellCommand) -> ostracon::pig::error::Result<()> {
        Ok(())
    }
}

/// What a script printed, and what it told.
fn run(script: &str, folder: &Path, settings: &[(&str, &str)]) -> (String, String) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let settings = settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let options = SessionOptions { data: DataLocation::Memory, settings, ..SessionOptions::default() };
    let session = Session::open(options).expect("a session");
    let engine = session.pig();
    let mut scripts = engine.session(1_600_000_000_000, 7);
    let mut parser = ScriptParser::new(&Isolated, &Isolated);
    let shown = folder.display().to_string();
    parser.add_parameter(&format!("dir={shown}")).expect("a parameter");
    let mut host = Kept::default();
    let mut told = String::new();
    let done = runtime.block_on(async {
        let checked = scripts.check(parser, "script", script)?;
        told.extend(checked.told.iter().map(String::as_str));
        scripts.run(&checked, &mut host).await
    });
    for (kind, counted) in scripts.warnings().take() {
        let _ = writeln!(told, "{kind}: {}, the first: {}", counted.count, counted.sample);
    }
    if let Err(ScriptError::Faults { rendered, .. } | ScriptError::Run { rendered, .. }) = done {
        told.push_str(&rendered);
    }
    let output = String::from_utf8(host.0).expect("output in UTF-8");
    (output.replace(&shown, "$dir"), told.replace(&shown, "$dir"))
}

fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

fn check(path: &PathBuf, mode: &str, settings: &[(&str, &str)]) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let all = sections(&text);
    let folder = tempfile::tempdir()?;
    let mut script = "";
    let (mut output, mut unordered, mut told) = ("", false, "");
    for section in &all {
        match section.head.split_once(' ') {
            Some(("file", name)) => {
                let file = folder.path().join(name);
                std::fs::create_dir_all(file.parent().unwrap_or(folder.path()))?;
                std::fs::write(file, section.body)?;
            }
            Some(("output", "unordered")) => (output, unordered) = (section.body, true),
            None if section.head == "about" => {}
            None if section.head == "script" => script = section.body,
            None if section.head == "output" => output = section.body,
            None if section.head == "told" => told = section.body,
            _ => return Err(format!("there is no section {}", section.head).into()),
        }
    }
    let (found, found_told) = run(script, folder.path(), settings);
    if std::env::var_os("UPDATE_PIG").is_some() && mode == "plain" {
        return update(path, &all, &found, &found_told);
    }
    let same = if unordered { sorted(&found) == sorted(output) } else { found == output };
    if !same {
        return Err(format!("expected output:\n{output}\nfound:\n{found}\ntold:\n{found_told}").into());
    }
    match found_told == told {
        true => Ok(()),
        false => Err(format!("expected to be told:\n{told}\nfound:\n{found_told}").into()),
    }
}

fn update(path: &Path, sections: &[Section<'_>], output: &str, told: &str) -> Result<(), Failed> {
    let mut text = String::new();
    let mut head = "output";
    for section in sections {
        match section.head {
            "told" => {}
            "output" | "output unordered" => head = section.head,
            _ => write!(text, "=== {}\n{}", section.head, section.body)?,
        }
    }
    write!(text, "=== {head}\n{output}")?;
    if !told.is_empty() {
        write!(text, "=== told\n{told}")?;
    }
    Ok(std::fs::write(path, text)?)
}
