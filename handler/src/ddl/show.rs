//! SHOW and DESCRIBE: the catalog as rows.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch, StringArray};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::execution::context::SessionContext;
use ostracon_compare::LikePattern;

use super::{Ddl, local_name};
use crate::catalog::{CatalogEntry, FileTable, HandledTable};
use crate::error::{HandlerError, Result};
use crate::statement::sql_type_name;
use crate::statement::{Show, quote_identifier};
use crate::storage::TableDescription;

impl Ddl {
    /// The answer to a SHOW or DESCRIBE, as one batch of text columns.
    pub async fn show(&self, context: &SessionContext, show: &Show) -> Result<RecordBatch> {
        match show {
            Show::Tables { pattern } => self.tables(pattern.as_deref()),
            Show::CreateTable(table, position) => {
                let name = local_name(table).map_err(|error| error.at(*position))?;
                let entry = self.catalog.require(&name).map_err(|error| error.at(*position))?;
                let text = self.create_text(&name, &entry)?;
                text_batch(&["table_name", "create_statement"], vec![vec![Some(name), Some(text)]])
            }
            Show::Properties { table, position, key } => {
                let name = local_name(table).map_err(|error| error.at(*position))?;
                let entry = self.catalog.require(&name).map_err(|error| error.at(*position))?;
                let properties = match &entry {
                    CatalogEntry::Handled(table) => self.describe(table)?.properties,
                    CatalogEntry::File(table) => table.options.clone(),
                    CatalogEntry::View(_) => Vec::new(),
                };
                let wanted = |name: &String| key.as_ref().is_none_or(|key| key == name);
                let rows = properties.into_iter().filter(|(name, _)| wanted(name));
                text_batch(&["key", "value"], rows.map(|(key, value)| vec![Some(key), Some(value)]).collect())
            }
            Show::Columns(table, position) => {
                let name = local_name(table).map_err(|error| error.at(*position))?;
                match self.catalog.get(&name)? {
                    Some(CatalogEntry::Handled(table)) => self.columns(&table),
                    Some(_) => planned_columns(context, table.clone()).await,
                    // A table that a program registered, or one of information_schema.
                    None => match planned_columns(context, table.clone()).await {
                        Ok(columns) => Ok(columns),
                        Err(_) => Err(self.catalog.not_found(&name).at(*position)),
                    },
                }
            }
        }
    }

    fn describe(&self, table: &HandledTable) -> Result<TableDescription> {
        self.handlers.require(&table.handler)?.describe(table)
    }

    fn tables(&self, pattern: Option<&str>) -> Result<RecordBatch> {
        let pattern = match pattern {
            Some(pattern) => Some(
                LikePattern::compile(pattern, true)
                    .map_err(|error| HandlerError::invalid(format!("the pattern of SHOW TABLES: {error}")))?,
            ),
            None => None,
        };
        let mut rows = Vec::new();
        for (name, entry) in self.catalog.entries()? {
            if pattern.as_ref().is_some_and(|pattern| !pattern.matches(&name)) {
                continue;
            }
            let (kind, stored) = match &entry {
                CatalogEntry::Handled(table) if table.external => ("EXTERNAL TABLE", table.handler.clone()),
                CatalogEntry::Handled(table) => ("TABLE", table.handler.clone()),
                CatalogEntry::File(table) => ("EXTERNAL TABLE", table.format.clone()),
                CatalogEntry::View(_) => ("VIEW", String::new()),
            };
            rows.push(vec![
                Some(name),
                Some(kind.to_owned()),
                Some(stored).filter(|stored| !stored.is_empty()),
            ]);
        }
        text_batch(&["table_name", "table_type", "stored_as"], rows)
    }

    fn columns(&self, table: &HandledTable) -> Result<RecordBatch> {
        let description = self.describe(table)?;
        let rows = description.columns.into_iter().map(|column| {
            let nullable = if column.spec.nullable { "YES" } else { "NO" };
            vec![
                Some(column.spec.name),
                Some(sql_type_name(&column.spec.data_type)),
                Some(nullable.to_owned()),
                column.spec.default,
                Some(column.stored_as),
            ]
        });
        let rows = rows.collect();
        text_batch(&["column_name", "data_type", "is_nullable", "column_default", "stored_as"], rows)
    }

    fn create_text(&self, name: &str, entry: &CatalogEntry) -> Result<String> {
        Ok(match entry {
            CatalogEntry::Handled(table) => handled_text(name, table, &self.describe(table)?),
            CatalogEntry::File(table) => file_text(name, table),
            CatalogEntry::View(view) => {
                let names: Vec<String> = view.columns.iter().map(|column| quote_identifier(column)).collect();
                let columns =
                    if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
                format!("CREATE VIEW {}{columns} AS {}", quote_identifier(name), view.query)
            }
        })
    }
}

fn handled_text(name: &str, table: &HandledTable, description: &TableDescription) -> String {
    let mut lines: Vec<String> = description
        .columns
        .iter()
        .map(|column| {
            let spec = &column.spec;
            let in_key = description.primary_key.contains(&spec.name);
            let not_null = if spec.nullable || in_key { "" } else { " NOT NULL" };
            let default = spec.default.as_ref().map(|sql| format!(" DEFAULT {sql}")).unwrap_or_default();
            format!(
                "  {} {}{default}{not_null}",
                quote_identifier(&spec.name),
                sql_type_name(&spec.data_type)
            )
        })
        .collect();
    if !description.primary_key.is_empty() {
        let names: Vec<String> = description.primary_key.iter().map(|name| quote_identifier(name)).collect();
        lines.push(format!("  PRIMARY KEY ({})", names.join(", ")));
    }
    let external = if table.external { "EXTERNAL " } else { "" };
    let mut text = format!("CREATE {external}TABLE {} (\n{}\n)", quote_identifier(name), lines.join(",\n"));
    if table.external || !description.properties.is_empty() || table.handler != "TABLET" {
        text.push_str(&format!("\nSTORED AS {}", table.handler));
    }
    push_properties(&mut text, "TBLPROPERTIES", &description.properties);
    text
}

fn file_text(name: &str, table: &FileTable) -> String {
    let mut text = format!("CREATE EXTERNAL TABLE {}", quote_identifier(name));
    let columns: Vec<String> = table
        .schema
        .fields()
        .iter()
        .map(|field| {
            let not_null = if field.is_nullable() { "" } else { " NOT NULL" };
            format!("  {} {}{not_null}", quote_identifier(field.name()), sql_type_name(field.data_type()))
        })
        .collect();
    if !columns.is_empty() {
        text.push_str(&format!(" (\n{}\n)", columns.join(",\n")));
    }
    text.push_str(&format!("\nSTORED AS {}", table.format));
    if !table.partitioned_by.is_empty() {
        let names: Vec<String> = table.partitioned_by.iter().map(|name| quote_identifier(name)).collect();
        text.push_str(&format!("\nPARTITIONED BY ({})", names.join(", ")));
    }
    if !table.order.is_empty() {
        let keys = table.order.iter().map(|key| {
            let direction = if key.ascending { "ASC" } else { "DESC" };
            let nulls = if key.nulls_first { "FIRST" } else { "LAST" };
            format!("{} {direction} NULLS {nulls}", key.expression)
        });
        text.push_str(&format!("\nWITH ORDER ({})", keys.collect::<Vec<_>>().join(", ")));
    }
    let locations: Vec<String> = table.locations.iter().map(|place| quote_text(place)).collect();
    text.push_str(&format!("\nLOCATION {}", locations.join(", ")));
    push_properties(&mut text, "OPTIONS", &table.options);
    text
}

fn push_properties(text: &mut String, word: &str, properties: &[(String, String)]) {
    if !properties.is_empty() {
        let pairs: Vec<String> = properties
            .iter()
            .map(|(key, value)| format!("  {} = {}", quote_text(key), quote_text(value)))
            .collect();
        text.push_str(&format!("\n{word} (\n{}\n)", pairs.join(",\n")));
    }
}

fn quote_text(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// The columns of what DataFusion makes of a name.
async fn planned_columns(
    context: &SessionContext,
    table: datafusion::common::TableReference,
) -> Result<RecordBatch> {
    let provider = context.table_provider(table).await?;
    let schema = provider.schema();
    let rows = schema.fields().iter().map(|field| {
        let nullable = if field.is_nullable() { "YES" } else { "NO" };
        vec![
            Some(field.name().clone()),
            Some(sql_type_name(field.data_type())),
            Some(nullable.to_owned()),
            None,
            None,
        ]
    });
    let rows = rows.collect();
    text_batch(&["column_name", "data_type", "is_nullable", "column_default", "stored_as"], rows)
}

/// Rows of text as a batch.
pub(crate) fn text_batch(names: &[&str], rows: Vec<Vec<Option<String>>>) -> Result<RecordBatch> {
    let fields: Vec<Field> = names.iter().map(|name| Field::new(*name, DataType::Utf8, true)).collect();
    let columns = (0..names.len()).map(|column| {
        let values = rows.iter().map(|row| row.get(column).cloned().flatten());
        Arc::new(values.collect::<StringArray>()) as ArrayRef
    });
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns.collect())
        .map_err(|error| HandlerError::internal("an answer could not be put into columns").with_source(error))
}
