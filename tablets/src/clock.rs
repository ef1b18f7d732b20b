//! Time as a component: the store reads it only through a [`Clock`].

use std::fmt::Debug;
use std::sync::atomic::{AtomicI64, Ordering};

/// Gives the time of commits and of expiry.
///
/// It may go backwards: the store never gives a later commit an earlier time.
pub trait Clock: Send + Sync + Debug {
    /// Milliseconds since 1970-01-01 00:00 UTC.
    fn now_ms(&self) -> i64;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    // The one place that may ask the machine.
    #[allow(clippy::disallowed_methods)]
    fn now_ms(&self) -> i64 {
        let since_epoch = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        match since_epoch {
            Ok(since) => i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
            // A machine whose clock stands before 1970.
            Err(before) => -i64::try_from(before.duration().as_millis()).unwrap_or(i64::MAX),
        }
    }
}

/// A clock that stands still until it is set; for tests and for replaying history.
#[derive(Debug, Default)]
pub struct ManualClock(AtomicI64);

impl ManualClock {
    /// A clock that shows `now_ms`.
    pub fn new(now_ms: i64) -> Self {
        Self(AtomicI64::new(now_ms))
    }

    /// Sets the clock.
    pub fn set(&self, now_ms: i64) {
        self.0.store(now_ms, Ordering::SeqCst);
    }

    /// Moves the clock forward (or back) by `by_ms`.
    pub fn advance(&self, by_ms: i64) {
        self.0.fetch_add(by_ms, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now_ms(&self) -> i64 {
        self.0.load(Ordering::SeqCst)
    }
}
