//! Conditions on the parts of a key as ranges of rows.
//!
//! The planner's question is always the same: the first parts equal constants, the next one lies in an interval or starts
//! with some text. [`KeyLexicoder::row_range`] and [`KeyLexicoder::starting_with`] answer it exactly: of the rows that
//! hold keys, the range has those that satisfy the conditions and no other.

use std::ops::Bound;

use ostracon_data::{RowRange, prefix_end, row_successor};

use crate::key_part::{Layout, turn, write_escaped};
use crate::lexicoder::Floats;
use crate::{BadValue, KeyLexicoder, ScalarRef};

impl KeyLexicoder {
    /// The rows whose first parts equal `prefix` and whose next part lies between the bounds, in DataFusion's order of
    /// values, whether the part is ascending or not. Bounds that cross give an empty range.
    ///
    /// With a value for every part the bounds must be open.
    ///
    /// ```
    /// use std::ops::Bound;
    /// use ostracon_compare::{KeyLexicoder, KeyPart, PrimitiveType, ScalarRef};
    ///
    /// let key = KeyLexicoder::new(vec![
    ///     KeyPart::ascending(PrimitiveType::Utf8),
    ///     KeyPart::descending(PrimitiveType::Int64),
    /// ]);
    /// // name = 'a' AND at > 5
    /// let range = key.row_range(&[ScalarRef::Utf8("a")], Bound::Excluded(ScalarRef::Int(5)), Bound::Unbounded)?;
    /// assert!(range.contains(&key.encode(&[ScalarRef::Utf8("a"), ScalarRef::Int(6)])?));
    /// assert!(!range.contains(&key.encode(&[ScalarRef::Utf8("a"), ScalarRef::Int(5)])?));
    /// # Ok::<(), ostracon_compare::BadValue>(())
    /// ```
    pub fn row_range(
        &self,
        prefix: &[ScalarRef<'_>],
        low: Bound<ScalarRef<'_>>,
        high: Bound<ScalarRef<'_>>,
    ) -> Result<RowRange, BadValue> {
        let base = self.encode_prefix(prefix)?;
        if matches!((&low, &high), (Bound::Unbounded, Bound::Unbounded)) {
            let whole_key = prefix.len() == self.parts().len();
            return Ok(if whole_key { RowRange::point(base) } else { RowRange::prefix(base) });
        }
        let (part, _) = self.part(prefix.len())?;
        let (first, last) = if part.descending { (high, low) } else { (low, high) };
        let start = match first {
            Bound::Unbounded => Some(base.clone()),
            Bound::Included(value) => Some(self.extended(&base, prefix.len(), value)?),
            Bound::Excluded(value) => self.behind(self.extended(&base, prefix.len(), value)?, prefix.len()),
        };
        // Nothing lies behind a start that is behind every row.
        let Some(start) = start else { return Ok(RowRange::new([], Some(Vec::new()))) };
        let end = match last {
            Bound::Unbounded => prefix_end(&base),
            Bound::Included(value) => self.behind(self.extended(&base, prefix.len(), value)?, prefix.len()),
            Bound::Excluded(value) => Some(self.extended(&base, prefix.len(), value)?),
        };
        Ok(RowRange { start, end })
    }

    /// The rows whose first parts equal `prefix` and whose next part, of text or bytes, starts with `start`.
    pub fn starting_with(&self, prefix: &[ScalarRef<'_>], start: &[u8]) -> Result<RowRange, BadValue> {
        let mut base = self.encode_prefix(prefix)?;
        let (part, layout) = self.part(prefix.len())?;
        let from = base.len();
        match layout {
            Layout::Fixed(_) => {
                let reason = format!("{} values have no prefix", part.ty);
                return Err(BadValue::of_key(self.to_string(), start, reason.into()));
            }
            Layout::Raw => base.extend_from_slice(start),
            // Escaping goes byte by byte, so the escaped prefix is a prefix of the escaped text.
            Layout::Terminated => write_escaped(start, &mut base),
        }
        turn(&mut base, from, part.descending);
        Ok(RowRange::prefix(base))
    }

    fn extended(&self, base: &[u8], index: usize, value: ScalarRef<'_>) -> Result<Vec<u8>, BadValue> {
        let mut bytes = base.to_vec();
        self.write_part(index, value, Floats::Compared, &mut bytes)?;
        Ok(bytes)
    }

    /// The first row behind those that have these parts up to `index`; `None` if there is none.
    fn behind(&self, bytes: Vec<u8>, index: usize) -> Option<Vec<u8>> {
        if index + 1 == self.parts().len() { Some(row_successor(&bytes)) } else { prefix_end(&bytes) }
    }
}
