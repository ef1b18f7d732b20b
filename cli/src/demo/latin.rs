//! One question in Pig Latin and in SQL, over the same table.

use std::io::Write;
use std::time::Instant;

use arrow::array::{AsArray, RecordBatch};
use futures::TryStreamExt;
use ostracon::{Session, StatementOutcome};
use ostracon_handler::{ErrorKind, HandlerError};

use crate::error::{CliError, Result};
use crate::runner::shown_time;

/// Which airlines ran late, as a script.
const SCRIPT: &str = "\
f = LOAD 'table:flights';
late = FILTER f BY dep_delay > 60;
g = GROUP late BY carrier;
r = FOREACH g GENERATE group AS carrier, COUNT(late) AS flights, MAX(late.dep_delay) AS worst;
o = ORDER r BY flights DESC, carrier;
DUMP o;";

/// The same in SQL.
const SQL: &str = "\
SELECT carrier, count(*) AS flights, max(dep_delay) AS worst
FROM flights WHERE dep_delay > 60 GROUP BY carrier ORDER BY flights DESC, carrier";

/// Asks in both languages; answers that differ are an error.
pub(super) async fn compare(session: &Session, out: &mut impl Write) -> Result<()> {
    writeln!(out, "{SCRIPT}\n")?;
    let started = Instant::now();
    let printed = lines(session, &format!("PIG $$ {SCRIPT} $$")).await?;
    let script = started.elapsed();
    printed.iter().take(super::SHOWN).try_for_each(|line| writeln!(out, "{line}"))?;
    let started = Instant::now();
    // Every column as text, so that a row is what DUMP prints.
    let asked = format!(
        "SELECT '(' || carrier || ',' || CAST(flights AS VARCHAR) || ',' || CAST(worst AS VARCHAR) || ')' FROM ({SQL}) \
         ORDER BY flights DESC, carrier"
    );
    let answered = lines(session, &asked).await?;
    let sql = started.elapsed();
    writeln!(out, "\n{SQL};\n")?;
    writeln!(out, "The script took {}, the query {}.", shown_time(script), shown_time(sql))?;
    if printed != answered {
        out.flush()?;
        return Err(CliError::new(ErrorKind::Internal, "the answers of the script and of SQL differ"));
    }
    writeln!(out, "The answers are equal ({} rows).", printed.len())?;
    Ok(out.flush()?)
}

/// The first column of a statement's rows, which is text.
async fn lines(session: &Session, statement: &str) -> Result<Vec<String>> {
    let StatementOutcome::Rows { stream, .. } = session.execute(statement).await? else {
        return Ok(Vec::new());
    };
    let batches: Vec<RecordBatch> = stream.try_collect().await.map_err(HandlerError::from)?;
    let texts = batches.iter().filter_map(|batch| batch.columns().first()?.as_string_opt::<i32>());
    Ok(texts.flat_map(|texts| texts.iter().flatten().map(str::to_owned)).collect())
}
