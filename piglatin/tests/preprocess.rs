//! Parameters, imports, macros, and sessions.

mod support;

use std::cell::RefCell;
use std::collections::BTreeMap;

use ostracon_piglatin::preprocess::{CommandRunner, Isolated, ScriptReader};
use ostracon_piglatin::{Progress, ScriptParser};

/// Files in memory, and a shell that knows `echo`.
#[derive(Default)]
struct Outside {
    files: BTreeMap<&'static str, &'static str>,
    ran: RefCell<Vec<String>>,
}

impl ScriptReader for Outside {
    fn read_script(&self, path: &str) -> Result<Option<String>, String> {
        match self.files.get(path) {
            Some(&"unreadable") => Err("permission denied".to_owned()),
            found => Ok(found.map(|text| (*text).to_owned())),
        }
    }
}

impl CommandRunner for Outside {
    fn output_of(&self, command: &str) -> Result<String, String> {
        self.ran.borrow_mut().push(command.to_owned());
        let printed = command.strip_prefix("echo ").ok_or("command not found")?;
        Ok(format!("{printed}\n"))
    }
}

fn parse(parameters: &[&str], files: &[(&str, &str)], text: &str) -> String {
    let outside = Outside::default();
    let mut parser = ScriptParser::new(&outside, &outside);
    for parameter in parameters {
        assert_eq!(parser.add_parameter(parameter), Ok(()));
    }
    for (name, text) in files {
        assert_eq!(parser.add_parameter_file(name, text), Ok(()));
    }
    support::show(&parser.parse_script("s.pig", text))
}

fn import(files: &[(&'static str, &'static str)], search_paths: &[&str], text: &str) -> String {
    let outside = Outside { files: files.iter().copied().collect(), ..Outside::default() };
    let folders = search_paths.iter().map(|&folder| folder.to_owned()).collect();
    support::show(
        &ScriptParser::new(&outside, &outside).with_search_paths(folders).parse_script("s.pig", text),
    )
}

#[test]
fn parameters_are_put_in_wherever_they_stand() {
    let table = [
        ("DUMP $a;", "dump A\n"),
        ("DUMP ${a};", "dump A\n"),
        ("DUMP ${a}_x;", "dump A_x\n"),
        ("DUMP x_$a;", "dump x_A\n"),
        ("DUMP $A;", "dump A\n"),
        ("SET k '$a/${n}0/$s';", "set k \"A/50/two words\"\n"),
        ("SET k '\\$a';", "set k \"$a\"\n"),
        ("SET k 'x$';", "set k \"x$\"\n"),
        ("b = FILTER a BY $0 > $n;", "b = filter a (> $0 5)\n"),
        ("b = STREAM a THROUGH `cut -f $n`;", "b = stream a `cut -f 5`\n"),
        ("-- $none\n/* $none '$none */ DUMP $a;", "dump A\n"),
        ("SET k 'it\\'s $a'; SET k '--$a';", "set k \"it's A\"\nset k \"--A\"\n"),
    ];
    for (text, meant) in table {
        assert_eq!(parse(&["a=A", "n=5", "s='two words'"], &[], text), meant, "{text}");
    }
}

#[test]
fn declare_goes_before_the_command_line_before_files_before_default() {
    let all = "%default p 'default'\n%declare p 'declare'\nSET k '$p';";
    let script = "%default p 'default'\nSET k '$p';";
    let file = [("f", "p = file")];
    assert_eq!(parse(&["p=given"], &file, all), "set k \"declare\"\n");
    assert_eq!(parse(&["p=given"], &file, script), "set k \"given\"\n");
    assert_eq!(parse(&[], &file, script), "set k \"file\"\n");
    assert_eq!(parse(&[], &[], script), "set k \"default\"\n");
    assert_eq!(parse(&["p=a", "p=b"], &[], script), "set k \"b\"\n");
    assert_eq!(parse(&[], &[("f", "p=a"), ("g", "p=b")], script), "set k \"b\"\n");
}

#[test]
fn directives_take_quotes_words_and_commands() {
    let table = [
        ("%declare p 'a b'", "a b"),
        ("%declare p \"a b\"", "a b"),
        ("  %DECLARE p a/b;", "a/b"),
        ("%declare p a -- why", "a"),
        ("%declare p '-- no; comment'; -- why", "-- no; comment"),
        ("%declare p `echo it`", "it"),
        ("%declare q 5\n%declare p '${q}0'", "50"),
        ("%declare q 5\n%declare p `echo $q`", "5"),
        ("%declare p 'x\\$q'", "x$q"),
        ("%declare p a\n%declare p b", "b"),
        ("%default p a\n%default p b", "a"),
        ("%default p a\n%default p `fails`", "a"),
        ("%declare p ''", ""),
    ];
    for (text, value) in table {
        assert_eq!(parse(&[], &[], &format!("{text}\nSET k '$p';")), format!("set k {value:?}\n"), "{text}");
    }
}

#[test]
fn directives_that_are_wrong_say_so() {
    let table = [
        ("%declare", "invalid s.pig:1:1 %declare takes a name and a value\n"),
        ("DUMP a;\n  %default p", "dump a\ninvalid s.pig:2:3 %default takes a name and a value\n"),
        ("%declare p 'a", "invalid s.pig:1:1 the value 'a has no closing '\n"),
        (
            "%declare p a b",
            "invalid s.pig:1:1 found 'b' behind the value; write a value of several words in single quotes\n",
        ),
        (
            "%declare p $q",
            "invalid s.pig:1:1 the parameter 'q' has no value, give it with -param q=VALUE or %default q 'VALUE'\n",
        ),
        ("%declare p `fails`", "invalid s.pig:1:1 the command `fails` gave no value: command not found\n"),
        ("%typo p 5;", "invalid s.pig:1:1 found '%', expected a statement\n"),
    ];
    for (text, meant) in table {
        assert_eq!(parse(&[], &[], text), meant, "{text}");
    }
}

#[test]
fn a_missing_parameter_is_named_once_with_its_place() {
    assert_eq!(
        parse(&["input=x"], &[], "a = LOAD '$inptu/${day}';\nb = LIMIT a $n;"),
        "a = load \"$inptu/${day}\"\n\
         invalid s.pig:1:11 the parameter 'inptu' has no value | did you mean '$input'?\n\
         invalid s.pig:1:18 the parameter 'day' has no value | give it with -param day=VALUE or %default day 'VALUE'\n\
         invalid s.pig:2:13 the parameter 'n' has no value | give it with -param n=VALUE or %default n 'VALUE'\n"
    );
}

#[test]
fn parameter_files_have_comments_quotes_and_values_of_several_words() {
    let file = "# a comment\n\n-- another\na = 1\n b=two words \nc = 'q;r' # why\nd=`echo $a`\ne=$a/$b\n";
    assert_eq!(
        parse(&[], &[("f", file)], "SET k '$a|$b|$c|$d|$e';"),
        "set k \"1|two words|q;r|1|1/two words\"\n"
    );
    let mut parser = ScriptParser::new(&Isolated, &Isolated);
    assert_eq!(
        parser.add_parameter_file("p.txt", "a=1\n\nb"),
        Err("p.txt:3: 'b' is not NAME=VALUE".to_owned())
    );
    assert_eq!(parser.add_parameter("b"), Err("'b' is not NAME=VALUE".to_owned()));
    assert_eq!(parser.add_parameter("5=b"), Err("'5=b' is not NAME=VALUE".to_owned()));
    assert!(parser.add_parameter("d=`date`").is_err());
}

#[test]
fn imports_bring_statements_and_macros() {
    let files = [
        (
            "lib/m.pig",
            "%default n 3\nDEFINE first(r) RETURNS o { $o = LIMIT $r $n; };\nSET from 'm';\nIMPORT 'k.pig';",
        ),
        ("lib/k.pig", "DEFINE drop(r) RETURNS VOID { DUMP $r; };"),
    ];
    let script = "IMPORT 'm.pig';\nIMPORT 'm.pig';\na = LOAD 'x';\nb = first(a);\ndrop(b);";
    assert_eq!(
        import(&files, &["none", "lib/"], script),
        "set from \"m\"\na = load \"x\"\nb = limit a 3\ndump b\n"
    );
}

#[test]
fn imports_that_fail_say_why() {
    let files = [
        ("a.pig", "IMPORT 'b.pig';"),
        ("b.pig", "SET x 1;\nIMPORT 'a.pig';"),
        ("c.pig", "unreadable"),
        ("d.pig", "DUMP;"),
    ];
    let table = [
        ("IMPORT 'none.pig';", "not_found s.pig:1:8 there is no file 'none.pig' to import\n"),
        ("IMPORT 's.pig';", "invalid s.pig:1:8 's.pig' imports itself: 's.pig'\n"),
        (
            "IMPORT 'a.pig';",
            "set x \"1\"\ninvalid b.pig:2:8 'a.pig' imports itself: 's.pig', which imports 'a.pig', which imports 'b.pig'\n",
        ),
        ("IMPORT 'c.pig';", "invalid s.pig:1:8 'c.pig' cannot be imported: permission denied\n"),
        ("IMPORT 'd.pig';", "invalid d.pig:1:5 found ';', expected the name of a relation\n"),
    ];
    for (text, meant) in table {
        assert_eq!(import(&files, &[], text), meant, "{text}");
    }
}

#[test]
fn a_relation_of_the_script_and_one_of_a_macro_do_not_meet() {
    let script = "DEFINE m(r) RETURNS o { a = FILTER $r BY a > 1; g = GROUP a BY a; $o = FOREACH g GENERATE group, a, a.a; };\n\
                  a = LOAD 'x' AS (a:int);\ng = m(a);\nDUMP a;";
    assert_eq!(
        parse(&[], &[], script),
        "a = load \"x\" as (a:int)\n\
         macro_m_a_0 = filter a (> a 1)\n\
         macro_m_g_0 = group [macro_m_a_0 a]\n\
         g = foreach macro_m_g_0 [group] [macro_m_a_0] [(. macro_m_a_0 a)]\n\
         dump a\n"
    );
}

#[test]
fn results_named_as_arguments_are_not_read_for_them() {
    let script = "DEFINE swap(p, q) RETURNS a, b { $a = FILTER $q BY x; $b = FILTER $p BY y; };\n\
                  c, d = swap(c, d);\nc, e = swap(c, d);";
    assert_eq!(
        parse(&[], &[], script),
        "macro_swap_a_0 = filter d x\nmacro_swap_b_1 = filter c y\nc = macro_swap_a_0\nd = macro_swap_b_1\n\
         macro_swap_a_2 = filter d x\ne = filter c y\nc = macro_swap_a_2\n"
    );
}

#[test]
fn names_of_two_macros_do_not_meet() {
    let script = "DEFINE a(r) RETURNS VOID { b_c = DISTINCT $r; DUMP b_c; };\n\
                  DEFINE a_b(r) RETURNS VOID { c = DISTINCT $r; DUMP c; };\na(x); a_b(x);";
    assert_eq!(
        parse(&[], &[], script),
        "macro_a_b_c_0 = distinct x\ndump macro_a_b_c_0\nmacro_a_b_c_1 = distinct x\ndump macro_a_b_c_1\n"
    );
}

#[test]
fn macros_are_not_called_in_blocks_and_results_have_different_names() {
    let script = "DEFINE m(r) RETURNS a, b { $a = DISTINCT $r; $b = $a; };\n\
                  x = FOREACH g { y = m(a); GENERATE y; };\nz, z = m(a);";
    assert_eq!(
        parse(&[], &[], script).lines().skip(1).collect::<Vec<_>>(),
        [
            "invalid s.pig:2:21 the macro 'm' is called in a nested block | macros make whole relations only",
            "invalid s.pig:3:4 two results are named 'z'"
        ]
    );
}

#[test]
fn arguments_are_names_numbers_and_strings() {
    let script = "DEFINE m(r, n, f, s, k) RETURNS o { $o = FILTER $r BY p > $n AND q < $f AND s == '$s' AND $k; };\n\
                  b = m(A, -5, 1.5, 'it\\'s', 'x IS NULL');\nc = m($rel, 5L, 1e5, 'v', t.f);";
    assert_eq!(
        parse(&["rel=R"], &[], script),
        "b = filter A (AND (AND (AND (> p (neg 5)) (< q 1.5)) (== s \"it's\")) (null x))\n\
         c = filter R (AND (AND (AND (> p 5L) (< q 100000.0)) (== s \"v\")) (. t f))\n"
    );
}

#[test]
fn parameters_of_the_script_are_seen_in_macros_behind_their_own() {
    let script = "DEFINE m(r) RETURNS o { $o = LIMIT $r $n; SET k '\\$n'; };\na = m(b);";
    assert_eq!(parse(&["n=4", "r=wrong", "o=wrong"], &[], script), "a = limit b 4\nset k \"$n\"\n");
}

#[test]
fn macros_that_double_do_not_eat_the_memory() {
    let mut script = "DEFINE m0(r) RETURNS VOID { DUMP $r; };\n".to_owned();
    for level in 1..40 {
        let below = level - 1;
        script += &format!("DEFINE m{level}(r) RETURNS VOID {{ m{below}($r); m{below}($r); }};\n");
    }
    let shown = parse(&[], &[], &format!("{script}m39(a);"));
    assert!(shown.contains("grow beyond measure"));
}

#[test]
fn dryrun_prints_what_is_run() {
    let outside = Outside::default();
    let mut parser = ScriptParser::new(&outside, &outside);
    parser.add_parameter("n=5").unwrap();
    let script = "%default m 1\nDEFINE top(r) RETURNS o { s = ORDER $r BY x; $o = LIMIT s $n; };\na = LOAD '\\$d';\nb = top(a); -- done\n";
    assert_eq!(
        parser.parse_script("s.pig", script).dryrun(),
        "a = LOAD '\\$d';\nmacro_top_s_0 = ORDER a BY x;\nb = LIMIT macro_top_s_0 5;\n"
    );
}

#[test]
fn a_session_knows_whether_lines_are_missing() {
    let outside = Outside::default();
    let mut parser = ScriptParser::new(&outside, &outside);
    for incomplete in [
        "a = LOAD 'x'",
        "a = LOAD 'x' AS (p,",
        "a = FOREACH b {",
        "a = FOREACH b { x = DISTINCT y;",
        "a = FOREACH b { GENERATE p;",
        "DEFINE m(r) RETURNS o { $o = DISTINCT $r;",
        "/* a comment",
        "a = STREAM b THROUGH `cut",
        "a = FILTER b BY p > 1 AND",
        "a =",
    ] {
        assert_eq!(parser.parse_statements("grunt", incomplete), Progress::Incomplete, "{incomplete}");
    }
    for wrong in ["a = LOAD 'x", "a = LAOD 'x'", "a = LOAD 'x');", "DUMP $n", "a = FITLER b BY p; b ="] {
        let Progress::Complete { diagnostics, .. } = parser.parse_statements("grunt", wrong) else {
            panic!("{wrong} is not incomplete");
        };
        assert!(!diagnostics.is_empty(), "{wrong}");
    }
    for right in
        ["", "  -- nothing\n", "a = LOAD 'x';", "a = FOREACH b { GENERATE p; }", "ls", "%declare n 1"]
    {
        let Progress::Complete { diagnostics, .. } = parser.parse_statements("grunt", right) else {
            panic!("{right} is complete");
        };
        assert_eq!(diagnostics, [], "{right}");
    }
}

#[test]
fn an_imported_file_that_ends_amid_a_statement_is_wrong_and_not_incomplete() {
    let outside = Outside { files: BTreeMap::from([("half.pig", "a = LOAD 'x'")]), ..Outside::default() };
    let mut parser = ScriptParser::new(&outside, &outside);
    let Progress::Complete { diagnostics, .. } = parser.parse_statements("grunt", "IMPORT 'half.pig';")
    else {
        panic!("no line ends the file's statement");
    };
    assert_eq!(diagnostics[0].message, "found the end of the script, expected ';'");
}

#[test]
fn a_session_remembers_parameters_and_macros() {
    let outside = Outside::default();
    let mut parser = ScriptParser::new(&outside, &outside);
    let mut shown = String::new();
    for text in [
        "%declare n `echo 3`",
        "DEFINE m(r) RETURNS o { x = DISTINCT $r; $o = LIMIT x $n; };",
        "a = m(b);",
        "DEFINE m(r) RETURNS VOID { DUMP $r; };",
        "a = m(b);",
    ] {
        let Progress::Complete { statements, diagnostics } = parser.parse_statements("grunt", text) else {
            panic!("{text} is complete");
        };
        statements.iter().for_each(|one| shown += &format!("{}\n", support::statement(one)));
        diagnostics.iter().for_each(|one| shown += &format!("{}\n", parser.sources().render(one)));
    }
    assert_eq!(
        shown,
        "macro_m_x_0 = distinct b\na = limit macro_m_x_0 3\n\
         error: invalid: the macro 'm' is defined twice, it is defined at grunt:1:8 already\ngrunt:1:8\n  \
         DEFINE m(r) RETURNS VOID { DUMP $r; };\n         ^\n\
         macro_m_x_1 = distinct b\na = limit macro_m_x_1 3\n"
    );
    assert_eq!(*outside.ran.borrow(), ["echo 3"]);
}
