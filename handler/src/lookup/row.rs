//! What a look-up gives.

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::ScalarValue;

use crate::error::{HandlerError, Result};

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub struct Row(RecordBatch);

impl Row {
    /// `batch` holds one row.
    pub(super) fn new(batch: RecordBatch) -> Self {
        Self(batch)
    }

    /// The columns that were read.
    pub fn schema(&self) -> SchemaRef {
        self.0.schema()
    }

    /// The value of a column, by its exact name.
    ///
    /// # Errors
    /// `Invalid` if the column was not read.
    pub fn value(&self, column: &str) -> Result<ScalarValue> {
        let array = self.0.column_by_name(column).ok_or_else(|| {
            let schema = self.0.schema();
            let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
            HandlerError::invalid(format!("the row has no column {column}; it has {}", names.join(", ")))
        })?;
        Ok(ScalarValue::try_from_array(array, 0)?)
    }

    /// The values, in the order of the columns.
    ///
    /// # Errors
    /// `Internal` only.
    pub fn values(&self) -> Result<Vec<ScalarValue>> {
        self.0.columns().iter().map(|array| Ok(ScalarValue::try_from_array(array, 0)?)).collect()
    }

    /// The row as a batch of one.
    pub fn as_batch(&self) -> &RecordBatch {
        &self.0
    }

    /// The row as a batch of one.
    pub fn into_batch(self) -> RecordBatch {
        self.0
    }
}

/// The rows that were found of a list of keys.
#[derive(Debug, Clone, PartialEq)]
pub struct Rows {
    /// The rows, in the order in which their keys were given. A key without a row has none here; a key that was given
    /// twice has two.
    pub batch: RecordBatch,
    /// By row of the batch: the position of its key in the list.
    pub keys: Vec<usize>,
}
