//! Nested values of one cell: arrays to bytes ([`NestedReader`]) and bytes to arrays ([`NestedBuilder`]).
//!
//! The bytes are those of `ostracon-compare`; here are the arrays on both sides of them. Structs, lists and maps of any
//! depth; the structs of a row id and the maps over several cells are none of them.

mod builder;
mod reader;

pub(super) use builder::NestedBuilder;
pub(super) use reader::NestedReader;
pub(crate) use reader::nested_cells;

use arrow::datatypes::DataType;
use ostracon_compare::NestedType;

use crate::error::{HandlerError, Result};

/// The type as its cells have it.
pub(super) fn nested_type(data_type: &DataType) -> Result<NestedType> {
    NestedType::from_arrow(data_type).map_err(HandlerError::unsupported)
}

#[cfg(test)]
mod tests;
