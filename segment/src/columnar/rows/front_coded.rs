//! Row ids of any length.

use std::ops::Range;

use super::{no_such_row, partition_point};
use crate::columnar::field::{Fields, damaged, slice, tail};
use crate::columnar::integers::{IntegerSpace, Integers};
use crate::{Error, Result, varint};

/// Ids that all start with one prefix, in groups of [`GROUP`]. The first rest of a group is whole; of the others only what differs
/// from the one before is kept.
#[derive(Debug, Clone, Copy)]
pub(in crate::columnar) struct FrontCoded<'a> {
    rows: usize,
    prefix: &'a [u8],
    /// Where each group starts.
    groups: Integers<'a>,
    data: &'a [u8],
    offset: usize,
}

/// Reading an id may pass over so many others.
pub(in crate::columnar) const GROUP: usize = 16;
/// Bytes of the header: prefix length u32 | data length u32 | groups' bits u8 | 0 u24 | groups at u32; prefix and data follow.
pub(in crate::columnar) const HEADER: usize = 16;

impl<'a> FrontCoded<'a> {
    pub(super) fn open(segment: &'a [u8], offset: usize, rows: usize) -> Result<Self> {
        let item = "row ids";
        let mut fields = Fields::at(segment, offset, HEADER, item)?;
        let (prefix_len, data_len, bits) = (fields.place()?, fields.place()?, fields.u8()?);
        fields.zeros::<3>()?;
        let groups_at = fields.place()?;
        if bits > 32 {
            return Err(damaged(item, offset));
        }
        let space = IntegerSpace { width: 4, base: 0, step: 1, top: u64::from(u32::MAX) };
        let groups = Integers::of_parts(segment, groups_at, rows.div_ceil(GROUP), bits, space)?;
        let prefix = slice(segment, offset + HEADER, prefix_len, item)?;
        let data = tail(segment, offset + HEADER + prefix_len, item)?;
        let data = data.get(..data_len).ok_or(damaged(item, offset))?;
        Ok(Self { rows, prefix, groups, data, offset })
    }

    /// Appends a group of ids without their prefix, as [`Group`] reads it.
    pub(in crate::columnar) fn append_group<'i>(ids: impl Iterator<Item = &'i [u8]>, out: &mut Vec<u8>) {
        let mut before: Option<&[u8]> = None;
        for id in ids {
            let shared = before.map(|before| before.iter().zip(id).take_while(|(a, b)| a == b).count());
            if let Some(shared) = shared {
                varint::put(out, shared as u64);
            }
            varint::put_bytes(out, id.get(shared.unwrap_or(0)..).unwrap_or_default());
            before = Some(id);
        }
    }

    fn bad(&self) -> Error {
        damaged("row id", self.offset)
    }

    fn group(&self, group: usize) -> Result<Group<'a>> {
        let rest = self.data.get(self.groups.get(group)? as usize..).ok_or(self.bad())?;
        Ok(Group { rest, is_first: true })
    }

    /// Sets `out` to the id of a row.
    pub(super) fn get(&self, row: usize, out: &mut Vec<u8>) -> Result<()> {
        if row >= self.rows {
            return Err(no_such_row(row, self.rows));
        }
        out.clear();
        out.extend_from_slice(self.prefix);
        let mut group = self.group(row / GROUP)?;
        for _ in 0..=row % GROUP {
            group.step(self.prefix.len(), out).ok_or(self.bad())?;
        }
        Ok(())
    }

    pub(super) fn for_each(&self, rows: Range<usize>, mut visit: impl FnMut(usize, &[u8])) -> Result<()> {
        let mut id = self.prefix.to_vec();
        for index in rows.start / GROUP..rows.end.div_ceil(GROUP) {
            let mut group = self.group(index)?;
            for row in index * GROUP..((index + 1) * GROUP).min(rows.end) {
                group.step(self.prefix.len(), &mut id).ok_or(self.bad())?;
                if row >= rows.start {
                    visit(row, &id);
                }
            }
        }
        Ok(())
    }

    pub(super) fn lower_bound(&self, wanted: &[u8]) -> Result<usize> {
        let Some(wanted) = wanted.strip_prefix(self.prefix) else {
            return Ok(if wanted < self.prefix { 0 } else { self.rows });
        };
        let groups = self.groups.len();
        let after =
            partition_point(0, groups, |index| Ok(self.group(index)?.whole().ok_or(self.bad())? < wanted))?;
        // It lies in the last group that starts below, or is the start of the next one.
        let Some(index) = after.checked_sub(1) else { return Ok(0) };
        let (mut group, mut id) = (self.group(index)?, Vec::with_capacity(64));
        let end = (after * GROUP).min(self.rows);
        for row in index * GROUP..end {
            group.step(0, &mut id).ok_or(self.bad())?;
            if id.as_slice() >= wanted {
                return Ok(row);
            }
        }
        Ok(end)
    }
}

/// Reads the ids of a group one after the other.
struct Group<'a> {
    rest: &'a [u8],
    is_first: bool,
}

impl<'a> Group<'a> {
    fn number(&mut self) -> Option<usize> {
        let (number, width) = varint::get(self.rest).ok()?;
        self.rest = self.rest.get(width..)?;
        usize::try_from(number).ok()
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.number()?;
        let (bytes, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(bytes)
    }

    /// The first id.
    fn whole(mut self) -> Option<&'a [u8]> {
        self.bytes()
    }

    /// Makes the next id of the one before in `id`, whose first `prefix_len` bytes stay. `None` if it is damaged.
    fn step(&mut self, prefix_len: usize, id: &mut Vec<u8>) -> Option<()> {
        let shared = if std::mem::take(&mut self.is_first) { 0 } else { self.number()? };
        let kept = prefix_len.checked_add(shared).filter(|kept| *kept <= id.len())?;
        id.truncate(kept);
        id.extend_from_slice(self.bytes()?);
        Some(())
    }
}
