//! [`Warnings`]: what became null, counted by kind, with the first of each kind (N22).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ostracon_piglatin::value::{CallContext, Warning, WarningKind};
use parking_lot::Mutex;

use crate::progress::Progress;

/// The warnings of a run. Clones count into one.
#[derive(Debug, Clone, Default)]
pub struct Warnings {
    counts: Arc<Mutex<BTreeMap<WarningKind, Counted>>>,
}

/// A kind of warning that came up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted {
    /// How often.
    pub count: u64,
    /// The first of them, with file and row where they are known.
    pub sample: String,
}

impl Warnings {
    /// Counts one.
    pub fn add(&self, warning: Warning) {
        let mut counts = self.counts.lock();
        counts
            .entry(warning.kind)
            .and_modify(|counted| counted.count += 1)
            .or_insert(Counted { count: 1, sample: warning.sample });
    }

    /// All that came up since this was last asked, by kind.
    pub fn take(&self) -> BTreeMap<WarningKind, Counted> {
        std::mem::take(&mut *self.counts.lock())
    }

    /// The first sample, if there is any: what `pig.strict` makes an error of.
    pub fn first(&self) -> Option<(WarningKind, String)> {
        self.counts.lock().iter().next().map(|(kind, counted)| (*kind, counted.sample.clone()))
    }
}

/// What a run lends to the functions it calls.
#[derive(Debug, Clone)]
pub struct RunContext {
    warnings: Warnings,
    progress: Progress,
    started_millis: i64,
    random: Arc<AtomicU64>,
    unique: Arc<AtomicU64>,
}

impl RunContext {
    /// A context for a run that began at a time; `seed` begins its random numbers.
    pub fn new(warnings: Warnings, started_millis: i64, seed: u64) -> Self {
        Self {
            warnings,
            progress: Progress::default(),
            started_millis,
            random: Arc::new(AtomicU64::new(seed)),
            unique: Arc::default(),
        }
    }

    /// Where warnings are counted.
    pub fn warnings(&self) -> &Warnings {
        &self.warnings
    }

    /// How far the run has read its files.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }
}

impl CallContext for RunContext {
    fn started_millis(&self) -> i64 {
        self.started_millis
    }

    fn random(&mut self) -> f64 {
        // SplitMix64 (Steele, Lea, Flood 2014): good enough for samples, and a seed makes a run repeatable.
        const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
        let mut z = self.random.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn unique(&mut self) -> u64 {
        self.unique.fetch_add(1, Ordering::Relaxed)
    }

    fn warn(&mut self, warning: Warning) {
        self.warnings.add(warning);
    }
}
