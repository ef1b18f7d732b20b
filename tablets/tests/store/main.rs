//! The tablet server through its public interface. One binary, since each one links RocksDB.

// A test that cannot go on fails; the workspace's lints are for code that users reach.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod background;
mod basics;
mod faults;
mod harness;
mod kill;
mod locks;
mod maintenance;
mod model;
mod operations;
mod parallel;
mod pieces;
mod points;
mod segments;
mod snapshots;
