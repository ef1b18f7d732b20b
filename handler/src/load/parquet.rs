//! [`ParquetReader`]: the row groups of a Parquet file as batches of a table's columns, matched by name.
//!
//! A value goes into a column of another type only where it comes out of it again unchanged: 1.5 is no INT, and a
//! microsecond is not dropped to fit a TIMESTAMP(3). Doubles do become REALs.

use std::io;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BooleanArray, RecordBatch};
use arrow::compute::filter_record_batch;
use arrow::datatypes::{Field, SchemaRef};
use datafusion::parquet::arrow::ProjectionMask;
use datafusion::parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};

use super::columns::find_columns;
use super::error::BadField;
use super::fit::{fit, refuse_misfit};
use super::input::{LoadProgress, open_file, shown};
use super::reject::BadRows;
use super::{LoadError, LoadOptions, text};
use crate::export::ColumnText;

/// Reads one Parquet file.
pub(super) struct ParquetReader {
    file: String,
    batches: ParquetRecordBatchReader,
    schema: SchemaRef,
    /// Rows handed out so far, good and bad.
    rows: u64,
    /// Bytes of the file for each row, for the progress.
    bytes_per_row: f64,
    progress: Arc<LoadProgress>,
}

impl ParquetReader {
    /// Opens a file and reads its footer.
    pub(super) fn open(
        path: &Path,
        target: &SchemaRef,
        options: &LoadOptions,
        progress: &Arc<LoadProgress>,
    ) -> Result<Self, LoadError> {
        let file = shown(path);
        let input = open_file(path)?;
        let size = input.metadata().map_or(0, |metadata| metadata.len());
        let unreadable = |error| LoadError::Read { file: file.clone(), source: io::Error::other(error) };
        let builder = ParquetRecordBatchReaderBuilder::try_new(input).map_err(unreadable)?;
        let wrong = |message| LoadError::Format { file: file.clone(), message };
        let found = Arc::clone(builder.schema());
        let places =
            find_columns(target, found.fields().iter().map(|field| field.name().as_str())).map_err(wrong)?;
        let schema = Arc::new(target.project(&places)?);
        for (from, to) in found.fields().iter().zip(schema.fields()) {
            refuse_misfit(from.name(), from.data_type(), to.data_type()).map_err(wrong)?;
        }
        let rows = builder.metadata().file_metadata().num_rows().max(1);
        // Exact enough for a progress bar.
        #[allow(clippy::cast_precision_loss)]
        let bytes_per_row = size as f64 / rows as f64;
        let batches = builder
            .with_projection(ProjectionMask::all())
            .with_batch_size(options.batch_rows.max(1))
            .build()
            .map_err(unreadable)?;
        Ok(Self { file, batches, schema, rows: 0, bytes_per_row, progress: Arc::clone(progress) })
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The next batch; `None` at the end of the file.
    pub(super) fn next(&mut self, bad_rows: &mut BadRows) -> Result<Option<RecordBatch>, LoadError> {
        loop {
            let Some(batch) = self.batches.next() else { return Ok(None) };
            let unreadable =
                |error| LoadError::Read { file: self.file.clone(), source: io::Error::other(error) };
            let batch = batch.map_err(unreadable)?;
            // Exact enough for a progress bar.
            #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            self.progress.add_bytes((batch.num_rows() as f64 * self.bytes_per_row) as u64);
            let mut good = vec![true; batch.num_rows()];
            let mut columns = Vec::with_capacity(batch.num_columns());
            for (column, field) in batch.columns().iter().zip(self.schema.fields()) {
                let (fitted, fits) = fit(column, field)?;
                for row in 0..batch.num_rows() {
                    let Some(slot) = good.get_mut(row).filter(|good| **good) else { continue };
                    if !fits.value(row) {
                        *slot = false;
                        let bad = bad_value(column, field, row)?;
                        let line = self.rows + u64::try_from(row).unwrap_or(0) + 1;
                        bad_rows.take(bad.at(&self.file, line), "")?;
                    }
                }
                columns.push(fitted);
            }
            self.rows += u64::try_from(batch.num_rows()).unwrap_or(0);
            // Bad rows may hold NULL in columns that are NOT NULL: they are taken out before the schema is put on.
            let loose: Vec<_> =
                self.schema.fields().iter().map(|field| field.as_ref().clone().with_nullable(true)).collect();
            let loose = RecordBatch::try_new(Arc::new(arrow::datatypes::Schema::new(loose)), columns)?;
            let kept = filter_record_batch(&loose, &BooleanArray::from(good))?;
            if kept.num_rows() > 0 {
                return Ok(Some(RecordBatch::try_new(Arc::clone(&self.schema), kept.columns().to_vec())?));
            }
        }
    }
}

fn bad_value(column: &ArrayRef, field: &Field, row: usize) -> Result<BadField, LoadError> {
    let wanted = text::type_name(field.data_type());
    let column_name = Some(field.name().clone());
    if column.is_null(row) {
        let reason = format!("NULL where a {wanted} is wanted: the column is NOT NULL");
        return Ok(BadField { column: column_name, text: None, reason });
    }
    let mut value = String::new();
    ColumnText::new(column)?.write_text(row, &mut value)?;
    let from = text::type_name(column.data_type());
    let reason = format!("of the type {from} has no equal of the type {wanted}");
    Ok(BadField { column: column_name, text: Some(super::BadRow::excerpt(&value)), reason })
}
