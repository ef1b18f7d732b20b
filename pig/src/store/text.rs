//! PigStorage's side of STORE: lines of fields.

use async_trait::async_trait;
use datafusion::execution::context::SessionContext;
use ostracon_piglatin::types::Schema;
use ostracon_piglatin::value::text::write_bytes;

use crate::error::Result;
use crate::load::{PigStorage, SCHEMA_FILE, schema_json};
use crate::run::fields_at;
use crate::store::folder::{OutputFolder, check_absent};
use crate::store::{StoreFunc, StoreInput};

#[async_trait]
impl StoreFunc for PigStorage {
    fn check(&self, path: &str, _: Option<&Schema>) -> Result<()> {
        match self.overwrites {
            true => Ok(()),
            false => check_absent(path),
        }
    }

    fn replaces(&self) -> bool {
        self.overwrites
    }

    fn kept_schema(&self, schema: &Schema) -> Option<Schema> {
        self.keeps_schema.then(|| schema.clone())
    }

    async fn store(&self, _: &SessionContext, path: &str, input: StoreInput) -> Result<u64> {
        let folder = OutputFolder::begin(path, self.overwrites)?;
        let types = input.schema.as_ref().map(Schema::types);
        let delimiter = self.delimiter;
        let format = move |batch: &_, text: &mut Vec<u8>| {
            for row in 0..arrow::record_batch::RecordBatch::num_rows(batch) {
                for (index, field) in fields_at(batch, types.as_deref(), row)?.iter().enumerate() {
                    if index > 0 {
                        text.push(delimiter);
                    }
                    write_bytes(field, text);
                }
                text.push(b'\n');
            }
            Ok(())
        };
        let rows = folder.write_lines(input.rows, format).await?;
        if let (true, Some(schema)) = (self.keeps_schema, &input.schema) {
            folder.write(SCHEMA_FILE, &schema_json(schema))?;
        }
        folder.finish()?;
        Ok(rows)
    }
}
