//! The oracle for Parquet: random nested schemas and rows in files of random flavours, asked of a table with a random
//! requested schema and of the same rows in memory. The answers must be equal.
//!
//! `make oracle-parquet N=5000 SEED=1` sets the number of rounds and the seed; a failure prints the round, the query
//! and the files' types. `OSTRACON_PARQUET_ORACLE_FROM` starts at that round.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, its helpers too")]

mod flavour;
mod query;
#[path = "../oracle/random.rs"]
mod random;
mod run;
mod schema;
mod session;
mod shred;
mod value;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_of_every_flavour_answer_as_memory_does() {
    let rounds = setting("OSTRACON_PARQUET_ORACLE_N", 200);
    let seed = setting("OSTRACON_PARQUET_ORACLE_SEED", 1);
    let from = setting("OSTRACON_PARQUET_ORACLE_FROM", 0);
    let summary = run::rounds(from, rounds, seed).await;
    println!("{summary}");
    assert!(summary.differences.is_empty(), "seed {seed}: {}", summary.differences.join("\n"));
    if rounds >= 100 {
        assert!(
            summary.answered * 20 >= summary.asked * 19,
            "too many queries fail on both sides: {summary}"
        );
        assert!(summary.non_empty * 2 >= summary.asked, "too few answers hold rows: {summary}");
    }
}
