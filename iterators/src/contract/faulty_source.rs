//! [`FaultySource`]: an iterator that fails when told, to see what those above it make of that.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ostracon_data::{Key, Range};

use crate::sorted_key_value_iterator::no_top;
use crate::{ColumnFamilies, Error, Result, SortedKeyValueIterator};

/// An iterator that passes everything through until its [`FaultyTrigger`] fires. After the failure it has no top until
/// the next seek, as the contract says. Deep copies share the trigger.
pub struct FaultySource {
    source: Box<dyn SortedKeyValueIterator>,
    trigger: FaultyTrigger,
    failed: bool,
}

/// Says at which call the source fails.
#[derive(Debug, Clone, Default)]
pub struct FaultyTrigger {
    /// Calls until the failure, counting that one; 0 is never.
    calls_left: Arc<AtomicUsize>,
}

/// What a [`FaultySource`] fails with.
#[derive(Debug, thiserror::Error)]
#[error("injected fault")]
struct InjectedFault;

impl FaultyTrigger {
    /// Lets the source fail once, at the `call`-th `seek` or `next` from now, counting from 1; 0 disarms.
    pub fn fail_at(&self, call: usize) {
        self.calls_left.store(call, Ordering::Relaxed);
    }

    /// Whether a failure is still to come.
    pub fn is_armed(&self) -> bool {
        self.calls_left.load(Ordering::Relaxed) > 0
    }

    fn fires(&self) -> bool {
        let count =
            self.calls_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        count == Ok(1)
    }
}

impl FaultySource {
    /// A source that works until the trigger is told otherwise.
    pub fn new(source: Box<dyn SortedKeyValueIterator>) -> (Self, FaultyTrigger) {
        let trigger = FaultyTrigger::default();
        (Self { source, trigger: trigger.clone(), failed: false }, trigger)
    }

    fn fail_if_told(&mut self) -> Result<()> {
        if self.trigger.fires() {
            self.failed = true;
            return Err(Error::source(InjectedFault));
        }
        Ok(())
    }
}

impl SortedKeyValueIterator for FaultySource {
    fn seek(&mut self, range: &Range, families: &ColumnFamilies) -> Result<()> {
        self.fail_if_told()?;
        self.failed = false;
        self.source.seek(range, families)
    }

    fn has_top(&self) -> bool {
        !self.failed && self.source.has_top()
    }

    fn top_key(&self) -> Option<&Key> {
        if self.failed { None } else { self.source.top_key() }
    }

    fn top_value(&self) -> Option<&[u8]> {
        if self.failed { None } else { self.source.top_value() }
    }

    fn next(&mut self) -> Result<()> {
        if self.failed {
            return Err(no_top());
        }
        self.fail_if_told()?;
        self.source.next()
    }

    fn deep_copy(&self) -> Result<Box<dyn SortedKeyValueIterator>> {
        Ok(Box::new(Self { source: self.source.deep_copy()?, trigger: self.trigger.clone(), failed: false }))
    }
}
