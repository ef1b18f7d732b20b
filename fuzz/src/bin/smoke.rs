//! Runs every fuzz target for some seconds on stable Rust: seeds, then mutations of them, from a fixed start.
//!
//! `make fuzz-smoke SECONDS_EACH=5`. A panic prints the target and the input as hex and ends the run with status 1; put
//! that input into a named test. Coverage-guided runs are `cargo +nightly fuzz run --features libfuzzer TARGET`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use ostracon_fuzz::{SEEDS, TARGETS};

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

fn mutate(input: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..1 + random.below(4) {
        let at = random.below(input.len() + 1);
        match random.below(6) {
            0 => input.insert(at, random.next() as u8),
            1 if at < input.len() => drop(input.remove(at)),
            2 if at < input.len() => input[at] ^= 1 << random.below(8),
            3 if at < input.len() => input[at] = *[0, 1, 0x7f, 0x80, 0xfe, 0xff].get(random.below(6)).unwrap_or(&0),
            4 => input.truncate(at),
            _ => {
                let seed = SEEDS[random.below(SEEDS.len())];
                let from = random.below(seed.len() + 1);
                input.extend_from_slice(&seed[from..]);
            }
        }
    }
    input.truncate(4096);
}

fn main() -> ExitCode {
    let seconds: u64 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(5);
    std::panic::set_hook(Box::new(|_| {}));
    let (mut passed, mut failed) = (0, 0);
    for (name, target) in TARGETS {
        let (mut random, mut runs, end) = (Random(0x05ee_d0fa_11), 0u64, Instant::now() + Duration::from_secs(seconds));
        let mut found = None;
        while found.is_none() && Instant::now() < end {
            let mut input = SEEDS[random.below(SEEDS.len())].to_vec();
            for _ in 0..64 {
                if catch_unwind(AssertUnwindSafe(|| target(&input))).is_err() {
                    found = Some(input);
                    break;
                }
                runs += 1;
                mutate(&mut input, &mut random);
            }
        }
        match found {
            None => {
                passed += 1;
                println!("{name:<24} {runs} inputs, no finding");
            }
            Some(input) => {
                failed += 1;
                let hex: String = input.iter().map(|byte| format!("{byte:02x}")).collect();
                println!("{name:<24} panics on {hex}");
            }
        }
    }
    println!("{passed} passed, {failed} failed");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
