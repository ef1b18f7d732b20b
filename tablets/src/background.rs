//! Compaction in the background: one thread a store, which keeps what scans must merge small.
//!
//! Now and then it looks at each table. An active epoch that has grown large is frozen; frozen epochs are joined when
//! there are too many; and when the fragments that are not in segments yet have become a noticeable part of the table,
//! it is compacted. What is written is limited to a rate. Writers that are faster than all of this wait in
//! [`admit`](Background::admit) until the epochs have become fewer.
//!
//! The thread has a handle of its own to the store, and ends before the last one of everybody else is gone.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use ostracon_data::TableId;
use parking_lot::{Condvar, Mutex};

use crate::compact::{self, CompactionProgress};
use crate::directory::{Directory, TableState};
use crate::estimate;
use crate::store::StoreInner;
use crate::{Error, Result};

/// How a store compacts in the background: plain data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackgroundCompaction {
    /// How often the tables are looked at.
    pub interval: Duration,
    /// Bytes of keys and values from which on the epoch that takes new writes is frozen and another one begun.
    pub freeze_bytes: u64,
    /// A table is compacted when it has more fragments than this many in a hundred of its rows in segments,
    pub unmerged_percent: u64,
    /// and more than this number: fewer cost a scan little.
    pub unmerged_fragments: u64,
    /// Bytes of segments written a second at most; `None`: as fast as the machine allows.
    pub bytes_per_second: Option<u64>,
    /// Statements of a table with more frozen epochs than this wait before they begin,
    pub stall_epochs: usize,
    /// but not longer than this: a disk that fails or a giant compaction slows writers down and does not stop them.
    pub longest_stall: Duration,
}

impl Default for BackgroundCompaction {
    fn default() -> Self {
        Self {
            interval: Duration::from_secs(1),
            freeze_bytes: 64 << 20,
            unmerged_percent: 5,
            unmerged_fragments: 20_000,
            bytes_per_second: Some(64 << 20),
            stall_epochs: 32,
            longest_stall: Duration::from_secs(10),
        }
    }
}

/// What the background compaction of a store has done since it was opened.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CompactionStatistics {
    /// Epochs frozen for their size.
    pub frozen: u64,
    /// Times that epochs were joined.
    pub joined: u64,
    /// Compactions ended.
    pub compactions: u64,
    /// Rows read by them.
    pub rows_read: u64,
    /// Segments written by them.
    pub segments_written: u64,
    /// Bytes of these segments.
    pub bytes_written: u64,
    /// Statements that had to wait.
    pub stalls: u64,
    /// Attempts that failed.
    pub failures: u64,
    /// Why the last one did.
    pub last_failure: Option<String>,
    /// The compaction that is running.
    pub running: Option<CompactionProgress>,
}

/// The thread and what it shares with others. Dropping it ends the thread and waits for that.
#[derive(Debug)]
pub(crate) struct Background {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    settings: BackgroundCompaction,
    signal: Mutex<Signal>,
    /// `signal` has changed: for the thread.
    asked: Condvar,
    /// A round has ended: for writers that wait.
    rested: Condvar,
    statistics: Mutex<CompactionStatistics>,
}

#[derive(Debug, Default)]
struct Signal {
    stop: bool,
    /// Somebody waits: do not sleep until the interval is over.
    hurry: bool,
}

impl Background {
    pub(crate) fn start(store: StoreInner, settings: &BackgroundCompaction) -> Result<Self> {
        let shared = Arc::new(Shared {
            settings: settings.clone(),
            signal: Mutex::default(),
            asked: Condvar::new(),
            rested: Condvar::new(),
            statistics: Mutex::default(),
        });
        let worker = Worker { store: Arc::new(store), shared: Arc::clone(&shared), retries: HashMap::new() };
        let thread = std::thread::Builder::new().name("ostracon-compact".to_owned());
        let thread = thread.spawn(move || worker.run()).map_err(Error::NoThread)?;
        Ok(Self { shared, thread: Some(thread) })
    }

    pub(crate) fn statistics(&self) -> CompactionStatistics {
        self.shared.statistics.lock().clone()
    }

    /// Lets a statement begin, at once unless the table has too many epochs. The caller holds no lock of the table.
    pub(crate) fn admit(&self, state: &TableState) {
        let limit = self.shared.settings.stall_epochs;
        if frozen_epochs(&state.directory()) <= limit {
            return;
        }
        self.shared.statistics.lock().stalls += 1;
        let deadline = Instant::now() + self.shared.settings.longest_stall;
        let mut signal = self.shared.signal.lock();
        while !signal.stop && frozen_epochs(&state.directory()) > limit {
            signal.hurry = true;
            self.shared.asked.notify_all();
            if self.shared.rested.wait_until(&mut signal, deadline).timed_out() {
                return;
            }
        }
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.shared.signal.lock().stop = true;
        self.shared.asked.notify_all();
        self.shared.rested.notify_all();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::warn!("the thread that compacts in the background ended unexpectedly");
        }
    }
}

fn frozen_epochs(directory: &Directory) -> usize {
    directory.epochs().count().saturating_sub(1)
}

impl Shared {
    /// Sleeps; gives whether to go on.
    fn sleep(&self, time: Duration) -> bool {
        let deadline = Instant::now() + time;
        let mut signal = self.signal.lock();
        while !signal.stop && !signal.hurry {
            if self.asked.wait_until(&mut signal, deadline).timed_out() {
                break;
            }
        }
        signal.hurry = false;
        !signal.stop
    }

    /// Sleeps whatever anybody asks for but the end; gives whether to go on.
    fn pause(&self, until: Instant) -> bool {
        let mut signal = self.signal.lock();
        while !signal.stop && !self.asked.wait_until(&mut signal, until).timed_out() {}
        !signal.stop
    }
}

/// What the thread has.
struct Worker {
    store: Arc<StoreInner>,
    shared: Arc<Shared>,
    /// Tables whose compaction failed: when to try again, and after how long that is.
    retries: HashMap<TableId, (Instant, Duration)>,
}

/// The longest time after which a table whose compaction failed is tried again.
const LONGEST_RETRY: Duration = Duration::from_secs(300);

impl Worker {
    fn run(mut self) {
        while self.shared.sleep(self.shared.settings.interval) {
            let tables: Vec<_> = self.store.tables.read().values().cloned().collect();
            for state in tables {
                self.look_after(&state);
                // Whoever has looked and is about to wait must not miss it.
                let _signal = self.shared.signal.lock();
                self.shared.rested.notify_all();
            }
        }
    }

    fn look_after(&mut self, state: &Arc<TableState>) {
        if self.retries.get(&state.id).is_some_and(|(at, _)| *at > Instant::now()) {
            return;
        }
        match self.serve(state) {
            Ok(()) => {
                self.retries.remove(&state.id);
            }
            // Dropped meanwhile, or the store is about to close.
            Err(Error::TableNotFound { .. } | Error::Cancelled) => {}
            Err(error) => {
                let interval = self.shared.settings.interval.max(Duration::from_millis(1));
                let last = self.retries.get(&state.id).map_or(interval, |(_, after)| *after);
                let after = (last * 2).min(LONGEST_RETRY);
                self.retries.insert(state.id, (Instant::now() + after, after));
                tracing::warn!(table = %state.name, %error, "the table was not compacted in the background");
                let mut statistics = self.shared.statistics.lock();
                statistics.failures += 1;
                statistics.last_failure = Some(error.to_string());
            }
        }
        self.shared.statistics.lock().running = None;
    }

    fn serve(&self, state: &Arc<TableState>) -> Result<()> {
        let settings = &self.shared.settings;
        let directory = state.directory();
        let merged: u64 = directory.runs().map(|run| run.rows()).sum();
        let unmerged = estimate::rows(&self.store.engine, &directory).saturating_sub(merged);
        let share = merged / 100 * settings.unmerged_percent;
        if unmerged > settings.unmerged_fragments && unmerged > share {
            return self.compact(state);
        }
        if directory.active().is_ok_and(|active| active.bytes() > settings.freeze_bytes) {
            let frozen = compact::freeze_if_idle(&self.store, state)?;
            self.shared.statistics.lock().frozen += u64::from(frozen);
        }
        if compact::tidy(&self.store, state)? {
            self.shared.statistics.lock().joined += 1;
        }
        Ok(())
    }

    fn compact(&self, state: &Arc<TableState>) -> Result<()> {
        let started = Instant::now();
        let mut last = CompactionProgress::default();
        let mut observe = |progress: &CompactionProgress| {
            self.shared.statistics.lock().running = Some(progress.clone());
            last.clone_from(progress);
            let due = self.shared.settings.bytes_per_second.map_or(Duration::ZERO, |rate| {
                Duration::from_secs_f64(progress.bytes_written as f64 / rate.max(1) as f64)
            });
            let until = started + due;
            let goes_on = if until > Instant::now() {
                self.shared.pause(until)
            } else {
                !self.shared.signal.lock().stop
            };
            if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        if !compact::compact_if_idle(&self.store, state, &mut observe)? {
            return Ok(());
        }
        let mut statistics = self.shared.statistics.lock();
        statistics.compactions += 1;
        statistics.rows_read += last.rows_read;
        statistics.segments_written += last.segments_written;
        statistics.bytes_written += last.bytes_written;
        Ok(())
    }
}
