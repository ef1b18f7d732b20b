//! [`TabletTableProvider`]: a tablet table as DataFusion's planner sees it.
//!
//! One instance serves one session: it knows the session's labels, and takes a fresh version of the table for every
//! scan. Which filters it answers is decided by [`decompose`] alone, once when the planner asks
//! (`supports_filters_pushdown`) and once when the scan is made. The first question comes without a session, so it is
//! answered as if pushdown were on; where the session has turned it off, or the whole set of filters leaves less exact
//! than each filter alone promised, the scan brings its own `FilterExec`, and no promise is broken.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, Constraint, Constraints, DFSchema};
use datafusion::error::Result;
use datafusion::execution::SessionStateBuilder;
use datafusion::logical_expr::dml::InsertOp;
use datafusion::logical_expr::utils::conjunction;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::filter::FilterExecBuilder;
use ostracon_data::Authorizations;
use ostracon_tablets::TabletStore;

use crate::definition::{RowIdLayout, TableDefinition};
use crate::error::HandlerError;
use crate::predicate::{Exactness, PushdownSettings, decompose};
use crate::scan::{
    Pushed, ScanPieces, ScanRequest, Snapshot, StatementVersions, TabletScanExec, WriteVersion,
};
use crate::settings::OstraconSettings;
use crate::storage::SessionAccess;
use crate::write::{InsertSink, TabletWriteExec, TruncateSink};

/// A tablet table in one session.
#[derive(Debug, Clone)]
pub struct TabletTableProvider {
    definition: Arc<TableDefinition>,
    store: TabletStore,
    access: SessionAccess,
    schema: SchemaRef,
    constraints: Option<Constraints>,
    defaults: HashMap<String, Expr>,
}

impl TabletTableProvider {
    /// The provider of a table for a session.
    pub fn try_new(
        definition: TableDefinition,
        store: TabletStore,
        access: SessionAccess,
    ) -> crate::error::Result<Self> {
        let mut defaults = HashMap::new();
        for column in &definition.columns {
            if let Some(sql) = &column.default {
                defaults
                    .insert(column.name.clone(), default_expression(&definition.name, &column.name, sql)?);
            }
        }
        Ok(Self {
            schema: definition.arrow_schema(),
            constraints: primary_key(&definition),
            definition: Arc::new(definition),
            store,
            access,
            defaults,
        })
    }

    /// What the table is.
    pub fn definition(&self) -> &Arc<TableDefinition> {
        &self.definition
    }

    /// The store that keeps it.
    pub fn store(&self) -> &TabletStore {
        &self.store
    }

    /// The labels that this session reads the table with.
    pub fn authorizations(&self) -> Authorizations {
        self.access.authorizations_of(&self.definition)
    }

    fn pushdown_settings(settings: &OstraconSettings) -> PushdownSettings {
        PushdownSettings { enabled: settings.iterator_pushdown, ..PushdownSettings::default() }
    }

    /// What `supports_filters_pushdown` has promised of a filter.
    fn promised(&self, filter: &Expr) -> TableProviderFilterPushDown {
        if asks_elsewhere(filter) {
            return TableProviderFilterPushDown::Unsupported;
        }
        let settings = Self::pushdown_settings(&OstraconSettings::default());
        let alone = decompose([filter], &self.definition, &settings);
        let exact = alone.filters.iter().all(|verdict| verdict.exactness == Exactness::Exact);
        // A filter that stays above is still passed down, so that the scan can show it.
        if exact { TableProviderFilterPushDown::Exact } else { TableProviderFilterPushDown::Inexact }
    }

    /// Plans a scan. `projection` counts the hidden columns after the table's own.
    pub(crate) fn plan_scan(
        &self,
        state: &dyn Session,
        projection: Vec<usize>,
        filters: &[Expr],
        limit: Option<usize>,
        write: Option<WriteVersion>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let settings = OstraconSettings::of(state.config_options());
        let pushdown = settings.iterator_pushdown && self.definition.properties.iterator_pushdown;
        let predicate = decompose(filters, &self.definition, &Self::pushdown_settings(&settings));
        let mut above = Vec::new();
        for (index, filter) in filters.iter().enumerate() {
            let exact =
                predicate.filters.get(index).is_some_and(|verdict| verdict.exactness == Exactness::Exact);
            if !exact && self.promised(filter) == TableProviderFilterPushDown::Exact {
                above.push(filter.clone());
            }
        }
        let all_exact = predicate.filters.iter().all(|verdict| verdict.exactness == Exactness::Exact);
        let limit = limit.filter(|_| all_exact);
        let table = self.store.table(&self.definition.store_table).map_err(HandlerError::from)?;
        let version = match state.config().get_extension::<StatementVersions>() {
            Some(versions) => versions.of(&table)?,
            None => table.version().map_err(HandlerError::from)?,
        };
        let pieces = ScanPieces::of(&version, state.config().target_partitions());
        let rows = version.approximate_rows();
        let snapshot = match write {
            Some(write) => Snapshot::OfWrite(write),
            None => Snapshot::At(version),
        };
        let scan = |projection: Vec<usize>| {
            let request = ScanRequest::new(
                Arc::clone(&self.definition),
                projection,
                Pushed { predicate: predicate.clone(), at_run_time: pushdown },
                SessionAccess { authorizations: self.authorizations(), ..self.access.clone() },
                snapshot.clone(),
                rows,
            );
            TabletScanExec::try_new(request, &pieces, limit)
        };
        let Some(filter) = conjunction(above) else {
            return Ok(Arc::new(scan(projection)?));
        };
        // The filter may need columns that nobody above asked for.
        let mut wider = projection.clone();
        for column in filter.column_refs() {
            let position = self.definition.column_index(&column.name);
            wider.extend(position.filter(|position| !wider.contains(position)));
        }
        let scan = scan(wider)?;
        let filter = unqualified(filter)?;
        let schema = DFSchema::try_from(scan.schema().as_ref().clone())?;
        let filter = state.create_physical_expr(filter, &schema)?;
        let kept: Vec<usize> = (0..projection.len()).collect();
        let filtered =
            FilterExecBuilder::new(filter, Arc::new(scan)).apply_projection(Some(kept))?.build()?;
        Ok(Arc::new(filtered))
    }
}

/// Whether a filter asks more than the row: a subquery, or a column of an outer query.
fn asks_elsewhere(filter: &Expr) -> bool {
    filter
        .exists(|part| {
            Ok(matches!(
                part,
                Expr::ScalarSubquery(_)
                    | Expr::InSubquery(_)
                    | Expr::Exists(_)
                    | Expr::SetComparison(_)
                    | Expr::OuterReferenceColumn(..)
                    | Expr::Placeholder(_)
            ))
        })
        .unwrap_or(true)
}

/// The same expression over the columns of one table.
fn unqualified(expression: Expr) -> Result<Expr> {
    use datafusion::common::tree_node::Transformed;
    let stripped = expression.transform(|part| match part {
        Expr::Column(column) if column.relation.is_some() => {
            Ok(Transformed::yes(Expr::Column(Column::new_unqualified(column.name))))
        }
        other => Ok(Transformed::no(other)),
    })?;
    Ok(stripped.data)
}

/// The key is a constraint the optimizer may rely on only where nobody else can have written the rows.
fn primary_key(definition: &TableDefinition) -> Option<Constraints> {
    match &definition.row_id {
        RowIdLayout::Native { columns, .. } if definition.keys_are_trusted() => {
            Some(Constraints::new_unverified(vec![Constraint::PrimaryKey(columns.clone())]))
        }
        _ => None,
    }
}

/// The expression of a DEFAULT, over no columns.
pub(crate) fn default_expression(table: &str, column: &str, sql: &str) -> crate::error::Result<Expr> {
    static PLANNER: OnceLock<datafusion::execution::SessionState> = OnceLock::new();
    let planner = PLANNER.get_or_init(|| SessionStateBuilder::new().with_default_features().build());
    let planned = planner.create_logical_expr(sql, &DFSchema::empty());
    let expression = planned.map_err(|error| {
        let error = HandlerError::from(error);
        HandlerError { message: format!("table {table}, DEFAULT of {column}: {}", error.message), ..error }
    })?;
    let mut of_a_column = false;
    expression
        .apply(|part| {
            of_a_column |= matches!(part, Expr::Column(_));
            Ok(TreeNodeRecursion::Continue)
        })
        .map_err(HandlerError::from)?;
    if of_a_column {
        return Err(HandlerError::invalid(format!(
            "table {table}, DEFAULT of {column}: it may not use columns"
        )));
    }
    Ok(expression)
}

#[async_trait]
impl TableProvider for TabletTableProvider {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn constraints(&self) -> Option<&Constraints> {
        self.constraints.as_ref()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn get_column_default(&self, column: &str) -> Option<&Expr> {
        self.defaults.get(column)
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        Ok(filters.iter().map(|filter| self.promised(filter)).collect())
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let projection = projection.cloned().unwrap_or_else(|| (0..self.definition.columns.len()).collect());
        self.plan_scan(state, projection, filters, limit, None)
    }

    async fn insert_into(
        &self,
        state: &dyn Session,
        input: Arc<dyn ExecutionPlan>,
        op: InsertOp,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let sink = InsertSink::try_new(self, None, op, &OstraconSettings::of(state.config_options()))?;
        Ok(Arc::new(TabletWriteExec::new(input, Arc::new(sink))))
    }

    async fn delete_from(&self, _state: &dyn Session, _filters: Vec<Expr>) -> Result<Arc<dyn ExecutionPlan>> {
        Err(without_rule("DELETE"))
    }

    async fn update(
        &self,
        _state: &dyn Session,
        _assignments: Vec<(String, Expr)>,
        _filters: Vec<Expr>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Err(without_rule("UPDATE"))
    }

    async fn truncate(&self, _state: &dyn Session) -> Result<Arc<dyn ExecutionPlan>> {
        use datafusion::physical_plan::empty::EmptyExec;
        let nothing = Arc::new(EmptyExec::new(self.schema()));
        Ok(Arc::new(TabletWriteExec::new(nothing, Arc::new(TruncateSink::try_new(self)?))))
    }
}

/// DataFusion hands these hooks the filters it could find in the optimized plan, without sub-queries and joins; rows
/// that were not meant would go. The analyzer rule of [`crate::dml`] plans both from the whole statement instead.
fn without_rule(statement: &str) -> datafusion::error::DataFusionError {
    HandlerError::unsupported(format!(
        "{statement} of a tablet table needs the rules of ostracon_handler::register in the SessionContext; call it once"
    ))
    .into()
}
