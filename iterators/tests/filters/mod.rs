//! Random row filters and rows for them: operands of every type, encoding and source, predicates over them, and rows with
//! missing, NULL, valid and bad values.

use ostracon_compare::{CompareOp, Encoding, KeyLexicoder, KeyPart, PrimitiveType, Scalar, decode, encode};
use ostracon_data::RowBuffer;
use ostracon_iterators::{Operand, OperandSource, RowPredicate};
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::values::{TYPES, samples};

/// An operand's value as a model knows it: bad, NULL, or a value.
pub(crate) type Known = Result<Option<Scalar>, ()>;

/// How the row id of a test is made.
#[derive(Debug, Clone)]
pub(crate) enum Layout {
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
pub(crate) fn operands() -> impl Strategy<Value = (Layout, Vec<Operand>)> {
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

pub(crate) fn predicate(operands: Vec<Operand>) -> impl Strategy<Value = RowPredicate> {
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
pub(crate) enum Stored {
    Missing,
    NullSequence,
    Sample(Index),
    Bytes(Vec<u8>),
}

pub(crate) fn stored() -> impl Strategy<Value = Stored> {
    prop_oneof![
        2 => Just(Stored::Missing),
        1 => Just(Stored::NullSequence),
        12 => any::<Index>().prop_map(Stored::Sample),
        1 => prop::collection::vec(any::<u8>(), 0..9).prop_map(Stored::Bytes),
    ]
}

pub(crate) fn encoded(ty: PrimitiveType, encoding: Encoding, stored: &Stored) -> Option<Vec<u8>> {
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
pub(crate) fn build(
    layout: &Layout,
    operands: &[Operand],
    stored: &[Stored],
    row: &mut RowBuffer,
) -> Vec<Known> {
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
