//! Rows of cells to record batches and back.
//!
//! Principal types: record batches go in at a [`RowEncoder`] and come out as mutations, one a row; rows of visible
//! cells, as a scan assembles them, go in at a [`RowDecoder`] and come out as record batches.
//! [`visible_labels`] tells DML which labels the cells of a row carry.
//!
//! Both know values, labels, markers and NULL; neither knows the store, a session or a statement.

mod builder;
mod column;
mod columnar;
mod decoder;
mod encoder;
mod integers;
mod labels;
mod nested;
mod reader;
mod row_id;
mod row_reader;
mod source;
mod stored;
mod summarized;
mod values;

pub use decoder::{Appended, RowDecoder};
pub use encoder::{RowEncoder, RowExtras};
pub use labels::visible_labels;
pub(crate) use nested::nested_cells;
pub(crate) use row_id::joined_fields;
pub(crate) use stored::{StoredColumn, StoredPlace};

use ostracon_compare::{Encoding, PrimitiveType, ScalarRef};

use crate::definition::NULL_SEQUENCE;

/// The bytes of a cell that stand for NULL: only text has them, bytes are bytes in every encoding.
pub(crate) fn null_sequence(ty: PrimitiveType, encoding: Encoding) -> Option<&'static [u8]> {
    (encoding == Encoding::String && ty != PrimitiveType::Binary).then_some(NULL_SEQUENCE)
}

/// The one form of a value in a key: both zeros are one key, and so is every NaN.
pub(crate) fn canonical(value: ScalarRef<'_>) -> ScalarRef<'_> {
    match value {
        ScalarRef::Float32(float) if float.is_nan() => ScalarRef::Float32(f32::NAN),
        ScalarRef::Float64(float) if float.is_nan() => ScalarRef::Float64(f64::NAN),
        // Adding positive zero changes negative zero alone.
        ScalarRef::Float32(float) => ScalarRef::Float32(float + 0.0),
        ScalarRef::Float64(float) => ScalarRef::Float64(float + 0.0),
        other => other,
    }
}

#[cfg(test)]
mod tests;
