//! The plan of a statement, what it was made under, and the templates made of it.

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::common::config::ConfigOptions;
use datafusion::logical_expr::{LogicalPlan, Statement as PlanStatement};
use ostracon_tablets::TabletStore;
use parking_lot::Mutex;

use super::parameter::{self, Parameter};
use super::template::Template;
use super::{bind, recognise};
use crate::error::{HandlerError, Result};
use crate::execute::StatementExecutor;
use crate::predicate::PushdownSettings;
use crate::settings::OstraconSettings;

/// As many kinds of values are remembered, each with its template.
const KEPT_KINDS: usize = 8;

/// A plan with parameters.
#[derive(Debug)]
pub(super) struct Planned {
    made_under: Circumstances,
    pub(super) plan: LogicalPlan,
    pub(super) parameters: Vec<Parameter>,
    /// Whether everything that the plan depends on is known to be unchanged when the circumstances are.
    keepable: bool,
    /// Whether a template may be made: the plan reads, and does not look at the time.
    simple: bool,
    kinds: Mutex<Vec<Arc<Kind>>>,
}

/// The statement with values of certain types.
#[derive(Debug)]
pub(super) struct Kind {
    types: Vec<DataType>,
    pub(super) template: Option<Template>,
}

/// What a plan depends on beside its text.
#[derive(Debug, Clone)]
pub(super) struct Circumstances {
    /// `None`: there is no store yet.
    pub(super) store: Option<TabletStore>,
    catalog_changes: Option<u64>,
    /// Held, so that a change of a setting makes new options instead of changing these.
    options: Arc<ConfigOptions>,
}

impl Circumstances {
    pub(super) fn now(executor: &StatementExecutor) -> Result<Self> {
        let store = executor.catalog().store().existing()?;
        let catalog_changes = store.as_ref().map(TabletStore::catalog_changes);
        let options = Arc::clone(executor.context().state_ref().read().config_options());
        Ok(Self { store, catalog_changes, options })
    }

    fn are_those_of(&self, other: &Self) -> bool {
        self.catalog_changes == other.catalog_changes && Arc::ptr_eq(&self.options, &other.options)
    }
}

impl Planned {
    /// Takes over the plan that DataFusion made of a statement under `circumstances`.
    ///
    /// # Errors
    /// `Unsupported` if it is no statement to be prepared.
    pub(super) fn new(
        circumstances: Circumstances,
        plan: LogicalPlan,
        parameters: usize,
        types_declared: bool,
    ) -> Result<Self> {
        let (plan, declared) = match plan {
            LogicalPlan::Statement(PlanStatement::Prepare(prepare)) => {
                let types = prepare.fields.iter().map(|field| field.data_type().clone());
                let declared: Vec<DataType> = if types_declared { types.collect() } else { Vec::new() };
                if types_declared && declared.len() != parameters {
                    return Err(HandlerError::invalid(format!(
                        "PREPARE declares {} types, the statement has {parameters} parameters",
                        declared.len()
                    )));
                }
                (Arc::unwrap_or_clone(prepare.input), declared)
            }
            plan => (plan, Vec::new()),
        };
        if matches!(plan, LogicalPlan::Ddl(_) | LogicalPlan::Statement(_) | LogicalPlan::Copy(_)) {
            return Err(not_prepared());
        }
        let reads = !matches!(plan, LogicalPlan::Dml(_) | LogicalPlan::Explain(_) | LogicalPlan::Analyze(_));
        Ok(Self {
            parameters: parameter::of_plan(&plan, parameters, &declared),
            keepable: recognise::reads_only_tablets(&plan),
            simple: reads && recognise::is_timeless(&plan),
            made_under: circumstances,
            plan,
            kinds: Mutex::default(),
        })
    }

    /// Whether the plan is what would be made of the statement now.
    pub(super) fn is_current(&self, circumstances: &Circumstances) -> bool {
        self.keepable && self.made_under.are_those_of(circumstances)
    }

    /// What is known of the statement with values like these.
    ///
    /// # Errors
    /// `Invalid` if such values do not fit where the parameters stand.
    pub(super) fn kind(&self, executor: &StatementExecutor, values: &[ScalarValue]) -> Result<Arc<Kind>> {
        if let Some(kind) = self.kinds.lock().iter().find(|kind| kind.is_of(values)) {
            return Ok(Arc::clone(kind));
        }
        let types: Vec<DataType> = values.iter().map(ScalarValue::data_type).collect();
        let template = if self.simple && self.keepable { self.template(executor, &types)? } else { None };
        let kind = Arc::new(Kind { types, template });
        let mut kinds = self.kinds.lock();
        if kinds.len() == KEPT_KINDS {
            kinds.remove(0);
        }
        kinds.push(Arc::clone(&kind));
        Ok(kind)
    }

    fn template(&self, executor: &StatementExecutor, types: &[DataType]) -> Result<Option<Template>> {
        let state = executor.context().state();
        let settings = OstraconSettings::of(state.config_options());
        let pushdown =
            PushdownSettings { enabled: settings.iterator_pushdown, ..PushdownSettings::default() };
        let optimised = state.optimize(&bind::types_into(&self.plan, types)?)?;
        Template::of(&optimised, pushdown, executor.access(), executor.idle_scans())
    }
}

impl Kind {
    fn is_of(&self, values: &[ScalarValue]) -> bool {
        self.types.len() == values.len()
            && self.types.iter().zip(values).all(|(data_type, value)| *data_type == value.data_type())
    }
}

pub(crate) fn not_prepared() -> HandlerError {
    HandlerError::unsupported(
        "this statement cannot be prepared; queries, INSERT, UPDATE, DELETE and EXPLAIN of them can",
    )
}
