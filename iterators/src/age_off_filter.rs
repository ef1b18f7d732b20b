//! [`AgeOffFilter`]: cells live for a time.
//!
//! The time of the run comes from the environment (or an option), never from a clock, so that one run judges all
//! cells alike.

use ostracon_data::Key;

use crate::SortedKeyValueIterator;
use crate::filter::{CellPredicate, Filter};

/// The predicate of an [`AgeOffFilter`].
#[derive(Debug, Clone)]
pub struct NotExpired {
    ttl_ms: u64,
    now_ms: i64,
}

impl CellPredicate for NotExpired {
    fn accept(&mut self, key: &Key, _value: &[u8]) -> bool {
        // Wider than the timestamps, whose difference may not fit them. A cell of the future has a negative age.
        i128::from(self.now_ms) - i128::from(key.timestamp) <= i128::from(self.ttl_ms)
    }
}

/// An iterator over the cells that are at most `ttl` old.
pub type AgeOffFilter = Filter<NotExpired>;

impl AgeOffFilter {
    /// Leaves out cells whose timestamp is more than `ttl_ms` milliseconds before `now_ms`.
    pub fn new(source: Box<dyn SortedKeyValueIterator>, ttl_ms: u64, now_ms: i64) -> Self {
        Filter::over(source, NotExpired { ttl_ms, now_ms })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn age_is_counted_to_the_millisecond_and_does_not_overflow() {
        let accept = |ttl_ms, now_ms, timestamp| {
            NotExpired { ttl_ms, now_ms }.accept(&Key::new("r", "f", "q", "", timestamp), b"")
        };
        assert!(accept(10, 100, 90) && !accept(10, 100, 89));
        assert!(accept(0, 100, 100) && accept(0, 100, 101) && !accept(0, 100, 99));
        assert!(!accept(u64::MAX - 1, i64::MAX, i64::MIN) && accept(u64::MAX, i64::MAX, i64::MIN));
        assert!(accept(0, i64::MIN, i64::MAX));
    }
}
