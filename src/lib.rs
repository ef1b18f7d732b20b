//! Ostracon: a storage handler for Apache DataFusion over an embedded tablet store.
//!
//! [`Session`] is the door for programs: it opens a store (a folder, or memory), runs SQL and gives Arrow batches.
//!
//! ```
//! use futures::TryStreamExt;
//! use ostracon::{DataLocation, Session, SessionOptions, StatementOutcome};
//!
//! # async fn run() -> ostracon::Result<()> {
//! let session = Session::open(SessionOptions { data: DataLocation::Memory, ..SessionOptions::default() })?;
//! session.execute("CREATE TABLE events (id BIGINT PRIMARY KEY, kind VARCHAR)").await?;
//! session.execute("INSERT INTO events VALUES (1, 'start'), (2, 'stop')").await?;
//! if let StatementOutcome::Rows { stream, .. } = session.execute("SELECT kind FROM events WHERE id = 2").await? {
//!     let batches: Vec<_> = stream.try_collect().await.map_err(ostracon::Error::from)?;
//!     assert_eq!(batches.iter().map(|batch| batch.num_rows()).sum::<usize>(), 1);
//! }
//! # Ok(())
//! # }
//! # tokio::runtime::Runtime::new().unwrap().block_on(run()).unwrap();
//! ```
//!
//! Those who have a DataFusion program of their own put the store into it with [`handler::register`]. The layers below
//! are re-exported by name: [`handler`] (storage handlers), [`tablets`] (the store), [`iterators`], [`compare`] and
//! [`data`].
//!
//! This crate wires parts; it owns no logic.

mod pig_script;
mod pig_tables;
mod session;

pub use ostracon_compare as compare;
pub use ostracon_data as data;
pub use ostracon_handler as handler;
pub use ostracon_iterators as iterators;
pub use ostracon_pig as pig;
pub use ostracon_piglatin as piglatin;
pub use ostracon_tablets as tablets;

pub use ostracon_data::Authorizations;
pub use ostracon_handler::execute::StatementOutcome;
pub use ostracon_handler::lookup::{Row, Rows, TableReader};
pub use ostracon_handler::prepared::{Parameter, Prepared};
pub use ostracon_handler::statement::{ScriptStatement, parse_script};
pub use ostracon_handler::store_handle::DataLocation;
pub use ostracon_handler::{ErrorKind, HandlerError as Error, Result};
pub use session::{Notice, Session, SessionOptions};
