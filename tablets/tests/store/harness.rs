//! Short words for what every test does.

use std::sync::Arc;

use ostracon_data::{Authorizations, Mutation, RowBuffer};
use ostracon_tablets::{
    Durability, ManualClock, ScanSpec, Scanner, StatementOptions, StoreOptions, Table, TableSettings,
    TabletStore,
};

/// One cell: family, qualifier, label, timestamp, value.
pub(crate) type Cell = (Vec<u8>, Vec<u8>, Vec<u8>, i64, Vec<u8>);

/// A row and its cells in the order they are handed out.
pub(crate) type Row = (Vec<u8>, Vec<Cell>);

/// Options with a clock that stands at 1000, and no waiting for the disk.
pub(crate) fn options() -> (StoreOptions, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::new(1000));
    (StoreOptions { clock: clock.clone(), durability: Durability::Log, ..StoreOptions::default() }, clock)
}

pub(crate) fn memory() -> TabletStore {
    TabletStore::in_memory(options().0).unwrap()
}

pub(crate) fn table(store: &TabletStore) -> Table {
    store.create_table("t", TableSettings::default()).unwrap()
}

/// `family:qualifier` in one text; no label.
pub(crate) fn put(row: &str, column: &str, value: &str) -> Mutation {
    put_as(row, column, "", value)
}

pub(crate) fn put_as(row: &str, column: &str, label: &str, value: &str) -> Mutation {
    let (family, qualifier) = column.split_once(':').unwrap();
    let mut mutation = Mutation::new(row);
    mutation.put(family, qualifier, label, value);
    mutation
}

pub(crate) fn write(table: &Table, mutations: impl IntoIterator<Item = Mutation>) -> u64 {
    let mut statement = table.statement(StatementOptions::default()).unwrap();
    for mutation in mutations {
        statement.write(mutation).unwrap();
    }
    statement.commit().unwrap().sequence
}

pub(crate) fn drain(mut scanner: Scanner) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut buffer = RowBuffer::new();
    while scanner.next_row(&mut buffer).unwrap() {
        rows.push(owned(&buffer));
    }
    assert!(buffer.is_empty() && buffer.row().is_empty(), "the end leaves nothing behind");
    assert!(!scanner.next_row(&mut buffer).unwrap(), "the end stays the end");
    rows
}

pub(crate) fn owned(buffer: &RowBuffer) -> Row {
    let cell = |cell: ostracon_data::CellRef<'_>| {
        let [family, qualifier, label, value] =
            [cell.family, cell.qualifier, cell.visibility, cell.value].map(<[u8]>::to_vec);
        (family, qualifier, label, cell.timestamp, value)
    };
    (buffer.row().to_vec(), buffer.cells().map(cell).collect())
}

pub(crate) fn scan(table: &Table, spec: &ScanSpec) -> Vec<Row> {
    drain(Scanner::new(&table.version().unwrap(), spec).unwrap())
}

/// Each row as `row family:qualifier=value ...`.
pub(crate) fn lines(table: &Table, spec: &ScanSpec) -> Vec<String> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let line = |(row, cells): &Row| {
        let cells = cells.iter().map(|(family, qualifier, _, _, value)| {
            format!(" {}:{}={}", text(family), text(qualifier), text(value))
        });
        text(row) + &cells.collect::<String>()
    };
    scan(table, spec).iter().map(line).collect()
}

/// All rows that an unlabelled session sees.
pub(crate) fn all(table: &Table) -> Vec<String> {
    lines(table, &ScanSpec::default())
}

pub(crate) fn labels(labels: &[&str]) -> ScanSpec {
    ScanSpec { authorizations: Authorizations::new(labels.iter().copied()), ..ScanSpec::default() }
}
