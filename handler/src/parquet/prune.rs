//! Row groups and pages that a filter on fields of structs rules out.
//!
//! DataFusion prunes by statistics of columns at the top. Here the leaves that the filter names (`s['x']`) are laid beside
//! each other as a flat file of their own, and DataFusion's pruning is asked about that; what it rules out goes into the
//! access plan that the reader starts from. A leaf below a list or a map has no statistics per row and is left alone.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::ParquetFileReaderFactory;
use datafusion::datasource::physical_plan::parquet::{
    PagePruningAccessPlanFilter, ParquetAccessPlan, ParquetFileMetrics, ParquetRowSelection,
    RowGroupAccessPlanFilter,
};
use datafusion::error::Result;
use datafusion::functions::core::getfield::GetFieldFunc;
use datafusion::parquet::arrow::arrow_reader::ArrowReaderOptions;
use datafusion::parquet::file::metadata::{PageIndexPolicy, ParquetMetaData};
use datafusion::physical_expr::expressions::{CastExpr, Column, Literal};
use datafusion::physical_expr::utils::conjunction;
use datafusion::physical_expr::{PhysicalExpr, ScalarFunctionExpr, split_conjunction};
use datafusion::physical_optimizer::pruning::PruningPredicateBuilder;
use datafusion::physical_plan::metrics::{Count, ExecutionPlanMetricsSet, MetricBuilder};
use datafusion_datasource::morsel::{MorselPlan, MorselPlanner, Morselizer};

use super::flat::{FlatFile, Leaf, flat_file};
use super::reader::ClippedReaderFactory;

/// A morselizer that looks at the fields of structs first.
pub(super) struct PruningMorselizer {
    inner: Arc<dyn Morselizer>,
    pruning: Arc<LeafPruning>,
    files: Arc<ClippedReaderFactory>,
    partition: usize,
    pruned: Count,
}

/// A filter over leaves, conjunct by conjunct, as one over a flat file.
#[derive(Debug)]
struct LeafPruning {
    leaves: Vec<Leaf>,
    filters: Vec<Arc<dyn PhysicalExpr>>,
}

impl PruningMorselizer {
    /// `inner`, with pruning in front of it if the filter has anything to prune by.
    pub(super) fn around(
        inner: Box<dyn Morselizer>,
        files: Arc<ClippedReaderFactory>,
        predicate: Arc<dyn PhysicalExpr>,
        table: &SchemaRef,
        partition: usize,
        metrics: ExecutionPlanMetricsSet,
    ) -> Box<dyn Morselizer> {
        match LeafPruning::of(&predicate, table) {
            Some(pruning) => Box::new(Self {
                inner: Arc::from(inner),
                pruning: Arc::new(pruning),
                files,
                partition,
                pruned: MetricBuilder::new(&metrics).counter("row_groups_pruned_by_fields", partition),
            }),
            None => inner,
        }
    }
}

impl fmt::Debug for PruningMorselizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PruningMorselizer").field("pruning", &self.pruning).finish_non_exhaustive()
    }
}

impl Morselizer for PruningMorselizer {
    fn plan_file(&self, file: PartitionedFile) -> Result<Box<dyn MorselPlanner>> {
        let planned = file.extensions.get::<ParquetAccessPlan>().is_some()
            || file.extensions.get::<ParquetRowSelection>().is_some();
        if planned {
            return self.inner.plan_file(file);
        }
        Ok(Box::new(PruningPlanner {
            inner: Arc::clone(&self.inner),
            pruning: Arc::clone(&self.pruning),
            files: Arc::clone(&self.files),
            partition: self.partition,
            pruned: self.pruned.clone(),
            file,
        }))
    }
}

struct PruningPlanner {
    inner: Arc<dyn Morselizer>,
    pruning: Arc<LeafPruning>,
    files: Arc<ClippedReaderFactory>,
    partition: usize,
    pruned: Count,
    file: PartitionedFile,
}

impl fmt::Debug for PruningPlanner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PruningPlanner")
            .field("file", &self.file.object_meta.location)
            .finish_non_exhaustive()
    }
}

impl MorselPlanner for PruningPlanner {
    fn plan(self: Box<Self>) -> Result<Option<MorselPlan>> {
        let Self { inner, pruning, files, partition, pruned, file } = *self;
        let planned = async move {
            let plan = pruning.access_plan(&files, partition, &file).await?;
            let mut file = file;
            if let Some(plan) = plan {
                pruned.add(plan.len() - plan.row_group_index_iter().count());
                file.extensions.insert(plan);
            }
            inner.plan_file(file)
        };
        Ok(Some(MorselPlan::new().with_pending_planner(planned)))
    }
}

impl LeafPruning {
    /// The conjuncts that look at fields of structs; None if there are none.
    fn of(predicate: &Arc<dyn PhysicalExpr>, table: &SchemaRef) -> Option<Self> {
        let mut leaves: Vec<Leaf> = Vec::new();
        let filters: Vec<Arc<dyn PhysicalExpr>> = split_conjunction(predicate)
            .into_iter()
            .filter_map(|conjunct| flatten(conjunct, table, &mut leaves))
            .collect();
        (!filters.is_empty()).then_some(Self { leaves, filters })
    }

    /// The filter over what a file has of the leaves; None where it lacks one in every conjunct.
    fn filter_over(&self, flat: &FlatFile) -> Result<Option<Arc<dyn PhysicalExpr>>> {
        let mut kept = Vec::new();
        for filter in &self.filters {
            let mut lacking = false;
            let over = Arc::clone(filter).transform_up(|expr| {
                let Some(column) = expr.downcast_ref::<Column>() else { return Ok(Transformed::no(expr)) };
                let leaf = self.leaves.iter().find(|leaf| leaf.name == column.name());
                let (Some(leaf), Ok(index)) = (leaf, flat.schema.index_of(column.name())) else {
                    lacking = true;
                    return Ok(Transformed::no(expr));
                };
                let place: Arc<dyn PhysicalExpr> = Arc::new(Column::new(column.name(), index));
                let same = *flat.schema.field(index).data_type() == leaf.data_type;
                let cast = || CastExpr::new(Arc::clone(&place), leaf.data_type.clone(), None);
                Ok(Transformed::yes(if same { place } else { Arc::new(cast()) }))
            });
            let over = over.data()?;
            if !lacking {
                kept.push(over);
            }
        }
        Ok((!kept.is_empty()).then(|| conjunction(kept)))
    }

    /// What is left to read of a file; None where everything is.
    async fn access_plan(
        &self,
        files: &ClippedReaderFactory,
        partition: usize,
        file: &PartitionedFile,
    ) -> Result<Option<ParquetAccessPlan>> {
        // The readers of the scan count what they read; this one's footer is in the cache by then.
        let unseen = ExecutionPlanMetricsSet::new();
        let counts = ParquetFileMetrics::new(partition, file.object_meta.location.as_ref(), &unseen);
        let mut reader = files.create_reader(partition, file.clone(), file.metadata_size_hint, &unseen)?;
        let options = ArrowReaderOptions::new().with_page_index_policy(PageIndexPolicy::Skip);
        let footer = reader.get_metadata(Some(&options)).await?;
        let groups = footer.num_row_groups();
        let Some(flat) = flat_file(&footer, &self.leaves)? else { return Ok(None) };
        let Some(filter) = self.filter_over(&flat)? else { return Ok(None) };
        let builder = PruningPredicateBuilder::new().with_file_schema(Arc::clone(&flat.schema));
        let Ok(predicate) = builder.try_build(Arc::clone(&filter)) else {
            return Ok(None);
        };
        let mut left = RowGroupAccessPlanFilter::new(ParquetAccessPlan::new_all(groups));
        let parquet_schema = flat.footer.file_metadata().schema_descr();
        left.prune_by_statistics(&flat.schema, parquet_schema, flat.footer.row_groups(), &predicate, &counts);
        let read: Vec<usize> = left.row_group_indexes().collect();
        let mut plan = left.build();
        let pages = PagePruningAccessPlanFilter::new(&filter, Arc::clone(&flat.schema));
        if pages.filter_number() > 0 && has_page_index(&flat.footer, &read) {
            let options = ArrowReaderOptions::new().with_page_index_policy(PageIndexPolicy::Optional);
            let footer = reader.get_metadata(Some(&options)).await?;
            if let Some(flat) = flat_file(&footer, &self.leaves)? {
                let parquet_schema = flat.footer.file_metadata().schema_descr();
                plan = pages.prune_plan_with_page_index(
                    plan,
                    &flat.schema,
                    parquet_schema,
                    &flat.footer,
                    &counts,
                );
            }
        }
        Ok(Some(plan))
    }
}

/// Whether a page index was written for a leaf of a row group that is read.
fn has_page_index(flat: &ParquetMetaData, read: &[usize]) -> bool {
    let groups = read.iter().filter_map(|group| flat.row_groups().get(*group));
    groups
        .flat_map(|group| group.columns())
        .any(|column| column.column_index_offset().is_some() && column.offset_index_offset().is_some())
}

/// A conjunct over the leaves as one over columns of their paths; None if it looks at anything else, or at no field.
fn flatten(
    conjunct: &Arc<dyn PhysicalExpr>,
    table: &SchemaRef,
    leaves: &mut Vec<Leaf>,
) -> Option<Arc<dyn PhysicalExpr>> {
    let mut found: Vec<Leaf> = leaves.clone();
    let mut sound = true;
    let mut nested = false;
    let flat = Arc::clone(conjunct).transform_down(|expr| {
        if let Some(leaf) = leaf_of(&expr, table) {
            nested |= leaf.path.len() > 1;
            let index = found.iter().position(|known| known.path == leaf.path).unwrap_or_else(|| {
                found.push(leaf.clone());
                found.len() - 1
            });
            let column = Arc::new(Column::new(&leaf.name, index)) as Arc<dyn PhysicalExpr>;
            return Ok(Transformed::new(column, true, TreeNodeRecursion::Jump));
        }
        if expr.is::<Column>() {
            sound = false;
            return Ok(Transformed::new(expr, false, TreeNodeRecursion::Stop));
        }
        Ok(Transformed::no(expr))
    });
    let flat = flat.data().ok().filter(|_| sound && nested)?;
    *leaves = found;
    Some(flat)
}

/// The leaf that a column or `s['a']['b']` stands for.
fn leaf_of(expr: &Arc<dyn PhysicalExpr>, table: &SchemaRef) -> Option<Leaf> {
    if let Some(column) = expr.downcast_ref::<Column>() {
        let field = table.field_with_name(column.name()).ok()?;
        return (!field.data_type().is_nested()).then(|| Leaf {
            name: column.name().to_owned(),
            path: vec![column.name().to_owned()],
            data_type: field.data_type().clone(),
        });
    }
    let call = ScalarFunctionExpr::try_downcast_func::<GetFieldFunc>(expr.as_ref())?;
    let (source, keys) = call.args().split_first()?;
    let (mut path, mut data_type) = match source.downcast_ref::<Column>() {
        Some(column) => {
            let field = table.field_with_name(column.name()).ok()?;
            (vec![column.name().to_owned()], field.data_type().clone())
        }
        None => return None,
    };
    for key in keys {
        let key = key.downcast_ref::<Literal>()?.value().try_as_str().flatten()?;
        let DataType::Struct(fields) = &data_type else { return None };
        let field = fields.iter().find(|field| field.name() == key)?;
        path.push(key.to_owned());
        data_type = field.data_type().clone();
    }
    // A name that no column can have by chance: names with a NUL do not come out of SQL.
    (!data_type.is_nested()).then(|| Leaf { name: path.join("\0"), path, data_type })
}
