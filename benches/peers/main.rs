//! The workloads W1 to W8 of `docs/performance.md` over TPC-H's lineitem, one JSON line each, as `scripts/bench-peers.py`
//! prints them for other systems. `make bench-peers` runs it; `docs/performance.md` says what each workload is.
//!
//! ```text
//! peers --data DIR --store DIR [--name ostracon] [--threads 1] [--cache-mb 4096] [--delta PERCENT] PHASE...
//! ```
//! The phases, done in the order in which they are named:
//! `load` makes the store from `DIR/lineitem.csv`; `compact` compacts it; `arrow` inserts batches that are in memory
//! already into a second table, and drops that; `delta` changes `--delta` percent of the rows, evenly spread, and leaves
//! them unmerged; `scans` asks W4, W5, W7 and W8; `keys` asks W2 and W3.
//!
//! Every answer is checked, at scale factor 1; a wrong one ends the run with an error.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program of its own prints its results")]

mod keys;
mod load;
mod measure;
mod options;
mod scans;
mod table;

use std::process::ExitCode;

use ostracon::tablets::StoreOptions;
use ostracon::{DataLocation, Session, SessionOptions};

use crate::measure::Report;
use crate::options::{Options, Phase};

/// Anything that ends the run.
pub(crate) type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let options = match Options::from_args(std::env::args().skip(1)) {
        Ok(Some(options)) => options,
        Ok(None) => {
            eprintln!("peers: no --data, nothing measured; see `make bench-peers`");
            return ExitCode::SUCCESS;
        }
        Err(problem) => {
            eprintln!("peers: {problem}");
            return ExitCode::from(2);
        }
    };
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("peers: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), Failure> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(options.threads).enable_all().build()?;
    if options.phases.contains(&Phase::Load) && options.store.exists() {
        return Err(format!("{} exists already; `load` makes a fresh store", options.store.display()).into());
    }
    let session = Session::open(SessionOptions {
        data: DataLocation::Path(options.store.clone()),
        settings: vec![("datafusion.execution.target_partitions".to_owned(), options.threads.to_string())],
        store: StoreOptions { block_cache_bytes: options.cache_bytes, ..StoreOptions::default() },
        ..SessionOptions::default()
    })?;
    let report = Report { peer: options.peer(), threads: options.threads };
    runtime.block_on(async {
        for phase in &options.phases {
            match phase {
                Phase::Load => load::csv(&session, options, &report).await?,
                Phase::Compact => load::compact(&session, options, &report)?,
                Phase::Arrow => load::arrow(&session, options, &report).await?,
                Phase::Delta => load::delta(&session, options, &report).await?,
                Phase::Scans => scans::run(&session, options, &report).await?,
                Phase::Keys => keys::run(&session, options, &report).await?,
            }
        }
        Ok(())
    })
}
