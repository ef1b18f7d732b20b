//! Conditions as ranges of bytes: they hold exactly the values that the comparison accepts, cell by cell and in keys.

use ostracon_compare::{
    CompareOp, Encoding, KeyLexicoder, KeyPart, PrimitiveType, Scalar, compare_ranges, decode, encode,
    value_ranges,
};
use ostracon_data::RowRanges;
use proptest::prelude::*;
use proptest::sample::select;

use crate::values::{any_type, as_key, value};

const ENCODINGS: [Encoding; 3] = [Encoding::String, Encoding::Binary, Encoding::Native];

/// A type, a constant of its kind (not always within its range) and values, one of them the constant's neighbour.
fn constant_and_values() -> impl Strategy<Value = (PrimitiveType, Scalar, Vec<Scalar>)> {
    any_type().prop_flat_map(|ty| {
        use PrimitiveType as T;
        // The widest type of the kind.
        let beyond = match ty {
            T::Int8 | T::Int16 | T::Int32 | T::Date32 | T::Time32(_) => value(T::Int64),
            T::UInt8 | T::UInt16 | T::UInt32 => value(T::UInt64),
            T::Decimal128 { .. } => value(T::Decimal128 { precision: 38, scale: 0 }),
            T::Decimal256 { .. } => value(T::Decimal256 { precision: 76, scale: 0 }),
            other => value(other),
        };
        (Just(ty), prop_oneof![3 => value(ty), 1 => beyond], prop::collection::vec(value(ty), 1..8))
    })
}

fn bytes(ty: PrimitiveType, encoding: Encoding, value: &Scalar) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    encode(ty, encoding, value.as_ref(), &mut out).ok().map(|()| out)
}

/// The bytes of the width next to these, which are often values too.
fn neighbours(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut all = vec![bytes.to_vec()];
    if let Some((last, rest)) = bytes.split_last() {
        all.extend([1, 255].map(|step| [rest, &[last.wrapping_add(step)]].concat()));
    }
    all
}

/// Bounds of a fixed width have that width: neighbours join, and what lies behind all values is not there.
fn normal_form(ranges: &RowRanges, width: usize) -> Result<(), TestCaseError> {
    for range in ranges.ranges().iter() {
        prop_assert!(range.start.is_empty() || range.start.len() == width, "{ranges}");
        prop_assert!(range.end.as_ref().is_none_or(|end| end.len() == width), "{ranges}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6000))]

    #[test]
    fn ranges_hold_what_the_comparison_accepts(
        (ty, constant, values) in constant_and_values(),
        encoding in select(&ENCODINGS[..]),
    ) {
        for op in CompareOp::ALL {
            let ranges = compare_ranges(ty, encoding, op, constant.as_ref()).unwrap();
            let plain = matches!(ty, PrimitiveType::Utf8 | PrimitiveType::Binary);
            prop_assert_eq!(ranges.is_none(), encoding == Encoding::String && !plain);
            let Some(ranges) = ranges else { continue };
            if let Some(width) = ty.width() {
                normal_form(&ranges, width)?;
            }
            for cell in values.iter().chain([&constant]).filter_map(|value| bytes(ty, encoding, value)) {
                for cell in neighbours(&cell) {
                    let Ok(value) = decode(ty, encoding, &cell) else { continue };
                    let accepted = op.accepts(value.compare(&constant.as_ref()).unwrap());
                    prop_assert_eq!(ranges.contains(&cell), accepted, "{} {:?} {} {}", ty, value, op, ranges);
                }
            }
        }
    }

    #[test]
    fn value_ranges_hold_what_decodes(ty in any_type(), encoding in select(&ENCODINGS[..]), seed in any::<[u8; 32]>(), near in any::<Option<bool>>()) {
        let ranges = value_ranges(ty, encoding);
        let Some(width) = ty.width().filter(|_| encoding != Encoding::String) else {
            prop_assert_eq!(ranges, None);
            return Ok(());
        };
        let ranges = ranges.unwrap();
        normal_form(&ranges, width)?;
        // Random bytes, and the bytes at the ends of the ranges.
        let mut cells = neighbours(&seed[..width]);
        if let (Some(low), RowRanges::Set(set)) = (near, &ranges) {
            let ends = set.iter().flat_map(|range| [Some(range.start.clone()), range.end.clone()]);
            let ends: Vec<Vec<u8>> = ends.flatten().filter(|end| end.len() == width).collect();
            cells.extend((if low { ends.first() } else { ends.last() }).iter().flat_map(|end| neighbours(end)));
        }
        for cell in cells {
            prop_assert_eq!(ranges.contains(&cell), decode(ty, encoding, &cell).is_ok(), "{} {:?}", ty, cell);
        }
    }

    #[test]
    fn part_ranges_hold_what_keys_compare(
        (ty, constant, values) in constant_and_values(),
        before in prop::collection::vec((any_type(), any::<bool>()), 0..2),
        behind in any::<bool>(),
        descending in any::<bool>(),
    ) {
        let mut parts: Vec<KeyPart> =
            before.into_iter().map(|(ty, descending)| KeyPart { ty, descending }).collect();
        let index = parts.len();
        parts.push(KeyPart { ty, descending });
        if behind {
            parts.push(KeyPart::ascending(PrimitiveType::Int8));
        }
        let key = KeyLexicoder::new(parts.clone());
        let plain = ty.width().is_none();
        let fixed_before = parts[..index].iter().all(|part| part.ty.width().is_some());
        let place = key.part_place(index);
        prop_assert_eq!(place.is_some(), fixed_before && !(plain && (behind || descending)), "{}", key);
        let Some(place) = place else { return Ok(()) };

        for value in values.iter().chain([&constant]) {
            let Some(native) = bytes(ty, Encoding::Native, &as_key(value)) else { continue };
            for native in neighbours(&native) {
                let stored: Vec<u8> = native.iter().map(|byte| if descending { !byte } else { *byte }).collect();
                let mut row = vec![0; place.offset];
                row.extend_from_slice(&stored);
                row.extend_from_slice(if behind { &[0] } else { &[] });
                prop_assert_eq!(place.of(&row), Some(&stored[..]));
                let decoded = key.decode_part(&row, index);
                if let Some(good) = key.part_value_ranges(index) {
                    prop_assert_eq!(good.contains(&stored), decoded.is_ok(), "{} {:?}", key, stored);
                }
                let Ok(decoded) = decoded else { continue };
                for op in CompareOp::ALL {
                    let ranges = key.part_ranges(index, op, constant.as_ref()).unwrap().unwrap();
                    let accepted = op.accepts(decoded.compare(&constant).unwrap());
                    prop_assert_eq!(ranges.contains(&stored), accepted, "{} {:?} {}", key, decoded, op);
                }
            }
        }
    }
}

#[test]
fn constants_of_another_kind_are_refused() {
    let text = Scalar::Utf8("1".to_owned());
    assert!(compare_ranges(PrimitiveType::Int8, Encoding::Native, CompareOp::Equal, text.as_ref()).is_err());
    let key = KeyLexicoder::new(vec![KeyPart::ascending(PrimitiveType::Int8)]);
    assert!(key.part_ranges(0, CompareOp::Equal, text.as_ref()).is_err());
    assert!(key.part_ranges(1, CompareOp::Equal, text.as_ref()).is_err());
    assert_eq!((key.part_place(1), key.part_value_ranges(1)), (None, None));
}

#[test]
fn what_all_values_satisfy_has_no_bounds_and_what_none_does_is_empty() {
    let of =
        |ty, op, value: Scalar| compare_ranges(ty, Encoding::Native, op, value.as_ref()).unwrap().unwrap();
    use CompareOp::*;
    let decimal = PrimitiveType::Decimal128 { precision: 3, scale: 1 };
    for (ty, op, value) in [
        (PrimitiveType::Boolean, LessThanOrEqual, Scalar::Boolean(true)),
        (PrimitiveType::Boolean, GreaterThanOrEqual, Scalar::Boolean(false)),
        (PrimitiveType::Int8, LessThan, Scalar::Int(128)),
        (PrimitiveType::UInt8, GreaterThanOrEqual, Scalar::UInt(0)),
        (decimal, LessThanOrEqual, Scalar::Decimal128(999)),
        (decimal, NotEqual, Scalar::Decimal128(-1000)),
        (PrimitiveType::Utf8, GreaterThanOrEqual, Scalar::Utf8(String::new())),
    ] {
        assert!(of(ty, op, value.clone()).is_all(), "{ty} {op} {value:?}");
        assert!(of(ty, op.negate(), value.clone()).is_empty(), "{ty} {op} {value:?}");
    }
    let zeros = of(PrimitiveType::Float32, Equal, Scalar::Float32(0.0));
    assert_eq!(zeros.to_string(), r"[\x7f\xff\xff\xff, \x80\x00\x00\x01)");
}
