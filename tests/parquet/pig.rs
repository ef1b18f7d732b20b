//! ParquetLoader reads as tables over Parquet files do.

use crate::session::{rows, session};

/// The files of a script, in one path.
fn path(files: &[&str]) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/parquet");
    files.iter().map(|file| format!("{folder}/{file}.parquet")).collect::<Vec<_>>().join(",")
}

/// Every form of lists is a bag, and every form of maps a map.
#[tokio::test(flavor = "multi_thread")]
async fn lists_and_maps_of_all_writers_are_bags_and_maps() {
    let session = session();
    let lists =
        path(&["a01_m0_repeated_int", "a02_avro_array_int", "a05_hive_bag_int", "a07_std3_required_int"]);
    let script = format!(
        "PIG $$ a = LOAD '{lists}' USING ParquetLoader(); DESCRIBE a; b = FOREACH a GENERATE FLATTEN(f);
         g = GROUP b ALL; c = FOREACH g GENERATE COUNT_STAR(b); DUMP c; $$"
    );
    let found = rows(&session, &script).await;
    assert!(found.contains(&"a: {id: long,f: {(int)}}".to_owned()), "{found:?}");
    let maps = path(&["d01_std_map", "d02_legacy_map_kv_inner", "d05_avro_map"]);
    let script = format!("PIG $$ a = LOAD '{maps}' USING ParquetLoader(); DESCRIBE a; $$");
    assert_eq!(rows(&session, &script).await, ["a: {id: long,m: map[int]}"]);
}

/// Files that differ are merged, and what one lacks is null.
#[tokio::test(flavor = "multi_thread")]
async fn files_that_differ_are_merged() {
    let session = session();
    let files = path(&["e02_s_v1", "e03_s_v2_added_widened"]);
    let script = format!("PIG $$ a = LOAD '{files}' USING ParquetLoader(); DESCRIBE a; $$");
    let described = rows(&session, &script).await;
    let table = "SELECT count(*) FROM t WHERE s IS NULL";
    crate::session::create(&session, "t", "", &["e02_s_v1", "e03_s_v2_added_widened"]).await;
    let nulls = rows(&session, table).await;
    let script = format!(
        "PIG $$ a = LOAD '{files}' USING ParquetLoader(); f = FILTER a BY s IS NULL; g = GROUP f ALL;
         c = FOREACH g GENERATE COUNT_STAR(f); DUMP c; $$"
    );
    let counted = rows(&session, &script).await;
    let expected: Vec<String> =
        if nulls == ["0"] { Vec::new() } else { nulls.iter().map(|count| format!("({count})")).collect() };
    assert_eq!(counted, expected, "{described:?}");
    assert!(described.iter().any(|line| line.contains("s: (a: long")), "{described:?}");
}
