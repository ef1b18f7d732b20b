//! Who may write a table at the same time.
//!
//! [`TableLock`] is a shared/exclusive lock whose guards own it and may move between threads: a statement keeps its
//! guard for as long as it lives. Blind small statements hold it shared, only while they commit; statements that read
//! what they write, and large ones, hold it exclusively. [`RowStripes`] locks rows by the hash of their id, for
//! read-modify-write by key.
//!
//! Readers take no lock at all.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

#[derive(Debug, Default)]
pub(crate) struct TableLock {
    state: Mutex<LockState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct LockState {
    shared: usize,
    exclusive: bool,
    /// Threads that wait for the exclusive lock; new shared ones stand behind them, or they might wait for ever.
    waiting: usize,
}

/// Holds a [`TableLock`] shared.
#[derive(Debug)]
pub(crate) struct SharedGuard(Arc<TableLock>);

/// Holds a [`TableLock`] exclusively.
#[derive(Debug)]
pub(crate) struct ExclusiveGuard(Arc<TableLock>);

impl TableLock {
    pub(crate) fn shared(self: &Arc<Self>) -> SharedGuard {
        let mut state = self.state.lock();
        while state.exclusive || state.waiting > 0 {
            self.changed.wait(&mut state);
        }
        state.shared += 1;
        SharedGuard(Arc::clone(self))
    }

    pub(crate) fn exclusive(self: &Arc<Self>) -> ExclusiveGuard {
        let mut state = self.state.lock();
        state.waiting += 1;
        while state.exclusive || state.shared > 0 {
            self.changed.wait(&mut state);
        }
        state.waiting -= 1;
        state.exclusive = true;
        ExclusiveGuard(Arc::clone(self))
    }
}

impl TableLock {
    /// As [`exclusive`](Self::exclusive), but gives up after `patience`: for work that can be done later.
    pub(crate) fn exclusive_within(self: &Arc<Self>, patience: Duration) -> Option<ExclusiveGuard> {
        let deadline = Instant::now() + patience;
        let mut state = self.state.lock();
        state.waiting += 1;
        let mut in_time = true;
        while in_time && (state.exclusive || state.shared > 0) {
            in_time = !self.changed.wait_until(&mut state, deadline).timed_out();
        }
        state.waiting -= 1;
        if state.exclusive || state.shared > 0 {
            // Those who stood behind may go on.
            self.changed.notify_all();
            return None;
        }
        state.exclusive = true;
        Some(ExclusiveGuard(Arc::clone(self)))
    }
}

impl Drop for SharedGuard {
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        state.shared -= 1;
        if state.shared == 0 {
            self.0.changed.notify_all();
        }
    }
}

impl Drop for ExclusiveGuard {
    fn drop(&mut self) {
        self.0.state.lock().exclusive = false;
        self.0.changed.notify_all();
    }
}

/// How many locks the rows of a table share.
const STRIPES: u64 = 1024;

/// Locks rows, by stripes.
#[derive(Debug, Default)]
pub(crate) struct RowStripes {
    state: Mutex<StripeState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct StripeState {
    held: BTreeSet<u64>,
    /// Lockers that hold stripes or wait for them.
    users: usize,
}

/// Holds the stripes of some rows.
#[derive(Debug)]
pub(crate) struct StripeGuard {
    stripes: Arc<RowStripes>,
    held: BTreeSet<u64>,
}

impl RowStripes {
    /// Waits until none of the rows is locked and locks them all at once, so that two lockers cannot wait for each other.
    pub(crate) fn lock<'r>(self: &Arc<Self>, rows: impl IntoIterator<Item = &'r [u8]>) -> StripeGuard {
        let wanted: BTreeSet<u64> = rows.into_iter().map(stripe_of).collect();
        let mut state = self.state.lock();
        state.users += 1;
        while wanted.iter().any(|stripe| state.held.contains(stripe)) {
            self.changed.wait(&mut state);
        }
        state.held.extend(&wanted);
        StripeGuard { stripes: Arc::clone(self), held: wanted }
    }

    /// Whether anyone locks rows at all.
    pub(crate) fn in_use(&self) -> bool {
        self.state.lock().users > 0
    }
}

fn stripe_of(row: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    row.hash(&mut hasher);
    hasher.finish() % STRIPES
}

impl Drop for StripeGuard {
    fn drop(&mut self) {
        let mut state = self.stripes.state.lock();
        state.held.retain(|stripe| !self.held.contains(stripe));
        state.users -= 1;
        self.stripes.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn exclusive_means_alone() {
        let lock = Arc::new(TableLock::default());
        let inside = Arc::new(AtomicUsize::new(0));
        let shared = lock.shared();
        let writer = {
            let (lock, inside) = (lock.clone(), inside.clone());
            thread::spawn(move || {
                let _guard = lock.exclusive();
                inside.fetch_add(1, Ordering::SeqCst);
            })
        };
        thread::sleep(Duration::from_millis(20));
        assert_eq!(inside.load(Ordering::SeqCst), 0);
        drop(shared);
        writer.join().unwrap();
        assert_eq!(inside.load(Ordering::SeqCst), 1);
        let _both = (lock.shared(), lock.shared());
    }

    #[test]
    fn a_row_is_locked_once() {
        let stripes = Arc::new(RowStripes::default());
        assert!(!stripes.in_use());
        let guard = stripes.lock([&b"a"[..], b"b"]);
        assert!(stripes.in_use());
        let other = {
            let stripes = stripes.clone();
            thread::spawn(move || drop(stripes.lock([&b"b"[..]])))
        };
        thread::sleep(Duration::from_millis(20));
        assert!(!other.is_finished());
        drop(guard);
        other.join().unwrap();
        assert!(!stripes.in_use());
    }
}
