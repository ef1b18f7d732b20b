//! Crash test by real `kill -9`: a child process writes statements and says which were acknowledged; the parent kills
//! it at a random moment, opens the store and compares it with a model. Every acknowledged statement must be whole; the
//! one in flight must be whole or absent; nothing else may be visible, and nothing may be left over. Splits, flushes and
//! compactions run beside, and the store compacts by itself. The parent counts what the kills fell into.
//!
//! `make crash ROUNDS=200` sets the number of kills. Run with its own `main`, since the child is this same program.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a test program of its own says what it found")]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use arrow::array::AsArray;
use arrow::datatypes::Int64Type;
use ostracon::tablets::{BackgroundCompaction, StoreOptions};
use ostracon::{DataLocation, Session, SessionOptions, StatementOutcome, parse_script};

type Failure = Box<dyn std::error::Error>;
type Model = BTreeMap<(i64, i64), i64>;

const CHILD: &str = "OSTRACON_CRASH_CHILD";
/// Rows of a statement that spills: its fragments pass the threshold many times over.
const LARGE: i64 = 4_000;
const SPILL_BYTES: usize = 32 << 10;
/// What the child does beside its statements, in turns.
const STEPS: [&str; 3] = ["flush", "split", "compaction"];
/// A statement that goes past the log into an epoch of its own.
const SPILLED: &str = "spilled insert";
/// A statement whose rows become segments.
const LOADED: &str = "bulk insert";
/// A child that has begun nothing by then is killed all the same.
const STARTS_WITHIN: Duration = Duration::from_secs(60);
/// From that many kills on, some must have fallen into a compaction and into either kind of large statement.
const MANY: u64 = 100;

/// What statement `n` does; parent and child agree on it by number alone.
enum Operation {
    Insert { rows: i64 },
    Update { batch: i64 },
    Delete { batch: i64 },
}

fn operation(n: i64) -> Operation {
    match n % 7 {
        0 => Operation::Insert { rows: LARGE },
        4 => Operation::Update { batch: n - 4 },
        5 => Operation::Delete { batch: n - 12 },
        6 => Operation::Update { batch: n - 3 },
        _ => Operation::Insert { rows: 1 + n % 40 },
    }
}

fn sql(n: i64) -> String {
    match operation(n) {
        Operation::Insert { rows } => {
            // Some come in another order than that of their keys.
            let i = if n % 3 == 0 { format!("{rows} + 1 - value") } else { "value".to_owned() };
            format!("INSERT INTO log SELECT {n} AS batch, {i} AS i, {n} AS v FROM generate_series(1, {rows})")
        }
        Operation::Update { batch } => format!("UPDATE log SET v = {n} WHERE batch = {batch}"),
        Operation::Delete { batch } => format!("DELETE FROM log WHERE batch = {batch}"),
    }
}

/// Whether the rows of statement `n`, if it inserts, become segments.
fn loads(n: i64) -> bool {
    n % 2 == 0
}

/// Which way past the log the rows of statement `n` take.
fn way_of(n: i64) -> Option<&'static str> {
    match operation(n) {
        Operation::Insert { .. } if loads(n) => Some(LOADED),
        Operation::Insert { rows: LARGE } => Some(SPILLED),
        _ => None,
    }
}

fn apply(model: &mut Model, n: i64) {
    match operation(n) {
        Operation::Insert { rows } => model.extend((1..=rows).map(|i| ((n, i), n))),
        Operation::Update { batch } => {
            model.iter_mut().filter(|(key, _)| key.0 == batch).for_each(|(_, v)| *v = n);
        }
        Operation::Delete { batch } => model.retain(|key, _| key.0 != batch),
    }
}

fn main() -> ExitCode {
    if let Ok(first) = std::env::var(CHILD) {
        return finish(child(&first));
    }
    let rounds = std::env::var("OSTRACON_CRASH_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(4);
    let seed = std::env::var("OSTRACON_CRASH_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    finish(parent(rounds, seed).map(|kills| {
        println!("crash: {kills}");
        println!("1 passed, 0 failed");
    }))
}

fn finish(outcome: Result<(), Failure>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("crash: {problem}");
            println!("0 passed, 1 failed");
            ExitCode::FAILURE
        }
    }
}

fn open(data: &Path, background: Option<BackgroundCompaction>) -> Result<Session, Failure> {
    let options = SessionOptions {
        data: DataLocation::Path(data.to_owned()),
        store: StoreOptions {
            spill_threshold: SPILL_BYTES,
            segment_rows: 256,
            background,
            ..StoreOptions::default()
        },
        ..SessionOptions::default()
    };
    Ok(Session::open(options)?)
}

// ------------------------------------------------------------------ the child: writes until it is killed

fn child(argument: &str) -> Result<(), Failure> {
    let (first, data) = argument.split_once('\n').ok_or("the child's argument is `number\\nfolder`")?;
    let first: i64 = first.parse()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let background = BackgroundCompaction {
        interval: Duration::from_millis(11),
        freeze_bytes: SPILL_BYTES as u64,
        unmerged_fragments: LARGE as u64,
        ..BackgroundCompaction::default()
    };
    let session = open(Path::new(data), Some(background))?;
    let store = session.store().create()?;
    std::thread::spawn(move || {
        // What a server does in the background; each step's failure ends the child, which the parent sees as an early exit.
        for step in 0u64.. {
            std::thread::sleep(Duration::from_millis(7));
            let kind = STEPS[(step % 3) as usize];
            println!("start {kind}");
            let done = match kind {
                "flush" => store.flush(None).map(drop),
                "split" => {
                    // Any bytes may split: 8 bytes of a sign-flipped batch number are the likely ones.
                    let point = (0x8000_0000_0000_0000 + step).to_be_bytes().to_vec();
                    match store.table_names().first() {
                        Some(name) => store.split(name, vec![point]).map(drop),
                        None => Ok(()),
                    }
                }
                _ => store.compact(None).map(drop),
            };
            if let Err(problem) = done {
                eprintln!("background: {problem}");
                std::process::exit(3);
            }
            println!("done {kind}");
        }
    });
    let mut out = std::io::stdout();
    for n in first.. {
        writeln!(out, "begin {n}")?;
        out.flush()?;
        let most = if loads(n) { 0 } else { 1 << 20 };
        runtime.block_on(run(&session, &format!("SET ostracon.bulk_insert_rows = {most}; {}", sql(n))))?;
        writeln!(out, "ack {n}")?;
        out.flush()?;
    }
    Ok(())
}

async fn run(session: &Session, text: &str) -> Result<Vec<arrow::array::RecordBatch>, Failure> {
    let mut rows = Vec::new();
    for statement in parse_script(text)? {
        if let StatementOutcome::Rows { stream, .. } = session.execute(&statement.text).await? {
            rows.extend(datafusion::physical_plan::common::collect(stream).await?);
        }
    }
    Ok(rows)
}

// ------------------------------------------------------------------ the parent: kills and compares

fn parent(rounds: u64, seed: u64) -> Result<String, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let started = Instant::now();
    let (mut acknowledged, mut in_flight_kept, mut random) = (0u64, 0u64, seed);
    let mut folder = tempfile::tempdir()?;
    let (mut model, mut next) = (Model::new(), 1i64);
    let mut fell_into: BTreeMap<&str, u64> = BTreeMap::new();
    for round in 0..rounds {
        if round % 8 == 0 {
            folder = tempfile::tempdir()?;
            (model, next) = (Model::new(), 1);
            let session = open(folder.path(), None)?;
            runtime.block_on(run(
                &session,
                "CREATE TABLE log (batch BIGINT, i BIGINT, v BIGINT, PRIMARY KEY (batch, i))",
            ))?;
        }
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let lines = kill_a_writer(folder.path(), next, Duration::from_millis(20 + (random >> 33) % 500))?;
        let (mut begun, mut step) = (None, None);
        for line in &lines {
            match line.split_once(' ') {
                Some(("start", kind)) => step = STEPS.into_iter().find(|known| *known == kind),
                Some(("done", _)) => step = None,
                Some(("begin", n)) => begun = Some(n.parse::<i64>()?),
                Some(("ack", n)) => {
                    apply(&mut model, n.parse()?);
                    acknowledged += 1;
                    next = n.parse::<i64>()? + 1;
                    begun = None;
                }
                _ => return Err(format!("round {round}: the child said {line:?}").into()),
            }
        }
        for kind in step.into_iter().chain(begun.and_then(way_of)) {
            *fell_into.entry(kind).or_default() += 1;
        }
        let found = read(&runtime, folder.path())?;
        let with_last = begun.map(|n| {
            let mut model = model.clone();
            apply(&mut model, n);
            model
        });
        if found != model {
            match with_last.filter(|with_last| *with_last == found) {
                Some(with_last) => {
                    in_flight_kept += 1;
                    model = with_last;
                }
                None => {
                    let lost = model.iter().filter(|(key, v)| found.get(*key) != Some(*v)).count();
                    let extra = found.iter().filter(|(key, v)| model.get(*key) != Some(*v)).count();
                    return Err(format!(
                        "round {round}, seed {seed}: {lost} acknowledged rows lost or changed, {extra} rows too many; in flight: {:?}",
                        begun.map(sql)
                    )
                    .into());
                }
            }
        }
        next = begun.map_or(next, |n| n + 1);
    }
    if acknowledged < rounds {
        return Err(format!("only {acknowledged} statements were acknowledged in {rounds} rounds").into());
    }
    let missed = ["compaction", SPILLED, LOADED].into_iter().find(|kind| !fell_into.contains_key(kind));
    if let Some(kind) = missed.filter(|_| rounds >= MANY) {
        return Err(format!("none of {rounds} kills fell into a {kind}").into());
    }
    let fell_into: Vec<String> = fell_into.iter().map(|(kind, kills)| format!("{kind} {kills}")).collect();
    Ok(format!(
        "{rounds} kills ({}), {acknowledged} statements acknowledged and whole, {in_flight_kept} in flight kept whole, in {:.1} s",
        fell_into.join(", "),
        started.elapsed().as_secs_f64()
    ))
}

/// Kills a child some time after it has begun its first statement; so however slow the machine is, it is at work.
fn kill_a_writer(data: &Path, first: i64, after: Duration) -> Result<Vec<String>, Failure> {
    let mut child = Command::new(std::env::current_exe()?)
        .env(CHILD, format!("{first}\n{}", data.display()))
        .stdout(Stdio::piped())
        .spawn()?;
    let output = child.stdout.take().ok_or("the child has no output")?;
    let (at_work, begun) = std::sync::mpsc::channel();
    let reader = std::thread::spawn(move || {
        let mut lines = Vec::new();
        for line in BufReader::new(output).lines() {
            let line: String = line?;
            if line.starts_with("begin") {
                // Nobody listens any more once the first was told.
                let _ = at_work.send(());
            }
            lines.push(line);
        }
        Ok::<_, std::io::Error>(lines)
    });
    // An error: the child has ended without a statement, which is told below.
    let _ = begun.recv_timeout(STARTS_WITHIN);
    std::thread::sleep(after);
    let early = child.try_wait()?;
    child.kill()?;
    child.wait()?;
    if let Some(status) = early {
        return Err(format!("the child ended by itself: {status}").into());
    }
    Ok(reader.join().map_err(|_| "the reader of the child's output failed")??)
}

fn read(runtime: &tokio::runtime::Runtime, data: &Path) -> Result<Model, Failure> {
    let session = open(data, None)?;
    let mut found = Model::new();
    for batch in runtime.block_on(run(&session, "SELECT batch, i, v FROM log"))? {
        let column = |i: usize| batch.column(i).as_primitive::<Int64Type>().values().to_vec();
        let (batches, is, vs) = (column(0), column(1), column(2));
        found.extend(batches.into_iter().zip(is).zip(vs));
    }
    let problems = session.store().create()?.check()?.problems;
    if !problems.is_empty() {
        return Err(format!("store check found {problems:?}").into());
    }
    Ok(found)
}
