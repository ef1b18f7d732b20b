//! [`LoadOptions`]: how files are to be read, as plain data.

use std::path::{Path, PathBuf};

/// The forms of files that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadFormat {
    /// Fields between commas (or another delimiter), by PostgreSQL's rules.
    Csv,
    /// The same with a tab as delimiter.
    Tsv,
    /// One JSON object a line, or one array of objects.
    NdJson,
    /// Apache Parquet.
    Parquet,
}

impl LoadFormat {
    /// The format of a name as users write it: `csv`, `tsv`, `ndjson`, `jsonl`, `json`, `parquet`, `pq`.
    pub fn from_name(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "csv" | "txt" => Some(Self::Csv),
            "tsv" | "tab" => Some(Self::Tsv),
            "ndjson" | "jsonl" | "json" => Some(Self::NdJson),
            "parquet" | "pq" => Some(Self::Parquet),
            _ => None,
        }
    }

    /// The format by a file's extension; an extension of compression (`.gz`, `.zst`, `.bz2`, `.xz`) is looked through.
    pub fn of_path(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        let name = COMPRESSIONS.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
        Self::from_name(name.rsplit_once('.')?.1)
    }
}

/// The endings of compressed files.
pub(super) const COMPRESSIONS: [&str; 4] = [".gz", ".zst", ".bz2", ".xz"];

/// What the first line of a CSV file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HeaderRule {
    /// A header if most of its fields name columns of the table, else a row.
    #[default]
    Guess,
    /// Column names; each must be a column of the table.
    Names,
    /// Column names if all of them are columns of the table; else the line is left out and fields go by position.
    Skip,
    /// A row: fields go by position.
    Absent,
}

/// How files are to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadOptions {
    /// The files' format; `None`: by each file's extension.
    pub format: Option<LoadFormat>,
    /// What the first line of a CSV file is.
    pub header: HeaderRule,
    /// The unquoted CSV text that is NULL.
    pub null: String,
    /// The CSV delimiter, an ASCII character; `None`: a comma, or a tab for [`LoadFormat::Tsv`].
    pub delimiter: Option<u8>,
    /// The CSV quote, an ASCII character.
    pub quote: u8,
    /// What takes the meaning of a quote inside quotes; `None`: the quote itself.
    pub escape: Option<u8>,
    /// Where bad rows go; `None`: the first one ends the load.
    pub reject: Option<PathBuf>,
    /// The most rows of a batch.
    pub batch_rows: usize,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self {
            format: None,
            header: HeaderRule::default(),
            null: String::new(),
            delimiter: None,
            quote: b'"',
            escape: None,
            reject: None,
            batch_rows: 8192,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_go_by_the_extension_below_the_compression() {
        for (name, wanted) in [
            ("a.csv", Some(LoadFormat::Csv)),
            ("d/a.CSV.gz", Some(LoadFormat::Csv)),
            ("a.tsv.zst", Some(LoadFormat::Tsv)),
            ("a.jsonl", Some(LoadFormat::NdJson)),
            ("a.b.parquet", Some(LoadFormat::Parquet)),
            ("csv", None),
            ("a.xlsx", None),
        ] {
            assert_eq!(LoadFormat::of_path(Path::new(name)), wanted, "{name}");
        }
    }
}
