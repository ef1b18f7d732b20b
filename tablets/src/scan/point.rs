//! Reads of single rows by their id.
//!
//! A [`PointReader`] is a scan that is sent from row to row: what a scan costs before its first row (RocksDB's iterators,
//! the roles of columns, labels to be judged) is paid once.

use std::sync::Arc;

use ostracon_data::{RowBuffer, RowRange, RowRanges};

use super::metrics::ScanMetrics;
use super::scanner::Scanner;
use super::spec::ScanSpec;
use crate::Result;
use crate::version::Version;

/// Reads single rows of one version, with the columns, labels, filter, iterators and versions of a [`ScanSpec`].
///
/// A row is what a scan of it alone would give. While the reader is held, what it reads stays on disk.
///
/// ```
/// use ostracon_data::{Mutation, RowBuffer};
/// use ostracon_tablets::{PointReader, ScanSpec, StatementOptions, StoreOptions, TableSettings, TabletStore};
///
/// let store = TabletStore::in_memory(StoreOptions::default())?;
/// let table = store.create_table("people", TableSettings::default())?;
/// let mut statement = table.statement(StatementOptions::default())?;
/// for (row, name) in [("1", "Ada"), ("2", "Grace")] {
///     let mut mutation = Mutation::new(row);
///     mutation.put("person", "name", "", name);
///     statement.write(mutation)?;
/// }
/// statement.commit()?;
///
/// let mut reader = PointReader::new(&table.version()?, &ScanSpec::default())?;
/// let mut row = RowBuffer::new();
/// assert!(reader.get(b"2", &mut row)?);
/// assert_eq!(row.find(b"person", b"name").map(|cell| cell.value), Some(&b"Grace"[..]));
/// assert!(!reader.get(b"3", &mut row)?);
/// # Ok::<(), ostracon_tablets::Error>(())
/// ```
pub struct PointReader {
    scanner: Scanner,
    row: RowBuffer,
}

impl PointReader {
    /// A reader of rows of `version`, as `spec` says; its ranges, limit and order are not used.
    ///
    /// # Errors
    /// The specification cannot be used.
    pub fn new(version: &Arc<Version>, spec: &ScanSpec) -> Result<Self> {
        let spec = ScanSpec { ranges: RowRanges::none(), limit: None, reverse: false, ..spec.clone() };
        Ok(Self { scanner: Scanner::seekable(version, &spec)?, row: RowBuffer::new() })
    }

    /// Reads a row into `out`; false, with `out` empty, if there is none that the session sees and the filter accepts.
    ///
    /// # Errors
    /// As [`Scanner::next_row`]; the reader may be used again.
    pub fn get(&mut self, row: &[u8], out: &mut RowBuffer) -> Result<bool> {
        self.scanner.seek(&RowRanges::point(row))?;
        self.scanner.next_row(out)
    }

    /// Reads many rows: calls `found` with each one that there is and its position in `rows`. They are read in the order
    /// of their ids, whatever that of `rows`, so that neighbours are found together; a row asked for twice is found
    /// twice.
    ///
    /// # Errors
    /// As [`get`](Self::get), or what `found` gives.
    pub fn multi_get<E: From<crate::Error>>(
        &mut self,
        rows: &[impl AsRef<[u8]>],
        mut found: impl FnMut(usize, &RowBuffer) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut asked: Vec<(&[u8], usize)> = rows.iter().map(AsRef::as_ref).zip(0..).collect();
        asked.sort_unstable();
        let points = asked.chunk_by(|a, b| a.0 == b.0).filter_map(|same| same.first());
        self.scanner.seek(&RowRanges::Set(points.map(|(row, _)| RowRange::point(*row)).collect()))?;
        let mut asked = asked.into_iter().peekable();
        while self.scanner.next_row(&mut self.row)? {
            let row = self.row.row();
            while asked.next_if(|(wanted, _)| *wanted < row).is_some() {}
            while let Some((_, position)) = asked.next_if(|(wanted, _)| *wanted == row) {
                found(position, &self.row)?;
            }
        }
        Ok(())
    }

    /// What the reader did so far.
    pub fn metrics(&self) -> ScanMetrics {
        self.scanner.metrics()
    }
}

impl Version {
    /// Reads one row as a scan of it alone would; `None` if there is none. Whoever reads several makes a
    /// [`PointReader`].
    ///
    /// # Errors
    /// As [`PointReader::get`].
    pub fn get(self: &Arc<Self>, row: &[u8], spec: &ScanSpec) -> Result<Option<RowBuffer>> {
        let mut out = RowBuffer::new();
        Ok(PointReader::new(self, spec)?.get(row, &mut out)?.then_some(out))
    }

    /// Reads rows; the answers come in the order of `rows`.
    ///
    /// # Errors
    /// As [`PointReader::get`].
    pub fn multi_get(
        self: &Arc<Self>,
        rows: &[impl AsRef<[u8]>],
        spec: &ScanSpec,
    ) -> Result<Vec<Option<RowBuffer>>> {
        let mut answers = vec![None; rows.len()];
        PointReader::new(self, spec)?.multi_get(rows, |position, row| {
            if let Some(answer) = answers.get_mut(position) {
                *answer = Some(row.clone());
            }
            Ok::<_, crate::Error>(())
        })?;
        Ok(answers)
    }
}
