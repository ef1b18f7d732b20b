//! `ostracon parquet`: types of Parquet files.

use std::io::Write;

use ostracon_handler::parquet::{clipped_message, message_of_file};
use ostracon_parquet::Matching;

use crate::args::ParquetCommand;
use crate::error::Result;
use crate::terminal::results;

/// Prints a file's type, or what a request makes of one.
pub(crate) fn run(command: &ParquetCommand) -> Result<()> {
    let text = match command {
        ParquetCommand::Schema { file } => message_of_file(file)?,
        ParquetCommand::Clip { file_schema, requested, case_insensitive, ids } => {
            let matching = if *case_insensitive { Matching::CaseInsensitive } else { Matching::Exact };
            clipped_message(file_schema, requested, matching, ids.as_deref())?
        }
    };
    let mut out = results();
    out.write_all(text.as_bytes())?;
    if !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    Ok(out.flush()?)
}
