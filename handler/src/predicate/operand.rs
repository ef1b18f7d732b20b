//! Operands: the values of a row that the store can look at, and which of them are parts of its key.

use ostracon_compare::{Encoding, PrimitiveType};
use ostracon_iterators::{Operand, OperandSource};

use arrow::datatypes::DataType;

use crate::definition::{RowIdLayout, TableDefinition, map_parts};
use crate::mapping::ColumnTarget;
use crate::rows::null_sequence;

/// The operands of a program, each once.
#[derive(Debug, Default)]
pub(super) struct Operands {
    operands: Vec<Operand>,
    /// By operand: the part of the key that it is.
    key_parts: Vec<Option<usize>>,
}

/// What was found behind a column or a look-up in one.
pub(super) struct Found {
    pub(super) operand: Operand,
    pub(super) key_part: Option<usize>,
    pub(super) zoned: bool,
}

impl Operands {
    /// The position of an operand, which is added if it is new.
    pub(super) fn add(&mut self, found: Found) -> usize {
        let same = |known: &Operand| {
            known.source == found.operand.source
                && known.ty == found.operand.ty
                && known.encoding == found.operand.encoding
        };
        if let Some(known) = self.operands.iter().position(same) {
            return known;
        }
        self.operands.push(found.operand);
        self.key_parts.push(found.key_part);
        self.operands.len() - 1
    }

    /// The part of the key that an operand is.
    pub(super) fn key_part(&self, operand: usize) -> Option<usize> {
        self.key_parts.get(operand).copied().flatten()
    }

    pub(super) fn into_operands(self) -> Vec<Operand> {
        self.operands
    }
}

/// Whether values of the type are instants rather than local times.
pub(super) fn is_zoned(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Timestamp(_, Some(_)))
}

/// The operand behind a plain column.
pub(super) fn of_column(table: &TableDefinition, name: &str) -> Result<Found, String> {
    let index = table.column_index(name).ok_or_else(|| format!("'{name}' is not stored"))?;
    let column = table.columns.get(index).ok_or_else(|| format!("'{name}' is not stored"))?;
    let plain = || {
        PrimitiveType::from_arrow(&column.data_type)
            .ok_or_else(|| format!("'{name}' is a {} and no single value", column.data_type))
    };
    let found = |source, ty, encoding, key_part| Found {
        operand: Operand { name: name.to_owned(), source, ty, encoding, null_sequence: None },
        key_part,
        zoned: is_zoned(&column.data_type),
    };
    match &column.target {
        ColumnTarget::RowId { .. } => match &table.row_id {
            RowIdLayout::Single { ty, encoding, .. } => {
                Ok(found(OperandSource::Row, *ty, *encoding, Some(0)))
            }
            RowIdLayout::Native { columns, lexicoder } => {
                let part = columns.iter().position(|key| *key == index);
                let part = part.ok_or_else(|| format!("'{name}' is not part of the key"))?;
                let source = OperandSource::RowPart { parts: lexicoder.parts().to_vec(), index: part };
                Ok(found(source, plain()?, Encoding::Native, Some(part)))
            }
            RowIdLayout::NativeStruct { .. } | RowIdLayout::Delimited { .. } => {
                Err(format!("'{name}' is a struct and no single value"))
            }
            RowIdLayout::Hidden | RowIdLayout::None => Err(format!("'{name}' is not stored")),
        },
        ColumnTarget::Cell { family, qualifier, encoding } => {
            let source = OperandSource::Cell { family: family.clone(), qualifier: qualifier.clone() };
            let mut found = found(source, plain()?, *encoding, None);
            found.operand.null_sequence = null_sequence(found.operand.ty, *encoding).map(<[u8]>::to_vec);
            Ok(found)
        }
        ColumnTarget::Map { .. } => Err(format!("'{name}' is a map and no single value")),
        ColumnTarget::Timestamp => {
            Err(format!("'{name}' is the time of cells, which the store does not filter by"))
        }
        ColumnTarget::Visibility => {
            Err(format!("'{name}' is the label of cells, which the store does not filter by"))
        }
    }
}

/// The operand that says whether a column of nested values has one: the cell as bytes, which it may not be compared as.
///
/// Only where every cell is a value for sure: others are NULL or errors, as the table says, which its bytes do not tell.
pub(super) fn of_nested_cell(table: &TableDefinition, name: &str) -> Option<Found> {
    let column = table.column_index(name).and_then(|index| table.columns.get(index))?;
    let ColumnTarget::Cell { family, qualifier, encoding } = &column.target else { return None };
    if !(column.data_type.is_nested() && table.keys_are_trusted()) {
        return None;
    }
    let source = OperandSource::Cell { family: family.clone(), qualifier: qualifier.clone() };
    let (name, ty) = (name.to_owned(), PrimitiveType::Binary);
    let operand = Operand { name, source, ty, encoding: *encoding, null_sequence: None };
    Some(Found { operand, key_part: None, zoned: false })
}

/// The operand behind a field of the struct that is the row id.
pub(super) fn of_field(table: &TableDefinition, column: &str, field: &str) -> Result<Found, String> {
    let not_stored = || format!("'{column}' has no field '{field}' that is stored");
    let index = table.column_index(column).ok_or_else(not_stored)?;
    let Some(DataType::Struct(fields)) = table.columns.get(index).map(|column| &column.data_type) else {
        return Err(not_stored());
    };
    let position = fields.iter().position(|candidate| candidate.name() == field).ok_or_else(not_stored)?;
    let data_type = fields.get(position).map(|field| field.data_type()).ok_or_else(not_stored)?;
    let ty = PrimitiveType::from_arrow(data_type).ok_or_else(not_stored)?;
    let (source, encoding) = match &table.row_id {
        RowIdLayout::NativeStruct { column, lexicoder } if *column == index => {
            (OperandSource::RowPart { parts: lexicoder.parts().to_vec(), index: position }, Encoding::Native)
        }
        RowIdLayout::Delimited { column, delimiter, .. } if *column == index => {
            (OperandSource::RowField { delimiter: delimiter.clone(), index: position }, Encoding::String)
        }
        _ => return Err(not_stored()),
    };
    Ok(Found {
        operand: Operand { name: format!("{column}['{field}']"), source, ty, encoding, null_sequence: None },
        key_part: Some(position),
        zoned: is_zoned(data_type),
    })
}

/// The operand behind `map['key']`: one cell.
pub(super) fn of_map_entry(table: &TableDefinition, column: &str, key: &str) -> Result<Found, String> {
    let no_map = || format!("'{column}' is not a map with text keys");
    let definition =
        table.column_index(column).and_then(|index| table.columns.get(index)).ok_or_else(no_map)?;
    let (ColumnTarget::Map { family, prefix, key_encoding, value_encoding }, DataType::Map(entries, _)) =
        (&definition.target, &definition.data_type)
    else {
        return Err(no_map());
    };
    let (key_type, value_type) = map_parts(entries).ok_or_else(no_map)?;
    let ty = PrimitiveType::from_arrow(value_type).ok_or_else(no_map)?;
    // Text has one form in every encoding, so that a key is exactly one qualifier.
    if *key_type != DataType::Utf8 {
        return Err(no_map());
    }
    let mut qualifier = prefix.clone();
    ostracon_compare::encode(
        PrimitiveType::Utf8,
        *key_encoding,
        ostracon_compare::ScalarRef::Utf8(key),
        &mut qualifier,
    )
    .map_err(|_| no_map())?;
    Ok(Found {
        operand: Operand {
            name: format!("{column}['{key}']"),
            source: OperandSource::Cell { family: family.clone(), qualifier },
            ty,
            encoding: *value_encoding,
            null_sequence: null_sequence(ty, *value_encoding).map(<[u8]>::to_vec),
        },
        key_part: None,
        zoned: is_zoned(value_type),
    })
}
