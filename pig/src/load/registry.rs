use std::sync::Arc;

use datafusion::execution::context::SessionContext;

use crate::constructors::Constructors;
use crate::error::{PigError, PigErrorKind};
use crate::load::avro::AvroStorage;
use crate::load::functions::{PigStorage, TextLoader};
use crate::load::json::JsonLoader;
use crate::load::parquet::ParquetLoader;
use crate::load::table::TableLoader;
use crate::load::{LoadFunc, TableCatalog};

/// The load functions by name.
pub type LoadFuncs = Constructors<dyn LoadFunc>;

/// The built-in load functions of a session, with the tables of a catalog.
#[must_use]
pub fn builtin_loads(context: SessionContext, catalog: Option<Arc<dyn TableCatalog>>) -> LoadFuncs {
    let mut loads = LoadFuncs::none("load");
    loads.register("PigStorage", |arguments| Ok(Arc::new(PigStorage::new(arguments)?)));
    loads.register("TextLoader", |_| Ok(Arc::new(TextLoader)));
    loads.register("JsonLoader", |arguments| Ok(Arc::new(JsonLoader::new(arguments)?)));
    loads.register("AvroStorage", |arguments| Ok(Arc::new(AvroStorage::new(arguments)?)));
    loads.register("ParquetLoader", move |_| Ok(Arc::new(ParquetLoader { context: context.clone() })));
    loads.register("TableLoader", move |_| match &catalog {
        Some(catalog) => Ok(Arc::new(TableLoader { catalog: Arc::clone(catalog) })),
        None => Err(PigError::new(PigErrorKind::Unsupported, "there are no tables here")),
    });
    loads
}
