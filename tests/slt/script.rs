//! The records of a file, and the file they were read from.

use std::fmt::Write as _;

/// A file, line by line, with its records.
#[derive(Debug)]
pub(crate) struct Script {
    lines: Vec<String>,
    pub(crate) records: Vec<Record>,
}

/// One record.
#[derive(Debug)]
pub(crate) struct Record {
    /// The line of its first word, from 1.
    pub(crate) line: usize,
    pub(crate) kind: Kind,
    pub(crate) sql: String,
    /// The lines behind `----`.
    pub(crate) expected: Vec<String>,
    /// The lines of the file that hold them: first, and one past the last.
    place: (usize, usize),
    /// What was found instead, when the file is being rewritten.
    pub(crate) found: Option<Vec<String>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Ok,
    Count(u64),
    Error { kind: String, text: String },
    Query { sorted: bool },
    Scan,
    Reads { rows: u64, modes: Vec<String> },
    Auths(String),
    Only(Vec<String>),
}

impl Script {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let mut records = Vec::new();
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            if line.trim().is_empty() || line.starts_with('#') {
                at += 1;
                continue;
            }
            let kind =
                kind_of(line).ok_or_else(|| format!("line {}: no record starts with `{line}`", at + 1))?;
            let first = at + 1;
            if matches!(kind, Kind::Reads { .. } | Kind::Auths(_) | Kind::Only(_)) {
                records.push(Record {
                    line: first,
                    kind,
                    sql: String::new(),
                    expected: Vec::new(),
                    place: (first, first),
                    found: None,
                });
                at = first;
                continue;
            }
            let end =
                (first..lines.len()).find(|index| lines[*index].trim().is_empty()).unwrap_or(lines.len());
            let dashes = (first..end).find(|index| lines[*index] == "----").unwrap_or(end);
            let has_answer = matches!(kind, Kind::Query { .. } | Kind::Scan);
            let (sql_end, place) =
                if has_answer { (dashes, ((dashes + 1).min(end), end)) } else { (end, (end, end)) };
            records.push(Record {
                line: at + 1,
                kind,
                sql: lines[first..sql_end].join("\n"),
                expected: lines[place.0..place.1].to_vec(),
                place,
                found: None,
            });
            at = end;
        }
        Ok(Self { lines, records })
    }

    /// The file with what was found in place of what was expected.
    pub(crate) fn to_text(&self) -> String {
        let mut text = String::new();
        let mut at = 0;
        for record in &self.records {
            let Some(found) = &record.found else { continue };
            let sql_lines = &self.lines[at..record.place.0];
            for line in sql_lines {
                let _ = writeln!(text, "{line}");
            }
            if sql_lines.last().is_none_or(|line| line != "----") {
                let _ = writeln!(text, "----");
            }
            for line in found {
                let _ = writeln!(text, "{line}");
            }
            at = record.place.1;
        }
        for line in &self.lines[at..] {
            let _ = writeln!(text, "{line}");
        }
        text
    }
}

fn kind_of(line: &str) -> Option<Kind> {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let rest = rest.trim();
    Some(match (word, rest.split_once(' ').unwrap_or((rest, ""))) {
        ("statement", ("ok", "")) => Kind::Ok,
        ("statement", ("count", number)) => Kind::Count(number.parse().ok()?),
        ("statement", ("error", what)) => {
            let (kind, text) = what.split_once(' ').unwrap_or((what, ""));
            Kind::Error { kind: kind.to_owned(), text: text.to_owned() }
        }
        ("query", ("", "")) => Kind::Query { sorted: false },
        ("query", ("sorted", "")) => Kind::Query { sorted: true },
        ("scan", ("", "")) => Kind::Scan,
        ("reads", (number, modes)) => Kind::Reads { rows: number.parse().ok()?, modes: words(modes) },
        ("auths", _) => Kind::Auths(rest.to_owned()),
        ("only", _) => Kind::Only(words(rest)),
        _ => return None,
    })
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}
