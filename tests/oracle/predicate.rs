//! Random boolean trees over key and value columns, as SQL text.

use crate::random::Random;
use crate::schema::{Column, Kind, Table};

const OPERATORS: &[&str] = &["=", "<>", "<", "<=", ">", ">="];

/// A random predicate of at most `depth` connectives above its atoms.
pub(crate) fn predicate(table: &Table, random: &mut Random, depth: usize) -> String {
    if depth == 0 || random.chance(35) {
        return atom(table, random);
    }
    let left = predicate(table, random, depth - 1);
    match random.below(10) {
        0..=2 => format!("({left} AND {})", predicate(table, random, depth - 1)),
        3..=6 => format!("({left} OR {})", predicate(table, random, depth - 1)),
        7 => format!("(NOT {left})"),
        8 => format!(
            "({left} {})",
            random.pick(&["IS TRUE", "IS NOT TRUE", "IS FALSE", "IS NOT FALSE", "IS UNKNOWN"])
        ),
        _ => left,
    }
}

fn literal(column: &Column, random: &mut Random) -> String {
    let ty = column.sql_type;
    if !ty.foreign.is_empty() && random.chance(25) {
        (*random.pick(ty.foreign)).to_owned()
    } else {
        let value: &&str = random.pick(ty.values);
        ty.cast(value)
    }
}

fn atom(table: &Table, random: &mut Random) -> String {
    let column = random.pick(&table.columns);
    let name = &column.name;
    let ty = column.sql_type;
    if ty.is_nested() {
        return match random.below(3) {
            0 => format!("{name} IS NULL"),
            1 => format!("{name} IS NOT NULL"),
            _ => random.pick(ty.foreign).replace("COL", name),
        };
    }
    match random.below(14) {
        0 => format!("{name} IS NULL"),
        1 => format!("{name} IS NOT NULL"),
        2 => format!("{name} BETWEEN {} AND {}", literal(column, random), literal(column, random)),
        3 => format!("{name} NOT BETWEEN {} AND {}", literal(column, random), literal(column, random)),
        4 | 5 => {
            let mut values: Vec<_> = (0..1 + random.below(6)).map(|_| literal(column, random)).collect();
            if random.chance(15) {
                values.push("NULL".to_owned());
            }
            let not = if random.chance(35) { "NOT " } else { "" };
            format!("{name} {not}IN ({})", values.join(", "))
        }
        6 => format!("{} {} {name}", literal(column, random), random.pick(OPERATORS)),
        7 => {
            let not = if random.chance(50) { "NOT " } else { "" };
            format!("{name} IS {not}DISTINCT FROM {}", literal(column, random))
        }
        8 => same_type_pair(table, column, random),
        9 | 10 => special(column, random),
        _ if ty.kind == Kind::Boolean && random.chance(50) => name.clone(),
        _ => format!("{name} {} {}", random.pick(OPERATORS), literal(column, random)),
    }
}

fn same_type_pair(table: &Table, column: &Column, random: &mut Random) -> String {
    let others: Vec<_> = table.columns.iter().filter(|c| c.sql_type.name == column.sql_type.name).collect();
    format!("{} {} {}", column.name, random.pick(OPERATORS), random.pick(&others).name)
}

/// Shapes that only some types have: patterns, casts, functions the store does not know.
fn special(column: &Column, random: &mut Random) -> String {
    let name = &column.name;
    let operator = random.pick(OPERATORS);
    match column.sql_type.kind {
        Kind::Text => {
            let pattern = *random.pick(&[
                "'a%'",
                "'%a'",
                "'%'",
                "''",
                "'a'",
                "'_'",
                "'a\\_b'",
                "'a\\%%'",
                "'%o%a'",
                "'foo\\\\%'",
                "'%b'",
                "'é%'",
            ]);
            match random.below(4) {
                0 => format!("{name} NOT LIKE {pattern}"),
                1 => format!("starts_with({name}, 'a')"),
                2 => format!("upper({name}) = 'A'"),
                _ => format!("{name} LIKE {pattern}"),
            }
        }
        Kind::Integer => match random.below(3) {
            0 => format!(
                "CAST({name} AS DOUBLE) {operator} {}",
                random.pick(&["0.5", "10.0", "-1e18", "9007199254740992.0"])
            ),
            1 => format!(
                "CAST({name} AS DECIMAL(38,2)) {operator} {}",
                random.pick(&["0.50", "10.00", "-1.25"])
            ),
            _ => format!("{name} % 2 = 0"),
        },
        Kind::Float => {
            format!("CAST({name} AS DOUBLE) {operator} {}", random.pick(&["0.1", "0.0", "-2.5", "1e39"]))
        }
        Kind::Decimal => {
            format!("CAST({name} AS DOUBLE) {operator} {}", random.pick(&["0.1", "5.55", "-3.25"]))
        }
        Kind::Boolean => {
            format!("{name} {}", random.pick(&["IS TRUE", "IS NOT TRUE", "IS NOT FALSE", "IS UNKNOWN"]))
        }
        Kind::Date => format!("extract(year from {name}) {operator} 1970"),
        Kind::Timestamp => match random.below(2) {
            0 => format!("CAST({name} AS DATE) {operator} DATE '2020-01-01'"),
            _ => format!("date_trunc('day', {name}) {operator} TIMESTAMP '2020-01-01T00:00:00'"),
        },
        Kind::Bytes => format!("{name} {operator} x'ff'"),
        Kind::Nested(_) => format!("{name} IS NULL"),
    }
}
