//! [`BadRows`]: what happens to rows that do not fit, the end of the load or a line in a file.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use super::input::{LoadProgress, shown};
use super::{BadRow, LoadError};

/// Where bad rows go.
#[derive(Debug)]
pub(super) enum BadRows {
    /// The first one ends the load.
    Refuse,
    /// Into a CSV file of `file,line,column,reason,row`.
    Reject { name: String, out: BufWriter<File>, progress: Arc<LoadProgress> },
}

impl BadRows {
    /// Starts the file, if one is wanted: it is made even if no row is bad, so that an older one tells nothing wrong.
    pub(super) fn new(reject: Option<&Path>, progress: &Arc<LoadProgress>) -> Result<Self, LoadError> {
        let Some(path) = reject else { return Ok(Self::Refuse) };
        let name = shown(path);
        let start = || {
            let mut out = BufWriter::new(File::create(path)?);
            out.write_all(b"file,line,column,reason,row\n")?;
            Ok(out)
        };
        let out = start().map_err(|source| LoadError::Reject { file: name.clone(), source })?;
        Ok(Self::Reject { name, out, progress: Arc::clone(progress) })
    }

    /// Takes a bad row, with its text as it stands in the file where there is one.
    pub(super) fn take(&mut self, bad: BadRow, row: &str) -> Result<(), LoadError> {
        match self {
            Self::Refuse => Err(bad.into()),
            Self::Reject { name, out, progress } => {
                let reason = match &bad.text {
                    Some(text) => format!("'{}' {}", text.escape_debug(), bad.reason),
                    None => bad.reason,
                };
                let fields =
                    [&bad.file, &bad.line.to_string(), bad.column.as_deref().unwrap_or(""), &reason, row];
                let line = fields.map(quoted).join(",") + "\n";
                progress.add_rejected();
                out.write_all(line.as_bytes())
                    .map_err(|source| LoadError::Reject { file: name.clone(), source })
            }
        }
    }

    /// Brings all lines to the file.
    pub(super) fn finish(&mut self) -> Result<(), LoadError> {
        match self {
            Self::Refuse => Ok(()),
            Self::Reject { name, out, .. } => {
                out.flush().map_err(|source| LoadError::Reject { file: name.clone(), source })
            }
        }
    }
}

fn quoted(field: &str) -> String {
    match field.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field.to_owned(),
    }
}
