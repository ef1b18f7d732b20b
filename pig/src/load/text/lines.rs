use std::io::Read;
use std::path::PathBuf;

use datafusion::common::Result as DfResult;

use crate::load::paths;

/// Bytes that are read at once.
const CHUNK: usize = 1 << 20;
/// Bytes of a file from which on it is read in parts.
const SPLIT: u64 = 4 << 20;

/// A part of a file: lines that begin from one byte on and before another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) path: PathBuf,
    pub(super) from: u64,
    pub(super) to: Option<u64>,
    /// Bytes of the part; of a compressed file none are known.
    pub(super) size: u64,
}

/// Files for each partition, in order: the first partition has the first rows.
pub(super) fn parts(files: &[PathBuf], partitions: usize) -> DfResult<Vec<Vec<Part>>> {
    let mut sizes = Vec::with_capacity(files.len());
    for file in files {
        sizes.push(std::fs::metadata(file)?.len());
    }
    let total: u64 = sizes.iter().sum();
    let share = (total / u64::try_from(partitions.max(1)).unwrap_or(1)).max(SPLIT);
    let mut all: Vec<Vec<Part>> = vec![Vec::new()];
    let mut filled = 0;
    for (path, size) in files.iter().zip(sizes) {
        let mut from = 0;
        loop {
            let room = share.saturating_sub(filled);
            let left = size - from;
            let whole = left <= room + share / 4 || paths::compression_of(path).0.is_compressed();
            let part = if whole { left } else { room.max(1) };
            let size = if paths::compression_of(path).0.is_compressed() { 0 } else { part };
            let to = (!whole).then_some(from + part);
            if let Some(last) = all.last_mut() {
                last.push(Part { path: path.clone(), from, to, size });
            }
            from += part;
            filled += part;
            if filled >= share && all.len() < partitions.max(1) {
                all.push(Vec::new());
                filled = 0;
            }
            if whole {
                break;
            }
        }
    }
    all.retain(|parts| !parts.is_empty());
    if all.is_empty() {
        all.push(Vec::new());
    }
    Ok(all)
}

/// The lines of a part, without their ends.
pub(super) struct Lines {
    input: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    /// What of the buffer is still to be given.
    start: usize,
    filled: usize,
    /// Bytes of the part before the buffer's begin.
    offset: u64,
    to: Option<u64>,
    ended: bool,
}

impl Lines {
    pub(super) fn open(part: &Part) -> DfResult<Self> {
        let mut input = paths::open(&part.path)?;
        if part.from > 0 {
            let mut file = std::fs::File::open(&part.path)?;
            // The line before this part's first one belongs to the part before.
            std::io::Seek::seek(&mut file, std::io::SeekFrom::Start(part.from - 1))?;
            input = Box::new(file);
        }
        let offset = part.from.saturating_sub(1);
        let mut lines =
            Self { input, buffer: vec![0; CHUNK], start: 0, filled: 0, offset, to: part.to, ended: false };
        if part.from > 0 {
            lines.next_line()?;
        }
        Ok(lines)
    }

    /// Bytes of the file before the next line.
    pub(super) fn position(&self) -> u64 {
        self.offset + u64::try_from(self.start).unwrap_or(0)
    }

    pub(super) fn next(&mut self) -> std::io::Result<Option<&[u8]>> {
        if self.to.is_some_and(|to| self.position() >= to) {
            return Ok(None);
        }
        let Some((start, mut end)) = self.next_line()? else { return Ok(None) };
        if end > start && self.buffer[end - 1] == b'\r' {
            end -= 1;
        }
        Ok(Some(&self.buffer[start..end]))
    }

    fn next_line(&mut self) -> std::io::Result<Option<(usize, usize)>> {
        let mut searched = self.start;
        loop {
            if let Some(found) = memchr::memchr(b'\n', &self.buffer[searched..self.filled]) {
                let line = (self.start, searched + found);
                self.start = searched + found + 1;
                return Ok(Some(line));
            }
            if self.ended {
                let line = (self.start, self.filled);
                self.start = self.filled;
                return Ok((line.0 < line.1).then_some(line));
            }
            searched = self.filled;
            if self.filled == self.buffer.len() {
                if self.start > 0 {
                    self.buffer.copy_within(self.start..self.filled, 0);
                    searched -= self.start;
                    self.filled -= self.start;
                    self.offset += u64::try_from(self.start).unwrap_or(0);
                    self.start = 0;
                } else {
                    self.buffer.resize(self.buffer.len() * 2, 0);
                }
            }
            let read = self.input.read(&mut self.buffer[self.filled..])?;
            self.ended = read == 0;
            self.filled += read;
        }
    }
}
