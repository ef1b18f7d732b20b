//! Single rows of one segment, many at a time.

use super::FragmentRows;
use crate::scan::source_cursor::SourceCursor;
use crate::{Result, keys};

impl FragmentRows {
    /// Sets [`places`](Self::places) to the current row of the run at `at` and to those of the ranges that follow, as long as
    /// each of these is a single row in the same segment that no other source can have; `most` rows in all. Rows that the
    /// segment does not have are passed over. The cursor then stands at the last row.
    ///
    /// For forward scans that want every row of the segment.
    pub(super) fn collect_points(&mut self, at: usize, most: usize) -> Result<()> {
        // A row that others may have goes the long way, and so do those after it.
        let nearest = self.nearest_other(at).map(|other| other.row_part.to_vec());
        self.places.clear();
        let Some(SourceCursor::Run(cursor)) = self.cursors.get_mut(at) else { return Ok(()) };
        let mut near = cursor.row_place();
        self.places.extend(u32::try_from(near));
        while self.places.len() < most
            && let Some(row) = self.ranges.last().and_then(|range| range.as_point())
            && cursor.handle().is_some_and(|handle| row <= handle.last_row())
        {
            if let Some(nearest) = &nearest {
                self.sought.clear();
                keys::put_row_part(&mut self.sought, row);
                if self.sought >= *nearest {
                    break;
                }
            }
            let (place, is_there) = cursor.find(row, near)?;
            if is_there {
                self.places.extend(u32::try_from(place));
                near = place;
            }
            self.ranges.pop();
        }
        cursor.place(near);
        Ok(())
    }

    /// The rows of the [segment](Self::segment) that were found together last, ascending.
    pub(crate) fn places(&self) -> &[u32] {
        &self.places
    }
}
