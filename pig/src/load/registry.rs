use std::sync::Arc;

use ostracon_piglatin::source::did_you_mean;

use crate::error::{PigError, PigErrorKind, Result};
use crate::load::functions::{PigStorage, TextLoader};
use crate::load::table::TableLoader;
use crate::load::{LoadFunc, TableCatalog};

/// The load functions by name.
#[derive(Debug, Clone, Default)]
pub struct LoadFuncs {
    catalog: Option<Arc<dyn TableCatalog>>,
}

/// Those that there are.
const KNOWN: [&str; 3] = ["PigStorage", "TextLoader", "TableLoader"];

/// Those that Pig has, and why they are not here.
const REFUSED: [(&str, &str); 5] = [
    ("BinStorage", "its bytes are Java's own; write the data anew with PigStorage or as Parquet"),
    ("OrcStorage", "there is no reader of ORC; write the data as Parquet"),
    ("AvroStorage", "there is no reader of Avro; write the data as Parquet"),
    ("HBaseStorage", "tables are read by TableLoader, as in LOAD 'table:NAME'"),
    ("AccumuloStorage", "tables are read by TableLoader, as in LOAD 'table:NAME'"),
];

impl LoadFuncs {
    /// The built-in functions, with the tables of a catalog.
    #[must_use]
    pub fn new(catalog: Option<Arc<dyn TableCatalog>>) -> Self {
        Self { catalog }
    }

    /// Whether there is a function of this name.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        KNOWN.contains(&short(name))
    }

    /// The function of a name with the arguments of its constructor.
    ///
    /// # Errors
    /// `Invalid` if there is none, or it refuses the arguments; `Unsupported` for those of Pig that are not here.
    pub fn create(&self, name: &str, arguments: &[String]) -> Result<Arc<dyn LoadFunc>> {
        match short(name) {
            "PigStorage" => Ok(Arc::new(PigStorage::new(arguments)?)),
            "TextLoader" => Ok(Arc::new(TextLoader)),
            "TableLoader" => match &self.catalog {
                Some(catalog) => Ok(Arc::new(TableLoader { catalog: Arc::clone(catalog) })),
                None => Err(PigError::new(PigErrorKind::Unsupported, "there are no tables here")),
            },
            other => Err(unknown("load", other, &KNOWN)),
        }
    }
}

/// Why there is no load or store function of a name.
pub(crate) fn unknown(what: &str, name: &str, known: &[&str]) -> PigError {
    if let Some((_, reason)) = REFUSED.iter().find(|(refused, _)| *refused == name) {
        return PigError::new(PigErrorKind::Unsupported, format!("{name} is not supported: {reason}"));
    }
    let text = format!("there is no {what} function {name}");
    PigError::invalid(match did_you_mean(name, known.iter().copied()) {
        Some(meant) => format!("{text}; did you mean {meant}?"),
        None => format!("{text}; there are {}", known.join(", ")),
    })
}

/// A name without its Java package.
pub(crate) fn short(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}
