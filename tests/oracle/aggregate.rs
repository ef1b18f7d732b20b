//! Random aggregates with and without groups, whose answer does not depend on the order of rows.

use crate::random::Random;
use crate::schema::{Column, Kind, Table};

/// What is selected, what stands behind the condition, and that no order is promised.
pub(crate) fn random(table: &Table, random: &mut Random) -> (String, String, bool) {
    let groups: Vec<String> =
        (0..random.below(3)).map(|_| random.pick(&table.columns).name.clone()).collect();
    let mut items = groups.clone();
    items.extend((0..1 + random.below(4)).map(|_| aggregate(random.pick(&table.columns), random)));
    let items: Vec<String> = items.iter().enumerate().map(|(at, item)| format!("{item} AS o{at}")).collect();
    let tail = if groups.is_empty() { String::new() } else { format!(" GROUP BY {}", groups.join(", ")) };
    (items.join(", "), tail, false)
}

fn aggregate(column: &Column, random: &mut Random) -> String {
    let name = &column.name;
    let extreme = *random.pick(&["min", "max"]);
    match (random.below(5), column.sql_type.kind) {
        (0, _) => "count(*)".to_owned(),
        // Floats: sums are rounded, and of NaNs the last one met is the least or greatest.
        (1, _) | (_, Kind::Float | Kind::Nested(_)) => format!("count({name})"),
        (2, Kind::Integer | Kind::Decimal) => format!("sum({name})"),
        (3, Kind::Decimal) => format!("avg({name})"),
        (3, Kind::Integer) => format!("sum({name} - 1)"),
        _ => format!("{extreme}({name})"),
    }
}
