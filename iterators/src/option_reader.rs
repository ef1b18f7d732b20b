//! [`OptionReader`]: an iterator's options, read by name and type.
//!
//! It notices options that nobody asked for: a misspelt option is an error, not a default.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

use crate::{Error, IteratorOption, Result};

/// Reads the options of one setting.
pub struct OptionReader<'a> {
    class: &'a str,
    known: &'a [IteratorOption],
    options: &'a BTreeMap<String, String>,
}

impl<'a> OptionReader<'a> {
    /// A reader for the class; an option that is not `known` is refused at once.
    pub fn new(
        class: &'a str,
        known: &'a [IteratorOption],
        options: &'a BTreeMap<String, String>,
    ) -> Result<Self> {
        let reader = Self { class, known, options };
        match options.keys().find(|name| !known.iter().any(|option| option.name == name.as_str())) {
            Some(unknown) => Err(reader.refuse(unknown, reader.known_text())),
            None => Ok(reader),
        }
    }

    /// A reader for a class whose options have names of the user's: none is refused by its name.
    pub fn of_any(
        class: &'a str,
        known: &'a [IteratorOption],
        options: &'a BTreeMap<String, String>,
    ) -> Self {
        Self { class, known, options }
    }

    /// The options with names of the user's.
    pub fn others(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let known = self.known;
        self.options
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .filter(move |(name, _)| !known.iter().any(|option| option.name == *name))
    }

    fn known_text(&self) -> String {
        if self.known.is_empty() {
            return "is unknown; the class has no options".to_owned();
        }
        let names: Vec<&str> = self.known.iter().map(|option| option.name).collect();
        format!("is unknown; known options are {}", names.join(", "))
    }

    /// The error for an option's value.
    pub fn refuse(&self, option: &str, reason: impl Display) -> Error {
        Error::InvalidOption {
            class: self.class.to_owned(),
            option: option.to_owned(),
            reason: reason.to_string(),
        }
    }

    /// The option's text, if it is set.
    pub fn text(&self, option: &str) -> Option<&'a str> {
        self.options.get(option).map(String::as_str)
    }

    /// The option's text; an error if it is not set.
    pub fn required(&self, option: &str) -> Result<&'a str> {
        self.text(option).ok_or_else(|| self.refuse(option, "is missing"))
    }

    /// The option as a whole number in `from..=to`, if it is set.
    pub fn number<N>(&self, option: &str, from: N, to: N) -> Result<Option<N>>
    where
        N: FromStr + PartialOrd + Display + Copy,
    {
        let Some(text) = self.text(option) else { return Ok(None) };
        match text.trim().parse::<N>() {
            Ok(number) if number >= from && number <= to => Ok(Some(number)),
            _ => Err(self.refuse(option, format!("\"{text}\" is not a whole number from {from} to {to}"))),
        }
    }

    /// The option as `true` or `false`; `default` if it is not set.
    pub fn flag(&self, option: &str, default: bool) -> Result<bool> {
        match self.text(option) {
            None => Ok(default),
            Some(text) if text.eq_ignore_ascii_case("true") => Ok(true),
            Some(text) if text.eq_ignore_ascii_case("false") => Ok(false),
            Some(text) => Err(self.refuse(option, format!("\"{text}\" is neither true nor false"))),
        }
    }

    /// The option as a number of bytes, with a suffix `B`, `K`, `M` or `G` as in Accumulo (powers of 1024).
    pub fn byte_size(&self, option: &str) -> Result<Option<usize>> {
        let Some(text) = self.text(option) else { return Ok(None) };
        let refused =
            || self.refuse(option, format!("\"{text}\" is not a size in bytes, as 65536, 64K or 1G are"));
        let trimmed = text.trim();
        let (digits, shift) = match trimmed.char_indices().next_back() {
            Some((at, 'B' | 'b')) => (&trimmed[..at], 0),
            Some((at, 'K' | 'k')) => (&trimmed[..at], 10),
            Some((at, 'M' | 'm')) => (&trimmed[..at], 20),
            Some((at, 'G' | 'g')) => (&trimmed[..at], 30),
            _ => (trimmed, 0),
        };
        let number = digits.parse::<usize>().map_err(|_| refused())?;
        number.checked_mul(1 << shift).filter(|bytes| *bytes > 0).map(Some).ok_or_else(refused)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [IteratorOption; 2] =
        [IteratorOption { name: "size", description: "" }, IteratorOption { name: "on", description: "" }];

    fn options(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn unknown_options_are_refused_with_the_known_ones() {
        let given = options(&[("sise", "1")]);
        let error = OptionReader::new("C", &KNOWN, &given).err().unwrap().to_string();
        assert_eq!(error, "option \"sise\" of iterator class C: is unknown; known options are size, on");
    }

    #[test]
    fn values_are_read_strictly() {
        let sizes = [
            ("1", Some(1)),
            ("2K", Some(2048)),
            (" 1m ", Some(1 << 20)),
            ("3B", Some(3)),
            ("1G", Some(1 << 30)),
        ];
        for (text, bytes) in sizes {
            let given = options(&[("size", text)]);
            assert_eq!(OptionReader::new("C", &KNOWN, &given).unwrap().byte_size("size").unwrap(), bytes);
        }
        for text in ["", "K", "0", "-1", "1.5M", "1T", "99999999999999999999", "99999999999999G", "1é"] {
            let given = options(&[("size", text)]);
            assert!(OptionReader::new("C", &KNOWN, &given).unwrap().byte_size("size").is_err(), "{text}");
        }
        let given = options(&[("on", "True"), ("size", "5")]);
        let reader = OptionReader::new("C", &KNOWN, &given).unwrap();
        assert!(reader.flag("on", false).unwrap());
        assert!(reader.flag("size", false).is_err());
        assert_eq!(reader.number("size", 1, 5).unwrap(), Some(5));
        assert!(reader.number("size", 6, 9).is_err() && reader.number("on", 6, 9).is_err());
        assert_eq!(reader.number("off", 6, 9).unwrap(), None);
        assert!(reader.required("off").is_err());
    }
}
