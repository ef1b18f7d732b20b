//! [`LocalGroups`]: the groups of a segment's rows, by the codes of its columns.

use ostracon_segment::{Integers, Values};

use super::rows::Rows;
use super::{Packed, Read};
use crate::aggregate::groups::{GroupTable, Key};
use crate::aggregate::kernel::Refusal;
use crate::rows::{RowDecoder, StoredColumn, StoredPlace};

/// The most groups that the codes of a segment's columns may make together, whether they occur or not.
const MOST_GROUPS: usize = 1 << 10;

/// The groups that the codes of some columns make together: a number below [`len`](Self::len) for each row.
pub(super) struct LocalGroups<'s> {
    columns: Vec<LocalKeys<'s>>,
    len: usize,
}

/// The codes of one column: a number below `len` for each row, the last one for NULL if rows have no value.
struct LocalKeys<'s> {
    column: StoredColumn<'s>,
    codes: Option<&'s Integers<'s>>,
    /// Codes that are values.
    values: usize,
    len: usize,
}

impl<'s> LocalGroups<'s> {
    /// The groups by some output columns; `None` if there may be too many, or not all values are good.
    pub(super) fn of(
        decoder: &RowDecoder,
        columns: &[usize],
        segment: &'s ostracon_segment::Segment<'s>,
    ) -> Option<Self> {
        let mut len = 1;
        let mut keys = Vec::with_capacity(columns.len());
        for column in columns {
            let column = LocalKeys::of(decoder.stored(*column, segment)?)?;
            len *= column.len;
            if len > MOST_GROUPS {
                return None;
            }
            keys.push(column);
        }
        Some(Self { columns: keys, len })
    }

    /// Sets `ids` to the number of each row, to [`len`](Self::len) for rows that do not count.
    pub(super) fn ids(&self, rows: &Rows<'_>, packed: &mut Packed, ids: &mut Vec<u16>) -> Read<()> {
        ids.clear();
        let (mut codes, mut present) = (Vec::new(), Vec::new());
        for (index, column) in self.columns.iter().enumerate() {
            codes.clear();
            column.read(rows, packed, &mut present, &mut codes)?;
            if index == 0 {
                std::mem::swap(ids, &mut codes);
            } else {
                let len = column.len as u16;
                for (id, code) in ids.iter_mut().zip(&codes) {
                    *id = id.wrapping_mul(len).wrapping_add(*code);
                }
            }
        }
        rows.set_apart(ids, self.len as u16);
        Ok(())
    }

    /// Numbers the groups that occur in `ids` anew, from zero, and sets `out` to the group of the whole for each. What stood
    /// for rows that do not count becomes the length of `out`. The inner error: too many groups.
    pub(super) fn number(
        &self,
        ids: &mut [u16],
        table: &mut GroupTable,
        out: &mut Vec<u32>,
    ) -> Read<Result<(), Refusal>> {
        // The codes of a column whose values lie far apart make many more groups than occur, and few add up faster.
        let mut numbers = vec![0; self.len + 1];
        for id in &*ids {
            if let Some(occurs) = numbers.get_mut(usize::from(*id)) {
                *occurs = 1;
            }
        }
        let mut known: Vec<Vec<Option<u32>>> =
            self.columns.iter().map(|column| vec![None; column.len]).collect();
        let mut codes = vec![0; self.columns.len()];
        out.clear();
        for (local, number) in
            numbers.iter_mut().enumerate().take(self.len).filter(|(_, occurs)| **occurs == 1)
        {
            if !self.codes_of(local, table, &mut known, &mut codes)? {
                return Ok(Err(Refusal::Malformed));
            }
            // There are at most MOST_GROUPS.
            *number = out.len() as u16;
            match table.group(&codes) {
                Ok(group) => out.push(group),
                Err(refusal) => return Ok(Err(refusal)),
            }
        }
        let apart = out.len() as u16;
        if let Some(last) = numbers.last_mut() {
            *last = apart;
        }
        if out.len() < self.len {
            for id in ids {
                *id = numbers.get(usize::from(*id)).copied().unwrap_or(apart);
            }
        }
        Ok(Ok(()))
    }

    /// Sets `codes` to the table's code of each column's key in a group; false if some key is none. `known` are those that
    /// were looked up before, by column.
    fn codes_of(
        &self,
        group: usize,
        table: &mut GroupTable,
        known: &mut [Vec<Option<u32>>],
        codes: &mut [u32],
    ) -> Read<bool> {
        let mut rest = group;
        for (index, ((column, known), code)) in self.columns.iter().zip(known).zip(codes).enumerate().rev() {
            let local = rest % column.len;
            rest /= column.len;
            let Some(known) = known.get_mut(local) else { return Ok(false) };
            *code = match known {
                Some(code) => *code,
                None => {
                    let Some(key) = column.key(local)? else { return Ok(false) };
                    *known.insert(table.key(index, key))
                }
            };
        }
        Ok(true)
    }
}

impl<'s> LocalKeys<'s> {
    fn of(column: StoredColumn<'s>) -> Option<Self> {
        if !column.is_clean() {
            return None;
        }
        let codes = match column.place {
            StoredPlace::Nowhere => return Some(Self { column, codes: None, values: 0, len: 1 }),
            StoredPlace::Word(word) => word,
            StoredPlace::Chunk(chunk) => match chunk.values() {
                Values::Integers(integers) => integers,
                Values::Dictionary(dictionary) => dictionary.codes(),
                Values::Bytes(_) => return None,
            },
        };
        let values = usize::try_from(codes.top()).ok().filter(|top| *top < MOST_GROUPS)? + 1;
        let fits = codes.bits() <= 16;
        let len = values + usize::from(column.absent() > 0);
        fits.then_some(Self { column, codes: Some(codes), values, len })
    }

    /// Appends the code of each row.
    fn read(
        &self,
        rows: &Rows<'_>,
        packed: &mut Packed,
        present: &mut Vec<u8>,
        out: &mut Vec<u16>,
    ) -> Read<()> {
        let null = self.values as u16;
        match self.codes {
            None => out.resize(rows.len(), null),
            Some(codes) if codes.bits() == 0 => out.resize(rows.len(), 0),
            Some(codes) => packed.unpack(codes, rows, out, |v| v as u16)?,
        }
        if self.column.absent() > 0 {
            rows.present(&self.column, present)?;
            for (code, present) in out.iter_mut().zip(present) {
                *code = if *present == 0 { null } else { *code };
            }
        }
        Ok(())
    }

    /// The key of a code; `None` if it is no value.
    fn key(&self, code: usize) -> Read<Option<Key>> {
        if code >= self.values {
            return Ok(Some(None));
        }
        let v = code as u64;
        if let Some(integers) = self.column.integers() {
            let bytes = integers.value_of(v).to_be_bytes();
            let width = bytes.len().saturating_sub(integers.width());
            return Ok(self.column.value(bytes.get(width..).unwrap_or_default()).and_then(GroupTable::value));
        }
        match self.column.place {
            StoredPlace::Chunk(chunk) => match chunk.dictionary() {
                Some(dictionary) => {
                    Ok(self.column.value(dictionary.entry(code)?).and_then(GroupTable::value))
                }
                None => Ok(None),
            },
            _ => Ok(None),
        }
    }
}
