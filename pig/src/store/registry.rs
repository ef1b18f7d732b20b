use std::sync::Arc;

use crate::error::{PigError, PigErrorKind, Result};
use crate::load::{PigStorage, TableCatalog, short, unknown};
use crate::store::StoreFunc;
use crate::store::table::TableStorer;
use crate::store::text::TextFolder;

/// The store functions by name.
#[derive(Debug, Clone, Default)]
pub struct StoreFuncs {
    catalog: Option<Arc<dyn TableCatalog>>,
}

/// Those that there are.
const KNOWN: [&str; 2] = ["PigStorage", "TableStorer"];

impl StoreFuncs {
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
    pub fn create(&self, name: &str, arguments: &[String]) -> Result<Arc<dyn StoreFunc>> {
        match short(name) {
            "PigStorage" => Ok(Arc::new(TextFolder { delimiter: PigStorage::new(arguments)?.delimiter })),
            "TableStorer" => match &self.catalog {
                Some(catalog) => Ok(Arc::new(TableStorer::new(Arc::clone(catalog), arguments)?)),
                None => Err(PigError::new(PigErrorKind::Unsupported, "there are no tables here")),
            },
            other => Err(unknown("store", other, &KNOWN)),
        }
    }
}
