//! `ostracon load`.

use crate::support::Ground;

fn with_table() -> Ground {
    let ground = Ground::new();
    ground.sql("CREATE TABLE t (k INT PRIMARY KEY, v VARCHAR DEFAULT 'none', w DECIMAL(8,2))");
    ground
}

#[test]
fn csv_by_postgresqls_rules() {
    let ground = with_table();
    ground.file("in.csv", "\u{feff}k,v,w\r\n1,\"two\nlines\",1.5\r\n2,\"a \"\"b\"\"\",\r\n3,\"\",\"7\"");
    let run = ground.run(&["load", "t", "in.csv"]);
    assert_eq!((run.status, run.out.as_str()), (0, ""), "{run:?}");
    assert!(run.err.starts_with("3 rows"), "{run:?}");
    assert_eq!(
        ground.sql("SELECT * FROM t ORDER BY k"),
        [
            "{\"k\":1,\"v\":\"two\\nlines\",\"w\":1.50}",
            "{\"k\":2,\"v\":\"a \\\"b\\\"\",\"w\":null}",
            "{\"k\":3,\"v\":\"\",\"w\":7.00}"
        ]
    );
}

#[test]
fn a_bad_row_leaves_nothing_or_goes_to_a_file() {
    let ground = with_table();
    let mut text = "k,w\n".to_owned();
    (1..=12_000).for_each(|k| text += &format!("{k},{k}\n"));
    text += "x,1\n12002,2\n";
    ground.file("bad.csv", &text);
    let err = ground.run(&["load", "t", "bad.csv", "--header"]).failed("invalid");
    assert!(err.contains("bad.csv:12002: column k: 'x'") && err.contains("INT"), "{err}");
    assert_eq!(ground.sql("SELECT count(*) AS n FROM t"), ["{\"n\":0}"]);

    let run = ground.run(&["load", "t", "bad.csv", "--header", "--reject", "rejected.csv"]);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.err.contains("1 row did not fit and went to rejected.csv"), "{run:?}");
    assert_eq!(
        ground.sql("SELECT count(*) AS n, max(k) AS k, max(v) AS v FROM t"),
        ["{\"n\":12001,\"k\":12002,\"v\":\"none\"}"]
    );
    let rejected = std::fs::read_to_string(ground.path("rejected.csv")).unwrap();
    assert!(rejected.starts_with("file,line,column,reason,row\nbad.csv,12002,k,"), "{rejected}");
    assert!(rejected.ends_with(",\"x,1\"\n"), "{rejected}");
}

#[test]
fn many_rows_in_any_order_become_segments() {
    let ground = with_table();
    let mut text = "k,v,w\n".to_owned();
    // Backwards, some twice: the later row of a key stays.
    (1..=40_000).rev().for_each(|k| text += &format!("{k},first,\n"));
    text += "x,1,2\n";
    (1..=1_000).for_each(|k| text += &format!("{},again,{k}\n", k * 40));
    ground.file("many.csv", &text);
    let err = ground.run(&["load", "t", "many.csv"]).failed("invalid");
    assert!(err.contains("many.csv:40002: column k: 'x'"), "{err}");
    assert!(ground.run(&["store", "check"]).done().is_empty());
    assert_eq!(ground.sql("SELECT count(*) AS n FROM t"), ["{\"n\":0}"]);

    ground.run(&["load", "t", "many.csv", "--reject", "rejected.csv"]).done();
    let rejected = std::fs::read_to_string(ground.path("rejected.csv")).unwrap();
    assert_eq!(rejected.lines().count(), 2, "{rejected}");
    let totals = "SELECT count(*) AS n, count(w) AS w, sum(w) AS s, min(k) AS a, max(k) AS b FROM t";
    let loaded = ["{\"n\":40000,\"w\":1000,\"s\":500500.00,\"a\":1,\"b\":40000}"];
    assert_eq!(ground.sql(totals), loaded);
    let check = ground.run(&["store", "check"]);
    assert!(check.err.contains("0 fragments, 10 segments") && check.err.contains("0 problems"), "{check:?}");
    // Over rows that are there.
    ground.run(&["load", "t", "many.csv", "--reject", "rejected again.csv"]).done();
    assert_eq!(ground.sql(totals), loaded);
    assert_eq!(ground.run(&["store", "check"]).status, 0);
}

#[test]
fn formats_go_by_extension_or_by_name() {
    let ground = with_table();
    ground.file("a.ndjson", "{\"k\": 1, \"w\": 0.10}\n");
    ground.file("b.data", "2;'x;y'\n");
    ground.run(&["load", "t", "a.ndjson"]).done();
    ground.sql("COPY (SELECT CAST(3 AS INT) AS k, 'p' AS v) TO 'c.parquet' STORED AS PARQUET");
    ground.run(&["load", "t", "c.parquet"]).done();
    let err = ground.run(&["load", "t", "b.data"]).failed("invalid");
    assert!(err.contains("csv, tsv, ndjson or parquet"), "{err}");
    let args =
        ["load", "t", "b.data", "--input-format", "csv", "--delimiter", ";", "--quote", "'", "--no-header"];
    let err = ground.run(&args).failed("invalid");
    assert!(err.contains("has 2 fields where 3 are wanted"), "{err}");
    assert_eq!(
        ground.sql("SELECT k, v, w FROM t ORDER BY k"),
        ["{\"k\":1,\"v\":\"none\",\"w\":0.10}", "{\"k\":3,\"v\":\"p\",\"w\":null}"]
    );
}

#[test]
fn standard_input_is_a_file_too() {
    let ground = with_table();
    ground.feed(&["load", "t", "-", "--input-format", "csv", "--null", "NA"], "k,w\n1,NA\n").done();
    assert_eq!(ground.sql("SELECT k, w FROM t"), ["{\"k\":1,\"w\":null}"]);
}

#[test]
fn what_is_not_there_is_not_found() {
    let ground = with_table();
    assert!(ground.run(&["load", "t", "absent.csv"]).failed("not_found").contains("absent.csv"));
    ground.file("a.csv", "1\n");
    assert!(ground.run(&["load", "nowhere", "a.csv"]).failed("not_found").contains("nowhere"));
}

#[test]
fn copy_and_load_give_the_same_rows_back() {
    let ground = Ground::new();
    ground.sql(
        "CREATE TABLE a (k BIGINT PRIMARY KEY, x DOUBLE, b BYTEA, t TIMESTAMP, s VARCHAR, f BOOLEAN);
         INSERT INTO a VALUES (9223372036854775807, CAST('NaN' AS DOUBLE), x'ff00', '1969-12-31T23:59:59.999999', '', true),
            (-1, -0.0, x'', NULL, 'a,\"b\"', NULL), (0, NULL, NULL, '2020-01-01', NULL, false);
         COPY a TO 'a.csv'; COPY a TO 'a.ndjson'; COPY a TO 'a.parquet'",
    );
    let wanted = ground.sql("SELECT * FROM a ORDER BY k");
    for (table, file) in [("c", "a.csv"), ("j", "a.ndjson"), ("p", "a.parquet")] {
        ground.sql(&format!(
            "CREATE TABLE {table} (k BIGINT PRIMARY KEY, x DOUBLE, b BYTEA, t TIMESTAMP, s VARCHAR, f BOOLEAN)"
        ));
        ground.run(&["load", table, file]).done();
        assert_eq!(ground.sql(&format!("SELECT * FROM {table} ORDER BY k")), wanted, "{file}");
    }
}
