//! Filters as SQL gives them: what arrives from DataFusion's planner, what becomes of it, and which rows are read.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Fields, SchemaRef, TimeUnit};
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::error::Result as DataFusionResult;
use datafusion::logical_expr::{LogicalPlan, TableProviderFilterPushDown, TableType, col, lit};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::{SessionConfig, SessionContext};
use ostracon_compare::{Encoding, KeyLexicoder, KeyPart, PrimitiveType, ScalarRef, encode};

use super::*;
use crate::definition::ColumnSpec;
use crate::properties::TableProperties;

/// A table that takes every filter, so that they can be seen where a provider sees them.
#[derive(Debug)]
struct Taker(SchemaRef);

#[async_trait]
impl TableProvider for Taker {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.0)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> DataFusionResult<Vec<TableProviderFilterPushDown>> {
        Ok(vec![TableProviderFilterPushDown::Exact; filters.len()])
    }

    async fn scan(
        &self,
        _: &dyn Session,
        _: Option<&Vec<usize>>,
        _: &[Expr],
        _: Option<usize>,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        Err(datafusion::error::DataFusionError::Plan("only planned, never run".to_owned()))
    }
}

/// The filters that DataFusion hands to the table for a condition.
fn filters(definition: &TableDefinition, condition: &str) -> Vec<Expr> {
    let config = SessionConfig::new().set_bool("datafusion.sql_parser.map_string_types_to_utf8view", false);
    let context = SessionContext::new_with_config(config);
    context.register_table("t", Arc::new(Taker(definition.arrow_schema()))).unwrap();
    let sql = format!("SELECT * FROM t WHERE {condition}");
    let plan = futures::executor::block_on(context.sql(&sql)).unwrap().into_optimized_plan().unwrap();
    let mut found = Vec::new();
    plan.apply(|node| {
        match node {
            LogicalPlan::TableScan(scan) => found.extend(scan.filters.iter().cloned()),
            LogicalPlan::Filter(filter) => panic!("not handed over: {}", filter.predicate),
            LogicalPlan::EmptyRelation(_) => panic!("{condition} is nothing to the planner"),
            _ => {}
        }
        Ok(TreeNodeRecursion::Continue)
    })
    .unwrap();
    found
}

fn decomposed(definition: &TableDefinition, condition: &str) -> DecomposedPredicate {
    decompose(&filters(definition, condition), definition, &PushdownSettings::default())
}

fn typed(columns: &[(&str, DataType)], key: &[&str]) -> TableDefinition {
    let columns = columns.iter().map(|(name, ty)| ColumnSpec::new(*name, ty.clone())).collect();
    let key: Vec<String> = key.iter().map(|name| (*name).to_owned()).collect();
    TableDefinition::typed("t", columns, &key, TableProperties::default()).unwrap()
}

fn mapped(columns: &[(&str, DataType)], properties: &[(&str, &str)]) -> TableDefinition {
    let columns = columns.iter().map(|(name, ty)| ColumnSpec::new(*name, ty.clone())).collect();
    let properties = TableProperties::parse(properties.iter().copied()).unwrap();
    TableDefinition::mapped("t", columns, true, properties).unwrap()
}

fn int_key() -> TableDefinition {
    typed(
        &[
            ("k", DataType::Int32),
            ("v", DataType::Int32),
            ("s", DataType::Utf8),
            ("x", DataType::Float64),
            ("r", DataType::Float32),
            ("de", DataType::Decimal128(10, 2)),
            ("d", DataType::Date32),
            ("ts", DataType::Timestamp(TimeUnit::Microsecond, None)),
            ("bo", DataType::Boolean),
            ("w", DataType::Int32),
        ],
        &["k"],
    )
}

fn native(ty: PrimitiveType, value: ScalarRef<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode(ty, Encoding::Native, value, &mut bytes).unwrap();
    bytes
}

fn int(value: i64) -> Vec<u8> {
    native(PrimitiveType::Int32, ScalarRef::Int(value))
}

/// Of -3..=12 the keys that are in the ranges.
fn keys_in(pushed: &DecomposedPredicate) -> Vec<i64> {
    (-3..=12).filter(|key| pushed.row_ranges.contains(&int(*key))).collect()
}

use Exactness::{Exact, Inexact, Residual};

#[test]
fn key_conditions_become_ranges_without_a_program() {
    let table = int_key();
    let all: Vec<i64> = (-3..=12).collect();
    let some = |keys: &[i64]| keys.to_vec();
    let cases: &[(&str, Vec<i64>, &str)] = &[
        ("k = 5", some(&[5]), "k = 5"),
        ("5 = k", some(&[5]), "k = 5"),
        ("k = '5'", some(&[5]), "k = 5"),
        ("k <> 5", all.iter().copied().filter(|k| *k != 5).collect(), "(k < 5 OR k > 5)"),
        ("k > 9", some(&[10, 11, 12]), "k > 9"),
        ("9 < k", some(&[10, 11, 12]), "k > 9"),
        ("k >= 9", some(&[9, 10, 11, 12]), "k >= 9"),
        ("k < -1", some(&[-3, -2]), "k < -1"),
        ("k <= -1", some(&[-3, -2, -1]), "k <= -1"),
        ("k BETWEEN -1 AND 1", some(&[-1, 0, 1]), "k in [-1, 1]"),
        ("k > 2 AND k < 5", some(&[3, 4]), "k in (2, 5)"),
        ("k NOT BETWEEN -1 AND 10", some(&[-3, -2, 11, 12]), "(k < -1 OR k > 10)"),
        ("k IN (1, 2, 30)", some(&[1, 2]), "k IN (1, 2, 30)"),
        ("k IN (1, 2, 3, 5, 5)", some(&[1, 2, 3, 5]), "k IN (1, 2, 3, 5)"),
        ("k NOT IN (1, 2, 3, 4, 12)", some(&[-3, -2, -1, 0, 5, 6, 7, 8, 9, 10, 11]), "(k < 1 OR "),
        ("k = 1 OR k = 3", some(&[1, 3]), "k IN (1, 3)"),
        ("k < 0 OR k >= 11", some(&[-3, -2, -1, 11, 12]), "(k < 0 OR k >= 11)"),
        ("NOT (k = 5 OR k > 6)", some(&[-3, -2, -1, 0, 1, 2, 3, 4, 6]), "(k < 5 OR k in (5, 6])"),
        ("k < 2.5", some(&[-3, -2, -1, 0, 1, 2]), "k <= 2"),
        ("k >= 2.5", some(&[3, 4, 5, 6, 7, 8, 9, 10, 11, 12]), "k >= 3"),
        ("k = 5.0", some(&[5]), "k = 5"),
        ("CAST(k AS BIGINT) = 5", some(&[5]), "k = 5"),
        ("CAST(k AS VARCHAR) = '5'", some(&[5]), "k = 5"),
        ("k IN (3000000000, 1)", some(&[1]), "k = 1"),
        ("k IS NOT DISTINCT FROM 7", some(&[7]), "k = 7"),
        ("k IS DISTINCT FROM 7", all.iter().copied().filter(|k| *k != 7).collect(), "(k < 7 OR k > 7)"),
    ];
    for (condition, keys, text) in cases {
        let pushed = decomposed(&table, condition);
        assert_eq!(keys_in(&pushed), *keys, "{condition}");
        assert!(pushed.ranges_text.starts_with(text), "{condition}: {}", pushed.ranges_text);
        assert_eq!(pushed.row_filter, None, "{condition}");
        for verdict in &pushed.filters {
            assert_eq!((verdict.exactness, verdict.in_ranges), (Exact, true), "{condition}");
            assert_eq!(verdict.reason, None);
        }
    }
}

#[test]
fn contradictions_are_empty_and_tautologies_are_full() {
    let table = int_key();
    for condition in [
        "k > 5 AND k < 3",
        "k BETWEEN 9 AND 4",
        "k >= 7 AND k < 7",
        "k < 3 AND v = 1 AND k > 12",
        "k IN (1, 2, 3, 4, 5) AND k > 10",
        "k = 4294967297",
        "k > 3000000000",
        "k = 2.5",
    ] {
        let pushed = decomposed(&table, condition);
        assert!(pushed.row_ranges.is_empty(), "{condition}: {}", pushed.ranges_text);
        assert_eq!(pushed.ranges_text, "EMPTY", "{condition}");
        assert_eq!(pushed.row_filter, None, "{condition}: nothing is read, nothing is asked");
    }
    for condition in ["k < 3000000000", "k >= -3000000000", "k <> 2.5", "k IS NOT DISTINCT FROM k"] {
        let pushed = decomposed(&table, condition);
        assert!(pushed.row_ranges.is_all(), "{condition}: {}", pushed.ranges_text);
        assert_eq!(pushed.ranges_text, "FULL SCAN", "{condition}");
        assert!(pushed.filters.iter().all(|verdict| verdict.exactness == Exact), "{condition}");
    }
}

#[test]
fn value_conditions_become_one_program() {
    let table = int_key();
    let cases = [
        ("v > 5", "v > 5"),
        ("v < 3000000000", "v IS NOT NULL"),
        ("v = 1 OR s = 'x'", "v = 1 OR s = 'x'"),
        ("v IS NULL", "v IS NULL"),
        ("v IS NOT NULL AND s <> 'a'", "v IS NOT NULL AND s != 'a'"),
        ("v IN (1, 2, 3, 4)", "v IN (1, 2, 3, 4)"),
        ("s LIKE 'ab%' OR s LIKE '%c'", "s LIKE 'ab%' OR s LIKE '%c'"),
        ("starts_with(s, 'fo_')", "s LIKE 'fo\\_%'"),
        ("s ~ '^ab'", "s LIKE 'ab%'"),
        ("bo", "bo = true"),
        ("NOT bo", "bo != true"),
        ("bo IS NOT TRUE", "bo"),
        ("v = w", "w = v"),
        ("x = 0.1", "x = 0.1"),
        ("r = 0.1", ""),
        ("r > 16777217", "r > "),
        ("de < 5.555", "de <= 5.55"),
        ("d >= '2020-01-01'", "d >= '2020-01-01'"),
        ("extract(year FROM d) = 2020", "d >= '2020-01-01' AND d < '2021-01-01'"),
        ("ts BETWEEN '2020-01-01' AND '2020-01-02'", "ts >= '2020-01-01T00:00:00'"),
        ("v IS DISTINCT FROM 1", "v = 1"),
        ("s LIKE '%'", "s IS NOT NULL OR s IS NULL AND NULL"),
    ];
    for (condition, text) in cases {
        let pushed = decomposed(&table, condition);
        for verdict in &pushed.filters {
            assert_eq!((verdict.exactness, verdict.in_ranges), (Exact, false), "{condition}: {verdict:?}");
        }
        assert!(pushed.row_ranges.is_all() && pushed.ranges_text == "FULL SCAN", "{condition}");
        let program = pushed.row_filter.map(|spec| spec.to_string()).unwrap_or_default();
        assert!(program.contains(text), "{condition}: {program}");
    }
}

#[test]
fn what_cannot_be_proven_is_residual_with_a_reason() {
    let table = int_key();
    let cases = [
        ("substr(s, 2, 1) = 'x'", "substr"),
        ("10 / v > 1", "no column"),
        ("s = 5", "cast from Utf8 to Int64 can fail"),
        ("TRY_CAST(s AS INT) > 9", "TRY_CAST"),
        ("random() < 0.5", "volatile"),
        ("v + 1 = 2", "no column"),
        ("v = x", "one is cast"),
        ("left(s, 3) = 'foo'", "left"),
        ("lower(s) = 'a' OR v = 1", "lower"),
        ("v IN (w, 2, 3, 4)", "more than constants"),
    ];
    for (condition, reason) in cases {
        let parsed = match condition {
            // Volatile filters are not offered; they must not be pushed if they are.
            "random() < 0.5" => vec![datafusion::functions::expr_fn::random().lt(lit(0.5))],
            _ => filters(&table, condition),
        };
        let pushed = decompose(&parsed, &table, &PushdownSettings::default());
        assert_eq!(pushed.filters.len(), 1, "{condition}");
        assert_eq!(pushed.filters[0].exactness, Residual, "{condition}");
        let why = pushed.filters[0].reason.as_deref().unwrap_or_default();
        assert!(why.contains(reason), "{condition}: {why}");
        assert!(pushed.row_ranges.is_all() && pushed.row_filter.is_none(), "{condition}");
    }
}

#[test]
fn half_of_a_filter_is_inexact() {
    let table = int_key();
    let both = col("v").gt(lit(1)).and(col("s").eq(datafusion::functions::expr_fn::lower(col("s"))));
    let either = col("k").eq(lit(1)).or(col("k").eq(lit(2)).and(both));
    let pushed = decompose([&either], &table, &PushdownSettings::default());
    assert_eq!(pushed.filters[0].exactness, Inexact);
    assert!(pushed.filters[0].in_ranges);
    assert!(pushed.filters[0].reason.as_deref().is_some_and(|why| why.contains("lower")));
    assert_eq!(keys_in(&pushed), [1, 2]);
    assert_eq!(pushed.row_filter.unwrap().to_string(), "k = 1 OR k = 2 AND v > 1");

    // Under NOT half a filter is no bound.
    let pushed = decompose([&Expr::Not(Box::new(either))], &table, &PushdownSettings::default());
    assert_eq!(pushed.filters[0].exactness, Residual);
    assert!(pushed.row_ranges.is_all());
}

#[test]
fn or_with_a_value_is_not_narrowed() {
    let table = int_key();
    let pushed = decomposed(&table, "k = 1 OR v = 2");
    assert!(pushed.row_ranges.is_all());
    assert_eq!(pushed.filters[0].exactness, Exact);
    assert!(!pushed.filters[0].in_ranges);
    assert_eq!(pushed.row_filter.unwrap().to_string(), "k = 1 OR v = 2");

    let pushed = decomposed(&table, "(k = 1 AND v = 2) OR (k > 10 AND v = 2)");
    assert_eq!(keys_in(&pushed), [1, 11, 12]);
    assert!(pushed.filters.iter().all(|verdict| verdict.exactness == Exact));
}

#[test]
fn every_part_of_a_key_narrows() {
    let table = typed(
        &[("y", DataType::Int32), ("m", DataType::Int32), ("d", DataType::Int32), ("v", DataType::Int32)],
        &["y", "m", "d"],
    );
    let lexicoder = KeyLexicoder::new(vec![KeyPart::ascending(PrimitiveType::Int32); 3]);
    let days = |pushed: &DecomposedPredicate| -> Vec<(i64, i64, i64)> {
        let mut inside = Vec::new();
        for y in 2019..=2021 {
            for m in 1..=4 {
                for d in [1, 2, 28, 29, 30] {
                    let row = lexicoder.encode(&[y, m, d].map(ScalarRef::Int)).unwrap();
                    if pushed.row_ranges.contains(&row) {
                        inside.push((y, m, d));
                    }
                }
            }
        }
        inside
    };
    let pushed = decomposed(&table, "y = 2020 AND m = 2 AND d >= 28");
    assert_eq!(days(&pushed), [(2020, 2, 28), (2020, 2, 29), (2020, 2, 30)]);
    assert_eq!(pushed.ranges_text, "y = 2020 AND m = 2 AND d >= 28");
    assert_eq!(pushed.row_filter, None);
    assert_eq!(pushed.fixed_key_parts, 2);

    let pushed = decomposed(&table, "y IN (2019, 2021) AND m = 1 AND d < 3");
    assert_eq!(days(&pushed), [(2019, 1, 1), (2019, 1, 2), (2021, 1, 1), (2021, 1, 2)]);
    assert_eq!(pushed.ranges_text, "y IN (2019, 2021) AND m = 1 AND d < 3");
    assert_eq!(pushed.row_filter, None);
    assert_eq!(pushed.fixed_key_parts, 0, "two years");

    // A part is skipped: the ranges say the year, the program says the day.
    let pushed = decomposed(&table, "y = 2020 AND d = 1");
    assert_eq!(days(&pushed).len(), 20);
    assert_eq!(pushed.ranges_text, "y = 2020");
    assert_eq!(pushed.fixed_key_parts, 1);
    assert_eq!(pushed.row_filter.as_ref().unwrap().to_string(), "d = 1");
    assert_eq!(pushed.filters.iter().map(|verdict| verdict.in_ranges).collect::<Vec<_>>(), [true, false]);
    assert!(pushed.filters.iter().all(|verdict| verdict.exactness == Exact));

    // Behind an interval nothing narrows.
    let pushed = decomposed(&table, "y > 2019 AND m = 1");
    assert_eq!(pushed.ranges_text, "y >= 2020", "the next value, where more parts follow");
    assert_eq!(pushed.row_filter.unwrap().to_string(), "m = 1");

    let pushed = decomposed(&table, "m = 2 AND d = 29");
    assert!(pushed.row_ranges.is_all());
    assert_eq!(pushed.ranges_text, "FULL SCAN");

    let pushed = decomposed(&table, "(y = 2019 AND m = 2) OR (y = 2020 AND m = 3) OR (y = 2019 AND m = 2)");
    let months: Vec<_> = days(&pushed).into_iter().filter(|(_, _, d)| *d == 1).collect();
    assert_eq!(months, [(2019, 2, 1), (2020, 3, 1)]);
    assert_eq!(pushed.row_filter, None);

    let pushed = decomposed(&table, "(y = 2019 OR y = 2021) AND (m = 1 OR m = 4)");
    assert_eq!(pushed.ranges_text, "y IN (2019, 2021) AND m IN (1, 4)");
    assert_eq!(pushed.row_ranges.ranges().len(), 4);
    assert_eq!(pushed.row_filter, None);
}

#[test]
fn descending_parts_are_mirrored() {
    use super::key_bytes::PartBytes;
    let lexicoder = KeyLexicoder::new(vec![
        KeyPart::descending(PrimitiveType::Utf8),
        KeyPart::descending(PrimitiveType::Int32),
    ]);
    for (part, values) in [
        (0, ["", "a", "a\0", "ab", "b"].map(|text| ScalarRef::Utf8(text).to_owned()).to_vec()),
        (1, (-2..3).map(|i| ScalarRef::Int(i).to_owned()).collect()),
    ] {
        let bytes = PartBytes::of_key(&lexicoder, part, true).unwrap();
        for value in &values {
            let span = bytes.span(value).unwrap();
            for other in &values {
                let key = match part {
                    0 => lexicoder.encode(&[other.as_ref(), ScalarRef::Int(7)]).unwrap(),
                    _ => lexicoder.encode(&[ScalarRef::Utf8("x"), other.as_ref()]).unwrap(),
                };
                let at = lexicoder.part_slices(&key).unwrap()[part].start;
                let rest = &key[at..];
                let equal = value.compare(other).unwrap().is_eq();
                let inside =
                    rest >= span.start.as_slice() && span.end.as_deref().is_none_or(|end| rest < end);
                assert_eq!(inside, equal, "{value:?} {other:?}");
            }
        }
    }
}

#[test]
fn ranges_of_descending_parts_are_said_in_the_order_of_values() {
    let mut table =
        typed(&[("s", DataType::Utf8), ("n", DataType::Int32), ("v", DataType::Int32)], &["s", "n"]);
    let said = |table: &TableDefinition, condition: &str| decomposed(table, condition).ranges_text;
    let cases = [
        ("s = 'a' AND n = 5", "s = 'a' AND n = 5", "s = 'a' AND n = 5"),
        ("s = 'a' AND n > 5", "s = 'a' AND n > 5", "s = 'a' AND n > 5"),
        ("s = 'a' AND n <= 5", "s = 'a' AND n <= 5", "s = 'a' AND n <= 5"),
        ("s = 'a' AND n BETWEEN 5 AND 7", "s = 'a' AND n in [5, 7]", "s = 'a' AND n in [5, 7]"),
        ("s > 'a'", "s > 'a'", "s > 'a'"),
        ("s <= 'a'", "s <= 'a'", "s <= 'a'"),
        ("s = ''", "s = ''", "s = ''"),
        ("s >= 'a\0' AND s < 'b'", "s in ['a\0', 'b')", "s in ['a\0', 'b')"),
        ("s = 'a' OR s = 'b'", "s IN ('a', 'b')", "s IN ('b', 'a')"),
    ];
    for (condition, ascending, _) in cases {
        assert_eq!(said(&table, condition), ascending, "{condition}");
    }
    table.row_id = crate::definition::RowIdLayout::Native {
        columns: vec![0, 1],
        lexicoder: KeyLexicoder::new(vec![
            KeyPart::descending(PrimitiveType::Utf8),
            KeyPart::descending(PrimitiveType::Int32),
        ]),
    };
    for (condition, _, descending) in cases {
        assert_eq!(said(&table, condition), descending, "{condition}");
    }
}

#[test]
fn too_many_boxes_widen_and_the_program_makes_up_for_it() {
    let table = typed(&[("a", DataType::Int32), ("b", DataType::Int32)], &["a", "b"]);
    let lexicoder = KeyLexicoder::new(vec![KeyPart::ascending(PrimitiveType::Int32); 2]);
    let pair = |a: i32, b: i32| col("a").eq(lit(a)).and(col("b").eq(lit(b)));
    let pairs = |count: i32| (1..count).fold(pair(0, 1), |any, i| any.or(pair(i, i + 1)));
    let row = |a: i64, b: i64| lexicoder.encode(&[ScalarRef::Int(a), ScalarRef::Int(b)]).unwrap();

    let pushed = decompose([&pairs(100)], &table, &PushdownSettings::default());
    assert!(pushed.row_ranges.contains(&row(7, 8)) && !pushed.row_ranges.contains(&row(7, 7)));
    assert_eq!(pushed.row_filter, None);
    assert!(pushed.ranges_text.ends_with("... 92 more"), "{}", pushed.ranges_text);

    // A union of more boxes than are kept is everything.
    let pushed = decompose([&pairs(5_000)], &table, &PushdownSettings::default());
    assert!(pushed.row_ranges.is_all() && pushed.row_filter.is_some());
    assert_eq!(pushed.filters[0].exactness, Exact);

    // A product of more is one of its factors, here the one with fewer boxes.
    let (some, few) = (pairs(100), pairs(50));
    let pushed = decompose([&some, &few], &table, &PushdownSettings::default());
    assert!(pushed.row_ranges.contains(&row(7, 8)) && !pushed.row_ranges.contains(&row(7, 7)));
    assert!(!pushed.row_ranges.contains(&row(70, 71)), "the smaller factor");
    assert!(pushed.row_filter.is_some(), "the other one is asked of every row");
    let pushed = decompose([&few, &some], &table, &PushdownSettings::default());
    assert!(!pushed.row_ranges.contains(&row(70, 71)) && pushed.row_filter.is_some());
}

#[test]
fn a_long_not_in_is_no_list_of_ranges() {
    let table = int_key();
    let not_in = |count: i32| col("k").in_list((0..count).map(|i| lit(2 * i)).collect(), true);
    let pushed = decompose([&not_in(20)], &table, &PushdownSettings::default());
    assert_eq!((pushed.row_ranges.ranges().len(), pushed.row_filter), (21, None));
    let pushed = decompose([&not_in(200)], &table, &PushdownSettings::default());
    assert!(pushed.row_ranges.is_all() && pushed.row_filter.is_some());
    assert_eq!(pushed.filters[0].exactness, Exact);
}

#[test]
fn lists_of_parts_multiply_up_to_a_bound() {
    let table = typed(&[("a", DataType::Int32), ("b", DataType::Int32)], &["a", "b"]);
    let list = |name: &str, count: i32| col(name).in_list((0..count).map(lit).collect(), false);
    let filters = [list("a", 20), list("b", 20)];
    let pushed = decompose(&filters, &table, &PushdownSettings::default());
    assert_eq!((pushed.row_ranges.ranges().len(), pushed.row_filter), (400, None));
    let bound = PushdownSettings { max_ranges: 399, ..PushdownSettings::default() };
    let pushed = decompose(&filters, &table, &bound);
    assert_eq!(pushed.row_ranges.ranges().len(), 1, "the first part alone");
    // Neighbours are one range, so that the first part needs no list either.
    assert!(pushed.row_filter.unwrap().to_string().starts_with("b IN (0, 1,"));
    assert_eq!(pushed.filters.iter().map(|verdict| verdict.in_ranges).collect::<Vec<_>>(), [true, false]);
    let row = |a: i64, b: i64| {
        let lexicoder = KeyLexicoder::new(vec![KeyPart::ascending(PrimitiveType::Int32); 2]);
        lexicoder.encode(&[ScalarRef::Int(a), ScalarRef::Int(b)]).unwrap()
    };
    assert!(pushed.row_ranges.contains(&row(19, 19)) && !pushed.row_ranges.contains(&row(20, 0)));

    // A short interval is its values, a long one is not.
    let pushed = decomposed(&table, "a BETWEEN 5 AND 7 AND b = 1");
    assert_eq!(pushed.row_ranges.ranges().len(), 3);
    assert!(pushed.row_ranges.contains(&row(6, 1)) && !pushed.row_ranges.contains(&row(6, 2)));
    assert_eq!(pushed.row_filter, None);
    let pushed = decomposed(&table, "a BETWEEN 1 AND 300 AND b = 1");
    assert_eq!(pushed.row_ranges.ranges().len(), 1);
    assert_eq!(pushed.row_filter.unwrap().to_string(), "b = 1");
}

#[test]
fn part_bytes_are_the_lexicoders() {
    use super::key_bytes::PartBytes;
    let types = [PrimitiveType::Utf8, PrimitiveType::Int16, PrimitiveType::Binary];
    for first in types {
        for second in types {
            for descending in [false, true] {
                let parts = vec![KeyPart { ty: first, descending }, KeyPart { ty: second, descending }];
                let lexicoder = KeyLexicoder::new(parts);
                for (index, ty) in [first, second].into_iter().enumerate() {
                    let values = match ty {
                        PrimitiveType::Utf8 => {
                            vec![ScalarRef::Utf8(""), ScalarRef::Utf8("a\0b"), ScalarRef::Utf8("é")]
                        }
                        PrimitiveType::Binary => {
                            vec![ScalarRef::Binary(b""), ScalarRef::Binary(b"\0\x01\xff")]
                        }
                        _ => vec![ScalarRef::Int(-1), ScalarRef::Int(0), ScalarRef::Int(255)],
                    };
                    for value in values {
                        let mut wanted = Vec::new();
                        lexicoder.encode_part(index, value, &mut wanted).unwrap();
                        let bytes = PartBytes::of_key(&lexicoder, index, true).unwrap();
                        let span = bytes.span(&value.to_owned()).unwrap();
                        assert_eq!(span.start, wanted, "{value:?} as part {index} of {lexicoder:?}");
                        assert_eq!(bytes.is_value(&span.start, span.end.as_deref()), index == 0);
                    }
                }
            }
        }
    }
}

#[test]
fn text_keys_take_prefixes() {
    let table =
        mapped(&[("k", DataType::Utf8), ("n", DataType::Int32)], &[("columns.mapping", ":rowid,f:n")]);
    let rows = ["", "a", "ab", "abc", "ab\u{10ffff}", "ac", "foo_", "foo_a", "foox", "é", "\u{10ffff}"];
    let inside = |condition: &str| -> Vec<&str> {
        let pushed = decomposed(&table, condition);
        rows.into_iter().filter(|row| pushed.row_ranges.contains(row.as_bytes())).collect()
    };
    assert_eq!(inside("k LIKE 'ab%'"), ["ab", "abc", "ab\u{10ffff}"]);
    assert_eq!(inside("k LIKE 'foo\\_%'"), ["foo_", "foo_a"]);
    assert_eq!(inside("k LIKE 'foo_%'"), ["foo_", "foo_a", "foox"], "the prefix is foo");
    assert_eq!(inside("k LIKE 'ab'"), ["ab"]);
    assert_eq!(inside("k LIKE '\u{10ffff}%'"), ["\u{10ffff}"]);
    assert_eq!(inside("starts_with(k, 'foo_')"), ["foo_", "foo_a"]);
    assert_eq!(inside("k NOT LIKE 'ab%'"), ["", "a", "ac", "foo_", "foo_a", "foox", "é", "\u{10ffff}"]);
    assert_eq!(inside("k ILIKE 'ab%'").len(), rows.len(), "case is no prefix");
    assert_eq!(inside("k LIKE '%b'").len(), rows.len());
    assert_eq!(inside("k >= 'ab' AND k < 'ac'"), ["ab", "abc", "ab\u{10ffff}"]);
    assert_eq!(decomposed(&table, "k LIKE 'ab%'").ranges_text, "k in ['ab', 'ac')");
    assert_eq!(decomposed(&table, "k >= 'f' AND k <= 'm'").ranges_text, "k in ['f', 'm']");
    assert_eq!(decomposed(&table, "k = ''").ranges_text, "k = ''");

    // Row ids that are no text may lie in the ranges: the program looks at every row.
    let pushed = decomposed(&table, "k >= 'ab'");
    assert_eq!(pushed.row_filter.unwrap().to_string(), "k >= 'ab'");
    assert_eq!((pushed.filters[0].exactness, pushed.filters[0].in_ranges), (Exact, true));
}

#[test]
fn only_ordered_encodings_make_intervals() {
    for (code, equal, less) in [("s", false, false), ("b", true, false), ("n", true, true)] {
        let mapping = format!(":rowid#{code},f:n");
        let table =
            mapped(&[("k", DataType::Int32), ("n", DataType::Int32)], &[("columns.mapping", &mapping)]);
        for (condition, ranged) in [("k = 5", equal), ("k IN (1, 2, 3, 4)", equal), ("k < 5", less)] {
            let pushed = decomposed(&table, condition);
            assert_eq!(!pushed.row_ranges.is_all(), ranged, "{code} {condition}");
            assert_eq!(pushed.filters[0].exactness, Exact, "{code} {condition}");
            assert!(pushed.row_filter.is_some(), "{code} {condition}: bytes may be no number");
        }
    }
}

#[test]
fn float_keys_know_both_zeros_and_every_nan() {
    let ty = PrimitiveType::Float64;
    let odd_nan = f64::from_bits(0x7ff8_0000_0000_0001);
    let values = [-f64::NAN, f64::NEG_INFINITY, -1.5, -0.0, 0.0, 1.5, f64::INFINITY, f64::NAN, odd_nan];
    let raw =
        mapped(&[("k", DataType::Float64), ("n", DataType::Int32)], &[("columns.mapping", ":rowid#n,f:n")]);
    let own = typed(&[("k", DataType::Float64), ("n", DataType::Int32)], &["k"]);
    for op in [
        CompareOperator::eq as fn(Expr, Expr) -> Expr,
        CompareOperator::lt,
        CompareOperator::lt_eq,
        CompareOperator::gt,
        CompareOperator::gt_eq,
        CompareOperator::not_eq,
    ] {
        for constant in values {
            let filter = op(col("k"), lit(constant));
            for table in [&raw, &own] {
                let pushed = decompose([&filter], table, &PushdownSettings::default());
                for value in values {
                    let stored = if table.keys_are_trusted() {
                        crate::rows::canonical(ScalarRef::Float64(value))
                    } else {
                        ScalarRef::Float64(value)
                    };
                    let ScalarRef::Float64(seen) = stored else { panic!("a float stays a float") };
                    let batch = arrow::array::RecordBatch::try_from_iter([(
                        "k",
                        Arc::new(arrow::array::Float64Array::from(vec![seen])) as arrow::array::ArrayRef,
                    )])
                    .unwrap();
                    let wanted = oracle::evaluate(&filter, &batch).unwrap().value(0);
                    let inside = pushed.row_ranges.contains(&native(ty, stored));
                    assert_eq!(inside, wanted, "{filter} of {value} ({:x})", value.to_bits());
                }
            }
        }
    }
}

/// Comparisons as functions.
struct CompareOperator;

impl CompareOperator {
    fn eq(a: Expr, b: Expr) -> Expr {
        a.eq(b)
    }
    fn not_eq(a: Expr, b: Expr) -> Expr {
        a.not_eq(b)
    }
    fn lt(a: Expr, b: Expr) -> Expr {
        a.lt(b)
    }
    fn lt_eq(a: Expr, b: Expr) -> Expr {
        a.lt_eq(b)
    }
    fn gt(a: Expr, b: Expr) -> Expr {
        a.gt(b)
    }
    fn gt_eq(a: Expr, b: Expr) -> Expr {
        a.gt_eq(b)
    }
}

#[test]
fn a_delimited_row_id_is_narrowed_by_its_first_field() {
    let fields: Fields = ["a", "b", "c"].map(|name| Field::new(name, DataType::Utf8, true)).to_vec().into();
    let table = mapped(
        &[("key", DataType::Struct(fields)), ("v", DataType::Utf8)],
        &[("columns.mapping", ":rowid,f:v"), ("composite.rowid", "$")],
    );
    let rows = ["1000$2000$3000", "1000", "1000$", "100$2000$3000", "10000$1$1", "2$3$4", "1001"];
    let inside = |condition: &str| -> Vec<&str> {
        let pushed = decomposed(&table, condition);
        assert!(pushed.filters.iter().all(|verdict| verdict.exactness == Exact), "{condition}");
        rows.into_iter().filter(|row| pushed.row_ranges.contains(row.as_bytes())).collect()
    };
    assert_eq!(inside("key['a'] = '1000' AND key['b'] >= '2'"), ["1000$2000$3000", "1000", "1000$"]);
    assert_eq!(inside("key['a'] = '100'"), ["100$2000$3000"]);
    assert_eq!(inside("key['a'] = '10$0'"), Vec::<&str>::new(), "no field holds the delimiter");
    assert_eq!(inside("key['a'] >= '1001'"), ["2$3$4", "1001"]);
    assert_eq!(inside("key['a'] <= '1'").len(), rows.len(), "what comes behind a field sorts anywhere");
    assert_eq!(inside("key['c'] = '3000'").len(), rows.len());
    let pushed = decomposed(&table, "key['a'] = '1000' AND key['b'] >= '2'");
    let program = pushed.row_filter.unwrap().to_string();
    assert!(program.contains("key['a'] = '1000'") && program.contains("key['b'] >= '2'"), "{program}");
}

#[test]
fn a_map_entry_is_a_cell() {
    let pair = Fields::from(vec![
        Field::new("key", DataType::Utf8, false),
        Field::new("value", DataType::Int32, true),
    ]);
    let map = DataType::Map(Arc::new(Field::new("entries", DataType::Struct(pair), false)), false);
    let table = mapped(&[("k", DataType::Utf8), ("p", map)], &[("columns.mapping", ":rowid,f:p_*")]);
    let pushed = decomposed(&table, "p['x'] = 9");
    assert_eq!(pushed.filters[0].exactness, Exact);
    let spec = pushed.row_filter.unwrap();
    assert_eq!(spec.to_string(), "p['x'] = 9");
    let source =
        ostracon_iterators::OperandSource::Cell { family: b"f".to_vec(), qualifier: b"p_x".to_vec() };
    assert_eq!(spec.operands[0].source, source);
}

#[test]
fn pseudo_columns_stay_with_datafusion() {
    let table = mapped(
        &[("k", DataType::Utf8), ("at", DataType::Int64), ("label", DataType::Utf8)],
        &[("columns.mapping", ":rowid,:timestamp,:visibility")],
    );
    for condition in ["at > 5", "label = 'A'"] {
        let pushed = decomposed(&table, condition);
        assert_eq!(pushed.filters[0].exactness, Residual, "{condition}");
        assert!(pushed.row_filter.is_none() && pushed.row_ranges.is_all());
    }
}

#[test]
fn pushdown_off_leaves_everything() {
    let table = int_key();
    let off = PushdownSettings { enabled: false, ..PushdownSettings::default() };
    let pushed = decompose(&filters(&table, "k = 5 AND v = 1"), &table, &off);
    assert!(pushed.row_ranges.is_all() && pushed.row_filter.is_none());
    assert_eq!(pushed.ranges_text, "FULL SCAN");
    for verdict in &pushed.filters {
        assert_eq!(verdict.exactness, Residual);
        assert_eq!(verdict.reason.as_deref(), Some("ostracon.iterator_pushdown is off"));
    }
    let properties = table.properties.with_changes(&[("iterator.pushdown".into(), "false".into())]).unwrap();
    let table = table.with_properties(properties).unwrap();
    let pushed = decompose(&filters(&table, "k = 5"), &table, &PushdownSettings::default());
    assert_eq!(pushed.filters[0].reason.as_deref(), Some("the table's iterator.pushdown is off"));
}

#[test]
fn no_filter_is_a_full_scan() {
    let pushed = decompose([], &int_key(), &PushdownSettings::default());
    assert_eq!(
        (pushed.row_ranges, pushed.row_filter, pushed.ranges_text),
        (RowRanges::all(), None, "FULL SCAN".into())
    );
}

#[test]
fn thousands_of_ors_overflow_nothing() {
    let table = int_key();
    let deep = |count: i32, left: bool| {
        (1..count).fold(col("k").eq(lit(0)), |any, i| {
            let one = col("k").eq(lit(2 * i));
            if left { any.or(one) } else { one.or(any) }
        })
    };
    for left in [true, false] {
        let filter = deep(20_000, left);
        let pushed =
            decompose([&filter], &table, &PushdownSettings { max_ranges: 100_000, ..Default::default() });
        assert_eq!(pushed.row_ranges.ranges().len(), 20_000);
        assert_eq!(keys_in(&pushed), [0, 2, 4, 6, 8, 10, 12]);
        assert!(
            pushed.ranges_text.starts_with("k IN (0, 2, 4,") && pushed.ranges_text.ends_with("19992 more)")
        );
        assert!(pushed.filters[0].text.len() < 500, "{}", pushed.filters[0].text);
        // Too many ranges are joined; then the program must look.
        let few = decompose([&filter], &table, &PushdownSettings { max_ranges: 10, ..Default::default() });
        assert!(few.row_ranges.ranges().len() <= 10 && few.row_filter.is_some());
        assert_eq!(few.filters[0].exactness, Exact);
        std::mem::forget(filter); // Dropping it would recurse, which is DataFusion's affair.
    }
    let nots = (0..50_000).fold(col("bo"), |expr, _| Expr::Not(Box::new(expr)));
    let pushed = decompose([&nots], &table, &PushdownSettings::default());
    assert_eq!(pushed.filters[0].exactness, Exact);
    std::mem::forget(nots);
}

#[test]
fn nulls_in_lists_are_kept() {
    let table = int_key();
    let pushed = decomposed(&table, "v NOT IN (1, 2, 3, 4, NULL)");
    let text = pushed.row_filter.map(|spec| spec.to_string()).unwrap_or_default();
    assert!(text.contains("NULL"), "{text}");
    let list = col("k").in_list(vec![lit(1), lit(datafusion::common::ScalarValue::Int32(None))], false);
    let pushed = decompose([&list], &table, &PushdownSettings::default());
    assert_eq!(keys_in(&pushed), [1]);
    assert_eq!(pushed.row_filter, None, "TRUE for 1 and NULL elsewhere: the range is exact");
    let pushed = decompose([&Expr::Not(Box::new(list))], &table, &PushdownSettings::default());
    assert!(pushed.row_filter.is_some(), "NOT of NULL is not TRUE: the complement alone is too wide");
    assert_eq!(pushed.filters[0].exactness, Exact);
}

#[test]
fn dates_and_times_are_seen_through_within_their_ends() {
    let table = typed(
        &[
            ("ts", DataType::Timestamp(TimeUnit::Microsecond, None)),
            ("d", DataType::Date32),
            ("ns", DataType::Timestamp(TimeUnit::Nanosecond, None)),
        ],
        &["ts"],
    );
    let ty = PrimitiveType::Timestamp(TimeUnit::Microsecond);
    let day = 86_400_000_000_i64;
    let first = 18_262 * day;
    let inside =
        |pushed: &DecomposedPredicate, at: i64| pushed.row_ranges.contains(&native(ty, ScalarRef::Int(at)));
    for condition in ["CAST(ts AS DATE) = '2020-01-01'", "date_trunc('day', ts) = '2020-01-01'"] {
        let pushed = decomposed(&table, condition);
        assert_eq!(
            (pushed.filters[0].exactness, pushed.filters[0].in_ranges),
            (Inexact, true),
            "{condition}"
        );
        let wanted =
            [(first - 1, false), (first, true), (first + day - 1, true), (first + day, false), (0, false)];
        for (at, wanted) in wanted {
            assert_eq!(inside(&pushed, at), wanted, "{condition} at {at}");
        }
        assert!(inside(&pushed, i64::MIN), "DataFusion fails on it, and so it must with us");
    }
    let pushed = decomposed(&table, "CAST(ts AS DATE) = '2020-01-01'");
    assert!(inside(&pushed, i64::MAX));
    let wanted = "(ts < '0001-01-01T00:00:00' OR ts in ['2020-01-01T00:00:00', '2020-01-01T23:59:59.999999'] OR ts > '9999-12-31T23:59:59.999999')";
    assert_eq!(pushed.ranges_text, wanted);
    let pushed = decomposed(&table, "d >= TIMESTAMP '2020-01-01T12:00:00'");
    assert_eq!(pushed.filters[0].exactness, Inexact);
    let program = pushed.row_filter.unwrap().to_string();
    assert_eq!(program, "d > '2020-01-01' OR d < '1677-09-22' OR d > '2262-04-11'");
    let pushed = decomposed(&table, "CAST(ns AS DATE) > '2020-01-01'");
    assert_eq!(pushed.filters[0].exactness, Exact, "every nanosecond of 64 bits has a date");
}

#[test]
fn zeros_in_lists_of_floats_are_left_to_datafusion() {
    let table = typed(&[("k", DataType::Float64), ("x", DataType::Float64)], &["k"]);
    let list = |zero: f64| col("x").in_list([zero, 1.0, 2.0, 3.0].map(lit).to_vec(), false);
    for zero in [0.0, -0.0] {
        let pushed = decompose([&list(zero)], &table, &PushdownSettings::default());
        assert_eq!(pushed.filters[0].exactness, Inexact);
        assert!(pushed.row_filter.is_some() && pushed.filters[0].reason.is_some());
        let pushed = decompose([&Expr::Not(Box::new(list(zero)))], &table, &PushdownSettings::default());
        assert_eq!(pushed.filters[0].exactness, Residual);
    }
    let pushed = decompose([&list(0.5)], &table, &PushdownSettings::default());
    assert_eq!(pushed.filters[0].exactness, Exact);
    // By `=` both zeros are one, in a short list too, which DataFusion takes apart.
    let pushed = decomposed(&table, "x IN (-0.0, 1.0)");
    assert_eq!(pushed.filters[0].exactness, Exact);
}

#[test]
fn variants_of_literals_are_one() {
    use datafusion::common::ScalarValue;
    let table =
        mapped(&[("k", DataType::Utf8), ("n", DataType::Int32)], &[("columns.mapping", ":rowid,f:n")]);
    let text = || Some("ab".to_owned());
    for value in [
        ScalarValue::Utf8(text()),
        ScalarValue::LargeUtf8(text()),
        ScalarValue::Utf8View(text()),
        ScalarValue::Dictionary(Box::new(DataType::Int32), Box::new(ScalarValue::Utf8(text()))),
    ] {
        let pushed = decompose([&col("k").eq(lit(value.clone()))], &table, &PushdownSettings::default());
        assert_eq!(pushed.ranges_text, "k = 'ab'", "{value:?}");
        assert_eq!(pushed.filters[0].exactness, Exact);
    }
}

#[test]
fn a_null_key_is_possible_only_where_bad_bytes_are_null() {
    let columns = [("k", DataType::Int32), ("n", DataType::Int32)];
    let table = |policy| mapped(&columns, &[("columns.mapping", ":rowid#n,f:n"), ("on.bad.value", policy)]);
    let is_null = col("k").is_null();
    let pushed = decompose([&is_null], &table("error"), &PushdownSettings::default());
    assert!(pushed.row_ranges.is_empty());
    let pushed = decompose([&is_null], &table("null"), &PushdownSettings::default());
    assert!(pushed.row_ranges.is_all());
    assert_eq!(pushed.row_filter.unwrap().to_string(), "k IS NULL");
    assert!(table("null").arrow_schema().field(0).is_nullable());
    assert!(!table("error").arrow_schema().field(0).is_nullable());
}

/// Found by the oracle: a key that cannot be read is NULL, and NULL is not TRUE. The range for `k <> 127` also holds
/// rows whose key is no number, so that its complement is too narrow for `(k <> 127) IS NOT TRUE`.
#[test]
fn a_key_that_cannot_be_read_is_not_true() {
    let columns = [("k", DataType::Int8), ("n", DataType::Int32)];
    let table = mapped(&columns, &[("columns.mapping", ":rowid#n,f:n"), ("on.bad.value", "null")]);
    let filter = Expr::IsNotTrue(Box::new(col("k").not_eq(lit(127_i8))));
    let pushed = decompose([&filter], &table, &PushdownSettings::default());
    assert!(pushed.row_ranges.contains(b"no number"));
    assert_eq!(pushed.row_filter.unwrap().to_string(), "NOT ((k != 127) IS TRUE)");
    // Where every key can be read the complement is right.
    let table = typed(&columns, &["k"]);
    let pushed = decompose([&filter], &table, &PushdownSettings::default());
    assert_eq!((pushed.ranges_text.as_str(), pushed.row_filter), ("k = 127", None));
}

#[test]
fn tables_without_a_key_have_no_ranges() {
    let table = typed(&[("v", DataType::Int32)], &[]);
    let pushed = decomposed(&table, "v = 1");
    assert_eq!((pushed.ranges_text.as_str(), pushed.filters[0].exactness), ("FULL SCAN", Exact));
    let never = decompose([&lit(false)], &table, &PushdownSettings::default());
    assert!(never.row_ranges.is_empty());
}

#[test]
fn filters_print_as_sql() {
    let cases = [
        (col("a").eq(lit(5)).and(col("b").gt(lit("it's"))), "a = 5 AND b > 'it''s'"),
        (
            col("a").eq(lit(1)).or(col("b").eq(lit(2))).and(col("c").is_null()),
            "(a = 1 OR b = 2) AND c IS NULL",
        ),
        (col("a").in_list(vec![lit(1), lit(2)], true), "a NOT IN (1, 2)"),
        (col("s").like(lit("a%")), "s LIKE 'a%'"),
        (Expr::Not(Box::new(col("b"))), "NOT b"),
        (col("t.x").between(lit(1), lit(2)), "x BETWEEN 1 AND 2"),
        (datafusion::functions::expr_fn::lower(col("s")).eq(lit("x")), "lower(s) = 'x'"),
        (datafusion::logical_expr::cast(col("a"), DataType::Int64).lt(lit(3_i64)), "CAST(a AS Int64) < 3"),
    ];
    for (expr, wanted) in cases {
        assert_eq!(text::of_expr(&expr), wanted);
    }
    let long = col("a").in_list((0..100).map(lit).collect(), false);
    assert!(text::of_expr(&long).ends_with("... 84 more)"), "{}", text::of_expr(&long));
}
