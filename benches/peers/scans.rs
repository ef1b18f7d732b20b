//! W4, W5, W7 and W8: queries over the whole table or a part of it.

use ostracon::Session;

use crate::Failure;
use crate::measure::{Answer, Report, best_of, memory};
use crate::options::Options;
use crate::table::{SF1_ROWS, count, first_row, rows};

/// A query, and what it answers at scale factor 1.
struct Query {
    name: &'static str,
    sql: &'static str,
    /// The columns of the first row that are compared.
    checked: &'static [usize],
    rows: u64,
    check: &'static str,
}

const QUERIES: [Query; 5] = [
    Query {
        name: "W8-count",
        sql: "SELECT count(*) FROM lineitem",
        checked: &[0],
        rows: 1,
        check: "6001215",
    },
    Query {
        name: "W4-filter1pct",
        sql: "SELECT l_orderkey, l_linenumber, l_extendedprice FROM lineitem
              WHERE l_shipdate >= DATE '1994-01-01' AND l_shipdate < DATE '1994-01-26'",
        checked: &[],
        rows: 61_732,
        check: "",
    },
    Query {
        name: "W5-Q6",
        sql: "SELECT sum(l_extendedprice * l_discount) FROM lineitem
              WHERE l_shipdate >= DATE '1994-01-01' AND l_shipdate < DATE '1995-01-01'
                AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24",
        checked: &[0],
        rows: 1,
        check: "123141078.2283",
    },
    Query {
        name: "W5-Q1",
        sql: "SELECT l_returnflag, l_linestatus, sum(l_quantity), sum(l_extendedprice),
                     sum(l_extendedprice * (1 - l_discount)), sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)),
                     avg(l_quantity), avg(l_extendedprice), avg(l_discount), count(*)
              FROM lineitem WHERE l_shipdate <= DATE '1998-09-02'
              GROUP BY l_returnflag, l_linestatus ORDER BY l_returnflag, l_linestatus",
        checked: &[4],
        rows: 4,
        check: "53758257134.8700",
    },
    Query {
        name: "W7-range+filter",
        sql: "SELECT count(*), sum(l_extendedprice) FROM lineitem
              WHERE l_orderkey >= 1000000 AND l_orderkey < 1600000 AND l_quantity < 5 AND l_shipmode = 'AIR'",
        checked: &[0, 1],
        rows: 1,
        check: "6938, 25533400.23",
    },
];

/// Asks each query three times. Then says how much more memory the process took than before, in bytes: with a small
/// cache, that is what the threads that scan hold.
pub(crate) async fn run(session: &Session, options: &Options, report: &Report) -> Result<(), Failure> {
    rows(session, "SELECT l_tax FROM lineitem WHERE l_orderkey = 1").await?;
    let before = memory("VmRSS");
    let whole = count_rows(session).await? == SF1_ROWS;
    for query in QUERIES.iter().filter(|query| options.wants(query.name)) {
        let (times, answer) = best_of(3, async || {
            let batches = rows(session, query.sql).await?;
            let check = first_row(&batches, query.checked.iter().copied())?;
            Ok(Answer { rows: count(&batches), check })
        })
        .await?;
        report.line(query.name, times, &answer);
        if whole && (answer.rows, answer.check.as_str()) != (query.rows, query.check) {
            return Err(format!("{}: {answer:?}, not {} and {}", query.name, query.rows, query.check).into());
        }
    }
    report.number("memory-scans", memory("VmHWM").saturating_sub(before));
    Ok(())
}

async fn count_rows(session: &Session) -> Result<u64, Failure> {
    Ok(first_row(&rows(session, "SELECT count(*) FROM lineitem").await?, [0])?.parse()?)
}
