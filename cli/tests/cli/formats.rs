//! Output formats end to end.

use crate::support::Ground;

const SQL: &str = "SELECT CAST(1.50 AS DECIMAL(4,2)) AS d, CAST('NaN' AS DOUBLE) AS n, 9223372036854775807 AS b, \
                   TIMESTAMP '2020-01-01T00:00:00.000001' AS t, x'ff00' AS x, NULL AS z, '' AS e";

fn formatted(format: &str) -> String {
    Ground::new().run(&["--format", format, "-c", SQL]).done()
}

#[test]
fn ndjson_is_exact() {
    assert_eq!(
        formatted("ndjson"),
        "{\"d\":1.50,\"n\":\"NaN\",\"b\":9223372036854775807,\"t\":\"2020-01-01T00:00:00.000001\",\"x\":\"ff00\",\"z\":null,\"e\":\"\"}\n"
    );
}

#[test]
fn ndjson_keeps_names_that_stand_twice_and_nests() {
    let sql =
        "SELECT k AS k, k + 1 AS v, [k, NULL] AS l, named_struct('a', k) AS s FROM (VALUES (1)) AS t(k)";
    let out = Ground::new().run(&["--format", "ndjson", "-c", sql]).done();
    assert_eq!(out, "{\"k\":1,\"v\":2,\"l\":[1,null],\"s\":{\"a\":1}}\n");
    let sql = "SELECT a.k, b.k FROM (VALUES (1)) AS a(k), (VALUES (2)) AS b(k)";
    assert_eq!(Ground::new().run(&["--format", "ndjson", "-c", sql]).done(), "{\"k\":1,\"k\":2}\n");
}

#[test]
fn csv_is_the_default_off_a_terminal() {
    let wanted = "d,n,b,t,x,z,e\n1.50,NaN,9223372036854775807,2020-01-01T00:00:00.000001,\\xff00,,\"\"\n";
    assert_eq!(formatted("csv"), wanted);
    assert_eq!(Ground::new().run(&["-c", SQL]).done(), wanted);
    assert_eq!(formatted("tsv"), wanted.replace(',', "\t"));
}

#[test]
fn the_others_are_for_people() {
    assert!(formatted("json").starts_with("[\n  {\"d\":1.50"));
    assert!(formatted("vertical").contains("-[ RECORD 1 ]-\nd | 1.50\n"));
    assert!(formatted("markdown").starts_with("| d | n | b |"));
    let table = formatted("table");
    assert!(table.contains(" 1.50 | NaN ") && table.ends_with("(1 row)\n"), "{table}");
}

#[test]
fn results_follow_each_other() {
    let out =
        Ground::new().run(&["--format", "json", "-c", "SELECT 1 AS a; SELECT 2 AS b WHERE false"]).done();
    assert_eq!(out, "[\n  {\"a\":1}\n]\n[]\n");
}
