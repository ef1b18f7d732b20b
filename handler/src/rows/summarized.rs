//! What a segment's summary says of a column, for readers that need no more.

use ostracon_compare::{Encoding, PrimitiveType, ScalarRef, decode};
use ostracon_segment::{ColumnSummary, SegmentSummary};

use super::decoder::RowDecoder;
use super::source::Source;

/// What is known of the values of one column in a segment; all of them are good ones.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SummarizedColumn<'s> {
    /// Rows that have none.
    pub(crate) absent: u32,
    bounds: Option<&'s ColumnSummary>,
    ty: PrimitiveType,
    encoding: Encoding,
}

impl RowDecoder {
    /// An output column of a segment with all rows in columns; `None` if its summary does not tell whether all values are
    /// good, or cells may stand for NULL.
    pub(crate) fn summarized<'s>(
        &self,
        column: usize,
        summary: &'s SegmentSummary,
    ) -> Option<SummarizedColumn<'s>> {
        let Source::Cell { family, qualifier, ty, encoding, null: None } = &self.columns.get(column)?.source
        else {
            return None;
        };
        let bounds = summary.column(family, qualifier);
        let absent = bounds.map_or(summary.rows, |column| column.absent);
        let column = SummarizedColumn { absent, bounds, ty: *ty, encoding: *encoding };
        bounds.is_none_or(|bounds| column.is_clean(bounds)).then_some(column)
    }
}

impl<'s> SummarizedColumn<'s> {
    /// The least or greatest value; `None` if the summary does not tell it, or bytes do not sort as values do.
    pub(crate) fn extreme(&self, greatest: bool) -> Option<ScalarRef<'s>> {
        let bounds = self.bounds?;
        let bound = if greatest { bounds.max.as_ref()? } else { &bounds.min };
        let sorts = matches!(self.ty, PrimitiveType::Utf8 | PrimitiveType::Binary)
            || self.encoding == Encoding::Native;
        (sorts && bound.attained).then_some(())?;
        decode(self.ty, self.encoding, &bound.bytes).ok()
    }

    fn is_clean(&self, bounds: &ColumnSummary) -> bool {
        match self.ty {
            PrimitiveType::Binary => true,
            PrimitiveType::Utf8 => bounds.utf8,
            _ if self.encoding == Encoding::String
                || bounds.width.map(|width| width as usize) != self.ty.width() =>
            {
                false
            }
            // The good ones of a width are those between two good ones.
            PrimitiveType::Boolean | PrimitiveType::Decimal128 { .. } | PrimitiveType::Decimal256 { .. } => {
                self.extreme(false).is_some() && self.extreme(true).is_some()
            }
            _ => true,
        }
    }
}
