//! Commit sequences: the one order of all commits of a store.
//!
//! A commit gets its number here, is *in flight* while its batch is being written, and is finished afterwards. The
//! *horizon* is the greatest number such that it and every lower one is finished: a reader that skips what lies above
//! its horizon sees whole commits only, and the same ones for as long as it reads.

use std::collections::BTreeSet;
use std::sync::Arc;

use parking_lot::{Condvar, Mutex};

use crate::Result;
use crate::clock::Clock;

/// How many numbers are reserved in the store at once. Numbers not used before a restart are lost, which is harmless.
pub(crate) const RESERVE: u64 = 1 << 20;

#[derive(Debug)]
pub(crate) struct Sequencer {
    state: Mutex<State>,
    finished: Condvar,
    clock: Arc<dyn Clock>,
}

#[derive(Debug)]
struct State {
    next: u64,
    /// Numbers below it may be handed out: the store has a record of that.
    ceiling: u64,
    in_flight: BTreeSet<u64>,
    last_time: i64,
}

impl State {
    fn horizon(&self) -> u64 {
        self.in_flight.first().unwrap_or(&self.next) - 1
    }
}

/// The number and time of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) sequence: u64,
    /// Milliseconds since 1970; never less than that of a lower sequence.
    pub(crate) time_ms: i64,
}

/// A commit in flight; finished when dropped.
#[derive(Debug)]
pub(crate) struct InFlight<'s> {
    sequencer: &'s Sequencer,
    pub(crate) stamp: Stamp,
}

impl Sequencer {
    /// `first` is greater than every number ever handed out, and at least 1.
    pub(crate) fn new(first: u64, clock: Arc<dyn Clock>) -> Self {
        let state = State { next: first, ceiling: first, in_flight: BTreeSet::new(), last_time: i64::MIN };
        Self { state: Mutex::new(state), finished: Condvar::new(), clock }
    }

    /// Starts a commit whose fragments readers will meet before it is finished. `reserve` records a new ceiling.
    pub(crate) fn begin(&self, reserve: impl FnOnce(u64) -> Result<()>) -> Result<InFlight<'_>> {
        let mut state = self.state.lock();
        let stamp = self.stamp(&mut state, reserve)?;
        state.in_flight.insert(stamp.sequence);
        Ok(InFlight { sequencer: self, stamp })
    }

    /// A number for a commit whose fragments no reader meets until its epoch is published; it holds nobody up.
    pub(crate) fn begin_unpublished(&self, reserve: impl FnOnce(u64) -> Result<()>) -> Result<Stamp> {
        self.stamp(&mut self.state.lock(), reserve)
    }

    fn stamp(&self, state: &mut State, reserve: impl FnOnce(u64) -> Result<()>) -> Result<Stamp> {
        if state.next >= state.ceiling {
            let ceiling = state.next + RESERVE;
            reserve(ceiling)?;
            state.ceiling = ceiling;
        }
        let sequence = state.next;
        state.next += 1;
        state.last_time = state.last_time.max(self.clock.now_ms());
        Ok(Stamp { sequence, time_ms: state.last_time })
    }

    pub(crate) fn horizon(&self) -> u64 {
        self.state.lock().horizon()
    }

    /// The last number handed out.
    pub(crate) fn last(&self) -> u64 {
        self.state.lock().next - 1
    }

    /// Waits until the horizon has reached `sequence`.
    pub(crate) fn wait_for(&self, sequence: u64) {
        let mut state = self.state.lock();
        while state.horizon() < sequence {
            self.finished.wait(&mut state);
        }
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.sequencer.state.lock().in_flight.remove(&self.stamp.sequence);
        self.sequencer.finished.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ManualClock;

    #[test]
    fn the_horizon_stops_below_the_lowest_commit_in_flight() {
        let sequencer = Sequencer::new(1, Arc::new(ManualClock::new(5)));
        assert_eq!(sequencer.horizon(), 0);
        let first = sequencer.begin(|_| Ok(())).unwrap();
        let second = sequencer.begin(|_| Ok(())).unwrap();
        assert_eq!((first.stamp.sequence, second.stamp.sequence), (1, 2));
        drop(second);
        assert_eq!(sequencer.horizon(), 0);
        let unpublished = sequencer.begin_unpublished(|_| Ok(())).unwrap();
        drop(first);
        assert_eq!((sequencer.horizon(), unpublished.sequence), (3, 3));
        sequencer.wait_for(3);
    }

    #[test]
    fn numbers_are_reserved_before_they_are_used() {
        let sequencer = Sequencer::new(7, Arc::new(ManualClock::new(0)));
        let mut reserved = Vec::new();
        for _ in 0..3 {
            let reserve = |ceiling| {
                reserved.push(ceiling);
                Ok(())
            };
            drop(sequencer.begin(reserve).unwrap());
        }
        assert_eq!(reserved, [7 + RESERVE]);
        let failing = Sequencer::new(7, Arc::new(ManualClock::new(0)));
        assert!(failing.begin(|_| Err(crate::Error::WorkerLost)).is_err());
        assert_eq!(failing.horizon(), 6);
        assert_eq!(failing.begin(|_| Ok(())).unwrap().stamp.sequence, 7);
    }

    #[test]
    fn time_never_goes_back() {
        let clock = Arc::new(ManualClock::new(100));
        let sequencer = Sequencer::new(1, clock.clone());
        assert_eq!(sequencer.begin_unpublished(|_| Ok(())).unwrap().time_ms, 100);
        clock.set(50);
        assert_eq!(sequencer.begin_unpublished(|_| Ok(())).unwrap().time_ms, 100);
    }
}
