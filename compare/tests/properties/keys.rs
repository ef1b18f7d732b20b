//! Keys: the bytes of rows sort as their values, decode, and lie in exactly the ranges that conditions on them ask for.

use std::cmp::Ordering;
use std::ops::Bound;

use ostracon_compare::{KeyLexicoder, KeyPart, PrimitiveType, Scalar, ScalarRef};
use proptest::prelude::*;

use crate::values::{any_type, as_key, model_order, value};

fn parts() -> impl Strategy<Value = Vec<KeyPart>> {
    // Parts of varying width are the hard ones, so they come often.
    let ty = prop_oneof![1 => Just(PrimitiveType::Utf8), 1 => Just(PrimitiveType::Binary), 3 => any_type()];
    let part = (ty, any::<bool>()).prop_map(|(ty, descending)| KeyPart { ty, descending });
    prop::collection::vec(part, 1..4)
}

/// A key's parts and several keys, which share values often enough to differ late.
fn keys(count: usize) -> impl Strategy<Value = (KeyLexicoder, Vec<Vec<Scalar>>)> {
    parts().prop_flat_map(move |parts| {
        let pools: Vec<_> = parts.iter().map(|part| prop::collection::vec(value(part.ty), 2)).collect();
        let width = parts.len();
        let picks = prop::collection::vec(prop::collection::vec(0usize..2, width), count);
        (Just(KeyLexicoder::new(parts)), pools, picks).prop_map(|(key, pools, picks)| {
            let keys = picks
                .iter()
                .map(|pick| pick.iter().zip(&pools).map(|(at, pool)| pool[*at].clone()).collect())
                .collect();
            (key, keys)
        })
    })
}

fn refs(values: &[Scalar]) -> Vec<ScalarRef<'_>> {
    values.iter().map(Scalar::as_ref).collect()
}

fn stored(values: &[Scalar]) -> Vec<Scalar> {
    values.iter().map(as_key).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn rows_sort_as_keys((key, keys) in keys(2)) {
        let rows: Vec<Vec<u8>> = keys.iter().map(|values| key.encode(&refs(values)).unwrap()).collect();
        let mut order = Ordering::Equal;
        for (part, (a, b)) in key.parts().iter().zip(stored(&keys[0]).iter().zip(&stored(&keys[1]))) {
            let by_part = model_order(a, b);
            order = order.then(if part.descending { by_part.reverse() } else { by_part });
        }
        prop_assert_eq!(rows[0].cmp(&rows[1]), order, "{} {:?}", key, keys);
    }

    #[test]
    fn rows_decode_whole_and_in_parts((key, keys) in keys(1)) {
        let row = key.encode(&refs(&keys[0])).unwrap();
        let expected = stored(&keys[0]);
        prop_assert_eq!(key.decode(&row).unwrap(), expected.clone());
        let mut scratch = b"old".to_vec();
        let mut end = 0;
        for (index, (slice, value)) in key.part_slices(&row).unwrap().into_iter().zip(&expected).enumerate() {
            prop_assert_eq!(&key.decode_part(&row, index).unwrap(), value);
            prop_assert_eq!(key.decode_part_ref(&row, index, &mut scratch).unwrap(), value.as_ref());
            prop_assert_eq!(slice.start, end);
            end = slice.end;
        }
        prop_assert_eq!(end, row.len());
    }

    #[test]
    fn a_prefix_is_that_of_its_rows_alone((key, keys) in keys(2)) {
        let row = key.encode(&refs(&keys[0])).unwrap();
        for count in 0..=key.parts().len() {
            let asked = &keys[1][..count];
            let prefix = key.encode_prefix(&refs(asked)).unwrap();
            // A key equals what is asked for as DataFusion compares: one zero, NaN by its bits.
            let equal = stored(&keys[0]).iter().zip(asked).all(|(a, b)| model_order(a, b).is_eq());
            let found = if count < key.parts().len() { row.starts_with(&prefix) } else { row == prefix };
            prop_assert_eq!(found, equal, "{} {:?}", key, keys);
        }
    }

    #[test]
    fn ranges_hold_exactly_the_keys_asked_for(
        (key, keys) in keys(4), count in 0usize..3, low in 0u8..3, high in 0u8..3,
    ) {
        let count = count.min(key.parts().len() - 1);
        let prefix = &keys[1][..count];
        let bound = |kind: u8, at: usize| match kind {
            0 => Bound::Unbounded,
            1 => Bound::Included(keys[at][count].as_ref()),
            _ => Bound::Excluded(keys[at][count].as_ref()),
        };
        let range = key.row_range(&refs(prefix), bound(low, 2), bound(high, 3)).unwrap();
        for values in [&keys[0], &keys[1], &keys[2], &keys[3]] {
            let held = stored(values);
            let row = key.encode(&refs(values)).unwrap();
            let above = match low {
                0 => true,
                1 => model_order(&held[count], &keys[2][count]).is_ge(),
                _ => model_order(&held[count], &keys[2][count]).is_gt(),
            };
            let below = match high {
                0 => true,
                1 => model_order(&held[count], &keys[3][count]).is_le(),
                _ => model_order(&held[count], &keys[3][count]).is_lt(),
            };
            let equal = held.iter().zip(prefix).all(|(a, b)| model_order(a, b).is_eq());
            prop_assert_eq!(range.contains(&row), equal && above && below, "{} {:?} {}", key, values, range);
        }
        let whole = key.row_range(&refs(&keys[1]), Bound::Unbounded, Bound::Unbounded).unwrap();
        let row = key.encode(&refs(&keys[0])).unwrap();
        let equal = stored(&keys[0]).iter().zip(&keys[1]).all(|(a, b)| model_order(a, b).is_eq());
        prop_assert_eq!(whole.contains(&row), equal);
    }

    #[test]
    fn starts_of_text_are_ranges((key, keys) in keys(2), count in 0usize..3, length in 0usize..4) {
        let count = count.min(key.parts().len() - 1);
        let content = |value: &Scalar| match value {
            Scalar::Utf8(text) => Some(text.as_bytes().to_vec()),
            Scalar::Binary(bytes) => Some(bytes.clone()),
            _ => None,
        };
        let Some(mut start) = content(&keys[1][count]) else {
            prop_assert!(key.starting_with(&refs(&keys[1][..count]), b"x").is_err());
            return Ok(());
        };
        start.truncate(length);
        let range = key.starting_with(&refs(&keys[1][..count]), &start).unwrap();
        let row = key.encode(&refs(&keys[0])).unwrap();
        let equal = stored(&keys[0]).iter().zip(&keys[1][..count]).all(|(a, b)| model_order(a, b).is_eq());
        let begins = content(&keys[0][count]).unwrap().starts_with(&start);
        prop_assert_eq!(range.contains(&row), equal && begins, "{} {:?} {}", key, keys, range);
    }

    #[test]
    fn hostile_rows_are_keys_or_errors(
        parts in parts(), bytes in prop::collection::vec(prop::sample::select(vec![0u8, 1, 2, 0x7f, 0x80, 0xfe, 0xff]), 0..40),
    ) {
        let key = KeyLexicoder::new(parts);
        if let Ok(values) = key.decode(&bytes) {
            // A row that is accepted is the one row of its key.
            prop_assert_eq!(key.encode(&refs(&values)).unwrap(), bytes.clone());
        }
        for index in 0..=key.parts().len() {
            let part = key.decode_part(&bytes, index);
            prop_assert!(part.is_err() || index < key.parts().len());
        }
    }
}
