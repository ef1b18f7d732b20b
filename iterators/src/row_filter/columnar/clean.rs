//! [`CleanWhen`]: what a store must know of an operand's bytes to be sure that all of them are good values.

use ostracon_compare::{KeyLexicoder, PrimitiveType, RowPlace, value_ranges};
use ostracon_data::RowRanges;

use super::operand::{fixed_width, is_plain};
use crate::row_filter::{Operand, OperandSource};

/// Which bytes of an operand are good values (or stand for NULL). The condition suffices; where it does not hold, only
/// [`ColumnarOperand::check`](super::ColumnarOperand::check) on each value tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CleanWhen {
    /// All of this width.
    FixedWidth(usize),
    /// Those of a width that lie in the ranges: booleans, decimals, floats of a key.
    Within {
        /// The width in bytes.
        width: usize,
        /// The values of that width that are good.
        ranges: RowRanges,
    },
    /// Those that are valid UTF-8.
    Utf8,
    /// All.
    Always,
    /// No rule says: numbers as text, parts and fields of the row id that have no place.
    EachChecked,
}

impl CleanWhen {
    pub(super) fn of(operand: &Operand, place: Option<RowPlace>, null_values: Option<&RowRanges>) -> Self {
        let ranges = match &operand.source {
            OperandSource::Row | OperandSource::Cell { .. } => value_ranges(operand.ty, operand.encoding),
            OperandSource::RowPart { parts, index } if place.is_some() => {
                KeyLexicoder::new(parts.clone()).part_value_ranges(*index)
            }
            // A field that is missing is NULL, and any bytes are bytes.
            OperandSource::RowField { .. } if operand.ty == PrimitiveType::Binary => None,
            OperandSource::RowPart { .. } | OperandSource::RowField { .. } => return Self::EachChecked,
        };
        match (fixed_width(operand), ranges) {
            (Some(width), Some(ranges)) => {
                let ranges = null_values.map_or(ranges.clone(), |null| ranges.union(null));
                if ranges.is_all() { Self::FixedWidth(width) } else { Self::Within { width, ranges } }
            }
            _ if operand.ty == PrimitiveType::Utf8 => Self::Utf8,
            _ if is_plain(operand.ty) => Self::Always,
            _ => Self::EachChecked,
        }
    }
}
