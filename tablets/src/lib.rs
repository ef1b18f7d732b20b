//! The embedded tablet server: sorted, versioned, label-guarded tables on RocksDB.
//!
//! Principal types, in the order data meets them:
//!
//! 1. [`TabletStore`]: an open store; creates and finds tables, keeps the catalogs of the layers above,
//! 2. [`Table`]: a handle to a table,
//! 3. [`Statement`]: an atomic change of any size, made of [`Mutation`](ostracon_data::Mutation)s; [`BatchWriter`] for many
//!    independent ones, [`RowLocks`] for read-modify-write by key,
//! 4. [`Version`]: one consistent state of a table, for as long as it is held,
//! 5. [`ScanSpec`]: all that a scan is, as data ([`wire`] is its form between processes),
//! 6. [`Scanner`] (ordered rows), [`PointReader`] (rows by id), [`BatchScanner`] (parallel, unordered), [`CellScanner`]
//!    (single cells).
//!
//! ```
//! use ostracon_data::{Mutation, RowBuffer};
//! use ostracon_tablets::{ScanSpec, Scanner, StatementOptions, StoreOptions, TableSettings, TabletStore};
//!
//! let store = TabletStore::in_memory(StoreOptions::default())?;
//! let table = store.create_table("people", TableSettings::default())?;
//!
//! let mut statement = table.statement(StatementOptions::default())?;
//! let mut mutation = Mutation::new("ada");
//! mutation.put("person", "name", "", "Ada Lovelace");
//! statement.write(mutation)?;
//! statement.commit()?;
//!
//! let mut scanner = Scanner::new(&table.version()?, &ScanSpec::default())?;
//! let mut row = RowBuffer::new();
//! assert!(scanner.next_row(&mut row)?);
//! assert_eq!(row.find(b"person", b"name").map(|cell| cell.value), Some(&b"Ada Lovelace"[..]));
//! # Ok::<(), ostracon_tablets::Error>(())
//! ```
//!
//! How commits, versions and epochs keep readers and writers out of each other's way is told in `statement`, `version`
//! and `directory`; what a crash leaves, in `store`; the bytes of keys, in `keys`.
//!
//! What this crate does not do: it knows no SQL types, no column mapping and no DataFusion; it has no network; one
//! process opens a store at a time.

mod background;
mod batch_writer;
mod check;
mod clock;
mod compact;
mod directory;
mod engine;
mod epoch_writer;
mod error;
mod estimate;
mod fail;
mod keys;
mod lock;
mod maintenance;
mod options;
mod scan;
mod segment_sink;
mod sequencer;
mod sources;
mod statement;
mod store;
mod table;
mod version;
pub mod wire;

pub use background::{BackgroundCompaction, CompactionStatistics};
pub use batch_writer::BatchWriter;
pub use check::CheckReport;
pub use clock::{Clock, ManualClock, SystemClock};
pub use compact::CompactionProgress;
pub use error::{Error, Result};
pub use fail::FailPoints;
pub use maintenance::{DiskUsage, TabletInfo};
pub use options::{Durability, StoreOptions, TableSettings};
pub use scan::{
    BatchScanner, CellScanner, ColumnFilter, ColumnSelection, Piece, PointReader, ScanMetrics, ScanSpec,
    Scanner, SegmentHits,
};
pub use statement::{CommitSummary, MAX_MUTATION_BYTES, MAX_ROW_BYTES, Statement, StatementOptions};
pub use store::TabletStore;
pub use table::{RowLocks, Table};
pub use version::Version;
