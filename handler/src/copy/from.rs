//! COPY t FROM 'file'.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use datafusion::arrow::datatypes::{Field, Schema, SchemaRef};
use datafusion::catalog::streaming::StreamingTable;
use datafusion::common::TableReference;
use datafusion::physical_plan::streaming::PartitionStream;

use super::options::CopyOptions;
use crate::error::{HandlerError, Result};
use crate::execute::{StatementExecutor, count_of};
use crate::load::{HeaderRule, LoadFormat, LoadOptions, LoadProgress, LoadSource};
use crate::statement::{CopyFrom, quote_identifier};

/// Loads of this process, for names.
static LOADS: AtomicU64 = AtomicU64::new(0);

/// Reads a file into a table, as one INSERT; gives the number of rows.
pub(crate) async fn copy_from(executor: &StatementExecutor, copy: &CopyFrom) -> Result<u64> {
    let options = CopyOptions::parse(copy.format.as_deref(), &copy.options)?;
    let path = PathBuf::from(copy.source.strip_prefix("file://").unwrap_or(&copy.source));
    let format = options.format.or_else(|| LoadFormat::of_path(&path)).unwrap_or(LoadFormat::Csv);
    let load = LoadOptions {
        format: Some(format),
        // PostgreSQL leaves the line out and goes by position.
        header: if options.header { HeaderRule::Skip } else { HeaderRule::Absent },
        null: options.null,
        delimiter: options.delimiter,
        quote: options.quote,
        escape: options.escape,
        ..LoadOptions::default()
    };
    let target =
        executor.load_target(&copy.table, &copy.columns).await.map_err(|error| error.at(copy.position))?;
    let source = LoadSource::open(&[path], &target, load, Arc::new(LoadProgress::default()))?;
    executor.insert_from(&copy.table, source).await
}

impl StatementExecutor {
    /// The columns of a table that a load fills: all, or those named, in that order. Fields that are not nullable are
    /// NOT NULL.
    pub async fn load_target(&self, table: &TableReference, columns: &[String]) -> Result<SchemaRef> {
        let name = table.table();
        let provider = match self.context().table_provider(table.clone()).await {
            Ok(provider) => provider,
            Err(error) if self.catalog().get(name)?.is_some() => return Err(error.into()),
            Err(_) => return Err(self.catalog().not_found(name)),
        };
        let schema = match provider.downcast_ref::<crate::provider::TabletTableProvider>() {
            Some(tablet) => declared_schema(tablet),
            None => provider.schema(),
        };
        if columns.is_empty() {
            return Ok(schema);
        }
        let fields = columns.iter().map(|column| {
            schema.field_with_name(column).cloned().map_err(|_| {
                HandlerError::invalid(format!(
                    "table {name} has no column {column}; DESCRIBE {name} lists its columns"
                ))
            })
        });
        Ok(Arc::new(Schema::new(fields.collect::<Result<Vec<Field>>>()?)))
    }

    /// Inserts rows, of files or others, into the columns of the same names, as one statement.
    pub async fn insert_from(
        &self,
        table: &TableReference,
        source: impl PartitionStream + 'static,
    ) -> Result<u64> {
        let schema = Arc::clone(source.schema());
        let names: Vec<String> = schema.fields().iter().map(|field| quote_identifier(field.name())).collect();
        let streaming = StreamingTable::try_new(schema, vec![Arc::new(source)])?;
        let context = self.context();
        // A name that no user gives to a table, and no other load has.
        let passing = format!("load {}", LOADS.fetch_add(1, Ordering::Relaxed));
        let reference = TableReference::bare(passing.clone());
        context.register_table(reference.clone(), Arc::new(streaming))?;
        let sql = format!(
            "INSERT INTO {} ({}) SELECT * FROM {}",
            table.to_quoted_string(),
            names.join(", "),
            quote_identifier(&passing)
        );
        let done = async { count_of(context.sql(&sql).await?).await }.await;
        context.deregister_table(reference)?;
        done
    }
}

/// The declared columns: a field is nullable if NULL may be written.
fn declared_schema(table: &crate::provider::TabletTableProvider) -> SchemaRef {
    let definition = table.definition();
    let key = definition.key_columns();
    let fields = definition.columns.iter().enumerate().map(|(index, column)| {
        Field::new(&column.name, column.data_type.clone(), column.nullable && !key.contains(&index))
    });
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}
