//! [`Node`]: a nested type, as a file has it or as it is asked for.

use crate::random::Random;

/// A column, a field, an element, a key or a value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) name: String,
    pub(crate) optional: bool,
    pub(crate) shape: Shape,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    Int,
    Long,
    Text,
    Struct(Vec<Node>),
    List(Box<Node>, ListForm),
    Map(Box<Node>, Box<Node>, MapForm),
}

/// How a list lies in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListForm {
    /// A group, a repeated group and the element; of these names.
    Three(&'static str, &'static str),
    /// A group and the repeated element, of this name.
    Two(&'static str),
    /// A group and the repeated element, called after the group.
    Tuple,
    /// The repeated element alone.
    Bare,
}

/// The names of a map's parts, and how it is annotated: outside and within.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MapForm {
    pub(crate) outer: &'static str,
    pub(crate) inner: &'static str,
    pub(crate) names: [&'static str; 3],
}

const MAPS: [MapForm; 4] = [
    MapForm { outer: " (MAP)", inner: "", names: ["key_value", "key", "value"] },
    MapForm { outer: " (MAP)", inner: " (MAP_KEY_VALUE)", names: ["map", "key", "value"] },
    MapForm { outer: " (MAP_KEY_VALUE)", inner: "", names: ["map", "key", "value"] },
    MapForm { outer: " (MAP)", inner: "", names: ["entries", "k", "v"] },
];

const STANDARD: ListForm = ListForm::Three("list", "element");

/// The columns behind `id`.
pub(crate) fn columns(random: &mut Random) -> Vec<Node> {
    (0..1 + random.below(3)).map(|column| node(random, format!("c{column}"), 3)).collect()
}

fn node(random: &mut Random, name: String, depth: usize) -> Node {
    let shape = match random.below(if depth == 0 { 3 } else { 8 }) {
        0 => Shape::Int,
        1 => Shape::Long,
        2 => Shape::Text,
        3 | 4 => {
            let fields = 1 + random.below(3);
            Shape::Struct((0..fields).map(|field| node(random, format!("f{field}"), depth - 1)).collect())
        }
        5 | 6 => Shape::List(Box::new(node(random, "element".to_owned(), depth - 1)), STANDARD),
        _ => {
            let key = Node { name: "key".to_owned(), optional: false, shape: key(random) };
            Shape::Map(Box::new(key), Box::new(node(random, "value".to_owned(), depth - 1)), MAPS[0])
        }
    };
    Node { name, optional: !random.once_in(4), shape }
}

fn key(random: &mut Random) -> Shape {
    match random.below(2) {
        0 => Shape::Long,
        _ => Shape::Text,
    }
}

/// The same columns as a file may have them.
pub(crate) fn of_file(random: &mut Random, columns: &[Node]) -> Vec<Node> {
    let mut kept = some(random, columns);
    kept.iter_mut().for_each(|column| *column = varied(random, column, true));
    kept
}

/// Most of some fields, in any order; at least one.
fn some(random: &mut Random, fields: &[Node]) -> Vec<Node> {
    let mut kept: Vec<Node> = fields.iter().filter(|_| !random.once_in(5)).cloned().collect();
    if kept.is_empty() {
        kept.push(random.of(fields).clone());
    }
    random.shuffle(&mut kept);
    kept
}

/// `may_be_bare`: a field of a group, which may repeat by itself.
fn varied(random: &mut Random, node: &Node, may_be_bare: bool) -> Node {
    let mut made = Node { optional: !random.once_in(3), ..node.clone() };
    match &node.shape {
        Shape::Long if random.once_in(3) => made.shape = Shape::Int,
        Shape::Int | Shape::Long | Shape::Text => {}
        Shape::Struct(fields) => {
            let mut kept = some(random, fields);
            kept.iter_mut().for_each(|field| *field = varied(random, field, true));
            made.shape = Shape::Struct(kept);
        }
        Shape::List(element, _) => {
            let mut element = varied(random, element, false);
            let one_field = matches!(&element.shape, Shape::Struct(fields) if fields.len() == 1);
            // A group with one field that repeats is the element whatever it is called.
            let forms = [
                STANDARD,
                ListForm::Three("bag", "array_element"),
                ListForm::Three("list", "item"),
                ListForm::Two("array"),
                ListForm::Tuple,
                if one_field { ListForm::Two("array") } else { ListForm::Two("element") },
                if may_be_bare { ListForm::Bare } else { STANDARD },
            ];
            let mut form = *random.of(&forms);
            let bare_within = matches!(&element.shape, Shape::List(_, ListForm::Bare));
            if bare_within && matches!(form, ListForm::Two(_) | ListForm::Tuple | ListForm::Bare) {
                form = STANDARD;
            }
            if !matches!(form, ListForm::Three(..)) {
                element.optional = false;
            }
            if form == ListForm::Bare {
                made.optional = false;
            }
            made.shape = Shape::List(Box::new(element), form);
        }
        Shape::Map(key, value, _) => {
            let mut key = key.as_ref().clone();
            if key.shape == Shape::Long && random.once_in(3) {
                key.shape = Shape::Int;
            }
            let value = varied(random, value, false);
            made.shape = Shape::Map(Box::new(key), Box::new(value), *random.of(&MAPS));
        }
    }
    made
}

/// Some of the columns as a table may ask for them, with fields that no file has.
pub(crate) fn requested(random: &mut Random, columns: &[Node]) -> Vec<Node> {
    let mut kept = some(random, columns);
    kept.iter_mut().for_each(|column| *column = asked(random, column));
    if random.once_in(4) {
        kept.push(lacking(random));
    }
    kept
}

/// A field that no file has.
fn lacking(random: &mut Random) -> Node {
    let element = Node { name: "element".to_owned(), optional: true, shape: Shape::Long };
    let shape = match random.below(3) {
        0 => Shape::Int,
        1 => Shape::Text,
        _ => Shape::List(Box::new(element), STANDARD),
    };
    Node { name: "lacking".to_owned(), optional: true, shape }
}

fn asked(random: &mut Random, node: &Node) -> Node {
    let shape = match &node.shape {
        Shape::Struct(fields) => {
            let mut kept = some(random, fields);
            kept.iter_mut().for_each(|field| *field = asked(random, field));
            if random.once_in(4) {
                kept.push(lacking(random));
            }
            if random.once_in(8) {
                kept = vec![lacking(random)];
            }
            Shape::Struct(kept)
        }
        Shape::List(element, form) => Shape::List(Box::new(asked(random, element)), *form),
        Shape::Map(key, value, form) => Shape::Map(key.clone(), Box::new(asked(random, value)), *form),
        plain => plain.clone(),
    };
    Node { optional: true, shape, ..node.clone() }
}

/// What two files have together.
pub(crate) fn merged(one: &[Node], other: &[Node]) -> Vec<Node> {
    let mut all = one.to_vec();
    for node in other {
        match all.iter_mut().find(|known| known.name == node.name) {
            Some(known) => known.shape = merged_shape(&known.shape, &node.shape),
            None => all.push(node.clone()),
        }
    }
    all
}

fn merged_shape(one: &Shape, other: &Shape) -> Shape {
    let boxed = |one: &Node, other: &Node| {
        Box::new(Node { shape: merged_shape(&one.shape, &other.shape), ..one.clone() })
    };
    match (one, other) {
        (Shape::Int, Shape::Long) => Shape::Long,
        (Shape::Struct(one), Shape::Struct(other)) => Shape::Struct(merged(one, other)),
        (Shape::List(one, form), Shape::List(other, _)) => Shape::List(boxed(one, other), *form),
        (Shape::Map(key, value, form), Shape::Map(other_key, other_value, _)) => {
            Shape::Map(boxed(key, other_key), boxed(value, other_value), *form)
        }
        (known, _) => known.clone(),
    }
}

/// Columns as DDL.
pub(crate) fn ddl(columns: &[Node]) -> String {
    let column = |node: &Node| format!("{} {}", node.name, ddl_type(&node.shape));
    columns.iter().map(column).collect::<Vec<_>>().join(", ")
}

fn ddl_type(shape: &Shape) -> String {
    match shape {
        Shape::Int => "INT".to_owned(),
        Shape::Long => "BIGINT".to_owned(),
        Shape::Text => "VARCHAR".to_owned(),
        Shape::Struct(fields) => format!("STRUCT<{}>", ddl(fields)),
        Shape::List(element, _) => format!("ARRAY<{}>", ddl_type(&element.shape)),
        Shape::Map(key, value, _) => format!("MAP<{}, {}>", ddl_type(&key.shape), ddl_type(&value.shape)),
    }
}
