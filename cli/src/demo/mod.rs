//! `ostracon demo`: the store on real data, from nothing.
//!
//! It makes the tables of [`data`], loads the bundled files, asks each of [`questions`] twice, with pushdown on and off,
//! and shows what was read, what came back and how long it took; [`latin`] asks in Pig Latin as well. Answers that
//! differ fail the demo: they must not.

mod ask;
mod data;
mod latin;
mod questions;

use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

use ostracon::Session;
use ostracon_handler::ErrorKind;
use ostracon_handler::load::{LoadOptions, LoadProgress};

use self::ask::{Answer, ask, execute, scan_lines};
use self::data::{FILES, TABLES};
use self::questions::{QUESTIONS, Question};
use crate::error::{CliError, Result};
use crate::format::{Format, ResultWriter};
use crate::progress::{Counters, ReadBar};
use crate::runner::{open_session, shown_time};
use crate::settings::StoreSettings;
use crate::terminal::{grouped, results};

/// Rows of an answer that are shown.
const SHOWN: usize = 5;

/// Runs the demo; without a folder of the person's own it leaves nothing behind.
pub(crate) async fn run(settings: &StoreSettings, keep: bool, progress: bool) -> Result<()> {
    let started = Instant::now();
    let scratch = tempfile::tempdir()?;
    let settings = match keep {
        true => settings.clone(),
        false => StoreSettings { folder: Some(scratch.path().join("data")), ..settings.clone() },
    };
    let session = open_session(&settings)?;
    let mut out = results();
    heading(&mut out, "Tables")?;
    let wanted = make_tables(&session, &mut out).await?;
    heading(&mut out, "Loading two months of New York departures")?;
    load(&session, scratch.path(), &wanted, progress, &mut out).await?;
    let mut slowest_gain: f64 = 0.0;
    for (number, question) in QUESTIONS.iter().enumerate() {
        heading(&mut out, &format!("{}. {}", number + 1, question.asks))?;
        let gain = compare(&session, question, &mut out).await?;
        slowest_gain = slowest_gain.max(gain);
    }
    heading(&mut out, "The same store in Pig Latin: which airlines ran late?")?;
    latin::compare(&session, &mut out).await?;
    heading(&mut out, "Done")?;
    writeln!(
        out,
        "{} questions with the same answers with pushdown on and off, and one in two languages.",
        QUESTIONS.len()
    )?;
    writeln!(
        out,
        "The largest gain was {slowest_gain:.0} times; all of it took {:.1} s.",
        started.elapsed().as_secs_f64()
    )?;
    if let Some(folder) = settings.folder.filter(|_| keep) {
        writeln!(out, "The tables are kept: ostracon --data {}", folder.display())?;
    } else {
        writeln!(out, "Nothing is kept; `ostracon demo --data DIR` keeps the tables to play with.")?;
    }
    out.flush()?;
    Ok(())
}

fn heading(out: &mut impl Write, text: &str) -> Result<()> {
    writeln!(out, "\n=== {text}")?;
    out.flush()?;
    Ok(())
}

/// Makes the tables that are not there; gives the names of the new ones, which are to be loaded.
async fn make_tables(session: &Session, out: &mut impl Write) -> Result<Vec<&'static str>> {
    let mut made = Vec::new();
    for table in &TABLES {
        if session.catalog().get(table.table)?.is_some() {
            writeln!(out, "-- {} is there already and is used as it is", table.table)?;
            continue;
        }
        writeln!(out, "-- {}\n{};", table.about, table.sql)?;
        execute(session, table.sql).await?;
        made.push(table.table);
    }
    Ok(made)
}

async fn load(
    session: &Session,
    scratch: &std::path::Path,
    wanted: &[&str],
    show_progress: bool,
    out: &mut impl Write,
) -> Result<()> {
    for file in FILES.iter().filter(|file| wanted.contains(&file.table)) {
        let path = scratch.join(format!("{}.csv.gz", file.table));
        std::fs::write(&path, file.bytes)?;
        let started = Instant::now();
        let progress = Arc::new(LoadProgress::default());
        let counted = Arc::clone(&progress);
        let bar = show_progress.then(|| ReadBar::start(move || Counters::of_load(&counted)));
        let rows = session.load(file.table, &[path], LoadOptions::default(), progress).await?;
        drop(bar);
        let seconds = started.elapsed().as_secs_f64();
        writeln!(out, "{:9} {:>7} rows in {seconds:.2} s, one atomic statement", file.table, grouped(rows))?;
        out.flush()?;
    }
    Ok(())
}

/// Asks with pushdown on and off; gives how many times faster it was on.
async fn compare(session: &Session, question: &Question, out: &mut impl Write) -> Result<f64> {
    writeln!(out, "{}\n\n{};\n", question.shows, question.sql)?;
    let on = best(session, question.sql).await?;
    execute(session, "SET ostracon.iterator_pushdown = false").await?;
    let off = best(session, question.sql).await;
    execute(session, "SET ostracon.iterator_pushdown = true").await?;
    let off = off?;
    show_rows(&on, out)?;
    writeln!(out, "\npushdown    rows read   handed over  best of two")?;
    for (name, answer) in [("on", &on), ("off", &off)] {
        let (read, returned) = (grouped(answer.rows_read), grouped(answer.rows_returned));
        writeln!(out, "{name:8} {read:>12} {returned:>13} {:>12}", shown_time(answer.elapsed))?;
    }
    if on.rows()? != off.rows()? {
        out.flush()?;
        let message = format!("the answers with and without pushdown differ: {}", question.asks);
        return Err(CliError::new(ErrorKind::Internal, message));
    }
    let count = on.count();
    writeln!(out, "The answers are equal ({} {}).", grouped(count), if count == 1 { "row" } else { "rows" })?;
    if question.explain {
        writeln!(out, "\nEXPLAIN ANALYZE, the scan:")?;
        for line in scan_lines(session, question.sql).await? {
            writeln!(out, "{line}")?;
        }
    }
    out.flush()?;
    Ok(off.elapsed.as_secs_f64() / on.elapsed.as_secs_f64().max(1e-6))
}

/// The faster of two runs: the first one pays for cold caches, with pushdown or without.
async fn best(session: &Session, sql: &str) -> Result<Answer> {
    let first = ask(session, sql).await?;
    let second = ask(session, sql).await?;
    Ok(if second.elapsed < first.elapsed { second } else { first })
}

fn show_rows(answer: &Answer, out: &mut impl Write) -> Result<()> {
    let mut writer = ResultWriter::new(Format::Table, &answer.schema, &mut *out)?;
    let mut left = SHOWN;
    for batch in &answer.batches {
        let taken = left.min(batch.num_rows());
        writer.write(&batch.slice(0, taken))?;
        left -= taken;
    }
    writer.finish()?;
    if answer.count() > u64::try_from(SHOWN).unwrap_or(u64::MAX) {
        writeln!(out, "... the first of {} rows", grouped(answer.count()))?;
    }
    Ok(())
}
