//! [`ColumnarOperand`]: an operand as a store that keeps columns sees it.

use ostracon_compare::{BadValue, Encoding, KeyLexicoder, PrimitiveType, RowPlace};
use ostracon_data::{RowRange, RowRanges};

use super::CleanWhen;
use crate::row_filter::operands::{BoundOperand, Scratch, Slot};
use crate::row_filter::{Operand, OperandSource};

/// An operand, and what its bytes tell without being decoded.
#[derive(Debug)]
pub struct ColumnarOperand {
    operand: Operand,
    bound: BoundOperand,
    place: Option<RowPlace>,
    null_values: Option<RowRanges>,
    clean_when: CleanWhen,
}

impl ColumnarOperand {
    pub(super) fn new(operand: Operand, bound: BoundOperand) -> Self {
        let place = match &operand.source {
            OperandSource::Row => Some(RowPlace::ROW),
            OperandSource::RowPart { parts, index } => KeyLexicoder::new(parts.clone()).part_place(*index),
            OperandSource::RowField { .. } | OperandSource::Cell { .. } => None,
        };
        let null_values = null_values(&operand);
        let clean_when = CleanWhen::of(&operand, place, null_values.as_ref());
        Self { operand, bound, place, null_values, clean_when }
    }

    /// The operand as it was described.
    pub fn operand(&self) -> &Operand {
        &self.operand
    }

    /// For an operand of the row id that lies at one place of every row: where. `None` for a cell's value, for a part
    /// behind one of varying width, for an escaped part and for a field of text.
    pub fn place(&self) -> Option<RowPlace> {
        self.place
    }

    /// What makes its values clean. "Values" are a cell's, or the bytes at [`place`](Self::place); a row that has no such
    /// place ([`RowPlace::of`]) is not clean.
    pub fn clean_when(&self) -> &CleanWhen {
        &self.clean_when
    }

    /// The values that stand for NULL though they are there: the null sequence, where the column has one.
    pub fn null_values(&self) -> Option<&RowRanges> {
        self.null_values.as_ref()
    }

    /// Whether the bytes are a value or stand for NULL: a cell's value or, for an operand of the row id, the *whole* row id.
    pub fn check(&self, bytes: &[u8]) -> Result<(), BadValue> {
        self.resolve(bytes, &mut Scratch::default()).map(drop)
    }

    pub(super) fn resolve<'a>(&self, bytes: &'a [u8], scratch: &mut Scratch) -> Result<Slot<'a>, BadValue> {
        self.bound.resolve_bytes(bytes, scratch)
    }

    /// Whether ranges can speak of it: it is a cell's value or lies at one place of every row.
    pub(super) fn has_values(&self) -> bool {
        self.place.is_some() || self.is_its_value()
    }

    /// Whether what the operand is decoded from is what its ranges speak of.
    pub(super) fn is_its_value(&self) -> bool {
        match self.operand.source {
            OperandSource::Cell { .. } | OperandSource::Row => true,
            OperandSource::RowPart { .. } | OperandSource::RowField { .. } => false,
        }
    }
}

/// The width of all good values; `None` if it varies.
pub(super) fn fixed_width(operand: &Operand) -> Option<usize> {
    if operand.encoding == Encoding::String { None } else { operand.ty.width() }
}

fn null_values(operand: &Operand) -> Option<RowRanges> {
    if matches!(operand.source, OperandSource::RowPart { .. }) {
        return None;
    }
    let null = operand.null_sequence.as_ref()?;
    // Ends of the values' own width join with the ranges of their neighbours.
    let end = match ostracon_data::prefix_end(null) {
        Some(end) if fixed_width(operand) == Some(null.len()) => {
            let mut end = end;
            end.resize(null.len(), 0);
            Some(end)
        }
        None if fixed_width(operand) == Some(null.len()) => None,
        _ => RowRange::point(null.as_slice()).end,
    };
    Some(RowRange { start: null.clone(), end }.into())
}

/// Whether values of the type are text or bytes as they are.
pub(super) fn is_plain(ty: PrimitiveType) -> bool {
    matches!(ty, PrimitiveType::Utf8 | PrimitiveType::Binary)
}
