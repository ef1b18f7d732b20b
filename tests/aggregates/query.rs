//! Random aggregates, as SQL.

use crate::random::Random;
use crate::table::{Kind, Table};

/// A query of one row per group.
pub(crate) fn random(table: &Table, random: &mut Random) -> String {
    let told = random.chance(20);
    let groups: Vec<String> = match random.below(5) {
        0 | 1 => Vec::new(),
        _ if told => Vec::new(),
        2 if random.chance(15) => vec!["k % 7".to_owned()],
        many => (1..many).map(|_| random.pick(&table.columns).name.clone()).collect(),
    };
    let mut items = groups.clone();
    let each = if told { extreme } else { aggregate };
    items.extend((0..1 + random.below(5)).map(|_| each(table, random)));
    let source = match random.below(6) {
        0 => format!("(SELECT *, {} AS extra FROM t)", number(table, random, 2)),
        1 => "(SELECT * FROM t LIMIT 1000)".to_owned(),
        _ => "t".to_owned(),
    };
    let filter =
        if random.chance(40) { format!(" WHERE {}", condition(table, random)) } else { String::new() };
    let grouping = if groups.is_empty() { String::new() } else { format!(" GROUP BY {}", groups.join(", ")) };
    let having = if random.chance(8) { " HAVING count(*) > 1" } else { "" };
    // Names of columns must differ, and an aggregate may be asked for twice.
    let items: Vec<String> = items.iter().enumerate().map(|(at, item)| format!("{item} AS o{at}")).collect();
    format!("SELECT {} FROM {source} AS t{filter}{grouping}{having}", items.join(", "))
}

/// A predicate that the store may or may not answer.
pub(crate) fn condition(table: &Table, random: &mut Random) -> String {
    match random.below(6) {
        0 => format!("k > {}", random.below(300) as i64 - 100),
        1 => format!("k BETWEEN {} AND {}", random.below(50), 50 + random.below(100)),
        2 if random.chance(20) => "k % 3 = 0".to_owned(),
        3 => "false".to_owned(),
        _ => {
            let column = random.pick(&table.columns);
            let operator = *random.pick(&["=", "<>", "<", ">="]);
            format!("{} {operator} {}", column.name, column.value(random))
        }
    }
}

/// What the summary of a segment may tell.
fn extreme(table: &Table, random: &mut Random) -> String {
    let column = random.pick(&table.columns).name.clone();
    match random.below(4) {
        0 => "count(*)".to_owned(),
        1 => format!("count({column})"),
        2 => format!("min({column})"),
        _ => format!("max({column})"),
    }
}

fn aggregate(table: &Table, random: &mut Random) -> String {
    let column = random.pick(&table.columns).name.clone();
    match random.below(14) {
        0 | 1 => "count(*)".to_owned(),
        2 => format!("count({column})"),
        3..=5 => format!("sum({})", number(table, random, 3)),
        6..=8 => format!("avg({})", number(table, random, 2)),
        9 => format!("min({column})"),
        10 => format!("max({column})"),
        11 => format!("max({})", number(table, random, 2)),
        // Those that are never taken are in the way of those beside them.
        12 if random.chance(20) => format!("count(DISTINCT {column})"),
        12 if random.chance(20) => format!("sum({}) FILTER (WHERE k > 3)", number(table, random, 1)),
        _ => format!("min({})", number(table, random, 1)),
    }
}

/// Arithmetic over numbers; of decimals and integers mostly, so that most of it is exact.
fn number(table: &Table, random: &mut Random, depth: usize) -> String {
    if depth == 0 || random.chance(35) {
        return leaf(table, random);
    }
    let operator = *random.pick(&["+", "-", "*", "*"]);
    match random.below(12) {
        0 if random.chance(15) => format!("({} / 2)", number(table, random, depth - 1)),
        1 => format!("(-{})", number(table, random, depth - 1)),
        _ => {
            format!("({} {operator} {})", number(table, random, depth - 1), number(table, random, depth - 1))
        }
    }
}

fn leaf(table: &Table, random: &mut Random) -> String {
    // Sums of floats are rounded in the order in which partitions end.
    let exact = |kind| matches!(kind, Kind::Integer | Kind::Decimal);
    let numbers: Vec<_> = table.columns.iter().filter(|column| exact(column.kind())).collect();
    match random.below(10) {
        0 | 1 => (*random.pick(&[
            "1",
            "2",
            "-3",
            "1000000000000",
            "CAST('0.5' AS DECIMAL(3,1))",
            "CAST('1.25' AS DECIMAL(10,2))",
        ]))
        .to_owned(),
        2 => "k".to_owned(),
        3 if !numbers.is_empty() && random.chance(70) => {
            let column = random.pick(&numbers);
            let wider = match column.kind() {
                Kind::Integer => *random.pick(&["BIGINT", "DECIMAL(20,0)", "DECIMAL(25,4)"]),
                _ => *random.pick(&["DECIMAL(38,2)", "DECIMAL(38,6)", "DECIMAL(16,2)", "DECIMAL(10,1)"]),
            };
            format!("CAST({} AS {wider})", column.name)
        }
        _ => numbers.get(random.below(numbers.len())).map_or_else(|| "k".to_owned(), |c| c.name.clone()),
    }
}
