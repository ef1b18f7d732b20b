//! Tables over files: DataFusion reads them, the catalog remembers them.

use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::datatypes::{Field, Schema};
use datafusion::execution::context::SessionContext;

use super::Ddl;
use super::create::Created;
use crate::catalog::{CatalogEntry, FileTable, SortOrder, open_files};
use crate::error::{HandlerError, Result};
use crate::parquet::FIELD_ID;
use crate::statement::CreateTable;

impl Ddl {
    /// Makes a table over files; they are looked at once, so that a wrong format fails here.
    pub(super) async fn create_file_table(
        &self,
        context: &SessionContext,
        statement: &CreateTable,
        name: &str,
        format: &str,
    ) -> Result<Created> {
        let at = statement.position;
        let state = context.state();
        if !state.table_factories().contains_key(format) {
            let mut known: Vec<&str> = state.table_factories().keys().map(String::as_str).collect();
            known.push("TABLET");
            known.sort_unstable();
            let hint = match crate::suggest::nearest(format, known.iter().copied()) {
                Some(near) => format!("did you mean {near}?"),
                None => format!("known are {}", known.join(", ")),
            };
            return Err(
                HandlerError::unsupported(format!("nothing stores tables as {format}; {hint}")).at(at)
            );
        }
        if !statement.external {
            let message = format!("table {name} over files is external: write CREATE EXTERNAL TABLE");
            return Err(HandlerError::invalid(message).at(at));
        }
        if statement.locations.is_empty() {
            let message = format!("table {name} is stored as {format} and needs a LOCATION 'file or folder'");
            return Err(HandlerError::invalid(message).at(at));
        }
        if statement.query.is_some() || !statement.primary_key.is_empty() {
            let message = format!(
                "table {name} over files takes no AS query and no PRIMARY KEY; write files with COPY ... TO"
            );
            return Err(HandlerError::invalid(message).at(at));
        }
        let fields = statement.columns.iter().map(|c| Field::new(&c.name, c.data_type.clone(), c.nullable));
        let table = FileTable {
            format: format.to_owned(),
            schema: Arc::new(Schema::new(fields.collect::<Vec<_>>())),
            locations: statement.locations.iter().map(|place| absolute(place)).collect::<Result<_>>()?,
            partitioned_by: statement.partitioned_by.clone(),
            options: statement.properties.iter().map(|p| (option_key(&p.key), p.value.clone())).collect(),
            order: statement
                .sort_order
                .iter()
                .map(|key| SortOrder {
                    expression: key.expression.clone(),
                    ascending: key.ascending,
                    nulls_first: key.nulls_first,
                })
                .collect(),
        };
        open_files(&state, name, &table).await?;
        let replaced = self.catalog.get(name)?;
        self.catalog.put(name, &CatalogEntry::File(table))?;
        if let Some(CatalogEntry::Handled(old)) = replaced {
            self.handlers.require(&old.handler)?.commit_drop(&old)?;
        }
        Ok(Created::default())
    }
}

/// A path that means the same from every folder; URLs stay. A trailing slash, which means a folder, is kept.
pub(crate) fn absolute(location: &str) -> Result<String> {
    if location.contains("://") || Path::new(location).is_absolute() {
        return Ok(location.to_owned());
    }
    let path = std::path::absolute(location).map_err(|error| {
        HandlerError::invalid(format!("the location '{location}' cannot be made absolute: {error}"))
            .with_source(error)
    })?;
    let text = path.to_str().ok_or_else(|| {
        HandlerError::invalid(format!("the location '{location}' is no UTF-8 from the current folder on"))
    })?;
    Ok(if location.ends_with('/') && !text.ends_with('/') { format!("{text}/") } else { text.to_owned() })
}

/// DataFusion's name of an option.
fn option_key(key: &str) -> String {
    let lower = key.to_lowercase();
    // The path after it has names in it.
    if let Some(path) = key.get(FIELD_ID.len()..).filter(|_| lower.starts_with(FIELD_ID)) {
        return format!("{FIELD_ID}{path}");
    }
    if lower.contains('.') { lower } else { format!("format.{lower}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_made_absolute() {
        assert_eq!(absolute("/a/b.csv").unwrap(), "/a/b.csv");
        assert_eq!(absolute("s3://bucket/a").unwrap(), "s3://bucket/a");
        let here = std::env::current_dir().unwrap();
        assert_eq!(absolute("d/").unwrap(), format!("{}/d/", here.display()));
        assert_eq!(absolute("x.csv").unwrap(), format!("{}/x.csv", here.display()));
        assert_eq!(option_key("HAS_HEADER"), "format.has_header");
        assert_eq!(option_key("Schema.Field_Id.s.A"), "schema.field_id.s.A");
    }
}
