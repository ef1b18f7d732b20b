//! Every iterator of this crate through the contract suite: on the sample cells, and on random ones against its model.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod models;

use ostracon_compare::{Encoding, PrimitiveType};
use ostracon_data::{Authorizations, Key, Range, Value};
use ostracon_iterators::contract::{Cell, ContractSuite, clip, sample_cells};
use ostracon_iterators::{
    AgeOffFilter, ColumnFamilies, ColumnFamilySkippingIterator, ColumnQualifierFilter, ColumnSet,
    CombineValues, Combiner, DELETE_ROW_VALUE, DeleteBehavior, DeletingIterator, FetchedColumns,
    GrepIterator, IteratorEnvironment, IteratorRegistry, IteratorSetting, IteratorStack, LargeRowFilter,
    OnBadValue, Operand, OperandSource, PrimitiveComparisonFilter, Qualifiers, Result, RowDeletingIterator,
    RowFilterSpec, RowPredicate, SortedKeyValueIterator, SortedMapIterator, VersioningIterator,
    VisibilityFilter, WholeRowIterator,
};
use proptest::prelude::*;

type Boxed = Box<dyn SortedKeyValueIterator>;

/// Families are binding only above this iterator: the suite's sources ignore them.
fn with_families(source: Boxed) -> Boxed {
    Box::new(ColumnFamilySkippingIterator::new(source))
}

/// A suite for an iterator whose answer is a function of all cells, clipped to what was asked for.
fn suite<'a>(
    build: impl Fn(Boxed) -> Result<Boxed> + 'a,
    output: impl Fn(&[Cell]) -> Vec<Cell> + 'a,
) -> ContractSuite<'a> {
    ContractSuite::iterator(
        move |source| build(with_families(source)),
        move |cells, range, families| clip(&output(cells), range, families),
    )
}

fn sorted_map() -> ContractSuite<'static> {
    ContractSuite::leaf(
        |cells| Ok(with_families(Box::new(SortedMapIterator::new(cells.iter().cloned())))),
        clip,
    )
}

fn families() -> ContractSuite<'static> {
    suite(Ok, <[Cell]>::to_vec)
}

fn deleting(behavior: DeleteBehavior) -> ContractSuite<'static> {
    suite(
        move |source| Ok(Box::new(DeletingIterator::new(source, behavior))),
        move |cells| models::deleting(cells, behavior),
    )
}

fn versioning(max: u32) -> ContractSuite<'static> {
    suite(
        move |source| Ok(Box::new(VersioningIterator::new(source, max))),
        move |cells| models::versions(cells, max as usize),
    )
}

fn visibility(auths: &'static str) -> ContractSuite<'static> {
    let authorizations = Authorizations::parse(auths).unwrap();
    let same = authorizations.clone();
    suite(
        move |source| Ok(Box::new(VisibilityFilter::new(source, authorizations.clone()))),
        move |cells| models::visible(cells, &same),
    )
}

fn qualifiers() -> ContractSuite<'static> {
    let columns = [
        ("f", Qualifiers::Exact(b"q".to_vec())),
        ("g", Qualifiers::Prefix(b"q".to_vec())),
        ("", Qualifiers::All),
    ]
    .map(|(family, qualifiers)| FetchedColumns { family: family.into(), qualifiers });
    suite(
        move |source| Ok(Box::new(ColumnQualifierFilter::new(source, columns.clone()))),
        |cells| {
            let wanted = |key: &Key| match key.family.as_slice() {
                b"f" => key.qualifier == b"q",
                b"g" => key.qualifier.starts_with(b"q"),
                family => family.is_empty(),
            };
            cells.iter().filter(|(key, _)| wanted(key)).cloned().collect()
        },
    )
}

fn age_off(negated: bool) -> ContractSuite<'static> {
    suite(
        move |source| Ok(Box::new(AgeOffFilter::new(source, 3, 7).negated(negated))),
        move |cells| {
            let stays = |key: &Key| key.deleted || (key.timestamp >= 4) != negated;
            cells.iter().filter(|(key, _)| stays(key)).cloned().collect()
        },
    )
}

fn grep() -> ContractSuite<'static> {
    suite(
        |source| Ok(Box::new(GrepIterator::new(source, "1"))),
        |cells| {
            let stays = |(key, value): &&Cell| key.deleted || value.to_string().contains('1');
            cells.iter().filter(stays).cloned().collect()
        },
    )
}

/// Combines values by writing them one behind the other.
#[derive(Clone)]
struct Joined;

impl CombineValues for Joined {
    type State = Vec<u8>;

    fn first(&self, value: &[u8]) -> std::result::Result<Vec<u8>, String> {
        Ok(value.to_vec())
    }

    fn add(&self, state: &mut Vec<u8>, value: &[u8]) -> std::result::Result<(), String> {
        state.extend_from_slice(value);
        Ok(())
    }

    fn bytes(&self, state: &Vec<u8>) -> Vec<u8> {
        state.clone()
    }
}

fn joined(run: &[Cell]) -> Value {
    Value::from(run.iter().flat_map(|(_, value)| value.as_bytes().to_vec()).collect::<Vec<u8>>())
}

fn combiner(columns: &'static str) -> ContractSuite<'static> {
    let set = match columns {
        "" => ColumnSet::All,
        columns => ColumnSet::parse(columns).unwrap(),
    };
    let same = set.clone();
    suite(
        move |source| Ok(Box::new(Combiner::new(source, Joined, set.clone(), false))),
        move |cells| {
            let mut output = Vec::new();
            for column in cells.chunk_by(|(a, _), (b, _)| same.contains(a) == same.contains(b)) {
                match column.first().is_some_and(|(key, _)| same.contains(key)) {
                    true => output.extend(models::combined(column, joined)),
                    false => output.extend_from_slice(column),
                }
            }
            output
        },
    )
}

fn large_rows(most: usize) -> ContractSuite<'static> {
    ContractSuite::iterator(
        move |source| Ok(Box::new(LargeRowFilter::new(with_families(source), most))),
        move |cells, range, families| {
            let wanted = clip(cells, &Range::all(), families);
            clip(&models::rows(&wanted, |row| row.len() <= most), range, families)
        },
    )
}

fn row_deleting(keeps_markers: bool) -> ContractSuite<'static> {
    suite(
        move |source| Ok(Box::new(RowDeletingIterator::new(source, keeps_markers))),
        move |cells| models::rows_deleted(cells, keeps_markers),
    )
}

/// The cells, with a marker of the row wherever one can be and its time is even.
fn with_row_markers(cells: Vec<Cell>) -> Vec<Cell> {
    let mark = |(key, value): Cell| {
        let can_be = key.family.is_empty() && key.qualifier.is_empty() && key.visibility.is_empty();
        match can_be && key.timestamp % 2 == 0 {
            true => (key, Value::from(DELETE_ROW_VALUE)),
            false => (key, value),
        }
    };
    cells.into_iter().map(mark).collect()
}

fn whole_row() -> ContractSuite<'static> {
    ContractSuite::iterator(
        |source| {
            let live = DeletingIterator::new(with_families(source), DeleteBehavior::Process);
            Ok(Box::new(WholeRowIterator::new(Box::new(live), None)))
        },
        |cells, range, families| {
            models::whole_rows(&models::deleting(cells, DeleteBehavior::Process), range, families)
        },
    )
}

/// Rows whose newest cell of `f:q` is not a value that ends in an even digit: judged by a cell that may lie outside
/// of the range and the families.
fn row_filter_spec() -> RowFilterSpec {
    let operand = Operand {
        name: "x".into(),
        source: OperandSource::Cell { family: b"f".to_vec(), qualifier: b"q".to_vec() },
        ty: PrimitiveType::Utf8,
        encoding: Encoding::String,
        null_sequence: None,
    };
    let like =
        |pattern: &str| RowPredicate::Like { operand: 0, pattern: pattern.into(), case_insensitive: false };
    let even = RowPredicate::disjunction(["%0", "%2", "%4", "%6", "%8"].map(like));
    RowFilterSpec { operands: vec![operand], predicate: !even, on_bad_value: OnBadValue::Error }
}

fn row_filter_model(cells: &[Cell]) -> Vec<Cell> {
    models::rows(cells, |row| {
        row.iter()
            .filter(|(key, _)| !key.deleted && key.family == b"f" && key.qualifier == b"q")
            // The newest; of several labels at one time the first.
            .min_by_key(|(key, _)| std::cmp::Reverse(key.timestamp))
            .is_some_and(|(_, value)| value.0.last().is_some_and(|last| last % 2 == 1))
    })
}

fn row_filter() -> ContractSuite<'static> {
    suite(
        |source| Ok(Box::new(PrimitiveComparisonFilter::new(source, &row_filter_spec(), None)?)),
        row_filter_model,
    )
}

fn stack() -> ContractSuite<'static> {
    let authorizations = Authorizations::new(["A"]);
    let same = authorizations.clone();
    ContractSuite::iterator(
        move |source| {
            let stack = IteratorStack::builder(IteratorEnvironment::scan(authorizations.clone(), 10))
                .iterators([
                    IteratorSetting::new("whole", 90, "WholeRowIterator"),
                    IteratorSetting::new("vers", 20, "VersioningIterator").with_option("maxVersions", "2"),
                    IteratorSetting::new("age", 10, "AgeOffFilter").with_option("ttl", "20"),
                ])
                .build(source, &IteratorRegistry::standard())?;
            Ok(Box::new(stack))
        },
        move |cells, range, families| {
            let live = models::deleting(cells, DeleteBehavior::Process);
            let mut young = models::visible(&live, &same);
            young.retain(|(key, _)| key.timestamp >= -10);
            models::whole_rows(&models::versions(&young, 2), range, families)
        },
    )
}

fn filtering_stack() -> ContractSuite<'static> {
    ContractSuite::iterator(
        |source| {
            let stack = IteratorStack::builder(IteratorEnvironment::scan(Authorizations::empty(), 0))
                .iterators([IteratorSetting::new("vers", 20, "VersioningIterator")])
                .row_filter(row_filter_spec())
                .build(source, &IteratorRegistry::standard())?;
            Ok(Box::new(stack))
        },
        |cells, range, families| {
            let live = models::deleting(cells, DeleteBehavior::Process);
            let newest = models::versions(&models::visible(&live, &Authorizations::empty()), 1);
            clip(&row_filter_model(&newest), range, families)
        },
    )
}

fn suites() -> Vec<(&'static str, ContractSuite<'static>)> {
    vec![
        ("SortedMapIterator", sorted_map()),
        ("ColumnFamilySkippingIterator", families()),
        ("DeletingIterator, process", deleting(DeleteBehavior::Process)),
        ("DeletingIterator, propagate", deleting(DeleteBehavior::Propagate)),
        ("VersioningIterator, 1", versioning(1)),
        ("VersioningIterator, 3", versioning(3)),
        ("VisibilityFilter, nobody", visibility("")),
        ("VisibilityFilter, A and B", visibility("A,B")),
        ("ColumnQualifierFilter", qualifiers()),
        ("AgeOffFilter", age_off(false)),
        ("AgeOffFilter, negated", age_off(true)),
        ("GrepIterator", grep()),
        ("Combiner of all columns", combiner("")),
        ("Combiner of some columns", combiner("f:q,g")),
        ("LargeRowFilter, 1", large_rows(1)),
        ("LargeRowFilter, 4", large_rows(4)),
        ("RowDeletingIterator", row_deleting(false)),
        ("RowDeletingIterator, markers kept", row_deleting(true)),
        ("WholeRowIterator", whole_row()),
        ("PrimitiveComparisonFilter", row_filter()),
        ("IteratorStack of whole rows", stack()),
        ("IteratorStack with a row filter", filtering_stack()),
    ]
}

#[test]
fn every_iterator_keeps_the_contract_on_the_sample_cells() {
    for (name, suite) in suites() {
        suite
            .check(&with_row_markers(sample_cells()))
            .unwrap_or_else(|violation| panic!("{name}: {violation}"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_iterator_keeps_the_contract_on_random_cells(cells in models::cells(true, 12)) {
        let cells = with_row_markers(cells);
        for (name, suite) in suites() {
            if let Err(violation) = suite.check(&cells) {
                return Err(TestCaseError::fail(format!("{name}: {violation}")));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Cheaper than the whole suite and so on more cells: one seek with any range and families.
    #[test]
    fn one_seek_agrees_with_the_model(
        cells in models::cells(true, 60),
        start in prop::option::of(models::key(true)),
        end in prop::option::of(models::key(true)),
        inclusive in any::<(bool, bool, bool)>(),
        named in prop::collection::btree_set(prop::sample::select(vec![&b""[..], b"f", b"g", b"x"]), 0..3),
    ) {
        let range = Range::new(start, inclusive.0, end, inclusive.1);
        let families = ColumnFamilies {
            families: named.into_iter().map(<[u8]>::to_vec).collect(),
            inclusive: inclusive.2,
        };
        let mut iterator = DeletingIterator::new(
            Box::new(SortedMapIterator::new(cells.iter().cloned())),
            DeleteBehavior::Process,
        );
        iterator.seek(&range, &families).unwrap();
        let boxed: Boxed = Box::new(iterator);
        let boxed = with_families(boxed);
        let mut versions = VersioningIterator::new(boxed, 2);
        versions.seek(&range, &families).unwrap();
        let mut seen = Vec::new();
        while let (Some(key), Some(value)) = (versions.top_key(), versions.top_value()) {
            seen.push((key.clone(), value.into()));
            versions.next().unwrap();
        }
        let live = models::deleting(&cells, DeleteBehavior::Process);
        prop_assert_eq!(seen, clip(&models::versions(&live, 2), &range, &families));
    }
}
