//! `ostracon demo`.

use crate::support::Ground;

#[test]
fn the_demo_answers_alike_with_and_without_pushdown() {
    let ground = Ground::new();
    let out = ground.run(&["--data", "d", "--no-progress", "demo"]).done();
    assert!(out.contains("flights    51,955 rows"), "{out}");
    assert_eq!(out.matches("The answers are equal").count(), 14, "13 questions, and one in Pig Latin: {out}");
    assert!(out.contains("(EV,"), "{out}");
    assert!(!out.contains("(0 rows)"), "{out}");
    // The whole key reads one row; without pushdown all of them are read.
    let first = out.split("=== 1. ").nth(1).unwrap();
    let counts = |line: &str| line.split_whitespace().skip(1).take(2).map(str::to_owned).collect::<Vec<_>>();
    let line = |name: &str| first.lines().find(|line| line.starts_with(name)).unwrap();
    assert_eq!(counts(line("on ")), ["1", "1"]);
    assert_eq!(counts(line("off ")), ["51,955", "51,955"]);
    assert!(first.contains("rows_read=1"), "{first}");

    // The folder that was named keeps the tables; a second run uses them.
    let sql = ["--data", "d", "--format", "csv", "-c", "SELECT count(*) AS n FROM flights"];
    assert_eq!(ground.run(&sql).done(), "n\n51955\n");
    assert!(ground.run(&["--data", "d", "demo"]).done().contains("flights is there already"));
}
