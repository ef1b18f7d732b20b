//! W2 and W3: rows by key, and short ranges of keys.

use std::path::Path;

use arrow::array::{AsArray, RecordBatch};
use arrow::datatypes::Decimal128Type;
use datafusion::common::ScalarValue;
use ostracon::Session;

use crate::Failure;
use crate::measure::{Answer, Report, best_of};
use crate::options::Options;
use crate::table::rows;

const PRICE: &str = "l_extendedprice";

/// As many columns as W2-multi4 reads, the two that MyRocks' join looks at among them.
const FOUR_COLUMNS: [&str; 4] = [PRICE, "l_discount", "l_shipdate", "l_comment"];

/// Keys a range spans: orders lie eight in every 32 keys, and have four rows each.
const SPAN: i64 = 100;

/// Statements by SQL text, which are planned anew each time: fewer, for they take long.
const BY_TEXT: usize = 1_000;

/// Asks for every key of the key files, twice.
pub(crate) async fn run(session: &Session, options: &Options, report: &Report) -> Result<(), Failure> {
    let points = integers(&options.data.join("cols/points.bin"))?;
    let points: Vec<Key> = points.as_chunks().0.iter().map(|&[order, line]| Key { order, line }).collect();
    let starts = integers(&options.data.join("cols/ranges.bin"))?;
    if options.wants("W2-points") {
        let point =
            session.prepare("SELECT * FROM lineitem WHERE l_orderkey = ? AND l_linenumber = ?").await?;
        let measured = best_of(2, async || {
            let mut found = Found::default();
            for key in &points {
                found.add_one(*key, &point.query(&key.values()?).await?)?;
            }
            Ok(found.answer())
        });
        let (times, answer) = measured.await?;
        report.line("W2-points", times, &answer);
    }
    if options.wants("W2-get") {
        let lineitem = session.table("lineitem")?;
        let measured = best_of(2, async || {
            let mut found = Found::default();
            for key in &points {
                let row = lineitem.get(&key.values()?)?.ok_or_else(|| key.missing())?;
                found.add_one(*key, row.as_batch())?;
            }
            Ok(found.answer())
        });
        let (times, answer) = measured.await?;
        report.line("W2-get", times, &answer);
    }
    for (name, columns) in [("W2-multi4", Some(&FOUR_COLUMNS)), ("W2-multi", None)] {
        if options.wants(name) {
            multi_get(session, &points, report, name, columns).await?;
        }
    }
    if options.wants("W2-text") {
        let measured = best_of(2, async || {
            let mut found = Found::default();
            for key in points.iter().take(BY_TEXT) {
                let Key { order, line } = key;
                let sql =
                    format!("SELECT * FROM lineitem WHERE l_orderkey = {order} AND l_linenumber = {line}");
                match rows(session, &sql).await?.as_slice() {
                    [batch] => found.add_one(*key, batch)?,
                    _ => return Err(key.missing()),
                }
            }
            Ok(found.answer())
        });
        let (times, answer) = measured.await?;
        report.line("W2-text", times, &answer);
    }
    if options.wants("W3-ranges") {
        let span = session.prepare("SELECT * FROM lineitem WHERE l_orderkey >= ? AND l_orderkey < ?").await?;
        let measured = best_of(2, async || {
            let mut found = 0;
            for start in &starts {
                found += span.query(&[(*start).into(), (*start + SPAN).into()]).await?.num_rows() as u64;
            }
            Ok(Answer::rows(found))
        });
        let (times, answer) = measured.await?;
        report.line("W3-ranges", times, &answer);
    }
    Ok(())
}

/// All keys in one call.
async fn multi_get(
    session: &Session,
    points: &[Key],
    report: &Report,
    name: &str,
    columns: Option<&[&str; 4]>,
) -> Result<(), Failure> {
    let all = session.table("lineitem")?;
    let reader = columns.map_or_else(|| Ok(all.clone()), |columns| all.select(columns))?;
    let measured = best_of(2, async || {
        let keys = points.iter().map(|key| key.values()).collect::<Result<Vec<_>, _>>()?;
        let mut found = Found::default();
        found.add(&reader.multi_get(&keys)?.batch)?;
        Ok(found.answer())
    });
    let (times, answer) = measured.await?;
    if answer.rows != points.len() as u64 {
        return Err(format!("{name}: {} of {} keys were found", answer.rows, points.len()).into());
    }
    report.line(name, times, &answer);
    Ok(())
}

/// A key of lineitem.
#[derive(Debug, Clone, Copy)]
struct Key {
    order: i64,
    line: i64,
}

impl Key {
    fn values(self) -> Result<[ScalarValue; 2], Failure> {
        Ok([self.order.into(), i32::try_from(self.line)?.into()])
    }

    fn missing(self) -> Failure {
        format!("the key ({}, {}) has not one row", self.order, self.line).into()
    }
}

/// Rows found, and the sum of their prices.
#[derive(Debug, Default)]
struct Found {
    rows: u64,
    cents: i128,
}

impl Found {
    fn add_one(&mut self, key: Key, batch: &RecordBatch) -> Result<(), Failure> {
        if batch.num_rows() != 1 {
            return Err(key.missing());
        }
        self.add(batch)
    }

    fn add(&mut self, batch: &RecordBatch) -> Result<(), Failure> {
        let prices = batch.column_by_name(PRICE).ok_or("the price is missing")?;
        self.rows += batch.num_rows() as u64;
        self.cents += prices.as_primitive::<Decimal128Type>().values().iter().sum::<i128>();
        Ok(())
    }

    fn answer(&self) -> Answer {
        Answer { rows: self.rows, check: format!("{}.{:02}", self.cents / 100, self.cents % 100) }
    }
}

/// A file of little-endian i64.
fn integers(path: &Path) -> Result<Vec<i64>, Failure> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let (words, rest) = bytes.as_chunks::<8>();
    if !rest.is_empty() {
        return Err(format!("{}: its length is no multiple of 8", path.display()).into());
    }
    Ok(words.iter().map(|word| i64::from_le_bytes(*word)).collect())
}
