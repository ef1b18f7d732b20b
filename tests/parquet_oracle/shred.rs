//! Values into levels (Melnik et al., "Dremel", 2010), and the message types that they are written by.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use datafusion::parquet::column::writer::ColumnWriter;
use datafusion::parquet::data_type::ByteArray;
use datafusion::parquet::file::properties::WriterProperties;
use datafusion::parquet::file::writer::SerializedFileWriter;
use datafusion::parquet::schema::parser::parse_message_type;

use crate::model::Value;
use crate::types::{ListForm, Node, Shape};

/// A field as it lies in a file.
struct Field {
    name: String,
    repetition: &'static str,
    annotation: &'static str,
    kind: Kind,
}

enum Kind {
    Leaf(&'static str),
    Group(Vec<Field>),
}

/// One occurrence of a field: for each field of a group, its occurrences.
enum Occurrence {
    Leaf(Value),
    Group(Vec<Vec<Occurrence>>),
}

/// A leaf's values and levels.
#[derive(Default)]
struct Leaf {
    values: Vec<Value>,
    definition: Vec<i16>,
    repetition: Vec<i16>,
}

/// Writes rows of `id` and columns; gives the file's message type.
pub(crate) fn write(path: &Path, columns: &[Node], rows: &[(i64, Vec<Value>)]) -> String {
    let id = Node { name: "id".to_owned(), optional: false, shape: Shape::Long };
    let nodes: Vec<&Node> = std::iter::once(&id).chain(columns).collect();
    let fields: Vec<Field> = nodes.iter().map(|node| field(node, &node.name, false)).collect();
    let mut message = "message m {".to_owned();
    fields.iter().for_each(|field| print(field, &mut message));
    message.push_str(" }");
    let mut leaves: Vec<Leaf> = (0..fields.iter().map(count).sum()).map(|_| Leaf::default()).collect();
    for (id, values) in rows {
        let id = Value::Number(*id);
        let mut first = 0;
        for ((node, field), value) in nodes.iter().zip(&fields).zip(std::iter::once(&id).chain(values)) {
            let last = first + count(field);
            shred(field, &occurrences(node, value, false), (0, 0, 0), &mut leaves[first..last]);
            first = last;
        }
    }
    let schema = Arc::new(parse_message_type(&message).unwrap());
    let properties = WriterProperties::builder().set_data_page_row_count_limit(3).build();
    let mut writer =
        SerializedFileWriter::new(File::create(path).unwrap(), schema, Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for Leaf { values, definition, repetition } in leaves {
        let mut column = group.next_column().unwrap().unwrap();
        let levels = (Some(definition.as_slice()), Some(repetition.as_slice()));
        let numbers = values.iter().map(|value| match value {
            Value::Number(number) => *number,
            _ => 0,
        });
        match column.untyped() {
            ColumnWriter::Int32ColumnWriter(out) => {
                let numbers: Vec<i32> = numbers.map(|number| i32::try_from(number).unwrap()).collect();
                out.write_batch(&numbers, levels.0, levels.1).unwrap();
            }
            ColumnWriter::Int64ColumnWriter(out) => {
                out.write_batch(&numbers.collect::<Vec<_>>(), levels.0, levels.1).unwrap();
            }
            ColumnWriter::ByteArrayColumnWriter(out) => {
                let texts = values.iter().map(|value| match value {
                    Value::Text(text) => ByteArray::from(text.as_str()),
                    _ => ByteArray::from(""),
                });
                out.write_batch(&texts.collect::<Vec<_>>(), levels.0, levels.1).unwrap();
            }
            _ => panic!("no such leaf: {message}"),
        }
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
    message
}

/// A node as a field. `repeats`: it is the element of a list that has no level of its own for it.
fn field(node: &Node, name: &str, repeats: bool) -> Field {
    let repetition = match (repeats, node.optional) {
        (true, _) => "repeated",
        (false, true) => "optional",
        (false, false) => "required",
    };
    let made = |annotation, kind| Field { name: name.to_owned(), repetition, annotation, kind };
    match &node.shape {
        Shape::Int => made("", Kind::Leaf("int32")),
        Shape::Long => made("", Kind::Leaf("int64")),
        Shape::Text => made(" (UTF8)", Kind::Leaf("binary")),
        Shape::Struct(fields) => {
            made("", Kind::Group(fields.iter().map(|inner| field(inner, &inner.name, false)).collect()))
        }
        Shape::List(element, ListForm::Bare) => field(element, name, true),
        Shape::List(element, ListForm::Two(element_name)) => {
            made(" (LIST)", Kind::Group(vec![field(element, element_name, true)]))
        }
        Shape::List(element, ListForm::Tuple) => {
            made(" (LIST)", Kind::Group(vec![field(element, &format!("{name}_tuple"), true)]))
        }
        Shape::List(element, ListForm::Three(list, element_name)) => {
            let repeated = Field {
                name: (*list).to_owned(),
                repetition: "repeated",
                annotation: "",
                kind: Kind::Group(vec![field(element, element_name, false)]),
            };
            made(" (LIST)", Kind::Group(vec![repeated]))
        }
        Shape::Map(key, value, form) => {
            let [entries, key_name, value_name] = form.names;
            let parts = vec![field(key, key_name, false), field(value, value_name, false)];
            let entries = Field {
                name: entries.to_owned(),
                repetition: "repeated",
                annotation: form.inner,
                kind: Kind::Group(parts),
            };
            made(form.outer, Kind::Group(vec![entries]))
        }
    }
}

fn print(field: &Field, message: &mut String) {
    let Field { name, repetition, annotation, kind } = field;
    match kind {
        Kind::Leaf(ty) => message.push_str(&format!(" {repetition} {ty} {name}{annotation};")),
        Kind::Group(fields) => {
            message.push_str(&format!(" {repetition} group {name}{annotation} {{"));
            fields.iter().for_each(|field| print(field, message));
            message.push_str(" }");
        }
    }
}

fn count(field: &Field) -> usize {
    match &field.kind {
        Kind::Leaf(_) => 1,
        Kind::Group(fields) => fields.iter().map(count).sum(),
    }
}

/// How often the field of a node occurs for a value.
fn occurrences(node: &Node, value: &Value, repeats: bool) -> Vec<Occurrence> {
    let one = match (&node.shape, value) {
        (Shape::List(element, ListForm::Bare), Value::List(items)) if !repeats => {
            return items.iter().flat_map(|item| occurrences(element, item, true)).collect();
        }
        (_, Value::Null) => return Vec::new(),
        (Shape::Struct(fields), Value::Struct(values)) => Occurrence::Group(
            fields.iter().zip(values).map(|(field, (_, value))| occurrences(field, value, false)).collect(),
        ),
        (Shape::List(element, ListForm::Two(_) | ListForm::Tuple), Value::List(items)) => {
            Occurrence::Group(vec![items.iter().flat_map(|item| occurrences(element, item, true)).collect()])
        }
        (Shape::List(element, ListForm::Three(..)), Value::List(items)) => {
            let items = items.iter().map(|item| Occurrence::Group(vec![occurrences(element, item, false)]));
            Occurrence::Group(vec![items.collect()])
        }
        (Shape::Map(key, of, _), Value::Map(entries)) => {
            let entries = entries.iter().map(|(known, value)| {
                Occurrence::Group(vec![occurrences(key, known, false), occurrences(of, value, false)])
            });
            Occurrence::Group(vec![entries.collect()])
        }
        (_, leaf) => Occurrence::Leaf(leaf.clone()),
    };
    vec![one]
}

/// `(definition, repetition, deepest repetition)` are the levels at which the field's parent is.
fn shred(field: &Field, occurrences: &[Occurrence], levels: (i16, i16, i16), leaves: &mut [Leaf]) {
    let (definition, repetition, deepest) = levels;
    if occurrences.is_empty() {
        for leaf in leaves {
            leaf.definition.push(definition);
            leaf.repetition.push(repetition);
        }
        return;
    }
    let deepest = deepest + i16::from(field.repetition == "repeated");
    let definition = definition + i16::from(field.repetition != "required");
    for (nth, occurrence) in occurrences.iter().enumerate() {
        let repetition = if nth == 0 { repetition } else { deepest };
        match (occurrence, &field.kind) {
            (Occurrence::Leaf(value), _) => {
                leaves[0].values.push(value.clone());
                leaves[0].definition.push(definition);
                leaves[0].repetition.push(repetition);
            }
            (Occurrence::Group(inner), Kind::Group(fields)) => {
                let mut first = 0;
                for (field, occurrences) in fields.iter().zip(inner) {
                    let last = first + count(field);
                    shred(field, occurrences, (definition, repetition, deepest), &mut leaves[first..last]);
                    first = last;
                }
            }
            (Occurrence::Group(_), Kind::Leaf(_)) => panic!("a leaf has no fields"),
        }
    }
}
