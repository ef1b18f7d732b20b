use std::path::Path;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryBuilder, Float32Builder, Float64Builder, Int32Builder, Int64Builder, StringBuilder,
};
use datafusion::common::Result as DfResult;
use ostracon_piglatin::types::{PigType, Unknown};
use ostracon_piglatin::value::parse::{Bad, not_of_type, parse_double, parse_float, parse_int, parse_long};
use ostracon_piglatin::value::{CallContext, Value, Warning, from_bytes};

use crate::columns::ColumnBuilder;
use crate::warnings::Warnings;

/// Where warnings of a row come from.
pub(crate) struct Place<'a> {
    pub(crate) path: &'a Path,
    pub(crate) row: Option<u64>,
    pub(crate) warnings: &'a Warnings,
}

impl Place<'_> {
    /// What was read, or null and a warning.
    fn known<T>(&mut self, read: Result<Option<T>, Bad>, bytes: &[u8], ty: &PigType) -> Option<T> {
        read.unwrap_or_else(|Bad| {
            self.warn(not_of_type(&String::from_utf8_lossy(bytes), ty));
            None
        })
    }
}

impl CallContext for Place<'_> {
    fn started_millis(&self) -> i64 {
        0
    }
    fn random(&mut self) -> f64 {
        0.0
    }
    fn unique(&mut self) -> u64 {
        0
    }
    fn warn(&mut self, warning: Warning) {
        let path = self.path.display();
        let sample = match self.row {
            Some(row) => format!("{} ({path}, row {row})", warning.sample),
            None => format!("{} ({path})", warning.sample),
        };
        self.warnings.add(Warning { sample, ..warning });
    }
}

/// A column that is filled from texts.
pub(super) enum FieldBuilder {
    Int(Int32Builder),
    Long(Int64Builder),
    Float(Float32Builder),
    Double(Float64Builder),
    Text(StringBuilder),
    Bytes(BinaryBuilder),
    Other(ColumnBuilder),
}

impl FieldBuilder {
    pub(super) fn new(ty: &PigType) -> Self {
        match ty {
            PigType::Int => Self::Int(Int32Builder::new()),
            PigType::Long => Self::Long(Int64Builder::new()),
            PigType::Float => Self::Float(Float32Builder::new()),
            PigType::Double => Self::Double(Float64Builder::new()),
            PigType::Chararray => Self::Text(StringBuilder::new()),
            PigType::Bytearray(Unknown::Raw(_)) => Self::Bytes(BinaryBuilder::new()),
            ty => Self::Other(ColumnBuilder::new(ty)),
        }
    }

    /// A field of a row; without one, and of an empty one, null.
    pub(super) fn push(&mut self, field: Option<&[u8]>, ty: &PigType, place: &mut Place<'_>) -> DfResult<()> {
        self.push_line(field.filter(|bytes| !bytes.is_empty()), ty, place)
    }

    /// A line, which may be empty.
    pub(super) fn push_line(
        &mut self,
        field: Option<&[u8]>,
        ty: &PigType,
        place: &mut Place<'_>,
    ) -> DfResult<()> {
        let Some(bytes) = field else {
            match self {
                Self::Int(builder) => builder.append_null(),
                Self::Long(builder) => builder.append_null(),
                Self::Float(builder) => builder.append_null(),
                Self::Double(builder) => builder.append_null(),
                Self::Text(builder) => builder.append_null(),
                Self::Bytes(builder) => builder.append_null(),
                Self::Other(builder) => builder.push(&Value::Null)?,
            }
            return Ok(());
        };
        match self {
            Self::Int(builder) => builder.append_option(place.known(parse_int(bytes), bytes, ty)),
            Self::Long(builder) => builder.append_option(place.known(parse_long(bytes), bytes, ty)),
            Self::Float(builder) => builder.append_option(place.known(parse_float(bytes), bytes, ty)),
            Self::Double(builder) => builder.append_option(place.known(parse_double(bytes), bytes, ty)),
            Self::Text(builder) => builder.append_value(String::from_utf8_lossy(bytes)),
            Self::Bytes(builder) => builder.append_value(bytes),
            Self::Other(builder) => builder.push(&from_bytes(bytes, ty, place))?,
        }
        Ok(())
    }

    pub(super) fn finish(&mut self) -> DfResult<ArrayRef> {
        Ok(match self {
            Self::Int(builder) => Arc::new(builder.finish()),
            Self::Long(builder) => Arc::new(builder.finish()),
            Self::Float(builder) => Arc::new(builder.finish()),
            Self::Double(builder) => Arc::new(builder.finish()),
            Self::Text(builder) => Arc::new(builder.finish()),
            Self::Bytes(builder) => Arc::new(builder.finish()),
            Self::Other(builder) => builder.finish()?,
        })
    }
}
