//! Finds aggregates that the store can compute in part.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Schema};
use datafusion::functions_aggregate::{average, count, min_max, sum};
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_expr::expressions::{CastExpr, Literal};
use datafusion::physical_expr::{Partitioning, PhysicalExpr};
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::{
    ChildrenPropertiesMode, ExecutionPlan, InputOrderMode, ReplaceChildrenOptions,
};

use super::compile::{Compiled, Compiler};
use super::groups;
use super::kernel::{Extreme, Measures, Sum};
use super::numbers;
use super::spec::{AggregateSpec, ROWS, State, TextExtreme};
use crate::scan::TabletScanExec;

/// A scan under projections, as an aggregate reads it.
#[derive(Debug)]
pub(super) struct Chain {
    /// From the aggregate down to the scan.
    pub(super) projections: Vec<ProjectionExec>,
    pub(super) scan: TabletScanExec,
}

impl Chain {
    /// What an aggregate reads, if it is a scan under nothing but projections. A repartitioning that only spreads work
    /// is passed over: the scan's own partitions do the work.
    fn under(plan: &Arc<dyn ExecutionPlan>) -> Option<Self> {
        let mut projections = Vec::new();
        let mut plan = plan;
        loop {
            if let Some(scan) = plan.downcast_ref::<TabletScanExec>() {
                return Some(Self { projections, scan: scan.clone() });
            }
            plan = if let Some(projection) = plan.downcast_ref::<ProjectionExec>() {
                projections.push(projection.clone());
                projection.input()
            } else {
                let repartition = plan.downcast_ref::<RepartitionExec>()?;
                let spreads = matches!(repartition.partitioning(), Partitioning::RoundRobinBatch(_));
                if !spreads {
                    return None;
                }
                repartition.input()
            };
        }
    }

    /// The projections over another leaf.
    pub(super) fn over(
        &self,
        leaf: Arc<dyn ExecutionPlan>,
    ) -> datafusion::error::Result<Arc<dyn ExecutionPlan>> {
        self.projections.iter().rev().try_fold(leaf, |plan, projection| {
            let above: Arc<dyn ExecutionPlan> = Arc::new(projection.clone());
            above.replace_children(vec![plan], ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
        })
    }
}

/// The scan under an aggregate, and what a partial aggregate has to compute of it; `None` if the aggregate is to stay as
/// it is. `partial` is the schema of its partial states.
pub(super) fn recognise(aggregate: &AggregateExec, partial: &Schema) -> Option<(Chain, AggregateSpec)> {
    let plain = aggregate.limit_options().is_none()
        // Groups that come in order are done with one after the other.
        && *aggregate.input_order_mode() == InputOrderMode::Linear
        && aggregate.filter_expr().iter().all(Option::is_none)
        && aggregate.group_expr().is_single()
        && !aggregate.group_expr().has_grouping_set();
    if !plain {
        return None;
    }
    let chain = Chain::under(aggregate.input())?;
    if chain.scan.fetch().is_some()
        || chain.scan.reads_backwards()
        || !chain.scan.request().takes_aggregates()
    {
        return None;
    }
    let mut parts = Parts {
        compiler: Compiler::new(&chain.projections, chain.scan.schema()),
        // All rows are counted, if only to know which groups there are.
        measures: Measures { presences: vec![Vec::new()], ..Measures::default() },
        texts: Vec::new(),
        states: Vec::new(),
        labels: Vec::new(),
    };
    let groups: Option<Vec<usize>> =
        aggregate.group_expr().expr().iter().map(|(expression, _)| parts.key(expression)).collect();
    let groups = groups?;
    for function in aggregate.aggr_expr() {
        parts.add(function)?;
    }
    let Parts { compiler, mut measures, texts, states, labels } = parts;
    measures.program = compiler.program;
    let types: Option<Vec<DataType>> = states
        .iter()
        .zip(partial.fields().iter().skip(groups.len()))
        .map(|(state, field)| state.gives(field.data_type()).then(|| field.data_type().clone()))
        .collect();
    if types?.len() + groups.len() != partial.fields().len() || partial.fields().is_empty() {
        return None;
    }
    let spec = AggregateSpec { groups, measures, texts, states, schema: Arc::new(partial.clone()), labels };
    Some((chain, spec))
}

impl State {
    /// Whether the state can be a column of the type.
    fn gives(&self, data_type: &DataType) -> bool {
        match self {
            Self::Count { .. } => *data_type == DataType::Int64,
            Self::AverageCount { .. } => *data_type == DataType::UInt64,
            Self::Sum(_) => matches!(
                data_type,
                DataType::Int64 | DataType::UInt64 | DataType::Decimal128(..) | DataType::Decimal256(..)
            ),
            Self::FloatSum(_) => *data_type == DataType::Float64,
            Self::Extreme(_) => numbers::is_number(data_type),
            Self::Text(_) => matches!(data_type, DataType::Utf8 | DataType::Binary),
        }
    }
}

/// A sum that was taken: its position, and the state that it is.
struct Summed {
    sum: usize,
    state: fn(usize) -> State,
    label: String,
}

/// What has been found so far.
struct Parts<'a> {
    compiler: Compiler<'a>,
    measures: Measures,
    texts: Vec<TextExtreme>,
    states: Vec<State>,
    labels: Vec<String>,
}

impl Parts<'_> {
    /// The column of a group.
    fn key(&self, expression: &Arc<dyn PhysicalExpr>) -> Option<usize> {
        let column = self.compiler.column(expression)?;
        let field = self.compiler.scan_schema().fields().get(column)?;
        groups::is_key(field.data_type()).then_some(column)
    }

    /// Takes an aggregate, or says that it cannot be taken.
    fn add(&mut self, function: &AggregateFunctionExpr) -> Option<()> {
        if function.is_distinct() || function.ignore_nulls() || !function.order_bys().is_empty() {
            return None;
        }
        let arguments = function.expressions();
        let [argument] = arguments.as_slice() else { return None };
        let known = function.fun();
        let label = if *known == *count::count_udaf() {
            let (presence, label) = self.counted(argument)?;
            self.states.push(State::Count { presence });
            label
        } else if *known == *sum::sum_udaf() {
            self.sum(argument)?
        } else if *known == *average::avg_udaf() {
            self.average(argument)?
        } else if *known == *min_max::min_udaf() {
            self.extreme(argument, false)?
        } else if *known == *min_max::max_udaf() {
            self.extreme(argument, true)?
        } else {
            return None;
        };
        self.labels.push(format!("{}({label})", known.name()));
        Some(())
    }

    /// Which rows COUNT counts: all for a constant, those with a value for a column.
    fn counted(&mut self, argument: &Arc<dyn PhysicalExpr>) -> Option<(usize, String)> {
        if let Some(literal) = argument.downcast_ref::<Literal>() {
            return (!literal.value().is_null()).then(|| (ROWS, "*".to_owned()));
        }
        let column = self.compiler.column(argument)?;
        let name = self.compiler.scan_schema().fields().get(column)?.name().clone();
        Some((self.presence(vec![column]), name))
    }

    fn sum(&mut self, argument: &Arc<dyn PhysicalExpr>) -> Option<String> {
        let Summed { sum, state, label } = self.summed(argument)?;
        self.states.push(state(sum));
        Some(label)
    }

    fn average(&mut self, argument: &Arc<dyn PhysicalExpr>) -> Option<String> {
        let Summed { sum, state, label } = self.summed(argument)?;
        let presence = self.measures.sums.get(sum)?.presence;
        self.states.extend([State::AverageCount { presence }, state(sum)]);
        Some(label)
    }

    /// The sum of an expression.
    fn summed(&mut self, argument: &Arc<dyn PhysicalExpr>) -> Option<Summed> {
        let float = argument.downcast_ref::<CastExpr>().filter(|cast| *cast.cast_type() == DataType::Float64);
        let compiled = self.compiler.compile(float.map_or(argument, CastExpr::expr))?;
        let exact = matches!(compiled.data_type, DataType::Decimal128(..));
        let whole = numbers::integers(&compiled.data_type).is_some();
        let state = match (float.is_some(), whole, exact) {
            (true, true, _) => State::FloatSum as fn(usize) -> State,
            (false, true, _) | (false, _, true) => State::Sum,
            _ => return None,
        };
        let presence = self.presence(compiled.columns.clone());
        let sum = Sum { step: compiled.step, presence, in_float: float.is_some() };
        let sum = position_of(&mut self.measures.sums, sum);
        Some(Summed { sum, state, label: compiled.label.text })
    }

    fn extreme(&mut self, argument: &Arc<dyn PhysicalExpr>, greatest: bool) -> Option<String> {
        if let Some(column) = self.compiler.column(argument) {
            let field = self.compiler.scan_schema().fields().get(column)?;
            if matches!(field.data_type(), DataType::Utf8 | DataType::Binary) {
                let label = field.name().clone();
                let text = position_of(&mut self.texts, TextExtreme { column, greatest });
                self.states.push(State::Text(text));
                return Some(label);
            }
        }
        let Compiled { step, columns, label, .. } = self.compiler.compile(argument)?;
        let extreme = Extreme { step, presence: self.presence(columns), greatest };
        self.states.push(State::Extreme(position_of(&mut self.measures.extremes, extreme)));
        Some(label.text)
    }

    /// The rows in which all of the columns have a value. A column that cannot be NULL changes nothing.
    fn presence(&mut self, mut columns: Vec<usize>) -> usize {
        let fields = self.compiler.scan_schema().fields();
        columns.retain(|column| fields.get(*column).is_none_or(|field| field.is_nullable()));
        position_of(&mut self.measures.presences, columns)
    }
}

/// The position of an item in a list, which it is added to if it is not there.
fn position_of<T: PartialEq>(items: &mut Vec<T>, item: T) -> usize {
    match items.iter().position(|known| *known == item) {
        Some(position) => position,
        None => {
            items.push(item);
            items.len() - 1
        }
    }
}
