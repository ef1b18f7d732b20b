//! Rules of the row filter that a random test would hit rarely, each by an example.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use ostracon_compare::{CompareOp, Encoding, KeyLexicoder, KeyPart, PrimitiveType, Scalar, ScalarRef};
use ostracon_data::RowBuffer;
use ostracon_iterators::{Error, OnBadValue, Operand, OperandSource, RowFilter, RowFilterSpec, RowPredicate};

fn cell(name: &str, ty: PrimitiveType, encoding: Encoding) -> Operand {
    let source = OperandSource::Cell { family: b"f".to_vec(), qualifier: name.into() };
    Operand { name: name.into(), source, ty, encoding, null_sequence: None }
}

fn text_int(name: &str) -> Operand {
    cell(name, PrimitiveType::Int32, Encoding::String)
}

fn row(cells: &[(&str, &[u8])]) -> RowBuffer {
    let mut row = RowBuffer::new();
    row.set_row(b"r\xff1");
    for (name, value) in cells {
        row.push_cell(b"f", name.as_bytes(), b"", 1, value);
    }
    row
}

fn evaluate(operands: Vec<Operand>, predicate: RowPredicate, row: &RowBuffer) -> Result<Option<bool>, Error> {
    RowFilter::compile(&RowFilterSpec { operands, predicate, on_bad_value: OnBadValue::Error })?.evaluate(row)
}

fn greater(operand: usize, constant: i64) -> RowPredicate {
    RowPredicate::Compare { operand, op: CompareOp::GreaterThan, constant: Scalar::Int(constant) }
}

#[test]
fn a_missing_cell_and_the_null_sequence_are_null_and_the_empty_text_is_not() {
    let mut operand = cell("s", PrimitiveType::Utf8, Encoding::String);
    operand.null_sequence = Some(b"\\N".to_vec());
    let is_null =
        |row: &RowBuffer| evaluate(vec![operand.clone()], RowPredicate::IsNull { operand: 0 }, row).unwrap();
    assert_eq!(is_null(&row(&[])), Some(true));
    assert_eq!(is_null(&row(&[("s", b"\\N")])), Some(true));
    assert_eq!(is_null(&row(&[("s", b"")])), Some(false));
    assert_eq!(is_null(&row(&[("t", b"x")])), Some(true));
}

#[test]
fn not_equal_and_not_in_leave_missing_cells_out() {
    let absent = row(&[]);
    let not_equal = RowPredicate::Compare { operand: 0, op: CompareOp::NotEqual, constant: Scalar::Int(1) };
    let in_list = |values: Vec<i64>, has_null| RowPredicate::In {
        operand: 0,
        values: values.into_iter().map(Scalar::Int).collect(),
        has_null,
    };
    assert_eq!(evaluate(vec![text_int("a")], not_equal, &absent).unwrap(), None);
    assert_eq!(evaluate(vec![text_int("a")], !in_list(vec![1], false), &absent).unwrap(), None);
    let two = row(&[("a", b"2")]);
    assert_eq!(evaluate(vec![text_int("a")], !in_list(vec![1], false), &two).unwrap(), Some(true));
    assert_eq!(evaluate(vec![text_int("a")], !in_list(vec![1], true), &two).unwrap(), None);
    assert_eq!(evaluate(vec![text_int("a")], in_list(vec![2], true), &two).unwrap(), Some(true));
    assert_eq!(evaluate(vec![text_int("a")], in_list(vec![], false), &absent).unwrap(), Some(false));
}

#[test]
fn the_newest_cell_of_a_column_is_the_value() {
    let mut row = RowBuffer::new();
    row.push_cell(b"f", b"a", b"L", 9, b"10");
    row.push_cell(b"f", b"a", b"", 8, b"1");
    assert_eq!(evaluate(vec![text_int("a")], greater(0, 5), &row).unwrap(), Some(true));
}

#[test]
fn a_bad_value_is_reported_with_column_row_and_bytes_whatever_decides_first() {
    let operands = || vec![text_int("a"), text_int("b"), text_int("never_used")];
    let bad = row(&[("a", b"1"), ("b", b"x\xfe")]);
    for predicate in [
        RowPredicate::And(vec![greater(0, 5), greater(1, 5)]),
        RowPredicate::Or(vec![greater(0, 0), greater(1, 5)]),
        RowPredicate::Constant(Some(true)),
    ] {
        let error = evaluate(operands(), predicate, &bad).unwrap_err();
        assert!(matches!(&error, Error::BadValue { column, .. } if column == "b"));
        let message = error.to_string();
        for part in ["column \"b\"", "row \"r\\xff1\"", "X'78fe'", "Int32", "on.bad.value"] {
            assert!(message.contains(part), "{part} is missing in {message}");
        }
    }
    let unused = row(&[("a", b"1"), ("never_used", b"?")]);
    assert!(evaluate(operands(), greater(0, 0), &unused).unwrap_err().to_string().contains("never_used"));
}

#[test]
fn bad_values_are_null_or_skip_the_row_where_asked() {
    let bad = row(&[("a", b"1"), ("b", b"x")]);
    let filter = |predicate, on_bad_value| {
        RowFilter::compile(&RowFilterSpec {
            operands: vec![text_int("a"), text_int("b")],
            predicate,
            on_bad_value,
        })
        .unwrap()
    };
    let is_null = || RowPredicate::IsNull { operand: 1 };
    assert!(filter(is_null(), OnBadValue::Null).matches(&bad).unwrap());
    assert!(!filter(is_null(), OnBadValue::SkipRow).matches(&bad).unwrap());
    assert!(!filter(!is_null(), OnBadValue::SkipRow).matches(&bad).unwrap());
    assert!(!filter(true.into(), OnBadValue::SkipRow).matches(&bad).unwrap());
    assert!(filter(true.into(), OnBadValue::SkipRow).matches(&row(&[("a", b"1")])).unwrap());
}

#[test]
fn a_filter_recovers_after_a_bad_row() {
    let spec = RowFilterSpec {
        operands: vec![text_int("a"), text_int("b")],
        predicate: RowPredicate::CompareOperands { left: 0, op: CompareOp::LessThan, right: 1 },
        on_bad_value: OnBadValue::Error,
    };
    let mut filter = RowFilter::compile(&spec).unwrap();
    for _ in 0..3 {
        assert!(filter.matches(&row(&[("a", b"1"), ("b", b"x")])).is_err());
        assert!(filter.matches(&row(&[("a", b"+01"), ("b", b"10")])).unwrap());
        assert!(!filter.clone().matches(&row(&[("a", b"10"), ("b", b"9")])).unwrap());
    }
}

#[test]
fn columns_of_one_type_compare_across_encodings() {
    let operands = || {
        vec![
            cell("a", PrimitiveType::Float64, Encoding::Native),
            cell("b", PrimitiveType::Float64, Encoding::String),
            cell("c", PrimitiveType::Float64, Encoding::Binary),
        ]
    };
    let mut native = Vec::new();
    ostracon_compare::encode(PrimitiveType::Float64, Encoding::Native, ScalarRef::Float64(-0.0), &mut native)
        .unwrap();
    let zero = row(&[("a", &native), ("b", b"0.0"), ("c", &0.0_f64.to_be_bytes())]);
    for (left, right) in [(0, 1), (1, 2), (2, 0)] {
        let equal = RowPredicate::CompareOperands { left, op: CompareOp::Equal, right };
        assert_eq!(evaluate(operands(), equal, &zero).unwrap(), Some(true), "{left} = {right}");
    }
    let in_zero = RowPredicate::In { operand: 0, values: vec![Scalar::Float64(0.0)], has_null: false };
    assert_eq!(evaluate(operands(), in_zero, &zero).unwrap(), Some(true));
}

#[test]
fn long_lists_find_what_is_there() {
    let values: Vec<i64> = (0..10_000).map(|n| n * 3).collect();
    let list = RowPredicate::In {
        operand: 0,
        values: values.iter().rev().copied().map(Scalar::Int).collect(),
        has_null: false,
    };
    let spec =
        RowFilterSpec { operands: vec![text_int("a")], predicate: list, on_bad_value: OnBadValue::Error };
    let mut filter = RowFilter::compile(&spec).unwrap();
    for n in [-3, 0, 1, 2, 3, 14_997, 14_998, 29_997, 30_000] {
        let found = filter.matches(&row(&[("a", n.to_string().as_bytes())])).unwrap();
        assert_eq!(found, values.contains(&n), "{n}");
    }
}

#[test]
fn constants_out_of_range_compare_as_the_numbers_they_are() {
    let seven = row(&[("a", b"7")]);
    let in_list = |values: &[i64]| RowPredicate::In {
        operand: 0,
        values: values.iter().copied().map(Scalar::Int).collect(),
        has_null: false,
    };
    for (predicate, answer) in [
        (greater(0, 1 << 40), false),
        (greater(0, -(1 << 40)), true),
        (RowPredicate::Between { operand: 0, low: Scalar::Int(i64::MIN), high: Scalar::Int(i64::MAX) }, true),
        (in_list(&[7 + (1 << 32), 8]), false),
        (in_list(&[7 + (1 << 32), 7]), true),
        (in_list(&[1 << 32]), false),
    ] {
        assert_eq!(
            evaluate(vec![text_int("a")], predicate.clone(), &seven).unwrap(),
            Some(answer),
            "{predicate:?}"
        );
        assert_eq!(evaluate(vec![text_int("a")], predicate, &row(&[])).unwrap(), None);
    }
}

#[test]
fn parts_of_a_composite_row_id() {
    let parts = vec![
        KeyPart { ty: PrimitiveType::Utf8, descending: true },
        KeyPart { ty: PrimitiveType::Int64, descending: true },
        KeyPart { ty: PrimitiveType::Utf8, descending: false },
    ];
    let key = KeyLexicoder::new(parts.clone())
        .encode(&[ScalarRef::Utf8("x\0y"), ScalarRef::Int(-7), ScalarRef::Utf8("last")])
        .unwrap();
    let mut row = RowBuffer::new();
    row.set_row(&key);
    let operand = |index: usize, ty| Operand {
        name: format!("k{index}"),
        source: OperandSource::RowPart { parts: parts.clone(), index },
        ty,
        encoding: Encoding::Native,
        null_sequence: None,
    };
    let operands = || {
        vec![
            operand(0, PrimitiveType::Utf8),
            operand(1, PrimitiveType::Int64),
            operand(2, PrimitiveType::Utf8),
        ]
    };
    let equal = |operand, constant| RowPredicate::Compare { operand, op: CompareOp::Equal, constant };
    let all = RowPredicate::And(vec![
        equal(0, Scalar::Utf8("x\0y".into())),
        RowPredicate::Between { operand: 1, low: Scalar::Int(-8), high: Scalar::Int(-7) },
        RowPredicate::Like { operand: 2, pattern: "l_st".into(), case_insensitive: false },
        RowPredicate::Like { operand: 0, pattern: "x%".into(), case_insensitive: false },
    ]);
    assert_eq!(evaluate(operands(), all, &row).unwrap(), Some(true));
    assert_eq!(evaluate(operands(), greater(1, -7), &row).unwrap(), Some(false));
    row.set_row(b"short");
    assert!(evaluate(operands(), greater(1, -7), &row).unwrap_err().to_string().contains("column \"k"));
}

#[test]
fn what_can_never_run_is_refused_at_compile_time() {
    let compile = |operands: Vec<Operand>, predicate: RowPredicate| {
        RowFilter::compile(&RowFilterSpec { operands, predicate, on_bad_value: OnBadValue::Error })
            .map(drop)
            .map_err(|error| error.to_string())
    };
    let part = |ty, index| Operand {
        source: OperandSource::RowPart {
            parts: vec![KeyPart { ty: PrimitiveType::Int32, descending: false }],
            index,
        },
        ..cell("k", ty, Encoding::Native)
    };
    let field = Operand {
        source: OperandSource::RowField { delimiter: Vec::new(), index: 0 },
        ..cell("k", PrimitiveType::Utf8, Encoding::String)
    };
    let wrong_kind =
        RowPredicate::Compare { operand: 0, op: CompareOp::Equal, constant: Scalar::Utf8("1".into()) };
    let like = RowPredicate::Like { operand: 0, pattern: "%".into(), case_insensitive: false };
    let columns = RowPredicate::CompareOperands { left: 0, op: CompareOp::Equal, right: 1 };
    let two = vec![text_int("a"), cell("b", PrimitiveType::Int64, Encoding::String)];
    for (operands, predicate, word) in [
        (vec![text_int("a")], greater(1, 0), "operand #1"),
        (vec![text_int("a")], wrong_kind, "constant for operand \"a\""),
        (vec![text_int("a")], like, "LIKE needs text"),
        (two, columns, "two types"),
        (vec![part(PrimitiveType::Int64, 0)], true.into(), "part 0"),
        (vec![part(PrimitiveType::Int32, 1)], true.into(), "has 1 parts"),
        (vec![field], true.into(), "delimiter"),
    ] {
        let error = compile(operands, predicate).expect_err(word);
        assert!(error.contains(word), "{word} is missing in {error}");
    }
}

#[test]
fn deep_trees_do_not_overflow_the_stack() {
    let spec = |predicate| RowFilterSpec {
        operands: vec![text_int("a")],
        predicate,
        on_bad_value: OnBadValue::Error,
    };
    let row = row(&[("a", b"7")]);
    let nots = (0..100_000).fold(greater(0, 5), |tree, _| RowPredicate::Not(Box::new(tree)));
    // A left-deep OR and a right-deep AND, as parsers build them, of which only the innermost part decides.
    let left = (0..100_000).fold(greater(0, 5), |tree, _| RowPredicate::Or(vec![tree, greater(0, 8)]));
    let right = (0..100_000).fold(greater(0, 5), |tree, _| RowPredicate::And(vec![greater(0, 6), tree]));
    // One input a node and no leaf beside it.
    let lone = (0..100_000).fold(greater(0, 5), |tree, _| RowPredicate::And(vec![tree]));
    let mixed = (0..100_000).fold(greater(0, 5), |tree, n| match n % 4 {
        0 => RowPredicate::Or(vec![greater(0, 8), tree]),
        1 => RowPredicate::And(vec![tree, greater(0, 6)]),
        2 => RowPredicate::IsTruth { input: Box::new(tree), truth: Some(true) },
        _ => RowPredicate::Not(Box::new(RowPredicate::Not(Box::new(tree)))),
    });
    for (name, tree) in [("not", nots), ("left", left), ("right", right), ("mixed", mixed)] {
        let spec = spec(tree);
        let mut filter = RowFilter::compile(&spec).unwrap();
        assert_eq!(filter.evaluate(&row).unwrap(), Some(true), "{name}");
        assert_eq!(filter.evaluate(&row).unwrap(), Some(true), "{name}, again");
        assert!(spec.to_string().len() > 100_000);
        assert_eq!(spec.clone(), spec);
    }
    let lone = spec(lone);
    assert_eq!(
        RowFilter::compile(&lone).unwrap().evaluate(&row).unwrap(),
        Some(true),
        "it ends by being dropped"
    );
}
