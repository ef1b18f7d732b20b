//! Scans that wait to be used again.
//!
//! What a scan costs before its first row is most of what a look-up costs, and of one state of a table it has to be paid
//! once. But an idle scan keeps what it reads on disk, so [`IdleScans`] keeps few of them and none for long: whoever
//! looks for one throws out those that nobody has used for a second.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ostracon_data::RowBuffer;
use ostracon_tablets::{Scanner, Version};
use parking_lot::Mutex;

/// As many scans wait at most.
const KEPT: usize = 16;

/// A scan that waited longer is closed by whoever comes next.
const KEPT_FOR: Duration = Duration::from_secs(1);

/// A scan of one state of a table, to be sent here and there.
pub(crate) struct OpenScan {
    pub(crate) version: Arc<Version>,
    pub(crate) reverse: bool,
    pub(crate) scanner: Scanner,
    pub(crate) row: RowBuffer,
}

/// The idle scans of a session. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct IdleScans(Arc<Shared>);

#[derive(Default)]
struct Shared {
    next_owner: AtomicU64,
    waiting: Mutex<Vec<Waiting>>,
}

struct Waiting {
    owner: u64,
    since: Instant,
    scan: OpenScan,
}

impl std::fmt::Debug for IdleScans {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IdleScans").field("waiting", &self.0.waiting.lock().len()).finish()
    }
}

impl IdleScans {
    /// A number for someone who opens scans of one kind: only the owner gets them back.
    pub(crate) fn owner(&self) -> u64 {
        self.0.next_owner.fetch_add(1, Ordering::Relaxed)
    }

    /// A scan that the owner gave back, of the same state of the table and in the same order.
    pub(crate) fn take(&self, owner: u64, version: &Version, reverse: bool) -> Option<OpenScan> {
        let now = Instant::now();
        let mut waiting = self.0.waiting.lock();
        let of_owner = |one: &Waiting| one.owner == owner && one.scan.reverse == reverse;
        let is_stale = |one: &mut Waiting| {
            now.duration_since(one.since) >= KEPT_FOR
                || of_owner(one) && !one.scan.version.is_same_state(version)
        };
        let stale: Vec<Waiting> = waiting.extract_if(.., is_stale).collect();
        let found = waiting.iter().position(of_owner).map(|at| waiting.swap_remove(at).scan);
        // Closing takes its time, and nobody has to wait for it.
        drop(waiting);
        drop(stale);
        found
    }

    /// Gives a scan back. One that met an error is dropped instead.
    pub(crate) fn put(&self, owner: u64, scan: OpenScan) {
        let one = Waiting { owner, since: Instant::now(), scan };
        let mut waiting = self.0.waiting.lock();
        let oldest = if waiting.len() < KEPT {
            None
        } else {
            let oldest = waiting.iter().enumerate().min_by_key(|(_, one)| one.since).map(|(at, _)| at);
            oldest.map(|at| waiting.swap_remove(at))
        };
        waiting.push(one);
        drop(waiting);
        drop(oldest);
    }

    /// Closes every scan that waits.
    pub(crate) fn clear(&self) {
        let closed = std::mem::take(&mut *self.0.waiting.lock());
        drop(closed);
    }
}
