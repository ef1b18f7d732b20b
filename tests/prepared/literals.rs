//! Random values in the place of parameters against the same values in the text.

use std::sync::OnceLock;

use datafusion::common::ScalarValue;
use ostracon::{Prepared, Session};
use proptest::prelude::*;
use proptest::sample::select;

use super::{lines_of, rows, run, session};

/// A value and the SQL that is the same constant.
type Value = (ScalarValue, String);

fn int(value: i64) -> Value {
    (ScalarValue::Int64(Some(value)), if value < 0 { format!("({value})") } else { value.to_string() })
}

fn cast(value: ScalarValue, text: &str, to: &str) -> Value {
    (value, format!("CAST('{text}' AS {to})"))
}

fn decimal(units: i128, precision: u8, scale: i8) -> Value {
    let value = ScalarValue::Decimal128(Some(units), precision, scale);
    let text = format!("arrow_cast('{value}', 'Decimal128({precision}, {scale})')");
    (value, text)
}

fn value() -> impl Strategy<Value = Value> {
    let text = |text: &str| (ScalarValue::from(text), format!("'{text}'"));
    let double =
        |value: f64| (ScalarValue::Float64(Some(value)), format!("arrow_cast('{value:?}', 'Float64')"));
    prop_oneof![
        6 => (-2_i64..6).prop_map(int),
        1 => select(vec![i64::MAX, i64::MIN + 1, 1 << 31, -(1 << 31) - 1, 3_000_000_000]).prop_map(int),
        1 => (-2_i32..6).prop_map(|value| cast(value.into(), &value.to_string(), "INT")),
        1 => (-2_i8..6).prop_map(|value| cast(value.into(), &value.to_string(), "TINYINT")),
        1 => (0_u64..6).prop_map(|value| cast(value.into(), &value.to_string(), "BIGINT UNSIGNED")),
        2 => (-300_i128..600).prop_map(|units| decimal(units, 5, 2)),
        1 => (-3_i128..6).prop_map(|units| decimal(units, 10, 0)),
        2 => select(vec![-1.5, 0.0, -0.0, 1.0, 2.0, 2.5, 1e300, f64::INFINITY]).prop_map(double),
        2 => select(vec!["", "a", "b", "ab", "a%", "%", "_", "3", "2.5", "2024-01-02", "true"]).prop_map(text),
        2 => select(vec!["2024-01-01", "2024-01-02", "1969-12-31"]).prop_map(|day| {
            let value = ScalarValue::from(day).cast_to(&arrow::datatypes::DataType::Date32).unwrap();
            cast(value, day, "DATE")
        }),
        1 => select(vec!["2024-01-02T00:00:00", "2024-01-02T03:04:05.5"]).prop_map(|moment| {
            let micros = arrow::datatypes::DataType::Timestamp(arrow::datatypes::TimeUnit::Microsecond, None);
            let value = ScalarValue::from(moment).cast_to(&micros).unwrap();
            (value, format!("arrow_cast('{moment}', 'Timestamp(µs)')"))
        }),
        1 => any::<bool>().prop_map(|truth| (truth.into(), truth.to_string())),
        2 => Just((ScalarValue::Null, "NULL".to_owned())),
        1 => Just((ScalarValue::Int32(None), "CAST(NULL AS INT)".to_owned())),
    ]
}

const TABLES: &[&str] = &[
    "CREATE TABLE t (a INT, b BIGINT, c VARCHAR, d DECIMAL(6,2), e DOUBLE, f DATE, g TIMESTAMP, h BOOLEAN, PRIMARY KEY (a, b))",
    "CREATE TABLE d (a DECIMAL(6,2), b DATE, c VARCHAR, PRIMARY KEY (a, b))",
    "CREATE TABLE s (a VARCHAR, b DOUBLE, c TINYINT, PRIMARY KEY (a, b))",
    "CREATE EXTERNAL TABLE m (a BIGINT, b INT, c VARCHAR) STORED AS TABLET OPTIONS ('columns.mapping' ':rowid,f:b#b,f:c')",
    "CREATE EXTERNAL TABLE p (a INT, b VARCHAR, c VARCHAR) STORED AS TABLET OPTIONS ('columns.mapping' ':rowid#b,f:b,f:c')",
];

/// What fills the tables: small numbers, so that there is something to be found.
fn inserts() -> Vec<String> {
    let mut rows: [Vec<String>; 5] = Default::default();
    for a in -1..4 {
        for b in 0..4 {
            let n = a * 4 + b;
            let null = |value: String, every: i32| if n % every == 0 { "NULL".to_owned() } else { value };
            rows[0].push(format!(
                "({a}, {b}, {}, {}, {}, {}, {}, {})",
                null(format!("'{}'", ["a", "b", "ab", ""][(b % 4) as usize]), 5),
                null(format!("{}.{}", n % 4, [0, 25, 5][(n.rem_euclid(3)) as usize]), 7),
                null(["0.0", "-0.0", "1.0", "2.5", "-1.5"][n.rem_euclid(5) as usize].to_owned(), 9),
                null(format!("'2024-01-0{}'", 1 + n.rem_euclid(3)), 8),
                null(format!("'2024-01-0{}T03:04:05.5'", 1 + n.rem_euclid(3)), 6),
                null((n % 2 == 0).to_string(), 4),
            ));
            rows[1].push(format!("({}.{}, '2024-01-0{}', 'x{n}')", a, [0, 5][(b % 2) as usize], 1 + b));
            rows[2].push(format!(
                "('{}', {}, {})",
                ["a", "b", "ab", ""][b as usize],
                [0.0, 1.0, 2.5, -1.5, 2.0][(a + 1) as usize],
                n
            ));
            rows[3].push(format!("({n}, {b}, 'c{a}')"));
            rows[4].push(format!("({n}, '{b}', 'c{a}')"));
        }
    }
    let names = ["t", "d", "s", "m", "p"];
    names
        .iter()
        .zip(rows)
        .map(|(name, rows)| format!("INSERT INTO {name} VALUES {}", rows.join(", ")))
        .collect()
}

const STATEMENTS: &[&str] = &[
    "SELECT * FROM t WHERE a = ? AND b = ?",
    "SELECT c, b FROM t WHERE b = ? AND ? = a",
    "SELECT b AS x, c FROM t AS q WHERE q.a = ?",
    "SELECT * FROM t WHERE a >= ? AND a < ?",
    "SELECT a, b FROM t WHERE a BETWEEN ? AND ? AND b <> ?",
    "SELECT a, b FROM t WHERE a NOT BETWEEN ? AND ?",
    "SELECT a, b FROM t WHERE a IN (?, ?, ?) AND b IN (?, 1)",
    "SELECT a, b FROM t WHERE a NOT IN (?, ?)",
    "SELECT a, b, c FROM t WHERE a = ? AND c = ?",
    "SELECT a, b, c FROM t WHERE a < 2 AND c LIKE ?",
    "SELECT a, b, d FROM t WHERE a < 2 AND d = ?",
    "SELECT a, b, d FROM t WHERE a < 2 AND d >= ?",
    "SELECT a, b, e FROM t WHERE a < 2 AND e = ?",
    "SELECT a, b, e FROM t WHERE a < 2 AND e IN (?, ?, ?, ?)",
    "SELECT a, b, f FROM t WHERE a < 2 AND f <= ?",
    "SELECT a, b, g FROM t WHERE a < 2 AND g > ?",
    "SELECT a, b, h FROM t WHERE a < 2 AND h = ?",
    "SELECT a, b FROM t WHERE NOT (a = ?)",
    "SELECT a, b FROM t WHERE a = ? OR (a = 1 AND b > ?)",
    "SELECT a, b FROM t WHERE a IS NOT DISTINCT FROM ?",
    "SELECT a, b, c FROM t WHERE a < 3 AND c IS DISTINCT FROM ?",
    "SELECT a, b FROM t WHERE (a = ?) IS NULL",
    "SELECT a, b FROM t WHERE a > ? ORDER BY a, b LIMIT 3",
    "SELECT a, b FROM t WHERE a = ? ORDER BY b DESC LIMIT 2",
    "SELECT a, b FROM t WHERE a >= ? ORDER BY a DESC, b DESC",
    "SELECT a, b FROM t WHERE CAST(a AS BIGINT) = ? AND b = CAST(? AS INT)",
    "SELECT a + ? AS x, b FROM t WHERE a = 1",
    "SELECT ? AS x, a FROM t WHERE b = 1 AND a > ?",
    "SELECT count(*), sum(d) FROM t WHERE b < ?",
    "SELECT a, count(*) FROM t WHERE b >= ? GROUP BY a HAVING count(*) > ?",
    "SELECT x.a, y.b FROM t x JOIN t y ON x.a = y.b WHERE x.b = ? AND y.a = ?",
    "SELECT a, b FROM t WHERE a IN (SELECT b FROM t WHERE a = ?)",
    "SELECT a, b FROM t WHERE CASE WHEN a = ? THEN b = 1 ELSE b = 2 END",
    "SELECT a, b FROM t WHERE a = 1 AND (? OR b = ?)",
    "SELECT * FROM d WHERE a = ? AND b = ?",
    "SELECT * FROM d WHERE a > ?",
    "SELECT c FROM d WHERE a = ? ORDER BY b",
    "SELECT * FROM s WHERE a = ? AND b = ?",
    "SELECT * FROM s WHERE a >= ? AND a < ?",
    "SELECT * FROM s WHERE a LIKE ?",
    "SELECT * FROM s WHERE a = 'a' AND b > ?",
    "SELECT * FROM m WHERE a = ?",
    "SELECT * FROM m WHERE a BETWEEN ? AND ?",
    "SELECT * FROM m WHERE a > ? AND b = ?",
    "SELECT * FROM p WHERE a = ?",
    "SELECT * FROM p WHERE a >= ? AND b = ?",
    "SELECT c FROM p WHERE a IN (?, ?, ?) ORDER BY a DESC",
];

struct Fixture {
    runtime: tokio::runtime::Runtime,
    session: Session,
    prepared: Vec<Prepared>,
}

fn fixture() -> &'static Fixture {
    static FIXTURE: OnceLock<Fixture> = OnceLock::new();
    FIXTURE.get_or_init(|| {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let (session, prepared) = runtime.block_on(async {
            let session = session();
            run(&session, TABLES).await;
            for insert in inserts() {
                run(&session, &[&insert]).await;
            }
            session.store().create().unwrap().flush(None).unwrap();
            let mut prepared = Vec::new();
            for statement in STATEMENTS {
                let one = session.prepare(statement).await;
                prepared.push(one.unwrap_or_else(|error| panic!("{statement}: {error}")));
            }
            (session, prepared)
        });
        Fixture { runtime, session, prepared }
    })
}

/// The statement with the values in its text.
fn written(statement: &str, values: &[Value]) -> String {
    let mut pieces = statement.split('?');
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for (piece, (_, value)) in pieces.zip(values) {
        text += value;
        text += piece;
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases * 2, ..ProptestConfig::default() })]

    #[test]
    fn a_value_is_what_it_is_in_the_text(nth in 0..STATEMENTS.len(), values in proptest::collection::vec(value(), 5)) {
        let Fixture { runtime, session, prepared } = fixture();
        let (statement, prepared) = (STATEMENTS[nth], &prepared[nth]);
        let values = &values[..statement.matches('?').count()];
        let text = written(statement, values);
        let scalars: Vec<ScalarValue> = values.iter().map(|(value, _)| value.clone()).collect();
        let (wanted, found) = runtime.block_on(async {
            let found = match prepared.execute(&scalars).await {
                Ok(outcome) => lines_of(outcome).await,
                Err(error) => Err(error),
            };
            (rows(session, &text).await, found)
        });
        match (wanted, found) {
            (Ok(mut wanted), Ok(mut found)) => {
                if !statement.contains("ORDER BY") {
                    wanted.sort();
                    found.sort();
                }
                prop_assert_eq!(found, wanted, "{}", text);
            }
            (Err(wanted), Err(found)) => prop_assert_eq!(found.kind, wanted.kind, "{}: {} and {}", text, found, wanted),
            (wanted, found) => prop_assert!(false, "{text}: {found:?}, in the text {wanted:?}"),
        }
    }
}
