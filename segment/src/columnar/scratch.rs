//! Memory that readers of segments use again.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// The blocks that were opened last, one for each chunk, and their memory.
///
/// Whoever reads several rows keeps one, for any number of segments: neighbouring rows then share the work of opening
/// their blocks. A new one is as right, only slower.
#[derive(Debug, Default)]
pub struct Scratch {
    blocks: Vec<OpenBlock>,
    /// The segment that the blocks belong to.
    segment: u64,
    /// The blocks before this one belong to it; the others are memory to use.
    used: usize,
    /// The last string decoded, and room behind it.
    pub(super) value: Vec<u8>,
    /// Lengths of rows.
    pub(super) lengths: Vec<u32>,
    /// The last integer read, as bytes.
    pub(super) integer: [u8; 16],
}

/// One chunk's block, opened.
#[derive(Debug, Default)]
pub(super) struct OpenBlock {
    /// Which chunk it is: the opening of the bytes that it lies in, and where its blocks start there.
    chunk: (Opening, usize),
    /// Which of its blocks is open.
    pub(super) index: Option<usize>,
    /// Where the bytes lie in the chunk, if they are kept as they are.
    pub(super) stored: Option<Range<usize>>,
    /// The bytes otherwise.
    pub(super) data: Vec<u8>,
    /// The end of each row's bytes.
    pub(super) ends: Vec<u32>,
}

impl Scratch {
    /// Nothing opened.
    pub fn new() -> Self {
        Self::default()
    }

    /// The block that was opened last in a chunk of a segment.
    pub(super) fn block_of(&mut self, opening: Opening, start: usize) -> &mut OpenBlock {
        if self.segment != opening.segment {
            self.segment = opening.segment;
            self.used = 0;
        }
        let chunk = (opening, start);
        let known = self.blocks.iter().take(self.used).position(|block| block.chunk == chunk);
        let place = known.unwrap_or_else(|| {
            self.used += 1;
            self.used - 1
        });
        if place >= self.blocks.len() {
            self.blocks.resize_with(place + 1, OpenBlock::default);
        }
        let block = &mut self.blocks[place];
        if known.is_none() {
            block.chunk = chunk;
            block.index = None;
        }
        block
    }
}

/// Which of the segments opened by this process something lies in: blocks are kept under it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Opening {
    /// No other opening of a segment has this number.
    segment: u64,
    /// 0: the segment itself.
    section: u16,
}

impl Opening {
    pub(super) fn next() -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        // Only that numbers differ matters, not their order. The first is 1: a new scratch belongs to none.
        Self { segment: LAST.fetch_add(1, Ordering::Relaxed) + 1, section: 0 }
    }

    /// The same segment's section of that number.
    pub(super) fn section(self, section: u16) -> Self {
        Self { section, ..self }
    }
}
