//! Files of many cases, each begun by `=== case NAME`; the sections are those of `cases/`.
//!
//! `rules/` holds a case or more for each rule of docs/pig-latin.md; `about` says where Apache Pig differs.
//! `generated/` holds random scripts with the answers that Apache Pig 0.17 gave, recorded by
//! `scripts/pig-oracle/oracle.py record`; what is told does not count there.
//! The items of a bag and the entries of a map have no order, and `output unordered` has none of lines.

use std::fmt::Write as _;
use std::path::Path;

use libmimic::{Failed, Trial};

use super::{MODES, Section, files, run, sections};

/// A trial for each file of a folder and each mode. `told` is whether warnings and errors are compared.
pub(crate) fn trials(folder: &'static str, told: bool) -> Vec<Trial> {
    let mut trials = Vec::new();
    for path in files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pig").join(folder)) {
        let name = path.file_stem().unwrap_or_default().display().to_string();
        for (mode, settings) in MODES {
            let path = path.clone();
            let name = format!("{folder}::{name}::{mode}");
            trials.push(Trial::test(name, move || check(&path, told, mode, settings)));
        }
    }
    trials
}

fn check(path: &Path, told: bool, mode: &str, settings: &[(&str, &str)]) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let all = sections(&text);
    let update = std::env::var_os("UPDATE_PIG").is_some() && mode == "plain";
    let (mut differences, mut updated) = (String::new(), String::new());
    for sections in all.chunk_by(|_, next| !next.head.starts_with("case ")) {
        let case = Case::new(sections)?;
        let folder = tempfile::tempdir()?;
        for (file, body) in &case.files {
            std::fs::write(folder.path().join(file), body)?;
        }
        let (found, found_told) = run(case.script, folder.path(), settings);
        let same = lines(&found, case.ordered) == lines(case.output, case.ordered);
        if !same || (told && found_told != case.told) {
            writeln!(
                differences,
                "== {}\n{}expected:\n{}{}",
                case.name, case.script, case.output, case.told
            )?;
            writeln!(differences, "found:\n{found}{found_told}")?;
        }
        if update {
            let kept = sections.iter().filter(|section| !["output", "told"].contains(&section.kind()));
            for section in kept {
                write!(updated, "=== {}\n{}", section.head, section.body)?;
            }
            let output = if same { case.output } else { &found };
            write!(updated, "=== output{}\n{output}", if case.ordered { "" } else { " unordered" })?;
            if told && !found_told.is_empty() {
                write!(updated, "=== told\n{found_told}")?;
            }
        }
    }
    match (update, differences.is_empty()) {
        (true, _) => Ok(std::fs::write(path, updated)?),
        (false, true) => Ok(()),
        (false, false) => Err(differences.into()),
    }
}

struct Case<'a> {
    name: &'a str,
    files: Vec<(&'a str, &'a str)>,
    script: &'a str,
    output: &'a str,
    ordered: bool,
    told: &'a str,
}

impl<'a> Case<'a> {
    fn new(sections: &[Section<'a>]) -> Result<Self, Failed> {
        let mut case = Self { name: "", files: Vec::new(), script: "", output: "", ordered: true, told: "" };
        for section in sections {
            let rest = section.head.split_once(' ').map_or("", |(_, rest)| rest);
            match section.kind() {
                "case" => case.name = rest,
                "about" => {}
                "file" => case.files.push((rest, section.body)),
                "script" => case.script = section.body,
                "output" => (case.output, case.ordered) = (section.body, rest != "unordered"),
                "told" => case.told = section.body,
                _ => return Err(format!("there is no section {}", section.head).into()),
            }
        }
        Ok(case)
    }
}

fn lines(text: &str, ordered: bool) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().map(canonical).collect();
    if !ordered {
        lines.sort_unstable();
    }
    lines
}

/// A printed value with the items of bags and the entries of maps in order; a text that is none as it is.
fn canonical(text: &str) -> String {
    match container(text, 0) {
        Some((end, value)) if end == text.len() => value,
        _ => text.to_owned(),
    }
}

/// The tuple, bag or map at a place, and where it ends.
fn container(text: &str, at: usize) -> Option<(usize, String)> {
    let open = text.get(at..)?.chars().next()?;
    let close = match open {
        '(' => ')',
        '{' => '}',
        '[' => ']',
        _ => return None,
    };
    let mut at = at + 1;
    let mut items = Vec::new();
    if text.get(at..)?.starts_with(close) {
        return Some((at + 1, format!("{open}{close}")));
    }
    loop {
        let mut item = String::new();
        if close == ']' {
            let end = at + text.get(at..)?.find('#')? + 1;
            item.push_str(text.get(at..end)?);
            at = end;
        }
        let (end, value) = value(text, at, close)?;
        item.push_str(&value);
        items.push(item);
        at = end + 1;
        match text.get(end..)?.chars().next()? {
            ',' => {}
            _ => break,
        }
    }
    if close != ')' {
        items.sort_unstable();
    }
    Some((at, format!("{open}{}{close}", items.join(","))))
}

/// The value at a place, which ends before a comma or the end of what holds it.
fn value(text: &str, at: usize, close: char) -> Option<(usize, String)> {
    if let Some((end, value)) = container(text, at)
        && text.get(end..)?.starts_with([',', close])
    {
        return Some((end, value));
    }
    let rest = text.get(at..)?;
    let length = rest.find([',', close])?;
    Some((at + length, rest.get(..length)?.to_owned()))
}
