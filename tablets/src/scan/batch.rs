//! The parallel scan: whole rows in no order.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;

use crossbeam::channel::{Receiver, Sender, bounded};
use ostracon_data::{RowBuffer, RowRanges};
use parking_lot::Mutex;

use super::metrics::ScanMetrics;
use super::scanner::Scanner;
use super::spec::ScanSpec;
use crate::version::Version;
use crate::{Error, Result};

/// Ranges that one piece of work holds at most, so that a long list of points keeps every worker busy.
const RANGES_PER_PIECE: usize = 256;

/// Reads the rows of a [`ScanSpec`] with several threads, a piece of a tablet each, and hands them out as they come.
///
/// Rows are whole but unordered (`reverse` has no effect). At most a few batches of rows wait to be taken. Dropping the
/// scanner stops the workers and waits for them.
pub struct BatchScanner {
    batches: Option<Receiver<Result<Vec<RowBuffer>>>>,
    workers: Vec<JoinHandle<()>>,
    shared: Arc<Shared>,
    current: VecDeque<RowBuffer>,
    remaining: Option<u64>,
    failed: bool,
}

/// What the workers share.
struct Shared {
    version: Arc<Version>,
    pieces: Vec<ScanSpec>,
    next_piece: AtomicUsize,
    cancelled: Arc<AtomicBool>,
    metrics: Mutex<ScanMetrics>,
}

impl BatchScanner {
    /// Starts a scan with at most `threads` workers (at least one).
    ///
    /// # Errors
    /// The specification cannot be used, or the system gives no thread.
    pub fn new(version: &Arc<Version>, spec: &ScanSpec, threads: usize) -> Result<Self> {
        // Says now what each worker would say later.
        Scanner::new(version, spec)?;
        let shared = Arc::new(Shared {
            version: Arc::clone(version),
            pieces: pieces(version, spec),
            next_piece: AtomicUsize::new(0),
            cancelled: Arc::default(),
            metrics: Mutex::default(),
        });
        let threads = threads.clamp(1, shared.pieces.len().max(1));
        let (sender, receiver) = bounded(threads * 2);
        let mut scanner = Self {
            batches: Some(receiver),
            workers: Vec::with_capacity(threads),
            shared,
            current: VecDeque::new(),
            remaining: spec.limit,
            failed: false,
        };
        for number in 0..threads {
            let (shared, sender) = (Arc::clone(&scanner.shared), sender.clone());
            let worker = std::thread::Builder::new().name(format!("ostracon-scan-{number}"));
            scanner.workers.push(worker.spawn(move || work(&shared, &sender)).map_err(Error::NoThread)?);
        }
        Ok(scanner)
    }

    /// The next rows, in no order; `None` at the end.
    ///
    /// # Errors
    /// As [`Scanner::next_row`]; the scan is over then.
    pub fn next_batch(&mut self) -> Result<Option<Vec<RowBuffer>>> {
        if !self.current.is_empty() {
            return Ok(Some(std::mem::take(&mut self.current).into()));
        }
        if self.failed || self.remaining == Some(0) {
            return Ok(None);
        }
        let Some(batches) = &self.batches else { return Ok(None) };
        match batches.recv() {
            Ok(Ok(mut rows)) => {
                if let Some(remaining) = &mut self.remaining {
                    rows.truncate(usize::try_from(*remaining).unwrap_or(usize::MAX));
                    *remaining -= rows.len() as u64;
                }
                Ok(Some(rows))
            }
            Ok(Err(error)) => {
                self.failed = true;
                self.shared.cancelled.store(true, Ordering::Relaxed);
                Err(error)
            }
            // Every worker has let go of its sender: they are done, or one of them has panicked.
            Err(_) => {
                self.failed = true;
                let lost = self.workers.drain(..).any(|worker| worker.join().is_err());
                if lost { Err(Error::WorkerLost) } else { Ok(None) }
            }
        }
    }

    /// Puts the next row into `out`; false at the end, with `out` empty.
    ///
    /// # Errors
    /// As [`next_batch`](Self::next_batch).
    pub fn next_row(&mut self, out: &mut RowBuffer) -> Result<bool> {
        while self.current.is_empty() {
            let Some(rows) = self.next_batch()? else {
                out.clear();
                return Ok(false);
            };
            self.current = rows.into();
        }
        match self.current.pop_front() {
            Some(row) => *out = row,
            None => out.clear(),
        }
        Ok(true)
    }

    /// What the pieces that are done came to; complete at the end of the scan.
    pub fn metrics(&self) -> ScanMetrics {
        *self.shared.metrics.lock()
    }
}

impl Drop for BatchScanner {
    fn drop(&mut self) {
        self.shared.cancelled.store(true, Ordering::Relaxed);
        // Workers that wait for room see that nobody takes their rows.
        self.batches = None;
        for worker in self.workers.drain(..) {
            let _ = worker.join();
        }
    }
}

/// The scan in pieces of one tablet each.
fn pieces(version: &Version, spec: &ScanSpec) -> Vec<ScanSpec> {
    let mut pieces = Vec::new();
    for extent in version.extents() {
        let ranges = spec.ranges.clip(&extent);
        for some in ranges.ranges().chunks(RANGES_PER_PIECE) {
            let ranges = RowRanges::from_ranges(some.to_vec());
            pieces.push(ScanSpec { ranges, reverse: false, ..spec.clone() });
        }
    }
    pieces
}

fn work(shared: &Shared, batches: &Sender<Result<Vec<RowBuffer>>>) {
    loop {
        let at = shared.next_piece.fetch_add(1, Ordering::Relaxed);
        let Some(piece) = shared.pieces.get(at) else { return };
        match read(shared, piece, batches) {
            Ok(true) => {}
            Ok(false) | Err(Error::Cancelled) => return,
            Err(error) => {
                // If nobody takes it, nobody wants it.
                let _ = batches.send(Err(error));
                return;
            }
        }
    }
}

/// Reads one piece; false if nobody takes the rows any more.
fn read(shared: &Shared, piece: &ScanSpec, batches: &Sender<Result<Vec<RowBuffer>>>) -> Result<bool> {
    let mut scanner = Scanner::new(&shared.version, piece)?.cancelled_by(Arc::clone(&shared.cancelled));
    let mut wanted = true;
    let mut more = true;
    while more && wanted {
        let mut rows = Vec::new();
        while rows.len() < piece.batch_rows {
            let mut row = RowBuffer::new();
            more = scanner.next_row(&mut row)?;
            if !more {
                break;
            }
            rows.push(row);
        }
        wanted = rows.is_empty() || batches.send(Ok(rows)).is_ok();
    }
    shared.metrics.lock().add(&scanner.metrics());
    Ok(wanted)
}
