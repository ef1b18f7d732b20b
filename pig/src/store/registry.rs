use std::sync::Arc;

use crate::constructors::Constructors;
use crate::error::{PigError, PigErrorKind};
use crate::load::{AvroStorage, PigStorage, TableCatalog};
use crate::store::StoreFunc;
use crate::store::columnar::ParquetStorer;
use crate::store::json::JsonStorage;
use crate::store::table::TableStorer;

/// The store functions by name.
pub type StoreFuncs = Constructors<dyn StoreFunc>;

/// The built-in store functions, with the tables of a catalog.
#[must_use]
pub fn builtin_stores(catalog: Option<Arc<dyn TableCatalog>>) -> StoreFuncs {
    let mut stores = StoreFuncs::none("store");
    stores.register("PigStorage", |arguments| Ok(Arc::new(PigStorage::new(arguments)?)));
    stores.register("JsonStorage", |_| Ok(Arc::new(JsonStorage)));
    stores.register("AvroStorage", |arguments| Ok(Arc::new(AvroStorage::new(arguments)?)));
    stores.register("ParquetStorer", |_| Ok(Arc::new(ParquetStorer)));
    stores.register("TableStorer", move |arguments| match &catalog {
        Some(catalog) => Ok(Arc::new(TableStorer::new(Arc::clone(catalog), arguments)?)),
        None => Err(PigError::new(PigErrorKind::Unsupported, "there are no tables here")),
    });
    stores
}
