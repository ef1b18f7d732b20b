//! The oracle: random schemas and random boolean trees, asked of the tablet store in every mode and of a DataFusion
//! in-memory table. The rows must be equal: pushdown on and off, inserted row by row or loaded as segments, flushed, split, compacted,
//! in batches of one row.
//!
//! `make oracle N=20000 SEED=1` sets the number of queries and the seed; a failure prints both, with the statement.

#[path = "oracle/aggregate.rs"]
mod aggregate;
#[path = "oracle/predicate.rs"]
mod predicate;
#[path = "oracle/random.rs"]
mod random;
#[path = "oracle/run.rs"]
mod run;
#[path = "oracle/schema.rs"]
mod schema;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_mode_answers_as_memory_does() {
    let queries = setting("OSTRACON_ORACLE_N", 300) as usize;
    let seed = setting("OSTRACON_ORACLE_SEED", 1);
    let summary = run::rounds(queries, seed).await;
    println!("{summary}");
    assert_eq!(summary.differences, Vec::<String>::new(), "seed {seed}");
    assert!(summary.asked >= queries, "asked {} of {queries}", summary.asked);
    assert!(
        summary.non_empty * 2 >= summary.asked,
        "{} of {} answers hold rows",
        summary.non_empty,
        summary.asked
    );
    assert!(summary.narrowed > 0 || queries < 100, "no query was answered by less than a full scan");
}
