//! [`ClippedFooter`]: a file's footer with the leaves that are wanted, and no others.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, Fields, Schema};
use parquet::arrow::{ARROW_SCHEMA_META_KEY, encode_arrow_schema, parquet_to_arrow_schema};
use parquet::errors::ParquetError;
use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, KeyValue, ParquetMetaData, ParquetMetaDataBuilder, RowGroupMetaData,
};
use parquet::schema::types::{ColumnDescPtr, SchemaDescriptor};

use crate::clip::{Clipped, Matching, clip_weighed};
use crate::error::{ClipError, Reason};
use crate::requested::RequestedSchema;

/// A footer clipped to a request.
///
/// Its message is [`Clipped::readable`]; column chunks with statistics, Bloom filters and the parts of page indexes are
/// those of the file. Arrow's own schema in the footer is made anew for what is left of it.
#[derive(Debug, Clone)]
pub struct ClippedFooter {
    /// The footer to be read by.
    pub metadata: ParquetMetaData,
    /// What was kept and what the file lacks.
    pub clipped: Clipped,
}

impl ClippedFooter {
    /// Clips a footer.
    ///
    /// # Errors
    /// As [`crate::clip`]; where row groups have other columns than the message says, or a column is encrypted.
    pub fn new(
        footer: &ParquetMetaData,
        requested: &RequestedSchema,
        matching: Matching,
    ) -> Result<Self, ClipError> {
        let file = footer.file_metadata();
        let descriptor = file.schema_descr();
        check_groups(footer)?;
        let sizes = sizes(footer);
        let weight = |leaf: usize| sizes.get(leaf).copied().unwrap_or(u64::MAX);
        let clipped = clip_weighed(descriptor.root_schema(), requested, matching, &weight)?;
        let kept = Arc::new(SchemaDescriptor::new(Arc::clone(&clipped.readable)));
        if kept.num_columns() != clipped.leaves.len() {
            return Err(fault("the clipped type has other leaves than were kept".to_owned()));
        }
        let orders = file.column_orders().map(|orders| pick(orders, &clipped.leaves));
        let metadata = FileMetaData::new(
            file.version(),
            file.num_rows(),
            file.created_by().map(str::to_owned),
            hints(footer, &kept, &clipped.leaves)?,
            Arc::clone(&kept),
            orders,
        );
        let groups = footer.row_groups().iter().map(|group| {
            let chunks = clipped.leaves.iter().enumerate().map(|(index, leaf)| {
                let chunk =
                    group.columns().get(*leaf).ok_or_else(|| fault(format!("there is no leaf {leaf}")))?;
                chunk_as(chunk, kept.column(index)).map_err(|error| fault(error.to_string()))
            });
            let chunks = chunks.collect::<Result<Vec<_>, ClipError>>()?;
            let mut builder = RowGroupMetaData::builder(Arc::clone(&kept))
                .set_num_rows(group.num_rows())
                .set_total_byte_size(chunks.iter().map(ColumnChunkMetaData::uncompressed_size).sum())
                .set_column_metadata(chunks);
            if let Some(ordinal) = group.ordinal() {
                builder = builder.set_ordinal(ordinal);
            }
            if let Some(offset) = group.file_offset() {
                builder = builder.set_file_offset(offset);
            }
            builder.build().map_err(|error| fault(error.to_string()))
        });
        let indexes =
            footer.column_index().map(|index| index.iter().map(|of| pick(of, &clipped.leaves)).collect());
        let offsets =
            footer.offset_index().map(|index| index.iter().map(|of| pick(of, &clipped.leaves)).collect());
        let metadata = ParquetMetaDataBuilder::new(metadata)
            .set_row_groups(groups.collect::<Result<_, ClipError>>()?)
            .set_column_index(indexes)
            .set_offset_index(offsets)
            .build();
        Ok(Self { metadata, clipped })
    }
}

fn fault(what: String) -> ClipError {
    ClipError::new(&[], Reason::Footer(what))
}

fn pick<T: Clone>(of: &[T], leaves: &[usize]) -> Vec<T> {
    leaves.iter().filter_map(|leaf| of.get(*leaf).cloned()).collect()
}

/// Compressed bytes of each leaf in all row groups.
fn sizes(footer: &ParquetMetaData) -> Vec<u64> {
    let mut sizes = vec![0_u64; footer.file_metadata().schema_descr().num_columns()];
    for group in footer.row_groups() {
        for (size, chunk) in sizes.iter_mut().zip(group.columns()) {
            *size = size.saturating_add(u64::try_from(chunk.compressed_size()).unwrap_or(u64::MAX));
        }
    }
    sizes
}

/// Every row group has a chunk for every leaf, of the leaf's type.
fn check_groups(footer: &ParquetMetaData) -> Result<(), ClipError> {
    let leaves = footer.file_metadata().schema_descr().columns();
    for (number, group) in footer.row_groups().iter().enumerate() {
        if group.num_columns() != leaves.len() {
            return Err(fault(format!(
                "row group {number} has {} column chunks, the file's type has {} leaves",
                group.num_columns(),
                leaves.len()
            )));
        }
        for (leaf, chunk) in leaves.iter().zip(group.columns()) {
            if leaf.physical_type() != chunk.column_type() {
                let what = format!(
                    "row group {number} has {} for a leaf of {}",
                    chunk.column_type(),
                    leaf.physical_type()
                );
                return Err(ClipError::new(leaf.path().parts(), Reason::Footer(what)));
            }
        }
    }
    Ok(())
}

/// A chunk under another column's name and levels, which are the same as its own but for names.
fn chunk_as(chunk: &ColumnChunkMetaData, column: ColumnDescPtr) -> Result<ColumnChunkMetaData, ParquetError> {
    let mut builder = ColumnChunkMetaData::builder(column)
        .set_encodings_mask(*chunk.encodings_mask())
        .set_num_values(chunk.num_values())
        .set_compression_codec(chunk.compression_codec())
        .set_total_compressed_size(chunk.compressed_size())
        .set_total_uncompressed_size(chunk.uncompressed_size())
        .set_data_page_offset(chunk.data_page_offset())
        .set_index_page_offset(chunk.index_page_offset())
        .set_dictionary_page_offset(chunk.dictionary_page_offset())
        .set_bloom_filter_offset(chunk.bloom_filter_offset())
        .set_bloom_filter_length(chunk.bloom_filter_length())
        .set_offset_index_offset(chunk.offset_index_offset())
        .set_offset_index_length(chunk.offset_index_length())
        .set_column_index_offset(chunk.column_index_offset())
        .set_column_index_length(chunk.column_index_length())
        .set_unencoded_byte_array_data_bytes(chunk.unencoded_byte_array_data_bytes())
        .set_repetition_level_histogram(chunk.repetition_level_histogram().cloned())
        .set_definition_level_histogram(chunk.definition_level_histogram().cloned());
    if let Some(path) = chunk.file_path() {
        builder = builder.set_file_path(path.to_owned());
    }
    if let Some(statistics) = chunk.statistics() {
        builder = builder.set_statistics(statistics.clone());
    }
    if let Some(mask) = chunk.page_encoding_stats_mask() {
        builder = builder.set_page_encoding_stats_mask(*mask);
    } else if let Some(pages) = chunk.page_encoding_stats() {
        builder = builder.set_page_encoding_stats(pages.clone());
    }
    builder.build()
}

/// The footer's notes, with Arrow's schema made anew: leaves keep the types that Arrow's writer gave them.
fn hints(
    footer: &ParquetMetaData,
    kept: &SchemaDescriptor,
    leaves: &[usize],
) -> Result<Option<Vec<KeyValue>>, ClipError> {
    let file = footer.file_metadata();
    let Some(notes) = file.key_value_metadata() else { return Ok(None) };
    let mut others: Vec<KeyValue> =
        notes.iter().filter(|note| note.key != ARROW_SCHEMA_META_KEY).cloned().collect();
    if others.len() < notes.len() {
        // A hint that does not fit the file is not needed to read it.
        let hinted = parquet_to_arrow_schema(file.schema_descr(), Some(notes));
        let plain = parquet_to_arrow_schema(kept, None).map_err(|error| fault(error.to_string()))?;
        if let Ok(hinted) = hinted {
            let mut types = Vec::new();
            hinted.fields().iter().for_each(|field| leaf_types(field.data_type(), &mut types));
            let known: BTreeMap<usize, DataType> = leaves
                .iter()
                .enumerate()
                .filter_map(|(index, leaf)| Some((index, types.get(*leaf)?.clone())))
                .collect();
            if types.len() == file.schema_descr().num_columns() {
                let mut next = 0;
                let fields: Fields =
                    plain.fields().iter().map(|field| with_leaves(field, &known, &mut next)).collect();
                others.push(KeyValue::new(
                    ARROW_SCHEMA_META_KEY.to_owned(),
                    encode_arrow_schema(&Schema::new(fields)),
                ));
            }
        }
    }
    Ok((!others.is_empty()).then_some(others))
}

/// The types of the leaves below a type, in order.
fn leaf_types(ty: &DataType, types: &mut Vec<DataType>) {
    match ty {
        DataType::Struct(fields) => fields.iter().for_each(|field| leaf_types(field.data_type(), types)),
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _)
        | DataType::Map(item, _) => leaf_types(item.data_type(), types),
        leaf => types.push(leaf.clone()),
    }
}

/// A field with other types of its leaves.
fn with_leaves(field: &Field, known: &BTreeMap<usize, DataType>, next: &mut usize) -> FieldRef {
    let ty = match field.data_type() {
        DataType::Struct(fields) => {
            DataType::Struct(fields.iter().map(|field| with_leaves(field, known, next)).collect())
        }
        DataType::List(item) => DataType::List(with_leaves(item, known, next)),
        DataType::Map(entries, sorted) => DataType::Map(with_leaves(entries, known, next), *sorted),
        leaf => {
            let ty = known.get(next).unwrap_or(leaf).clone();
            *next += 1;
            ty
        }
    };
    Arc::new(field.clone().with_data_type(ty))
}
