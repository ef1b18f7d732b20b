//! Rows as levels and values of leaves, as the Dremel paper has it, and files of them.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use datafusion::parquet::column::writer::ColumnWriter;
use datafusion::parquet::data_type::ByteArray;
use datafusion::parquet::file::properties::WriterProperties;
use datafusion::parquet::file::writer::SerializedFileWriter;
use datafusion::parquet::schema::parser::parse_message_type;

use crate::flavour::{Kind, Node, message};
use crate::value::Value;

/// A leaf of a row group.
#[derive(Debug, Default)]
struct Column {
    values: Vec<Value>,
    definition: Vec<i16>,
    repetition: Vec<i16>,
}

/// How many leaves a field has.
fn leaves(node: &Node) -> usize {
    match &node.kind {
        Kind::Leaf(_) => 1,
        Kind::Struct(fields) => fields.iter().map(leaves).sum(),
        Kind::List(_, element) => leaves(element),
        Kind::Map(.., parts) => parts.iter().map(leaves).sum(),
    }
}

/// Where a value stands: the level at which it repeats, how many levels above it are defined, and how many repeat.
#[derive(Clone, Copy)]
struct Levels {
    repetition: i16,
    definition: i16,
    depth: i16,
}

fn nulls(columns: &mut [Column], at: Levels) {
    for column in columns {
        column.definition.push(at.definition);
        column.repetition.push(at.repetition);
    }
}

/// Adds a value to the leaves of its field.
fn shred(node: &Node, value: &Value, mut at: Levels, columns: &mut [Column]) {
    if node.optional {
        if *value == Value::Null {
            return nulls(columns, at);
        }
        at.definition += 1;
    }
    let repeated = |nth: usize| Levels {
        repetition: if nth == 0 { at.repetition } else { at.depth + 1 },
        definition: at.definition + 1,
        depth: at.depth + 1,
    };
    match (&node.kind, value) {
        (Kind::Leaf(_), Value::Null) => panic!("{} is required", node.name),
        (Kind::Leaf(_), value) => {
            nulls(columns, at);
            columns[0].values.push(value.clone());
        }
        (Kind::Struct(fields), Value::Struct(values)) => {
            let mut first = 0;
            for (field, (_, value)) in fields.iter().zip(values) {
                let next = first + leaves(field);
                shred(field, value, at, &mut columns[first..next]);
                first = next;
            }
        }
        (Kind::List(_, element), Value::List(values)) => {
            if values.is_empty() {
                nulls(columns, at);
            }
            for (nth, value) in values.iter().enumerate() {
                shred(element, value, repeated(nth), columns);
            }
        }
        (Kind::Map(.., parts), Value::Map(entries)) => {
            if entries.is_empty() {
                nulls(columns, at);
            }
            let keys = leaves(&parts[0]);
            for (nth, (key, value)) in entries.iter().enumerate() {
                shred(&parts[0], key, repeated(nth), &mut columns[..keys]);
                shred(&parts[1], value, repeated(nth), &mut columns[keys..]);
            }
        }
        (_, value) => panic!("{value:?} does not fit {node:?}"),
    }
}

/// Writes rows, which are structs of the file's columns, in row groups.
pub(crate) fn write(path: &Path, columns: &[Node], groups: &[&[Value]], properties: WriterProperties) {
    let schema = Arc::new(parse_message_type(&message(columns)).unwrap());
    let mut writer =
        SerializedFileWriter::new(File::create(path).unwrap(), schema, Arc::new(properties)).unwrap();
    let root = Node {
        name: String::new(),
        written: String::new(),
        optional: false,
        kind: Kind::Struct(columns.to_vec()),
    };
    for rows in groups {
        let mut shredded: Vec<Column> = (0..leaves(&root)).map(|_| Column::default()).collect();
        for row in *rows {
            shred(&root, row, Levels { repetition: 0, definition: 0, depth: 0 }, &mut shredded);
        }
        let mut group = writer.next_row_group().unwrap();
        for column in shredded {
            let mut out = group.next_column().unwrap().unwrap();
            write_column(out.untyped(), column);
            out.close().unwrap();
        }
        assert!(group.next_column().unwrap().is_none(), "{}", message(columns));
        group.close().unwrap();
    }
    writer.close().unwrap();
}

/// The numbers of values, and what makes one of another width of them.
fn numbers<T>(values: &[Value], of: impl Fn(&Value) -> Option<T>) -> Vec<T> {
    values
        .iter()
        .map(|value| of(value).unwrap_or_else(|| panic!("{value:?} does not fit its leaf")))
        .collect()
}

fn write_column(writer: &mut ColumnWriter<'_>, Column { values, definition, repetition }: Column) {
    let (definition, repetition) = (Some(definition.as_slice()), Some(repetition.as_slice()));
    let whole = |value: &Value| if let Value::Whole(number) = value { Some(*number) } else { None };
    let real = |value: &Value| if let Value::Real(number) = value { Some(*number) } else { None };
    let written = match writer {
        ColumnWriter::Int32ColumnWriter(out) => {
            out.write_batch(&numbers(&values, whole), definition, repetition)
        }
        ColumnWriter::Int64ColumnWriter(out) => {
            out.write_batch(&numbers(&values, |value| whole(value).map(i64::from)), definition, repetition)
        }
        ColumnWriter::FloatColumnWriter(out) => {
            out.write_batch(&numbers(&values, real), definition, repetition)
        }
        ColumnWriter::DoubleColumnWriter(out) => {
            out.write_batch(&numbers(&values, |value| real(value).map(f64::from)), definition, repetition)
        }
        ColumnWriter::BoolColumnWriter(out) => {
            let truth = |value: &Value| if let Value::Truth(truth) = value { Some(*truth) } else { None };
            out.write_batch(&numbers(&values, truth), definition, repetition)
        }
        ColumnWriter::ByteArrayColumnWriter(out) => {
            let text = |value: &Value| {
                if let Value::Text(text) = value { Some(ByteArray::from(text.as_str())) } else { None }
            };
            out.write_batch(&numbers(&values, text), definition, repetition)
        }
        _ => panic!("no file has such a leaf"),
    };
    written.unwrap();
}
