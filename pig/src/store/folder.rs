//! An output folder that appears whole or not at all.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow::record_batch::RecordBatch;
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::execution::SendableRecordBatchStream;
use futures::StreamExt;
use tempfile::TempDir;

use crate::error::{PigError, PigErrorKind, Result, from_datafusion};
use crate::load::compression_of;

/// The file in the folder, as a job without reducers calls it.
const PART: &str = "part-m-00000";
/// The file that says that the folder is whole.
const DONE: &str = "_SUCCESS";

/// A folder in the making, under a name that readers pass over.
#[derive(Debug)]
pub(crate) struct OutputFolder {
    target: PathBuf,
    made: TempDir,
    overwrites: bool,
}

/// That an output is not there yet.
///
/// # Errors
/// `AlreadyExists`, naming it.
pub(crate) fn check_absent(path: &str) -> Result<()> {
    match Path::new(local(path)).exists() {
        true => Err(PigError::new(
            PigErrorKind::AlreadyExists,
            format!("{path} exists already; remove it (rmf {path}) or choose another name"),
        )),
        false => Ok(()),
    }
}

impl OutputFolder {
    /// Begins a folder; what is there under its name is replaced at the end if that is asked for.
    ///
    /// # Errors
    /// As [`check_absent`]; `Unavailable` if nothing can be written there.
    pub(crate) fn begin(path: &str, overwrites: bool) -> Result<Self> {
        if !overwrites {
            check_absent(path)?;
        }
        let target = Path::new(local(path)).to_owned();
        let parent =
            target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        std::fs::create_dir_all(parent).map_err(|error| failed(path, error))?;
        let made = tempfile::Builder::new().prefix("_temporary-").tempdir_in(parent);
        Ok(Self { made: made.map_err(|error| failed(path, error))?, target, overwrites })
    }

    /// Writes rows as text; `format` adds the lines of a batch. The text is compressed if the folder's name ends as
    /// those of compressed files do. Gives the number of rows.
    ///
    /// # Errors
    /// What the rows end with; `Unavailable` if they cannot be written.
    pub(crate) async fn write_lines(
        &self,
        rows: SendableRecordBatchStream,
        mut format: impl FnMut(&RecordBatch, &mut Vec<u8>) -> datafusion::error::Result<()> + Send + 'static,
    ) -> Result<u64> {
        let (kind, extension) = compression_of(&self.target);
        let count = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&count);
        let texts = rows.map(move |batch| {
            let batch = batch?;
            let mut text = Vec::new();
            format(&batch, &mut text)?;
            counted.fetch_add(u64::try_from(batch.num_rows()).unwrap_or(0), Ordering::Relaxed);
            Ok(text.into())
        });
        let mut file = BufWriter::with_capacity(1 << 18, self.part(extension)?);
        let mut chunks = match kind {
            FileCompressionType::UNCOMPRESSED => texts.boxed(),
            kind => kind.convert_to_compress_stream(texts.boxed()).map_err(from_datafusion)?,
        };
        while let Some(chunk) = chunks.next().await {
            file.write_all(&chunk.map_err(from_datafusion)?).map_err(|error| self.failed(error))?;
        }
        let file = file.into_inner().map_err(|error| self.failed(error.into_error()))?;
        file.sync_all().map_err(|error| self.failed(error))?;
        Ok(count.load(Ordering::Relaxed))
    }

    /// The file for the rows.
    ///
    /// # Errors
    /// `Unavailable` if it cannot be made.
    pub(crate) fn part(&self, extension: &str) -> Result<File> {
        File::create(self.made.path().join(format!("{PART}{extension}"))).map_err(|error| self.failed(error))
    }

    /// Another file.
    ///
    /// # Errors
    /// `Unavailable` if it cannot be written.
    pub(crate) fn write(&self, name: &str, text: &str) -> Result<()> {
        std::fs::write(self.made.path().join(name), text).map_err(|error| self.failed(error))
    }

    /// Gives the folder its name.
    ///
    /// # Errors
    /// `Unavailable` if it cannot be renamed; then nothing is left of it.
    pub(crate) fn finish(self) -> Result<()> {
        let Self { target, made, overwrites } = self;
        let shown = target.display().to_string();
        let done = || -> std::io::Result<()> {
            File::create(made.path().join(DONE))?.sync_all()?;
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            std::fs::set_permissions(made.path(), mode)?;
            if overwrites && target.exists() {
                // It goes where it is removed with this value, once the new one has its name.
                let old = tempfile::Builder::new()
                    .prefix("_temporary-")
                    .tempdir_in(made.path().parent().unwrap_or(Path::new(".")))?;
                std::fs::rename(&target, old.path().join("old"))?;
                return std::fs::rename(made.path(), &target).or_else(|error| {
                    std::fs::rename(old.path().join("old"), &target)?;
                    Err(error)
                });
            }
            std::fs::rename(made.path(), &target)
        };
        done().map_err(|error| failed(&shown, error))?;
        // The folder has another name now: nothing is left to be removed.
        let _ = made.keep();
        Ok(())
    }

    /// An error of writing.
    pub(crate) fn failed(&self, error: std::io::Error) -> PigError {
        failed(&self.target.display().to_string(), error)
    }
}

fn failed(path: &str, error: std::io::Error) -> PigError {
    PigError::new(PigErrorKind::Unavailable, format!("{path} cannot be written: {error}")).with_source(error)
}

/// A path without its scheme.
fn local(path: &str) -> &str {
    path.strip_prefix("file://").or_else(|| path.strip_prefix("file:")).unwrap_or(path)
}
