//! Settings of iterators: plain data that can be stored, compared and printed.
//!
//! [`IteratorScope`] says when an iterator runs, [`IteratorSetting`] which one with what options, and
//! [`IteratorEnvironment`] what an iterator may know of the run it is part of. What a class and its options mean
//! is the [`IteratorRegistry`](crate::IteratorRegistry)'s business.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use ostracon_data::Authorizations;

use crate::{Error, Result};

/// When an iterator runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IteratorScope {
    /// At every read; nothing is changed in the store.
    Scan,
    /// When frozen writes become a run: only part of a row's history is seen.
    MinorCompaction,
    /// When runs are merged: what is dropped is gone.
    MajorCompaction,
}

impl IteratorScope {
    /// Every scope, in the order data meets them.
    pub const ALL: [IteratorScope; 3] =
        [IteratorScope::Scan, IteratorScope::MinorCompaction, IteratorScope::MajorCompaction];

    /// Accumulo's word for the scope: `scan`, `minc` or `majc`.
    pub fn as_str(self) -> &'static str {
        match self {
            IteratorScope::Scan => "scan",
            IteratorScope::MinorCompaction => "minc",
            IteratorScope::MajorCompaction => "majc",
        }
    }
}

impl fmt::Display for IteratorScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for IteratorScope {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str().eq_ignore_ascii_case(text)).ok_or_else(|| {
            Error::InvalidSetting {
                name: text.to_owned(),
                reason: "is not an iterator scope; use scan, minc or majc".to_owned(),
            }
        })
    }
}

/// One iterator of a table or a scan: its name, its place among the others, its class and its options.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct IteratorSetting {
    /// Unique within a scope; not empty and without a dot (a dot separates the parts of a property's key).
    pub name: String,
    /// The place in the stack, at least 1: a lower priority is nearer to the data. Unique within a scope.
    pub priority: u32,
    /// The class, by Accumulo's simple name with or without Accumulo's package.
    pub class: String,
    /// The options, by the names that Accumulo documents.
    pub options: BTreeMap<String, String>,
}

impl IteratorSetting {
    /// A setting without options.
    pub fn new(name: impl Into<String>, priority: u32, class: impl Into<String>) -> Self {
        Self { name: name.into(), priority, class: class.into(), options: BTreeMap::new() }
    }

    /// Adds an option.
    pub fn with_option(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.options.insert(name.into(), value.into());
        self
    }

    /// A setting without options from the text of Accumulo's property, `PRIORITY,CLASS`.
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        let refuse = |reason: String| Error::InvalidSetting { name: name.to_owned(), reason };
        let (priority, class) = text.split_once(',').ok_or_else(|| {
            refuse(format!("\"{text}\" is not of the form PRIORITY,CLASS, as in 20,VersioningIterator"))
        })?;
        let priority = priority.trim().parse::<u32>().map_err(|_| {
            refuse(format!("priority \"{}\" is not a whole number from 1 to {}", priority.trim(), u32::MAX))
        })?;
        let setting = Self::new(name, priority, class.trim());
        setting.check()?;
        Ok(setting)
    }

    /// Checks name, priority and class text; the class's meaning and the options are checked by the registry.
    pub fn check(&self) -> Result<()> {
        let refuse =
            |reason: &str| Err(Error::InvalidSetting { name: self.name.clone(), reason: reason.to_owned() });
        if self.name.is_empty() || self.name.contains('.') {
            return refuse("the name must not be empty and must not contain a dot");
        }
        if self.priority == 0 {
            return refuse("the priority must be at least 1");
        }
        if self.class.is_empty() {
            return refuse("the class is missing");
        }
        Ok(())
    }

    /// Checks the settings of one scope together: each by itself, and that no name or priority is used twice.
    pub fn check_scope<'a>(settings: impl IntoIterator<Item = &'a IteratorSetting>) -> Result<()> {
        let mut names = BTreeSet::new();
        let mut priorities = BTreeMap::new();
        for setting in settings {
            setting.check()?;
            if !names.insert(setting.name.as_str()) {
                return Err(Error::InvalidSetting {
                    name: setting.name.clone(),
                    reason: "the name is used twice in one scope".to_owned(),
                });
            }
            if let Some(other) = priorities.insert(setting.priority, setting.name.as_str()) {
                return Err(Error::InvalidSetting {
                    name: setting.name.clone(),
                    reason: format!(
                        "priority {} is taken by \"{other}\" in the same scope",
                        setting.priority
                    ),
                });
            }
        }
        Ok(())
    }
}

impl fmt::Display for IteratorSetting {
    /// `name=priority,class` and the options in braces, as EXPLAIN shows it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={},{}", self.name, self.priority, self.class)?;
        if !self.options.is_empty() {
            f.write_str(" {")?;
            for (index, (name, value)) in self.options.iter().enumerate() {
                write!(f, "{}{name}={value}", if index == 0 { "" } else { ", " })?;
            }
            f.write_str("}")?;
        }
        Ok(())
    }
}

/// What an iterator may know of the run it is part of. Time comes in here: no iterator reads a clock.
#[derive(Debug, Clone)]
pub struct IteratorEnvironment {
    /// Why the stack runs.
    pub scope: IteratorScope,
    /// In [`IteratorScope::MajorCompaction`]: whether every run of the tablet takes part, so that deletes and
    /// what they hide can vanish. Always false in a minor compaction, always true in a scan.
    pub full: bool,
    /// The session's labels; empty in compactions, which see every cell.
    pub authorizations: Authorizations,
    /// The time of the run in milliseconds since 1970, one value for the whole run.
    pub now_ms: i64,
}

impl IteratorEnvironment {
    /// The environment of a scan.
    pub fn scan(authorizations: Authorizations, now_ms: i64) -> Self {
        Self { scope: IteratorScope::Scan, full: true, authorizations, now_ms }
    }

    /// The environment of a minor compaction.
    pub fn minor_compaction(now_ms: i64) -> Self {
        Self {
            scope: IteratorScope::MinorCompaction,
            full: false,
            authorizations: Authorizations::empty(),
            now_ms,
        }
    }

    /// The environment of a major compaction, `full` if every run of the tablet takes part.
    pub fn major_compaction(full: bool, now_ms: i64) -> Self {
        Self { scope: IteratorScope::MajorCompaction, full, authorizations: Authorizations::empty(), now_ms }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_round_trip() {
        for scope in IteratorScope::ALL {
            assert_eq!(scope.to_string().parse::<IteratorScope>().unwrap(), scope);
        }
        assert!(
            "compaction".parse::<IteratorScope>().unwrap_err().to_string().contains("scan, minc or majc")
        );
    }

    #[test]
    fn parses_accumulos_property() {
        let setting = IteratorSetting::parse("vers", "20, VersioningIterator").unwrap();
        assert_eq!(setting, IteratorSetting::new("vers", 20, "VersioningIterator"));
        assert_eq!(
            setting.with_option("maxVersions", "3").to_string(),
            "vers=20,VersioningIterator {maxVersions=3}"
        );
        for bad in ["VersioningIterator", "x,Y", "0,Y", "-1,Y", "1,", ""] {
            assert!(IteratorSetting::parse("vers", bad).is_err(), "{bad:?} was taken");
        }
        assert!(IteratorSetting::parse("a.b", "1,Y").is_err());
    }

    #[test]
    fn a_scope_has_no_name_or_priority_twice() {
        let a = IteratorSetting::new("a", 1, "X");
        let b = IteratorSetting::new("b", 2, "X");
        assert!(IteratorSetting::check_scope([&a, &b]).is_ok());
        assert!(IteratorSetting::check_scope([&a, &IteratorSetting::new("a", 3, "X")]).is_err());
        let clash =
            IteratorSetting::check_scope([&a, &IteratorSetting::new("c", 1, "X")]).unwrap_err().to_string();
        assert!(clash.contains("priority 1 is taken by \"a\""), "{clash}");
    }
}
