//! Fault points: named steps at which a test may stop the store as if the process had ended there.
//!
//! Off by default and then free of cost. Once a point has stopped the store, every further point stops it too, so no
//! clean-up of ours tidies away what a crash would have left.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::{Error, Result};

/// A component of the store that decides whether a step may be taken. Clones share their state.
#[derive(Debug, Clone, Default)]
pub struct FailPoints {
    /// Steps that may still be taken; none at zero or below.
    remaining: Option<Arc<AtomicI64>>,
}

impl FailPoints {
    /// Never stops.
    pub fn off() -> Self {
        Self::default()
    }

    /// Lets `steps` steps pass and stops at every later one.
    pub fn stop_after(steps: u32) -> Self {
        Self { remaining: Some(Arc::new(AtomicI64::new(i64::from(steps)))) }
    }

    /// Whether the store has been stopped.
    pub fn stopped(&self) -> bool {
        self.remaining.as_ref().is_some_and(|remaining| remaining.load(Ordering::SeqCst) < 0)
    }

    /// Sets how many further steps may pass, for a store that was made with [`stop_after`](Self::stop_after).
    pub fn rearm(&self, steps: u32) {
        if let Some(remaining) = &self.remaining {
            remaining.store(i64::from(steps), Ordering::SeqCst);
        }
    }

    pub(crate) fn reach(&self, point: &'static str) -> Result<()> {
        match &self.remaining {
            Some(remaining) if remaining.fetch_sub(1, Ordering::SeqCst) <= 0 => {
                remaining.store(-1, Ordering::SeqCst);
                Err(Error::Stopped { point })
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stops_at_the_step_after_and_stays_stopped() {
        let points = FailPoints::stop_after(2);
        assert!(points.reach("a").is_ok() && points.reach("b").is_ok());
        assert!(!points.stopped());
        assert!(matches!(points.reach("c"), Err(Error::Stopped { point: "c" })));
        assert!(points.stopped() && points.reach("a").is_err());
        assert!(FailPoints::off().reach("a").is_ok());
    }
}
