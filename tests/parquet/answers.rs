//! Reading less, and filtering in the reader, changes no answer.

use std::sync::Arc;

use datafusion::datasource::MemTable;
use ostracon::Session;

use crate::session::{create, rows, run, session};

/// Queries over parts of columns, and of those that filters in the reader have to do with.
const QUERIES: [&str; 26] = [
    "SELECT * FROM $T",
    "SELECT count(*) FROM $T",
    "SELECT s['a'] FROM $T",
    "SELECT id, s IS NULL, s['a'] IS NULL FROM $T",
    "SELECT count(s), count(s['a']) FROM $T",
    "SELECT id FROM $T WHERE s['a'] IS NULL",
    "SELECT id FROM $T WHERE s['a'] IS NOT NULL AND id > 2",
    "SELECT id FROM $T WHERE s['a'] = 1 OR id = 12",
    "SELECT id FROM $T WHERE s['a'] > 1",
    "SELECT id FROM $T WHERE s['a'] < 22 AND s['b'] IS NULL",
    "SELECT id FROM $T WHERE s['b'] = 'b1'",
    "SELECT id FROM $T WHERE s['b'] LIKE 'b%'",
    "SELECT id FROM $T WHERE s['zz'] IS NULL",
    "SELECT id FROM $T WHERE s['zz'] = 3",
    "SELECT id FROM $T WHERE s['d'] IS NULL",
    "SELECT id, s['d']['e'] FROM $T WHERE s['d']['f'] > 1",
    "SELECT max(s['a']) FROM $T",
    "SELECT s['b'], count(*) FROM $T GROUP BY s['b']",
    "SELECT id FROM $T ORDER BY s['a'] DESC NULLS LAST, id LIMIT 2",
    "SELECT x.id FROM $T AS x JOIN $T AS y ON x.s['a'] = y.s['a']",
    "SELECT id FROM $T WHERE s['a'] IN (SELECT s['a'] FROM $T)",
    "SELECT id, (SELECT max(s['a']) FROM $T) FROM $T",
    "SELECT id FROM $T AS o WHERE EXISTS (SELECT 1 FROM $T AS i WHERE i.s['a'] > o.s['a'])",
    "SELECT unnest(s) FROM $T",
    "SELECT s['a'], lag(s['a']) OVER (ORDER BY id) FROM $T",
    "SELECT coalesce(s['a'], 7), struct(s, id)['c0']['a'] FROM $T",
];

const NESTED: [&str; 12] = [
    "SELECT * FROM $T",
    "SELECT cardinality(l), cardinality(m) FROM $T",
    "SELECT id, unnest(l)['x'] FROM $T",
    "SELECT id, u['x'], u['pad'] FROM (SELECT id, unnest(l) AS u FROM $T)",
    "SELECT id FROM $T WHERE cardinality(l) = 1",
    "SELECT l[1]['x'], l[2]['pad'] FROM $T",
    "SELECT m['k7']['x'] FROM $T",
    "SELECT id FROM $T WHERE m['k7']['x'] = 7",
    "SELECT map_keys(m) FROM $T",
    "SELECT map_values(m)[1]['x'] FROM $T",
    "SELECT map_entries(m)[1]['value']['x'] FROM $T",
    "SELECT array_has(l, named_struct('x', 10, 'pad', 'z')), l IS NULL FROM $T WHERE id > 55",
];

async fn answers_agree(session: &Session, table: &str, queries: &[&str]) {
    let all = run(session, &format!("SELECT * FROM {table}")).await.unwrap();
    let schema = all.first().unwrap().schema();
    let whole = MemTable::try_new(schema, vec![all]).unwrap();
    session.context().register_table("whole", Arc::new(whole)).unwrap();
    for filters in ["false", "true"] {
        run(session, &format!("SET datafusion.execution.parquet.pushdown_filters = {filters}"))
            .await
            .unwrap();
        for query in queries {
            let read = rows(session, &query.replace("$T", table)).await;
            let wanted = rows(session, &query.replace("$T", "whole")).await;
            assert_eq!(read, wanted, "{table}, filters in the reader {filters}: {query}");
        }
    }
    session.context().deregister_table("whole").unwrap();
}

#[tokio::test]
async fn reading_parts_changes_no_answer() {
    let session = session();
    let files = ["e02_s_v1", "e03_s_v2_added_widened", "e04_s_v3_reordered_deep"];
    let columns = "(id BIGINT, s STRUCT<a BIGINT, zz INT, b VARCHAR, d STRUCT<e INT, f DOUBLE>>)";
    create(&session, "versions", columns, &files).await;
    answers_agree(&session, "versions", &QUERIES).await;
    let columns = "(id BIGINT, s STRUCT<b VARCHAR, a DECIMAL(21, 2), zz INT, d STRUCT<e INT, f DOUBLE>>)";
    create(&session, "decimals", columns, &files).await;
    answers_agree(&session, "decimals", &QUERIES).await;
    create(&session, "f", "", &["f01_prune"]).await;
    answers_agree(&session, "f", &NESTED).await;
}

/// Several partitions read one file, of which a query may want nothing at all.
#[tokio::test]
async fn a_file_in_pieces() {
    let session = session();
    for setting in [
        "datafusion.optimizer.repartition_file_min_size = 1",
        "datafusion.execution.target_partitions = 7",
        "datafusion.execution.collect_statistics = false",
    ] {
        run(&session, &format!("SET {setting}")).await.unwrap();
    }
    create(&session, "f", "", &["f01_prune"]).await;
    create(&session, "lacking", "(nothing INT, id BIGINT)", &["f01_prune"]).await;
    for (sql, wanted) in [
        ("SELECT count(*) FROM f", "60"),
        ("SELECT count(*), sum(s['x']) FROM f", "60|1770"),
        ("SELECT count(*) FROM lacking WHERE nothing IS NULL", "60"),
        ("SELECT count(nothing), sum(id) FROM lacking", "0|1770"),
        ("SELECT count(*) FROM f WHERE s['x'] > 30 AND id < 50", "19"),
    ] {
        assert_eq!(rows(&session, sql).await, [wanted], "{sql}");
    }
    assert_eq!(rows(&session, "SELECT nothing FROM lacking").await.len(), 60);
    assert_eq!(rows(&session, "SELECT 1 FROM f").await.len(), 60);
}
