//! Where a rewritten statement puts its rows: providers that are only ever inserted into.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::error::Result;
use datafusion::logical_expr::dml::InsertOp;
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_plan::ExecutionPlan;

use crate::error::HandlerError;
use crate::provider::TabletTableProvider;
use crate::settings::OstraconSettings;
use crate::write::{DeleteSink, InsertSink, TabletWriteExec, UpdateSink, WriteSink};

/// What becomes of the rows.
#[derive(Debug, Clone)]
pub(super) enum Change {
    /// They are deleted.
    Delete,
    /// They get new values in these columns.
    Update {
        /// The columns that the statement assigns.
        assigned: Vec<usize>,
        /// Whether a row may come more than once.
        joined: bool,
    },
    /// They are inserted, and the statement names only these columns.
    Insert {
        /// The columns named.
        named: Vec<usize>,
    },
}

/// A tablet table as the target of one rewritten statement.
#[derive(Debug)]
pub(super) struct ChangeTarget {
    table: TabletTableProvider,
    change: Change,
}

impl ChangeTarget {
    pub(super) fn new(table: TabletTableProvider, change: Change) -> Self {
        Self { table, change }
    }
}

#[async_trait]
impl TableProvider for ChangeTarget {
    fn schema(&self) -> SchemaRef {
        self.table.schema()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        _state: &dyn Session,
        _projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        _limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Err(HandlerError::internal("the target of a statement was read").into())
    }

    async fn insert_into(
        &self,
        state: &dyn Session,
        input: Arc<dyn ExecutionPlan>,
        op: InsertOp,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let sink: Arc<dyn WriteSink> = match &self.change {
            Change::Delete => Arc::new(DeleteSink::try_new(&self.table)?),
            Change::Update { assigned, joined } => {
                Arc::new(UpdateSink::try_new(&self.table, assigned.clone(), *joined)?)
            }
            Change::Insert { named } => {
                let settings = OstraconSettings::of(state.config_options());
                Arc::new(InsertSink::try_new(&self.table, Some(named.clone()), op, &settings)?)
            }
        };
        Ok(Arc::new(TabletWriteExec::new(input, sink)))
    }
}
