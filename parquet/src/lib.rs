//! Parquet files with a requested schema: what of a file is read, and as what. No I/O.
//!
//! A [`RequestedSchema`] says which columns and fields are wanted, by name or by field id. [`clip`] holds it against the
//! message type of a file: it keeps the leaves that are wanted, in the order asked for, and says what the file lacks.
//! [`ClippedFooter`] is the file's footer with these leaves only, under the names asked for and in the standard form of
//! lists and maps, so that any reader reads them as what they are.
//!
//! The rules are those of the Parquet format (LogicalTypes.md, "Lists" and "Maps", with all of "Backward-compatibility
//! rules") and of Spark's `ParquetReadSupport.clipParquetSchema` (SPARK-10301, SPARK-38094 for field ids, SPARK-53535 for
//! groups of which no field is wanted).

mod clip;
mod error;
mod footer;
mod marker;
mod message;
mod requested;
mod shape;
mod synthesis;
mod types;

pub use clip::{Clipped, Matching, clip, whole};
pub use error::{ClipError, Reason};
pub use footer::ClippedFooter;
pub use marker::MARKER;
pub use message::Message;
pub use requested::{FIELD_ID, RequestedField, RequestedSchema, RequestedType};
