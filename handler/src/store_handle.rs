//! [`StoreHandle`]: a store that is opened when it is first needed, and made when it is first written.
//!
//! A session that only computes (`SELECT 1`) needs no folder. [`StoreHandle::existing`] opens what is there and makes
//! nothing; [`StoreHandle::create`] is for statements that write. Clones share one store.

use std::path::PathBuf;
use std::sync::Arc;

use ostracon_tablets::{Error, StoreOptions, TabletStore};
use parking_lot::Mutex;

use crate::error::Result;

/// Where a store keeps its data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DataLocation {
    /// A folder.
    Path(PathBuf),
    /// Nowhere: the store ends with its last handle.
    Memory,
}

/// A store, opened late.
#[derive(Debug, Clone)]
pub struct StoreHandle(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    location: DataLocation,
    options: StoreOptions,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    store: Option<TabletStore>,
    /// The folder was made by this handle and nobody has been told yet.
    made: Option<PathBuf>,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").field("open", &self.store.is_some()).finish_non_exhaustive()
    }
}

impl StoreHandle {
    /// A handle that has opened nothing yet. Whether a store is made is said by the calls, not by `options.create`.
    pub fn new(location: DataLocation, options: StoreOptions) -> Self {
        Self(Arc::new(Shared { location, options, state: Mutex::default() }))
    }

    /// A handle on a store that is open already.
    pub fn opened(store: TabletStore) -> Self {
        let state = State { store: Some(store), made: None };
        let shared = Shared {
            location: DataLocation::Memory,
            options: StoreOptions::default(),
            state: Mutex::new(state),
        };
        Self(Arc::new(shared))
    }

    /// Where the data are.
    pub fn location(&self) -> &DataLocation {
        &self.0.location
    }

    /// The store, if there is one; it is opened, never made.
    pub fn existing(&self) -> Result<Option<TabletStore>> {
        let mut state = self.0.state.lock();
        if let Some(store) = &state.store {
            return Ok(Some(store.clone()));
        }
        let store = match &self.0.location {
            DataLocation::Memory => return Ok(None),
            DataLocation::Path(path) => {
                match TabletStore::open(path, StoreOptions { create: false, ..self.0.options.clone() }) {
                    Ok(store) => store,
                    Err(Error::StoreNotFound { .. }) => return Ok(None),
                    Err(error) => return Err(error.into()),
                }
            }
        };
        state.store = Some(store.clone());
        Ok(Some(store))
    }

    /// The store; it is made if there is none.
    pub fn create(&self) -> Result<TabletStore> {
        if let Some(store) = self.existing()? {
            return Ok(store);
        }
        let mut state = self.0.state.lock();
        if let Some(store) = &state.store {
            return Ok(store.clone());
        }
        let options = StoreOptions { create: true, ..self.0.options.clone() };
        let store = match &self.0.location {
            DataLocation::Memory => TabletStore::in_memory(options)?,
            DataLocation::Path(path) => {
                let store = TabletStore::open(path, options)?;
                state.made = Some(path.clone());
                store
            }
        };
        state.store = Some(store.clone());
        Ok(store)
    }

    /// The folder that this handle has made since it was last asked.
    pub fn take_made(&self) -> Option<PathBuf> {
        self.0.state.lock().made.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_made_before_it_is_needed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data");
        let handle = StoreHandle::new(DataLocation::Path(path.clone()), StoreOptions::default());
        assert!(handle.existing().unwrap().is_none());
        assert!(!path.exists());
        assert_eq!(handle.take_made(), None);
        handle.create().unwrap();
        assert!(path.exists());
        assert!(handle.clone().existing().unwrap().is_some());
        assert_eq!(handle.take_made(), Some(path));
        assert_eq!(handle.take_made(), None);
    }

    #[test]
    fn a_store_in_memory_is_made_once() {
        let handle = StoreHandle::new(DataLocation::Memory, StoreOptions::default());
        assert!(handle.existing().unwrap().is_none());
        handle.create().unwrap().catalog_put("k", b"v").unwrap();
        let again = handle.clone().create().unwrap();
        assert_eq!(again.catalog_get("k").unwrap().as_deref(), Some(b"v".as_slice()));
    }
}
