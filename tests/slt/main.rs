//! Examples of behaviour as text: every `.slt` file below `cases/` runs in every mode, each on a fresh store.
//!
//! A file is a list of records, parted by empty lines; lines that start with `#` are comments.
//!
//! ```text
//! statement ok                     the SQL that follows succeeds
//! statement error KIND [TEXT]      it fails with that kind (`any`: every kind), its message holds TEXT
//! statement count N                it succeeds and says that it wrote N rows
//! query [sorted]                   it gives the rows behind `----`, a row a line, values parted by a tab;
//!                                  `sorted` compares without regard to order
//! scan                             the scan lines of its EXPLAIN, from `TabletScan:` on (mode `plain` only)
//! reads N [MODE...]                the rows that the next query's scans read (modes with pushdown)
//! auths A,B                        the session's labels from here on; a new session begins
//! only MODE...                     the rest of the file runs in these modes only
//! ```
//! `$DIR` in a statement is a folder of the run's own, `$DATA` is `tests/data`. NULL is `NULL`, the empty text is `''`. `UPDATE_SLT=1 cargo test --test slt` writes what was found into the files.
//!
//! Modes: `plain`; `unpushed` (`SET ostracon.iterator_pushdown = false`); `flushed` and `compacted` (after every
//! statement that wrote); `split` (tables are cut into tablets where their rows are, after every statement that wrote);
//! `single` (batches of one row); `bulk` (every INSERT is loaded as segments where it can be); `reopened` (the store is
//! closed and opened before every record).

#![allow(clippy::expect_used, reason = "a test fails by panicking, its helpers too")]

mod run;
mod script;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libmimic::{Arguments, Failed, Trial};

use run::Mode;
use script::Script;

fn main() -> ExitCode {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/slt/cases");
    let mut trials = Vec::new();
    for path in files(&folder) {
        let name = path.strip_prefix(&folder).unwrap_or(&path).with_extension("").display().to_string();
        for mode in Mode::ALL {
            let path = path.clone();
            trials.push(Trial::test(format!("{name}::{mode}"), move || check(&path, mode)));
        }
    }
    assert!(!trials.is_empty(), "no .slt files below {}", folder.display());
    libmimic::run(&Arguments::from_args(), trials).exit_code()
}

/// The files of a folder, and of those below.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder of cases") {
        let path = entry.expect("an entry of the folder").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "slt") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn check(path: &Path, mode: Mode) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let mut script = Script::parse(&text)?;
    let updating = std::env::var_os("UPDATE_SLT").is_some();
    if updating && mode != Mode::Plain {
        return Ok(());
    }
    // Deep expressions are walked by recursion in places, and debug builds use more stack.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_stack_size(16 << 20)
        .enable_all()
        .build()?;
    let (result, script) = runtime.block_on(async {
        tokio::spawn(async move {
            let result = run::run(&mut script, mode, updating).await;
            (result, script)
        })
        .await
        .expect("the runner does not panic")
    });
    if updating {
        std::fs::write(path, script.to_text())?;
    }
    result.map_err(|failure| Failed::from(format!("{}:{failure}", path.display())))
}
