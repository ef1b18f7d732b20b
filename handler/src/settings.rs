//! [`OstraconSettings`]: the session settings `ostracon.*`, as a DataFusion configuration extension.
//!
//! `SET ostracon.iterator_pushdown = false` reaches [`ExtensionOptions::set`] here; planning reads the values from
//! the session it plans for, so that two sessions over one store do not disturb each other.

use std::any::Any;

use datafusion::common::config::{ConfigEntry, ConfigExtension, ConfigOptions, ExtensionOptions};
use datafusion::error::{DataFusionError, Result};

/// The settings of one session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OstraconSettings {
    /// Whether filters become row ranges and server-side filters; off, every scan reads all rows.
    pub iterator_pushdown: bool,
    /// Whether scans compute the first half of aggregates themselves.
    pub partial_aggregates: bool,
    /// Whether secondary indexes may answer.
    pub use_index: bool,
    /// Whether an aggregate may be answered from an index alone.
    pub index_rewrite: bool,
    /// A file or folder of index rows to read instead of the indexes the catalog knows; empty: none.
    pub index_file: String,
    /// An INSERT of more rows than this is loaded as segments.
    pub bulk_insert_rows: u64,
}

impl Default for OstraconSettings {
    fn default() -> Self {
        Self {
            iterator_pushdown: true,
            partial_aggregates: true,
            use_index: true,
            index_rewrite: true,
            index_file: String::new(),
            bulk_insert_rows: 16 << 10,
        }
    }
}

/// Every key with what it does, for errors and `SHOW ALL`.
const KEYS: [(&str, &str); 6] = [
    ("iterator_pushdown", "push filters into row ranges and server-side filters (true or false)"),
    ("partial_aggregates", "let scans compute the first half of aggregates (true or false)"),
    ("use_index", "let secondary indexes answer (true or false)"),
    ("index_rewrite", "answer aggregates from an index alone (true or false)"),
    ("index_file", "a file or folder of index rows to read; empty for none"),
    ("bulk_insert_rows", "load an INSERT of more rows than this as segments"),
];

impl OstraconSettings {
    /// The settings of a session; the defaults where it has none.
    pub fn of(options: &ConfigOptions) -> Self {
        options.extensions.get::<Self>().cloned().unwrap_or_default()
    }

    fn value(&self, key: &str) -> Option<String> {
        match key {
            "iterator_pushdown" => Some(self.iterator_pushdown.to_string()),
            "partial_aggregates" => Some(self.partial_aggregates.to_string()),
            "use_index" => Some(self.use_index.to_string()),
            "index_rewrite" => Some(self.index_rewrite.to_string()),
            "index_file" => Some(self.index_file.clone()),
            "bulk_insert_rows" => Some(self.bulk_insert_rows.to_string()),
            _ => None,
        }
    }
}

impl ConfigExtension for OstraconSettings {
    const PREFIX: &'static str = "ostracon";
}

impl ExtensionOptions for OstraconSettings {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn cloned(&self) -> Box<dyn ExtensionOptions> {
        Box::new(self.clone())
    }

    fn set(&mut self, key: &str, value: &str) -> Result<()> {
        match key {
            "iterator_pushdown" => self.iterator_pushdown = boolean(key, value)?,
            "partial_aggregates" => self.partial_aggregates = boolean(key, value)?,
            "use_index" => self.use_index = boolean(key, value)?,
            "index_rewrite" => self.index_rewrite = boolean(key, value)?,
            "index_file" => self.index_file = value.to_owned(),
            "bulk_insert_rows" => self.bulk_insert_rows = number(key, value)?,
            _ => {
                let names = KEYS.iter().map(|(name, _)| *name);
                let hint = match crate::suggest::nearest(key, names.clone()) {
                    Some(near) => format!("did you mean ostracon.{near}?"),
                    None => {
                        let names: Vec<String> = names.map(|name| format!("ostracon.{name}")).collect();
                        format!("known are {}", names.join(", "))
                    }
                };
                return Err(DataFusionError::Configuration(format!(
                    "unknown setting ostracon.{key}; {hint}"
                )));
            }
        }
        Ok(())
    }

    fn entries(&self) -> Vec<ConfigEntry> {
        let entry = |(key, description): &(&str, &'static str)| ConfigEntry {
            key: format!("{}.{key}", Self::PREFIX),
            value: self.value(key),
            description,
        };
        KEYS.iter().map(entry).collect()
    }
}

fn number(key: &str, value: &str) -> Result<u64> {
    value.parse().map_err(|_| {
        DataFusionError::Configuration(format!("ostracon.{key} is a number of rows, not '{value}'"))
    })
}

fn boolean(key: &str, value: &str) -> Result<bool> {
    match value.to_ascii_lowercase().as_str() {
        "true" | "on" => Ok(true),
        "false" | "off" => Ok(false),
        _ => Err(DataFusionError::Configuration(format!("ostracon.{key} is true or false, not '{value}'"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_set_listed_and_checked() {
        let mut options = ConfigOptions::new();
        options.extensions.insert(OstraconSettings::default());
        options.set("ostracon.iterator_pushdown", "FALSE").unwrap();
        options.set("ostracon.index_file", "dir").unwrap();
        let settings = OstraconSettings::of(&options);
        assert_eq!((settings.iterator_pushdown, settings.index_file.as_str()), (false, "dir"));
        let listed: Vec<_> = settings.entries().into_iter().map(|entry| (entry.key, entry.value)).collect();
        assert_eq!(listed[0], ("ostracon.iterator_pushdown".to_owned(), Some("false".to_owned())));
        assert_eq!(listed.len(), KEYS.len());
        let error = options.set("ostracon.iterator_pushdwon", "true").unwrap_err().to_string();
        assert!(error.contains("did you mean ostracon.iterator_pushdown?"), "{error}");
        assert!(options.set("ostracon.use_index", "perhaps").is_err());
        options.set("ostracon.bulk_insert_rows", "0").unwrap();
        assert_eq!(OstraconSettings::of(&options).bulk_insert_rows, 0);
        assert!(options.set("ostracon.bulk_insert_rows", "-1").is_err());
        assert_eq!(OstraconSettings::of(&ConfigOptions::new()), OstraconSettings::default());
    }
}
