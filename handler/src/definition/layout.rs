//! Where a table's values lie: row id layouts, column ids and the types that are stored.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Fields};
use ostracon_compare::{Encoding, KeyLexicoder, KeyPart, NestedType, PrimitiveType};

use super::{ColumnDefinition, ColumnSpec};
use crate::error::{HandlerError, Result};
use crate::mapping::ColumnTarget;
use crate::properties::CompositeRowId;
use crate::statement::sql_type_name;

/// How the bytes of a row id are made of values.
#[derive(Debug, Clone, PartialEq)]
pub enum RowIdLayout {
    /// One column, in the encoding of its mapping.
    Single {
        /// The column.
        column: usize,
        /// Its type.
        ty: PrimitiveType,
        /// Its encoding.
        encoding: Encoding,
    },
    /// Columns in order-preserving encoding (typed tables).
    Native {
        /// The columns, in key order.
        columns: Vec<usize>,
        /// Makes and reads the bytes; one part a column.
        lexicoder: KeyLexicoder,
    },
    /// The fields of one struct column in order-preserving encoding.
    NativeStruct {
        /// The struct column.
        column: usize,
        /// Makes and reads the bytes; one part a field.
        lexicoder: KeyLexicoder,
    },
    /// The fields of one struct column as text with a delimiter between them.
    Delimited {
        /// The struct column.
        column: usize,
        /// The bytes between two fields.
        delimiter: Vec<u8>,
        /// The fields' types.
        fields: Vec<PrimitiveType>,
    },
    /// An ascending number that no column shows: eight bytes, big-endian.
    Hidden,
    /// No column is mapped to the row id: the table can only be read.
    None,
}

impl RowIdLayout {
    /// The layout of a PRIMARY KEY.
    pub(super) fn of_key(table: &str, columns: &[ColumnDefinition], key: &[usize]) -> Result<Self> {
        if key.is_empty() {
            return Ok(RowIdLayout::Hidden);
        }
        let mut parts = Vec::with_capacity(key.len());
        for column in key.iter().filter_map(|i| columns.get(*i)) {
            let ty = PrimitiveType::from_arrow(&column.data_type).ok_or_else(|| {
                HandlerError::unsupported(format!(
                    "table '{table}': the key column '{}' has type {}, which no key can have",
                    column.name,
                    sql_type_name(&column.data_type)
                ))
            })?;
            parts.push(KeyPart { ty, descending: false });
        }
        Ok(RowIdLayout::Native { columns: key.to_vec(), lexicoder: KeyLexicoder::new(parts) })
    }

    /// The layout that a mapping and `composite.rowid` ask for.
    pub(super) fn of_mapping(
        table: &str,
        columns: &[ColumnDefinition],
        composite: Option<&CompositeRowId>,
    ) -> Result<Self> {
        let found = columns.iter().enumerate().find_map(|(i, column)| match &column.target {
            ColumnTarget::RowId { encoding } => Some((i, column, *encoding)),
            _ => None,
        });
        let Some((column, definition, encoding)) = found else {
            return match composite {
                None => Ok(RowIdLayout::None),
                Some(_) => Err(HandlerError::invalid(format!(
                    "table '{table}': 'composite.rowid' is set but no column is mapped to :rowid"
                ))),
            };
        };
        match (&definition.data_type, composite) {
            (DataType::Struct(fields), Some(composite)) => {
                let types: Vec<PrimitiveType> =
                    fields.iter().filter_map(|field| PrimitiveType::from_arrow(field.data_type())).collect();
                Ok(match composite {
                    CompositeRowId::Delimiter(delimiter) => {
                        RowIdLayout::Delimited { column, delimiter: delimiter.clone(), fields: types }
                    }
                    CompositeRowId::Native => {
                        let parts = types.into_iter().map(|ty| KeyPart { ty, descending: false }).collect();
                        RowIdLayout::NativeStruct { column, lexicoder: KeyLexicoder::new(parts) }
                    }
                })
            }
            (DataType::Struct(_), None) => Err(HandlerError::invalid(format!(
                "table '{table}': the row id '{}' is a STRUCT; \
                 set 'composite.rowid' to the delimiter between its fields, or to 'native'",
                definition.name
            ))),
            (_, Some(_)) => Err(HandlerError::invalid(format!(
                "table '{table}': 'composite.rowid' needs a STRUCT as row id; '{}' is {}",
                definition.name, definition.data_type
            ))),
            (plain, None) => match PrimitiveType::from_arrow(plain) {
                Some(ty) => Ok(RowIdLayout::Single { column, ty, encoding }),
                None => Err(HandlerError::unsupported(format!(
                    "table '{table}': the row id '{}' has type {plain}, which no key can have",
                    definition.name
                ))),
            },
        }
    }

    /// The widths in bytes of the parts that every row id is made of; none where widths vary or are above 16.
    pub fn widths(&self) -> Vec<u8> {
        let width = |ty: &PrimitiveType| ty.width().and_then(|width| u8::try_from(width).ok());
        let fixed: Option<Vec<u8>> = match self {
            RowIdLayout::Native { lexicoder, .. } | RowIdLayout::NativeStruct { lexicoder, .. } => {
                lexicoder.parts().iter().map(|part| width(&part.ty)).collect()
            }
            RowIdLayout::Single { ty, encoding: Encoding::Native | Encoding::Binary, .. } => {
                width(ty).map(|width| vec![width])
            }
            RowIdLayout::Hidden => Some(vec![8]),
            RowIdLayout::Single { .. } | RowIdLayout::Delimited { .. } | RowIdLayout::None => None,
        };
        fixed.filter(|widths| widths.iter().all(|width| *width <= 16)).unwrap_or_default()
    }

    /// The columns that the row id is made of, in key order.
    pub fn columns(&self) -> Vec<usize> {
        match self {
            RowIdLayout::Single { column, .. }
            | RowIdLayout::NativeStruct { column, .. }
            | RowIdLayout::Delimited { column, .. } => vec![*column],
            RowIdLayout::Native { columns, .. } => columns.clone(),
            RowIdLayout::Hidden | RowIdLayout::None => Vec::new(),
        }
    }

    /// The same layout where a column that is none of its own is gone from the table.
    pub(super) fn without_column(&self, gone: usize) -> Self {
        let mut layout = self.clone();
        let moved: Vec<&mut usize> = match &mut layout {
            RowIdLayout::Single { column, .. }
            | RowIdLayout::NativeStruct { column, .. }
            | RowIdLayout::Delimited { column, .. } => vec![column],
            RowIdLayout::Native { columns, .. } => columns.iter_mut().collect(),
            RowIdLayout::Hidden | RowIdLayout::None => Vec::new(),
        };
        moved.into_iter().filter(|column| **column > gone).for_each(|column| *column -= 1);
        layout
    }
}

/// The qualifier of the column with this id: an unsigned LEB128, one byte for the first 127 columns.
pub(super) fn column_qualifier(mut id: u32) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(2);
    loop {
        let low = (id & 0x7f) as u8;
        id >>= 7;
        if id == 0 {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}

/// The id that [`column_qualifier`] made the bytes of.
pub(super) fn column_id(qualifier: &[u8]) -> Option<u32> {
    let mut id: u32 = 0;
    for (i, byte) in qualifier.iter().enumerate() {
        let shift = u32::try_from(i).ok()?.checked_mul(7).filter(|shift| *shift < 32)?;
        id |= u32::from(byte & 0x7f) << shift;
    }
    (column_qualifier(id) == qualifier).then_some(id)
}

/// The type a declared type is stored and read as: text is Utf8 and bytes are Binary, whatever the variant; the
/// parts of a struct, list or map may be NULL (but a map's keys) and have DataFusion's names.
pub(super) fn stored_type(data_type: &DataType) -> DataType {
    match data_type {
        DataType::LargeUtf8 | DataType::Utf8View => DataType::Utf8,
        DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => DataType::Binary,
        DataType::Decimal32(precision, scale) | DataType::Decimal64(precision, scale) => {
            DataType::Decimal128(*precision, *scale)
        }
        DataType::Dictionary(_, values) => stored_type(values),
        DataType::Struct(fields) => DataType::Struct(
            fields
                .iter()
                .map(|field| Field::new(field.name(), stored_type(field.data_type()), true))
                .collect(),
        ),
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _) => list_type(stored_type(item.data_type())),
        DataType::Map(entries, _) => match map_parts(entries) {
            Some((key, value)) => map_type(stored_type(key), stored_type(value)),
            None => data_type.clone(),
        },
        other => other.clone(),
    }
}

/// The types of a map's keys and values, given its entries.
pub(crate) fn map_parts(entries: &Field) -> Option<(&DataType, &DataType)> {
    match entries.data_type() {
        DataType::Struct(pair) => match pair.as_ref() {
            [key, value] => Some((key.data_type(), value.data_type())),
            _ => None,
        },
        _ => None,
    }
}

/// A list type with DataFusion's name for its elements.
pub(super) fn list_type(item: DataType) -> DataType {
    DataType::List(Arc::new(Field::new_list_field(item, true)))
}

/// A map type with DataFusion's names for its parts.
pub(super) fn map_type(key: DataType, value: DataType) -> DataType {
    let pair = Fields::from(vec![Field::new("key", key, false), Field::new("value", value, true)]);
    DataType::Map(Arc::new(Field::new("entries", DataType::Struct(pair), false)), false)
}

/// Whether a cell can hold the values of a declared type; why not otherwise.
fn is_stored(declared: &DataType, stored: &DataType) -> std::result::Result<(), String> {
    NestedType::from_arrow(stored)?;
    if has_required_part(declared) {
        return Err("NOT NULL inside of a nested type is not enforced by the store; leave it out, or put it behind the \
             whole column"
            .to_owned());
    }
    Ok(())
}

/// Whether a field, element or map value may not be NULL.
fn has_required_part(data_type: &DataType) -> bool {
    let required = |field: &Field| !field.is_nullable() || has_required_part(field.data_type());
    match data_type {
        DataType::Struct(fields) => fields.iter().any(|field| required(field)),
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(pair) => pair.iter().skip(1).any(|value| required(value)),
            _ => false,
        },
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _) => required(item),
        _ => false,
    }
}

/// A declared column at its place, if its type can be stored there.
pub(super) fn column(
    table: &str,
    spec: ColumnSpec,
    nullable: bool,
    target: ColumnTarget,
) -> Result<ColumnDefinition> {
    let data_type = stored_type(&spec.data_type);
    if matches!(target, ColumnTarget::Cell { .. })
        && let Err(reason) = is_stored(&spec.data_type, &data_type)
    {
        return Err(HandlerError::unsupported(format!(
            "table '{table}': column '{}' has type {}; {reason}",
            spec.name,
            sql_type_name(&spec.data_type)
        )));
    }
    Ok(ColumnDefinition { name: spec.name, data_type, nullable, default: spec.default, target })
}
