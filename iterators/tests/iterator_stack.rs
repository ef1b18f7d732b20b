//! What a stack is made of: who sees what, in which order, in which scope.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use ostracon_data::{Authorizations, Key, Range};
use ostracon_iterators::{
    CellPredicate, ColumnFamilies, DeleteBehavior, FetchedColumns, Filter, IteratorEnvironment,
    IteratorFactory, IteratorOption, IteratorRegistry, IteratorSetting, IteratorStack, IteratorStackBuilder,
    Qualifiers, Result, SortedKeyValueIterator, SortedMapIterator,
};

type Boxed = Box<dyn SortedKeyValueIterator>;

/// A user's class that notes under its name every cell it meets, and keeps all.
#[derive(Clone, Default)]
struct Spy {
    seen: Arc<Mutex<Vec<String>>>,
    name: String,
}

impl CellPredicate for Spy {
    const JUDGES_MARKERS: bool = true;

    fn accept(&mut self, key: &Key, _value: &[u8]) -> bool {
        self.seen.lock().unwrap().push(format!("{} {key}", self.name));
        true
    }
}

impl IteratorFactory for Spy {
    fn class(&self) -> &str {
        "Spy"
    }

    fn options(&self) -> Vec<IteratorOption> {
        vec![IteratorOption { name: "name", description: "stands before what is noted" }]
    }

    fn validate(&self, _options: &BTreeMap<String, String>) -> Result<()> {
        Ok(())
    }

    fn create(
        &self,
        source: Boxed,
        options: &BTreeMap<String, String>,
        _environment: &IteratorEnvironment,
    ) -> Result<Boxed> {
        let name = options.get("name").cloned().unwrap_or_default();
        Ok(Box::new(Filter::over(source, Spy { seen: Arc::clone(&self.seen), name })))
    }
}

fn spying_registry() -> (IteratorRegistry, Arc<Mutex<Vec<String>>>) {
    let spy = Spy::default();
    let seen = Arc::clone(&spy.seen);
    let mut registry = IteratorRegistry::standard();
    assert!(registry.register(Arc::new(spy)).is_none());
    (registry, seen)
}

fn spy(name: &str, priority: u32) -> IteratorSetting {
    IteratorSetting::new(name, priority, "Spy").with_option("name", name)
}

/// An old and a new version, a labelled cell, a malformed label, a deleted cell, another family.
fn source() -> Boxed {
    let marker = Key { deleted: true, ..Key::new("r", "f", "gone", "", 5) };
    Box::new(SortedMapIterator::new([
        (Key::new("r", "f", "a", "", 2), "new"),
        (Key::new("r", "f", "a", "", 1), "old"),
        (Key::new("r", "f", "b", "secret", 1), "hidden"),
        (Key::new("r", "f", "c", "a&|b", 1), "malformed"),
        (marker, ""),
        (Key::new("r", "f", "gone", "", 4), "deleted"),
        (Key::new("r", "g", "a", "", 1), "other family"),
    ]))
}

/// `family:qualifier@timestamp`, with `-` behind a delete marker.
fn answer(
    builder: IteratorStackBuilder,
    registry: &IteratorRegistry,
    families: &ColumnFamilies,
) -> Vec<String> {
    let mut stack = builder.build(source(), registry).unwrap();
    stack.seek(&Range::all(), families).unwrap();
    let mut answer = Vec::new();
    while let Some(key) = stack.top_key() {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mark = if key.deleted { "-" } else { "" };
        answer.push(format!("{}:{}@{}{mark}", text(&key.family), text(&key.qualifier), key.timestamp));
        stack.next().unwrap();
    }
    answer
}

fn scan(authorizations: &str) -> IteratorStackBuilder {
    let authorizations = Authorizations::parse(authorizations).unwrap();
    IteratorStack::builder(IteratorEnvironment::scan(authorizations, 0))
}

#[test]
fn users_iterators_never_meet_hidden_or_deleted_cells_in_a_scan() {
    let (registry, seen) = spying_registry();
    let cells = answer(scan("").iterators([spy("s", 1)]), &registry, &ColumnFamilies::all());
    assert_eq!(cells, ["f:a@2", "f:a@1", "g:a@1"]);
    let seen = seen.lock().unwrap();
    assert_eq!(*seen, ["s r f:a [] 2", "s r f:a [] 1", "s r g:a [] 1"]);
}

#[test]
fn labels_open_cells_but_never_malformed_ones() {
    let registry = IteratorRegistry::standard();
    let cells = answer(scan("secret,a,b"), &registry, &ColumnFamilies::all());
    assert_eq!(cells, ["f:a@2", "f:a@1", "f:b@1", "g:a@1"]);
}

#[test]
fn priorities_decide_the_order_whatever_the_order_of_settings() {
    let (registry, seen) = spying_registry();
    let versions = IteratorSetting::new("vers", 20, "VersioningIterator");
    let builder = scan("").iterators([spy("above", 30), versions, spy("below", 10)]);
    assert_eq!(answer(builder, &registry, &ColumnFamilies::only(["f"])), ["f:a@2"]);
    let seen = seen.lock().unwrap();
    let of = |name: &str| seen.iter().filter(|line| line.starts_with(name)).count();
    assert_eq!((of("below"), of("above")), (2, 1), "only what is above sees one version");
}

#[test]
fn columns_limit_the_stack_below_the_users_iterators() {
    let (registry, seen) = spying_registry();
    let column = FetchedColumns { family: b"g".to_vec(), qualifiers: Qualifiers::Exact(b"a".to_vec()) };
    let builder = scan("").iterators([spy("s", 1)]).columns([column]);
    assert_eq!(answer(builder, &registry, &ColumnFamilies::all()), ["g:a@1"]);
    assert_eq!(seen.lock().unwrap().len(), 1);
    assert!(
        answer(scan("").columns([]), &registry, &ColumnFamilies::all()).is_empty(),
        "no columns are none"
    );
}

#[test]
fn compactions_see_every_label_and_keep_markers_unless_they_are_full() {
    let registry = IteratorRegistry::standard();
    let everything = ["f:a@2", "f:a@1", "f:b@1", "f:c@1", "f:gone@5-", "g:a@1"];
    let without_marker = ["f:a@2", "f:a@1", "f:b@1", "f:c@1", "g:a@1"];
    let run = |environment| answer(IteratorStack::builder(environment), &registry, &ColumnFamilies::all());
    assert_eq!(run(IteratorEnvironment::minor_compaction(0)), everything);
    assert_eq!(run(IteratorEnvironment::major_compaction(false, 0)), everything);
    assert_eq!(run(IteratorEnvironment::major_compaction(true, 0)), without_marker);
    let raw = scan("secret").delete_behavior(DeleteBehavior::Propagate);
    assert_eq!(
        answer(raw, &registry, &ColumnFamilies::only(["f"])),
        ["f:a@2", "f:a@1", "f:b@1", "f:gone@5-"]
    );
}

#[test]
fn a_filter_of_cells_does_not_drop_delete_markers() {
    let registry = IteratorRegistry::standard();
    let age_off = IteratorSetting::new("age", 1, "AgeOffFilter").with_option("ttl", "1");
    let builder = IteratorStack::builder(IteratorEnvironment::minor_compaction(1000)).iterators([age_off]);
    assert_eq!(answer(builder, &registry, &ColumnFamilies::all()), ["f:gone@5-"]);
}

#[test]
fn settings_that_clash_or_are_unknown_are_refused_before_anything_is_read() {
    let registry = IteratorRegistry::standard();
    let build = |settings: Vec<IteratorSetting>| {
        scan("").iterators(settings).build(source(), &registry).map(drop).unwrap_err().to_string()
    };
    let vers = |name: &str, priority| IteratorSetting::new(name, priority, "VersioningIterator");
    for (settings, word) in [
        (vec![vers("a", 1), vers("b", 1)], "priority 1 is taken"),
        (vec![vers("a", 1), vers("a", 2)], "used twice"),
        (vec![vers("a", 0)], "at least 1"),
        (vec![IteratorSetting::new("a", 1, "NoSuch")], "unknown iterator class \"NoSuch\""),
        (vec![vers("a", 1).with_option("maxVersion", "1")], "known options are maxVersions"),
    ] {
        assert!(registry.validate_scope(&settings).is_err(), "{word}");
        let error = build(settings);
        assert!(error.contains(word), "{word} is missing in {error}");
    }
}
