//! The tablet server through its public interface. One binary, since each one links RocksDB.

mod basics;
mod faults;
mod harness;
mod kill;
mod locks;
mod maintenance;
mod model;
mod operations;
mod parallel;
mod snapshots;
