//! Leaves of a Parquet file as a flat file: the same statistics and page indexes under columns at the top.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::parquet::arrow::parquet_to_arrow_schema;
use datafusion::parquet::basic::Repetition;
use datafusion::parquet::errors::ParquetError;
use datafusion::parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, ParquetMetaData, ParquetMetaDataBuilder, RowGroupMetaData,
};
use datafusion::parquet::schema::types::{ColumnDescriptor, SchemaDescriptor, Type};

/// A leaf, by the names on the way to it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Leaf {
    /// What the flat file calls it.
    pub(super) name: String,
    /// The column and the fields below.
    pub(super) path: Vec<String>,
    /// Its type in the table.
    pub(super) data_type: DataType,
}

/// The leaves that a file has, as a file of their own.
#[derive(Debug)]
pub(super) struct FlatFile {
    /// Its footer, with page indexes if the real one has them.
    pub(super) footer: ParquetMetaData,
    /// Its columns, with the types that the file gives them.
    pub(super) schema: SchemaRef,
}

/// A footer that has those of the leaves that the file has as its columns; None if it has none of them.
pub(super) fn flat_file(footer: &ParquetMetaData, leaves: &[Leaf]) -> Result<Option<FlatFile>, ParquetError> {
    let descriptor = footer.file_metadata().schema_descr();
    let mut places = Vec::new();
    let mut columns = Vec::new();
    for leaf in leaves {
        let found = descriptor
            .columns()
            .iter()
            .position(|column| column.max_rep_level() == 0 && column.path().parts() == leaf.path.as_slice());
        if let Some(place) = found {
            places.push(place);
            columns.push(Arc::new(renamed(&descriptor.column(place), &leaf.name)?));
        }
    }
    if places.is_empty() {
        return Ok(None);
    }
    let root = Type::group_type_builder("leaves").with_fields(columns).build()?;
    let flat = Arc::new(SchemaDescriptor::new(Arc::new(root)));
    let groups = footer.row_groups().iter().map(|group| flat_group(group, &places, &flat));
    let groups = groups.collect::<Result<Vec<_>, ParquetError>>()?;
    let rows = footer.file_metadata().num_rows();
    let schema = Arc::new(parquet_to_arrow_schema(&flat, None)?);
    let file = FileMetaData::new(footer.file_metadata().version(), rows, None, None, flat, None);
    let footer = ParquetMetaDataBuilder::new(file)
        .set_row_groups(groups)
        .set_column_index(footer.column_index().map(|index| picked(index, &places)))
        .set_offset_index(footer.offset_index().map(|index| picked(index, &places)))
        .build();
    Ok(Some(FlatFile { footer, schema }))
}

fn flat_group(
    group: &RowGroupMetaData,
    places: &[usize],
    flat: &Arc<SchemaDescriptor>,
) -> Result<RowGroupMetaData, ParquetError> {
    let chunks = places.iter().enumerate().map(|(nth, place)| {
        let lacking = || ParquetError::General("a row group lacks a column".into());
        let chunk = group.columns().get(*place).ok_or_else(lacking)?;
        let mut made = ColumnChunkMetaData::builder(flat.column(nth))
            .set_num_values(chunk.num_values())
            .set_column_index_offset(chunk.column_index_offset())
            .set_column_index_length(chunk.column_index_length())
            .set_offset_index_offset(chunk.offset_index_offset())
            .set_offset_index_length(chunk.offset_index_length());
        // DataFusion takes a count of NULLs that was not written for zero, and IS NULL would find nothing.
        if let Some(statistics) = chunk.statistics().filter(|known| known.null_count_opt().is_some()) {
            made = made.set_statistics(statistics.clone());
        }
        made.build()
    });
    RowGroupMetaData::builder(Arc::clone(flat))
        .set_num_rows(group.num_rows())
        .set_total_byte_size(group.total_byte_size())
        .set_column_metadata(chunks.collect::<Result<Vec<_>, _>>()?)
        .build()
}

fn picked<T: Clone>(index: &[Vec<T>], places: &[usize]) -> Vec<Vec<T>> {
    let of_group =
        |columns: &Vec<T>| places.iter().filter_map(|place| columns.get(*place).cloned()).collect();
    index.iter().map(of_group).collect()
}

/// The leaf under a name of its own; it may be NULL because something above it is.
fn renamed(column: &ColumnDescriptor, name: &str) -> Result<Type, ParquetError> {
    Type::primitive_type_builder(name, column.physical_type())
        .with_repetition(Repetition::OPTIONAL)
        .with_converted_type(column.converted_type())
        .with_logical_type(column.logical_type_ref().cloned())
        .with_length(column.type_length())
        .with_precision(column.type_precision())
        .with_scale(column.type_scale())
        .build()
}
