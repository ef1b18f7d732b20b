//! Where the rows of a table are: epochs and runs.
//!
//! An [`Epoch`] holds fragments under one key prefix, as statements wrote them. A [`Run`] holds segments, as compactions
//! and bulk loads write them. What no directory names and no reader holds is deleted, an epoch as a whole, a run segment
//! by segment.

mod difference;
mod epoch;
mod run;
mod segment;

use std::sync::Arc;
use std::sync::atomic::Ordering;

pub(crate) use difference::Difference;
pub(crate) use epoch::{Epoch, delete_epoch};
pub(crate) use run::Run;
pub(crate) use segment::{OpenSegment, SegmentHandle, delete_segment};

use crate::wire::records::SourceRecord;

/// A part of a table's rows: all of its commits are older than those of the next source.
#[derive(Debug, Clone)]
pub(crate) enum Source {
    Fragments(Arc<Epoch>),
    Segments(Arc<Run>),
}

impl Source {
    pub(crate) fn epoch(&self) -> Option<&Arc<Epoch>> {
        match self {
            Self::Fragments(epoch) => Some(epoch),
            Self::Segments(_) => None,
        }
    }

    pub(crate) fn run(&self) -> Option<&Arc<Run>> {
        match self {
            Self::Fragments(_) => None,
            Self::Segments(run) => Some(run),
        }
    }

    /// Whether nothing is in it for sure.
    pub(crate) fn is_untouched(&self) -> bool {
        self.epoch().is_some_and(|epoch| epoch.is_untouched())
    }

    /// Whether both are the same one.
    pub(crate) fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Fragments(a), Self::Fragments(b)) => Arc::ptr_eq(a, b),
            (Self::Segments(a), Self::Segments(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    pub(crate) fn record(&self) -> SourceRecord {
        match self {
            Self::Fragments(epoch) => SourceRecord::Epoch(epoch.record()),
            Self::Segments(run) => SourceRecord::Run { id: run.id },
        }
    }

    /// Notes that a directory in the store names it, and with it all that it holds.
    pub(crate) fn set_used(&self) {
        match self {
            Self::Fragments(epoch) => epoch.unused.store(false, Ordering::Release),
            Self::Segments(run) => {
                run.segments().iter().for_each(|segment| segment.unused.store(false, Ordering::Release));
            }
        }
    }
}
