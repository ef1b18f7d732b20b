//! What scans count.

/// What a scan did so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ScanMetrics {
    /// Rows in the ranges that exist for the session, before the filter.
    pub rows_read: u64,
    /// Rows handed out.
    pub rows_returned: u64,
    /// Column updates looked at, old versions and those that are not seen included.
    pub cells_read: u64,
    /// Bytes of keys, values and segments that RocksDB handed over.
    pub bytes_read: u64,
    /// Seeks of RocksDB iterators; a segment is read without one.
    pub seeks: u64,
    /// Segments opened.
    pub segments_read: u64,
    /// Segments with rows in the ranges that were left out.
    pub segments_pruned: u64,
    /// Segments whose summary was taken in place of their rows.
    pub segments_summarized: u64,
}

impl ScanMetrics {
    /// Adds what another part of the scan did.
    pub fn add(&mut self, other: &Self) {
        self.rows_read += other.rows_read;
        self.rows_returned += other.rows_returned;
        self.cells_read += other.cells_read;
        self.bytes_read += other.bytes_read;
        self.seeks += other.seeks;
        self.segments_read += other.segments_read;
        self.segments_pruned += other.segments_pruned;
        self.segments_summarized += other.segments_summarized;
    }
}
