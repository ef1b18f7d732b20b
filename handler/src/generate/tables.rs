//! Random table definitions, and rows of them as a scan would assemble them.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::datatypes::{DataType, Field, Fields};
use datafusion::common::ScalarValue;
use ostracon_data::{ColumnUpdate, Mutation, RowBuffer};

use super::{Random, TEXTS, data_type, nested_array, nested_type, nullable, value};
use crate::definition::{ColumnSpec, RowIdLayout, TableDefinition};
use crate::mapping::ColumnTarget;
use crate::properties::{InsertMode, TableProperties};
use crate::rows::{RowEncoder, RowExtras};

/// A table with some rows.
#[derive(Debug)]
pub(crate) struct Sample {
    pub(crate) definition: TableDefinition,
    pub(crate) rows: Vec<RowBuffer>,
    /// What was encoded, one row a batch; as long as `rows`, in the same order.
    pub(crate) batches: Vec<RecordBatch>,
    /// Whether some bytes were damaged after they were encoded.
    pub(crate) damaged: bool,
}

/// A random table and rows. With `damage` some cells and row ids hold bytes that are no value, where the table
/// says what is to become of them.
pub(crate) fn sample(random: &mut Random, damage: bool) -> Sample {
    let definition = definition(random);
    let forgiving = definition.properties.on_bad_value != ostracon_iterators::OnBadValue::Error;
    let damage = damage && forgiving && !definition.keys_are_trusted();
    let encoder = RowEncoder::new(&definition, InsertMode::Upsert, None).expect("the table can be written");
    let mut sample = Sample { rows: Vec::new(), batches: Vec::new(), damaged: damage, definition };
    for id in 0..(4 + random.below(20)) {
        let batch = batch(random, &sample.definition);
        let extras = RowExtras { first_hidden_id: Some(id as u64), ..RowExtras::default() };
        // A key with the delimiter in it is refused; another row will do.
        let Ok(mutations) = encoder.encode(&batch, extras) else { continue };
        for mutation in mutations {
            let mut row = row_of(&mutation);
            if damage && random.one_in(4) {
                row = damaged(random, &row);
            }
            sample.rows.push(row);
            sample.batches.push(batch.clone());
        }
    }
    sample
}

/// The row that a scan finds after a mutation of an empty row.
pub(crate) fn row_of(mutation: &Mutation) -> RowBuffer {
    type Cell<'a> = (&'a [u8], &'a [u8], &'a [u8], i64, &'a [u8]);
    let mut cells: Vec<Cell<'_>> = Vec::new();
    for update in &mutation.updates {
        if let ColumnUpdate::Put { family, qualifier, visibility, timestamp, value } = update {
            cells.push((family, qualifier, visibility, timestamp.unwrap_or(1_000), value));
        }
    }
    cells.sort_by_key(|(family, qualifier, ..)| (*family, *qualifier));
    let mut row = RowBuffer::new();
    row.set_row(&mutation.row);
    for (family, qualifier, visibility, timestamp, value) in cells {
        row.push_cell(family, qualifier, visibility, timestamp, value);
    }
    row
}

/// The same row with one value's bytes, or the row id's, replaced.
fn damaged(random: &mut Random, row: &RowBuffer) -> RowBuffer {
    let pool: [&[u8]; 6] = [b"", b"\xff\xfe", b"zz", br"\N", b"\0\0\0\0\0", b"12345678901234567"];
    let bytes = *random.pick(&pool);
    let at = random.below(row.len() + 1);
    let mut changed = RowBuffer::new();
    changed.set_row(if at == row.len() { bytes } else { row.row() });
    for (i, cell) in row.cells().enumerate() {
        let value = if i == at { bytes } else { cell.value };
        changed.push_cell(cell.family, cell.qualifier, cell.visibility, cell.timestamp, value);
    }
    changed
}

fn definition(random: &mut Random) -> TableDefinition {
    let columns = |random: &mut Random, prefix: &str, count: usize| -> Vec<ColumnSpec> {
        (0..count).map(|i| ColumnSpec::new(format!("{prefix}{i}"), data_type(random))).collect()
    };
    if random.one_in(2) {
        let keys = [1, 1, 2, 2, 3, 0][random.below(6)];
        let mut specs = columns(random, "k", keys);
        let primary_key: Vec<String> = specs.iter().map(|spec| spec.name.clone()).collect();
        let values = 1 + random.below(3);
        specs.extend(columns(random, "v", values));
        if random.one_in(2) {
            specs.push(ColumnSpec::new("n", nested_type(random, 2)));
        }
        return TableDefinition::typed("t", specs, &primary_key, TableProperties::default()).expect("typed");
    }
    let code = |random: &mut Random| *random.pick(&["s", "b", "n"]);
    let mut mapping = Vec::new();
    let mut properties: Vec<(String, String)> = Vec::new();
    let mut specs = Vec::new();
    match random.below(4) {
        0 => {
            let fields: Fields = (0..1 + random.below(3))
                .map(|i| Field::new(format!("f{i}"), data_type(random), true))
                .collect();
            specs.push(ColumnSpec::new("k0", DataType::Struct(fields)));
            let how = *random.pick(&["native", "$", "::"]);
            properties.push(("composite.rowid".to_owned(), how.to_owned()));
            mapping.push(":rowid".to_owned());
        }
        _ => {
            specs.extend(columns(random, "k", 1));
            mapping.push(format!(":rowid#{}", code(random)));
        }
    }
    for i in 0..1 + random.below(3) {
        specs.push(ColumnSpec::new(format!("v{i}"), data_type(random)));
        mapping.push(format!("f:v{i}#{}", code(random)));
    }
    if random.one_in(3) {
        specs.push(ColumnSpec::new("n", nested_type(random, 2)));
        mapping.push("f:n#n".to_owned());
    }
    if random.one_in(2) {
        let value = data_type(random);
        let pair =
            Fields::from(vec![Field::new("key", DataType::Utf8, false), Field::new("value", value, true)]);
        let entries = Field::new("entries", DataType::Struct(pair), false);
        specs.push(ColumnSpec::new("m", DataType::Map(Arc::new(entries), false)));
        mapping.push(format!("f:m_*#s:{}", code(random)));
    }
    properties.push(("columns.mapping".to_owned(), mapping.join(",")));
    let policy = *random.pick(&["error", "null", "skip_row"]);
    properties.push(("on.bad.value".to_owned(), policy.to_owned()));
    let properties = TableProperties::parse(properties).expect("properties");
    TableDefinition::mapped("t", specs, true, properties).expect("mapped")
}

/// One row of a table.
fn batch(random: &mut Random, definition: &TableDefinition) -> RecordBatch {
    let arrays: Vec<ArrayRef> = definition
        .columns
        .iter()
        .map(|column| {
            let key = matches!(column.target, ColumnTarget::RowId { .. });
            let value = match &column.data_type {
                nested if nested.is_nested() && matches!(column.target, ColumnTarget::Cell { .. }) => {
                    return nested_array(random, nested, 1, true);
                }
                DataType::Struct(fields) => struct_value(random, fields),
                DataType::Map(entries, _) => return map_array(random, entries, &column.data_type),
                plain if key => value(random, plain),
                plain => nullable(random, plain, 4),
            };
            value.to_array().expect("one value")
        })
        .collect();
    RecordBatch::try_new(definition.write_schema(), arrays).expect("the arrays fit the schema")
}

fn struct_value(random: &mut Random, fields: &Fields) -> ScalarValue {
    let arrays: Vec<ArrayRef> =
        fields.iter().map(|field| value(random, field.data_type()).to_array().expect("one value")).collect();
    ScalarValue::Struct(Arc::new(arrow::array::StructArray::new(fields.clone(), arrays, None)))
}

/// A map of up to three entries; an empty one is NULL, as it is read back.
fn map_array(random: &mut Random, entries: &Arc<Field>, data_type: &DataType) -> ArrayRef {
    let DataType::Struct(pair) = entries.data_type() else { panic!("a map has entries") };
    let mut keys: Vec<&str> = TEXTS[1..8].iter().copied().filter(|_| random.one_in(3)).collect();
    keys.sort_unstable();
    if keys.is_empty() {
        return arrow::array::new_null_array(data_type, 1);
    }
    let values: Vec<ScalarValue> = keys.iter().map(|_| value(random, pair[1].data_type())).collect();
    let keys = keys.into_iter().map(|key| ScalarValue::Utf8(Some(key.to_owned())));
    let count = values.len() as i32;
    let columns = vec![
        ScalarValue::iter_to_array(keys).expect("keys"),
        ScalarValue::iter_to_array(values).expect("values"),
    ];
    let pairs = arrow::array::StructArray::new(pair.clone(), columns, None);
    let offsets = arrow::buffer::OffsetBuffer::new(vec![0, count].into());
    Arc::new(arrow::array::MapArray::new(Arc::clone(entries), offsets, pairs, None, false))
}

impl Sample {
    /// What a filter can compare: an expression and its type.
    pub(crate) fn comparables(&self) -> Vec<(datafusion::logical_expr::Expr, DataType)> {
        use datafusion::functions::core::expr_fn::get_field;
        use datafusion::logical_expr::col;
        let mut found = Vec::new();
        for column in &self.definition.columns {
            match &column.data_type {
                DataType::Struct(fields) => {
                    for field in fields {
                        found.push((
                            get_field(col(&column.name), field.name().as_str()),
                            field.data_type().clone(),
                        ));
                    }
                }
                DataType::Map(entries, _) => {
                    let DataType::Struct(pair) = entries.data_type() else { continue };
                    if pair[0].data_type() != &DataType::Utf8 {
                        continue;
                    }
                    for key in ["a", "ab"] {
                        found.push((get_field(col(&column.name), key), pair[1].data_type().clone()));
                    }
                }
                DataType::List(_) => {}
                plain => found.push((col(&column.name), plain.clone())),
            }
        }
        // Parts of nested cells that are nested themselves are compared with nothing.
        found.retain(|(_, data_type)| !data_type.is_nested());
        if found.is_empty() { vec![(col("n").is_null(), DataType::Boolean)] } else { found }
    }

    /// The columns whose values are nested and lie in one cell.
    pub(crate) fn nested_columns(&self) -> Vec<&str> {
        let columns = self.definition.columns.iter();
        let nested = columns.filter(|column| {
            column.data_type.is_nested() && matches!(column.target, ColumnTarget::Cell { .. })
        });
        nested.map(|column| column.name.as_str()).collect()
    }

    /// Whether the table has a key that filters can name.
    pub(crate) fn has_key(&self) -> bool {
        !matches!(self.definition.row_id, RowIdLayout::Hidden | RowIdLayout::None)
    }
}
