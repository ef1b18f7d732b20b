//! Cells: encode and decode, order and canonical form of bytes, comparison of stored bytes, hostile bytes.

use arrow::compute::kernels::cmp;
use ostracon_compare::{
    CompareOp, Encoding, PrimitiveType, Scalar, decode, encode, is_canonical, is_order_preserving,
    order_span, primitive_compare,
};
use proptest::prelude::*;

use crate::values::{any_type, array, every_type, model_order, value, values, with_one_zero};

const ENCODINGS: [Encoding; 3] = [Encoding::String, Encoding::Binary, Encoding::Native];

fn bytes_of(ty: PrimitiveType, encoding: Encoding, value: &Scalar) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    match encode(ty, encoding, value.as_ref(), &mut out) {
        Ok(()) => Some(out),
        // A time of day beyond one day has no text.
        Err(_) if encoding == Encoding::String => None,
        Err(error) => panic!("{error}"),
    }
}

/// Text keeps no NaN's sign and payload.
fn same(encoding: Encoding, a: &Scalar, b: &Scalar) -> bool {
    let nan = |value: &Scalar| match value {
        Scalar::Float32(value) => value.is_nan(),
        Scalar::Float64(value) => value.is_nan(),
        _ => false,
    };
    a == b || encoding == Encoding::String && nan(a) && nan(b)
}

/// Bytes that are nearly values: random, of a random length or of the type's width.
fn hostile() -> impl Strategy<Value = Vec<u8>> {
    let text = "[-+0-9.eEinfatrus:TZ ]{0,24}".prop_map(String::into_bytes);
    let width = prop::sample::select(vec![0usize, 1, 2, 4, 8, 16, 32]);
    let sized = width.prop_flat_map(|width| prop::collection::vec(any::<u8>(), width));
    prop_oneof![prop::collection::vec(any::<u8>(), 0..40), sized, text]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn what_is_encoded_decodes((ty, value) in values(1)) {
        for encoding in ENCODINGS {
            let Some(bytes) = bytes_of(ty, encoding, &value[0]) else {
                prop_assert!(matches!(ty, PrimitiveType::Time32(_) | PrimitiveType::Time64(_)));
                continue;
            };
            let decoded = decode(ty, encoding, &bytes).unwrap().to_owned();
            prop_assert!(same(encoding, &decoded, &value[0]), "{} {}: {:?} {:?}", ty, encoding, decoded, value[0]);
        }
    }

    #[test]
    fn text_is_what_sql_prints((ty, value) in values(1)) {
        let Some(bytes) = bytes_of(ty, Encoding::String, &value[0]) else { return Ok(()) };
        // Arrow's calendar ends earlier than ours, it shows bytes as hexadecimal digits, and a zero of a negative scale
        // as several zeros.
        let shown = arrow::util::display::array_value_to_string(&array(ty, &value), 0);
        let shown = shown.unwrap();
        if ty != PrimitiveType::Binary && !shown.starts_with("ERROR") && !shown.trim_matches('0').is_empty() {
            prop_assert_eq!(String::from_utf8(bytes).unwrap(), shown, "{}", ty);
        }
    }

    #[test]
    fn bytes_sort_as_values_where_that_is_said((ty, pair) in values(2)) {
        let order = model_order(&pair[0], &pair[1]);
        for encoding in ENCODINGS {
            let (Some(a), Some(b)) = (bytes_of(ty, encoding, &pair[0]), bytes_of(ty, encoding, &pair[1])) else {
                continue;
            };
            if is_canonical(ty, encoding) {
                prop_assert_eq!(a == b, order.is_eq(), "{} {}", ty, encoding);
            }
            if is_order_preserving(ty, encoding) {
                prop_assert!(order.is_eq() || a.cmp(&b) == order, "{} {} {:?}", ty, encoding, pair);
                let span = order_span(ty, encoding, pair[1].as_ref()).unwrap().unwrap();
                prop_assert_eq!(span.contains(&a), order.is_eq());
                prop_assert_eq!(a < *span.start(), order.is_lt());
            }
        }
    }

    #[test]
    fn stored_bytes_compare_as_values((ty, pair) in values(2)) {
        let order = model_order(&pair[0], &pair[1]);
        for encoding in ENCODINGS {
            let Some(cell) = bytes_of(ty, encoding, &pair[0]) else { continue };
            let compare = primitive_compare(ty, encoding, &pair[1]).unwrap();
            prop_assert_eq!(compare.value_type(), ty);
            let text_nan = encoding == Encoding::String && !same(Encoding::Native, &pair[0],
                &decode(ty, encoding, &cell).unwrap().to_owned());
            prop_assert!(text_nan || compare.compare(&cell) == Ok(order), "{} {} {:?}", ty, encoding, pair);
        }
    }

    #[test]
    fn hostile_bytes_give_a_value_or_an_error(ty in any_type(), bytes in hostile()) {
        for encoding in ENCODINGS {
            let Ok(found) = decode(ty, encoding, &bytes) else { continue };
            let found = found.to_owned();
            let Some(again) = bytes_of(ty, encoding, &found) else { panic!("decoded {found:?} does not encode") };
            if encoding == Encoding::String {
                let back = decode(ty, encoding, &again).unwrap().to_owned();
                prop_assert!(same(encoding, &back, &found), "{:?} {:?}", back, found);
            } else {
                prop_assert_eq!(again, bytes.clone(), "{} {}", ty, encoding);
            }
        }
    }

    #[test]
    fn comparing_judges_bytes_as_decoding_does(
        (ty, constant) in any_type().prop_flat_map(|ty| (Just(ty), value(ty))), bytes in hostile(),
    ) {
        for encoding in ENCODINGS {
            let compared = primitive_compare(ty, encoding, &constant).unwrap().compare(&bytes);
            let expected = decode(ty, encoding, &bytes).map(|found| model_order(&found.to_owned(), &constant));
            prop_assert_eq!(compared, expected, "{} {}", ty, encoding);
        }
    }

    #[test]
    fn the_order_is_datafusion_s((ty, pair) in values(2)) {
        let order = pair[0].compare(&pair[1]).unwrap();
        let left = with_one_zero(array(ty, &pair[..1]));
        let right = with_one_zero(array(ty, &pair[1..]));
        for op in CompareOp::ALL {
            let kernel = match op {
                CompareOp::Equal => cmp::eq,
                CompareOp::NotEqual => cmp::neq,
                CompareOp::LessThan => cmp::lt,
                CompareOp::LessThanOrEqual => cmp::lt_eq,
                CompareOp::GreaterThan => cmp::gt,
                CompareOp::GreaterThanOrEqual => cmp::gt_eq,
            };
            let answer = kernel(&left, &right).unwrap().value(0);
            prop_assert_eq!(op.accepts(order), answer, "{} {:?} {} {:?}", ty, pair[0], op, pair[1]);
        }
    }
}

#[test]
fn constants_of_another_kind_are_refused() {
    for ty in every_type() {
        let wrong = if ty == PrimitiveType::Boolean { Scalar::Int(1) } else { Scalar::Boolean(true) };
        for encoding in ENCODINGS {
            assert!(primitive_compare(ty, encoding, &wrong).is_err(), "{ty} {encoding}");
        }
    }
}

#[test]
fn a_constant_may_lie_outside_the_type() {
    let compare = primitive_compare(PrimitiveType::Int8, Encoding::Binary, &Scalar::Int(300)).unwrap();
    assert!(compare.compare(&[0x7f]).unwrap().is_lt());
}

#[test]
fn a_decimal_beyond_its_precision_says_so() {
    let ty = PrimitiveType::Decimal128 { precision: 4, scale: 2 };
    let problem = decode(ty, Encoding::Binary, &12_345i128.to_be_bytes()).unwrap_err();
    assert!(problem.to_string().contains("more digits than the precision"), "{problem}");
}
