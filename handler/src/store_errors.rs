//! From the store's errors to [`HandlerError`].

use ostracon_iterators::Error as IteratorError;
use ostracon_tablets::Error as StoreError;

use crate::error::{ErrorKind, HandlerError};

impl From<StoreError> for HandlerError {
    fn from(error: StoreError) -> Self {
        let kind = match &error {
            StoreError::StoreNotFound { .. } | StoreError::TableNotFound { .. } => ErrorKind::NotFound,
            StoreError::TableExists { .. } => ErrorKind::AlreadyExists,
            StoreError::NotAStore { .. } | StoreError::Invalid { .. } | StoreError::BadLabel { .. } => {
                ErrorKind::Invalid
            }
            StoreError::NewerFormat { .. } => ErrorKind::Unsupported,
            StoreError::TooLarge { .. } => ErrorKind::Resource,
            StoreError::Corrupt { .. } | StoreError::Fragment { .. } | StoreError::BadWire { .. } => {
                ErrorKind::Corrupt
            }
            StoreError::Iterator(inner) => iterator_kind(inner),
            StoreError::Io { source, .. } => match source.kind() {
                std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => ErrorKind::Resource,
                _ => ErrorKind::Unavailable,
            },
            StoreError::WorkerLost => ErrorKind::Internal,
            _ => ErrorKind::Unavailable,
        };
        let message = error.to_string();
        HandlerError::new(kind, message).with_source(error)
    }
}

/// Iterators fail over what is stored, over how they were set up, or by a fault of whoever built them.
fn iterator_kind(error: &IteratorError) -> ErrorKind {
    match error {
        IteratorError::InvalidFilter(_) | IteratorError::Misuse(_) => ErrorKind::Internal,
        IteratorError::RowTooLarge { .. } => ErrorKind::Resource,
        IteratorError::CorruptRow { .. } => ErrorKind::Corrupt,
        IteratorError::Source(_) => ErrorKind::Unavailable,
        _ => ErrorKind::Invalid,
    }
}
