//! COPY ... TO 'file' in a text format.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::dataframe::DataFrame;
use datafusion::sql::parser::Statement as EngineStatement;
use datafusion::sql::sqlparser::ast::Statement as SqlStatement;
use futures::StreamExt;

use super::options::CopyOptions;
use crate::error::{ErrorKind, HandlerError, Result};
use crate::execute::StatementExecutor;
use crate::export::{CsvDialect, CsvWriter, JsonLayout, JsonWriter};
use crate::load::LoadFormat;
use crate::statement::{CopySource, CopyTo};

/// Writes the rows; gives their number. The file appears when it is whole.
pub(crate) async fn copy_to(executor: &StatementExecutor, copy: &CopyTo) -> Result<u64> {
    let options = CopyOptions::parse(copy.format.as_deref(), &copy.options)?;
    let target = Path::new(copy.target.strip_prefix("file://").unwrap_or(&copy.target));
    if copy.target.contains("://") && !copy.target.starts_with("file://") {
        return Err(HandlerError::unsupported(format!(
            "COPY writes text to local files only, not to {}; use STORED AS PARQUET there",
            copy.target
        )));
    }
    let format = options.format.or_else(|| LoadFormat::of_path(target)).unwrap_or(LoadFormat::Csv);
    let frame = rows(executor, &copy.source).await?;
    let schema = Arc::clone(frame.schema().inner());
    let mut stream = frame.execute_stream().await?;
    let mut file = HalfFile::create(target)?;
    let mut writer =
        RowWriter::new(file.take_writer()?, format, &options, &schema).map_err(|e| failed(target, e))?;
    let mut count = 0;
    while let Some(batch) = stream.next().await {
        let batch = batch?;
        count += batch.num_rows() as u64;
        writer.write(&batch)?;
    }
    writer.finish().map_err(|error| failed(target, error))?;
    file.complete()?;
    Ok(count)
}

async fn rows(executor: &StatementExecutor, source: &CopySource) -> Result<DataFrame> {
    let context = executor.context();
    match source {
        CopySource::Query(query) => {
            let statement = EngineStatement::Statement(Box::new(SqlStatement::Query(query.clone())));
            let plan = context.state().statement_to_plan(statement).await?;
            Ok(context.execute_logical_plan(plan).await?)
        }
        CopySource::Table { table, position, columns } => {
            let frame = match context.table(table.clone()).await {
                Ok(frame) => frame,
                Err(error) => {
                    let name = table.table();
                    let known = executor.catalog().get(name)?.is_some();
                    let error = if known { error.into() } else { executor.catalog().not_found(name) };
                    return Err(error.at(*position));
                }
            };
            if columns.is_empty() {
                return Ok(frame);
            }
            let names: Vec<String> =
                columns.iter().map(|name| crate::statement::quote_identifier(name)).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            Ok(frame.select_columns(&names)?)
        }
    }
}

/// A writer of one of the text formats.
enum RowWriter {
    Csv(CsvWriter<BufWriter<File>>),
    Json(JsonWriter<BufWriter<File>>),
}

impl RowWriter {
    fn new(
        out: BufWriter<File>,
        format: LoadFormat,
        options: &CopyOptions,
        schema: &SchemaRef,
    ) -> std::io::Result<Self> {
        if format == LoadFormat::NdJson {
            return Ok(Self::Json(JsonWriter::new(out, JsonLayout::Lines)));
        }
        let plain = if format == LoadFormat::Tsv { CsvDialect::tabs() } else { CsvDialect::default() };
        let dialect = CsvDialect {
            delimiter: options.delimiter.unwrap_or(plain.delimiter),
            quote: options.quote,
            null: options.null.clone(),
        };
        let mut writer = CsvWriter::new(out, dialect);
        if options.header {
            writer.write_header(schema)?;
        }
        Ok(Self::Csv(writer))
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        match self {
            Self::Csv(writer) => writer.write(batch)?,
            Self::Json(writer) => writer.write(batch)?,
        }
        Ok(())
    }

    fn finish(self) -> std::io::Result<()> {
        let mut out = match self {
            Self::Csv(writer) => writer.finish()?,
            Self::Json(writer) => writer.finish()?,
        };
        out.flush()?;
        out.get_ref().sync_all()
    }
}

fn failed(path: &Path, error: std::io::Error) -> HandlerError {
    HandlerError {
        message: format!("writing {}: {error}", path.display()),
        ..datafusion::error::DataFusionError::IoError(error).into()
    }
}

/// A file under another name until it is whole; a failed statement leaves nothing.
struct HalfFile {
    target: PathBuf,
    half: PathBuf,
    file: Option<File>,
}

impl HalfFile {
    fn create(target: &Path) -> Result<Self> {
        let Some(name) = target.file_name() else {
            return Err(HandlerError::new(
                ErrorKind::Invalid,
                format!("COPY needs the name of a file, not '{}'", target.display()),
            ));
        };
        if let Some(folder) = target.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
        }
        let mut half = name.to_owned();
        half.push(".part");
        let half = target.with_file_name(half);
        let file = File::create(&half).map_err(|error| failed(&half, error))?;
        Ok(Self { target: target.to_owned(), half, file: Some(file) })
    }

    fn take_writer(&mut self) -> Result<BufWriter<File>> {
        let file = self.file.take().ok_or_else(|| HandlerError::internal("a file was written twice"))?;
        Ok(BufWriter::with_capacity(1 << 16, file))
    }

    fn complete(mut self) -> Result<()> {
        let half = std::mem::take(&mut self.half);
        fs::rename(&half, &self.target).map_err(|error| failed(&self.target, error))
    }
}

impl Drop for HalfFile {
    fn drop(&mut self) {
        if !self.half.as_os_str().is_empty() {
            // The statement has failed already, and says why.
            let _ = fs::remove_file(&self.half);
        }
    }
}
