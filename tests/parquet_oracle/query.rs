//! Random queries over nested columns of a table `$T`.

use crate::random::Random;
use crate::schema::Ty;

/// An expression and what it gives; None for what has no type in a schema.
type Typed<'t> = (String, Option<&'t Ty>);

/// A way down into a value: all of it, a field, an element, a value of a map, whether it is there, how many it holds.
fn below<'t>(random: &mut Random, text: String, ty: &'t Ty) -> Typed<'t> {
    if random.chance(12) {
        let not = if random.chance(50) { "NOT " } else { "" };
        return (format!("({text} IS {not}NULL)"), Some(&Ty::Truth));
    }
    if random.chance(12) {
        return (text, Some(ty));
    }
    match ty {
        Ty::Struct(fields) => {
            let (name, of) = random.pick(fields);
            below(random, format!("{text}['{name}']"), of)
        }
        Ty::List(element) => match random.below(4) {
            0 => (format!("cardinality({text})"), Some(&Ty::Whole)),
            1 => below(random, format!("{text}[-1]"), element),
            _ => below(random, format!("{text}[1]"), element),
        },
        Ty::Map(key, value) => match random.below(6) {
            0 => (format!("cardinality({text})"), Some(&Ty::Whole)),
            1 => (format!("map_keys({text})"), None),
            2 => below(random, format!("map_values({text})[1]"), value),
            _ => {
                let key = literal(random, key);
                below(random, format!("{text}[{key}]"), value)
            }
        },
        leaf => (text, Some(leaf)),
    }
}

fn literal(random: &mut Random, ty: &Ty) -> String {
    match ty {
        Ty::Text => format!("'t{}'", random.below(6)),
        Ty::Real => format!("{}", (random.below(9) as f64 - 2.0) / 4.0),
        Ty::Truth => random.pick(&["true", "false"]).to_string(),
        _ => format!("{}", random.below(9) as i64 - 2),
    }
}

fn expression<'t>(random: &mut Random, columns: &'t [(String, Ty)]) -> Typed<'t> {
    let (name, ty) = random.pick(columns);
    below(random, name.clone(), ty)
}

fn condition(random: &mut Random, columns: &[(String, Ty)], depth: usize) -> String {
    if depth > 0 && random.chance(40) {
        let (left, right) = (condition(random, columns, depth - 1), condition(random, columns, depth - 1));
        return match random.below(4) {
            0 => format!("({left} AND {right})"),
            1 => format!("NOT ({left})"),
            _ => format!("({left} OR {right})"),
        };
    }
    let (text, ty) = expression(random, columns);
    match ty {
        Some(ty @ (Ty::Whole | Ty::Real | Ty::Text)) if random.chance(75) => {
            let operator = random.pick(&["=", "<", ">", ">=", "<=", "<>"]).to_string();
            match random.below(4) {
                0 => format!(
                    "{text} IN ({}, {}, {})",
                    literal(random, ty),
                    literal(random, ty),
                    literal(random, ty)
                ),
                _ => format!("{text} {operator} {}", literal(random, ty)),
            }
        }
        Some(Ty::Truth) if random.chance(60) => text,
        _ => format!("{text} IS {}", random.pick(&["NULL", "NOT NULL"])),
    }
}

fn filter(random: &mut Random, columns: &[(String, Ty)]) -> String {
    match random.chance(60) {
        true => format!(" WHERE {}", condition(random, columns, 2)),
        false => String::new(),
    }
}

/// A query over `$T`.
pub(crate) fn query(random: &mut Random, columns: &[(String, Ty)]) -> String {
    let lists: Vec<_> = columns.iter().filter(|(_, ty)| matches!(ty, Ty::List(_))).collect();
    match random.below(10) {
        0 => format!("SELECT * FROM $T{}", filter(random, columns)),
        1 => format!(
            "SELECT count(*), count({}) FROM $T{}",
            expression(random, columns).0,
            filter(random, columns)
        ),
        2 | 3 if !lists.is_empty() => {
            let (name, ty) = random.pick(&lists);
            let Ty::List(element) = ty else { panic!("{name} is a list") };
            let unnested = [("u".to_owned(), element.as_ref().clone()), ("id".to_owned(), Ty::Whole)];
            let part = below(random, "u".to_owned(), element).0;
            format!(
                "SELECT id AS i, {part} AS v FROM (SELECT id, unnest({name}) AS u FROM $T{}) AS q{}",
                filter(random, columns),
                filter(random, &unnested)
            )
        }
        4 => {
            let (text, _) = expression(random, columns);
            format!("SELECT {text}, count(*) FROM $T{} GROUP BY {text}", filter(random, columns))
        }
        _ => {
            let count = 1 + random.below(3);
            let parts: Vec<String> =
                (0..count).map(|nth| format!("{} AS v{nth}", expression(random, columns).0)).collect();
            format!("SELECT {} FROM $T{}", parts.join(", "), filter(random, columns))
        }
    }
}
