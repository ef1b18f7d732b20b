//! The options of COPY.

use crate::error::{HandlerError, Result};
use crate::load::LoadFormat;
use crate::statement::Property;

/// The options as they are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CopyOptions {
    /// The format, if it is named.
    pub(super) format: Option<LoadFormat>,
    /// Whether the first line holds the names of the columns.
    pub(super) header: bool,
    /// The unquoted text of NULL.
    pub(super) null: String,
    /// What stands between fields; `None`: as the format says.
    pub(super) delimiter: Option<u8>,
    /// What stands around fields.
    pub(super) quote: u8,
    /// What a quote inside a field is marked by; `None`: itself.
    pub(super) escape: Option<u8>,
}

const NAMES: [&str; 5] = ["HEADER", "NULL", "DELIMITER", "QUOTE", "ESCAPE"];

impl CopyOptions {
    pub(super) fn parse(format: Option<&str>, options: &[Property]) -> Result<Self> {
        let mut parsed = Self {
            format: None,
            header: false,
            null: String::new(),
            delimiter: None,
            quote: b'"',
            escape: None,
        };
        if let Some(name) = format {
            let known = LoadFormat::from_name(name).ok_or_else(|| {
                HandlerError::invalid(format!(
                    "COPY knows no format {name}; known are csv, tsv, ndjson and parquet"
                ))
            })?;
            parsed.format = Some(known);
        }
        for option in options {
            parsed.set(option).map_err(|error| error.at(option.position))?;
        }
        Ok(parsed)
    }

    fn set(&mut self, option: &Property) -> Result<()> {
        // DataFusion's names of the same.
        let key = option.key.strip_prefix("format.").unwrap_or(&option.key).to_ascii_uppercase();
        match key.as_str() {
            "HEADER" | "HAS_HEADER" => self.header = boolean(option)?,
            "NULL" | "NULL_VALUE" => self.null.clone_from(&option.value),
            "DELIMITER" => self.delimiter = Some(character(option)?),
            "QUOTE" => self.quote = character(option)?,
            "ESCAPE" => self.escape = Some(character(option)?),
            _ => {
                let hint = match crate::suggest::nearest(&key, NAMES.into_iter()) {
                    Some(near) => format!("did you mean {near}?"),
                    None => format!("known are FORMAT, {}", NAMES.join(", ")),
                };
                return Err(HandlerError::invalid(format!("COPY knows no option {}; {hint}", option.key)));
            }
        }
        Ok(())
    }
}

fn boolean(option: &Property) -> Result<bool> {
    match option.value.to_ascii_lowercase().as_str() {
        "true" | "on" | "1" => Ok(true),
        "false" | "off" | "0" => Ok(false),
        other => Err(HandlerError::invalid(format!("COPY: {} is true or false, not '{other}'", option.key))),
    }
}

fn character(option: &Property) -> Result<u8> {
    match option.value.as_bytes() {
        [byte] if byte.is_ascii() && !matches!(byte, b'\n' | b'\r' | 0) => Ok(*byte),
        b"\\t" => Ok(b'\t'),
        _ => Err(HandlerError::invalid(format!(
            "COPY: {} is one ASCII character, not '{}'",
            option.key, option.value
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statement::Position;

    fn option(key: &str, value: &str) -> Property {
        Property { key: key.into(), value: value.into(), position: Position { line: 1, column: 9 } }
    }

    #[test]
    fn postgresqls_names_and_datafusions_mean_the_same() {
        let options = [option("header", "true"), option("NULL", "-"), option("delimiter", ";")];
        let parsed = CopyOptions::parse(Some("csv"), &options).unwrap();
        assert_eq!((parsed.header, parsed.null.as_str(), parsed.delimiter), (true, "-", Some(b';')));
        let same = [
            option("format.has_header", "TRUE"),
            option("format.null_value", "-"),
            option("format.delimiter", ";"),
        ];
        assert_eq!(CopyOptions::parse(Some("csv"), &same).unwrap(), parsed);
    }

    #[test]
    fn mistakes_are_named_and_placed() {
        for (bad, words) in [
            (option("headr", "true"), "did you mean HEADER?"),
            (option("header", "perhaps"), "true or false"),
            (option("delimiter", "ab"), "one ASCII character"),
        ] {
            let error = CopyOptions::parse(None, &[bad]).unwrap_err();
            assert!(error.message.contains(words), "{error}");
            assert!(error.position.is_some());
        }
        assert!(CopyOptions::parse(Some("xlsx"), &[]).is_err());
    }
}
