//! Row ranges as record batches: the input of a scan.
//!
//! A batch has two columns, `start` (inclusive; empty: from the first row) and `end` (exclusive; NULL: to the last one).
//! A partition holds the ranges of one tablet, or of a piece of a large one, ascending.

use std::sync::Arc;

use datafusion::arrow::array::{Array, AsArray, BinaryArray, RecordBatch};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::error::Result;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::ExecutionPlan;
use futures::TryStreamExt;
use ostracon_data::{KeyExtent, RowRange, RowRanges};
use ostracon_tablets::Version;

use crate::error::HandlerError;

fn schema() -> SchemaRef {
    Arc::new(Schema::new(vec![
        Field::new("start", DataType::Binary, false),
        Field::new("end", DataType::Binary, true),
    ]))
}

/// How a table's rows are parted among the partitions of its scans.
#[derive(Debug)]
pub(crate) struct ScanPieces {
    /// The tablets.
    pub(super) tablets: Vec<KeyExtent>,
    /// The tablets or pieces of them.
    pub(super) extents: Vec<KeyExtent>,
}

impl ScanPieces {
    /// For a session that runs so many partitions at a time.
    pub(crate) fn of(version: &Version, partitions: usize) -> Self {
        Self { tablets: version.extents(), extents: version.scan_extents(partitions) }
    }
}

/// The ranges of each extent that they touch; one without any is left out.
pub(super) fn by_extent(ranges: &RowRanges, extents: &[KeyExtent]) -> Vec<RowRanges> {
    if ranges.is_empty() {
        return Vec::new();
    }
    extents.iter().map(|extent| ranges.clip(extent)).filter(|clipped| !clipped.is_empty()).collect()
}

/// A plan whose partitions are the tablets and whose rows are their ranges. Nothing to read is one partition without
/// rows: a plan needs one.
pub(super) fn as_plan(tablets: &[RowRanges]) -> Result<Arc<dyn ExecutionPlan>> {
    let schema = schema();
    let mut partitions = Vec::with_capacity(tablets.len().max(1));
    for ranges in tablets {
        let ranges = ranges.ranges();
        let starts = BinaryArray::from_iter_values(ranges.iter().map(|range| &range.start));
        let ends = BinaryArray::from_iter(ranges.iter().map(|range| range.end.as_deref()));
        partitions
            .push(vec![RecordBatch::try_new(Arc::clone(&schema), vec![Arc::new(starts), Arc::new(ends)])?]);
    }
    if partitions.is_empty() {
        partitions.push(vec![RecordBatch::new_empty(Arc::clone(&schema))]);
    }
    Ok(MemorySourceConfig::try_new_exec(&partitions, schema, None)?)
}

/// The ranges that a partition's rows say.
pub(super) async fn read(input: SendableRecordBatchStream) -> Result<RowRanges> {
    let batches: Vec<RecordBatch> = input.try_collect().await?;
    let mut ranges = Vec::new();
    for batch in &batches {
        let column = |index: usize| {
            let array = batch.columns().get(index).and_then(|array| array.as_binary_opt::<i32>());
            array.ok_or_else(|| HandlerError::internal("the input of a tablet scan holds no row ranges"))
        };
        let (starts, ends) = (column(0)?, column(1)?);
        for row in 0..batch.num_rows() {
            let end = ends.is_valid(row).then(|| ends.value(row).to_vec());
            ranges.push(RowRange::new(starts.value(row), end));
        }
    }
    Ok(RowRanges::from_ranges(ranges))
}

#[cfg(test)]
mod tests {
    use datafusion::execution::TaskContext;
    use ostracon_data::TableId;

    use super::*;

    #[tokio::test]
    async fn ranges_survive_the_way_through_a_plan() {
        let ranges = RowRanges::from_ranges(vec![
            RowRange::new(*b"a", Some(b"c".to_vec())),
            RowRange::new(*b"m", Some(b"m\0".to_vec())),
            RowRange::new(*b"x", None),
        ]);
        let extents = KeyExtent::split_at(TableId(1), [b"b".to_vec(), b"g".to_vec(), b"t".to_vec()]);
        let tablets = by_extent(&ranges, &extents);
        assert_eq!(tablets.len(), 4, "each tablet but none holds a part: {tablets:?}");
        let plan = as_plan(&tablets).unwrap();
        let mut back = RowRanges::none();
        for (partition, wanted) in tablets.iter().enumerate() {
            let stream = plan.execute(partition, Arc::new(TaskContext::default())).unwrap();
            let found = read(stream).await.unwrap();
            assert_eq!(&found, wanted);
            back = back.union(&found);
        }
        assert_eq!(back, ranges);
    }

    #[tokio::test]
    async fn nothing_is_one_empty_partition_and_all_is_one_range() {
        let plan = as_plan(&by_extent(&RowRanges::none(), &[KeyExtent::whole(TableId(1))])).unwrap();
        let stream = plan.execute(0, Arc::new(TaskContext::default())).unwrap();
        assert!(read(stream).await.unwrap().is_empty());
        let tablets = by_extent(&RowRanges::all(), &[KeyExtent::whole(TableId(1))]);
        let plan = as_plan(&tablets).unwrap();
        let stream = plan.execute(0, Arc::new(TaskContext::default())).unwrap();
        assert!(read(stream).await.unwrap().contains(b"any"));
    }
}
