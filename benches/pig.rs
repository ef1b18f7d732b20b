//! Pig Latin beside SQL on the same engine and the same files: `cargo bench --bench pig [ROWS]`.
//!
//! Rows like those of TPC-H's lineitem at scale 0.1 (600,000 unless told otherwise) are made, written as text between
//! tabs, and grouped and joined by a script and by SQL in turn; each time is the best of seven. Scripts store their
//! results, as SQL's are collected, so both end with all rows in hand.

#![allow(clippy::print_stdout, reason = "the figures are the output")]

use std::fmt::Write as _;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::prelude::CsvReadOptions;
use ostracon::pig::engine::Engine;
use ostracon::pig::run::Host;
use ostracon::piglatin::ScriptParser;
use ostracon::piglatin::ast::ShellCommand;
use ostracon::piglatin::preprocess::Isolated;
use ostracon::{DataLocation, Session, SessionOptions};
use tokio::runtime::Runtime;

type Failure = Box<dyn std::error::Error>;

/// Times that each work is done.
const TIMES: usize = 7;

/// What a script prints goes here.
#[derive(Default)]
struct Printed(Vec<u8>);

impl Host for Printed {
    fn output(&mut self) -> &mut (dyn std::io::Write + Send) {
        &mut self.0
    }

    fn shell(&mut self, command: &ShellCommand) -> ostracon::pig::error::Result<()> {
        Err(ostracon::pig::error::PigError::invalid(format!("no shell: {}", command.command.text)))
    }
}

fn main() -> Result<(), Failure> {
    let rows = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(600_000);
    let runtime = Runtime::new()?;
    runtime.block_on(measure(rows))
}

async fn measure(rows: u64) -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    files(folder.path(), rows)?;
    let session = Session::open(SessionOptions { data: DataLocation::Memory, ..SessionOptions::default() })?;
    let engine = session.pig();
    let text = |name: &str, ty| Field::new(name, ty, true);
    let lineitem = Schema::new(vec![
        text("orderkey", DataType::Int64),
        text("partkey", DataType::Int64),
        text("quantity", DataType::Float64),
        text("price", DataType::Float64),
        text("flag", DataType::Utf8),
        text("comment", DataType::Utf8),
    ]);
    let part = Schema::new(vec![text("partkey", DataType::Int64), text("brand", DataType::Utf8)]);
    for (name, schema) in [("lineitem", &lineitem), ("part", &part)] {
        let path = folder.path().join(format!("{name}.tsv")).display().to_string();
        let options =
            CsvReadOptions::new().delimiter(b'\t').has_header(false).schema(schema).file_extension("tsv");
        session.context().register_csv(name, path, options).await?;
    }
    let typed =
        "orderkey:long, partkey:long, quantity:double, price:double, flag:chararray, comment:chararray";
    let works = [
        (
            "group and sum",
            "g = GROUP l BY flag; r = FOREACH g GENERATE group, SUM(l.quantity), SUM(l.price), COUNT(l);",
            "SELECT flag, sum(quantity), sum(price), count(flag) FROM lineitem GROUP BY flag",
        ),
        (
            "group and sum, many groups",
            "g = GROUP l BY partkey; r = FOREACH g GENERATE group, SUM(l.quantity);",
            "SELECT partkey, sum(quantity) FROM lineitem GROUP BY partkey",
        ),
        (
            "join, group and sum",
            "p = LOAD '$dir/part.tsv' AS (partkey:long, brand:chararray); j = JOIN l BY partkey, p BY partkey;
             g = GROUP j BY brand; r = FOREACH g GENERATE group, SUM(j.price);",
            "SELECT brand, sum(price) FROM lineitem JOIN part USING (partkey) GROUP BY brand",
        ),
    ];
    println!("{:<28} {:>9} {:>9} {:>6}   untyped {:>6}", "work", "Pig", "SQL", "ratio", "ratio");
    for (name, pig, sql) in works {
        let pig = pig.replace("$dir", &folder.path().display().to_string());
        let load = format!("l = LOAD '{}/lineitem.tsv'", folder.path().display());
        let with_types = format!("{load} AS ({typed}); {pig} DUMP r;");
        let without = format!("{load} AS ({}); {pig} DUMP r;", untyped(typed));
        let mut best = [Duration::MAX; 3];
        let mut counts = [0; 3];
        for _ in 0..TIMES {
            let (took, found) = timed(run(&engine, &with_types)).await?;
            (best[0], counts[0]) = (best[0].min(took), found);
            let (took, found) = timed(async { query(&session, sql).await }).await?;
            (best[1], counts[1]) = (best[1].min(took), found);
            let (took, found) = timed(run(&engine, &without)).await?;
            (best[2], counts[2]) = (best[2].min(took), found);
        }
        if counts[0] != counts[1] || counts[0] != counts[2] {
            return Err(format!("{name}: {counts:?} rows").into());
        }
        let ms = |took: Duration| took.as_secs_f64() * 1000.0;
        println!(
            "{name:<28} {:>6.1} ms {:>6.1} ms {:>6.2} {:>6.1} ms {:>6.2}",
            ms(best[0]),
            ms(best[1]),
            ms(best[0]) / ms(best[1]),
            ms(best[2]),
            ms(best[2]) / ms(best[0])
        );
    }
    let script = hundred_lines(folder.path())?;
    let mut best = Duration::MAX;
    for _ in 0..TIMES {
        let started = Instant::now();
        engine.session(0, 0).check(ScriptParser::new(&Isolated, &Isolated), "script", &script)?;
        best = best.min(started.elapsed());
    }
    println!("checking {} lines: {:.2} ms", script.lines().count(), best.as_secs_f64() * 1000.0);
    Ok(())
}

async fn timed(work: impl Future<Output = Result<usize, Failure>>) -> Result<(Duration, usize), Failure> {
    let started = Instant::now();
    let found = work.await?;
    Ok((started.elapsed(), found))
}

async fn run(engine: &Engine, script: &str) -> Result<usize, Failure> {
    let mut session = engine.session(0, 0);
    let checked = session.check(ScriptParser::new(&Isolated, &Isolated), "script", script)?;
    let mut printed = Printed::default();
    session.run(&checked, &mut printed).await?;
    Ok(printed.0.iter().filter(|byte| **byte == b'\n').count())
}

async fn query(session: &Session, sql: &str) -> Result<usize, Failure> {
    let batches = session.context().sql(sql).await?.collect().await?;
    Ok(batches.iter().map(|batch| batch.num_rows()).sum())
}

/// The fields without their types: arithmetic gives them types at run time.
fn untyped(fields: &str) -> String {
    let names: Vec<&str> = fields.split(", ").filter_map(|field| field.split(':').next()).collect();
    names.join(", ")
}

fn files(folder: &Path, rows: u64) -> Result<(), Failure> {
    let parts = (rows / 30).max(1);
    let mut lineitem = BufWriter::new(std::fs::File::create(folder.join("lineitem.tsv"))?);
    for row in 0..rows {
        // Numbers in no order, the same in each run.
        let mixed = row.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        writeln!(
            lineitem,
            "{}\t{}\t{}.0\t{}.{:02}\t{}\tcomment of line {}",
            row / 4,
            mixed % parts,
            mixed % 50 + 1,
            mixed % 90_000,
            mixed % 100,
            ["A", "N", "R"][usize::try_from(mixed % 3)?],
            mixed % 1000
        )?;
    }
    lineitem.flush()?;
    let mut part = BufWriter::new(std::fs::File::create(folder.join("part.tsv"))?);
    for row in 0..parts {
        writeln!(part, "{row}\tBrand#{}", row % 25)?;
    }
    Ok(part.flush()?)
}

/// A script of a hundred lines, each a statement over the one before it.
fn hundred_lines(folder: &Path) -> Result<String, Failure> {
    let mut script =
        format!("r0 = LOAD '{}/part.tsv' AS (partkey:long, brand:chararray);\n", folder.display());
    for line in 1..99 {
        let before = line - 1;
        let statement = match line % 4 {
            0 => format!("FILTER r{before} BY partkey % 7 != {line} AND brand MATCHES '.*#.*'"),
            1 => format!("FOREACH r{before} GENERATE partkey + {line} AS partkey, UPPER(brand) AS brand"),
            2 => format!("ORDER r{before} BY brand DESC, partkey"),
            _ => format!("DISTINCT r{before}"),
        };
        writeln!(script, "r{line} = {statement};")?;
    }
    script.push_str("DUMP r98;\n");
    Ok(script)
}
