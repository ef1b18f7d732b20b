//! Cutting byte strings into blocks and compressing them.

use super::{Sink, count};
use crate::columnar::byte_strings::{HEADER, LZ4, MAX_SHIFT};
use crate::packing;
use crate::{Error, Result};

/// Byte strings one after the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Strings<'a> {
    /// The end of each one.
    pub(super) ends: &'a [usize],
    pub(super) data: &'a [u8],
}

/// Blocks of about so many bytes: small enough that reading one value does not cost much, large enough to compress.
const BLOCK_BYTES: usize = 2048;

/// Appends byte strings; gives their header.
pub(super) fn write(
    strings: &Strings<'_>,
    lengths: &mut Vec<u64>,
    sink: &mut Sink<'_>,
) -> Result<[u8; HEADER]> {
    lengths.clear();
    let mut before = 0;
    lengths.extend(strings.ends.iter().map(|&end| (end - std::mem::replace(&mut before, end)) as u64));
    let least = lengths.iter().copied().min().unwrap_or(0);
    let most = lengths.iter().copied().max().unwrap_or(0);
    lengths.iter_mut().for_each(|length| *length -= least);
    let bits = packing::bits_for(most - least);
    let lengths_at = sink.here()?;
    packing::pack(lengths, bits, sink.bytes());
    let shift = shift_for(strings);
    let blocks = strings.ends.len().div_ceil(1 << shift);
    let blocks_at = sink.leave(blocks * 4)?;
    let data_at = sink.here()?;
    let (mut start, mut compressed) = (0, Vec::new());
    for (index, block) in strings.ends.chunks(1 << shift).enumerate() {
        let end = block.last().copied().unwrap_or(start);
        let raw =
            strings.data.get(start..end).ok_or(Error::Unencodable { what: "offsets are wrong", row: 0 })?;
        start = end;
        compressed.resize(lz4_flex::block::get_maximum_output_size(raw.len()), 0);
        match lz4_flex::block::compress_into(raw, &mut compressed).ok().and_then(|len| compressed.get(..len))
        {
            Some(shorter) if shorter.len() < raw.len() => sink.bytes().extend_from_slice(shorter),
            _ => sink.bytes().extend_from_slice(raw),
        }
        let stored_end = sink.here()? - data_at;
        sink.patch(blocks_at + count(index * 4)?, &stored_end.to_le_bytes());
    }
    let mut header = [0; HEADER];
    let fields = [LZ4, shift, bits, 0]
        .into_iter()
        .chain([count(least as usize)?, lengths_at, blocks_at].into_iter().flat_map(u32::to_le_bytes));
    header.iter_mut().zip(fields).for_each(|(byte, field)| *byte = field);
    Ok(header)
}

/// log2 of how many values make a block.
fn shift_for(strings: &Strings<'_>) -> u8 {
    let average = strings.data.len() / strings.ends.len().max(1);
    let rows = (BLOCK_BYTES / average.max(1)).max(1);
    (rows.ilog2() as u8).min(MAX_SHIFT)
}
