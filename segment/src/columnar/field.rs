//! Fixed-width fields of a segment: little-endian, read where they lie and never past the end.

use crate::{Error, Result};

pub(super) fn damaged(item: &'static str, offset: usize) -> Error {
    Error::DamagedSegment { item, offset }
}

/// Reads the fields of a header one after the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields<'a> {
    rest: &'a [u8],
    item: &'static str,
    /// Of the header, in the segment.
    offset: usize,
}

impl<'a> Fields<'a> {
    /// The header of `length` bytes at `offset`.
    pub(super) fn at(segment: &'a [u8], offset: usize, length: usize, item: &'static str) -> Result<Self> {
        Ok(Self { rest: slice(segment, offset, length, item)?, item, offset })
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (field, rest) = self.rest.split_first_chunk().ok_or(damaged(self.item, self.offset))?;
        self.rest = rest;
        Ok(*field)
    }

    pub(super) fn u8(&mut self) -> Result<u8> {
        self.take().map(u8::from_le_bytes)
    }

    pub(super) fn u16(&mut self) -> Result<u16> {
        self.take().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32> {
        self.take().map(u32::from_le_bytes)
    }

    /// A `u32` that says where something is or how long it is.
    pub(super) fn place(&mut self) -> Result<usize> {
        self.u32().map(|place| place as usize)
    }

    pub(super) fn u64(&mut self) -> Result<u64> {
        self.take().map(u64::from_le_bytes)
    }

    pub(super) fn u128(&mut self) -> Result<u128> {
        self.take().map(u128::from_le_bytes)
    }

    /// Refuses anything but zeros in the next `N` bytes.
    pub(super) fn zeros<const N: usize>(&mut self) -> Result<()> {
        if self.take::<N>()? == [0; N] { Ok(()) } else { Err(damaged(self.item, self.offset)) }
    }
}

/// `length` bytes from `offset` on.
pub(super) fn slice<'a>(
    segment: &'a [u8],
    offset: usize,
    length: usize,
    item: &'static str,
) -> Result<&'a [u8]> {
    let end = offset.checked_add(length).ok_or(damaged(item, offset))?;
    segment.get(offset..end).ok_or(damaged(item, offset))
}

/// Everything from `offset` on.
pub(super) fn tail<'a>(segment: &'a [u8], offset: usize, item: &'static str) -> Result<&'a [u8]> {
    segment.get(offset..).ok_or(damaged(item, offset))
}

/// A segment in the making: what is appended is addressed from its start.
#[derive(Debug)]
pub(super) struct Sink<'o> {
    out: &'o mut Vec<u8>,
    start: usize,
}

impl<'o> Sink<'o> {
    pub(super) fn new(out: &'o mut Vec<u8>) -> Self {
        let start = out.len();
        Self { out, start }
    }

    /// A sink of what follows, addressed from its own start.
    pub(super) fn next(&mut self) -> Sink<'_> {
        Sink::new(self.out)
    }

    /// Where the next byte goes.
    pub(super) fn here(&self) -> Result<u32> {
        count(self.out.len() - self.start)
    }

    pub(super) fn bytes(&mut self) -> &mut Vec<u8> {
        self.out
    }

    /// Appends zeros that [`patch`](Self::patch) fills later; gives where they are.
    pub(super) fn leave(&mut self, length: usize) -> Result<u32> {
        let at = self.here()?;
        self.out.resize(self.out.len() + length, 0);
        Ok(at)
    }

    /// Overwrites bytes that [`leave`](Self::leave) left.
    pub(super) fn patch(&mut self, at: u32, bytes: &[u8]) {
        let from = self.start + at as usize;
        if let Some(left) = self.out.get_mut(from..from + bytes.len()) {
            left.copy_from_slice(bytes);
        }
    }

    /// Forgets what was appended since the place was `here`.
    pub(super) fn back_to(&mut self, here: u32) {
        self.out.truncate(self.start + here as usize);
    }

    /// What has been written.
    pub(super) fn written(&self) -> &[u8] {
        self.out.get(self.start..).unwrap_or_default()
    }

    /// Forgets what has been written: a segment that failed leaves nothing behind.
    pub(super) fn abandon(&mut self) {
        self.out.truncate(self.start);
    }
}

/// A number of bytes or things as it is kept: a segment has less than 4 GiB.
pub(super) fn count(number: usize) -> Result<u32> {
    u32::try_from(number).map_err(|_| Error::Unencodable { what: "it is larger than 4 GiB", row: 0 })
}
