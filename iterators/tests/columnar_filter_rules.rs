//! Rules of the row filter over columns, each by an example: what becomes one test, which ranges it has, when it is asked
//! for, and what a summary allows.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use ostracon_compare::{CompareOp, Encoding, KeyPart, PrimitiveType, RowPlace, Scalar};
use ostracon_data::RowRanges;
use ostracon_iterators::{
    CleanWhen, ColumnarFilter, LeafTest, OnBadValue, Operand, OperandSource, Outcomes, RowFilter,
    RowFilterSpec, RowPredicate, ValueSummary,
};

fn cell(name: &str, ty: PrimitiveType) -> Operand {
    let source = OperandSource::Cell { family: b"f".to_vec(), qualifier: name.into() };
    Operand { name: name.into(), source, ty, encoding: Encoding::Native, null_sequence: None }
}

/// `a` and `b` are small integers, `s` is text, `d` a double.
fn spec(predicate: RowPredicate) -> RowFilterSpec {
    let operands = vec![
        cell("a", PrimitiveType::UInt8),
        cell("b", PrimitiveType::UInt8),
        cell("s", PrimitiveType::Utf8),
        cell("d", PrimitiveType::Float64),
    ];
    RowFilterSpec { operands, predicate, on_bad_value: OnBadValue::Error }
}

const A: usize = 0;
const B: usize = 1;
const S: usize = 2;
const D: usize = 3;

fn filter(predicate: RowPredicate) -> ColumnarFilter {
    ColumnarFilter::compile(&spec(predicate)).unwrap()
}

fn compare(operand: usize, op: CompareOp, constant: u64) -> RowPredicate {
    RowPredicate::Compare { operand, op, constant: Scalar::UInt(constant) }
}

fn at_least(operand: usize, constant: u64) -> RowPredicate {
    compare(operand, CompareOp::GreaterThanOrEqual, constant)
}

fn less(operand: usize, constant: u64) -> RowPredicate {
    compare(operand, CompareOp::LessThan, constant)
}

fn one_of(operand: usize, values: &[u64], has_null: bool) -> RowPredicate {
    let values = values.iter().copied().map(Scalar::UInt).collect();
    RowPredicate::In { operand, values, has_null }
}

fn like(pattern: &str) -> RowPredicate {
    RowPredicate::Like { operand: S, pattern: pattern.into(), case_insensitive: false }
}

fn ranges(leaf: &LeafTest) -> String {
    leaf.accepted().map_or("-".to_owned(), RowRanges::to_string)
}

/// The operand and the ranges of each test.
fn tests(predicate: RowPredicate) -> Vec<(usize, String)> {
    filter(predicate).leaves().iter().map(|leaf| (leaf.operand_index(), ranges(leaf))).collect()
}

fn only(predicate: RowPredicate) -> String {
    let tests = tests(predicate);
    assert_eq!(tests.len(), 1, "{tests:?}");
    tests[0].1.clone()
}

#[test]
fn what_a_list_says_of_one_operand_is_one_test() {
    let both = RowPredicate::And(vec![at_least(A, 5), less(B, 2), less(A, 9)]);
    assert_eq!(tests(both), [(A, r"[\x05, \t)".to_owned()), (B, r"[, \x02)".to_owned())]);
    let either = RowPredicate::Or(vec![less(A, 5), at_least(A, 0xf0), !one_of(A, &[7], false)]);
    assert_eq!(only(either), r"[, \x07), [\x08, *)");
    let nested = RowPredicate::And(vec![
        !RowPredicate::Or(vec![less(A, 5), one_of(A, &[7], false)]),
        RowPredicate::IsTruth { input: Box::new(less(A, 0x20)), truth: Some(true) },
    ]);
    assert_eq!(only(nested.clone()), r"[\x05, \x07), [\x08,  )");
    let filter = filter(nested);
    let leaf = &filter.leaves()[0];
    assert_eq!([6, 7, 8, 0x20].map(|a| leaf.on_value(&[a]).unwrap()), [true, false, true, false].map(Some));
    assert_eq!((leaf.when_absent(), leaf.when_not_accepted()), (Some(false), Some(false)));
}

#[test]
fn what_would_not_be_decided_by_ranges_is_not_joined() {
    // 1: TRUE, 5 and more: FALSE, else NULL.
    let two_answers = RowPredicate::And(vec![one_of(A, &[1], true), less(A, 5)]);
    assert_eq!(tests(two_answers).len(), 2);
    let one_answer = filter(RowPredicate::Or(vec![one_of(A, &[1], true), one_of(A, &[2], false)]));
    assert_eq!(one_answer.leaves().len(), 1);
    assert_eq!(
        (ranges(&one_answer.leaves()[0]).as_str(), one_answer.leaves()[0].when_not_accepted()),
        (r"[\x01, \x03)", None)
    );
    // NOT of it: FALSE for 1, else NULL. That is one answer for all that is not accepted no more.
    assert_eq!(only(!one_of(A, &[1], true)), r"[\x01, \x02)");
    // Ranges first, then each value that is left.
    let above =
        RowPredicate::Compare { operand: S, op: CompareOp::GreaterThan, constant: Scalar::Utf8("a".into()) };
    assert_eq!(
        tests(RowPredicate::And(vec![like("%x%"), above, like("%y")])),
        [(S, r"[a\x00, *)".to_owned()), (S, "-".to_owned())]
    );
    let pair = RowPredicate::CompareOperands { left: A, op: CompareOp::Equal, right: B };
    let filter = filter(RowPredicate::And(vec![less(A, 5), pair, at_least(A, 2)]));
    let shape: Vec<_> = filter.leaves().iter().map(|leaf| (ranges(leaf), leaf.other_index())).collect();
    assert_eq!(shape, [(r"[\x02, \x05)".to_owned(), None), ("-".to_owned(), Some(B))]);
    let leaf = &filter.leaves()[1];
    assert!(leaf.on_value(&[1]).unwrap_err().to_string().contains("comparison of two operands"));
    assert_eq!(leaf.on_values(Some(&[1]), Some(&[1])).unwrap(), Some(true));
    assert_eq!(leaf.on_values(Some(&[1]), None).unwrap(), None);
}

#[test]
fn ranges_of_single_tests() {
    assert_eq!(only(one_of(A, &[3, 1, 2, 9], false)), r"[\x01, \x04), [\t, \n)");
    assert_eq!(only(one_of(A, &[], false)), "no rows");
    assert_eq!(only(RowPredicate::IsNull { operand: A }), "no rows");
    assert_eq!(only(!RowPredicate::IsNull { operand: S }), "all rows");
    assert_eq!(only(less(A, 256)), "all rows");
    assert_eq!(only(like("ab%")), "[ab, ac)");
    assert_eq!(only(like("ab")), "[ab]");
    assert_eq!(only(like("ab_")), "-");
    let folded = RowPredicate::Like { operand: S, pattern: "ab%".into(), case_insensitive: true };
    assert_eq!(only(folded), "-");
    let zero = RowPredicate::In { operand: D, values: vec![Scalar::Float64(0.0)], has_null: false };
    assert_eq!(only(zero), r"[\x7f\xff\xff\xff\xff\xff\xff\xff, \x80\x00\x00\x00\x00\x00\x00\x01)");
    let crossed = RowPredicate::Between { operand: A, low: Scalar::UInt(5), high: Scalar::UInt(4) };
    assert_eq!(only(crossed), "no rows");
    let mut text =
        spec(RowPredicate::Compare { operand: D, op: CompareOp::Equal, constant: Scalar::Float64(1.0) });
    text.operands[D].encoding = Encoding::String;
    let filter = ColumnarFilter::compile(&text).unwrap();
    assert_eq!(
        (ranges(&filter.leaves()[0]).as_str(), filter.operands()[D].clean_when()),
        ("-", &CleanWhen::EachChecked)
    );
    assert_eq!(filter.leaves()[0].on_value(b"1.00").unwrap(), Some(true));
    assert!(filter.leaves()[0].on_value(b"one").is_err());
}

#[test]
fn a_null_sequence_that_looks_like_a_value_is_none() {
    let with_null = |predicate: RowPredicate| {
        let mut spec = spec(predicate);
        spec.operands[A].null_sequence = Some(vec![7]);
        ColumnarFilter::compile(&spec).unwrap()
    };
    let filter = with_null(at_least(A, 5));
    let leaf = &filter.leaves()[0];
    assert_eq!(ranges(leaf), r"[\x05, \x07), [\x08, *)");
    assert_eq!(leaf.null_values().map(RowRanges::to_string).as_deref(), Some(r"[\x07, \x08)"));
    assert_eq!((leaf.on_value(&[7]).unwrap(), leaf.on_value(&[8]).unwrap()), (None, Some(true)));
    let filter = with_null(RowPredicate::IsNull { operand: A });
    assert_eq!(ranges(&filter.leaves()[0]), r"[\x07, \x08)");
    let filter = with_null(RowPredicate::Or(vec![RowPredicate::IsNull { operand: A }, less(A, 7)]));
    assert_eq!(ranges(&filter.leaves()[0]), r"[, \x08)");
}

#[test]
fn parts_of_the_row_id_have_places() {
    let parts = vec![
        KeyPart::ascending(PrimitiveType::UInt16),
        KeyPart::descending(PrimitiveType::UInt8),
        KeyPart::ascending(PrimitiveType::Float32),
        KeyPart::ascending(PrimitiveType::Utf8),
    ];
    let part = |index: usize| Operand {
        name: format!("part{index}"),
        source: OperandSource::RowPart { parts: parts.clone(), index },
        ty: parts[index].ty,
        encoding: Encoding::Native,
        null_sequence: None,
    };
    let field = OperandSource::RowField { delimiter: b"$".to_vec(), index: 0 };
    let operands = vec![
        part(0),
        part(1),
        part(2),
        part(3),
        Operand { source: field, encoding: Encoding::String, ..part(3) },
        Operand { source: OperandSource::Row, ..part(3) },
    ];
    let begins = |operand| RowPredicate::Like { operand, pattern: "x%".into(), case_insensitive: false };
    let predicate = RowPredicate::And(vec![less(1, 3), begins(3), begins(4)]);
    let filter =
        ColumnarFilter::compile(&RowFilterSpec { operands, predicate, on_bad_value: OnBadValue::Error })
            .unwrap();
    let places: Vec<_> = filter.operands().iter().map(|operand| operand.place()).collect();
    let place = |offset, width, last| Some(RowPlace { offset, width, last });
    let expected = [
        place(0, Some(2), false),
        place(2, Some(1), false),
        place(3, Some(4), false),
        place(7, None, true),
        None,
        Some(RowPlace::ROW),
    ];
    assert_eq!(places, expected);
    let clean: Vec<_> = filter.operands().iter().map(|operand| operand.clean_when().clone()).collect();
    assert_eq!(clean[0], CleanWhen::FixedWidth(2));
    assert_eq!(clean[1], CleanWhen::FixedWidth(1));
    // One zero and one NaN.
    assert!(matches!(&clean[2], CleanWhen::Within { width: 4, ranges } if ranges.ranges().len() == 3));
    assert_eq!(clean[3..], [CleanWhen::Utf8, CleanWhen::EachChecked, CleanWhen::Utf8]);
    let ranges: Vec<_> = filter.leaves().iter().map(ranges).collect();
    assert_eq!(ranges, [r"[\xfd, *)", "[x, y)", "-"]);
    let row = [&[0, 1, !2, 0x80, 0, 0, 0][..], b"x"].concat();
    assert_eq!(filter.leaves()[0].on_value(&row).unwrap(), Some(true));
    // All rows from one to the other agree in what lies before the place.
    let last = [&[0, 1, !1][..], &row[3..]].concat();
    assert_eq!(filter.leaves()[0].outcomes_of_rows(&row, &last), Outcomes::TRUE);
    let other = [&[0, 2, !1][..], &row[3..]].concat();
    assert_eq!(filter.leaves()[0].outcomes_of_rows(&row, &other), Outcomes::ANY);
    assert_eq!(filter.leaves()[2].outcomes_of_rows(&row, &row), Outcomes::ANY);
}

#[test]
fn clean_is_what_the_type_says() {
    let clean = |ty, encoding, null: Option<&[u8]>| {
        let mut spec = spec(true.into());
        spec.operands = vec![Operand { encoding, null_sequence: null.map(<[u8]>::to_vec), ..cell("x", ty) }];
        ColumnarFilter::compile(&spec).unwrap().operands()[0].clean_when().clone()
    };
    use Encoding::*;
    assert_eq!(clean(PrimitiveType::Int32, Binary, Some(b"\\N")), CleanWhen::FixedWidth(4));
    assert_eq!(clean(PrimitiveType::Float64, Native, None), CleanWhen::FixedWidth(8));
    assert_eq!(clean(PrimitiveType::Binary, String, None), CleanWhen::Always);
    assert_eq!(clean(PrimitiveType::Utf8, Binary, None), CleanWhen::Utf8);
    assert_eq!(clean(PrimitiveType::Boolean, String, None), CleanWhen::EachChecked);
    let field = OperandSource::RowField { delimiter: b"$".to_vec(), index: 0 };
    let mut bytes = spec(true.into());
    bytes.operands = vec![Operand { source: field, ..cell("x", PrimitiveType::Binary) }];
    assert_eq!(ColumnarFilter::compile(&bytes).unwrap().operands()[0].clean_when(), &CleanWhen::Always);
    let within = |ty, null| match clean(ty, Native, null) {
        CleanWhen::Within { width, ranges } => (width, ranges.to_string()),
        other => panic!("{other:?}"),
    };
    assert_eq!(within(PrimitiveType::Boolean, None), (1, r"[, \x02)".to_owned()));
    assert_eq!(within(PrimitiveType::Boolean, Some(b"-")), (1, r"[, \x02), [-, .)".to_owned()));
    assert_eq!(within(PrimitiveType::Decimal128 { precision: 1, scale: 0 }, None).0, 16);
    let summary = |min, max, width| ValueSummary {
        min,
        max: Some(max),
        min_attained: true,
        max_attained: true,
        width,
        utf8: true,
        ..ValueSummary::unknown(9)
    };
    let boolean = clean(PrimitiveType::Boolean, Native, None);
    assert!(boolean.holds(&summary(&[0], &[1], Some(1))) && !boolean.holds(&summary(&[0], &[2], Some(1))));
    assert!(!boolean.holds(&summary(&[0], &[1], None)));
    assert!(
        CleanWhen::Utf8.holds(&summary(b"", b"x", None)) && !CleanWhen::Utf8.holds(&ValueSummary::unknown(9))
    );
    assert!(!CleanWhen::EachChecked.holds(&summary(b"", b"x", None)));
    assert!(CleanWhen::EachChecked.holds(&ValueSummary { absent: 9, ..ValueSummary::unknown(9) }));
}

/// Evaluates over rows of `a` and `b`, and says which operands were asked for with which rows that matter.
fn asked(predicate: RowPredicate, rows: &[(Option<u8>, Option<u8>)]) -> (Vec<u8>, Vec<(usize, Vec<u8>)>) {
    let mut asked = Vec::new();
    let mut filter = filter(predicate);
    let matches = filter.evaluate(rows.len(), |leaf, wanted, mask| {
        let wanted = wanted.map_or(vec![1; rows.len()], <[u8]>::to_vec);
        for (index, (a, b)) in rows.iter().enumerate().filter(|(index, _)| wanted[*index] == 1) {
            let value = if leaf.operand_index() == A { a } else { b };
            mask.set(index, leaf.on_values(value.as_ref().map(std::slice::from_ref), None)?);
        }
        asked.push((leaf.operand_index(), wanted));
        Ok::<(), ostracon_compare::BadValue>(())
    });
    (matches.unwrap().to_vec(), asked)
}

#[test]
fn only_rows_that_are_undecided_matter() {
    let rows = [(Some(1), Some(1)), (Some(9), Some(1)), (None, Some(1)), (Some(1), None)];
    let both = RowPredicate::And(vec![less(A, 5), less(B, 5)]);
    // NULL AND b matches whatever b is as little as FALSE AND b.
    assert_eq!(asked(both.clone(), &rows), (vec![1, 0, 0, 0], vec![(A, vec![1; 4]), (B, vec![1, 0, 0, 1])]));
    // NOT (NULL AND FALSE) is TRUE, so that there NULL leaves the answer open.
    let neither = RowPredicate::Not(Box::new(both));
    assert_eq!(asked(neither, &rows), (vec![0, 1, 0, 0], vec![(A, vec![1; 4]), (B, vec![1, 0, 1, 1])]));
    let either = RowPredicate::Or(vec![less(A, 5), less(B, 5)]);
    assert_eq!(asked(either, &rows), (vec![1, 1, 1, 1], vec![(A, vec![1; 4]), (B, vec![0, 1, 1, 0])]));
    let never = RowPredicate::And(vec![less(A, 1), less(B, 5), false.into()]);
    assert_eq!(asked(never, &rows), (vec![0; 4], vec![(A, vec![1; 4])]), "nothing can match any more");
    let nested = RowPredicate::And(vec![
        less(A, 5),
        RowPredicate::Or(vec![
            RowPredicate::CompareOperands { left: B, op: CompareOp::Equal, right: B },
            RowPredicate::IsNull { operand: B },
        ]),
    ]);
    let (_, wanted) = asked(nested, &[(Some(9), None), (Some(1), None)]);
    assert_eq!(wanted, [(A, vec![1, 1]), (B, vec![0, 1]), (B, vec![0, 1])]);
    assert_eq!(asked(true.into(), &rows).0, [1; 4]);
    assert_eq!(asked(less(A, 5), &[]), (vec![], vec![(A, vec![])]));
}

#[test]
fn summaries_decide_tests() {
    let of = |predicate, min: u8, max: u8, absent| {
        let filter = filter(predicate);
        let summary = ValueSummary {
            absent,
            min: &[min],
            min_attained: true,
            max: Some(&[max]),
            max_attained: true,
            width: Some(1),
            ..ValueSummary::unknown(10)
        };
        filter.leaves()[0].outcomes(&summary)
    };
    assert_eq!(of(less(A, 5), 1, 4, 0), Outcomes::TRUE);
    assert_eq!(of(less(A, 5), 1, 5, 0), Outcomes::TRUE | Outcomes::FALSE);
    assert_eq!(of(less(A, 5), 5, 9, 0), Outcomes::FALSE);
    assert_eq!(of(less(A, 5), 1, 4, 1), Outcomes::TRUE | Outcomes::NULL);
    assert_eq!(of(less(A, 5), 1, 4, 10), Outcomes::NULL);
    assert_eq!(of(one_of(A, &[3, 7], true), 4, 6, 0), Outcomes::NULL);
    assert_eq!(of(one_of(A, &[3, 7], true), 7, 7, 0), Outcomes::TRUE);
    assert_eq!(of(one_of(A, &[], false), 7, 9, 5), Outcomes::FALSE);
    assert_eq!(of(RowPredicate::IsNull { operand: A }, 1, 2, 3), Outcomes::TRUE | Outcomes::FALSE);
    // Each of the two is possible, both at once are not.
    assert_eq!(of(RowPredicate::And(vec![at_least(A, 5), less(A, 6)]), 6, 9, 0), Outcomes::FALSE);

    let text = |predicate, min: &[u8], max: &[u8], attained| {
        let filter = filter(predicate);
        let summary = ValueSummary {
            min,
            max: Some(max),
            min_attained: attained,
            max_attained: attained,
            ..ValueSummary::unknown(3)
        };
        filter.leaves()[0].outcomes(&summary)
    };
    let either = Outcomes::TRUE | Outcomes::FALSE;
    assert_eq!(text(like("b%x"), b"c", b"d", true), Outcomes::FALSE);
    assert_eq!(text(like("b%x"), b"a", b"ab", true), Outcomes::FALSE);
    assert_eq!(text(like("b%x"), b"a", b"b", false), Outcomes::FALSE, "no value is b");
    assert_eq!(text(like("b%x"), b"a", b"bb", false), either);
    assert_eq!(text(like("b%"), b"b", b"c", false), Outcomes::TRUE);
    assert_eq!(text(like("%x"), b"abx", b"abx", true), Outcomes::TRUE, "a constant is asked for its answer");
    assert_eq!(text(like("%x"), b"\xff", b"\xff", true), Outcomes::ANY, "a bad value says nothing");
    assert_eq!(filter(like("%x")).leaves()[0].outcomes(&ValueSummary::unknown(0)), Outcomes::NONE);
}

#[test]
fn blocks_are_passed_over_or_taken_whole() {
    let both = filter(RowPredicate::And(vec![less(A, 5), less(B, 5)]));
    let of = |a: Outcomes, b: Outcomes| {
        let leaf = |leaf: &LeafTest| if leaf.operand_index() == A { a } else { b };
        (both.could_match(leaf), both.always_matches(leaf))
    };
    assert_eq!(of(Outcomes::TRUE, Outcomes::TRUE), (true, true));
    assert_eq!(of(Outcomes::TRUE, Outcomes::ANY), (true, false));
    assert_eq!(of(Outcomes::FALSE | Outcomes::NULL, Outcomes::ANY), (false, false));
    assert_eq!(of(Outcomes::TRUE, Outcomes::TRUE | Outcomes::NULL), (true, false));
    let mut asked = 0;
    both.could_match(|_| {
        asked += 1;
        Outcomes::FALSE
    });
    assert_eq!(asked, 1, "an AND is decided by its first FALSE");
}

#[test]
fn what_the_row_filter_refuses_is_refused() {
    for predicate in [
        less(9, 1),
        RowPredicate::Not(Box::new(RowPredicate::IsNull { operand: 4 })),
        RowPredicate::And(vec![
            less(A, 1),
            RowPredicate::CompareOperands { left: A, op: CompareOp::Equal, right: 7 },
        ]),
        RowPredicate::CompareOperands { left: A, op: CompareOp::Equal, right: S },
        RowPredicate::Compare { operand: A, op: CompareOp::Equal, constant: Scalar::Int(1) },
        RowPredicate::Or(vec![one_of(A, &[1], false), one_of(S, &[1], false)]),
        RowPredicate::Like { operand: A, pattern: "x".into(), case_insensitive: false },
    ] {
        let rows = RowFilter::compile(&spec(predicate.clone())).unwrap_err();
        let columns = ColumnarFilter::compile(&spec(predicate)).unwrap_err();
        assert_eq!(columns.to_string(), rows.to_string());
    }
}

#[test]
fn deep_and_wide_predicates_compile_and_run() {
    let mut nots = less(A, 5);
    for _ in 0..100_001 {
        nots = RowPredicate::Not(Box::new(nots));
    }
    assert_eq!(only(nots), r"[\x05, *)");
    let wide = RowPredicate::Or((0..100_000).map(|n| compare(A, CompareOp::Equal, n % 100)).collect());
    assert_eq!(only(wide), "[, d)");
    // Each OR within the next, of values that do not join into one range.
    let text = |n: u32| RowPredicate::Compare {
        operand: S,
        op: CompareOp::Equal,
        constant: Scalar::Utf8(format!("{n:05}")),
    };
    let mut chain = text(0);
    for n in 1..20_000 {
        chain = RowPredicate::Or(vec![chain, text(n)]);
    }
    let mut filter = filter(chain);
    let matches = filter.evaluate(3, |leaf, _, mask| {
        for (row, value) in [&b"00000"[..], b"19999", b"20000"].into_iter().enumerate() {
            mask.set(row, leaf.on_value(value)?);
        }
        Ok::<(), ostracon_compare::BadValue>(())
    });
    assert_eq!(matches.unwrap(), [1, 1, 0]);
}
