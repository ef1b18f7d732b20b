//! Parts of a key that lie at one place in every row.
//!
//! Behind parts of fixed width a part begins at the same byte of every row id. Whoever keeps row ids column by column can
//! then test such a part as it tests a column: [`KeyLexicoder::part_place`] says where it is, and
//! [`KeyLexicoder::part_ranges`] which of its bytes, as they are stored there, satisfy a comparison.

use ostracon_data::RowRanges;

use crate::byte_ranges::{Span, before, native, spans, value_span};
use crate::key_part::Layout;
use crate::primitive_compare::of_kind;
use crate::{BadValue, CompareOp, Encoding, KeyLexicoder, KeyPart, PrimitiveType, ScalarRef, compare_ranges};

/// Where some bytes lie in every row id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RowPlace {
    /// The first byte, from 0.
    pub offset: usize,
    /// How many bytes; `None` is all that follow.
    pub width: Option<usize>,
    /// Whether the row id ends with these bytes: one that goes on is bad.
    pub last: bool,
}

impl RowPlace {
    /// The whole row id.
    pub const ROW: Self = Self { offset: 0, width: None, last: true };

    /// The bytes at this place of `row`; `None` if the row is too short, or too long for a last place.
    pub fn of<'a>(&self, row: &'a [u8]) -> Option<&'a [u8]> {
        let rest = row.get(self.offset..)?;
        match self.width {
            Some(width) if self.last && rest.len() != width => None,
            Some(width) => rest.get(..width),
            None => Some(rest),
        }
    }
}

impl KeyLexicoder {
    /// Where part `index` lies in every row; `None` behind a part of varying width and for one that is escaped.
    ///
    /// A row whose bytes at the place are a value (see [`part_value_ranges`](Self::part_value_ranges)) is one whose part
    /// can be decoded.
    pub fn part_place(&self, index: usize) -> Option<RowPlace> {
        let mut offset = 0_usize;
        for before in self.parts().get(..index)? {
            offset = offset.checked_add(before.ty.width()?)?;
        }
        let last = index + 1 == self.parts().len();
        match self.part(index).ok()?.1 {
            Layout::Fixed(width) => Some(RowPlace { offset, width: Some(width), last }),
            Layout::Raw => Some(RowPlace { offset, width: None, last }),
            Layout::Terminated => None,
        }
    }

    /// The stored bytes of part `index` for which `value op constant` holds; `None` for a part that is escaped. The constant
    /// may lie outside the type's range; an error if it is of another kind.
    pub fn part_ranges(
        &self,
        index: usize,
        op: CompareOp,
        constant: ScalarRef<'_>,
    ) -> Result<Option<RowRanges>, BadValue> {
        let (part, layout) = self.part(index)?;
        if layout == Layout::Terminated || !of_kind(part.ty, constant) {
            return compare_ranges(part.ty, Encoding::Native, op, constant).map(|_| None);
        }
        match spans(part.ty, op, constant) {
            Some(spans) => Ok(Some(turned(part, spans))),
            None => compare_ranges(part.ty, Encoding::Native, op, constant),
        }
    }

    /// The stored bytes of part `index`, of its width, that are values; `None` if its width varies.
    ///
    /// Of floats that is one zero and one NaN.
    pub fn part_value_ranges(&self, index: usize) -> Option<RowRanges> {
        let (part, _) = self.part(index).ok()?;
        let floats = |edges: [ScalarRef<'static>; 5]| {
            let [low, minus, zero, high, nan] = edges.map(|edge| native(part.ty, edge));
            let nan = nan?;
            Some(vec![
                Span { first: low?, last: before(&minus?)? },
                Span { first: zero?, last: high? },
                Span { first: nan.clone(), last: nan },
            ])
        };
        let spans = match part.ty {
            PrimitiveType::Float32 => floats(
                [f32::NEG_INFINITY, -0.0, 0.0, f32::INFINITY, f32::from_bits(0x7fc0_0000)]
                    .map(ScalarRef::Float32),
            )?,
            PrimitiveType::Float64 => floats(
                [f64::NEG_INFINITY, -0.0, 0.0, f64::INFINITY, f64::from_bits(0x7ff8_0000_0000_0000)]
                    .map(ScalarRef::Float64),
            )?,
            other => vec![value_span(other)?],
        };
        Some(turned(part, spans))
    }
}

/// Native spans as the bytes of a part.
fn turned(part: KeyPart, spans: Vec<Span>) -> RowRanges {
    Span::ranges(spans.into_iter().map(|span| if part.descending { span.complement() } else { span }))
}
