//! How fast packed integers are written, read and compared, by width.
//!
//! Widths of 8, 16 and 32 bits are plain arrays: the figures that packing has to compare with.

#![allow(missing_docs, reason = "criterion's macros make public functions without documentation")]
#![allow(clippy::unwrap_used, reason = "a benchmark that fails is to stop")]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ostracon_segment::{mask, packing};

/// The rows of a segment.
const ROWS: usize = 4096;
const WIDTHS: [u8; 11] = [4, 7, 8, 12, 15, 16, 24, 31, 32, 48, 64];

/// A fixed pseudo-random sequence of values of `bits` bits.
fn values(bits: u8) -> Vec<u64> {
    let mut state = 88_172_645_463_325_252u64;
    (0..ROWS)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state >> (64 - bits)
        })
        .collect()
}

fn packed(bits: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    packing::pack(&values(bits), bits, &mut bytes);
    bytes
}

/// Benchmarks of all rows at once, for every width.
fn by_width(criterion: &mut Criterion, name: &str, mut run: impl FnMut(&[u8], u8)) {
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Elements(ROWS as u64));
    for bits in WIDTHS {
        let bytes = packed(bits);
        group.bench_function(BenchmarkId::from_parameter(bits), |bencher| {
            bencher.iter(|| run(black_box(&bytes), bits));
        });
    }
    group.finish();
}

fn scans(criterion: &mut Criterion) {
    let mut mask = vec![0; ROWS];
    by_width(criterion, "between", |bytes, bits| {
        let top = u64::MAX >> (64 - bits);
        packing::between(bytes, bits, ROWS, 0..ROWS, top / 4, top / 2, &mut mask).unwrap();
        black_box(&mask);
    });
    by_width(criterion, "in_set", |bytes, bits| {
        packing::in_set(bytes, bits, ROWS, 0..ROWS, black_box(&[1, 3, 5, 8]), &mut mask).unwrap();
        black_box(&mask);
    });
    let table: Vec<u8> = (0..ROWS).map(|code| u8::from(code % 3 == 0)).collect();
    by_width(criterion, "in_table", |bytes, bits| {
        packing::in_table(bytes, bits, ROWS, 0..ROWS, black_box(&table), &mut mask).unwrap();
        black_box(&mask);
    });
    by_width(criterion, "sum", |bytes, bits| {
        black_box(packing::sum(bytes, bits, ROWS, 0..ROWS).unwrap());
    });
    mask.iter_mut().enumerate().for_each(|(row, held)| *held = u8::from(row % 3 == 0));
    by_width(criterion, "sum_where", |bytes, bits| {
        black_box(packing::sum_where(bytes, bits, ROWS, 0..ROWS, &mask).unwrap());
    });
    by_width(criterion, "max", |bytes, bits| {
        black_box(packing::max(bytes, bits, ROWS, 0..ROWS).unwrap());
    });
}

/// Unpacking to the narrowest integers that hold the values, and to 64 bits.
fn unpacking(criterion: &mut Criterion) {
    let (mut bytes8, mut words16, mut words32, mut words64) = (vec![], vec![], vec![], vec![]);
    by_width(criterion, "unpack", |bytes, bits| match packing::lane_bits(bits) {
        8 => {
            bytes8.clear();
            packing::unpack_u8(bytes, bits, ROWS, 0..ROWS, &mut bytes8).unwrap();
            black_box(&bytes8);
        }
        16 => {
            words16.clear();
            packing::unpack_u16(bytes, bits, ROWS, 0..ROWS, &mut words16).unwrap();
            black_box(&words16);
        }
        32 => {
            words32.clear();
            packing::unpack_u32(bytes, bits, ROWS, 0..ROWS, &mut words32).unwrap();
            black_box(&words32);
        }
        _ => {
            words64.clear();
            packing::unpack_u64(bytes, bits, ROWS, 0..ROWS, &mut words64).unwrap();
            black_box(&words64);
        }
    });
    by_width(criterion, "unpack_u64", |bytes, bits| {
        words64.clear();
        packing::unpack_u64(bytes, bits, ROWS, 0..ROWS, &mut words64).unwrap();
        black_box(&words64);
    });
}

fn packs(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pack");
    group.throughput(Throughput::Elements(ROWS as u64));
    let mut out = Vec::new();
    for bits in WIDTHS {
        let values = values(bits);
        group.bench_function(BenchmarkId::from_parameter(bits), |bencher| {
            bencher.iter(|| {
                out.clear();
                packing::pack(black_box(&values), bits, &mut out);
                black_box(&out);
            });
        });
    }
    group.finish();
}

/// Single values: one, and those of every 4th and every 32nd row.
fn points(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("get");
    for bits in WIDTHS {
        let bytes = packed(bits);
        let mut row = 0;
        group.bench_function(BenchmarkId::from_parameter(bits), |bencher| {
            bencher.iter(|| {
                row = (row + 37) % ROWS;
                black_box(packing::get(black_box(&bytes), bits, ROWS, row).unwrap());
            });
        });
    }
    group.finish();
    for every in [4, 32] {
        let hits: Vec<u32> = (0..ROWS as u32).step_by(every).collect();
        let mut group = criterion.benchmark_group(format!("gather/{every}"));
        group.throughput(Throughput::Elements(hits.len() as u64));
        let mut out = Vec::new();
        for bits in WIDTHS {
            let bytes = packed(bits);
            group.bench_function(BenchmarkId::from_parameter(bits), |bencher| {
                bencher.iter(|| {
                    out.clear();
                    packing::gather(black_box(&bytes), bits, ROWS, &hits, &mut out).unwrap();
                    black_box(&out);
                });
            });
        }
        group.finish();
    }
}

/// Masks with so many rows of a hundred.
fn masks(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("mask");
    group.throughput(Throughput::Elements(ROWS as u64));
    let mut out = Vec::new();
    for percent in [1, 10, 50, 90] {
        let mask: Vec<u8> = values(32).iter().map(|value| u8::from(value % 100 < percent)).collect();
        group.bench_function(BenchmarkId::new("hits", percent), |bencher| {
            bencher.iter(|| {
                out.clear();
                mask::hits(black_box(&mask), 0, &mut out);
                black_box(&out);
            });
        });
    }
    let mut held = vec![1; ROWS];
    let other = vec![1; ROWS];
    group.bench_function("count_ones", |bencher| bencher.iter(|| mask::count_ones(black_box(&held))));
    group
        .bench_function("and", |bencher| bencher.iter(|| mask::and(black_box(&mut held), black_box(&other))));
    group.finish();
}

criterion_group! {
    name = benches;
    // Many small ones: a second each is enough.
    config = Criterion::default()
        .warm_up_time(std::time::Duration::from_millis(200))
        .measurement_time(std::time::Duration::from_secs(1));
    targets = scans, unpacking, packs, points, masks
}
criterion_main!(benches);
