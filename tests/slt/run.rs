//! Runs a script in one mode.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use datafusion::physical_plan::{ExecutionPlan, collect};
use futures::TryStreamExt;
use ostracon::data::RowBuffer;
use ostracon::handler::export::ColumnText;
use ostracon::tablets::{Error as StoreError, ScanSpec, Scanner, StoreOptions, TabletStore};
use ostracon::{Authorizations, DataLocation, Error, Session, SessionOptions, StatementOutcome};

use crate::script::{Kind, Record, Script};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Plain,
    Unpushed,
    Flushed,
    Compacted,
    Split,
    Single,
    Bulk,
    Reopened,
}

impl Mode {
    pub(crate) const ALL: [Mode; 8] = [
        Mode::Plain,
        Mode::Unpushed,
        Mode::Flushed,
        Mode::Compacted,
        Mode::Split,
        Mode::Single,
        Mode::Bulk,
        Mode::Reopened,
    ];

    fn settings(self) -> Vec<(String, String)> {
        let setting = |key: &str, value: &str| vec![(key.to_owned(), value.to_owned())];
        match self {
            Mode::Unpushed => setting("ostracon.iterator_pushdown", "false"),
            Mode::Single => setting("datafusion.execution.batch_size", "1"),
            Mode::Bulk => setting("ostracon.bulk_insert_rows", "0"),
            _ => Vec::new(),
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Mode::Plain => "plain",
            Mode::Unpushed => "unpushed",
            Mode::Flushed => "flushed",
            Mode::Compacted => "compacted",
            Mode::Split => "split",
            Mode::Single => "single",
            Mode::Bulk => "bulk",
            Mode::Reopened => "reopened",
        })
    }
}

/// A store and the session on it.
struct World {
    mode: Mode,
    folder: tempfile::TempDir,
    session: Option<Session>,
    auths: String,
}

impl World {
    fn session(&mut self) -> Result<&Session, String> {
        if self.session.is_none() {
            let options = SessionOptions {
                data: DataLocation::Path(self.folder.path().join("data")),
                authorizations: Authorizations::parse(&self.auths).map_err(|error| error.to_string())?,
                settings: self.mode.settings(),
                ..SessionOptions::default()
            };
            self.session = Some(Session::open(options).map_err(|error| error.to_string())?);
        }
        self.session.as_ref().ok_or_else(|| "no session".to_owned())
    }

    /// Closes the session and waits until its store is closed: a cancelled scan ends on its own thread.
    async fn close(&mut self) -> Result<(), String> {
        if self.session.take().is_none() {
            return Ok(());
        }
        let path = self.folder.path().join("data");
        for _ in 0..500 {
            let options = StoreOptions { create: false, ..StoreOptions::default() };
            match TabletStore::open(&path, options) {
                Err(StoreError::Locked { .. }) => tokio::time::sleep(Duration::from_millis(10)).await,
                _ => return Ok(()),
            }
        }
        Err("the store stays open after its session is gone".to_owned())
    }

    async fn execute(&mut self, sql: &str) -> Result<Answer, Error> {
        let sql = sql
            .replace("$DIR", &self.folder.path().display().to_string())
            .replace("$DATA", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data"));
        let session = self.session().map_err(Error::internal)?;
        Ok(match session.execute(&sql).await? {
            StatementOutcome::Rows { stream, .. } => {
                let mut rows = Vec::new();
                for batch in stream.try_collect::<Vec<_>>().await? {
                    let columns: Vec<ColumnText<'_>> =
                        batch.columns().iter().map(ColumnText::new).collect::<Result<_, _>>()?;
                    for row in 0..batch.num_rows() {
                        let values = columns.iter().map(|column| value_text(column, row));
                        rows.push(values.collect::<Result<Vec<_>, _>>()?.join("\t"));
                    }
                }
                Answer::Rows(rows)
            }
            StatementOutcome::Count(count) => Answer::Count(count),
            StatementOutcome::Done => Answer::Done,
        })
    }

    /// What the mode does after a statement that may have written.
    fn settle(&mut self) -> Result<(), String> {
        let mode = self.mode;
        let store = self.session()?.store().existing().map_err(|error| error.to_string())?;
        let Some(store) = store else { return Ok(()) };
        let done = match mode {
            Mode::Flushed => store.flush(None).map(|_| ()),
            Mode::Compacted => store.compact(None).map(|_| ()),
            Mode::Split => {
                for name in store.table_names() {
                    let version = store.table(&name).and_then(|table| table.version());
                    let version = version.map_err(|error| error.to_string())?;
                    let mut scanner =
                        Scanner::new(&version, &ScanSpec::default()).map_err(|error| error.to_string())?;
                    let (mut row, mut rows) = (RowBuffer::new(), Vec::new());
                    while scanner.next_row(&mut row).map_err(|error| error.to_string())? {
                        rows.push(row.row().to_vec());
                    }
                    let points: Vec<Vec<u8>> =
                        rows.iter().skip(1).step_by(rows.len() / 3 + 1).cloned().collect();
                    let known = version.extents();
                    let new = points.into_iter().filter(|point| {
                        !point.is_empty()
                            && !known.iter().any(|extent| extent.end_row.as_ref() == Some(point))
                    });
                    let new: Vec<Vec<u8>> = new.collect();
                    if !new.is_empty() {
                        store.split(&name, new).map_err(|error| error.to_string())?;
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        };
        done.map_err(|error| error.to_string())
    }

    /// The rows that a query's scans read.
    async fn rows_read(&mut self, sql: &str) -> Result<u64, Error> {
        let context = self.session().map_err(Error::internal)?.context().clone();
        let plan = context.sql(sql).await?.create_physical_plan().await?;
        collect(Arc::clone(&plan), context.task_ctx()).await?;
        Ok(total(&plan, "rows_read"))
    }
}

enum Answer {
    Rows(Vec<String>),
    Count(u64),
    Done,
}

fn value_text(column: &ColumnText<'_>, row: usize) -> Result<String, Error> {
    if column.is_null(row) {
        return Ok("NULL".to_owned());
    }
    let mut text = String::new();
    column.write_text(row, &mut text)?;
    Ok(if text.is_empty() { "''".to_owned() } else { text.replace('\t', "\\t").replace('\n', "\\n") })
}

fn total(plan: &Arc<dyn ExecutionPlan>, name: &str) -> u64 {
    let own =
        plan.metrics().and_then(|metrics| metrics.sum_by_name(name)).map_or(0, |value| value.as_usize());
    own as u64 + plan.children().into_iter().map(|child| total(child, name)).sum::<u64>()
}

/// Runs all records; the first that fails ends the script.
pub(crate) async fn run(script: &mut Script, mode: Mode, updating: bool) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut world = World { mode, folder, session: None, auths: String::new() };
    let mut reads = None;
    for record in &mut script.records {
        if mode == Mode::Reopened {
            world.close().await?;
        }
        let line = record.line;
        match &record.kind {
            Kind::Only(modes) if !modes.contains(&mode.to_string()) => return Ok(()),
            Kind::Only(_) => {}
            Kind::Auths(auths) => {
                world.auths.clone_from(auths);
                world.close().await?;
            }
            Kind::Reads { rows, modes } => {
                reads = Some(*rows).filter(|_| modes.is_empty() || modes.contains(&mode.to_string()));
            }
            _ => {
                let done = one(&mut world, record, updating).await;
                done.map_err(|problem| format!("{line}: mode {mode}: {problem}\n    {}", record.sql))?;
                if let (Some(wanted), Kind::Query { .. }) = (reads.take(), &record.kind)
                    && mode != Mode::Unpushed
                {
                    let read =
                        world.rows_read(&record.sql).await.map_err(|error| format!("{line}: {error}"))?;
                    if read != wanted {
                        return Err(format!(
                            "{line}: mode {mode}: {read} rows read, wanted {wanted}\n    {}",
                            record.sql
                        ));
                    }
                }
            }
        }
    }
    Ok(())
}

async fn one(world: &mut World, record: &mut Record, updating: bool) -> Result<(), String> {
    if record.kind == Kind::Scan {
        return scan_lines(world, record, updating).await;
    }
    let answer = world.execute(&record.sql).await;
    match (&record.kind, answer) {
        (Kind::Ok, Ok(_)) => world.settle(),
        (Kind::Count(wanted), Ok(Answer::Count(count))) if *wanted == count => world.settle(),
        (Kind::Count(wanted), Ok(Answer::Count(count))) => {
            Err(format!("{count} rows written, wanted {wanted}"))
        }
        (Kind::Count(_), Ok(_)) => Err("no count of rows".to_owned()),
        (Kind::Ok | Kind::Count(_) | Kind::Query { .. }, Err(error)) => {
            Err(format!("{}: {error}", error.kind))
        }
        (Kind::Error { kind, text }, Err(error)) => {
            let right_kind = kind == "any" || kind == error.kind.as_str();
            if right_kind && error.message.contains(text.as_str()) {
                Ok(())
            } else {
                Err(format!("wanted {kind} `{text}`, found {}: {error}", error.kind))
            }
        }
        (Kind::Error { .. }, Ok(_)) => Err("it succeeded".to_owned()),
        (Kind::Query { sorted }, Ok(Answer::Rows(mut found))) => {
            let mut wanted = record.expected.clone();
            if *sorted {
                found.sort();
                wanted.sort();
            }
            compare(record, wanted, found, updating)
        }
        (Kind::Query { .. }, Ok(_)) => Err("it gave no rows".to_owned()),
        (kind, _) => Err(format!("{kind:?} is not run")),
    }
}

fn compare(
    record: &mut Record,
    wanted: Vec<String>,
    found: Vec<String>,
    updating: bool,
) -> Result<(), String> {
    if updating {
        record.found = Some(found);
        return Ok(());
    }
    if wanted == found {
        return Ok(());
    }
    Err(format!("wanted\n{}\nfound\n{}", wanted.join("\n"), found.join("\n")))
}

async fn scan_lines(world: &mut World, record: &mut Record, updating: bool) -> Result<(), String> {
    if world.mode != Mode::Plain {
        return Ok(());
    }
    let explained = world.execute(&format!("EXPLAIN {}", record.sql)).await;
    let Ok(Answer::Rows(rows)) = explained else { return Err("EXPLAIN failed".to_owned()) };
    let text = rows.join("\n").replace("\\n", "\n");
    let scans = text.split(['\n', '\t']).map(str::trim).filter(|line| line.starts_with("TabletScan: "));
    let found: Vec<String> = scans.map(|line| line.trim_end_matches('"').to_owned()).collect();
    let wanted = record.expected.clone();
    compare(record, wanted, found, updating)
}
