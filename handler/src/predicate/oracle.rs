//! The oracle: pushed down or not, a filter accepts the same rows.
//!
//! Random tables, rows and filters; the rows are encoded by [`crate::rows::RowEncoder`], and read back by
//! [`crate::rows::RowDecoder`] into a batch on which DataFusion's own expressions give the right answer. Against it
//! stands what a scan would do: is the row in the ranges, and does the row filter match it? Where the verdict is
//! exact the two must be equal, elsewhere the scan may only let more through.

use arrow::array::{Array, BooleanArray, RecordBatch};
use datafusion::common::DFSchema;
use datafusion::logical_expr::Expr;
use datafusion::logical_expr::execution_props::ExecutionProps;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::physical_expr::create_physical_expr;
use ostracon_data::RowBuffer;
use ostracon_iterators::RowFilter;
use proptest::prelude::*;

use super::*;
use crate::definition::TableDefinition;
use crate::generate::{Random, Sample, filter, sample};
use crate::rows::{Appended, RowDecoder};

/// What the cases were like: a test that meets only trivial ones proves nothing.
#[derive(Debug, Default)]
struct Tally {
    filters: usize,
    exact: usize,
    inexact: usize,
    in_ranges: usize,
    /// Filters that at least one row satisfies, and one does not.
    selective: usize,
    /// Scans whose ranges leave some row out and keep another.
    narrowed: usize,
    /// Rows kept out of the scan by ranges alone.
    kept_out: usize,
    damaged: usize,
}

/// The rows as DataFusion gets them; rows that the table skips are left out.
fn read(sample: &Sample) -> (RecordBatch, Vec<&RowBuffer>) {
    let mut decoder = RowDecoder::new(&sample.definition, None).unwrap();
    let mut kept = Vec::new();
    for row in &sample.rows {
        if decoder.append(row).unwrap() == Appended::Row {
            kept.push(row);
        }
    }
    (decoder.finish().unwrap(), kept)
}

/// DataFusion's answer for every row; `None` if it fails to give one.
pub(super) fn evaluate(filter: &Expr, batch: &RecordBatch) -> Option<BooleanArray> {
    let schema = DFSchema::try_from(batch.schema().as_ref().clone()).unwrap();
    let physical =
        create_physical_expr(filter, &schema, &ExecutionProps::new(), &PhysicalPlanningContext::default())
            .ok()?;
    let value = physical.evaluate(batch).ok()?.into_array(batch.num_rows()).ok()?;
    Some(arrow::array::AsArray::as_boolean(&value).clone())
}

fn is_true(answers: &BooleanArray, row: usize) -> bool {
    answers.is_valid(row) && answers.value(row)
}

/// Whether a scan hands the row out.
pub(super) fn scanned(
    pushed: &DecomposedPredicate,
    program: &mut Option<RowFilter>,
    row: &RowBuffer,
) -> bool {
    pushed.row_ranges.contains(row.row())
        && program.as_mut().is_none_or(|program| program.matches(row).unwrap())
}

fn check(seed: u64, damage: bool, tally: &mut Tally) {
    let mut random = Random::new(seed);
    let sample = sample(&mut random, damage);
    let (batch, rows) = read(&sample);
    tally.damaged += usize::from(sample.damaged);
    for _ in 0..4 {
        let filters: Vec<Expr> = (0..1 + random.below(3)).map(|_| filter(&mut random, &sample, 3)).collect();
        check_filters(&filters, &sample.definition, &batch, &rows, seed, tally);
    }
}

fn check_filters(
    filters: &[Expr],
    definition: &TableDefinition,
    batch: &RecordBatch,
    rows: &[&RowBuffer],
    seed: u64,
    tally: &mut Tally,
) {
    let Some(answers) = filters.iter().map(|filter| evaluate(filter, batch)).collect::<Option<Vec<_>>>()
    else {
        return;
    };
    let settings =
        PushdownSettings { max_ranges: [1, 3, 10_000][seed as usize % 3], ..PushdownSettings::default() };
    let pushed = decompose(filters, definition, &settings);
    assert_eq!(pushed, decompose(filters, definition, &settings), "the same again");
    let context = || {
        let verdicts: Vec<_> =
            pushed.filters.iter().map(|verdict| (&verdict.text, verdict.exactness)).collect();
        let program = pushed.row_filter.as_ref().map(ToString::to_string);
        format!(
            "seed {seed}\n{verdicts:#?}\nranges {} {:?}\nprogram {program:?}\n{definition:#?}",
            pushed.ranges_text, pushed.row_ranges
        )
    };
    let mut program = pushed.row_filter.as_ref().map(|spec| RowFilter::compile(spec).unwrap());
    for (filter, verdict) in filters.iter().zip(&pushed.filters) {
        // What is promised of a filter may not depend on its company.
        let alone = decompose([filter], definition, &settings);
        assert_eq!(alone.filters[0].exactness, verdict.exactness, "{}", context());
        assert_eq!(verdict.reason.is_some(), verdict.exactness != Exactness::Exact, "{}", context());
    }
    let (mut inside, mut outside) = (false, false);
    for (i, row) in rows.iter().enumerate() {
        let wanted = answers.iter().all(|answers| is_true(answers, i));
        let handed_out = scanned(&pushed, &mut program, row);
        if wanted {
            assert!(handed_out, "row {} {:?} is lost\n{}", i, batch.slice(i, 1), context());
        }
        if handed_out {
            for (answers, verdict) in answers.iter().zip(&pushed.filters) {
                if verdict.exactness == Exactness::Exact {
                    assert!(
                        is_true(answers, i),
                        "row {} {:?} is handed out against {}\n{}",
                        i,
                        batch.slice(i, 1),
                        verdict.text,
                        context()
                    );
                }
            }
        }
        let in_ranges = pushed.row_ranges.contains(row.row());
        inside |= in_ranges;
        outside |= !in_ranges;
        tally.kept_out += usize::from(!in_ranges);
    }
    tally.narrowed += usize::from(inside && outside);
    for (answers, verdict) in answers.iter().zip(&pushed.filters) {
        tally.filters += 1;
        tally.exact += usize::from(verdict.exactness == Exactness::Exact);
        tally.inexact += usize::from(verdict.exactness == Exactness::Inexact);
        tally.in_ranges += usize::from(verdict.in_ranges);
        let accepted = (0..rows.len()).filter(|i| is_true(answers, *i)).count();
        tally.selective += usize::from(accepted > 0 && accepted < rows.len());
    }
}

#[test]
fn pushed_filters_accept_the_same_rows() {
    let mut tally = Tally::default();
    for seed in 0..4_000 {
        check(seed, false, &mut tally);
    }
    assert!(tally.filters > 20_000, "{tally:?}");
    assert!(tally.exact * 10 > tally.filters * 4, "{tally:?}");
    assert!(tally.inexact * 50 > tally.filters, "{tally:?}");
    assert!(tally.selective * 10 > tally.filters * 4, "{tally:?}");
    assert!(tally.in_ranges * 10 > tally.filters, "{tally:?}");
    assert!(tally.narrowed > 1_000, "{tally:?}");
}

#[test]
fn damaged_bytes_change_no_answer_where_they_are_null_or_skipped() {
    let mut tally = Tally::default();
    for seed in 100_000..103_000 {
        check(seed, true, &mut tally);
    }
    assert!(tally.damaged > 400, "{tally:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_seed_will_do(seed in any::<u64>(), damage in any::<bool>()) {
        check(seed, damage, &mut Tally::default());
    }
}

/// Filters on the parts of composite keys alone, where ranges have the most to do; ascending and descending.
#[test]
fn composite_keys_are_narrowed_and_nothing_is_lost() {
    for descending in [[false; 3], [true; 3], [false, true, false], [true, false, true]] {
        check_composite(descending);
    }
}

fn check_composite(descending: [bool; 3]) {
    use arrow::datatypes::DataType;
    use datafusion::common::ScalarValue;
    use datafusion::logical_expr::{col, lit};
    let types = [DataType::Int32, DataType::Utf8, DataType::Int8];
    let key = ["a", "b", "c"];
    let specs =
        key.iter().zip(&types).map(|(name, ty)| crate::definition::ColumnSpec::new(*name, ty.clone()));
    let mut definition =
        TableDefinition::typed("t", specs.collect(), &key.map(str::to_owned), Default::default()).unwrap();
    let parts = types.iter().zip(descending).map(|(ty, descending)| ostracon_compare::KeyPart {
        ty: ostracon_compare::PrimitiveType::from_arrow(ty).unwrap(),
        descending,
    });
    definition.row_id = crate::definition::RowIdLayout::Native {
        columns: vec![0, 1, 2],
        lexicoder: ostracon_compare::KeyLexicoder::new(parts.collect()),
    };
    let texts = ["", "a", "a\0", "ab", "b"];
    let mut arrays: [Vec<ScalarValue>; 3] = Default::default();
    for a in -2..3_i32 {
        for b in texts {
            for c in -2..3_i8 {
                arrays[0].push(a.into());
                arrays[1].push(b.into());
                arrays[2].push(c.into());
            }
        }
    }
    let arrays = arrays.map(|values| ScalarValue::iter_to_array(values).unwrap());
    let batch = RecordBatch::try_new(definition.arrow_schema(), arrays.to_vec()).unwrap();
    let encoder = crate::rows::RowEncoder::new(&definition, Default::default(), None).unwrap();
    let mutations = encoder.encode(&batch, Default::default()).unwrap();
    let rows: Vec<RowBuffer> = mutations.iter().map(crate::generate::row_of).collect();
    let rows: Vec<&RowBuffer> = rows.iter().collect();
    let mut random = Random::new(7);
    let mut tally = Tally::default();
    for seed in 0..1_000 {
        let mut one = || {
            let (a, b, c) = (random.below(6) as i32 - 3, *random.pick(&texts), random.below(6) as i8 - 3);
            let atoms = [
                col("a").eq(lit(a)),
                col("a").gt(lit(a)),
                col("a").lt_eq(lit(a)),
                col("b").eq(lit(b)),
                col("b").gt_eq(lit(b)),
                col("b").lt(lit(b)),
                col("b").like(lit(format!("{b}%"))),
                col("c").eq(lit(c)),
                col("c").between(lit(c), lit(c + 2)),
                col("c").in_list(vec![lit(c), lit(-c)], false),
                col("a").in_list(vec![lit(a), lit(a + 2)], random.one_in(3)),
                Expr::Not(Box::new(col("a").eq(lit(a)).and(col("b").gt(lit(b))))),
            ];
            random.pick(&atoms).clone()
        };
        let filters: Vec<Expr> =
            (0..3).map(|_| if seed % 2 == 0 { one() } else { one().or(one().and(one())) }).collect();
        check_filters(&filters, &definition, &batch, &rows, seed, &mut tally);
    }
    assert_eq!(tally.exact, tally.filters, "{tally:?}");
    assert!(tally.narrowed > 350 && tally.in_ranges * 2 > tally.filters, "{tally:?}");
}
