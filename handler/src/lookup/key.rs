//! Values of a key as the row id that they are.

use datafusion::common::ScalarValue;
use ostracon_compare::{Coerced, CompareOp, Encoding, KeyLexicoder, PrimitiveType, Scalar, coerce, encode};

use crate::definition::{RowIdLayout, TableDefinition};
use crate::error::{HandlerError, Result};
use crate::predicate::Literal;
use crate::rows::{canonical, joined_fields};

/// Makes row ids of a table's key.
#[derive(Debug, Clone)]
pub(crate) struct KeyEncoder {
    table: String,
    parts: Vec<Part>,
    layout: Layout,
}

#[derive(Debug, Clone)]
struct Part {
    name: String,
    ty: PrimitiveType,
    zoned: bool,
}

#[derive(Debug, Clone)]
enum Layout {
    Single(Encoding),
    Native(KeyLexicoder),
    Delimited(Vec<u8>),
}

impl KeyEncoder {
    /// The encoder of a table.
    ///
    /// # Errors
    /// `Unsupported` if no column shows the row id.
    pub(crate) fn new(table: &TableDefinition) -> Result<Self> {
        let layout = match &table.row_id {
            RowIdLayout::Single { encoding, .. } => Layout::Single(*encoding),
            RowIdLayout::Native { lexicoder, .. } | RowIdLayout::NativeStruct { lexicoder, .. } => {
                Layout::Native(lexicoder.clone())
            }
            RowIdLayout::Delimited { delimiter, .. } => Layout::Delimited(delimiter.clone()),
            RowIdLayout::Hidden | RowIdLayout::None => {
                return Err(HandlerError::unsupported(format!(
                    "table {} has no key to look rows up by; query it, or create it with a PRIMARY KEY",
                    table.name
                )));
            }
        };
        Ok(Self { table: table.name.clone(), parts: parts(table)?, layout })
    }

    /// Appends the row id of a key to `row`. False if no row can have it: a part is NULL, or beyond what the column can
    /// hold. `row` is of no use then.
    ///
    /// # Errors
    /// `Invalid`: more or fewer values than the key has parts, or a value that does not compare with its part.
    pub(crate) fn encode(&self, key: &[ScalarValue], row: &mut Vec<u8>) -> Result<bool> {
        if key.len() != self.parts.len() {
            let names: Vec<&str> = self.parts.iter().map(|part| part.name.as_str()).collect();
            return Err(HandlerError::invalid(format!(
                "the key of table {} is ({}), {} values were given",
                self.table,
                names.join(", "),
                key.len()
            )));
        }
        let mut fields = Vec::new();
        for (index, (part, value)) in self.parts.iter().zip(key).enumerate() {
            let Some(value) = self.value_of(part, value)? else { return Ok(false) };
            let encoded = match &self.layout {
                Layout::Single(encoding) => encode(part.ty, *encoding, canonical(value.as_ref()), row),
                Layout::Native(lexicoder) => lexicoder.encode_part(index, value.as_ref(), row),
                Layout::Delimited(_) => {
                    let mut text = Vec::new();
                    let encoded = encode(part.ty, Encoding::String, canonical(value.as_ref()), &mut text);
                    fields.push(text);
                    encoded
                }
            };
            // What cannot be written is in no row.
            if encoded.is_err() {
                return Ok(false);
            }
        }
        if let Layout::Delimited(delimiter) = &self.layout {
            let Some(joined) = joined_fields(&fields, delimiter) else { return Ok(false) };
            row.extend_from_slice(&joined);
        }
        Ok(true)
    }

    /// The value of the part's own type that equals `value`, if there is one.
    fn value_of(&self, part: &Part, value: &ScalarValue) -> Result<Option<Scalar>> {
        let misfit = || {
            HandlerError::invalid(format!(
                "table {}, key column {}: a value of type {} does not compare with {}; cast it first",
                self.table,
                part.name,
                value.data_type(),
                part.ty
            ))
        };
        let Literal { ty, zoned, value: found } = Literal::of_value(value).ok_or_else(misfit)?;
        let Some(found) = found else { return Ok(None) };
        if ty == Some(part.ty) && zoned == part.zoned {
            return Ok(Some(found));
        }
        let ty = ty.filter(|_| zoned == part.zoned).ok_or_else(misfit)?;
        match coerce(CompareOp::Equal, part.ty, ty, &found).ok_or_else(misfit)? {
            Coerced::Compare { op: CompareOp::Equal, constant } => Ok(Some(constant)),
            Coerced::Constant(false) => Ok(None),
            _ => Err(misfit()),
        }
    }
}

/// The parts of a table's key, in order: key columns, or the fields of the struct that is the row id.
fn parts(table: &TableDefinition) -> Result<Vec<Part>> {
    use datafusion::arrow::datatypes::DataType;
    let mut parts = Vec::new();
    for column in table.key_columns().into_iter().filter_map(|column| table.columns.get(column)) {
        let fields: Vec<(&str, &DataType)> = match &column.data_type {
            DataType::Struct(fields) => {
                fields.iter().map(|field| (field.name().as_str(), field.data_type())).collect()
            }
            plain => vec![(column.name.as_str(), plain)],
        };
        for (name, data_type) in fields {
            let ty = PrimitiveType::from_arrow(data_type).ok_or_else(|| {
                HandlerError::internal(format!("table {}: the key part {name} is not plain", table.name))
            })?;
            let zoned = matches!(data_type, DataType::Timestamp(_, Some(_)));
            parts.push(Part { name: name.to_owned(), ty, zoned });
        }
    }
    Ok(parts)
}
