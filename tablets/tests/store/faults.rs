//! Every operation, stopped at every one of its steps: after a restart the store is as before it or as after it.

use std::path::Path;

use ostracon_data::Mutation;
use ostracon_iterators::{IteratorScope, IteratorSetting};
use ostracon_segment::{GroupMember, LocalityGroups};
use ostracon_tablets::{
    Error, FailPoints, Result, ScanSpec, StatementOptions, StoreOptions, TableSettings, TabletStore,
};

use crate::harness::{all, lines, options, put, write};
use crate::segments::{value, write_segment};

/// All that can be seen of a store.
#[derive(Debug, PartialEq)]
struct State {
    tables: Vec<(String, Vec<String>, usize, u32)>,
    catalog: Vec<(String, Vec<u8>)>,
}

fn state(store: &TabletStore) -> State {
    let table = |name: String| {
        let table = store.table(&name).unwrap();
        let version = table.version().unwrap();
        // Old versions are left out: a compaction may forget them.
        let rows = lines(&table, &ScanSpec::default());
        (name, rows, version.extents().len(), version.settings().max_versions)
    };
    State {
        tables: store.table_names().into_iter().map(table).collect(),
        catalog: store.catalog_list("").unwrap(),
    }
}

fn open(path: &Path, fail_points: FailPoints) -> Result<TabletStore> {
    // Small enough for a few rows to be a large statement and several segments, and for two epochs to be too many.
    let options =
        StoreOptions { spill_threshold: 200, max_epochs: 2, segment_rows: 2, fail_points, ..options().0 };
    TabletStore::open(path, options)
}

fn rows(range: std::ops::Range<u32>, value: &str) -> Vec<Mutation> {
    range.map(|row| put(&format!("{row:03}"), "f:x", value)).collect()
}

/// A table with rows in a frozen epoch and in the active one. Its segments have a section each.
fn prepare(store: &TabletStore) {
    let member = GroupMember { family: b"f".to_vec(), qualifier: None };
    let locality_groups = LocalityGroups::new(vec![vec![member]]);
    let table =
        store.create_table("t", TableSettings { locality_groups, ..TableSettings::default() }).unwrap();
    write(&table, rows(0..3, "old"));
    store.flush(None).unwrap();
    write(&table, rows(2..4, "newer"));
    store.catalog_put("k", b"old").unwrap();
}

fn commit(store: &TabletStore, mutations: Vec<Mutation>, replaces_all: bool) -> Result<()> {
    let mut statement = store.table("t")?.statement(StatementOptions::default())?;
    if replaces_all {
        statement.replace_all()?;
    }
    for mutation in mutations {
        statement.write(mutation)?;
    }
    statement.commit().map(|_| ())
}

/// Stops `operation` at its first step, its second, and so on until it goes through.
fn at_every_step(name: &str, at_least: u32, operation: impl Fn(&TabletStore) -> Result<()>) {
    for step in 0.. {
        let folder = tempfile::tempdir().unwrap();
        let points = FailPoints::stop_after(u32::MAX);
        let store = open(folder.path(), points.clone()).unwrap();
        prepare(&store);
        let before = state(&store);
        points.rearm(step);
        let outcome = operation(&store);
        match &outcome {
            Ok(()) => points.rearm(u32::MAX),
            Err(Error::Stopped { .. }) => {}
            Err(error) => panic!("{name}, step {step}: {error}"),
        }
        let after = outcome.is_ok().then(|| state(&store));
        drop(store);

        // The restart is stopped too, once, at its own first step.
        let reopened = open(folder.path(), FailPoints::stop_after(0));
        assert!(matches!(reopened, Ok(_) | Err(Error::Stopped { .. })), "{name}, step {step}: {reopened:?}");
        drop(reopened);
        let store = open(folder.path(), FailPoints::off()).unwrap();
        let found = state(&store);
        let report = store.check().unwrap();
        assert!(report.is_clean(), "{name}, step {step}: {:?}", report.problems);
        if let Some(after) = after {
            assert_eq!(found, after, "{name}, finished");
            assert!(step >= at_least, "{name} has {step} steps only");
            return;
        }
        if found != before {
            // It was done already: doing it again must find it so. Undone in memory, by the error, is no excuse.
            let whole = expected(&before, &operation);
            assert_eq!(found, whole, "{name}, step {step}: half done");
        }
        // And the store goes on.
        if let Ok(table) = store.table("t") {
            write(&table, rows(900..901, "later"));
            assert!(all(&table).contains(&"900 f:x=later".to_owned()), "{name}, step {step}");
        }
    }
}

/// The state after an undisturbed run.
fn expected(before: &State, operation: &impl Fn(&TabletStore) -> Result<()>) -> State {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), FailPoints::off()).unwrap();
    prepare(&store);
    assert_eq!(&state(&store), before);
    operation(&store).unwrap();
    state(&store)
}

#[test]
fn small_statement() {
    at_every_step("small statement", 2, |store| commit(store, rows(1..5, "new"), false));
}

#[test]
fn large_statement() {
    at_every_step("large statement", 5, |store| commit(store, rows(1..60, "new"), false));
}

#[test]
fn replacing_statements() {
    at_every_step("small overwrite", 2, |store| commit(store, rows(1..2, "new"), true));
    at_every_step("large overwrite", 5, |store| commit(store, rows(1..60, "new"), true));
    at_every_step("truncate", 2, |store| store.truncate("t"));
}

#[test]
fn abandoned_large_statement() {
    at_every_step("abandoned statement", 2, |store| {
        let mut statement = store.table("t")?.statement(StatementOptions::default())?;
        for mutation in rows(1..60, "new") {
            statement.write(mutation)?;
        }
        drop(statement);
        Ok(())
    });
}

#[test]
fn segments() {
    let load = |store: &TabletStore, replaces_all: bool, segments: &[(std::ops::Range<u32>, &str)]| {
        let mut statement = store.table("t")?.statement(StatementOptions::default())?;
        if replaces_all {
            statement.replace_all()?;
        }
        for (rows, text) in segments {
            let rows: Vec<_> = rows.clone().map(|row| value(row, text, None)).collect();
            write_segment(&mut statement, "", &rows)?;
        }
        statement.commit().map(|_| ())
    };
    at_every_step("segments behind all rows", 3, |store| load(store, false, &[(10..12, "x"), (12..15, "y")]));
    at_every_step("segments among rows", 5, |store| load(store, false, &[(1..30, "x"), (40..45, "y")]));
    at_every_step("segments that join a run", 7, |store| {
        store.compact(Some("t"))?;
        load(store, false, &[(10..12, "x"), (2..4, "y"), (20..24, "z")])
    });
    at_every_step("overwrite by segments", 3, |store| load(store, true, &[(1..3, "x"), (3..9, "y")]));
    at_every_step("abandoned segments", 8, |store| {
        let mut statement = store.table("t")?.statement(StatementOptions::default())?;
        for first in (100..900).step_by(100) {
            let rows: Vec<_> = (first..first + 99).map(|row| value(row, &row.to_string(), None)).collect();
            write_segment(&mut statement, "", &rows)?;
        }
        Ok(())
    });
}

#[test]
fn flush_and_tidying() {
    at_every_step("flush", 3, |store| store.flush(None));
    at_every_step("two flushes", 6, |store| {
        store.flush(Some("t"))?;
        commit(store, rows(1..2, "newer"), false)?;
        store.flush(Some("t"))
    });
}

#[test]
fn joining_through_iterators() {
    let all = IteratorSetting::new("all", 30, "VersioningIterator").with_option("maxVersions", "1000");
    let iterators = vec![(IteratorScope::MinorCompaction, all)];
    let settings = TableSettings { iterators, ..TableSettings::default() };
    at_every_step("joining through iterators", 8, |store| {
        store.alter_table("t", settings.clone())?;
        store.flush(Some("t"))?;
        commit(store, rows(1..2, "newer"), false)?;
        store.flush(Some("t"))
    });
}

#[test]
fn compaction() {
    at_every_step("compaction", 5, |store| store.compact(Some("t")));
    at_every_step("compaction of some segments", 10, |store| {
        store.compact(Some("t"))?;
        commit(store, rows(1..2, "newer"), false)?;
        store.compact(Some("t"))
    });
    at_every_step("segments go", 8, |store| {
        store.compact(Some("t"))?;
        store.truncate("t")?;
        store.compact(Some("t"))
    });
    at_every_step("a table with segments goes", 6, |store| {
        store.compact(Some("t"))?;
        store.drop_table("t")
    });
}

#[test]
fn splits_and_settings() {
    at_every_step("split", 2, |store| store.split("t", vec![b"002".to_vec(), b"003".to_vec()]));
    let settings = TableSettings { max_versions: 7, ..TableSettings::default() };
    at_every_step("settings", 2, |store| store.alter_table("t", settings.clone()));
}

#[test]
fn tables_and_catalog() {
    at_every_step("create", 1, |store| store.create_table("u", TableSettings::default()).map(|_| ()));
    at_every_step("drop", 1, |store| store.drop_table("t"));
    at_every_step("catalog put", 1, |store| store.catalog_put("k", b"new"));
    at_every_step("catalog delete", 1, |store| store.catalog_delete("k"));
}
