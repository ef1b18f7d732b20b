//! Random programs over random blocks, against arithmetic one row at a time.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// A column as it is made up: numbers, and whether they are there.
#[derive(Debug, Clone)]
struct Made {
    values: Vec<i128>,
    present: Option<Vec<u8>>,
    wide: bool,
    slack: u32,
}

#[derive(Debug, Clone)]
struct Case {
    program: Program,
    columns: Vec<Made>,
    ids: Option<Vec<u16>>,
    groups: u16,
}

fn number() -> impl Strategy<Value = i128> {
    prop_oneof![
        4 => -1000_i128..1000,
        2 => any::<i32>().prop_map(i128::from),
        1 => any::<i64>().prop_map(i128::from),
        1 => prop::sample::select(vec![i128::from(i64::MIN), i128::from(i64::MAX), 1 << 31, 1 << 32]),
    ]
}

fn wide_number() -> impl Strategy<Value = i128> {
    prop_oneof![3 => number(), 1 => any::<i128>(), 1 => (any::<i64>(), any::<i32>()).prop_map(|(a, b)| i128::from(a) * i128::from(b))]
}

fn column(rows: usize) -> impl Strategy<Value = Made> {
    let absent = prop_oneof![2 => Just(0_u32), 1 => Just(40), 1 => Just(100)];
    (any::<bool>(), absent, 0_u32..3).prop_flat_map(move |(wide, absent, slack)| {
        let values = if wide {
            prop::collection::vec(wide_number(), rows).boxed()
        } else {
            prop::collection::vec(number(), rows).boxed()
        };
        let present = prop::collection::vec(0_u32..100, rows);
        (values, present).prop_map(move |(values, present)| Made {
            values,
            present: (absent > 0)
                .then(|| present.iter().map(|percent| u8::from(*percent >= absent)).collect()),
            wide,
            slack,
        })
    })
}

fn within() -> impl Strategy<Value = Interval> {
    prop_oneof![
        3 => Just(Interval::ALL),
        2 => Just(Interval::NARROW),
        1 => (1_u8..30).prop_map(Interval::digits),
    ]
}

fn program(columns: usize) -> impl Strategy<Value = Program> {
    prop::collection::vec(
        (0_u8..6, any::<prop::sample::Index>(), any::<prop::sample::Index>(), number(), within()),
        1..8,
    )
    .prop_map(move |steps| {
        let mut program = Program::new();
        for column in 0..columns {
            program.step(Operation::Column(column), Interval::ALL);
        }
        for (kind, left, right, constant, within) in steps {
            let known = program.steps().len();
            let (left, right) = (left.index(known), right.index(known));
            match kind {
                0 => program.step(Operation::Constant(constant), Interval::ALL),
                1 | 2 => program.step(Operation::Add(left, right), within),
                3 => program.step(Operation::Subtract(left, right), within),
                _ => program.step(Operation::Multiply(left, right), within),
            };
        }
        program
    })
}

fn case() -> impl Strategy<Value = Case> {
    (0_usize..40, 1_usize..4, 1_u16..40).prop_flat_map(|(rows, columns, groups)| {
        let ids = prop_oneof![
            1 => Just(None),
            3 => prop::collection::vec(0..=groups, rows).prop_map(Some),
        ];
        (program(columns), prop::collection::vec(column(rows), columns), ids).prop_map(
            move |(program, columns, ids)| {
                let groups = if ids.is_none() { 1 } else { groups };
                Case { program, columns, ids, groups }
            },
        )
    })
}

/// The results of all steps in a row; `None` where one leaves its range.
fn by_hand(case: &Case, row: usize) -> Option<Vec<i128>> {
    let mut results: Vec<i128> = Vec::new();
    for step in case.program.steps() {
        let result = match step.operation {
            Operation::Column(column) => Some(case.columns[column].values[row]),
            Operation::Constant(value) => Some(value),
            Operation::Add(left, right) => results[left].checked_add(results[right]),
            Operation::Subtract(left, right) => results[left].checked_sub(results[right]),
            Operation::Multiply(left, right) => results[left].checked_mul(results[right]),
        };
        results.push(result.filter(|result| step.within.contains(*result))?);
    }
    Some(results)
}

fn measures(case: &Case) -> Measures {
    let every: Vec<usize> = (0..case.columns.len()).collect();
    let presences = vec![Vec::new(), vec![0], every];
    let steps = 0..case.program.steps().len();
    Measures {
        sums: steps.clone().map(|step| Sum { step, presence: step % 3, in_float: false }).collect(),
        extremes: steps
            .flat_map(|step| [true, false].map(|greatest| Extreme { step, presence: step % 3, greatest }))
            .collect(),
        program: case.program.clone(),
        presences,
    }
}

/// Adds the case's block to a tally whose groups are the block's, backwards.
fn add(tally: &mut Tally, case: &Case) -> Result<(), Refusal> {
    let rows = case.columns[0].values.len();
    let narrow: Vec<Vec<i64>> =
        case.columns.iter().map(|made| made.values.iter().map(|value| *value as i64).collect()).collect();
    let columns: Vec<Column<'_>> = case
        .columns
        .iter()
        .zip(&narrow)
        .map(|(made, narrow)| {
            let low = made.values.iter().min().copied().unwrap_or(0);
            let high = made.values.iter().max().copied().unwrap_or(0);
            let slack = i128::from(made.slack);
            Column {
                values: if made.wide { Values::Wide(&made.values) } else { Values::Narrow(narrow) },
                bounds: Interval::new(low.saturating_sub(slack), high.saturating_add(slack)),
                present: made.present.as_deref(),
            }
        })
        .collect();
    let groups: Vec<u32> = (0..u32::from(case.groups)).rev().collect();
    tally.reserve_groups(groups.len());
    let ids = case.ids.as_deref().map_or(GroupIds::One, GroupIds::Each);
    tally.add(&Block { rows, columns: &columns, ids, groups: &groups })
}

type Totals = BTreeMap<(usize, usize), (u64, Option<i128>)>;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(800))]

    #[test]
    fn blocks_add_up_as_rows_do(case in case(), again in any::<bool>()) {
        let measures = measures(&case);
        let rows = case.columns[0].values.len();
        let results: Option<Vec<Vec<i128>>> = (0..rows).map(|row| by_hand(&case, row)).collect();
        let mut tally = Tally::new(measures.clone());
        let found = add(&mut tally, &case).and_then(|()| if again { add(&mut tally, &case) } else { Ok(()) });
        let Some(results) = results else {
            prop_assert_eq!(found, Err(Refusal::Overflow));
            return Ok(());
        };
        let times = if again { 2 } else { 1 };
        let mut wanted = Totals::new();
        let mut overflows = false;
        for (index, sum) in measures.sums.iter().enumerate() {
            for group in 0..usize::from(case.groups) {
                let id = usize::from(case.groups) - 1 - group;
                let counted = (0..rows).filter(|row| {
                    let there = measures.presences[sum.presence].iter().all(|column| {
                        case.columns[*column].present.as_ref().is_none_or(|present| present[*row] == 1)
                    });
                    there && case.ids.as_ref().map_or(0, |ids| usize::from(ids[*row])) == id
                });
                let mut total = (0, None);
                for row in counted {
                    for _ in 0..times {
                        let sum = total.1.unwrap_or(0_i128).checked_add(results[row][sum.step]);
                        overflows |= sum.is_none();
                        total = (total.0 + 1, Some(sum.unwrap_or(0)));
                    }
                    for (greatest, extreme) in [(true, 2 * index), (false, 2 * index + 1)] {
                        if let (Some(extreme), Ok(())) = (tally.extreme(extreme, group), &found) {
                            let value = results[row][sum.step];
                            let beyond = if greatest { value > extreme } else { value < extreme };
                            prop_assert!(!beyond);
                        }
                    }
                }
                wanted.insert((index, group), total);
            }
        }
        if found.is_err() {
            // Sums of parts may overflow where the sum of all does not, but only with numbers beyond 64 bits.
            let far = results.iter().flatten().any(|value| value.unsigned_abs() > 1 << 100);
            prop_assert!(overflows || far, "refused: {:?}", found);
            return Ok(());
        }
        prop_assert!(!overflows || !wanted.is_empty());
        for ((index, group), (count, total)) in wanted {
            let sum = measures.sums[index];
            prop_assert_eq!(tally.count(sum.presence, group), count);
            if !overflows {
                prop_assert_eq!(tally.sum(index, group), total, "sum {} of group {}", index, group);
            }
            let reached = |value: i128| results.iter().any(|results| results[sum.step] == value);
            for extreme in [2 * index, 2 * index + 1] {
                prop_assert_eq!(tally.extreme(extreme, group).is_some(), count > 0);
                prop_assert!(tally.extreme(extreme, group).is_none_or(reached));
            }
        }
    }
}

/// Rows of one column in one group, summed as DataFusion sums floats.
fn in_float(values: &[i64], bounds: Interval) -> Result<(), Refusal> {
    let mut program = Program::new();
    let step = program.step(Operation::Column(0), Interval::ALL);
    let mut tally = Tally::new(Measures {
        program,
        presences: vec![Vec::new()],
        sums: vec![Sum { step, presence: 0, in_float: true }],
        extremes: Vec::new(),
    });
    tally.reserve_groups(1);
    let columns = [Column { values: Values::Narrow(values), bounds, present: None }];
    tally.add(&Block { rows: values.len(), columns: &columns, ids: GroupIds::One, groups: &[0] })
}

#[test]
fn sums_in_floating_point_end_where_rounding_could_begin() {
    let half = 1_i64 << 52;
    assert_eq!(in_float(&[half, -half], Interval::new(-i128::from(half), i128::from(half))), Ok(()));
    assert_eq!(
        in_float(&[half, half, 0], Interval::new(0, i128::from(half))),
        Err(Refusal::Inexact),
        "three numbers of that size could reach further"
    );
    assert_eq!(
        in_float(&[half + half + 1], Interval::point(2 * i128::from(half) + 1)),
        Err(Refusal::Inexact)
    );
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let mut program = Program::new();
    program.step(Operation::Column(0), Interval::ALL);
    let measures = Measures {
        program,
        presences: vec![vec![0]],
        sums: vec![Sum { step: 0, presence: 0, in_float: false }],
        extremes: vec![Extreme { step: 0, presence: 0, greatest: true }],
    };
    let column =
        |values, present| Column { values: Values::Narrow(values), bounds: Interval::NARROW, present };
    let add = |block: &Block<'_>, groups: usize| {
        let mut tally = Tally::new(measures.clone());
        tally.reserve_groups(groups);
        tally.add(block)
    };
    let values = [1, 2];
    let good = [column(&values, None)];
    let block = Block { rows: 2, columns: &good, ids: GroupIds::Each(&[0, 1]), groups: &[0, 1] };
    assert_eq!(add(&block, 2), Ok(()));
    let mal = Err(Refusal::Malformed);
    assert_eq!(add(&block, 1), mal, "a group that the tally has no room for");
    assert_eq!(add(&Block { rows: 3, ..block }, 2), mal);
    assert_eq!(add(&Block { columns: &[], ..block }, 2), mal);
    assert_eq!(add(&Block { ids: GroupIds::One, ..block }, 2), mal);
    assert_eq!(add(&Block { ids: GroupIds::Each(&[0]), ..block }, 2), mal);
    assert_eq!(add(&Block { columns: &[column(&values, Some(&[1]))], ..block }, 2), mal);
    let mut empty = Tally::new(measures.clone());
    empty.reserve_groups(1);
    assert_eq!((empty.groups(), empty.count(0, 0), empty.sum(0, 0), empty.extreme(0, 0)), (1, 0, None, None));
}

#[test]
fn what_is_told_of_many_rows_counts_as_they_do() {
    let mut program = Program::new();
    let step = program.step(Operation::Column(0), Interval::ALL);
    let extremes = [false, true].map(|greatest| Extreme { step, presence: 1, greatest }).to_vec();
    let presences = vec![Vec::new(), vec![0]];
    let mut tally =
        Tally::new(Measures { program: program.clone(), presences, extremes, ..Measures::default() });
    assert_eq!(tally.add_told(&[9, 7], &[Some(-3), Some(12)]), None, "there is no group");
    tally.reserve_groups(1);
    assert_eq!(tally.add_told(&[2, 0], &[None, None]), Some(()));
    assert_eq!((tally.count(0, 0), tally.count(1, 0), tally.extreme(0, 0)), (2, 0, None));
    let column = Column { values: Values::Narrow(&[5, 6]), bounds: Interval::new(5, 6), present: None };
    tally.add(&Block { rows: 2, columns: &[column], ids: GroupIds::One, groups: &[0] }).unwrap();
    assert_eq!(tally.add_told(&[9, 7], &[Some(-3), Some(12)]), Some(()));
    assert_eq!(tally.add_told(&[1, 1], &[Some(0), Some(0)]), Some(()));
    assert_eq!((tally.count(0, 0), tally.count(1, 0)), (14, 10));
    assert_eq!((tally.extreme(0, 0), tally.extreme(1, 0)), (Some(-3), Some(12)));
    assert_eq!(tally.add_told(&[1], &[Some(0), Some(0)]), None, "as many as are asked for");

    let sums = vec![Sum { step, presence: 0, in_float: false }];
    let mut sums = Tally::new(Measures { program, presences: vec![Vec::new()], sums, ..Measures::default() });
    sums.reserve_groups(1);
    assert_eq!(sums.add_told(&[1], &[]), None, "nobody has told the sum");
}

#[test]
fn a_block_without_rows_is_added_whatever_its_constants_come_to() {
    let mut program = Program::new();
    let constant = program.step(Operation::Constant(50), Interval::ALL);
    let step = program.step(Operation::Add(constant, constant), Interval::digits(2));
    let sums = vec![Sum { step, presence: 0, in_float: false }];
    let mut tally =
        Tally::new(Measures { program, presences: vec![Vec::new()], sums, ..Measures::default() });
    tally.reserve_groups(1);
    let block = Block { rows: 0, columns: &[], ids: GroupIds::One, groups: &[0] };
    assert_eq!(tally.add(&block), Ok(()));
    assert_eq!(tally.sum(0, 0), None);
    assert_eq!(tally.add(&Block { rows: 1, ..block }), Err(Refusal::Overflow));
}
