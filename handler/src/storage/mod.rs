//! Storage handlers: what stands behind a table, in Hive's sense.
//!
//! [`StorageHandler`] is the seam: a *meta hook* around CREATE and DROP, the *decomposition* of filters, a *source* of
//! rows and a *sink* for them. [`StorageHandlerRegistry`] finds one by the word of `STORED AS`, the class of
//! `STORED BY`, or the name in the catalog. [`TabletStorageHandler`] is the one this crate brings; [`contract`] is the
//! suite that every implementor passes.
//!
//! Tables over plain files have no handler: DataFusion reads them itself.

pub mod contract;
mod settings;
mod tablet;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::logical_expr::Expr;
use datafusion::logical_expr::dml::InsertOp;
use datafusion::physical_plan::ExecutionPlan;
use ostracon_data::{Authorizations, RowRanges};
use parking_lot::RwLock;

pub use tablet::TabletStorageHandler;

use crate::catalog::HandledTable;
use crate::definition::{ColumnChange, ColumnSpec, TableDefinition};
use crate::error::{HandlerError, Result};
use crate::predicate::{DecomposedPredicate, Exactness, FilterVerdict, PushdownSettings};

/// A table that is to be made.
#[derive(Debug, Clone)]
pub struct CreateRequest {
    /// The SQL name.
    pub name: String,
    /// The columns, in order.
    pub columns: Vec<ColumnSpec>,
    /// The columns of the primary key, in order.
    pub primary_key: Vec<String>,
    /// Whether DROP is to keep what the table stands for.
    pub external: bool,
    /// Properties as written, in order.
    pub properties: Vec<(String, String)>,
    /// `LOCATION`, if one is given.
    pub location: Option<String>,
    /// The table of the same name that gives way (`OR REPLACE`). It is dropped when the new one is in the catalog, and
    /// stays if the new one fails.
    pub replaces: Option<HandledTable>,
}

/// Who asks: what a session may see.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionAccess {
    /// The labels the session reads with.
    pub authorizations: Authorizations,
    /// Whether the session may see counts that hidden cells could show in.
    pub admin: bool,
}

impl SessionAccess {
    /// The labels that the session reads a table with: its own, as far as the table's properties let it.
    pub fn authorizations_of(&self, table: &TableDefinition) -> Authorizations {
        match &table.properties.authorizations {
            Some(narrower) => self.authorizations.intersect(narrower),
            None => self.authorizations.clone(),
        }
    }
}

/// What `SHOW` and `DESCRIBE` tell of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct TableDescription {
    /// The columns with their places.
    pub columns: Vec<DescribedColumn>,
    /// The columns of the primary key, in order.
    pub primary_key: Vec<String>,
    /// The properties as written.
    pub properties: Vec<(String, String)>,
}

/// A column as `DESCRIBE` shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct DescribedColumn {
    /// Name, type, NOT NULL and default.
    pub spec: ColumnSpec,
    /// Where the values lie, in the handler's own words.
    pub stored_as: String,
}

/// Keeps tables for SQL.
///
/// # The meta hook
/// CREATE calls [`pre_create`](Self::pre_create), writes the catalog, and calls [`commit_create`](Self::commit_create);
/// if the catalog cannot be written it calls [`rollback_create`](Self::rollback_create) instead. `pre_create` checks
/// everything that a statement can get wrong (a bad property must fail here, and nowhere later) and may make what the
/// table stands for; nobody can see the table before the catalog has it. After `rollback_create` nothing of what
/// `pre_create` made is left. A crash may come between any two calls: `pre_create` meets what an earlier attempt left.
///
/// DROP calls [`pre_drop`](Self::pre_drop), which may refuse, removes the catalog's entry, and calls
/// [`commit_drop`](Self::commit_drop), which takes away what the table stood for unless it is to be kept.
///
/// # Reading and writing
/// [`source`](Self::source) gives a provider whose schema has the declared names and types in the declared order.
/// Whatever it claims as exact must give precisely the rows for which the filter is TRUE. It sees only what the
/// session may see, counts and errors included. [`sink`](Self::sink) plans a write of rows with that schema: all of
/// them or none, counted in one row of one column, `count`.
///
/// Methods may block for short I/O; they are called from async code that plans statements. All are safe to call from
/// several threads.
#[async_trait]
pub trait StorageHandler: Debug + Send + Sync {
    /// The names that find the handler, without regard to case. The first one is kept in the catalog.
    fn names(&self) -> &[&'static str];

    /// Checks a new table and describes it for the catalog.
    fn pre_create(&self, request: &CreateRequest) -> Result<HandledTable>;

    /// The catalog has the table.
    fn commit_create(&self, table: &HandledTable) -> Result<()>;

    /// The catalog could not take the table.
    fn rollback_create(&self, table: &HandledTable) -> Result<()>;

    /// The table is about to be dropped.
    fn pre_drop(&self, table: &HandledTable) -> Result<()>;

    /// The catalog no longer has the table.
    fn commit_drop(&self, table: &HandledTable) -> Result<()>;

    /// The table with a column added, dropped or renamed; the caller writes it to the catalog. Not offered by default.
    ///
    /// # Errors
    /// As [`crate::definition::TableDefinition::with_change`].
    fn alter_columns(&self, table: &HandledTable, change: &ColumnChange) -> Result<HandledTable> {
        let _ = change;
        Err(HandlerError::unsupported(format!(
            "the columns of tables of the storage handler {} cannot be altered",
            table.handler
        )))
    }

    /// The table with properties set and taken away; the caller writes it to the catalog.
    fn alter_properties(
        &self,
        table: &HandledTable,
        set: &[(String, String)],
        unset: &[String],
    ) -> Result<HandledTable>;

    /// Words for the user about what a statement's properties ask for in vain.
    fn warnings(&self, table: &HandledTable) -> Result<Vec<String>> {
        let _ = table;
        Ok(Vec::new())
    }

    /// What SHOW and DESCRIBE tell.
    fn describe(&self, table: &HandledTable) -> Result<TableDescription>;

    /// Which part of the filters the source answers, and how exactly: one verdict a filter, in their order. Pure: the
    /// same arguments, the same answer. By default nothing is answered.
    fn decompose(
        &self,
        table: &HandledTable,
        filters: &[Expr],
        settings: &PushdownSettings,
    ) -> Result<DecomposedPredicate> {
        let _ = settings;
        let verdict = |filter: &Expr| FilterVerdict {
            exactness: Exactness::Residual,
            text: filter.to_string(),
            reason: Some(format!("the storage handler {} answers no filters", table.handler)),
            in_ranges: false,
        };
        Ok(DecomposedPredicate {
            row_ranges: RowRanges::All,
            row_filter: None,
            filters: filters.iter().map(verdict).collect(),
            fixed_key_parts: 0,
            ranges_text: "FULL SCAN".to_owned(),
        })
    }

    /// The rows of a table as a session may see them.
    fn source(&self, table: &HandledTable, access: &SessionAccess) -> Result<Arc<dyn TableProvider>>;

    /// Plans a write of the rows that `input` gives. By default the source's own.
    async fn sink(
        &self,
        table: &HandledTable,
        access: &SessionAccess,
        state: &dyn Session,
        input: Arc<dyn ExecutionPlan>,
        op: InsertOp,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self.source(table, access)?.insert_into(state, input, op).await?)
    }
}

/// The storage handlers of a session, by name.
#[derive(Debug, Clone, Default)]
pub struct StorageHandlerRegistry(Arc<RwLock<BTreeMap<String, Arc<dyn StorageHandler>>>>);

impl StorageHandlerRegistry {
    /// A registry without handlers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a handler under all of its names; fails if one of them is taken.
    pub fn register(&self, handler: Arc<dyn StorageHandler>) -> Result<()> {
        let mut handlers = self.0.write();
        let names: Vec<String> = handler.names().iter().map(|name| name.to_uppercase()).collect();
        if names.is_empty() {
            return Err(HandlerError::invalid("a storage handler needs a name"));
        }
        if let Some(taken) = names.iter().find(|name| handlers.contains_key(*name)) {
            return Err(HandlerError::new(
                crate::error::ErrorKind::AlreadyExists,
                format!("there is a storage handler {taken} already; register each once"),
            ));
        }
        for name in names {
            handlers.insert(name, Arc::clone(&handler));
        }
        Ok(())
    }

    /// The handler of a name, case aside.
    pub fn get(&self, name: &str) -> Option<Arc<dyn StorageHandler>> {
        self.0.read().get(&name.to_uppercase()).cloned()
    }

    /// The handler of a name that must be known.
    pub fn require(&self, name: &str) -> Result<Arc<dyn StorageHandler>> {
        self.get(name).ok_or_else(|| {
            let handlers = self.0.read();
            let known: BTreeSet<&str> =
                handlers.values().flat_map(|handler| handler.names()).copied().collect();
            let hint = match crate::suggest::nearest(name, known.iter().copied()) {
                Some(near) => format!("did you mean {near}?"),
                None => format!("known are {}", known.into_iter().collect::<Vec<_>>().join(", ")),
            };
            HandlerError::new(
                crate::error::ErrorKind::NotFound,
                format!("there is no storage handler {name}; {hint}"),
            )
        })
    }
}
