//! The compiled row filter against a naive interpreter of the tree: random operands of every type and encoding, random
//! programs, rows with missing, NULL, valid and bad values, under each policy for bad values.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use ostracon_compare::{CompareOp, Scalar};
use ostracon_data::RowBuffer;
use ostracon_iterators::{Error, OnBadValue, RowFilter, RowFilterSpec, RowPredicate};
use proptest::prelude::*;
use proptest::sample::select;

mod filters;
mod values;
use filters::{build, operands, predicate, stored};

/// SQL's three-valued logic, by recursion over the tree.
fn interpret(predicate: &RowPredicate, values: &[Option<Scalar>]) -> Option<bool> {
    let compare = |operand: &usize, op: CompareOp, constant: &Scalar| -> Option<bool> {
        values[*operand].as_ref().map(|value| op.accepts(value.compare(constant).unwrap()))
    };
    match predicate {
        RowPredicate::Constant(truth) => *truth,
        RowPredicate::And(parts) => {
            // By De Morgan.
            any_of(parts.iter().map(|part| interpret(part, values).map(|known| !known))).map(|any| !any)
        }
        RowPredicate::Or(parts) => any_of(parts.iter().map(|part| interpret(part, values))),
        RowPredicate::Not(input) => interpret(input, values).map(|known| !known),
        RowPredicate::Compare { operand, op, constant } => compare(operand, *op, constant),
        RowPredicate::Between { operand, low, high } => {
            let value = values[*operand].as_ref()?;
            Some(value.compare(low)?.is_ge() && value.compare(high)?.is_le())
        }
        RowPredicate::In { operand, values: list, has_null } => {
            let equalities = list.iter().map(|value| compare(operand, CompareOp::Equal, value));
            any_of(equalities.chain(has_null.then_some(None)))
        }
        RowPredicate::Like { operand, pattern, case_insensitive } => {
            values[*operand].as_ref().map(|value| match value {
                Scalar::Utf8(text) if *case_insensitive => {
                    like(&chars(&pattern.to_lowercase()), &chars(&text.to_lowercase()))
                }
                Scalar::Utf8(text) => like(&chars(pattern), &chars(text)),
                other => panic!("LIKE on {other:?}"),
            })
        }
        RowPredicate::IsNull { operand } => Some(values[*operand].is_none()),
        RowPredicate::ConstantUnlessNull { operand, value } => values[*operand].as_ref().map(|_| *value),
        RowPredicate::CompareOperands { left, op, right } => {
            let (left, right) = (values[*left].as_ref()?, values[*right].as_ref()?);
            Some(op.accepts(left.compare(right).unwrap()))
        }
        RowPredicate::IsTruth { input, truth } => Some(interpret(input, values) == *truth),
    }
}

fn any_of(parts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let parts: Vec<Option<bool>> = parts.collect();
    if parts.contains(&Some(true)) {
        Some(true)
    } else if parts.contains(&None) {
        None
    } else {
        Some(false)
    }
}

fn chars(text: &str) -> Vec<char> {
    text.chars().collect()
}

/// LIKE by trying everything.
fn like(pattern: &[char], text: &[char]) -> bool {
    match (pattern, text) {
        ([], text) => text.is_empty(),
        (['%', rest @ ..], text) => (0..=text.len()).any(|skip| like(rest, &text[skip..])),
        // As in DataFusion, a backslash takes the next character for itself, whichever it is.
        (['\\', literal, rest @ ..], [first, text @ ..]) => first == literal && like(rest, text),
        (['\\', _, ..], []) => false,
        (['_', rest @ ..], [_, text @ ..]) => like(rest, text),
        ([literal, rest @ ..], [first, text @ ..]) => first == literal && like(rest, text),
        (_, []) => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8000))]

    #[test]
    fn the_program_answers_as_the_tree_does(
        ((layout, operands), predicate) in operands()
            .prop_flat_map(|(layout, operands)| (Just((layout, operands.clone())), predicate(operands))),
        rows in prop::collection::vec(prop::collection::vec(stored(), 4..9), 1..8),
        on_bad_value in select(&[OnBadValue::Error, OnBadValue::Null, OnBadValue::SkipRow][..]),
    ) {
        let spec = RowFilterSpec { operands, predicate, on_bad_value };
        let mut filter = RowFilter::compile(&spec).unwrap();
        let mut row = RowBuffer::new();
        for stored in &rows {
            let known = build(&layout, &spec.operands, stored, &mut row);
            let bad = known.iter().position(Result::is_err);
            let values: Vec<Option<Scalar>> = known.into_iter().map(|value| value.unwrap_or(None)).collect();
            let answer = filter.evaluate(&row);
            match (on_bad_value, bad) {
                (OnBadValue::Error, Some(first)) => match answer {
                    Err(Error::BadValue { column, .. }) => prop_assert_eq!(&column, &spec.operands[first].name),
                    other => prop_assert!(false, "expected a bad value, got {:?}", other),
                },
                (OnBadValue::SkipRow, Some(_)) => prop_assert_eq!(answer.unwrap(), Some(false)),
                _ => prop_assert_eq!(answer.unwrap(), interpret(&spec.predicate, &values), "{}", &spec),
            }
        }
    }
}

#[test]
fn the_models_like_is_sql_like() {
    let cases =
        [("a%", "abc", true), ("_", "ä", true), ("\\%", "%", true), ("\\%", "a", false), ("", "", true)];
    for (pattern, text, matches) in cases {
        assert_eq!(like(&chars(pattern), &chars(text)), matches, "{pattern} {text}");
    }
}
