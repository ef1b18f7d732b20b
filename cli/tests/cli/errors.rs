//! Errors: one line with the kind, then the place and a caret; the exit status.

use crate::support::Ground;

#[test]
fn a_syntax_error_is_placed() {
    let ground = Ground::new();
    ground.file("a.sql", "SELECT 1 AS one;\n\n  SELEC 2;\nSELECT 3;\n");
    let run = ground.run(&["-f", "a.sql"]);
    assert_eq!((run.status, run.out.as_str()), (1, "one\n1\n"));
    let lines: Vec<_> = run.err.lines().collect();
    assert!(lines[0].starts_with("error: invalid: "), "{lines:?}");
    assert_eq!(lines[1..], ["a.sql:3:3", "    SELEC 2;", "    ^"]);
}

#[test]
fn kinds_tell_errors_apart() {
    let ground = Ground::new();
    ground.sql("CREATE TABLE events (id INT PRIMARY KEY, v INT); INSERT INTO events VALUES (1, 1)");
    for (sql, kind, words) in [
        ("SELECT id FROM evnts", "not_found", "evnts"),
        ("SELECT vv FROM events", "invalid", "vv"),
        ("CREATE TABLE events (id INT PRIMARY KEY)", "already_exists", "events"),
        ("DROP TABLE nowhere", "not_found", "nowhere"),
        ("INSERT INTO events VALUES (NULL, 1)", "invalid", "null"),
        ("SELECT 1 / (v - 1) FROM events", "invalid", "zero"),
        ("BEGIN", "unsupported", ""),
    ] {
        let err = ground.run(&["-c", sql]).failed(kind);
        let message = err.lines().next().unwrap().to_lowercase();
        assert!(message.contains(words), "{sql}: {err}");
        assert!(err.contains("<command>:1:"), "{sql}: {err}");
    }
}

#[test]
fn statements_before_an_error_have_been_run() {
    let ground = Ground::new();
    let run =
        ground.feed(&["--format", "csv", "sql", "-f", "-"], "SELECT 1 AS a; SELECT 2 AS b; SELECT 'open");
    assert_eq!((run.status, run.out.as_str()), (1, "a\n1\nb\n2\n"));
    assert!(run.err.contains("error: invalid: ") && run.err.contains("<stdin>:1:38"), "{}", run.err);
}

#[test]
fn bad_usage_has_its_own_status() {
    let ground = Ground::new();
    for args in [
        &["--format", "xml"][..],
        &["frobnicate"],
        &["load", "t"],
        &["load", "t", "f.csv", "--quote", "ab"],
        &["--auths", "A,\"", "-c", "SELECT 1"],
        &["--config", "absent.conf"],
        &["-c", "SELECT 1", "demo"],
    ] {
        let run = ground.run(args);
        assert_eq!((run.status, run.out.as_str()), (2, ""), "{args:?}");
        assert!(run.err.starts_with("error: "), "{args:?}: {}", run.err);
    }
    assert_eq!(ground.run(&["--help"]).status, 0);
    assert!(ground.run(&["--version"]).done().starts_with("ostracon "));
}

#[test]
fn a_missing_script_is_not_found() {
    let ground = Ground::new();
    assert!(ground.run(&["-f", "absent.sql"]).failed("not_found").contains("absent.sql"));
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_ends_the_run_in_silence() {
    use std::io::Read;
    use std::process::Stdio;

    let ground = Ground::new();
    let sql = "SELECT value FROM generate_series(1, 3000000)";
    let mut command = ground.command(&["-c", sql]);
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut few = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut few).unwrap();
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert_eq!((child.wait().unwrap().code(), err.as_str()), (Some(0), ""));
}

#[test]
fn a_query_makes_no_store() {
    let ground = Ground::new();
    assert_eq!(ground.run(&["-c", "SELECT 1 AS a"]).done(), "a\n1\n");
    assert!(!ground.path("ostracon-data").exists());
    let run = ground.run(&["-c", "CREATE TABLE t (k INT PRIMARY KEY)"]);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.err.contains("ostracon-data"), "{run:?}");
    assert!(ground.path("ostracon-data").exists());
}

#[test]
fn a_configuration_sets_what_the_command_line_leaves_open() {
    let ground = Ground::new();
    ground.file("o.conf", "data = \"store\"\nformat = json\nostracon.iterator_pushdown = false\n");
    let args =
        ["--config", "o.conf", "-c", "CREATE TABLE t (k INT PRIMARY KEY)", "-c", "INSERT INTO t VALUES (7)"];
    ground.run(&args).done();
    assert!(ground.path("store").exists());
    assert_eq!(ground.run(&["--config", "o.conf", "-c", "SELECT k FROM t"]).done(), "[\n  {\"k\":7}\n]\n");
    let plan = ground.run(&["--config", "o.conf", "-c", "EXPLAIN SELECT k FROM t WHERE k = 7"]).done();
    assert!(plan.contains("FULL SCAN"), "{plan}");
    assert_eq!(
        ground.run(&["--config", "o.conf", "--format", "csv", "-c", "SELECT k FROM t"]).done(),
        "k\n7\n"
    );
}
