//! Random schemas: what the rows of a table are about, whatever file they are in.

use crate::random::Random;

/// What a column or field holds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Ty {
    /// Whole numbers that fit 32 bits.
    Whole,
    /// Numbers that 32 bits hold exactly.
    Real,
    Text,
    Truth,
    Struct(Vec<(String, Ty)>),
    List(Box<Ty>),
    /// Keys are text or whole numbers.
    Map(Box<Ty>, Box<Ty>),
}

/// Columns with an `id` in front.
pub(crate) fn columns(random: &mut Random) -> Vec<(String, Ty)> {
    let mut columns = vec![("id".to_owned(), Ty::Whole)];
    for nth in 0..1 + random.below(4) {
        columns.push((format!("c{nth}"), ty(random, 3)));
    }
    columns
}

/// A type at most so many levels deep.
pub(crate) fn ty(random: &mut Random, depth: usize) -> Ty {
    let kinds = if depth == 0 { 4 } else { 12 };
    match random.below(kinds) {
        0 => Ty::Whole,
        1 => Ty::Real,
        2 => Ty::Text,
        3 => Ty::Truth,
        4..=7 => {
            let count = 1 + random.below(3);
            Ty::Struct((0..count).map(|nth| (format!("f{nth}"), ty(random, depth - 1))).collect())
        }
        8..=9 => Ty::List(Box::new(ty(random, depth - 1))),
        _ => {
            let key = if random.chance(70) { Ty::Text } else { Ty::Whole };
            Ty::Map(Box::new(key), Box::new(ty(random, depth - 1)))
        }
    }
}

/// Some of the fields in another order, with one that no file has now and then.
fn some_of(random: &mut Random, fields: &[(String, Ty)]) -> Vec<(String, Ty)> {
    let mut kept: Vec<(String, Ty)> = Vec::new();
    for (name, of) in fields {
        if name == "id" || random.chance(75) {
            let at = random.below(kept.len() + 1);
            kept.insert(at, (name.clone(), part(random, of)));
        }
    }
    if kept.is_empty() || random.chance(10) {
        kept.push(("lacking".to_owned(), ty(random, 1)));
    }
    kept
}

/// A random sub-schema.
pub(crate) fn sub_schema(random: &mut Random, columns: &[(String, Ty)]) -> Vec<(String, Ty)> {
    some_of(random, columns)
}

fn part(random: &mut Random, of: &Ty) -> Ty {
    match of {
        Ty::Struct(fields) => Ty::Struct(some_of(random, fields)),
        Ty::List(element) => Ty::List(Box::new(part(random, element))),
        Ty::Map(key, value) => Ty::Map(key.clone(), Box::new(part(random, value))),
        leaf => leaf.clone(),
    }
}

/// Columns as `CREATE EXTERNAL TABLE` takes them.
pub(crate) fn ddl(columns: &[(String, Ty)]) -> String {
    let columns: Vec<String> = columns.iter().map(|(name, of)| format!("{name} {}", type_name(of))).collect();
    format!("({})", columns.join(", "))
}

fn type_name(of: &Ty) -> String {
    match of {
        Ty::Whole => "BIGINT".to_owned(),
        Ty::Real => "DOUBLE".to_owned(),
        Ty::Text => "VARCHAR".to_owned(),
        Ty::Truth => "BOOLEAN".to_owned(),
        Ty::Struct(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(name, of)| format!("{name} {}", type_name(of))).collect();
            format!("STRUCT<{}>", fields.join(", "))
        }
        Ty::List(element) => format!("ARRAY<{}>", type_name(element)),
        Ty::Map(key, value) => format!("MAP<{}, {}>", type_name(key), type_name(value)),
    }
}
