//! Finding the distinct values of a column.

use super::byte_strings::Strings;
use super::{Sink, count};
use crate::Result;
use crate::columnar::dictionary::{ANY_WIDTH, HEADER};
use crate::packing;

/// Distinct values in ascending order and each row's place among them.
#[derive(Debug)]
pub(super) struct Distinct<'a> {
    pub(super) entries: Vec<&'a [u8]>,
    codes: Vec<u64>,
}

impl<'a> Distinct<'a> {
    /// The distinct ones of `values`; `None` (a row without a value) gets code 0.
    pub(super) fn find(values: impl Iterator<Item = Option<&'a [u8]>> + Clone) -> Self {
        let mut entries: Vec<&[u8]> = values.clone().flatten().collect();
        entries.sort_unstable();
        entries.dedup();
        let code =
            |value: Option<&[u8]>| value.map_or(0, |value| entries.partition_point(|entry| *entry < value));
        let codes = values.map(|value| code(value) as u64).collect();
        Self { entries, codes }
    }

    /// What writing this takes, in bytes.
    pub(super) fn size(&self) -> usize {
        let entries: usize = self.entries.iter().map(|entry| entry.len() + 4).sum();
        entries + packing::packed_len(self.codes.len(), self.bits())
    }

    fn bits(&self) -> u8 {
        packing::bits_for(self.entries.len().saturating_sub(1) as u64)
    }

    /// The length of all entries, if it is the same.
    pub(super) fn width(&self) -> Option<u32> {
        let first = self.entries.first()?.len();
        self.entries.iter().all(|entry| entry.len() == first).then_some(u32::try_from(first).ok()?)
    }

    /// Appends the entries and codes; gives their header.
    pub(super) fn write(&self, sink: &mut Sink<'_>) -> Result<[u8; HEADER]> {
        let mut end = 0;
        let ends: Vec<usize> = self
            .entries
            .iter()
            .map(|entry| {
                end += entry.len();
                end
            })
            .collect();
        let strings = Strings { ends: &ends, data: &self.entries.concat() };
        let ends_at = sink.here()?;
        for end in strings.ends {
            sink.bytes().extend_from_slice(&count(*end)?.to_le_bytes());
        }
        sink.bytes().extend_from_slice(strings.data);
        let codes_at = sink.here()?;
        packing::pack(&self.codes, self.bits(), sink.bytes());
        let mut header = [0; HEADER];
        let fields = [
            self.width().unwrap_or(ANY_WIDTH),
            count(self.entries.len())?,
            ends_at,
            count(strings.data.len())?,
            u32::from(self.bits()),
            codes_at,
        ];
        let fields = fields.into_iter().flat_map(u32::to_le_bytes);
        header.iter_mut().zip(fields).for_each(|(byte, field)| *byte = field);
        Ok(header)
    }
}
