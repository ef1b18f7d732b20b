//! `ostracon store`.

use ostracon_tablets::{StoreOptions, TabletStore};

use crate::support::Ground;

fn with_rows() -> Ground {
    let ground = Ground::new();
    ground.sql(
        "CREATE TABLE t (a INT, b VARCHAR, v INT, PRIMARY KEY (a, b));
         INSERT INTO t VALUES (-5, 'x', 1), (1, 'x', 2), (1, 'y', 3), (2, 'x,y', 4);
         CREATE EXTERNAL TABLE m (k VARCHAR, v VARCHAR) STORED AS TABLET OPTIONS ('columns.mapping' ':rowid,f:v', 'table.name' 'cells');
         INSERT INTO m VALUES ('r1', 'v1'), ('r2', NULL)",
    );
    ground
}

#[test]
fn splits_and_merges_are_seen() {
    let ground = with_rows();
    ground.run(&["store", "split", "t", "1", "1,y"]).done();
    ground.run(&["store", "split", "t", "--", "-5"]).done();
    let tablets = ground.run(&["store", "tablets", "t", "--format", "ndjson"]).done();
    assert_eq!(tablets.lines().count(), 4, "{tablets}");
    assert!(tablets.lines().next().unwrap().starts_with("{\"table\":\"t\",\"after\":null,"), "{tablets}");
    let plan = ground.sql("EXPLAIN SELECT * FROM t").join(" ");
    assert!(plan.contains("tablets=4"), "{plan}");
    assert_eq!(ground.sql("SELECT v FROM t ORDER BY v").len(), 4);
    ground.run(&["store", "merge", "t"]).done();
    assert_eq!(ground.run(&["store", "tablets", "t", "--format", "ndjson"]).done().lines().count(), 1);
    let err = ground.run(&["store", "split", "t", "one"]).failed("invalid");
    assert!(err.contains("'one' is no key of table t"), "{err}");
}

#[test]
fn scans_go_between_keys() {
    let ground = with_rows();
    let scan = |args: &[&str]| {
        let all = [&["--format", "ndjson", "store", "scan"], args].concat();
        ground.run(&all).done()
    };
    assert_eq!(
        scan(&["t", "--begin", "1", "--end", "1"]),
        "{\"a\":1,\"b\":\"x\",\"v\":2}\n{\"a\":1,\"b\":\"y\",\"v\":3}\n"
    );
    assert_eq!(scan(&["t", "--begin", "2,x\\,y"]), "{\"a\":2,\"b\":\"x,y\",\"v\":4}\n");
    assert_eq!(scan(&["t", "--end", "-5"]), "{\"a\":-5,\"b\":\"x\",\"v\":1}\n");
    assert_eq!(scan(&["m"]), "{\"k\":\"r1\",\"v\":\"v1\"}\n{\"k\":\"r2\",\"v\":null}\n");
}

#[test]
fn raw_scans_show_cells() {
    let ground = with_rows();
    let out = ground.run(&["--format", "csv", "store", "scan", "m", "--raw", "--end", "r1"]).done();
    let lines: Vec<_> = out.lines().collect();
    assert_eq!(lines[0], "row,family,qualifier,visibility,timestamp,deleted,value");
    let cell = lines.iter().find(|line| line.starts_with("r1,f,v,\"\",")).unwrap_or_else(|| panic!("{out}"));
    assert!(cell.ends_with(",false,v1"), "{out}");
    // The store's own name of the table does as well.
    assert_eq!(ground.run(&["--format", "csv", "store", "scan", "cells", "--end", "r1"]).done(), out);
}

#[test]
fn flush_compact_du_and_check_work_on_all_or_some() {
    let ground = with_rows();
    for args in [
        &["store", "flush"][..],
        &["store", "compact"],
        &["store", "flush", "t"],
        &["store", "compact", "m", "t"],
    ] {
        assert_eq!(ground.run(args).done(), "");
    }
    let du = ground.run(&["--format", "ndjson", "store", "du"]).done();
    assert_eq!(du.lines().count(), 2, "{du}");
    assert!(du.contains("\"table\":\"cells\""), "{du}");
    let run = ground.run(&["store", "check"]);
    assert!(run.status == 0 && run.err.contains("2 tables") && run.err.contains(" 0 problems"), "{run:?}");
    assert_eq!(ground.sql("SELECT count(*) AS n FROM t"), ["{\"n\":4}"]);
    ground.run(&["store", "compact", "nowhere"]).failed("not_found");
}

#[test]
fn without_a_store_there_is_nothing_to_do() {
    let ground = Ground::new();
    assert_eq!(ground.run(&["store", "compact"]).done(), "");
    ground.run(&["store", "scan", "t"]).failed("not_found");
    assert!(!ground.path("ostracon-data").exists());
}

#[test]
fn a_store_that_is_open_elsewhere_says_so() {
    let ground = with_rows();
    let held = TabletStore::open(ground.path("ostracon-data"), StoreOptions::default()).unwrap();
    let problem = ground.run(&["-c", "SELECT count(*) FROM t"]).failed("unavailable");
    assert!(problem.contains("ostracon-data"), "{problem}");
    drop(held);
    assert_eq!(ground.sql("SELECT count(*) AS n FROM t"), ["{\"n\":4}"]);
}
