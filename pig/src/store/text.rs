//! PigStorage's side of STORE: a folder of lines.

use std::io::{BufWriter, Write};
use std::path::Path;

use async_trait::async_trait;
use datafusion::execution::context::SessionContext;
use futures::StreamExt;
use ostracon_piglatin::types::Schema;
use ostracon_piglatin::value::text::write_bytes;

use crate::error::{PigError, PigErrorKind, Result, from_datafusion};
use crate::run::fields_at;
use crate::store::{StoreFunc, StoreInput};

/// A folder with one file of lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextFolder {
    pub(crate) delimiter: u8,
}

/// The file in the folder, as a job without reducers calls it.
const PART: &str = "part-m-00000";
/// The file that says that the folder is whole.
const DONE: &str = "_SUCCESS";

#[async_trait]
impl StoreFunc for TextFolder {
    fn check(&self, path: &str, _: Option<&Schema>) -> Result<()> {
        match Path::new(local(path)).exists() {
            true => Err(PigError::new(
                PigErrorKind::AlreadyExists,
                format!("{path} exists already; remove it (rmf {path}) or choose another name"),
            )),
            false => Ok(()),
        }
    }

    async fn store(&self, _: &SessionContext, path: &str, mut input: StoreInput) -> Result<u64> {
        self.check(path, input.schema.as_ref())?;
        let target = Path::new(local(path));
        let failed = |error: std::io::Error| {
            PigError::new(PigErrorKind::Unavailable, format!("{path} cannot be written: {error}"))
                .with_source(error)
        };
        let parent =
            target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        std::fs::create_dir_all(parent).map_err(failed)?;
        // The folder gets its name when it is whole; until then it is one that readers pass over.
        let folder = tempfile::Builder::new().prefix("_temporary-").tempdir_in(parent).map_err(failed)?;
        let file = std::fs::File::create(folder.path().join(PART)).map_err(failed)?;
        let mut file = BufWriter::with_capacity(1 << 18, file);
        let types = input.schema.as_ref().map(Schema::types);
        let mut rows = 0;
        let mut line = Vec::new();
        while let Some(batch) = input.rows.next().await {
            let batch = batch.map_err(from_datafusion)?;
            for row in 0..batch.num_rows() {
                let fields = fields_at(&batch, types.as_deref(), row).map_err(from_datafusion)?;
                line.clear();
                for (index, field) in fields.iter().enumerate() {
                    if index > 0 {
                        line.push(self.delimiter);
                    }
                    write_bytes(field, &mut line);
                }
                line.push(b'\n');
                file.write_all(&line).map_err(failed)?;
                rows += 1;
            }
        }
        let file = file.into_inner().map_err(|error| failed(error.into_error()))?;
        file.sync_all().map_err(failed)?;
        std::fs::File::create(folder.path().join(DONE)).map_err(failed)?;
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(folder.path(), mode).map_err(failed)?;
        std::fs::rename(folder.keep(), target).map_err(failed)?;
        Ok(rows)
    }
}

/// A path without its scheme.
fn local(path: &str) -> &str {
    path.strip_prefix("file://").or_else(|| path.strip_prefix("file:")).unwrap_or(path)
}
