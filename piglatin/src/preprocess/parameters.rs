use std::collections::BTreeMap;

use crate::source::did_you_mean;

/// The values of parameters. Names are the same in any case.
///
/// `%declare` goes before what the command line gives, that before parameter files, and those before `%default`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parameters {
    declared: BTreeMap<String, String>,
    given: BTreeMap<String, String>,
    of_files: BTreeMap<String, String>,
    defaults: BTreeMap<String, String>,
}

impl Parameters {
    /// `%declare`.
    pub fn declare(&mut self, name: &str, value: impl Into<String>) {
        self.declared.insert(name.to_lowercase(), value.into());
    }

    /// `-param`; of two values the later one counts.
    pub fn give(&mut self, name: &str, value: impl Into<String>) {
        self.given.insert(name.to_lowercase(), value.into());
    }

    /// A line of a `-param_file`; of two values the later one counts.
    pub fn give_in_file(&mut self, name: &str, value: impl Into<String>) {
        self.of_files.insert(name.to_lowercase(), value.into());
    }

    /// `%default`; the first one counts.
    pub fn default_to(&mut self, name: &str, value: impl Into<String>) {
        self.defaults.entry(name.to_lowercase()).or_insert_with(|| value.into());
    }

    fn levels(&self) -> [&BTreeMap<String, String>; 4] {
        [&self.declared, &self.given, &self.of_files, &self.defaults]
    }

    /// The value that counts.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        let name = name.to_lowercase();
        self.levels().into_iter().find_map(|level| level.get(&name)).map(String::as_str)
    }

    /// What to do about a parameter that has no value.
    pub(super) fn help_for(&self, name: &str) -> String {
        match did_you_mean(name, self.levels().into_iter().flat_map(BTreeMap::keys)) {
            Some(meant) => format!("did you mean '${meant}'?"),
            None => format!("give it with -param {name}=VALUE or %default {name} 'VALUE'"),
        }
    }
}
