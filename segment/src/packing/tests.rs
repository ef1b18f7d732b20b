//! Every function against what it does to a plain array, at every width.

use proptest::prelude::*;

use super::*;

const LENGTHS: [usize; 11] = [0, 1, 2, 63, 64, 65, 1000, 1023, 1024, 1025, 4096];

/// Values of `bits` bits: a fixed pseudo-random sequence, with 0 and the largest among them.
fn values(n: usize, bits: u8, seed: u64) -> Vec<u64> {
    let mut state = seed | 1;
    let cut = largest(bits);
    let mut values: Vec<u64> = (0..n)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - u32::from(bits).max(1)) & cut
        })
        .collect();
    if let [first, .., last] = &mut values[..] {
        (*first, *last) = (cut, 0);
    }
    values
}

fn largest(bits: u8) -> u64 {
    u64::MAX.checked_shr(64 - u32::from(bits)).unwrap_or(0)
}

fn packed(values: &[u64], bits: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    pack(values, bits, &mut bytes);
    assert_eq!(bytes.len(), packed_len(values.len(), bits));
    bytes
}

fn chunks() -> impl Strategy<Value = (u8, Vec<u64>, std::ops::Range<usize>)> {
    let lengths = prop_oneof![proptest::sample::select(&LENGTHS[..]), 0..3000usize];
    (0..=64u8, lengths, any::<u64>()).prop_flat_map(|(bits, n, seed)| {
        let ends = prop_oneof![Just((0, n)), (0..=n, 0..=n)];
        (Just(bits), Just(values(n, bits, seed)), ends.prop_map(|(a, b)| a.min(b)..a.max(b)))
    })
}

fn mask_of(rows: usize, seed: u64) -> Vec<u8> {
    values(rows, 1, seed).into_iter().map(|bit| bit as u8).collect()
}

#[test]
fn every_width_and_length_comes_back() {
    for bits in 0..=64 {
        for n in LENGTHS {
            let values = values(n, bits, 42);
            let bytes = packed(&values, bits);
            let mut back = Vec::new();
            unpack_u64(&bytes, bits, n, 0..n, &mut back).unwrap();
            assert_eq!(back, values, "{n} values of {bits} bits");
            let one_by_one: Vec<u64> = (0..n).map(|i| get(&bytes, bits, n, i).unwrap()).collect();
            assert_eq!(one_by_one, values, "{n} values of {bits} bits");
        }
    }
}

#[test]
fn full_blocks_waste_nothing_and_short_ones_little() {
    for bits in 1..=64u8 {
        assert_eq!(packed_len(4096, bits), 512 * usize::from(bits));
        for n in 1..=1024 {
            let word = usize::from(lane_bits(bits));
            let least = (n * usize::from(bits)).div_ceil(8);
            let len = packed_len(n, bits);
            assert!(least <= len && len <= least + n / 4 + word / 4, "{n} values of {bits} bits: {len}");
        }
    }
    assert_eq!(packed_len(1, 3), 1);
    assert_eq!(packed_len(usize::MAX, 64), usize::MAX);
}

#[test]
fn widths_are_rounded_up_where_little_room_is_lost() {
    let chosen = [
        (0, 0),
        (1, 1),
        (0x7F, 7),
        (0xFF, 8),
        (0x3FFF, 14),
        (0x7FFF, 16),
        (u64::MAX >> 5, 59),
        (u64::MAX >> 4, 64),
    ];
    for (max, bits) in chosen {
        assert_eq!(chosen_bits(max), bits, "{max:#x}");
    }
    for bits in 0..=64 {
        let chosen = chosen_bits(largest(bits));
        assert!(chosen >= bits && (chosen == bits || chosen == lane_bits(bits)), "{bits}");
    }
}

#[test]
fn whole_widths_are_plain_arrays() {
    let values: Vec<u64> = (0..3000).map(|i| i * 7 % 256).collect();
    assert_eq!(packed(&values, 8), values.iter().map(|value| *value as u8).collect::<Vec<_>>());
    assert_eq!(
        packed(&values, 32),
        values.iter().flat_map(|v| (*v as u32).to_le_bytes()).collect::<Vec<_>>()
    );
}

#[test]
fn the_layout_stays_as_it_is() {
    // Stores hold these bytes, docs/format.md draws them: 3 lanes of 8-bit words.
    let values: Vec<u64> = (0..17).map(|i| i % 8).collect();
    assert_eq!(packed(&values, 3), [0x98, 0xE1, 0x2A, 0xC3, 0x55, 0x66, 0x03, 0x00, 0x00]);
    // A full block of 9 bits: 64 lanes of 16-bit words; position 1 takes the upper 7 bits and 2 of the next word.
    let values: Vec<u64> = (0..1024).map(|i| i % 512).collect();
    let bytes = packed(&values, 9);
    let word = |index: usize| u16::from_le_bytes([bytes[2 * index], bytes[2 * index + 1]]);
    assert_eq!(word(3), 3 | (3 + 64) << 9);
    assert_eq!(word(64 + 3), (3 + 128) << 2 | (3 + 192) << 11, "and no bit of 3 + 64");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn ranges_unpack((bits, values, rows) in chunks()) {
        let bytes = packed(&values, bits);
        let wanted = &values[rows.clone()];
        let n = values.len();

        let mut out = vec![9];
        unpack_u64(&bytes, bits, n, rows.clone(), &mut out).unwrap();
        prop_assert_eq!((out[0], &out[1..]), (9, wanted));
        macro_rules! narrow {
            ($unpack:ident, $int:ident) => {
                let mut out = vec![9];
                let done = $unpack(&bytes, bits, n, rows.clone(), &mut out);
                if u32::from(bits) <= $int::BITS {
                    prop_assert!(done.is_ok());
                    prop_assert_eq!(out[0], 9);
                    prop_assert!(out[1..].iter().map(|value| u64::from(*value)).eq(wanted.iter().copied()));
                } else {
                    let room = $int::BITS as u8;
                    prop_assert_eq!((done, &out[..]), (Err(BadPacking::Width { bits, room }), &[9][..]));
                }
            };
        }
        narrow!(unpack_u8, u8);
        narrow!(unpack_u16, u16);
        narrow!(unpack_u32, u32);
    }

    #[test]
    fn intervals((bits, values, rows) in chunks(), ends: [u64; 2], near: bool, seed: u64) {
        let bytes = packed(&values, bits);
        let n = values.len();
        // Bounds that are values, and any bounds, now and then above all values.
        let pick = |end: u64| match values.get(end as usize % n.max(1)) {
            Some(&value) if near => value,
            _ => end >> (63 - bits.min(63)),
        };
        let [low, high] = ends.map(pick);
        let held = mask_of(rows.len(), seed);
        let hits: Vec<u8> =
            values[rows.clone()].iter().map(|value| u8::from((low..=high).contains(value))).collect();

        let mut mask = held.clone();
        between(&bytes, bits, n, rows.clone(), low, high, &mut mask).unwrap();
        prop_assert_eq!(&mask, &hits);
        let mut mask = held.clone();
        and_between(&bytes, bits, n, rows.clone(), low, high, &mut mask).unwrap();
        prop_assert!(mask.iter().copied().eq(held.iter().zip(&hits).map(|(a, b)| a & b)));
        let mut mask = held.clone();
        or_between(&bytes, bits, n, rows, low, high, &mut mask).unwrap();
        prop_assert!(mask.iter().copied().eq(held.iter().zip(&hits).map(|(a, b)| a | b)));
    }

    #[test]
    fn several_intervals((bits, values, rows) in chunks(), ends: Vec<(u64, u64)>, near: bool, seed: u64) {
        let bytes = packed(&values, bits);
        let n = values.len();
        let pick = |end: u64| match values.get(end as usize % n.max(1)) {
            Some(&value) if near => value,
            _ => end >> (63 - bits.min(63)),
        };
        // Overlapping, adjacent, out of order, and empty ones.
        let wanted: Vec<_> = ends.iter().map(|&(low, high)| pick(low)..=pick(high)).collect();
        let held = mask_of(rows.len(), seed);
        let hits: Vec<u8> = values[rows.clone()]
            .iter()
            .map(|value| u8::from(wanted.iter().any(|wanted| wanted.contains(value))))
            .collect();

        let mut mask = held.clone();
        in_intervals(&bytes, bits, n, rows.clone(), &wanted, &mut mask).unwrap();
        prop_assert_eq!(&mask, &hits);
        let mut mask = held.clone();
        and_in_intervals(&bytes, bits, n, rows, &wanted, &mut mask).unwrap();
        prop_assert!(mask.iter().copied().eq(held.iter().zip(&hits).map(|(a, b)| a & b)));
    }

    #[test]
    fn sets_and_tables((bits, values, rows) in chunks(), picks: Vec<u64>, table: Vec<bool>, seed: u64) {
        let bytes = packed(&values, bits);
        let n = values.len();
        let held = mask_of(rows.len(), seed);
        let wanted: Vec<u64> = picks
            .iter()
            .map(|&pick| if pick % 3 == 0 { pick } else { *values.get(pick as usize % n.max(1)).unwrap_or(&0) })
            .collect();
        let model = |test: &dyn Fn(u64) -> bool| -> Vec<u8> {
            values[rows.clone()].iter().map(|&value| u8::from(test(value))).collect()
        };
        let met = |hits: &[u8]| held.iter().zip(hits).map(|(a, b)| a & b).collect::<Vec<u8>>();

        let hits = model(&|value| wanted.contains(&value));
        let mut mask = held.clone();
        in_set(&bytes, bits, n, rows.clone(), &wanted, &mut mask).unwrap();
        prop_assert_eq!(&mask, &hits);
        let mut mask = held.clone();
        and_in_set(&bytes, bits, n, rows.clone(), &wanted, &mut mask).unwrap();
        prop_assert_eq!(mask, met(&hits));

        let table: Vec<u8> = table.into_iter().map(u8::from).collect();
        let hits = model(&|value| table.get(value as usize) == Some(&1));
        let mut mask = held.clone();
        in_table(&bytes, bits, n, rows.clone(), &table, &mut mask).unwrap();
        prop_assert_eq!(&mask, &hits);
        let mut mask = held.clone();
        and_in_table(&bytes, bits, n, rows.clone(), &table, &mut mask).unwrap();
        prop_assert_eq!(mask, met(&hits));
    }

    #[test]
    fn gathering((bits, values, _) in chunks(), every in 1..200usize, shuffled: bool, seed: u64) {
        let bytes = packed(&values, bits);
        let n = values.len();
        let mut rows: Vec<u32> = (0..n as u32).step_by(every).collect();
        if shuffled && n > 0 {
            rows.iter_mut().for_each(|row| *row = (u64::from(*row).wrapping_mul(seed) % n as u64) as u32);
        }
        let wanted: Vec<u64> = rows.iter().map(|&row| values[row as usize]).collect();
        let mut out = vec![9];
        gather(&bytes, bits, n, &rows, &mut out).unwrap();
        prop_assert_eq!((out[0], &out[1..]), (9, &wanted[..]));

        rows.push(n as u32);
        let mut out = vec![9];
        prop_assert_eq!(gather(&bytes, bits, n, &rows, &mut out), Err(BadPacking::Row { row: n, n }));
        prop_assert_eq!(out, [9]);
    }

    #[test]
    fn aggregates((bits, values, rows) in chunks(), seed: u64, empty: bool) {
        let bytes = packed(&values, bits);
        let n = values.len();
        let wanted = &values[rows.clone()];
        let total = |values: &mut dyn Iterator<Item = u64>| values.map(u128::from).sum::<u128>();
        prop_assert_eq!(sum(&bytes, bits, n, rows.clone()), Ok(total(&mut wanted.iter().copied())));
        prop_assert_eq!(min(&bytes, bits, n, rows.clone()), Ok(wanted.iter().copied().min()));
        prop_assert_eq!(max(&bytes, bits, n, rows.clone()), Ok(wanted.iter().copied().max()));

        let mask = if empty { vec![0; rows.len()] } else { mask_of(rows.len(), seed) };
        let hits = || wanted.iter().zip(&mask).filter(|(_, held)| **held == 1).map(|(value, _)| *value);
        prop_assert_eq!(sum_where(&bytes, bits, n, rows.clone(), &mask), Ok(total(&mut hits())));
        prop_assert_eq!(min_where(&bytes, bits, n, rows.clone(), &mask), Ok(hits().min()));
        prop_assert_eq!(max_where(&bytes, bits, n, rows.clone(), &mask), Ok(hits().max()));
    }

    #[test]
    fn any_bytes_are_read_or_refused(
        bytes: Vec<u8>, bits: u8, n in prop_oneof![0..100usize, any::<usize>()],
        (a, b) in prop_oneof![(0..120usize, 0..120usize), any::<(usize, usize)>()],
        low: u64, high: u64, held in 0..120usize,
    ) {
        let fits = bits <= 64 && bytes.len() >= packed_len(n, bits);
        let rows = fits && a <= b && b <= n;
        // A chunk without bytes can have any number of values, all 0: only as many are touched as are asked for.
        let few = b.saturating_sub(a) <= 100_000;
        // A single value needs only its own bytes.
        let got = get(&bytes, bits, n, a).is_ok();
        let right = if got { bits <= 64 && a < n } else { !fits || a >= n };
        prop_assert!(right, "{:?}", get(&bytes, bits, n, a));
        let hit = [a as u32];
        prop_assert_eq!(gather(&bytes, bits, n, &hit, &mut Vec::new()).is_ok(), fits && (a as u32 as usize) < n);
        let mut mask = vec![0; held];
        let masked = rows && b - a == held;
        prop_assert_eq!(between(&bytes, bits, n, a..b, low, high, &mut mask).is_ok(), masked);
        prop_assert_eq!(in_set(&bytes, bits, n, a..b, &[low, high], &mut mask).is_ok(), masked);
        prop_assert_eq!(in_table(&bytes, bits, n, a..b, &[1, 0, 1], &mut mask).is_ok(), masked);
        prop_assert_eq!(sum_where(&bytes, bits, n, a..b, &mask).is_ok(), masked);
        prop_assert_eq!(min_where(&bytes, bits, n, a..b, &mask).is_ok(), masked);
        prop_assert_eq!(max_where(&bytes, bits, n, a..b, &mask).is_ok(), masked);
        if few {
            prop_assert_eq!(unpack_u64(&bytes, bits, n, a..b, &mut Vec::new()).is_ok(), rows);
            prop_assert_eq!(sum(&bytes, bits, n, a..b).is_ok(), rows);
            prop_assert_eq!(min(&bytes, bits, n, a..b).is_ok(), rows);
            prop_assert_eq!(max(&bytes, bits, n, a..b).is_ok(), rows);
        }
    }
}
