//! How Pig's values lie in Arrow arrays.
//!
//! | Pig | Arrow |
//! |---|---|
//! | boolean, int, long, float, double | Boolean, Int32, Int64, Float32, Float64 |
//! | chararray | Utf8 |
//! | datetime | Int64: milliseconds since 1970 × 4096 + minutes east of UTC + 2048, so that numbers sort as instants |
//! | bytearray, raw | Binary: the bytes |
//! | tuple with known fields | Struct of `f0`, `f1`, ... |
//! | bag with known fields | List of such a Struct |
//! | all others | Binary: [`ostracon_piglatin::value::encode`], whose bytes sort as Pig's values do |
//!
//! The last line holds what carries its own type (N47, N48): values of unknown type, maps, tuples and bags without a
//! schema, and the numbers without a limit. Sorting, hashing, grouping, joining and spilling need nothing but bytes.

mod build;
mod export;
mod import;
mod read;
mod types;

pub use build::ColumnBuilder;
pub(crate) use export::{export, export_fields, export_type};
pub(crate) use import::cast_type;
pub use import::{import, pig_type};
pub use read::{ColumnError, value_at};
pub use types::{
    arrow_type, datetime_from_packed, field_name, is_encoded, packed_datetime, packed_datetimes,
    unpacked_datetimes,
};
