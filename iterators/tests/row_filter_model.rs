//! The compiled row filter against a naive interpreter of the tree: random operands of every type and encoding, random
//! programs, rows with missing, NULL, valid and bad values, under each policy for bad values.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use ostracon_compare::{CompareOp, Encoding, KeyLexicoder, KeyPart, PrimitiveType, Scalar, decode, encode};
use ostracon_data::RowBuffer;
use ostracon_iterators::{Error, OnBadValue, Operand, OperandSource, RowFilter, RowFilterSpec, RowPredicate};
use proptest::prelude::*;
use proptest::sample::{Index, select};

mod values;
use values::{TYPES, samples};

/// An operand's value as the model knows it: bad, NULL, or a value.
type Known = Result<Option<Scalar>, ()>;

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

/// How the row id of a test is made.
#[derive(Debug, Clone)]
enum Layout {
    Opaque,
    Single(PrimitiveType, Encoding),
    Parts(Vec<KeyPart>),
    Fields(Vec<PrimitiveType>),
}

const DELIMITER: &[u8] = b"$";
const NULL_SEQUENCE: &[u8] = b"\\N";

fn primitive_type() -> impl Strategy<Value = PrimitiveType> {
    select(TYPES)
}

fn encoding() -> impl Strategy<Value = Encoding> {
    select(&[Encoding::String, Encoding::Binary, Encoding::Native][..])
}

fn layout() -> impl Strategy<Value = Layout> {
    prop_oneof![
        Just(Layout::Opaque),
        (primitive_type(), encoding()).prop_map(|(ty, encoding)| Layout::Single(ty, encoding)),
        prop::collection::vec((primitive_type(), any::<bool>()), 1..4).prop_map(|parts| {
            Layout::Parts(parts.into_iter().map(|(ty, descending)| KeyPart { ty, descending }).collect())
        }),
        prop::collection::vec(primitive_type(), 1..4).prop_map(Layout::Fields),
    ]
}

/// The operands of a layout and some cells; two of the cells share a type so that they can be compared.
fn operands() -> impl Strategy<Value = (Layout, Vec<Operand>)> {
    let cell = (primitive_type(), encoding(), any::<bool>());
    (layout(), prop::collection::vec(cell, 1..4), encoding()).prop_map(|(layout, mut cells, other)| {
        cells.push((cells[0].0, other, true));
        let mut operands: Vec<Operand> = cells
            .into_iter()
            .enumerate()
            .map(|(index, (ty, encoding, nullable))| Operand {
                name: format!("c{index}"),
                source: OperandSource::Cell { family: b"f".to_vec(), qualifier: vec![b'0' + index as u8] },
                ty,
                encoding,
                null_sequence: nullable.then(|| NULL_SEQUENCE.to_vec()),
            })
            .collect();
        let row =
            |name: String, source, ty, encoding| Operand { name, source, ty, encoding, null_sequence: None };
        match &layout {
            Layout::Opaque => {}
            Layout::Single(ty, encoding) => {
                operands.push(row("id".into(), OperandSource::Row, *ty, *encoding));
            }
            Layout::Parts(parts) => operands.extend(parts.iter().enumerate().map(|(index, part)| {
                let source = OperandSource::RowPart { parts: parts.clone(), index };
                row(format!("part{index}"), source, part.ty, Encoding::Native)
            })),
            // One more than there are: rows with too few fields.
            Layout::Fields(types) => {
                operands.extend(types.iter().chain(&types[..1]).enumerate().map(|(index, ty)| {
                    let source = OperandSource::RowField { delimiter: DELIMITER.to_vec(), index };
                    row(format!("field{index}"), source, *ty, Encoding::String)
                }));
            }
        }
        (layout, operands)
    })
}

fn sample(ty: PrimitiveType) -> impl Strategy<Value = Scalar> {
    select(samples(ty))
}

fn pattern() -> impl Strategy<Value = String> {
    prop::collection::vec(select(&["a", "b", "%", "_", "\\%", "\\_", "\\\\", "ä", "\n", "$", "\\"][..]), 0..5)
        .prop_map(|parts| parts.concat())
}

fn leaf(operands: Vec<Operand>) -> BoxedStrategy<RowPredicate> {
    let compare_operands: Vec<(usize, usize)> = (0..operands.len())
        .flat_map(|left| (0..operands.len()).map(move |right| (left, right)))
        .filter(|(left, right)| operands[*left].ty == operands[*right].ty)
        .collect();
    let of_one = (0..operands.len()).prop_flat_map(move |operand| {
        let ty = operands[operand].ty;
        let op = || select(&CompareOp::ALL[..]);
        let mut kinds = vec![
            (op(), sample(ty))
                .prop_map(move |(op, constant)| RowPredicate::Compare { operand, op, constant })
                .boxed(),
            (sample(ty), sample(ty))
                .prop_map(move |(low, high)| RowPredicate::Between { operand, low, high })
                .boxed(),
            (prop::collection::vec(sample(ty), 0..6), any::<bool>())
                .prop_map(move |(values, has_null)| RowPredicate::In { operand, values, has_null })
                .boxed(),
            Just(RowPredicate::IsNull { operand }).boxed(),
            any::<bool>().prop_map(move |value| RowPredicate::ConstantUnlessNull { operand, value }).boxed(),
        ];
        if ty == PrimitiveType::Utf8 {
            let like = (pattern(), any::<bool>()).prop_map(move |(pattern, case_insensitive)| {
                RowPredicate::Like { operand, pattern, case_insensitive }
            });
            kinds.push(like.boxed());
        }
        prop::strategy::Union::new(kinds)
    });
    let of_two = (select(compare_operands), select(&CompareOp::ALL[..]))
        .prop_map(|((left, right), op)| RowPredicate::CompareOperands { left, op, right });
    let constant = any::<Option<bool>>().prop_map(RowPredicate::Constant);
    prop_oneof![8 => of_one, 2 => of_two, 1 => constant].boxed()
}

fn predicate(operands: Vec<Operand>) -> impl Strategy<Value = RowPredicate> {
    leaf(operands).prop_recursive(5, 40, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(RowPredicate::And),
            prop::collection::vec(inner.clone(), 0..4).prop_map(RowPredicate::Or),
            inner.clone().prop_map(|input| RowPredicate::Not(Box::new(input))),
            (inner, any::<Option<bool>>())
                .prop_map(|(input, truth)| RowPredicate::IsTruth { input: Box::new(input), truth }),
        ]
    })
}

/// What is stored for an operand.
#[derive(Debug, Clone)]
enum Stored {
    Missing,
    NullSequence,
    Sample(Index),
    Bytes(Vec<u8>),
}

fn stored() -> impl Strategy<Value = Stored> {
    prop_oneof![
        2 => Just(Stored::Missing),
        1 => Just(Stored::NullSequence),
        12 => any::<Index>().prop_map(Stored::Sample),
        1 => prop::collection::vec(any::<u8>(), 0..9).prop_map(Stored::Bytes),
    ]
}

fn encoded(ty: PrimitiveType, encoding: Encoding, stored: &Stored) -> Option<Vec<u8>> {
    match stored {
        Stored::Missing => None,
        Stored::NullSequence => Some(NULL_SEQUENCE.to_vec()),
        Stored::Bytes(bytes) => Some(bytes.clone()),
        Stored::Sample(index) => {
            let mut bytes = Vec::new();
            encode(ty, encoding, index.get(&samples(ty)).as_ref(), &mut bytes).unwrap();
            Some(bytes)
        }
    }
}

/// The row, and what the model says of each operand.
fn build(layout: &Layout, operands: &[Operand], stored: &[Stored], row: &mut RowBuffer) -> Vec<Known> {
    let mut fields = stored.iter().cycle().skip(5);
    let row_id = match layout {
        Layout::Opaque => b"row".to_vec(),
        Layout::Single(ty, encoding) => {
            encoded(*ty, *encoding, fields.next().unwrap()).unwrap_or_else(|| b"?".to_vec())
        }
        Layout::Parts(parts) => {
            let values: Vec<Scalar> = parts
                .iter()
                .map(|part| match fields.next().unwrap() {
                    Stored::Sample(index) => index.get(&samples(part.ty)).clone(),
                    _ => samples(part.ty)[0].clone(),
                })
                .collect();
            let refs: Vec<_> = values.iter().map(Scalar::as_ref).collect();
            let mut key = KeyLexicoder::new(parts.clone()).encode(&refs).unwrap();
            // Sometimes cut short, so that a part is bad.
            if matches!(fields.next(), Some(Stored::Missing)) {
                key.pop();
            }
            key
        }
        Layout::Fields(types) => {
            let encoded = types.iter().map(|ty| encoded(*ty, Encoding::String, fields.next().unwrap()));
            encoded.map(Option::unwrap_or_default).collect::<Vec<_>>().join(DELIMITER)
        }
    };
    row.clear();
    row.set_row(&row_id);
    operands
        .iter()
        .zip(stored.iter().cycle())
        .map(|(operand, stored)| {
            let bytes: Option<Vec<u8>> = match &operand.source {
                OperandSource::Row => Some(row_id.clone()),
                OperandSource::RowPart { parts, index } => {
                    let part = KeyLexicoder::new(parts.clone()).decode_part(&row_id, *index);
                    return part.map(Some).map_err(drop);
                }
                OperandSource::RowField { index, .. } => {
                    row_id.split(|byte| DELIMITER.contains(byte)).nth(*index).map(<[u8]>::to_vec)
                }
                OperandSource::Cell { family, qualifier } => {
                    let bytes = encoded(operand.ty, operand.encoding, stored);
                    if let Some(bytes) = &bytes {
                        row.push_cell(family, qualifier, b"", 5, bytes);
                        row.push_cell(family, qualifier, b"", 4, b"an older version");
                    }
                    bytes
                }
            };
            match bytes {
                None => Ok(None),
                Some(bytes) if operand.null_sequence.as_ref() == Some(&bytes) => Ok(None),
                Some(bytes) => decode(operand.ty, operand.encoding, &bytes)
                    .map(|value| Some(value.to_owned()))
                    .map_err(drop),
            }
        })
        .collect()
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
