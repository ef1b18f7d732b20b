//! What a query reads of a file.

use std::path::Path;

use datafusion::parquet::file::properties::WriterProperties;

use crate::files::{Values, ids, write};
use crate::session::{bytes, create, of_scan, rows, run, session};

#[tokio::test]
async fn scans_know_which_parts_are_looked_at() {
    let session = session();
    create(&session, "t", "", &["f01_prune"]).await;
    for (sql, parts) in [
        ("SELECT s['x'] FROM t", "s.x"),
        ("SELECT s FROM t", ""),
        ("SELECT s, s['x'] FROM t", ""),
        ("SELECT unnest(l)['x'] FROM t", "l.element.x"),
        ("SELECT unnest(l) FROM t", ""),
        ("SELECT unnest(s) FROM t", ""),
        ("SELECT m['k7']['x'] FROM t", "m.value.x"),
        ("SELECT m['k7'] FROM t", ""),
        ("SELECT l[1]['x'] FROM t", "l.element.x"),
        ("SELECT cardinality(l) FROM t", "l?"),
        ("SELECT array_length(l) FROM t", "l?"),
        ("SELECT cardinality(m) FROM t", "m?"),
        ("SELECT map_keys(m) FROM t", "m?"),
        ("SELECT map_values(m) FROM t", ""),
        ("SELECT map_values(m)[1]['x'] FROM t", "m.value.x"),
        ("SELECT s IS NULL FROM t", "s?"),
        ("SELECT id FROM t WHERE s IS NOT NULL", "s?"),
        ("SELECT count(l) FROM t", "l?"),
        ("SELECT id FROM t WHERE s['x'] > 50", "s.x"),
        ("SELECT s['pad'] FROM t WHERE s['x'] > 50", ""),
        ("SELECT l FROM t WHERE s['x'] > 50", "s.x"),
        ("SELECT s['x'] FROM t ORDER BY s['pad'] LIMIT 3", ""),
        ("SELECT max(s['x']) FROM t GROUP BY id % 2", "s.x"),
        ("SELECT DISTINCT s['x'] FROM t", "s.x"),
        ("SELECT CASE WHEN id > 3 THEN s ELSE NULL END['x'] FROM t", "s.x"),
        ("SELECT q.z['x'] FROM (SELECT s AS z FROM t UNION ALL SELECT s FROM t) AS q", "s.x"),
        ("SELECT a.s['x'] FROM t AS a JOIN (VALUES (1)) AS b(k) ON a.s['x'] = b.k", "s.x"),
        ("SELECT id FROM t WHERE struct(s['x'], 1) IS NOT NULL AND s['x'] = 3", "s.x"),
    ] {
        assert_eq!(of_scan(&session, sql, "parts").await, parts, "{sql}");
    }
}

#[tokio::test]
async fn lambdas_tell_which_parts_they_look_at() {
    let session = session();
    create(&session, "t", "", &["f01_prune"]).await;
    run(&session, "SET datafusion.sql_parser.dialect = 'duckdb'").await.unwrap();
    let sql = "SELECT array_transform(l, e -> e['x']) FROM t";
    assert_eq!(of_scan(&session, sql, "parts").await, "l.element.x");
    assert_eq!(rows(&session, &format!("{sql} WHERE id = 2")).await, ["[20, 21]"]);
    let sql = "SELECT array_transform(l, e -> e['x'] + s['x']) FROM t";
    assert_eq!(of_scan(&session, sql, "parts").await, "l.element.x, s.x");
    assert_eq!(rows(&session, &format!("{sql} WHERE id = 2")).await, ["[22, 23]"]);
}

#[tokio::test]
async fn fewer_bytes_are_read() {
    let session = session();
    create(&session, "t", "", &["f01_prune"]).await;
    create(&session, "c", "(m MAP<VARCHAR, STRUCT<x INT>>, l ARRAY<STRUCT<x INT>>)", &["f01_prune"]).await;
    for (sql, most) in [
        ("SELECT s['x'] FROM t", 400),
        ("SELECT unnest(l)['x'] FROM t", 470),
        ("SELECT m['k7']['x'] FROM t", 1050),
        ("SELECT m FROM c", 1050),
        ("SELECT l FROM c", 470),
        ("SELECT cardinality(l) FROM t", 470),
        ("SELECT count(*) FROM t WHERE s IS NULL", 400),
        // One row group of three.
        ("SELECT id FROM t WHERE s['x'] > 50", 360),
    ] {
        let read = bytes(&session, sql).await;
        assert!(read > 0 && read <= most, "{sql}: {read}");
    }
}

/// 6000 rows of `id` and a struct with `x` the same, in two row groups of many pages.
fn two_groups(path: &Path) {
    let message =
        "message m { required int64 id; optional group s { optional int32 x; optional int64 wide; } }";
    let properties = WriterProperties::builder()
        .set_data_page_row_count_limit(100)
        .set_write_batch_size(100)
        .set_dictionary_enabled(false)
        .set_bloom_filter_enabled(true);
    let group = |from: i64| {
        let numbers = from..from + 3000;
        vec![
            ids(numbers.clone()),
            (Values::Ints(numbers.clone().map(|n| n as i32).collect()), vec![2; 3000], vec![]),
            (Values::Longs(numbers.collect()), vec![2; 3000], vec![]),
        ]
    };
    write(path, message, properties.build(), vec![group(0), group(3000)]);
}

#[tokio::test]
async fn pages_and_row_groups_go_by_fields_of_structs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.parquet");
    two_groups(&path);
    let session = session();
    for (table, columns) in [("t", ""), ("w", "(id BIGINT, s STRUCT<wide BIGINT, x BIGINT>)")] {
        let sql = format!(
            "CREATE EXTERNAL TABLE {table} {columns} STORED AS PARQUET LOCATION '{}'",
            path.display()
        );
        run(&session, &sql).await.unwrap();
        let all = bytes(&session, &format!("SELECT s['x'], id FROM {table}")).await;
        let half = bytes(&session, &format!("SELECT id FROM {table} WHERE s['x'] >= 3000")).await;
        let page = bytes(&session, &format!("SELECT id FROM {table} WHERE s['x'] = 4321")).await;
        assert!(half < all * 2 / 3 && page < all / 10, "{table}: {all}, {half}, {page}");
        for (filter, count) in [
            ("s['x'] = 4321", "1"),
            ("s['x'] >= 3000 AND s['wide'] < 3100", "100"),
            ("s['x'] IS NULL", "0"),
            ("s['x'] IS NOT NULL", "6000"),
            ("s['x'] > 5990 OR s['x'] < 10", "19"),
            ("s['x'] + s['wide'] = 20", "1"),
            ("s['x'] > 10 AND id < 20", "9"),
            ("id = 4321 AND s['x'] = 4321", "1"),
            ("s['x'] = 7000", "0"),
        ] {
            for filters in ["false", "true"] {
                run(&session, &format!("SET datafusion.execution.parquet.pushdown_filters = {filters}"))
                    .await
                    .unwrap();
                let found = rows(&session, &format!("SELECT count(*) FROM {table} WHERE {filter}")).await;
                assert_eq!(found, [count], "{table}: {filter}");
            }
        }
    }
}
