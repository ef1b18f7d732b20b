//! [`CatalogEntry`] and its form at rest: JSON with a version.
//!
//! The wire structs are the format; the types of the program are apart from them. A handler's own record is a text
//! that only the handler understands.

use datafusion::arrow::datatypes::{DataType, Field, Fields, Schema, SchemaRef};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

use crate::error::{HandlerError, Result};

/// The version this program writes.
const VERSION: u32 = 1;

/// What a name of the catalog stands for.
#[derive(Debug, Clone, PartialEq)]
pub enum CatalogEntry {
    /// A table that a storage handler keeps.
    Handled(HandledTable),
    /// A table over files, read by DataFusion.
    File(FileTable),
    /// A view.
    View(ViewEntry),
}

/// A table of a storage handler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandledTable {
    /// The SQL name.
    pub name: String,
    /// The handler's first name, as in `TABLET`.
    pub handler: String,
    /// Whether DROP keeps what the table stands for.
    pub external: bool,
    /// The handler's own description of the table.
    pub record: String,
}

/// A table over files.
#[derive(Debug, Clone, PartialEq)]
pub struct FileTable {
    /// PARQUET, CSV, JSON, ...
    pub format: String,
    /// The declared columns; none: those of the files.
    pub schema: SchemaRef,
    /// Absolute paths and URLs.
    pub locations: Vec<String>,
    /// The columns that folder names tell.
    pub partitioned_by: Vec<String>,
    /// DataFusion's options of the format.
    pub options: Vec<(String, String)>,
    /// The order that the files promise.
    pub order: Vec<SortOrder>,
}

/// One part of the order of files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SortOrder {
    /// The expression, as SQL text.
    pub expression: String,
    /// Ascending.
    pub ascending: bool,
    /// NULLs first.
    pub nulls_first: bool,
}

/// A view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewEntry {
    /// The query, as SQL text.
    pub query: String,
    /// Names of the columns; none: the query's.
    pub columns: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct WireEntry {
    version: u32,
    #[serde(flatten)]
    kind: WireKind,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum WireKind {
    Handled { name: String, handler: String, external: bool, record: String },
    File(WireFile),
    View { query: String, columns: Vec<String> },
}

#[derive(Serialize, Deserialize)]
struct WireFile {
    format: String,
    columns: Vec<WireField>,
    locations: Vec<String>,
    partitioned_by: Vec<String>,
    options: Vec<(String, String)>,
    order: Vec<SortOrder>,
}

#[derive(Serialize, Deserialize)]
struct WireField {
    name: String,
    #[serde(rename = "type")]
    data_type: String,
    nullable: bool,
}

impl CatalogEntry {
    /// The entry as bytes for the store.
    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>> {
        let kind = match self {
            Self::Handled(table) => WireKind::Handled {
                name: table.name.clone(),
                handler: table.handler.clone(),
                external: table.external,
                record: table.record.clone(),
            },
            Self::File(table) => WireKind::File(WireFile {
                format: table.format.clone(),
                columns: table.schema.fields().iter().map(|field| wire_field(field)).collect(),
                locations: table.locations.clone(),
                partitioned_by: table.partitioned_by.clone(),
                options: table.options.clone(),
                order: table.order.clone(),
            }),
            Self::View(view) => WireKind::View { query: view.query.clone(), columns: view.columns.clone() },
        };
        serde_json::to_vec(&WireEntry { version: VERSION, kind }).map_err(|error| {
            HandlerError::internal("an entry of the catalog cannot be written").with_source(error)
        })
    }

    /// Reads what [`CatalogEntry::to_bytes`] wrote.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self> {
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        let unreadable = |error: serde_json::Error| {
            HandlerError::corrupt("an entry of the SQL catalog cannot be read").with_source(error)
        };
        let Version { version } = serde_json::from_slice(bytes).map_err(unreadable)?;
        if version != VERSION {
            return Err(HandlerError::unsupported(format!(
                "an entry of the SQL catalog has version {version}, this program reads version {VERSION}; \
                 use the program that wrote it"
            )));
        }
        let wire: WireEntry = serde_json::from_slice(bytes).map_err(unreadable)?;
        Ok(match wire.kind {
            WireKind::Handled { name, handler, external, record } => {
                Self::Handled(HandledTable { name, handler, external, record })
            }
            WireKind::File(file) => {
                let fields = file.columns.iter().map(arrow_field).collect::<Result<Fields>>()?;
                Self::File(FileTable {
                    format: file.format,
                    schema: Arc::new(Schema::new(fields)),
                    locations: file.locations,
                    partitioned_by: file.partitioned_by,
                    options: file.options,
                    order: file.order,
                })
            }
            WireKind::View { query, columns } => Self::View(ViewEntry { query, columns }),
        })
    }
}

fn wire_field(field: &Field) -> WireField {
    WireField {
        name: field.name().clone(),
        data_type: crate::statement::sql_type_name(field.data_type()),
        nullable: field.is_nullable(),
    }
}

/// Types of file tables are the names that `CREATE TABLE` takes; a time zone is kept as UTC.
fn arrow_field(wire: &WireField) -> Result<Field> {
    let data_type: DataType =
        crate::statement::data_type::read_type_name(&wire.data_type).map_err(|error| {
            HandlerError::corrupt(format!("the SQL catalog holds a bad type: {}", error.message))
        })?;
    Ok(Field::new(&wire.name, data_type, wire.nullable))
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::datatypes::TimeUnit;

    use super::*;
    use crate::error::ErrorKind;
    use crate::statement::data_type::map_of;

    #[test]
    fn every_kind_comes_back() {
        let schema = Schema::new(vec![
            Field::new("a b", DataType::Int32, false),
            Field::new("m", map_of(DataType::Utf8, DataType::Float64, true), true),
            Field::new("t", DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())), true),
        ]);
        for entry in [
            CatalogEntry::Handled(HandledTable {
                name: "t".into(),
                handler: "TABLET".into(),
                external: true,
                record: "{\"x\": 1}".into(),
            }),
            CatalogEntry::File(FileTable {
                format: "PARQUET".into(),
                schema: Arc::new(schema),
                locations: vec!["/a/b".into()],
                partitioned_by: vec!["m".into()],
                options: vec![("format.x".into(), "1".into())],
                order: vec![SortOrder { expression: "a".into(), ascending: true, nulls_first: false }],
            }),
            CatalogEntry::View(ViewEntry { query: "SELECT 1".into(), columns: vec!["x".into()] }),
        ] {
            assert_eq!(CatalogEntry::from_bytes(&entry.to_bytes().unwrap()).unwrap(), entry);
        }
    }

    #[test]
    fn damage_and_later_versions_are_told_apart() {
        assert_eq!(CatalogEntry::from_bytes(b"{").unwrap_err().kind, ErrorKind::Corrupt);
        assert_eq!(CatalogEntry::from_bytes(b"{\"version\": 9}").unwrap_err().kind, ErrorKind::Unsupported);
        assert_eq!(CatalogEntry::from_bytes(b"{\"version\": 1}").unwrap_err().kind, ErrorKind::Corrupt);
    }
}
