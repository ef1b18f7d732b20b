//! TableStorer: rows into a table of the catalog.

use std::sync::Arc;

use arrow::datatypes::{Field as ArrowField, Schema as ArrowSchema, SchemaRef};
use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use datafusion::error::DataFusionError;
use datafusion::execution::context::SessionContext;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::StreamExt;
use ostracon_piglatin::types::{Schema, type_name};

use crate::columns::{export, export_type};
use crate::error::{PigError, PigErrorKind, Result};
use crate::load::{TableCatalog, table_name};
use crate::store::{StoreFunc, StoreInput};

/// `TableStorer('key=a,b')`.
#[derive(Debug, Clone)]
pub(crate) struct TableStorer {
    catalog: Arc<dyn TableCatalog>,
    key: Vec<String>,
}

impl TableStorer {
    pub(crate) fn new(catalog: Arc<dyn TableCatalog>, arguments: &[String]) -> Result<Self> {
        let mut key = Vec::new();
        for argument in arguments {
            match argument.split_once('=') {
                Some((name, columns)) if name.trim().eq_ignore_ascii_case("key") => {
                    key = columns.split(',').map(|column| column.trim().to_owned()).collect();
                }
                _ => {
                    let text = format!("TableStorer takes 'key=COLUMN,...', not '{argument}'");
                    return Err(PigError::invalid(text));
                }
            }
        }
        Ok(Self { catalog, key })
    }

    fn columns(schema: Option<&Schema>) -> Result<SchemaRef> {
        let Some(schema) = schema else {
            let text = "a table needs the names and types of all fields, and the schema is unknown; declare it by AS";
            return Err(PigError::invalid(text));
        };
        let fields = schema.fields.iter().enumerate().map(|(index, field)| {
            let Some(name) = &field.name else {
                return Err(PigError::invalid(format!(
                    "field ${index} has no name for a column; give it one by AS"
                )));
            };
            let ty = export_type(&field.ty).ok_or_else(|| {
                let text =
                    format!("field {name} of type {} cannot be a column of a table", type_name(&field.ty));
                PigError::new(PigErrorKind::Unsupported, text)
            })?;
            Ok(ArrowField::new(column_name(name), ty, true))
        });
        Ok(Arc::new(ArrowSchema::new(fields.collect::<Result<Vec<_>>>()?)))
    }
}

/// The name of a table's column: without what a join put before it.
fn column_name(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}

#[async_trait]
impl StoreFunc for TableStorer {
    fn check(&self, path: &str, schema: Option<&Schema>) -> Result<()> {
        let name = table_name(path);
        let columns = Self::columns(schema)?;
        match self.catalog.schema(name)? {
            Some(table) => {
                for field in table.fields() {
                    if columns.column_with_name(field.name()).is_none() && !field.is_nullable() {
                        let text = format!(
                            "table {name} needs a value for {}, which is no field here",
                            field.name()
                        );
                        return Err(PigError::invalid(text));
                    }
                }
                for field in columns.fields() {
                    if table.column_with_name(field.name()).is_none() {
                        let text = format!("table {name} has no column {}", field.name());
                        return Err(PigError::invalid(text));
                    }
                }
                Ok(())
            }
            None => match self.key.iter().find(|key| columns.column_with_name(key).is_none()) {
                Some(missing) => {
                    Err(PigError::invalid(format!("the key {missing} is no field of the relation")))
                }
                None => Ok(()),
            },
        }
    }

    fn is_of_files(&self) -> bool {
        false
    }

    fn replaces(&self) -> bool {
        true
    }

    fn kept_schema(&self, schema: &Schema) -> Option<Schema> {
        let mut schema = schema.clone();
        for field in &mut schema.fields {
            field.name = field.name.as_deref().map(|name| column_name(name).to_owned());
        }
        Some(schema)
    }

    async fn store(&self, _: &SessionContext, path: &str, input: StoreInput) -> Result<u64> {
        let name = table_name(path);
        self.check(path, input.schema.as_ref())?;
        let columns = Self::columns(input.schema.as_ref())?;
        if self.catalog.schema(name)?.is_none() {
            self.catalog.create(name, Arc::clone(&columns), &self.key).await?;
        }
        let types = input.schema.as_ref().map_or(Vec::new(), Schema::types);
        let wanted = Arc::clone(&columns);
        let rows = input.rows.map(move |batch| {
            let batch = batch?;
            let arrays = batch.columns().iter().zip(&types).map(|(array, ty)| export(array, ty));
            let arrays = arrays.collect::<std::result::Result<Vec<_>, _>>()?;
            RecordBatch::try_new(Arc::clone(&wanted), arrays).map_err(DataFusionError::from)
        });
        self.catalog.store(name, Box::pin(RecordBatchStreamAdapter::new(columns, rows))).await
    }
}
