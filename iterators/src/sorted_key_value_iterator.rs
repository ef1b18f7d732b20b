//! The contract page: [`SortedKeyValueIterator`], the one shape of everything that reads cells.
//!
//! What it does not do: it knows neither Arrow nor a store. How a stack of iterators is put together is the
//! business of [`IteratorStack`](crate::IteratorStack); that an iterator keeps this contract is checked by the
//! suite in [`contract`](crate::contract).

use ostracon_data::{Key, Range};

use crate::{ColumnFamilies, Result};

/// An iterator over cells in key order that can be sought again and again: Accumulo's interface of that name.
///
/// Iterators are stacked. A leaf reads a store; each iterator above has a source below it and filters, groups
/// or rewrites what the source gives. The name of an operation on the stack is the name of the same operation
/// on its top iterator.
///
/// # Life cycle
///
/// * **Construction reads nothing.** An iterator is made with its source and options. It is then *unpositioned*:
///   [`has_top`](Self::has_top) is false, [`top_key`](Self::top_key) and [`top_value`](Self::top_value) are
///   `None`, and [`next`](Self::next) is an error. Bad options are refused before, when the iterator is set.
/// * **`seek` positions.** It may be called at any time and any number of times, forwards and backwards, after
///   the end and after an error; each call forgets whatever came before.
/// * **`deep_copy` before `seek`.** A copy is unpositioned whatever its original is, shares no position and no
///   buffer with it, and outlives it. It may be taken at any time, but an implementor may be asked for copies
///   only before the first `seek` if it says so.
///
/// # Positioning and order
///
/// * After `seek(range, families)` the top is the first cell `c` of the iterator's output with
///   `range.contains(c)` and `families.contains(c.family)`, or there is no top.
/// * `next` moves to the following one. Keys never descend: each top key is greater than or equal to the one
///   before (equal only if the source holds one key twice; an iterator may not introduce that), in
///   [`Key`]'s order: row, family, qualifier, visibility ascending, timestamp **descending**, deletes first.
/// * `next` without a top is [`Error::Misuse`](crate::Error::Misuse); it neither panics nor wraps around. Once
///   `has_top` is false it stays false until the next `seek`.
/// * `has_top`, `top_key` and `top_value` are pure: called any number of times between two moves they give the
///   same answer, without reading. `has_top()`, `top_key().is_some()` and `top_value().is_some()` always agree.
///
/// # Who checks bounds
///
/// * **Every iterator** gives only cells inside the range it was sought with; nobody above re-checks. An
///   iterator that must read outside (to find a delete marker or the first cell of a row) seeks its source with
///   a wider range and drops what its caller did not ask for.
/// * **Families** are enforced once, by [`ColumnFamilySkippingIterator`](crate::ColumnFamilySkippingIterator)
///   near the bottom of every stack. Below it they are a hint that a leaf may use (locality groups) or ignore;
///   above it they hold. An iterator that needs families its caller did not ask for widens the set for its
///   source and drops those cells from its own output.
/// * **Visibility** is enforced by [`VisibilityFilter`](crate::VisibilityFilter), below every iterator of a
///   user: user code, and therefore its errors and its counts, never depend on a cell that the session may not
///   see.
///
/// # Tear-down and re-seek
///
/// A scan may stop after **any** cell it has handed out, throw the whole stack away, and later build it anew and
/// `seek` with the range `(last key handed out, exclusive) .. old end`. The cells after the break must be those
/// that would have followed without it: none lost, none doubled. So
///
/// * an iterator keeps no state from one seek to the next that its answers depend on;
/// * **mid-row starts** happen: the first key of a range may lie in the middle of a row, of a column, or of the
///   versions of one cell. An iterator whose answer for a cell depends on earlier keys (delete markers, version
///   counts, a predicate on the whole row) starts reading at the beginning of that group, and hands out only
///   what is in range;
/// * **the whole-row rule**: an iterator that turns a row into one pair uses the bare row as its key (empty
///   family, qualifier and visibility, greatest timestamp). When sought with such a key as an *exclusive* start
///   it goes on with the next row: the cells of that row lie behind the bare key in key order, but they have
///   been handed out already. An *inclusive* bare start means the row itself.
///
/// # Lifetime of what is borrowed
///
/// `top_key` and `top_value` lend the iterator's own bytes, until the next call that takes `&mut self`. A caller
/// that wants to keep them copies them. Keys and values are arbitrary bytes: no iterator may assume UTF-8, a
/// width, or a non-empty part, and none may panic on them.
///
/// # Errors
///
/// An error of `seek` or `next` means that the answer so far is incomplete: it is never "end of data". After
/// one, the iterator has no top, `next` is an error, and only `seek` (or dropping it) is meaningful; a new seek
/// works if the cause is gone. A leaf checks its store's status at every end it reports. Errors pass upwards
/// unchanged.
///
/// # Threads
///
/// An iterator belongs to one thread at a time and may be sent to another between calls (`Send`, not `Sync`).
/// Deep copies may live on different threads at once; whatever they share is immutable or locked.
pub trait SortedKeyValueIterator: Send {
    /// Positions at the first cell in `range` whose family is in `families`; see the contract above.
    fn seek(&mut self, range: &Range, families: &ColumnFamilies) -> Result<()>;

    /// Whether there is a current cell.
    fn has_top(&self) -> bool;

    /// The current cell's key; `None` when unpositioned or at the end.
    fn top_key(&self) -> Option<&Key>;

    /// The current cell's value; `None` when unpositioned or at the end.
    fn top_value(&self) -> Option<&[u8]>;

    /// Moves to the next cell. An error when there is no current one.
    fn next(&mut self) -> Result<()>;

    /// An unpositioned, independent iterator over the same source with the same options.
    fn deep_copy(&self) -> Result<Box<dyn SortedKeyValueIterator>>;
}

impl SortedKeyValueIterator for Box<dyn SortedKeyValueIterator> {
    fn seek(&mut self, range: &Range, families: &ColumnFamilies) -> Result<()> {
        (**self).seek(range, families)
    }

    fn has_top(&self) -> bool {
        (**self).has_top()
    }

    fn top_key(&self) -> Option<&Key> {
        (**self).top_key()
    }

    fn top_value(&self) -> Option<&[u8]> {
        (**self).top_value()
    }

    fn next(&mut self) -> Result<()> {
        (**self).next()
    }

    fn deep_copy(&self) -> Result<Box<dyn SortedKeyValueIterator>> {
        (**self).deep_copy()
    }
}

/// The error of [`next`](SortedKeyValueIterator::next) without a top, one wording for all iterators.
pub(crate) fn no_top() -> crate::Error {
    crate::Error::Misuse("next() was called without a current cell; check has_top() first")
}
