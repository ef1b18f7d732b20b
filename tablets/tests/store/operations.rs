//! Random operations on a real store and on the model, compared by scans of every kind on both paths.

use std::sync::Arc;

use ostracon_data::{
    Authorizations, ColumnUpdate, ErasedColumns, Mutation, ROW_MARKER_FAMILY, RowBuffer, RowRange, RowRanges,
};
use ostracon_iterators::{IteratorScope, IteratorSetting};
use ostracon_segment::{GroupMember, LocalityGroups};
use ostracon_tablets::{
    BatchScanner, ColumnFilter, ColumnSelection, Durability, ManualClock, ScanSpec, Scanner,
    StatementOptions, StoreOptions, TableSettings, TabletStore, Version,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::harness::{Row, drain, owned};
use crate::model::Model;

#[derive(Debug, Clone)]
enum Operation {
    Commit {
        mutations: Vec<Mutation>,
        replaces_all: bool,
        exclusive: bool,
        durability: Option<Durability>,
    },
    /// Begun, written, and dropped.
    Abandon(Vec<Mutation>),
    Flush,
    Compact,
    Split(Vec<u8>),
    Merge,
    Truncate,
    Reopen,
    Tick(i64),
    Scan(Box<ScanSpec>),
}

const ROWS: [&[u8]; 8] = [b"", b"\0", b"a", b"a\0", b"a\0\x01", b"ab", b"b", b"\xFF\xFF"];
const LABELS: [&[u8]; 5] = [b"", b"A", b"B", b"A|B", b"A&B"];
const QUALIFIERS: [&[u8]; 4] = [b"", b"q", b"qr", b"\0"];
const FAMILIES: [&[u8]; 3] = [b"f", b"g", ROW_MARKER_FAMILY];

fn bytes(of: &'static [&'static [u8]]) -> impl Strategy<Value = Vec<u8>> {
    select(of).prop_map(<[u8]>::to_vec)
}

fn row() -> impl Strategy<Value = Vec<u8>> {
    bytes(&ROWS)
}

fn update() -> impl Strategy<Value = ColumnUpdate> {
    let time = || prop_oneof![3 => Just(None), 1 => (995i64..1010).prop_map(Some)];
    let column = || (bytes(&FAMILIES), bytes(&QUALIFIERS), bytes(&LABELS));
    let erased = prop_oneof![
        (bytes(&FAMILIES), bytes(&QUALIFIERS))
            .prop_map(|(family, qualifier)| ErasedColumns::Exact { family, qualifier }),
        (bytes(&FAMILIES), bytes(&QUALIFIERS))
            .prop_map(|(family, qualifier_prefix)| ErasedColumns::Prefix { family, qualifier_prefix }),
        Just(ErasedColumns::Row),
    ];
    prop_oneof![
        6 => (column(), time(), vec(any::<u8>(), 0..3)).prop_map(|((family, qualifier, visibility), timestamp, value)| {
            ColumnUpdate::Put { family, qualifier, visibility, timestamp, value }
        }),
        1 => (column(), time()).prop_map(|((family, qualifier, visibility), timestamp)| {
            ColumnUpdate::Delete { family, qualifier, visibility, timestamp }
        }),
        1 => (erased, proptest::option::of(bytes(&LABELS)))
            .prop_map(|(columns, label)| ColumnUpdate::Erase { columns, label }),
    ]
}

fn mutation() -> impl Strategy<Value = Mutation> {
    (row(), vec(update(), 1..5), proptest::bool::weighted(0.2))
        .prop_map(|(row, updates, replaces_older)| Mutation { row, updates, replaces_older })
}

fn selection() -> impl Strategy<Value = ColumnSelection> {
    let column = prop_oneof![
        (bytes(&FAMILIES), bytes(&QUALIFIERS))
            .prop_map(|(family, qualifier)| ColumnFilter::exact(family, qualifier)),
        (bytes(&FAMILIES), bytes(&QUALIFIERS))
            .prop_map(|(family, prefix)| ColumnFilter::prefix(family, prefix)),
    ];
    prop_oneof![2 => Just(ColumnSelection::All), 1 => vec(column, 0..4).prop_map(ColumnSelection::Columns)]
}

fn spec() -> impl Strategy<Value = ScanSpec> {
    let range = prop_oneof![
        row().prop_map(RowRange::point),
        (row(), proptest::option::of(row())).prop_map(|(start, end)| RowRange::new(start, end)),
    ];
    let ranges = prop_oneof![Just(RowRanges::All), vec(range, 0..4).prop_map(RowRanges::from_ranges)];
    let labels = proptest::sample::subsequence(vec!["A", "B"], 0..=2).prop_map(Authorizations::new);
    let versions = select(vec![1u32, 1, 2, 3, u32::MAX]);
    let limit = proptest::option::weighted(0.2, 0u64..5);
    let ttl = proptest::option::weighted(0.3, 0u64..12);
    (ranges, selection(), selection(), labels, versions, ttl, limit, any::<bool>(), 1..4usize).prop_map(
        |(ranges, columns, projection, authorizations, max_versions, ttl_ms, limit, reverse, batch_rows)| {
            ScanSpec {
                ranges,
                columns,
                projection,
                authorizations,
                max_versions,
                ttl_ms,
                now_ms: 1008,
                limit,
                reverse,
                batch_rows,
                ..ScanSpec::default()
            }
        },
    )
}

fn operation() -> impl Strategy<Value = Operation> {
    let durability =
        select(vec![None, Some(Durability::Log), Some(Durability::None), Some(Durability::Flush)]);
    prop_oneof![
        12 => (vec(mutation(), 1..8), proptest::bool::weighted(0.05), any::<bool>(), durability).prop_map(
            |(mutations, replaces_all, exclusive, durability)| {
                Operation::Commit { mutations, replaces_all, exclusive, durability }
            }
        ),
        1 => vec(mutation(), 1..12).prop_map(Operation::Abandon),
        2 => Just(Operation::Flush),
        2 => Just(Operation::Compact),
        1 => row().prop_filter("a split point", |row| !row.is_empty()).prop_map(Operation::Split),
        1 => Just(Operation::Merge),
        1 => Just(Operation::Reopen),
        1 => Just(Operation::Truncate),
        2 => (0i64..5).prop_map(Operation::Tick),
        8 => spec().prop_map(|spec| Operation::Scan(Box::new(spec))),
    ]
}

/// A store in a folder and the model of its only table.
struct Pair {
    folder: tempfile::TempDir,
    store: Option<TabletStore>,
    clock: Arc<ManualClock>,
    options: StoreOptions,
    settings: TableSettings,
    model: Model,
    time_ms: i64,
}

impl Pair {
    fn new(spill_threshold: usize, segment_rows: usize, settings: TableSettings) -> Self {
        let clock = Arc::new(ManualClock::new(1000));
        let options = StoreOptions {
            clock: clock.clone(),
            durability: Durability::Log,
            spill_threshold,
            max_epochs: 3,
            segment_rows,
            ..StoreOptions::default()
        };
        let folder = tempfile::tempdir().unwrap();
        let store = TabletStore::open(folder.path(), options.clone()).unwrap();
        store.create_table("t", settings.clone()).unwrap();
        Self { folder, store: Some(store), clock, options, settings, model: Model::default(), time_ms: 1000 }
    }

    fn store(&self) -> &TabletStore {
        self.store.as_ref().unwrap()
    }

    fn run(&mut self, operation: &Operation) -> Result<(), TestCaseError> {
        let table = self.store().table("t").unwrap();
        match operation {
            Operation::Commit { mutations, replaces_all, exclusive, durability } => {
                let options = StatementOptions { durability: *durability, exclusive: *exclusive };
                let mut statement = table.statement(options).unwrap();
                if *replaces_all {
                    statement.replace_all().unwrap();
                }
                for mutation in mutations {
                    statement.write(mutation.clone()).unwrap();
                }
                let summary = statement.commit().unwrap();
                prop_assert_eq!(summary.rows, mutations.len() as u64);
                self.model.commit(mutations, self.time_ms, *replaces_all);
            }
            Operation::Abandon(mutations) => {
                let mut statement = table.statement(StatementOptions::default()).unwrap();
                for mutation in mutations {
                    statement.write(mutation.clone()).unwrap();
                }
                drop(statement);
            }
            Operation::Flush => self.store().flush(Some("t")).unwrap(),
            Operation::Compact => {
                self.store().compact(Some("t")).unwrap();
                let oldest = self.settings.ttl_ms.map_or(i64::MIN, |ttl| self.time_ms - ttl as i64);
                self.model.compact(self.settings.max_versions, oldest);
            }
            Operation::Split(row) => self.store().split("t", vec![row.clone()]).unwrap(),
            Operation::Merge => self.store().merge("t", None, None).unwrap(),
            Operation::Truncate => {
                self.store().truncate("t").unwrap();
                self.model = Model::default();
            }
            Operation::Reopen => {
                drop(table);
                self.store = None;
                self.store = Some(TabletStore::open(self.folder.path(), self.options.clone()).unwrap());
            }
            Operation::Tick(by) => {
                self.clock.advance(*by);
                self.time_ms += by;
            }
            Operation::Scan(spec) => self.compare(spec)?,
        }
        Ok(())
    }

    fn compare(&self, spec: &ScanSpec) -> Result<(), TestCaseError> {
        let expected = self.model.scan(spec);
        let version = self.store().table("t").unwrap().version().unwrap();
        prop_assert_eq!(&drain(Scanner::new(&version, spec).unwrap()), &expected, "row path, {:?}", spec);
        prop_assert_eq!(
            &drain(Scanner::on_cell_path(&version, spec).unwrap()),
            &expected,
            "cell path, {:?}",
            spec
        );
        self.compare_sought(&version, spec, &expected)?;
        // Tablet by tablet, as partitions read it.
        if spec.limit.is_none() {
            let mut extents = version.extents();
            if spec.reverse {
                extents.reverse();
            }
            let mut by_tablet = Vec::new();
            for extent in extents {
                let part = ScanSpec { ranges: spec.ranges.clip(&extent), ..spec.clone() };
                by_tablet.extend(drain(Scanner::new(&version, &part).unwrap()));
            }
            prop_assert_eq!(&by_tablet, &expected, "tablets");
        }
        let mut parallel = parallel(BatchScanner::new(&version, spec, 2).unwrap());
        if spec.limit.is_some() {
            prop_assert_eq!(parallel.len(), expected.len(), "batch scanner, limited");
        } else {
            let mut sorted = expected;
            sorted.sort();
            parallel.sort();
            prop_assert_eq!(parallel, sorted, "batch scanner");
        }
        Ok(())
    }
}

impl Pair {
    /// A scan that is sent here and there gives at each place what a scan of that place gives, and so do point reads.
    fn compare_sought(
        &self,
        version: &Arc<Version>,
        spec: &ScanSpec,
        expected: &[Row],
    ) -> Result<(), TestCaseError> {
        let places = [2, 7, 0, 1, 1, 5, 4].map(|at| RowRanges::point(ROWS[at]));
        let places =
            [&[spec.ranges.clone()][..], &places[..4], std::slice::from_ref(&spec.ranges), &places[4..]]
                .concat();
        for mut scanner in [
            Scanner::seekable(version, spec).unwrap(),
            Scanner::seekable_on_cell_path(version, spec).unwrap(),
        ] {
            prop_assert!(!scanner.next_row(&mut RowBuffer::new()).unwrap(), "it stands nowhere yet");
            for (nth, ranges) in places.iter().enumerate() {
                scanner.seek(ranges).unwrap();
                let wanted = self.model.scan(&ScanSpec { ranges: ranges.clone(), ..spec.clone() });
                // Sometimes what is left of a place is left there.
                let taken = if nth % 3 == 1 { 1 } else { usize::MAX };
                let mut found = Vec::new();
                let mut row = RowBuffer::new();
                while found.len() < taken && scanner.next_row(&mut row).unwrap() {
                    found.push(owned(&row));
                }
                prop_assert_eq!(&found[..], &wanted[..taken.min(wanted.len())], "{:?} of {:?}", ranges, spec);
            }
            scanner.seek(&spec.ranges).unwrap();
            prop_assert_eq!(&drain(scanner), expected);
        }
        let asked = [ROWS[5], ROWS[2], b"absent", ROWS[2], ROWS[0], ROWS[7], ROWS[6]];
        let answers = version.multi_get(&asked, spec).unwrap();
        for (row, answer) in asked.iter().zip(&answers) {
            let point = ScanSpec { ranges: RowRanges::point(*row), limit: None, ..spec.clone() };
            let wanted = self.model.scan(&point);
            prop_assert_eq!(answer.as_ref().map(owned), wanted.into_iter().next(), "{:?} of {:?}", row, spec);
            prop_assert_eq!(version.get(row, spec).unwrap().as_ref().map(owned), answer.as_ref().map(owned));
        }
        Ok(())
    }
}

fn parallel(mut scanner: BatchScanner) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut buffer = RowBuffer::new();
    while scanner.next_row(&mut buffer).unwrap() {
        rows.push(owned(&buffer));
    }
    rows
}

fn settings() -> impl Strategy<Value = TableSettings> {
    // It lets everything pass, on the way that those take that do not.
    let all = IteratorSetting::new("all", 30, "VersioningIterator").with_option("maxVersions", "1000");
    let minor = vec![(IteratorScope::MinorCompaction, all)];
    let iterators = select(vec![Vec::new(), minor]);
    let member = |family: &str, qualifier: Option<&str>| GroupMember {
        family: family.as_bytes().to_vec(),
        qualifier: qualifier.map(|qualifier| qualifier.as_bytes().to_vec()),
    };
    let grouped = LocalityGroups::new(vec![vec![member("g", None)], vec![member("f", Some("q"))]]);
    let groups = select(vec![LocalityGroups::default(), grouped]);
    let ttl = proptest::option::weighted(0.2, 0u64..8);
    (select(vec![1u32, 1, 2, u32::MAX]), ttl, iterators, groups).prop_map(
        |(max_versions, ttl_ms, iterators, locality_groups)| TableSettings {
            max_versions,
            ttl_ms,
            iterators,
            locality_groups,
            ..TableSettings::default()
        },
    )
}

proptest! {
    // Each case opens stores on disk; PROPTEST_CASES still scales it.
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 4, ..ProptestConfig::default() })]

    #[test]
    fn the_store_does_what_the_model_does(
        spill_threshold in select(vec![60usize, 400, 1 << 20]),
        segment_rows in select(vec![1usize, 2, 3, 4096]),
        settings in settings(),
        operations in vec(operation(), 1..40),
        last in vec(spec(), 3),
    ) {
        let mut pair = Pair::new(spill_threshold, segment_rows, settings);
        for operation in &operations {
            pair.run(operation)?;
        }
        for spec in &last {
            pair.compare(spec)?;
        }
        let report = pair.store().check().unwrap();
        prop_assert!(report.is_clean(), "{:?}", report.problems);
    }
}
