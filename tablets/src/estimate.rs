//! How many fragments and bytes lie where, about, without reading them all.
//!
//! For planning and for people. Nothing may depend on these numbers for its answer.

use ostracon_data::RowRange;

use crate::Result;
use crate::directory::Directory;
use crate::engine::{Access, Engine};
use crate::keys;
use crate::sources::{Epoch, Run, SegmentHandle, Source};

/// Keys that are looked at before the rest is extrapolated.
const SAMPLE: u64 = 2048;

/// Fragments or rows, and bytes (keys and values, before compression).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Estimate {
    pub(crate) rows: u64,
    pub(crate) bytes: u64,
}

impl Estimate {
    fn add(&mut self, other: Self) {
        self.rows += other.rows;
        self.bytes += other.bytes;
    }
}

/// Fragments of all epochs and rows of all runs of a directory.
pub(crate) fn rows(engine: &Engine, directory: &Directory) -> u64 {
    let rows = |source: &Source| match source {
        Source::Fragments(epoch) => fragments(engine, epoch),
        Source::Segments(run) => run.rows(),
    };
    directory.sources.iter().map(rows).sum()
}

fn fragments(engine: &Engine, epoch: &Epoch) -> u64 {
    if !epoch.recounted.load(std::sync::atomic::Ordering::Relaxed) {
        // An earlier process wrote it; without an answer the record's counts must do.
        match of_epoch(engine, epoch, &[], None) {
            Ok(found) => epoch.recount(found.rows, found.bytes),
            Err(error) => tracing::warn!(epoch = epoch.id, %error, "cannot estimate the size of an epoch"),
        }
    }
    epoch.fragments()
}

/// What the sources of a directory hold of some rows.
pub(crate) fn of_range(engine: &Engine, directory: &Directory, rows: &RowRange) -> Result<Estimate> {
    let row_part = |row: &Vec<u8>| {
        let mut part = Vec::new();
        keys::put_row_part(&mut part, row);
        part
    };
    let (start, end) = (row_part(&rows.start), rows.end.as_ref().map(row_part));
    let mut size = Estimate::default();
    for source in &directory.sources {
        size.add(match source {
            Source::Fragments(epoch) => of_epoch(engine, epoch, &start, end.as_deref())?,
            Source::Segments(run) => of_run(run, rows)?,
        });
    }
    Ok(size)
}

fn of_run(run: &Run, rows: &RowRange) -> Result<Estimate> {
    let mut size = Estimate::default();
    for segment in run.segments().get(run.overlapping(rows)).unwrap_or_default() {
        size.add(of_segment(segment, rows)?);
    }
    Ok(size)
}

/// Counts the rows of a segment that lies across an end of the range; only such a one is read.
fn of_segment(handle: &SegmentHandle, rows: &RowRange) -> Result<Estimate> {
    let whole = Estimate { rows: handle.rows(), bytes: handle.raw_bytes };
    if rows.contains(handle.first_row()) && rows.contains(handle.last_row()) {
        return Ok(whole);
    }
    let open = handle.open(Access::Point, |_| false)?;
    let place = |row: &[u8]| open.segment().lower_bound(row).map_err(|source| handle.damaged(source));
    let start = place(&rows.start)?;
    let end = rows.end.as_deref().map_or(Ok(open.segment().rows()), place)?;
    let inside = end.saturating_sub(start) as u64;
    let bytes = u128::from(whole.bytes) * u128::from(inside) / u128::from(whole.rows.max(1));
    Ok(Estimate { rows: inside, bytes: u64::try_from(bytes).unwrap_or(whole.bytes) })
}

/// What an epoch holds of the row parts in `[start, end)`; `None`: to the end of the epoch.
fn of_epoch(engine: &Engine, epoch: &Epoch, start: &[u8], end: Option<&[u8]>) -> Result<Estimate> {
    let prefix = epoch.prefix();
    let lower = [&prefix[..], start].concat();
    let upper = end.map_or_else(|| keys::prefix_end(&prefix), |end| [&prefix[..], end].concat());
    let mut iterator = engine.iterator(lower.clone(), upper.clone(), Access::Point);
    iterator.seek(&lower);
    let mut sample = Estimate::default();
    while let Some((key, value)) = iterator.item() {
        if sample.rows == SAMPLE {
            let sampled_to = key.to_vec();
            let sizes = engine.file_bytes(&[(lower.clone(), sampled_to), (lower, upper)]);
            return Ok(extrapolate(sample, epoch, &sizes));
        }
        sample.rows += 1;
        sample.bytes += (key.len() + value.len()) as u64;
        iterator.next();
    }
    iterator.check()?;
    Ok(sample)
}

/// `sizes`: bytes of files of the sample and of the whole. Fresh writes are in no file.
fn extrapolate(sample: Estimate, epoch: &Epoch, sizes: &[u64]) -> Estimate {
    match *sizes {
        [of_sample, of_all] if of_sample > 0 && of_all > of_sample => {
            let scale = |count: u64| {
                let scaled = u128::from(count) * u128::from(of_all) / u128::from(of_sample);
                u64::try_from(scaled).unwrap_or(u64::MAX)
            };
            Estimate { rows: scale(sample.rows), bytes: scale(sample.bytes) }
        }
        _ => Estimate { rows: epoch.fragments().max(sample.rows), bytes: epoch.bytes().max(sample.bytes) },
    }
}
