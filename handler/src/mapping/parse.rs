//! Text to entries: splitting, escapes, encoding codes. Types and counts are [`super::fit`]'s business.

use ostracon_compare::Encoding;
use ostracon_data::ROW_MARKER_FAMILY;

use super::{ColumnTarget, MappingError};

/// A target and the byte where its entry starts.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) target: ColumnTarget,
    pub(super) position: usize,
}

/// One character of an entry. An escaped one is never syntax.
#[derive(Debug, Clone, Copy)]
struct Symbol {
    position: usize,
    character: char,
    escaped: bool,
}

impl Symbol {
    fn is(&self, character: char) -> bool {
        !self.escaped && self.character == character
    }
}

fn error<T>(position: usize, message: impl Into<String>) -> Result<T, MappingError> {
    Err(MappingError { message: message.into(), position })
}

/// The entries of a mapping, in their order.
pub(super) fn entries(text: &str, default_storage: Encoding) -> Result<Vec<Entry>, MappingError> {
    let symbols = symbols(text)?;
    let mut entries = Vec::new();
    let mut next = 0;
    for part in symbols.split(|symbol| symbol.is(',')) {
        let start = part.first().map_or(next, |symbol| symbol.position);
        next = part.last().map_or(next, |symbol| symbol.position + symbol.character.len_utf8()) + 1;
        let part = trim(part);
        let Some(first) = part.first() else {
            return error(
                start.min(text.len()),
                "the entry is empty; write one entry a column, separated by commas",
            );
        };
        // An escaped character starts one byte earlier, at its backslash.
        let position = first.position - usize::from(first.escaped);
        entries.push(Entry { target: target(part, default_storage)?, position });
    }
    Ok(entries)
}

/// The characters of the text with their escapes resolved.
fn symbols(text: &str) -> Result<Vec<Symbol>, MappingError> {
    let mut symbols = Vec::with_capacity(text.len());
    let mut characters = text.char_indices();
    while let Some((position, character)) = characters.next() {
        if character != '\\' {
            symbols.push(Symbol { position, character, escaped: false });
            continue;
        }
        match characters.next() {
            Some((position, character @ (':' | '#' | '*' | ',' | '\\'))) => {
                symbols.push(Symbol { position, character, escaped: true });
            }
            _ => {
                return error(
                    position,
                    "a backslash escapes one of : # * , and \\ only; write \\\\ for a backslash",
                );
            }
        }
    }
    Ok(symbols)
}

fn trim(mut part: &[Symbol]) -> &[Symbol] {
    while let [first, rest @ ..] = part
        && first.character.is_whitespace()
    {
        part = rest;
    }
    while let [rest @ .., last] = part
        && last.character.is_whitespace()
    {
        part = rest;
    }
    part
}

fn name(part: &[Symbol]) -> String {
    part.iter().map(|symbol| symbol.character).collect()
}

/// One entry, trimmed and not empty.
fn target(part: &[Symbol], default_storage: Encoding) -> Result<ColumnTarget, MappingError> {
    let start = part.first().map_or(0, |symbol| symbol.position);
    // As in Hive the encoding is what follows the last `#`.
    let (body, suffix) = match part.iter().rposition(|symbol| symbol.is('#')) {
        Some(hash) => (part.get(..hash).unwrap_or_default(), part.get(hash..)),
        None => (part, None),
    };
    if body.first().is_none_or(|symbol| symbol.is(':')) {
        return pseudo_column(body, suffix, start, default_storage);
    }
    let Some(colon) = body.iter().position(|symbol| symbol.is(':')) else {
        return error(start, format!("'{}' has no qualifier; write family:qualifier or :rowid", name(body)));
    };
    let (family, qualifier) =
        (body.get(..colon).unwrap_or_default(), body.get(colon + 1..).unwrap_or_default());
    let family = name(family).into_bytes();
    if family == ROW_MARKER_FAMILY {
        return error(
            start,
            "the family of a single NUL is kept for the store's row markers; use another family",
        );
    }
    match qualifier.split_last() {
        None => error(
            start,
            format!(
                "'{}:' has no qualifier; write family:qualifier, or family:* for a map",
                name(body.get(..colon).unwrap_or_default())
            ),
        ),
        Some((star, prefix)) if star.is('*') => {
            let (key_encoding, value_encoding) = match suffix {
                None => (default_storage, default_storage),
                Some(suffix) => map_encodings(suffix)?,
            };
            Ok(ColumnTarget::Map { family, prefix: name(prefix).into_bytes(), key_encoding, value_encoding })
        }
        Some(_) => {
            let encoding = suffix.map_or(Ok(default_storage), encoding)?;
            Ok(ColumnTarget::Cell { family, qualifier: name(qualifier).into_bytes(), encoding })
        }
    }
}

/// `:rowid`, `:timestamp`, `:visibility`.
fn pseudo_column(
    body: &[Symbol],
    suffix: Option<&[Symbol]>,
    start: usize,
    default_storage: Encoding,
) -> Result<ColumnTarget, MappingError> {
    let body = name(trim(body));
    match body.to_ascii_lowercase().as_str() {
        ":rowid" | ":key" => {
            Ok(ColumnTarget::RowId { encoding: suffix.map_or(Ok(default_storage), encoding)? })
        }
        pseudo @ (":timestamp" | ":visibility") => match suffix.and_then(<[Symbol]>::first) {
            Some(hash) => {
                error(hash.position, format!("{pseudo} has no encoding; leave the # and what follows out"))
            }
            None if pseudo == ":timestamp" => Ok(ColumnTarget::Timestamp),
            None => Ok(ColumnTarget::Visibility),
        },
        _ => error(
            start,
            format!("'{body}' is neither family:qualifier nor one of :rowid, :timestamp, :visibility"),
        ),
    }
}

/// The encoding after a `#`, which is the first symbol of `suffix`.
fn encoding(suffix: &[Symbol]) -> Result<Encoding, MappingError> {
    let position = suffix.first().map_or(0, |symbol| symbol.position);
    code(trim(suffix.get(1..).unwrap_or_default()), position)
}

/// The two encodings of a map, `#k:v`.
fn map_encodings(suffix: &[Symbol]) -> Result<(Encoding, Encoding), MappingError> {
    let position = suffix.first().map_or(0, |symbol| symbol.position);
    let codes = suffix.get(1..).unwrap_or_default();
    let mut parts = codes.split(|symbol| symbol.is(':'));
    match (parts.next(), parts.next(), parts.next()) {
        (Some(key), Some(value), None) => Ok((code(trim(key), position)?, code(trim(value), position)?)),
        _ => error(
            position,
            format!("'#{}' is not an encoding of a map; write #KEY:VALUE, for example #s:b", name(codes)),
        ),
    }
}

fn code(part: &[Symbol], position: usize) -> Result<Encoding, MappingError> {
    let code = name(part);
    match code.to_ascii_lowercase().as_str() {
        "s" | "string" => Ok(Encoding::String),
        "b" | "binary" => Ok(Encoding::Binary),
        "n" | "native" => Ok(Encoding::Native),
        _ => error(
            position,
            format!(
                "'#{code}' is not an encoding; use #s (string), #b (binary) or #n (native), or escape the #"
            ),
        ),
    }
}
