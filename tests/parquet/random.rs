//! Random queries over nested columns: what a scan that reads parts gives, against the same rows in memory.
//!
//! `OSTRACON_PARQUET_N=5000 OSTRACON_PARQUET_SEED=1` set the number of queries and the seed; a failure prints the query.

use std::sync::Arc;

use datafusion::datasource::MemTable;

use crate::session::{create, run, session, try_rows};

/// A small generator of numbers: the same seed, the same queries.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len())]
    }
}

/// Expressions that give one value; `@` is the table's name and a point.
const VALUES: [&str; 20] = [
    "@id",
    "@s['x']",
    "@s['pad']",
    "@l[1]['x']",
    "@l[-1]['pad']",
    "@m['k7']['x']",
    "@m[concat('k', CAST(@id AS VARCHAR))]['x']",
    "cardinality(@l)",
    "array_length(@l)",
    "cardinality(@m)",
    "@s IS NULL",
    "@l IS NOT NULL",
    "map_keys(@m)[1]",
    "map_values(@m)[1]['x']",
    "map_entries(@m)[1]['value']['pad']",
    "coalesce(@s, named_struct('x', 1, 'pad', 'p'))['x']",
    "CASE WHEN @id % 2 = 0 THEN @s ELSE named_struct('x', 0, 'pad', 'q') END['x']",
    "named_struct('a', @s, 'b', @l)['a']['x']",
    "named_struct('a', @s, 'b', @l)['b'][1]['pad']",
    "array_slice(@l, 1, 1)[1]['x']",
];

/// Whole nested values.
const NESTED: [&str; 6] = ["@s", "@l", "@m", "@l[1]", "map_values(@m)", "array_reverse(@l)"];

const FILTERS: [&str; 14] = [
    "@s['x'] > 50",
    "@s['x'] = 7",
    "@s['x'] IS NULL",
    "@s['x'] IN (1, 5, 59)",
    "@s['pad'] LIKE '2%'",
    "@id BETWEEN 10 AND 30",
    "cardinality(@l) = 1",
    "@l[1]['x'] < 100",
    "@m['k7']['x'] = 7",
    "@s IS NOT NULL",
    "@l IS NULL",
    "@s['x'] + @id < 40",
    "(@s['x'] < 3 OR @l[1]['x'] > 500)",
    "NOT (@s['x'] > 9)",
];

fn value(random: &mut Random, table: &str) -> String {
    let texts: &[&str] = if random.below(5) == 0 { &NESTED } else { &VALUES };
    random.of(texts).replace('@', table)
}

fn filter(random: &mut Random, table: &str) -> String {
    let first = random.of(&FILTERS).replace('@', table);
    match random.below(4) {
        0 => "TRUE".to_owned(),
        1 => format!("{first} AND {}", random.of(&FILTERS).replace('@', table)),
        2 => format!("({first} OR {})", random.of(&FILTERS).replace('@', table)),
        _ => first,
    }
}

/// A query over `$T`.
fn query(random: &mut Random) -> String {
    let (bare, a, b) = ("", "a.", "b.");
    let scalar = |random: &mut Random, table: &str| random.of(&VALUES).replace('@', table);
    match random.below(10) {
        0 => format!(
            "SELECT {}, {} FROM $T WHERE {}",
            value(random, bare),
            value(random, bare),
            filter(random, bare)
        ),
        1 => format!(
            "SELECT {}, q.v FROM (SELECT *, {} AS v FROM $T WHERE {}) AS q WHERE {}",
            value(random, "q."),
            value(random, bare),
            filter(random, bare),
            filter(random, "q.")
        ),
        2 => format!(
            "SELECT id, u['{}'] FROM (SELECT id, unnest(l) AS u, {} AS w FROM $T WHERE {}) AS q",
            random.of(&["x", "pad"]),
            value(random, bare),
            filter(random, bare)
        ),
        3 => format!(
            "SELECT {}, {} FROM $T AS a {} JOIN $T AS b ON a.id = b.{} AND {} WHERE {}",
            value(random, a),
            value(random, b),
            random.of(&["INNER", "LEFT", "RIGHT", "FULL"]),
            random.of(&["id", "s['x']"]),
            filter(random, b),
            filter(random, a)
        ),
        4 => {
            let key = scalar(random, bare);
            format!(
                "SELECT {key}, count({}), max({}) FROM $T WHERE {} GROUP BY {key}",
                value(random, bare),
                scalar(random, bare),
                filter(random, bare)
            )
        }
        5 => format!(
            "SELECT {}, row_number() OVER (PARTITION BY {} ORDER BY id) FROM $T WHERE {}",
            value(random, bare),
            scalar(random, bare),
            filter(random, bare)
        ),
        6 => format!(
            "SELECT q.v['x'] FROM (SELECT s AS v FROM $T WHERE {} UNION ALL SELECT l[1] AS v FROM $T WHERE {}) AS q",
            filter(random, bare),
            filter(random, bare)
        ),
        7 => format!(
            "SELECT {}, id FROM $T WHERE {} ORDER BY {}, id LIMIT {}",
            value(random, bare),
            filter(random, bare),
            scalar(random, bare),
            1 + random.below(9)
        ),
        8 => format!(
            "SELECT {} FROM $T AS a WHERE {} (SELECT {} FROM $T AS b WHERE {})",
            value(random, a),
            random.of(&["a.id IN", "a.s['x'] IN", "a.id NOT IN", "EXISTS"]),
            random.of(&["b.s['x']", "b.id", "cardinality(b.l)"]),
            filter(random, b)
        ),
        _ => format!(
            "SELECT DISTINCT {}, {} FROM $T WHERE {}",
            scalar(random, bare),
            value(random, bare),
            filter(random, bare)
        ),
    }
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[tokio::test]
async fn random_queries_agree_with_memory() {
    let session = session();
    create(&session, "f", "", &["f01_prune"]).await;
    let columns = "(m MAP<VARCHAR, STRUCT<x BIGINT, pad VARCHAR>>, l ARRAY<STRUCT<pad VARCHAR, x DOUBLE>>, \
                   s STRUCT<lacking INT, x BIGINT, pad VARCHAR>, id BIGINT)";
    create(&session, "g", columns, &["f01_prune"]).await;
    for table in ["f", "g"] {
        let all = run(&session, &format!("SELECT * FROM {table}")).await.unwrap();
        let memory = MemTable::try_new(all[0].schema(), vec![all]).unwrap();
        session.context().register_table(format!("{table}_memory"), Arc::new(memory)).unwrap();
    }
    let seed = setting("OSTRACON_PARQUET_SEED", 1);
    let mut random = Random(seed);
    let (count, mut answered) = (setting("OSTRACON_PARQUET_N", 150), 0);
    for nth in 0..count {
        let query = query(&mut random);
        let (table, filters) = (random.of(&["f", "g"]), random.of(&["true", "false"]));
        run(&session, &format!("SET datafusion.execution.parquet.pushdown_filters = {filters}"))
            .await
            .unwrap();
        let read = try_rows(&session, &query.replace("$T", table)).await;
        let wanted = try_rows(&session, &query.replace("$T", &format!("{table}_memory"))).await;
        match (read, wanted) {
            (Ok(read), Ok(wanted)) => {
                answered += 1;
                assert_eq!(
                    read, wanted,
                    "seed {seed}, query {nth}, table {table}, filters {filters}: {query}"
                );
            }
            (Err(_), Err(_)) => {}
            (read, wanted) => {
                panic!("seed {seed}, query {nth}, table {table}: {query}: {read:?}, {wanted:?}")
            }
        }
    }
    assert!(answered * 4 > count * 3, "{answered} of {count} queries have answers");
}
