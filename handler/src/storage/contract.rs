//! The contract suite of storage handlers.
