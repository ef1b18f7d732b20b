//! What has been found out about the segment that a run is read in.

use std::ops::Range;

use ostracon_segment::mask;

use super::Judgement;

/// What is known of one segment: by its summary, and of some of its rows by their columns.
///
/// Every run has a verdict of its own, since runs that lie over each other are read in turns.
#[derive(Debug)]
pub(super) struct Verdict {
    pub(super) segment: u64,
    pub(super) judgement: Judgement,
    /// The open segment bears it out.
    pub(super) confirmed: bool,
    /// Every row passes the scan's filter.
    pub(super) all_pass: bool,
    /// The filter that narrows the scan has to be asked too.
    pub(super) narrowing: bool,
    /// Every row passes both.
    pub(super) all_match: bool,
    /// Every row exists, whatever the filter says.
    pub(super) all_exist: bool,
    /// The rows that the masks are about.
    pub(super) decided: Range<usize>,
    /// 1 for the rows that pass, existing or not; unused if the summary tells.
    pub(super) matching: Vec<u8>,
    /// 1 for the rows that exist; unused if all do.
    pub(super) exists: Vec<u8>,
}

impl Verdict {
    /// Nothing is known yet. Masks keep their memory from segment to segment.
    pub(super) fn clear(&mut self, segment: u64) {
        self.segment = segment;
        self.judgement = Judgement::Rows;
        self.confirmed = false;
        self.all_pass = false;
        self.narrowing = false;
        self.all_match = false;
        self.all_exist = false;
        self.decided = 0..0;
        self.matching.clear();
        self.exists.clear();
    }

    /// Whether `rows` have been decided.
    pub(super) fn covers(&self, rows: &Range<usize>) -> bool {
        rows.is_empty() || (self.decided.start <= rows.start && rows.end <= self.decided.end)
    }

    /// Whether the row, as it lies in the segment, passes the filter. It has been decided.
    pub(super) fn passes(&self, row: usize) -> bool {
        match self.judgement {
            Judgement::Skip => false,
            _ if self.all_match => true,
            _ => row.checked_sub(self.decided.start).is_none_or(|at| self.matching.get(at) != Some(&0)),
        }
    }

    /// How many of `rows`, which have been decided, exist.
    pub(super) fn existing(&self, rows: &Range<usize>) -> usize {
        if self.all_exist { rows.len() } else { mask::count_ones(self.part(&self.exists, rows)) }
    }

    /// Appends those of `rows`, which have been decided, that are hits; `both` is memory.
    pub(super) fn hits(&self, rows: &Range<usize>, both: &mut Vec<u8>, out: &mut Vec<u32>) {
        let first = u32::try_from(rows.start).unwrap_or(u32::MAX);
        match (self.judgement, self.all_match, self.all_exist) {
            (Judgement::Skip, ..) => {}
            (_, true, true) => out.extend((first..).take(rows.len())),
            (_, true, false) => mask::hits(self.part(&self.exists, rows), first, out),
            (_, false, true) => mask::hits(self.part(&self.matching, rows), first, out),
            (_, false, false) => {
                both.clear();
                both.extend_from_slice(self.part(&self.exists, rows));
                mask::and(both, self.part(&self.matching, rows));
                mask::hits(both, first, out);
            }
        }
    }

    fn part<'m>(&self, mask: &'m [u8], rows: &Range<usize>) -> &'m [u8] {
        let from = rows.start.saturating_sub(self.decided.start);
        mask.get(from..from + rows.len()).unwrap_or_default()
    }
}

impl Default for Verdict {
    fn default() -> Self {
        Self {
            segment: u64::MAX,
            judgement: Judgement::Rows,
            confirmed: false,
            all_pass: false,
            narrowing: false,
            all_match: false,
            all_exist: false,
            decided: 0..0,
            matching: Vec::new(),
            exists: Vec::new(),
        }
    }
}
