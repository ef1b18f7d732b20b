//! Rows by key, and a statement that is planned once and run with other values again and again.
//!
//! `cargo run --example prepared`

use std::io::Write;

use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::common::ScalarValue;
use ostracon::{DataLocation, Result, Session, SessionOptions};

#[tokio::main]
async fn main() -> Result<()> {
    let session = Session::open(SessionOptions { data: DataLocation::Memory, ..SessionOptions::default() })?;
    for statement in [
        "CREATE TABLE readings (sensor INT, second BIGINT, value DOUBLE, PRIMARY KEY (sensor, second))",
        "INSERT INTO readings VALUES (1, 10, 110), (1, 20, 120), (1, 30, 130), (2, 10, 210), (2, 40, 240)",
    ] {
        session.execute(statement).await?;
    }
    let mut out = std::io::stdout();

    // One row, and many: no SQL, no plan. Missing keys are left out, `keys` says which were found.
    let readings = session.table("readings")?;
    let key = |sensor: i32, second: i64| [ScalarValue::from(sensor), ScalarValue::from(second)];
    if let Some(row) = readings.get(&key(1, 20))? {
        let _ = writeln!(out, "sensor 1 at 20: {}", row.value("value")?);
    }
    let found = readings.select(&["value"])?.multi_get(&[key(2, 40), key(9, 9), key(1, 10)])?;
    let _ = writeln!(out, "keys found: {:?}\n{}", found.keys, pretty_format_batches(&[found.batch])?);

    // A query with parameters.
    let range = session
        .prepare(
            "SELECT second, value FROM readings WHERE sensor = ? AND second BETWEEN ? AND ? ORDER BY second",
        )
        .await?;
    for (sensor, from, to) in [(1, 15_i64, 35_i64), (2, 0, 99)] {
        let rows = range.query(&[ScalarValue::from(sensor), from.into(), to.into()]).await?;
        let _ = writeln!(out, "sensor {sensor}\n{}", pretty_format_batches(&[rows])?);
    }
    Ok(())
}
