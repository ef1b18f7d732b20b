//! The distinct labels of a segment.

/// Labels in the order in which they came up; a label's code is its place.
#[derive(Debug, Default)]
pub(super) struct Labels {
    list: Vec<Vec<u8>>,
    last: usize,
}

impl Labels {
    /// The code of a label, a new one if need be.
    pub(super) fn code(&mut self, label: &[u8]) -> u64 {
        // Neighbours mostly have the same label, and a segment few of them.
        if !self.list.get(self.last).is_some_and(|known| same(known, label)) {
            self.last = self.list.iter().position(|known| same(known, label)).unwrap_or_else(|| {
                self.list.push(label.to_vec());
                self.list.len() - 1
            });
        }
        self.last as u64
    }

    pub(super) fn get(&self, code: u64) -> &[u8] {
        self.list.get(code as usize).map_or(&[], Vec::as_slice)
    }

    pub(super) fn list(&self) -> Vec<&[u8]> {
        self.list.iter().map(Vec::as_slice).collect()
    }

    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.last = 0;
    }
}

/// Whether two byte strings are equal. Comparing two empty ones reads, masked, where nothing lies, which some processors take a
/// hundred cycles for.
#[inline]
pub(super) fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && (a.is_empty() || a == b)
}
