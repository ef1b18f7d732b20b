use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryBuilder, BooleanBuilder, Float32Builder, Float64Builder, Int32Builder, Int64Builder,
    ListArray, StringBuilder, StructArray,
};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::Fields;
use arrow::error::ArrowError;
use ostracon_piglatin::types::{PigType, Schema, type_name};
use ostracon_piglatin::value::Value;
use ostracon_piglatin::value::encode::encode;

use crate::columns::types::{item_field, tuple_fields};
use crate::columns::{is_encoded, packed_datetime};

/// Collects values of one type into an array ([`crate::columns::arrow_type`]).
#[derive(Debug)]
pub struct ColumnBuilder {
    ty: PigType,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Boolean(BooleanBuilder),
    Int(Int32Builder),
    Long(Int64Builder),
    Float(Float32Builder),
    Double(Float64Builder),
    Datetime(Int64Builder),
    Chararray(StringBuilder),
    Raw(BinaryBuilder),
    Encoded(BinaryBuilder, Vec<u8>),
    Tuple { fields: Fields, children: Vec<ColumnBuilder>, valid: Vec<bool> },
    Bag { item: Box<ColumnBuilder>, schema: Schema, lengths: Vec<usize>, valid: Vec<bool> },
}

impl ColumnBuilder {
    /// A builder of arrays of a type.
    #[must_use]
    pub fn new(ty: &PigType) -> Self {
        let kind = if is_encoded(ty) {
            Kind::Encoded(BinaryBuilder::new(), Vec::new())
        } else {
            match ty {
                PigType::Boolean => Kind::Boolean(BooleanBuilder::new()),
                PigType::Int => Kind::Int(Int32Builder::new()),
                PigType::Long => Kind::Long(Int64Builder::new()),
                PigType::Float => Kind::Float(Float32Builder::new()),
                PigType::Double => Kind::Double(Float64Builder::new()),
                PigType::Datetime => Kind::Datetime(Int64Builder::new()),
                PigType::Chararray => Kind::Chararray(StringBuilder::new()),
                PigType::Tuple(Some(schema)) => Kind::Tuple {
                    fields: tuple_fields(schema),
                    children: schema.fields.iter().map(|field| Self::new(&field.ty)).collect(),
                    valid: Vec::new(),
                },
                PigType::Bag { fields: Some(schema), .. } => Kind::Bag {
                    item: Box::new(Self::new(&PigType::Tuple(Some(schema.clone())))),
                    schema: schema.clone(),
                    lengths: Vec::new(),
                    valid: Vec::new(),
                },
                _ => Kind::Raw(BinaryBuilder::new()),
            }
        };
        Self { ty: ty.clone(), kind }
    }

    /// Adds a value, which must be null or of the builder's type.
    ///
    /// # Errors
    /// `InvalidArgumentError` for a value of another type.
    pub fn push(&mut self, value: &Value) -> Result<(), ArrowError> {
        match (&mut self.kind, value) {
            (Kind::Encoded(builder, _), Value::Null) => builder.append_null(),
            (Kind::Encoded(builder, scratch), value) => {
                scratch.clear();
                encode(value, scratch);
                builder.append_value(&scratch);
            }
            (Kind::Boolean(builder), Value::Null) => builder.append_null(),
            (Kind::Boolean(builder), Value::Boolean(value)) => builder.append_value(*value),
            (Kind::Int(builder), Value::Null) => builder.append_null(),
            (Kind::Int(builder), Value::Int(value)) => builder.append_value(*value),
            (Kind::Long(builder) | Kind::Datetime(builder), Value::Null) => builder.append_null(),
            (Kind::Long(builder), Value::Long(value)) => builder.append_value(*value),
            (Kind::Datetime(builder), Value::Datetime(value)) => {
                builder.append_option(packed_datetime(*value))
            }
            (Kind::Float(builder), Value::Null) => builder.append_null(),
            (Kind::Float(builder), Value::Float(value)) => builder.append_value(*value),
            (Kind::Double(builder), Value::Null) => builder.append_null(),
            (Kind::Double(builder), Value::Double(value)) => builder.append_value(*value),
            (Kind::Chararray(builder), Value::Null) => builder.append_null(),
            (Kind::Chararray(builder), Value::Chararray(value)) => builder.append_value(value),
            (Kind::Raw(builder), Value::Null) => builder.append_null(),
            (Kind::Raw(builder), Value::Bytearray(value)) => builder.append_value(value),
            (Kind::Tuple { children, valid, .. }, Value::Null) => {
                valid.push(false);
                for child in children {
                    child.push(&Value::Null)?;
                }
            }
            (Kind::Tuple { children, valid, .. }, Value::Tuple(fields)) if fields.len() == children.len() => {
                valid.push(true);
                for (child, field) in children.iter_mut().zip(fields) {
                    child.push(field)?;
                }
            }
            (Kind::Bag { lengths, valid, .. }, Value::Null) => {
                lengths.push(0);
                valid.push(false);
            }
            (Kind::Bag { item, lengths, valid, .. }, Value::Bag(items)) => {
                lengths.push(items.len());
                valid.push(true);
                for tuple in items {
                    item.push(tuple)?;
                }
            }
            (_, value) => {
                return Err(ArrowError::InvalidArgumentError(format!(
                    "the value {value:?} was made where one of type {} was due",
                    type_name(&self.ty)
                )));
            }
        }
        Ok(())
    }

    /// The array; the builder is empty afterwards.
    ///
    /// # Errors
    /// `OffsetOverflowError` if the items of bags are too many for one array.
    pub fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        Ok(match &mut self.kind {
            Kind::Boolean(builder) => Arc::new(builder.finish()),
            Kind::Int(builder) => Arc::new(builder.finish()),
            Kind::Long(builder) | Kind::Datetime(builder) => Arc::new(builder.finish()),
            Kind::Float(builder) => Arc::new(builder.finish()),
            Kind::Double(builder) => Arc::new(builder.finish()),
            Kind::Chararray(builder) => Arc::new(builder.finish()),
            Kind::Raw(builder) | Kind::Encoded(builder, _) => Arc::new(builder.finish()),
            Kind::Tuple { fields, children, valid } => {
                let nulls = NullBuffer::from(std::mem::take(valid));
                let columns = children.iter_mut().map(Self::finish).collect::<Result<Vec<_>, _>>()?;
                Arc::new(StructArray::try_new(fields.clone(), columns, Some(nulls))?)
            }
            Kind::Bag { item, schema, lengths, valid } => {
                let offsets = OffsetBuffer::from_lengths(std::mem::take(lengths));
                let nulls = NullBuffer::from(std::mem::take(valid));
                Arc::new(ListArray::try_new(
                    Arc::new(item_field(schema)),
                    offsets,
                    item.finish()?,
                    Some(nulls),
                )?)
            }
        })
    }
}
