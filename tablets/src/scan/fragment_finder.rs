//! Where fragments lie over segments.

use ostracon_data::RowRange;

use super::cursor::EpochCursor;
use super::fragments::Order;
use super::source_cursor::Bounds;
use crate::Result;
use crate::engine::Access;
use crate::version::Version;

/// Tells whether the epochs of a version have anything in ranges of rows, which are asked for one after the other.
///
/// Fragments above the version's horizon count too: whoever is told of some looks at them.
pub(crate) struct FragmentFinder {
    cursors: Vec<EpochCursor>,
    reverse: bool,
}

impl FragmentFinder {
    /// For ranges in that order.
    pub(crate) fn new(version: &Version, order: Order) -> Self {
        let engine = &version.store.engine;
        let access = if order == Order::Once { Access::Once } else { Access::Point };
        let cursor = |epoch| EpochCursor::new(engine, epoch, &[], None, access);
        let epochs = version.directory.epochs().filter(|epoch| !epoch.is_untouched());
        Self { cursors: epochs.map(cursor).collect(), reverse: order == Order::Backward }
    }

    /// Whether there is any fragment of a row of the range. It is a comparison as long as the next fragment, in the
    /// order of the ranges, lies beyond the range; then a seek for each epoch.
    pub(crate) fn any_in(&mut self, range: &RowRange) -> Result<bool> {
        let bounds = Bounds::of(range.clone());
        for cursor in &mut self.cursors {
            let inside = if self.reverse {
                cursor.backward_to(bounds.end())?;
                cursor.key().is_some_and(|key| key.row_part >= bounds.start.as_slice())
            } else {
                cursor.forward_to(&bounds.start)?;
                let before_end = |row_part: &[u8]| bounds.end().is_none_or(|end| row_part < end);
                cursor.key().is_some_and(|key| before_end(key.row_part))
            };
            if inside {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
