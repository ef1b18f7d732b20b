//! Which files a path means: lists, globs, folders.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use datafusion::datasource::file_format::file_compression_type::FileCompressionType;

use crate::error::{PigError, PigErrorKind, Result};

/// The files of a path: a list with commas outside of braces, each a file, a folder or a glob; sorted by name within
/// each. Names that begin with `_` or `.` are passed over in folders.
///
/// # Errors
/// `NotFound`, naming the part that is not there.
pub(crate) fn files(path: &str) -> Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for part in parts(path) {
        let part =
            part.strip_prefix("file://").or_else(|| part.strip_prefix("file:")).unwrap_or(&part).to_owned();
        let mut found = Vec::new();
        if Path::new(&part).exists() {
            found.push(PathBuf::from(&part));
        } else {
            for pattern in braces(&part) {
                let paths = glob::glob(&pattern).map_err(|error| {
                    PigError::invalid(format!("{pattern} is no pattern of paths: {error}"))
                })?;
                for path in paths {
                    let path = path.map_err(|error| unreadable(error.path(), error.error()))?;
                    found.extend(is_shown(&path).then_some(path));
                }
            }
        }
        if found.is_empty() {
            return Err(PigError::new(PigErrorKind::NotFound, format!("there is no input {part}")));
        }
        found.sort();
        for path in found {
            within(&path, &mut all)?;
        }
    }
    Ok(all)
}

fn within(path: &Path, all: &mut Vec<PathBuf>) -> Result<()> {
    if !path.is_dir() {
        all.push(path.to_owned());
        return Ok(());
    }
    let failed = |error: std::io::Error| unreadable(path, &error).with_source(error);
    let mut entries = std::fs::read_dir(path)
        .map_err(failed)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::io::Result<Vec<_>>>()
        .map_err(failed)?;
    entries.retain(|path| is_shown(path));
    entries.sort();
    entries.iter().try_for_each(|path| within(path, all))
}

fn unreadable(path: &Path, error: &std::io::Error) -> PigError {
    PigError::new(PigErrorKind::Unavailable, format!("{} cannot be read: {error}", path.display()))
}

fn is_shown(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    !name.starts_with(['_', '.'])
}

/// The parts between commas; a comma in braces belongs to the pattern.
fn parts(path: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0_usize;
    for c in path.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    parts.into_iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

/// The patterns that `{a,b}` stands for, braces in braces included; braces that have no end stand for themselves.
fn braces(pattern: &str) -> Vec<String> {
    let Some((before, choices, after)) = outer_braces(pattern) else { return vec![pattern.to_owned()] };
    choices.iter().flat_map(|choice| braces(&format!("{before}{choice}{after}"))).collect()
}

/// What stands before the first braces, between the commas in them, and after.
fn outer_braces(pattern: &str) -> Option<(&str, Vec<&str>, &str)> {
    let open = pattern.find('{')?;
    let (mut depth, mut from, mut choices) = (0_usize, open + 1, Vec::new());
    for (at, c) in pattern.char_indices().skip_while(|(at, _)| *at < open) {
        match c {
            '{' => depth += 1,
            ',' if depth == 1 => {
                choices.push(pattern.get(from..at)?);
                from = at + 1;
            }
            '}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    choices.push(pattern.get(from..at)?);
                    return Some((pattern.get(..open)?, choices, pattern.get(at + 1..)?));
                }
            }
            _ => {}
        }
    }
    None
}

/// How a file is compressed, by its extension, and that extension.
#[must_use]
pub(crate) fn compression_of(path: &Path) -> (FileCompressionType, &'static str) {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("gz") => (FileCompressionType::GZIP, ".gz"),
        Some("bz2" | "bz") => (FileCompressionType::BZIP2, ".bz2"),
        Some("zst") => (FileCompressionType::ZSTD, ".zst"),
        _ => (FileCompressionType::UNCOMPRESSED, ""),
    }
}

/// A file's bytes, decompressed by its extension.
///
/// # Errors
/// If it cannot be opened.
pub(crate) fn open(path: &Path) -> datafusion::error::Result<Box<dyn Read + Send>> {
    compression_of(path).0.convert_read(File::open(path)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_braces_folders_and_globs() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("in")).unwrap();
        for name in ["in/part-1", "in/part-0", "in/_SUCCESS", "in/.crc", "a1.txt", "a2.txt", "b1.txt"] {
            std::fs::write(at(name), "x").unwrap();
        }
        let base = folder.path().display().to_string();
        let names = |path: &str| -> Vec<String> {
            let found = files(path).unwrap();
            found.iter().map(|path| path.strip_prefix(folder.path()).unwrap().display().to_string()).collect()
        };
        assert_eq!(names(&format!("{base}/in")), ["in/part-0", "in/part-1"]);
        assert_eq!(names(&format!("{base}/a*.txt, {base}/in/part-1")), ["a1.txt", "a2.txt", "in/part-1"]);
        assert_eq!(names(&format!("{base}/{{a2,b1}}.txt")), ["a2.txt", "b1.txt"]);
        assert_eq!(names(&format!("{base}/{{a{{1,2}},b1}}.txt")), ["a1.txt", "a2.txt", "b1.txt"]);
        assert_eq!(braces("x{a,{b,c}d}{1,2}"), ["xa1", "xa2", "xbd1", "xbd2", "xcd1", "xcd2"]);
        assert_eq!(braces("a}{b"), ["a}{b"]);
        let missing = files(&format!("{base}/in,{base}/none")).unwrap_err();
        assert_eq!(missing.kind, PigErrorKind::NotFound);
        assert!(missing.message.contains("none"));
    }
}
