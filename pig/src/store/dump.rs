//! DUMP: rows as tuples, a line each.

use std::io::Write;

use datafusion::execution::SendableRecordBatchStream;
use futures::StreamExt;
use ostracon_piglatin::types::Schema;
use ostracon_piglatin::value::Value;
use ostracon_piglatin::value::text::write_bytes;

use crate::error::{Result, from_datafusion, unwritable};
use crate::run::fields_at;

/// Writes all rows as they come.
///
/// # Errors
/// What the rows end with; `Unavailable` if the output is closed.
pub async fn dump(
    mut rows: SendableRecordBatchStream,
    schema: Option<&Schema>,
    output: &mut (dyn Write + Send),
) -> Result<()> {
    let types = schema.map(Schema::types);
    let mut text = Vec::new();
    while let Some(batch) = rows.next().await {
        let batch = batch.map_err(from_datafusion)?;
        text.clear();
        for row in 0..batch.num_rows() {
            let fields = fields_at(&batch, types.as_deref(), row).map_err(from_datafusion)?;
            write_bytes(&Value::Tuple(fields), &mut text);
            text.push(b'\n');
        }
        output.write_all(&text).map_err(unwritable)?;
    }
    output.flush().map_err(unwritable)
}
