//! W2 and W3: rows by key, and short ranges of keys.

use std::path::Path;

use arrow::array::AsArray;
use arrow::datatypes::Decimal128Type;
use ostracon::Session;

use crate::Failure;
use crate::measure::{Answer, Report, best_of};
use crate::options::Options;
use crate::table::{count, rows};

const PRICE: usize = 5;

/// Keys a range spans: orders lie eight in every 32 keys, and have four rows each.
const SPAN: i64 = 100;

/// Statements by SQL text, which are planned anew each time: fewer, for they take long.
const BY_TEXT: usize = 1_000;

/// Asks for every key of the key files, twice.
pub(crate) async fn run(session: &Session, options: &Options, report: &Report) -> Result<(), Failure> {
    let points = integers(&options.data.join("cols/points.bin"))?;
    let ranges = integers(&options.data.join("cols/ranges.bin"))?;
    rows(session, "PREPARE point AS SELECT * FROM lineitem WHERE l_orderkey = $1 AND l_linenumber = $2")
        .await?;
    rows(session, "PREPARE span AS SELECT * FROM lineitem WHERE l_orderkey >= $1 AND l_orderkey < $2")
        .await?;
    if options.wants("W2-points") {
        let sql = |order: i64, line: i64| format!("EXECUTE point({order}, {line})");
        let (times, answer) =
            best_of(2, async || one_by_one(session, &points, usize::MAX, sql).await).await?;
        report.line("W2-points", times, &answer);
    }
    if options.wants("W2-text") {
        let sql = |order: i64, line: i64| {
            format!("SELECT * FROM lineitem WHERE l_orderkey = {order} AND l_linenumber = {line}")
        };
        let (times, answer) = best_of(2, async || one_by_one(session, &points, BY_TEXT, sql).await).await?;
        report.line("W2-text", times, &answer);
    }
    if options.wants("W3-ranges") {
        let (times, answer) = best_of(2, async || {
            let mut found = 0;
            for start in &ranges {
                let span = format!("EXECUTE span({start}, {})", start + SPAN);
                found += count(&rows(session, &span).await?);
            }
            Ok(Answer::rows(found))
        })
        .await?;
        report.line("W3-ranges", times, &answer);
    }
    Ok(())
}

/// One statement a key; the check is the sum of the prices found.
async fn one_by_one(
    session: &Session,
    points: &[i64],
    at_most: usize,
    sql: impl Fn(i64, i64) -> String,
) -> Result<Answer, Failure> {
    let (mut found, mut cents) = (0, 0);
    for point in points.chunks_exact(2).take(at_most) {
        let &[order, line] = point else { continue };
        let batches = rows(session, &sql(order, line)).await?;
        let of_key = count(&batches);
        if of_key != 1 {
            return Err(format!("the key ({order}, {line}) has {of_key} rows").into());
        }
        found += of_key;
        let prices = batches.iter().map(|batch| batch.column(PRICE).as_primitive::<Decimal128Type>());
        cents += prices.flat_map(|prices| prices.values().iter()).sum::<i128>();
    }
    Ok(Answer { rows: found, check: format!("{}.{:02}", cents / 100, cents % 100) })
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
