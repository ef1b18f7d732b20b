//! Random nested types in random forms, written level by level, read by random requests and compared with a projection
//! in memory.
//!
//! A round makes a type, and from it the types of two files: fields left out and in another order, whole numbers of 32
//! bits for 64, lists and maps in any form that the format's compatibility rules know. Both files hold random rows. Then a
//! table declares a request made of the type in the same way, with fields that no file has, and another one declares
//! nothing; both must give what [`model`] makes of the rows.
//!
//! `OSTRACON_PARQUET_ROUNDS=5000 OSTRACON_PARQUET_SEED=1` set how many rounds and where they begin
//! (`make oracle-parquet N=5000`); a failure prints its round, its files' types and its request.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, its helpers too")]

mod model;
mod random;
mod shred;
mod table;
mod types;

use random::Random;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_give_what_a_projection_in_memory_gives() {
    let (rounds, seed) = (setting("OSTRACON_PARQUET_ROUNDS", 150), setting("OSTRACON_PARQUET_SEED", 1));
    let (mut answers, mut filled) = (0_u64, 0_u64);
    for round in 0..rounds {
        let mut random = Random::new(seed, round);
        for rows in table::round(&mut random, &format!("seed {seed}, round {round}")).await {
            answers += 1;
            filled += u64::from(rows > 0);
        }
    }
    assert!(filled * 2 >= answers, "{filled} of {answers} answers have rows");
}
