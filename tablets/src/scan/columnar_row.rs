//! A row as it lies in a segment, column by column.

use ostracon_data::CellRef;
use ostracon_segment::FragmentWriter;
use ostracon_segment::{Scratch, Segment, time_of};

use super::columns::{self, ColumnRoles};
use crate::Result;
use crate::sources::SegmentHandle;

/// What reading rows of segments one by one needs: the columns that matter, and memory for opened blocks.
pub(super) struct ColumnarRows {
    roles: ColumnRoles,
    /// Places in the current segment of the columns with a role, and those roles.
    columns: Vec<(usize, u8)>,
    scratch: Scratch,
}

impl ColumnarRows {
    pub(super) fn new(roles: &ColumnRoles) -> Self {
        Self { roles: roles.clone(), columns: Vec::new(), scratch: Scratch::new() }
    }

    /// Rows will be those of this segment.
    pub(super) fn enter(&mut self, segment: &Segment<'_>) {
        let mut hint = 0;
        let roles = segment
            .columns()
            .iter()
            .map(|column| self.roles.of(column.family(), column.qualifier(), &mut hint));
        self.columns.clear();
        self.columns.extend(roles.enumerate().filter(|(_, roles)| *roles != 0));
    }

    /// A row of the segment entered last.
    #[inline]
    pub(super) fn row<'r>(
        &'r mut self,
        handle: &'r SegmentHandle,
        segment: &'r Segment<'r>,
        place: usize,
    ) -> ColumnarRow<'r> {
        ColumnarRow { handle, segment, place, columns: &self.columns, scratch: &mut self.scratch, time: None }
    }
}

/// A row of a segment. Nothing of it is read before it is asked for.
pub(crate) struct ColumnarRow<'r> {
    handle: &'r SegmentHandle,
    segment: &'r Segment<'r>,
    place: usize,
    columns: &'r [(usize, u8)],
    scratch: &'r mut Scratch,
    /// The row's timestamp, once it was read.
    time: Option<i64>,
}

impl<'r> ColumnarRow<'r> {
    /// Sets `out` to the row's id.
    pub(crate) fn row_into(&self, out: &mut Vec<u8>) -> Result<()> {
        self.segment.row_into(self.place, out).map_err(|source| self.handle.damaged(source))
    }

    /// The fragment that the row is kept as, if it is; it has no cells in columns then.
    pub(crate) fn fragment(&mut self) -> Result<Option<&[u8]>> {
        let found = self.segment.fragment(self.place, self.scratch);
        found.map_err(|source| self.handle.damaged(source))
    }

    /// The columns with a role: the place in the segment, and the roles.
    #[inline]
    pub(crate) fn columns(&self) -> &'r [(usize, u8)] {
        self.columns
    }

    /// The row's cell in the segment's column of that place, if it has one.
    #[inline]
    pub(crate) fn cell(&mut self, column: usize) -> Result<Option<CellRef<'_>>> {
        let handle = self.handle;
        self.read_cell(column, true).map_err(|source| handle.damaged(source))
    }

    /// As [`cell`](Self::cell); only a `valued` one has its value, others an empty one.
    fn read_cell(
        &mut self,
        column: usize,
        valued: bool,
    ) -> Result<Option<CellRef<'_>>, ostracon_segment::Error> {
        let (segment, row) = (self.segment, self.place);
        let Some(column) = segment.columns().get(column) else { return Ok(None) };
        if !column.chunk().is_present(row) {
            return Ok(None);
        }
        let timestamp = match (column.times(), self.time) {
            (Some(times), _) => time_of(times.value(row)?),
            (None, Some(time)) => time,
            (None, None) => *self.time.insert(time_of(segment.times().value(row)?)),
        };
        let codes = column.label_codes().unwrap_or(segment.label_codes());
        let visibility = segment.label(codes.value(row)?)?;
        let value = if valued { column.chunk().value(row, self.scratch)? } else { Some(&b""[..]) };
        let (family, qualifier) = (column.family(), column.qualifier());
        Ok(value.map(|value| CellRef { family, qualifier, visibility, timestamp, value }))
    }

    /// Appends the row's cells as a fragment. Cells that only count for the row's existence come without their values.
    pub(crate) fn pack(&mut self, out: &mut Vec<u8>) -> Result<()> {
        // Most cells have the row's time and label, so these are stored once.
        let handle = self.handle;
        let common = self.common().map_err(|source| handle.damaged(source))?;
        let mut fragment = FragmentWriter::new(out, common.0, common.1);
        for (column, roles) in self.columns {
            let cell = self.read_cell(*column, *roles != columns::MAPPED);
            if let Some(cell) = cell.map_err(|source| handle.damaged(source))? {
                fragment.put(cell.family, cell.qualifier, cell.visibility, cell.timestamp, cell.value);
            }
        }
        Ok(())
    }

    fn common(&self) -> Result<(i64, &'r [u8]), ostracon_segment::Error> {
        let time = time_of(self.segment.times().value(self.place)?);
        Ok((time, self.segment.label(self.segment.label_codes().value(self.place)?)?))
    }
}
