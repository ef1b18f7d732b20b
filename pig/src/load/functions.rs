//! PigStorage and TextLoader.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::execution::context::SessionContext;
use datafusion::logical_expr::LogicalPlan;
use ostracon_piglatin::types::Schema;

use crate::error::{PigError, Result};
use crate::load::text::{Tag, TextTable};
use crate::load::{Layout, LoadFunc, paths, scan, schema_file};
use crate::warnings::RunContext;

/// `PigStorage(',', '-tagFile')`: fields between a character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PigStorage {
    pub(crate) delimiter: u8,
    tag: Option<Tag>,
    /// Whether `.pig_schema` is written, and read where it is.
    pub(crate) keeps_schema: bool,
    ignores_schema: bool,
    /// Whether STORE replaces what is there.
    pub(crate) overwrites: bool,
}

impl PigStorage {
    /// What the constructor's arguments say.
    ///
    /// # Errors
    /// `Invalid` for a delimiter that is not one character, and for an unknown option.
    pub fn new(arguments: &[String]) -> Result<Self> {
        let delimiter = match arguments.first() {
            None => b'\t',
            Some(text) => delimiter(text)?,
        };
        let mut tag = None;
        let (mut keeps_schema, mut ignores_schema, mut overwrites) = (false, false, false);
        for option in arguments.iter().skip(1).flat_map(|options| options.split_whitespace()) {
            match option.trim_start_matches('-').to_ascii_lowercase().as_str() {
                "tagfile" | "tagsource" => tag = Some(Tag::File),
                "tagpath" => tag = Some(Tag::Path),
                "schema" => keeps_schema = true,
                "noschema" => ignores_schema = true,
                "overwrite" => overwrites = true,
                other => {
                    let text = format!(
                        "PigStorage has no option -{other}; there are -schema, -noschema, -tagFile, -tagPath and -overwrite"
                    );
                    return Err(PigError::invalid(text));
                }
            }
        }
        Ok(Self { delimiter, tag, keeps_schema, ignores_schema, overwrites })
    }
}

/// One character: itself, `\t`, `\\t`, `\u0001`, `\x01`.
fn delimiter(text: &str) -> Result<u8> {
    let code = |digits: &str| u8::from_str_radix(digits, 16).ok();
    let found = match text.as_bytes() {
        [byte] => Some(*byte),
        b"\\t" => Some(b'\t'),
        _ => match text.strip_prefix("\\x").or_else(|| text.strip_prefix("\\u00")) {
            Some(digits) => code(digits),
            None => None,
        },
    };
    found.ok_or_else(|| {
        PigError::invalid(format!("fields lie between one character of one byte, and {text:?} is none"))
    })
}

#[async_trait]
impl LoadFunc for PigStorage {
    fn schema(&self, path: &str) -> Result<Option<Schema>> {
        match self.ignores_schema {
            true => Ok(None),
            false => schema_file::beside(path),
        }
    }

    fn schema_later(&self, _: &str, kept: Option<&Schema>) -> Result<Option<Schema>> {
        Ok(kept.filter(|_| !self.ignores_schema).cloned())
    }

    async fn plan(
        &self,
        _: &SessionContext,
        path: &str,
        layout: &Layout,
        run: &RunContext,
    ) -> Result<LogicalPlan> {
        let table = TextTable::new(paths::files(path)?, Some(self.delimiter), self.tag, layout, run);
        scan(Arc::new(table))
    }
}

/// `TextLoader()`: lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextLoader;

#[async_trait]
impl LoadFunc for TextLoader {
    async fn plan(
        &self,
        _: &SessionContext,
        path: &str,
        layout: &Layout,
        run: &RunContext,
    ) -> Result<LogicalPlan> {
        scan(Arc::new(TextTable::new(paths::files(path)?, None, None, layout, run)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delimiters_are_one_byte_in_any_spelling() {
        for (text, byte) in [(",", b','), ("\t", b'\t'), ("\\t", b'\t'), ("\\x01", 1), ("\\u0001", 1)] {
            assert_eq!(PigStorage::new(&[text.to_owned()]).unwrap().delimiter, byte);
        }
        for text in ["", "ab", "é"] {
            assert!(PigStorage::new(&[text.to_owned()]).is_err());
        }
        let error = PigStorage::new(&[",".to_owned(), "-tag".to_owned()]).unwrap_err();
        assert!(error.message.contains("-tag"));
    }
}
