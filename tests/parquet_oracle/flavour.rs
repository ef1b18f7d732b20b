//! Message types: one schema in the forms that writers gave lists, maps and widths over the years.

use std::fmt::Write as _;

use crate::random::Random;
use crate::schema::Ty;

/// A field of a file.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    /// Its name in the schema.
    pub(crate) name: String,
    /// Its name in the file.
    pub(crate) written: String,
    pub(crate) optional: bool,
    pub(crate) kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Leaf {
    Int,
    Long,
    Float,
    Double,
    Text,
    Truth,
}

#[derive(Debug, Clone)]
pub(crate) enum Kind {
    Leaf(Leaf),
    Struct(Vec<Node>),
    List(ListForm, Box<Node>),
    /// The annotations of the group and of its entries, and the entries' name.
    Map(&'static str, &'static str, &'static str, Box<[Node; 2]>),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ListForm {
    /// A repeated field by itself.
    Bare,
    /// A LIST group of a repeated element.
    TwoLevel,
    /// A LIST group of a repeated group of this name with the element in it.
    ThreeLevel(&'static str),
}

/// Where a field stands: a repeated one by itself, or as the element of a list of two levels, has no repetition of its own.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Field,
    Element,
    Repeated,
}

pub(crate) struct Writer<'r> {
    pub(crate) random: &'r mut Random,
    /// Whether names are written in other cases too.
    pub(crate) any_case: bool,
}

impl Writer<'_> {
    /// Fields of a file: some of the schema's, in some order, with one of its own now and then.
    pub(crate) fn fields(&mut self, fields: &[(String, Ty)]) -> Vec<Node> {
        let mut nodes: Vec<Node> = Vec::new();
        for (name, of) in fields {
            if name == "id" || self.random.chance(80) {
                let node = self.field(name, of);
                let at = self.random.below(nodes.len() + 1);
                nodes.insert(at, node);
            }
        }
        if nodes.is_empty() || self.random.chance(10) {
            // Of one type per table, so that files can be merged.
            let node = self.field("own", &Ty::Whole);
            nodes.push(node);
        }
        nodes
    }

    fn field(&mut self, name: &str, of: &Ty) -> Node {
        let written = match self.any_case && self.random.chance(30) {
            true => name.to_uppercase(),
            false => name.to_owned(),
        };
        self.node(name, written, of, Place::Field)
    }

    fn node(&mut self, name: &str, written: String, of: &Ty, place: Place) -> Node {
        let mut optional = place != Place::Repeated && self.random.chance(70);
        let kind = match of {
            Ty::Whole => Kind::Leaf(if self.random.chance(50) { Leaf::Int } else { Leaf::Long }),
            Ty::Real => Kind::Leaf(if self.random.chance(50) { Leaf::Float } else { Leaf::Double }),
            Ty::Text => Kind::Leaf(Leaf::Text),
            Ty::Truth => Kind::Leaf(Leaf::Truth),
            Ty::Struct(fields) => Kind::Struct(self.fields(fields)),
            Ty::List(element) => {
                let form = match self.random.below(10) {
                    0 | 1 if place == Place::Field => ListForm::Bare,
                    0..=4 => ListForm::TwoLevel,
                    _ => {
                        let wrapper =
                            *self.random.pick(&["list", "bag", "wrapper", "other_tuple", "element"]);
                        ListForm::ThreeLevel(wrapper)
                    }
                };
                let element = match form {
                    ListForm::Bare => self.node("element", written.clone(), element, Place::Repeated),
                    ListForm::TwoLevel => self.two_level(&written, element),
                    ListForm::ThreeLevel(_) => {
                        let name = *self.random.pick(&["element", "item", "array_element", "array", "e"]);
                        self.node("element", name.to_owned(), element, Place::Element)
                    }
                };
                optional &= form != ListForm::Bare;
                Kind::List(form, Box::new(element))
            }
            Ty::Map(key, value) => {
                let names = *self.random.pick(&[["key", "value"], ["k", "v"], ["first", "second"]]);
                let mut key = self.node("key", names[0].to_owned(), key, Place::Element);
                // A table without columns has the keys' own width, and `m[1]` takes 64 bits only.
                if !self.any_case && matches!(key.kind, Kind::Leaf(Leaf::Int)) {
                    key.kind = Kind::Leaf(Leaf::Long);
                }
                let value = self.node("value", names[1].to_owned(), value, Place::Field);
                let outer = *self.random.pick(&["MAP", "MAP", "MAP_KEY_VALUE"]);
                let outer = if place == Place::Repeated { "MAP" } else { outer };
                let inner = *self.random.pick(&["", " (MAP_KEY_VALUE)"]);
                let entries = *self.random.pick(&["key_value", "map", "entries"]);
                Kind::Map(outer, inner, entries, Box::new([key, value]))
            }
        };
        Node { name: name.to_owned(), written, optional, kind }
    }

    /// The repeated element of a LIST group. A struct of one field is told from a wrapper by its name.
    fn two_level(&mut self, list: &str, element: &Ty) -> Node {
        let written = match self.random.below(3) {
            0 => "array".to_owned(),
            1 => format!("{list}_tuple"),
            _ => "element".to_owned(),
        };
        let mut node = self.node("element", written, element, Place::Repeated);
        if let Kind::Struct(fields) = &node.kind
            && fields.len() == 1
            && node.written == "element"
        {
            node.written = "array".to_owned();
        }
        node
    }
}

/// A message type of columns.
pub(crate) fn message(nodes: &[Node]) -> String {
    let mut text = "message m { ".to_owned();
    nodes.iter().for_each(|node| write_node(&mut text, node, None));
    text.push('}');
    text
}

fn write_node(text: &mut String, node: &Node, repetition: Option<&str>) {
    let own = repetition.unwrap_or(if node.optional { "optional" } else { "required" });
    let name = &node.written;
    match &node.kind {
        Kind::Leaf(leaf) => {
            let (ty, annotation) = match leaf {
                Leaf::Int => ("int32", ""),
                Leaf::Long => ("int64", ""),
                Leaf::Float => ("float", ""),
                Leaf::Double => ("double", ""),
                Leaf::Text => ("binary", " (UTF8)"),
                Leaf::Truth => ("boolean", ""),
            };
            write!(text, "{own} {ty} {name}{annotation}; ").unwrap();
        }
        Kind::Struct(fields) => {
            write!(text, "{own} group {name} {{ ").unwrap();
            fields.iter().for_each(|field| write_node(text, field, None));
            text.push_str("} ");
        }
        Kind::List(ListForm::Bare, element) => write_node(text, element, Some("repeated")),
        Kind::List(form, element) => {
            write!(text, "{own} group {name} (LIST) {{ ").unwrap();
            match form {
                ListForm::ThreeLevel(wrapper) => {
                    write!(text, "repeated group {wrapper} {{ ").unwrap();
                    write_node(text, element, None);
                    text.push_str("} ");
                }
                _ => write_node(text, element, Some("repeated")),
            }
            text.push_str("} ");
        }
        Kind::Map(outer, inner, entries, parts) => {
            write!(text, "{own} group {name} ({outer}) {{ repeated group {entries}{inner} {{ ").unwrap();
            parts.iter().for_each(|part| write_node(text, part, None));
            text.push_str("} } ");
        }
    }
}
