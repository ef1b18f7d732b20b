//! A table definition at rest: versioned JSON for the store's catalog.
//!
//! The wire structs here are the format, apart from the types of the program, so that neither drags the other.
//! A definition is rebuilt by the constructors that `CREATE TABLE` uses; a catalog cannot hold one that they
//! would refuse.

use std::str::FromStr;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Fields, TimeUnit};
use serde::{Deserialize, Serialize};

use ostracon_compare::Encoding;

use super::{ColumnSpec, TYPED_FAMILY, TableDefinition, TableKind, layout};
use crate::error::{HandlerError, Result};
use crate::mapping::ColumnTarget;
use crate::properties::TableProperties;

/// The version this program writes.
const VERSION: u32 = 1;

/// The version of tables with dropped columns: a program that does not know of them would lose rows.
const VERSION_DROPPED: u32 = 2;

#[derive(Serialize, Deserialize)]
struct WireTable {
    version: u32,
    name: String,
    columns: Vec<WireColumn>,
    layout: WireLayout,
    properties: Vec<(String, String)>,
    /// The store table, where no property says it.
    store_table: String,
}

#[derive(Serialize, Deserialize)]
struct WireColumn {
    name: String,
    #[serde(rename = "type")]
    data_type: WireType,
    nullable: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    default: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum WireLayout {
    Typed {
        key: Vec<u64>,
        ids: Vec<u32>,
        next_id: u32,
        /// The ids of dropped columns.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        dropped: Vec<u32>,
    },
    Mapped {
        external: bool,
    },
}

/// A plain type is a word with parameters; nested ones are objects.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum WireType {
    Plain(String),
    Struct { r#struct: Vec<(String, WireType)> },
    Map { map: (Box<WireType>, Box<WireType>) },
    List { list: Box<WireType> },
}

fn unreadable(what: impl std::fmt::Display) -> HandlerError {
    HandlerError::corrupt(format!("the catalog's entry of a table cannot be read: {what}"))
}

impl TableDefinition {
    /// The definition as bytes for the catalog.
    ///
    /// # Errors
    /// `Internal` only.
    pub fn to_catalog(&self) -> Result<Vec<u8>> {
        let columns = self
            .columns
            .iter()
            .map(|column| {
                Ok(WireColumn {
                    name: column.name.clone(),
                    data_type: wire_type(&column.data_type)?,
                    nullable: column.nullable,
                    default: column.default.clone(),
                })
            })
            .collect::<Result<Vec<_>>>()?;
        let layout = match self.kind {
            TableKind::Mapped => WireLayout::Mapped { external: self.external },
            TableKind::Typed { next_column_id } => {
                let key = self.key_columns();
                // A key column has no cell; the id it was given is not kept.
                let id_of = |target: &ColumnTarget| match target {
                    ColumnTarget::Cell { qualifier, .. } => layout::column_id(qualifier).unwrap_or_default(),
                    _ => 0,
                };
                let ids = self.columns.iter().map(|column| id_of(&column.target));
                WireLayout::Typed {
                    key: key.into_iter().filter_map(|i| u64::try_from(i).ok()).collect(),
                    ids: ids.collect(),
                    next_id: next_column_id,
                    dropped: self.dropped.iter().map(id_of).collect(),
                }
            }
        };
        let wire = WireTable {
            version: if self.dropped.is_empty() { VERSION } else { VERSION_DROPPED },
            name: self.name.clone(),
            columns,
            layout,
            properties: self.properties.pairs().to_vec(),
            store_table: self.store_table.clone(),
        };
        serde_json::to_vec(&wire).map_err(|error| {
            HandlerError::internal(format!("table '{}' cannot be written to the catalog", self.name))
                .with_source(error)
        })
    }

    /// Reads what [`TableDefinition::to_catalog`] wrote.
    ///
    /// # Errors
    /// `Corrupt`: no JSON of this form. `Unsupported`: written by a later version.
    pub fn from_catalog(bytes: &[u8]) -> Result<Self> {
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        let Version { version } =
            serde_json::from_slice(bytes).map_err(|error| unreadable(&error).with_source(error))?;
        if !(VERSION..=VERSION_DROPPED).contains(&version) {
            return Err(HandlerError::unsupported(format!(
                "the catalog's entry of a table has version {version}, this program reads up to version {VERSION_DROPPED}; \
                 use the program that wrote it"
            )));
        }
        let wire: WireTable =
            serde_json::from_slice(bytes).map_err(|error| unreadable(&error).with_source(error))?;
        let properties = TableProperties::parse(wire.properties)?;
        let columns = wire
            .columns
            .into_iter()
            .map(|column| {
                Ok(ColumnSpec {
                    name: column.name,
                    data_type: arrow_type(&column.data_type)?,
                    nullable: column.nullable,
                    default: column.default,
                })
            })
            .collect::<Result<Vec<_>>>()?;
        let mut definition = match wire.layout {
            WireLayout::Mapped { external } => {
                TableDefinition::mapped(wire.name, columns, external, properties)?
            }
            WireLayout::Typed { key, ids, next_id, dropped } => {
                let key: Vec<usize> = key.into_iter().filter_map(|i| usize::try_from(i).ok()).collect();
                let fits = ids.len() == columns.len() && key.iter().all(|i| *i < columns.len());
                if !fits || ids.iter().chain(&dropped).any(|id| *id >= next_id) {
                    return Err(unreadable("ids and columns do not fit together"));
                }
                let mut definition =
                    TableDefinition::typed_with_ids(wire.name, columns, &key, &ids, properties)?;
                definition.kind = TableKind::Typed { next_column_id: next_id };
                definition.dropped = dropped
                    .into_iter()
                    .map(|id| ColumnTarget::Cell {
                        family: TYPED_FAMILY.to_vec(),
                        qualifier: layout::column_qualifier(id),
                        encoding: Encoding::Native,
                    })
                    .collect();
                definition
            }
        };
        definition.store_table = wire.store_table;
        Ok(definition)
    }
}

fn unit_name(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Second => "s",
        TimeUnit::Millisecond => "ms",
        TimeUnit::Microsecond => "us",
        TimeUnit::Nanosecond => "ns",
    }
}

/// The types without parameters.
const PLAIN_TYPES: [(&str, DataType); 16] = [
    ("boolean", DataType::Boolean),
    ("int8", DataType::Int8),
    ("int16", DataType::Int16),
    ("int32", DataType::Int32),
    ("int64", DataType::Int64),
    ("uint8", DataType::UInt8),
    ("uint16", DataType::UInt16),
    ("uint32", DataType::UInt32),
    ("uint64", DataType::UInt64),
    ("float32", DataType::Float32),
    ("float64", DataType::Float64),
    ("date32", DataType::Date32),
    ("date64", DataType::Date64),
    ("utf8", DataType::Utf8),
    ("binary", DataType::Binary),
    ("null", DataType::Null),
];

fn wire_type(data_type: &DataType) -> Result<WireType> {
    if let Some((name, _)) = PLAIN_TYPES.iter().find(|(_, plain)| plain == data_type) {
        return Ok(WireType::Plain((*name).to_owned()));
    }
    Ok(match data_type {
        DataType::Decimal128(precision, scale) => WireType::Plain(format!("decimal128 {precision} {scale}")),
        DataType::Decimal256(precision, scale) => WireType::Plain(format!("decimal256 {precision} {scale}")),
        DataType::Time32(unit) => WireType::Plain(format!("time32 {}", unit_name(*unit))),
        DataType::Time64(unit) => WireType::Plain(format!("time64 {}", unit_name(*unit))),
        DataType::Timestamp(unit, None) => WireType::Plain(format!("timestamp {}", unit_name(*unit))),
        DataType::Timestamp(unit, Some(zone)) => {
            WireType::Plain(format!("timestamp {} {zone}", unit_name(*unit)))
        }
        DataType::Struct(fields) => WireType::Struct {
            r#struct: fields
                .iter()
                .map(|field| Ok((field.name().clone(), wire_type(field.data_type())?)))
                .collect::<Result<_>>()?,
        },
        DataType::List(item) => WireType::List { list: Box::new(wire_type(item.data_type())?) },
        DataType::Map(entries, _) => match layout::map_parts(entries) {
            Some((key, value)) => {
                WireType::Map { map: (Box::new(wire_type(key)?), Box::new(wire_type(value)?)) }
            }
            None => return Err(HandlerError::internal("a map type without key and value")),
        },
        other => return Err(HandlerError::internal(format!("the type {other} has no form in the catalog"))),
    })
}

fn arrow_type(wire: &WireType) -> Result<DataType> {
    match wire {
        WireType::Plain(text) => {
            plain_type(text).ok_or_else(|| unreadable(format_args!("unknown type '{text}'")))
        }
        WireType::Struct { r#struct } => Ok(DataType::Struct(
            r#struct
                .iter()
                .map(|(name, field)| Ok(Field::new(name, arrow_type(field)?, true)))
                .collect::<Result<Fields>>()?,
        )),
        WireType::List { list } => Ok(layout::list_type(arrow_type(list)?)),
        WireType::Map { map: (key, value) } => Ok(layout::map_type(arrow_type(key)?, arrow_type(value)?)),
    }
}

fn plain_type(text: &str) -> Option<DataType> {
    if let Some((_, plain)) = PLAIN_TYPES.iter().find(|(name, _)| *name == text) {
        return Some(plain.clone());
    }
    let mut words = text.splitn(3, ' ');
    let (word, first, second) = (words.next()?, words.next()?, words.next());
    let unit = || match first {
        "s" => Some(TimeUnit::Second),
        "ms" => Some(TimeUnit::Millisecond),
        "us" => Some(TimeUnit::Microsecond),
        "ns" => Some(TimeUnit::Nanosecond),
        _ => None,
    };
    Some(match word {
        "decimal128" => DataType::Decimal128(u8::from_str(first).ok()?, i8::from_str(second?).ok()?),
        "decimal256" => DataType::Decimal256(u8::from_str(first).ok()?, i8::from_str(second?).ok()?),
        "time32" => DataType::Time32(unit()?),
        "time64" => DataType::Time64(unit()?),
        "timestamp" => DataType::Timestamp(unit()?, second.map(Arc::from)),
        _ => return None,
    })
}
