//! `kill -9`: what was acknowledged is there, whole, and nothing else but at most the statement after it.
//!
//! The test starts itself as a child that writes without end, and kills it somewhere.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use ostracon_tablets::{
    BackgroundCompaction, Durability, ScanSpec, StatementOptions, StoreOptions, TableSettings, TabletStore,
};

use crate::harness::{lines, put};

const FOLDER: &str = "OSTRACON_TEST_KILL_FOLDER";
const ROUNDS: usize = 8;

/// The child's store also compacts by itself.
fn open(path: &Path, background: Option<BackgroundCompaction>) -> TabletStore {
    let options = StoreOptions {
        durability: Durability::Sync,
        spill_threshold: 2000,
        max_epochs: 3,
        segment_rows: 100,
        write_buffer_bytes: 64 << 10,
        background,
        ..StoreOptions::default()
    };
    TabletStore::open(path, options).unwrap()
}

/// How many rows the statement of that number has: now small, now large.
fn size(number: u64) -> u64 {
    [1, 7, 150, 3][usize::try_from(number % 4).unwrap()]
}

/// Not a test of its own: the child's program, when the parent has named a folder.
#[test]
fn child() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        assert_eq!(size(2), 150, "large statements take part");
        return;
    };
    let background = BackgroundCompaction {
        interval: std::time::Duration::from_millis(3),
        freeze_bytes: 2000,
        unmerged_fragments: 300,
        ..BackgroundCompaction::default()
    };
    let store = open(Path::new(&folder), Some(background));
    let table = store.table("t").unwrap();
    let first =
        lines(&table, &ScanSpec::default()).iter().map(|line| number(line)).max().map_or(0, |last| last + 1);
    for number in first.. {
        let mut statement = table.statement(StatementOptions::default()).unwrap();
        for row in 0..size(number) {
            statement.write(put(&format!("{row:03}/{number:06}"), "f:x", "value")).unwrap();
        }
        statement.commit().unwrap();
        println!("acknowledged {number}");
        match number % 23 {
            5 | 16 => store.flush(None).unwrap(),
            11 => store.compact(None).unwrap(),
            _ => {}
        }
    }
}

/// The statement that wrote a line.
fn number(line: &str) -> u64 {
    let row = line.split_once(' ').unwrap().0;
    row.split_once('/').unwrap().1.parse().unwrap()
}

#[test]
fn acknowledged_statements_survive_whole() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), None);
    store.create_table("t", TableSettings::default()).unwrap();
    drop(store);
    let mut acknowledged = None;
    for round in 0..ROUNDS {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "kill::child", "--nocapture"])
            .env(FOLDER, folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        // Killed a little after one of its acknowledgements, each round at another place.
        let kill_at = 3 + (round * 17) % 40;
        let mut seen = 0;
        for line in output.lines() {
            let line = line.unwrap();
            let Some((_, number)) = line.split_once("acknowledged ") else { continue };
            acknowledged = Some(number.trim().parse::<u64>().unwrap());
            seen += 1;
            if seen == kill_at {
                std::thread::sleep(std::time::Duration::from_micros(137 * (round as u64 + 1)));
                child.kill().unwrap();
            }
        }
        child.wait().unwrap();

        let store = open(folder.path(), None);
        let table = store.table("t").unwrap();
        let mut found: Vec<u64> = Vec::new();
        for line in lines(&table, &ScanSpec::default()) {
            let number = usize::try_from(number(&line)).unwrap();
            found.resize(found.len().max(number + 1), 0);
            found[number] += 1;
        }
        for (number, rows) in (0..).zip(&found) {
            assert_eq!(*rows, size(number), "statement {number} in round {round} is not whole");
        }
        let acknowledged = acknowledged.unwrap();
        let last = found.len() as u64 - 1;
        assert!(
            last >= acknowledged,
            "round {round}: {acknowledged} was acknowledged, {last} is the last found"
        );
        let report = store.check().unwrap();
        assert!(report.is_clean(), "round {round}: {:?}", report.problems);
    }
}
