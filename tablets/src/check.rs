//! Looking over a whole store for damage.

use std::collections::BTreeSet;

use ostracon_data::{ColumnVisibility, TableId};
use ostracon_iterators::BytesText;
use ostracon_segment::{FragmentReader, UpdateRef};

use crate::engine::Access;
use crate::keys::{self, FragmentKey};
use crate::store::TabletStore;
use crate::{Error, Result};

/// Problems that are listed; more are only counted.
const LISTED: usize = 100;

/// What [`TabletStore::check`] found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CheckReport {
    /// Tables.
    pub tables: u64,
    /// Fragments read, of all epochs.
    pub fragments: u64,
    /// Column updates in them.
    pub cells: u64,
    /// Bytes of keys and values read.
    pub bytes: u64,
    /// What is wrong and where, the first ones.
    pub problems: Vec<String>,
    /// How many problems there are in all.
    pub problem_count: u64,
}

impl CheckReport {
    /// Whether nothing is wrong.
    pub fn is_clean(&self) -> bool {
        self.problem_count == 0
    }

    fn problem(&mut self, text: impl FnOnce() -> String) {
        self.problem_count += 1;
        if self.problems.len() < LISTED {
            self.problems.push(text());
        }
    }
}

impl TabletStore {
    /// Reads every record and every fragment of the store, checksums included, and reports what is not as it should be.
    ///
    /// # Errors
    /// Only if reading ends before the end; damage that can be skipped is in the report.
    pub fn check(&self) -> Result<CheckReport> {
        let mut report = CheckReport::default();
        // Named first and unused second: an epoch that is published meanwhile is in one of them.
        let known = self.known_epochs(&mut report)?;
        self.check_catalog(&mut report)?;
        let (start, end) = keys::data_range();
        let mut iterator = self.inner.engine.iterator(start.clone(), end, Access::Once);
        iterator.seek(&start);
        let mut last_epoch = None;
        while let Some((key, value)) = iterator.item() {
            report.fragments += 1;
            report.bytes += (key.len() + value.len()) as u64;
            let epoch = keys::parse_epoch(key);
            if epoch != last_epoch {
                last_epoch = epoch;
                if !epoch.is_some_and(|epoch| known.contains(&epoch) || self.is_known_now(epoch)) {
                    report.problem(|| match epoch {
                        Some((table, epoch)) => {
                            format!("epoch {epoch} of table {table} belongs to no directory")
                        }
                        None => format!("key {} is too short", BytesText(key)),
                    });
                }
            }
            self.check_fragment(key, value, &mut report);
            iterator.next();
        }
        iterator.check()?;
        Ok(report)
    }

    fn known_epochs(&self, report: &mut CheckReport) -> Result<BTreeSet<(TableId, u64)>> {
        let mut known = BTreeSet::new();
        for state in self.states(None)? {
            report.tables += 1;
            let directory = state.directory();
            known.extend(directory.epochs.iter().map(|epoch| (epoch.table, epoch.id)));
            if !directory.splits.is_sorted_by(|a, b| a < b) {
                report.problem(|| format!("split points of table '{}' are not in order", state.name));
            }
        }
        self.inner.engine.each(&keys::UNUSED_PREFIX, |key, _| {
            match keys::parse_unused_key(key) {
                Some(epoch) => {
                    known.insert(epoch);
                }
                None => {
                    report.problem(|| format!("record of an unused epoch has a bad key {}", BytesText(key)))
                }
            }
            Ok(())
        })?;
        Ok(known)
    }

    /// Statements and compactions make epochs while the check runs.
    fn is_known_now(&self, (table, epoch): (TableId, u64)) -> bool {
        let unused = self.inner.engine.get(&keys::unused_key(table, epoch));
        let tables = self.inner.tables.read();
        let named = tables
            .values()
            .any(|state| state.id == table && state.directory().epochs.iter().any(|known| known.id == epoch));
        named || unused.is_ok_and(|record| record.is_some())
    }

    fn check_catalog(&self, report: &mut CheckReport) -> Result<()> {
        self.inner.engine.each(&keys::CATALOG_PREFIX, |key, _| {
            if std::str::from_utf8(key).is_err() {
                report.problem(|| format!("catalog key {} is not UTF-8", BytesText(key)));
            }
            Ok(())
        })
    }

    fn check_fragment(&self, key: &[u8], value: &[u8], report: &mut CheckReport) {
        let mut row = Vec::new();
        let Some(parsed) = FragmentKey::parse(key) else {
            return report.problem(|| format!("key {} is too short", BytesText(key)));
        };
        if !keys::take_row(parsed.row_part, &mut row) {
            return report.problem(|| format!("the row of key {} is not escaped rightly", BytesText(key)));
        }
        let place = || match keys::parse_epoch(key) {
            Some((table, epoch)) => format!("row {} (table {table}, epoch {epoch})", BytesText(&row)),
            None => format!("row {}", BytesText(&row)),
        };
        if parsed.sequence > self.inner.sequencer.last() {
            report.problem(|| {
                format!("{} has the commit sequence {}, which was never given", place(), parsed.sequence)
            });
        }
        match cells(value) {
            Ok(cells) => report.cells += cells,
            Err(reason) => report.problem(|| format!("{}: {reason}", place())),
        }
    }
}

/// Reads a fragment to its end; gives how many updates it has.
fn cells(value: &[u8]) -> std::result::Result<u64, String> {
    let mut cells = 0;
    let mut last_label: &[u8] = b"";
    for update in FragmentReader::new(value).map_err(|error| error.to_string())? {
        cells += 1;
        let label = match update.map_err(|error| error.to_string())? {
            UpdateRef::Put { visibility, .. } | UpdateRef::Delete { visibility, .. } => visibility,
            UpdateRef::Erase { .. } => continue,
        };
        if label != last_label {
            ColumnVisibility::parse(label).map_err(|error| format!("label {}: {error}", BytesText(label)))?;
            last_label = label;
        }
    }
    Ok(cells)
}

impl CheckReport {
    /// The report as an error, if anything is wrong.
    ///
    /// # Errors
    /// [`Error::Corrupt`] with the first problem.
    pub fn into_result(self) -> Result<Self> {
        match self.problems.first() {
            None => Ok(self),
            Some(first) => {
                Err(Error::corrupt("store", format!("{} problems, the first: {first}", self.problem_count)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use ostracon_data::{Mutation, RowBuffer};
    use rocksdb::WriteBatch;

    use super::*;
    use crate::{Durability, ScanSpec, Scanner, StatementOptions, StoreOptions, Table, TableSettings};

    fn store() -> (TabletStore, Table) {
        let store = TabletStore::in_memory(StoreOptions::default()).unwrap();
        let table = store.create_table("t", TableSettings::default()).unwrap();
        let mut statement = table.statement(StatementOptions::default()).unwrap();
        for row in ["a", "c"] {
            let mut mutation = Mutation::new(row);
            mutation.put("f", "q", "", "v");
            statement.write(mutation).unwrap();
        }
        statement.commit().unwrap();
        (store, table)
    }

    /// Puts bytes where no statement would.
    fn plant(store: &TabletStore, key: &[u8], value: &[u8]) {
        let mut batch = WriteBatch::default();
        batch.put(key, value);
        store.inner.engine.write(batch, Durability::Log).unwrap();
    }

    fn key(table: &Table, epoch: u64, row: &[u8], sequence: u64) -> Vec<u8> {
        let mut key = keys::prefix(table.id(), epoch).to_vec();
        keys::put_row_part(&mut key, row);
        keys::put_suffix(&mut key, sequence, 9);
        key
    }

    fn only_problem(store: &TabletStore) -> String {
        let report = store.check().unwrap();
        assert_eq!(report.problems.len(), 1, "{report:?}");
        assert!(report.clone().into_result().is_err());
        report.problems[0].clone()
    }

    /// Reads all rows; gives how many came before the error, and the error.
    fn scan(table: &Table, reverse: bool) -> (u32, Error) {
        let spec = ScanSpec { reverse, ..ScanSpec::default() };
        let mut scanner = Scanner::new(&table.version().unwrap(), &spec).unwrap();
        let mut rows = 0;
        loop {
            match scanner.next_row(&mut RowBuffer::new()) {
                Ok(true) => rows += 1,
                Ok(false) => panic!("the damage was not seen"),
                Err(error) => return (rows, error),
            }
        }
    }

    #[test]
    fn a_sound_store_is_clean() {
        let (store, _) = store();
        let report = store.check().unwrap();
        assert_eq!((report.tables, report.fragments, report.cells), (1, 2, 2));
        assert!(report.is_clean() && report.into_result().is_ok());
    }

    #[test]
    fn a_damaged_fragment_is_found_and_ends_a_scan() {
        let (store, table) = store();
        plant(&store, &key(&table, 1, b"b", 1), b"\x01nonsense");
        assert!(only_problem(&store).contains("\"b\""));
        for reverse in [false, true] {
            let (rows, error) = scan(&table, reverse);
            assert!(rows == 1 && matches!(error, Error::Fragment { .. }), "{rows}, {error}");
            assert!(error.to_string().contains("'t'") && error.to_string().contains("\"b\""), "{error}");
        }
        assert!(store.compact(None).is_err());
        assert!(store.table("t").is_ok(), "the table is as it was");
    }

    #[test]
    fn a_bad_label_at_rest_hides_its_cell() {
        let (store, table) = store();
        let mut mutation = Mutation::new("b");
        mutation.put("f", "q", "A&", "secret");
        let mut packed = Vec::new();
        ostracon_segment::fragment::encode(&mutation, 0, &mut packed);
        plant(&store, &key(&table, 1, b"b", 1), &packed);
        assert!(only_problem(&store).contains("label"));
        let mut scanner = Scanner::new(&table.version().unwrap(), &ScanSpec::default()).unwrap();
        let mut rows = 0;
        while scanner.next_row(&mut RowBuffer::new()).unwrap() {
            rows += 1;
        }
        assert_eq!(rows, 2);
    }

    #[test]
    fn keys_that_are_none_are_found_and_end_a_scan() {
        let (store, table) = store();
        // Shorter than any key, and between the two rows.
        let mut short = keys::prefix(table.id(), 1).to_vec();
        short.extend_from_slice(b"b");
        plant(&store, &short, b"");
        assert!(only_problem(&store).contains("too short"));
        for reverse in [false, true] {
            // It is met when the row before it ends, so not even that one is handed out.
            assert!(matches!(scan(&table, reverse), (0, Error::Corrupt { .. })));
        }
    }

    #[test]
    fn rows_that_are_not_escaped_are_found_and_end_a_scan() {
        let (store, table) = store();
        let mut bad = keys::prefix(table.id(), 1).to_vec();
        bad.extend_from_slice(b"b\0\x07 and so on");
        keys::put_suffix(&mut bad, 1, 0);
        plant(&store, &bad, b"");
        assert!(only_problem(&store).contains("escaped"));
        assert!(matches!(scan(&table, false), (1, Error::Corrupt { .. })));
    }

    #[test]
    fn strange_epochs_and_sequences_are_found() {
        let (store, table) = store();
        let mut packed = Vec::new();
        ostracon_segment::fragment::encode(&Mutation::new("b"), 0, &mut packed);
        plant(&store, &key(&table, 77, b"b", 1), &packed);
        assert!(only_problem(&store).contains("epoch 77"));
        let (store, table) = self::store();
        plant(&store, &key(&table, 1, b"b", 1 << 40), &packed);
        assert!(only_problem(&store).contains("never given"));
    }

    #[test]
    fn damaged_records_stop_the_start() {
        let folder = tempfile::tempdir().unwrap();
        let open = || TabletStore::open(folder.path(), StoreOptions::default());
        let store = open().unwrap();
        let table = store.create_table("t", TableSettings::default()).unwrap();
        plant(&store, &keys::table_key(table.id()), b"\x01\xFF\xFF");
        drop((store, table));
        assert!(matches!(open(), Err(Error::Corrupt { .. })));
        let engine = crate::engine::Engine::open(folder.path(), &StoreOptions::default()).unwrap();
        let mut batch = WriteBatch::default();
        batch.put(keys::FORMAT_KEY, 99u32.to_be_bytes());
        engine.write(batch, Durability::Log).unwrap();
        drop(engine);
        assert!(matches!(open(), Err(Error::NewerFormat { found: 99, .. })));
        let engine = crate::engine::Engine::open(folder.path(), &StoreOptions::default()).unwrap();
        let mut batch = WriteBatch::default();
        batch.delete(keys::FORMAT_KEY);
        engine.write(batch, Durability::Log).unwrap();
        drop(engine);
        assert!(matches!(open(), Err(Error::NotAStore { .. })), "it might be another program's");
    }
}
