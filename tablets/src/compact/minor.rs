//! Joining epochs through the iterators of the `minc` scope.
//!
//! What a row has in these epochs becomes one fragment. It still stands over older sources, so delete markers stay and so
//! do erases, those of puts that replace older cells too; only what they hide within the epochs is gone. Iterators see
//! cells and delete markers; erases are ours, and pass them by.

use std::sync::Arc;

use ostracon_data::{ErasedColumns, RowRange};
use ostracon_iterators::{BytesText, IteratorScope};
use ostracon_segment::{ErasedColumnsRef, FragmentReader, FragmentWriter, UpdateRef};

use crate::scan::{CellRows, ColumnRoles, FragmentRows, Order, RowFragments, ScanMetrics};
use crate::version::Version;
use crate::{Error, Result};

/// Whether the table has iterators of the `minc` scope.
pub(super) fn has_iterators(version: &Version) -> bool {
    version.settings().iterators.iter().any(|(scope, _)| *scope == IteratorScope::MinorCompaction)
}

/// Shows `write` each row of a version that is left and its fragment, in order.
pub(super) fn fold(
    version: &Arc<Version>,
    now_ms: i64,
    mut write: impl FnMut(&[u8], &[u8]) -> Result<()>,
) -> Result<()> {
    let mut erased = ErasedRows::new(version);
    let mut cells = CellRows::minor_compaction(version, now_ms)?;
    let mut packed = Vec::new();
    loop {
        let row = cells.next_cells()?;
        let id = row.first().map(|(key, ..)| key.row.clone());
        // Rows of which nothing but erases is left.
        while let Some((erased_row, erases)) = erased.next_before(id.as_deref())? {
            packed.clear();
            let mut fragment = FragmentWriter::new(&mut packed, 0, b"");
            erases.iter().for_each(|(columns, label)| fragment.erase(columns, label.as_deref()));
            write(&erased_row, &packed)?;
        }
        let Some(id) = id else { return Ok(()) };
        let (time, label) = row.first().map_or((0, &b""[..]), |(key, ..)| (key.timestamp, &key.visibility));
        packed.clear();
        let mut fragment = FragmentWriter::new(&mut packed, time, label);
        for (columns, label) in erased.take(&id)? {
            fragment.erase(&columns, label.as_deref());
        }
        for (key, value, _) in row {
            if key.deleted {
                fragment.delete(&key.family, &key.qualifier, &key.visibility, key.timestamp);
            } else {
                fragment.put(&key.family, &key.qualifier, &key.visibility, key.timestamp, value);
            }
        }
        write(&id, &packed)?;
    }
}

type Erase = (ErasedColumns, Option<Vec<u8>>);

/// The rows with erases, in order.
struct ErasedRows {
    rows: FragmentRows,
    fragments: RowFragments,
    table: String,
    /// The next one, once it has been looked for.
    next: Option<(Vec<u8>, Vec<Erase>)>,
    ended: bool,
}

impl ErasedRows {
    fn new(version: &Version) -> Self {
        let everything = ColumnRoles::everything();
        Self {
            rows: FragmentRows::new(version, &[RowRange::all()], &everything, Order::Once),
            fragments: RowFragments::default(),
            table: version.table_name().to_owned(),
            next: None,
            ended: false,
        }
    }

    /// The next row, if it lies before `row`; `None`: wherever it lies.
    fn next_before(&mut self, row: Option<&[u8]>) -> Result<Option<(Vec<u8>, Vec<Erase>)>> {
        self.find()?;
        Ok(self.next.take_if(|(next, _)| row.is_none_or(|row| next.as_slice() < row)))
    }

    /// The erases of a row, which is not after the next one.
    fn take(&mut self, row: &[u8]) -> Result<Vec<Erase>> {
        self.find()?;
        let found = self.next.take_if(|(next, _)| next == row);
        Ok(found.map(|(_, erases)| erases).unwrap_or_default())
    }

    fn find(&mut self) -> Result<()> {
        let mut metrics = ScanMetrics::default();
        while self.next.is_none() && !self.ended {
            if !self.rows.next_row(&mut self.fragments, &mut metrics)? {
                self.ended = true;
                break;
            }
            let erases = erases(&self.fragments).map_err(|source| Error::Fragment {
                table: self.table.clone(),
                row: BytesText(self.fragments.row()).to_string(),
                source,
            })?;
            if !erases.is_empty() {
                self.next = Some((self.fragments.row().to_vec(), erases));
            }
        }
        Ok(())
    }
}

/// What a row's fragments erase in older ones.
fn erases(fragments: &RowFragments) -> Result<Vec<Erase>, ostracon_segment::Error> {
    let mut erases: Vec<Erase> = Vec::new();
    let mut add = |erase: Erase| {
        if !erases.contains(&erase) {
            erases.push(erase);
        }
    };
    for fragment in fragments.iter() {
        let reader = FragmentReader::new(fragment)?;
        let replaces = reader.replaces_older();
        for update in reader {
            match update? {
                UpdateRef::Erase { columns, label } => add((owned(columns), label.map(<[u8]>::to_vec))),
                UpdateRef::Put { family, qualifier, visibility, .. } if replaces => {
                    let columns =
                        ErasedColumns::Exact { family: family.to_vec(), qualifier: qualifier.to_vec() };
                    add((columns, Some(visibility.to_vec())));
                }
                UpdateRef::Put { .. } | UpdateRef::Delete { .. } => {}
            }
        }
    }
    Ok(erases)
}

fn owned(columns: ErasedColumnsRef<'_>) -> ErasedColumns {
    match columns {
        ErasedColumnsRef::Exact { family, qualifier } => {
            ErasedColumns::Exact { family: family.to_vec(), qualifier: qualifier.to_vec() }
        }
        ErasedColumnsRef::Prefix { family, qualifier_prefix } => {
            ErasedColumns::Prefix { family: family.to_vec(), qualifier_prefix: qualifier_prefix.to_vec() }
        }
        ErasedColumnsRef::Row => ErasedColumns::Row,
    }
}
