//! Which statements are read in the calling thread: those are ready at once, without a runtime.

use datafusion::common::ScalarValue;
use futures::FutureExt;
use ostracon::{Prepared, Session};

use super::{lines, run, session};

fn int(value: i64) -> ScalarValue {
    ScalarValue::Int64(Some(value))
}

/// A thousand rows of three columns, prepared under a runtime that is gone afterwards.
fn filled(statements: &[&str]) -> (Session, Vec<Prepared>) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let session = session();
        let rows = (0..1000).map(|row| format!("({}, {}, 'v{}', {})", row / 10, row % 10, row, row % 7));
        let insert = format!("INSERT INTO t VALUES {}", rows.collect::<Vec<_>>().join(", "));
        let create = "CREATE TABLE t (k INT, n BIGINT, v VARCHAR, m INT, PRIMARY KEY (k, n))";
        run(&session, &[create, &insert]).await;
        session.store().create().unwrap().flush(None).unwrap();
        let mut prepared = Vec::new();
        for statement in statements {
            prepared.push(
                session.prepare(statement).await.unwrap_or_else(|error| panic!("{statement}: {error}")),
            );
        }
        (session, prepared)
    })
}

/// The rows, if they are there at once. The planned way starts tasks, which panics where there is no runtime.
fn at_once(prepared: &Prepared, values: &[ScalarValue]) -> Option<Vec<String>> {
    let asked = std::panic::AssertUnwindSafe(|| prepared.query(values).now_or_never());
    match std::panic::catch_unwind(asked) {
        Ok(Some(found)) => Some(lines(&found.unwrap())),
        Ok(None) | Err(_) => None,
    }
}

#[test]
fn keys_ranges_and_filters_of_one_table_are() {
    let cases: &[(&str, &[ScalarValue], usize)] = &[
        ("SELECT * FROM t WHERE k = ? AND n = ?", &[int(3), int(4)], 1),
        ("SELECT * FROM t WHERE ? = n AND k = 3", &[int(4)], 1),
        ("SELECT * FROM t WHERE k = ? AND n = ?", &[int(3), ScalarValue::Null], 0),
        ("SELECT * FROM t WHERE k = ? AND n = ?", &[int(1 << 40), int(1)], 0),
        ("SELECT v AS word, k FROM t AS q WHERE q.k = ?", &[int(3)], 10),
        ("SELECT v FROM t WHERE k >= ? AND k < ?", &[int(3), int(14)], 110),
        ("SELECT v FROM t WHERE k BETWEEN ? AND ? AND m = ?", &[int(3), int(9), int(5)], 10),
        ("SELECT v FROM t WHERE k IN (?, ?, ?)", &[int(3), int(4), int(99)], 30),
        (
            "SELECT v FROM t WHERE (k = ? AND n = ?) OR (k = ? AND n > ?)",
            &[int(3), int(4), int(5), int(6)],
            4,
        ),
        ("SELECT v FROM t WHERE k = ? AND v LIKE ?", &[int(3), "%3".into()], 1),
        ("SELECT v FROM t WHERE k = ? ORDER BY n DESC LIMIT ?", &[int(3), int(2)], 2),
        ("SELECT v FROM t WHERE k > ? ORDER BY k, n LIMIT 5", &[int(90)], 5),
        ("SELECT v FROM t WHERE k = ? ORDER BY k DESC, n", &[int(90)], 10),
        ("SELECT v FROM (SELECT v, n AS m FROM t WHERE k = ?) WHERE m = ?", &[int(3), int(4)], 1),
        ("SELECT v FROM t LIMIT ?", &[int(3)], 3),
        ("SELECT v FROM t WHERE k = 3 AND n = 4", &[], 1),
    ];
    let statements: Vec<&str> = cases.iter().map(|(statement, ..)| *statement).collect();
    let (_session, prepared) = filled(&statements);
    for ((statement, values, rows), prepared) in cases.iter().zip(&prepared) {
        let found = at_once(prepared, values).unwrap_or_else(|| panic!("{statement} was planned"));
        assert_eq!(found.len(), *rows, "{statement}");
        assert_eq!(at_once(prepared, values), Some(found), "{statement}, again");
    }
    let backwards = at_once(&prepared[10], &[int(3), int(2)]).unwrap();
    assert_eq!(backwards, ["v39 Utf8", "v38 Utf8"]);
    let onward = at_once(&prepared[11], &[int(90)]).unwrap();
    assert_eq!(onward, ["v910 Utf8", "v911 Utf8", "v912 Utf8", "v913 Utf8", "v914 Utf8"]);
}

#[test]
fn joins_aggregates_and_scans_of_everything_are_not() {
    let cases: &[(&str, &[ScalarValue])] = &[
        ("SELECT count(*) FROM t WHERE k = ?", &[int(3)]),
        ("SELECT v FROM t WHERE m = ?", &[int(3)]),
        ("SELECT v FROM t WHERE k + ? = n", &[int(3)]),
        ("SELECT v FROM t WHERE k = ? ORDER BY v", &[int(3)]),
        ("SELECT v FROM t WHERE k > ? ORDER BY k, n DESC", &[int(3)]),
        ("SELECT v FROM t WHERE k = ? LIMIT 2 OFFSET 1", &[int(3)]),
        ("SELECT a.v FROM t a JOIN t b ON a.k = b.k AND a.n = b.n WHERE a.k = ?", &[int(3)]),
        ("SELECT upper(v) FROM t WHERE k = ?", &[int(3)]),
    ];
    let statements: Vec<&str> = cases.iter().map(|(statement, ..)| *statement).collect();
    let (_session, prepared) = filled(&statements);
    std::panic::set_hook(Box::new(|_| ()));
    let at_once: Vec<_> = cases.iter().zip(&prepared).map(|((_, values), p)| at_once(p, values)).collect();
    let _ = std::panic::take_hook();
    for ((statement, _), found) in cases.iter().zip(at_once) {
        assert_eq!(found, None, "{statement}");
    }
}

#[test]
fn pushdown_off_is_off() {
    let (session, prepared) = filled(&["SELECT v FROM t WHERE k = ? AND n = ?"]);
    let values = [int(3), int(4)];
    assert!(at_once(&prepared[0], &values).is_some());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(run(&session, &["SET ostracon.iterator_pushdown = false"]));
    std::panic::set_hook(Box::new(|_| ()));
    let found = at_once(&prepared[0], &values);
    let _ = std::panic::take_hook();
    assert_eq!(found, None);
    runtime.block_on(run(&session, &["SET ostracon.iterator_pushdown = true"]));
    assert_eq!(at_once(&prepared[0], &values), Some(vec!["v34 Utf8".to_owned()]));
}

#[test]
fn threads_share_a_statement() {
    let (_session, prepared) = filled(&["SELECT v FROM t WHERE k = ? AND n = ?"]);
    let prepared = &prepared[0];
    std::thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || {
                for row in (thread..1000).step_by(7) {
                    let found = at_once(prepared, &[int(row / 10), int(row % 10)]);
                    assert_eq!(found, Some(vec![format!("v{row} Utf8")]));
                }
            });
        }
    });
}
