//! Compressing byte strings.

use super::strings::Strings;
use super::{Sink, count};
use crate::columnar::byte_strings::{FSST, GROUP, HEADER, Header, LZ4, MAX_SHIFT};
use crate::fsst::{Matcher, Symbols, Trainer};
use crate::packing;
use crate::{Error, Result};

/// Memory of the compressors.
#[derive(Default)]
pub(super) struct Compressor {
    table: lz4_flex::block::CompressTable,
    block: Vec<u8>,
    trainer: Trainer,
    matcher: Matcher,
    codes: Vec<u8>,
    ends: Vec<u32>,
}

impl std::fmt::Debug for Compressor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Compressor").finish_non_exhaustive()
    }
}

/// Blocks of about so many bytes: small enough that reading one value does not cost much, large enough to compress.
const BLOCK_BYTES: usize = 2048;
/// So many bytes are looked at to choose symbols, and so many of one string.
const SAMPLE: usize = 1 << 13;
const SAMPLED_OF_ONE: usize = 256;
/// So many blocks are compressed to see how good that would be.
const TRIED_BLOCKS: usize = 4;

/// Appends byte strings; gives their header.
pub(super) fn write(
    strings: &Strings<'_>,
    width: Option<u32>,
    compressor: &mut Compressor,
    lengths: &mut Vec<u64>,
    sink: &mut Sink<'_>,
) -> Result<[u8; HEADER]> {
    let raw = strings.data().len();
    compressor.code(strings);
    let coded = compressor.codes.len() + Symbols::byte_len(compressor.matcher.len() as u8);
    let blocks = compressor.estimate(strings);
    // Codes are read faster and alone: blocks have to be much smaller.
    if coded < raw / 10 * 9 && coded / 4 * 3 < blocks {
        compressor.write_codes(width, lengths, sink)
    } else {
        compressor.write_blocks(strings, width, lengths, sink)
    }
}

/// Sets `lengths` to the differences of the ends, packs them, and gives the least, the bits and where they are.
fn write_lengths(ends: &[u32], lengths: &mut Vec<u64>, sink: &mut Sink<'_>) -> Result<(u32, u8, u32)> {
    let mut before = 0;
    lengths.clear();
    lengths.extend(ends.iter().map(|end| u64::from(*end - std::mem::replace(&mut before, *end))));
    let least = lengths.iter().copied().min().unwrap_or(0);
    let most = lengths.iter().copied().max().unwrap_or(0);
    lengths.iter_mut().for_each(|length| *length -= least);
    let bits = packing::bits_for(most - least);
    let at = sink.here()?;
    packing::pack(lengths, bits, sink.bytes());
    Ok((least as u32, bits, at))
}

impl Compressor {
    /// Chooses symbols and compresses the strings one by one.
    fn code(&mut self, strings: &Strings<'_>) {
        let total = strings.data().len();
        let average = (total / strings.len().max(1)).clamp(1, SAMPLED_OF_ONE);
        let stride = (strings.len() / (SAMPLE / average).max(1)).max(1);
        let sample: Vec<&[u8]> = strings
            .iter()
            .step_by(stride)
            .map(|string| string.get(..SAMPLED_OF_ONE).unwrap_or(string))
            .collect();
        let sampled: usize = sample.iter().map(|string| string.len()).sum();
        self.trainer.train(&sample, (total / sampled.max(1)) as u64, &mut self.matcher);
        self.matcher.compress(strings.offsets(), strings.data(), &mut self.codes, &mut self.ends);
    }

    fn write_codes(
        &mut self,
        width: Option<u32>,
        lengths: &mut Vec<u64>,
        sink: &mut Sink<'_>,
    ) -> Result<[u8; HEADER]> {
        let (least, length_bits, lengths_at) = write_lengths(&self.ends, lengths, sink)?;
        let ends_at = sink.here()?;
        let groups = self.ends.chunks(GROUP).filter_map(|group| group.last());
        lengths.clear();
        lengths.extend(groups.map(|end| u64::from(*end)));
        let end_bits = packing::bits_for(self.codes.len() as u64);
        packing::pack(lengths, end_bits, sink.bytes());
        let symbols_at = sink.here()?;
        self.matcher.append_table(sink.bytes());
        sink.bytes().extend_from_slice(&self.codes);
        let small = [self.matcher.len() as u8, length_bits, end_bits];
        let places = [least, lengths_at, ends_at, symbols_at, count(self.codes.len())?];
        Ok(Header { codec: FSST, small, width, places }.bytes())
    }

    /// About how many bytes blocks would take.
    fn estimate(&mut self, strings: &Strings<'_>) -> usize {
        let data = strings.data();
        let stride = (data.len() / TRIED_BLOCKS).max(BLOCK_BYTES);
        let (mut tried, mut compressed) = (0, 0);
        for from in (0..data.len()).step_by(stride) {
            let block = data.get(from..(from + BLOCK_BYTES).min(data.len())).unwrap_or_default();
            tried += block.len();
            compressed += self.compress(block).map_or(block.len(), <[u8]>::len);
        }
        (data.len() as u64 * compressed as u64 / (tried as u64).max(1)) as usize
    }

    fn write_blocks(
        &mut self,
        strings: &Strings<'_>,
        width: Option<u32>,
        lengths: &mut Vec<u64>,
        sink: &mut Sink<'_>,
    ) -> Result<[u8; HEADER]> {
        let ends = strings.offsets().get(1..).unwrap_or_default();
        let (least, bits, lengths_at) = write_lengths(ends, lengths, sink)?;
        let shift = shift_for(strings);
        let blocks_at = sink.leave(strings.len().div_ceil(1 << shift) * 4)?;
        let data_at = sink.here()?;
        let mut start = 0;
        for (index, block) in ends.chunks(1 << shift).enumerate() {
            let end = block.last().map_or(start, |end| *end as usize);
            let wrong = Error::Unencodable { what: "offsets are wrong", row: index << shift };
            let raw = strings.data().get(start..end).ok_or(wrong)?;
            start = end;
            let stored = self.compress(raw).unwrap_or(raw);
            sink.bytes().extend_from_slice(stored);
            let stored_end = sink.here()? - data_at;
            sink.patch(blocks_at + count(index * 4)?, &stored_end.to_le_bytes());
        }
        let places = [least, lengths_at, blocks_at, 0, 0];
        Ok(Header { codec: LZ4, small: [shift, bits, 0], width, places }.bytes())
    }

    /// A block, compressed; `None` if that is not shorter.
    fn compress(&mut self, raw: &[u8]) -> Option<&[u8]> {
        let room = lz4_flex::block::get_maximum_output_size(raw.len());
        if self.block.len() < room {
            self.block.resize(room, 0);
        }
        let length = lz4_flex::block::compress_into_with_table(raw, &mut self.block, &mut self.table).ok()?;
        self.block.get(..length).filter(|compressed| compressed.len() < raw.len())
    }
}

/// log2 of how many values make a block.
fn shift_for(strings: &Strings<'_>) -> u8 {
    let average = strings.data().len() / strings.len().max(1);
    let rows = (BLOCK_BYTES / average.max(1)).max(1);
    (rows.ilog2() as u8).min(MAX_SHIFT)
}
