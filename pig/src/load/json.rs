//! JsonLoader: a JSON object a line.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::sync::Arc;

use arrow::datatypes::{Field as ArrowField, Schema as ArrowSchema, SchemaRef};
use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use datafusion::catalog::streaming::StreamingTable;
use datafusion::execution::context::SessionContext;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::PartitionStream;
use futures::stream;
use ostracon_compare::JsonValue;
use ostracon_piglatin::ast::{OperatorKind, StatementKind};
use ostracon_piglatin::parse_script;
use ostracon_piglatin::types::{Caster, Field, PigType, Schema, Unknown};
use ostracon_piglatin::value::parse::not_of_type;
use ostracon_piglatin::value::{CallContext, Value, Warning, WarningKind, cast};

use crate::columns::{ColumnBuilder, arrow_type, field_name};
use crate::error::{PigError, Result, from_datafusion};
use crate::load::text::Place;
use crate::load::{Layout, LoadFunc, fit, paths, scan, schema_file};
use crate::warnings::RunContext;

/// Rows of a batch.
const BATCH: usize = 4096;

/// `JsonLoader('a:int, b:{(c:chararray)}')`: fields by name; without a schema, that of `.pig_schema`.
#[derive(Debug, Clone)]
pub(crate) struct JsonLoader {
    schema: Option<Schema>,
}

impl JsonLoader {
    pub(crate) fn new(arguments: &[String]) -> Result<Self> {
        let schema = match arguments {
            [] => None,
            [text] => Some(parsed(text)?),
            _ => return Err(PigError::invalid("JsonLoader takes one schema")),
        };
        Ok(Self { schema })
    }

    fn fields(&self, path: &str) -> Result<Schema> {
        match &self.schema {
            Some(schema) => named(path, Some(schema)),
            None => named(path, schema_file::beside(path)?.as_ref()),
        }
    }
}

/// Fields that can be found in objects.
fn named(path: &str, known: Option<&Schema>) -> Result<Schema> {
    let Some(schema) = known else {
        let help = "name the fields, as in JsonLoader('a:int, b:chararray')";
        return Err(PigError::invalid(format!("{path} has no schema beside it; {help}")));
    };
    match schema.fields.iter().all(|field| field.name.is_some()) {
        true => Ok(schema.clone()),
        false => Err(PigError::invalid("fields of JSON are found by their names, and one has none")),
    }
}

/// A schema as AS has it.
fn parsed(text: &str) -> Result<Schema> {
    let script = parse_script("schema", &format!("a = LOAD 'x' AS ({text});"));
    let statement = script.script.statements.into_iter().next().map(|statement| statement.kind);
    match statement {
        Some(StatementKind::Assign { operator, .. }) if script.diagnostics.is_empty() => {
            match operator.kind {
                OperatorKind::Load { schema: Some(schema), .. } => {
                    Ok(Schema::from_spec(&schema, Unknown::Raw(Caster::Utf8)))
                }
                _ => Err(PigError::invalid(format!("'{text}' is no schema"))),
            }
        }
        _ => {
            let why =
                script.diagnostics.first().map_or(String::new(), |fault| format!(": {}", fault.message));
            Err(PigError::invalid(format!("'{text}' is no schema{why}")))
        }
    }
}

#[async_trait]
impl LoadFunc for JsonLoader {
    fn schema(&self, path: &str) -> Result<Option<Schema>> {
        self.fields(path).map(Some)
    }

    fn schema_later(&self, path: &str, kept: Option<&Schema>) -> Result<Option<Schema>> {
        named(path, self.schema.as_ref().or(kept)).map(Some)
    }

    async fn plan(
        &self,
        _: &SessionContext,
        path: &str,
        layout: &Layout,
        run: &RunContext,
    ) -> Result<LogicalPlan> {
        let schema = self.fields(path)?;
        let columns = schema
            .fields
            .iter()
            .enumerate()
            .map(|(index, field)| ArrowField::new(field_name(index), arrow_type(&field.ty), true));
        let columns = Arc::new(ArrowSchema::new(columns.collect::<Vec<_>>()));
        let partitions = paths::files(path)?.into_iter().map(|file| {
            let (schema, columns) = (schema.clone(), Arc::clone(&columns));
            Arc::new(JsonFile { file, schema, columns, run: run.clone() }) as Arc<dyn PartitionStream>
        });
        let table =
            StreamingTable::try_new(Arc::clone(&columns), partitions.collect()).map_err(from_datafusion)?;
        fit(scan(Arc::new(table))?, &schema, layout, run)
    }
}

#[derive(Debug, Clone)]
struct JsonFile {
    file: PathBuf,
    schema: Schema,
    columns: SchemaRef,
    run: RunContext,
}

impl PartitionStream for JsonFile {
    fn schema(&self) -> &SchemaRef {
        &self.columns
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let file = self.clone();
        let mut lines = None;
        let mut row = 0;
        let batches = std::iter::from_fn(move || file.batch(&mut lines, &mut row).transpose());
        Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.columns), stream::iter(batches)))
    }
}

type Lines = Option<BufReader<Box<dyn std::io::Read + Send>>>;

impl JsonFile {
    fn batch(&self, lines: &mut Lines, row: &mut u64) -> datafusion::error::Result<Option<RecordBatch>> {
        let counts = !paths::compression_of(&self.file).0.is_compressed();
        let lines = match lines {
            Some(lines) => lines,
            None => {
                if counts {
                    self.run.progress().expect(std::fs::metadata(&self.file)?.len());
                }
                lines.insert(BufReader::new(paths::open(&self.file)?))
            }
        };
        let mut bytes = 0;
        let mut builders: Vec<ColumnBuilder> =
            self.schema.fields.iter().map(|field| ColumnBuilder::new(&field.ty)).collect();
        let mut rows = 0;
        let mut line = Vec::new();
        while rows < BATCH {
            line.clear();
            if lines.read_until(b'\n', &mut line)? == 0 {
                break;
            }
            *row += 1;
            bytes += line.len();
            let text = String::from_utf8_lossy(&line);
            if text.trim().is_empty() {
                continue;
            }
            let mut place = Place { path: &self.file, row: Some(*row), warnings: self.run.warnings() };
            let object = self.object(&text, &mut place);
            let values = match &object {
                Some(object) => tuple(object, &self.schema, &mut place),
                None => vec![Value::Null; builders.len()],
            };
            for (builder, value) in builders.iter_mut().zip(&values) {
                builder.push(value)?;
            }
            rows += 1;
        }
        self.run.progress().read(
            if counts { u64::try_from(bytes).unwrap_or(0) } else { 0 },
            u64::try_from(rows).unwrap_or(0),
        );
        if rows == 0 {
            return Ok(None);
        }
        let arrays =
            builders.iter_mut().map(ColumnBuilder::finish).collect::<std::result::Result<Vec<_>, _>>()?;
        Ok(Some(RecordBatch::try_new(Arc::clone(&self.columns), arrays)?))
    }

    /// The object of a line; none and a warning if it is no JSON object.
    fn object<'t>(&self, text: &'t str, place: &mut Place<'_>) -> Option<JsonValue<'t>> {
        let why = match JsonValue::parse(text) {
            Ok(object @ JsonValue::Object(..)) => return Some(object),
            Ok(_) => "a line is JSON, but no object".to_owned(),
            Err(fault) => format!("a line is no JSON: {} at byte {}", fault.reason, fault.at + 1),
        };
        place.warn(Warning { kind: WarningKind::Conversion, sample: why });
        None
    }
}

/// The fields of an object, by name. Pig takes them by position whatever their names; so is an object read that has
/// none of the names.
fn tuple(object: &JsonValue<'_>, schema: &Schema, place: &mut Place<'_>) -> Vec<Value> {
    let name_of = |field: &Field| field.name.as_deref().and_then(|name| object.get(name));
    let entries = match object {
        JsonValue::Object(entries, _) if !schema.fields.iter().any(|field| name_of(field).is_some()) => {
            entries.as_slice()
        }
        _ => &[],
    };
    let fields = schema.fields.iter().enumerate().map(|(index, field)| {
        let found = name_of(field).or_else(|| entries.get(index).map(|(_, item)| item));
        found.map_or(Value::Null, |found| value(found, &field.ty, place))
    });
    fields.collect()
}

/// A JSON value as one of a type: objects are tuples by the names of their fields, or maps; lists are bags.
fn value(json: &JsonValue<'_>, ty: &PigType, place: &mut Place<'_>) -> Value {
    let plain = match (json, ty) {
        (JsonValue::Null, _) => return Value::Null,
        (JsonValue::Object(..), PigType::Tuple(Some(schema))) => {
            return Value::Tuple(tuple(json, schema, place));
        }
        (JsonValue::Object(entries, _), PigType::Map(of)) => {
            let entries = entries.iter().map(|(key, item)| (key.to_string(), value(item, of, place)));
            return Value::Map(entries.collect::<BTreeMap<_, _>>());
        }
        (JsonValue::Array(items, _), PigType::Bag { fields, .. }) => {
            let tuple = PigType::Tuple(fields.clone());
            let single = fields.as_ref().and_then(|schema| match schema.fields.as_slice() {
                [one] => Some(&one.ty),
                _ => None,
            });
            let rows = items.iter().map(|item| match (item, single) {
                (JsonValue::Object(..), _) => value(item, &tuple, place),
                (item, Some(ty)) => Value::Tuple(vec![value(item, ty, place)]),
                (item, None) => Value::Tuple(vec![plain_value(item)]),
            });
            return Value::Bag(rows.collect());
        }
        (JsonValue::Object(_, text) | JsonValue::Array(_, text), ty) => match ty {
            PigType::Bytearray(Unknown::Dynamic) => return plain_value(json),
            PigType::Bytearray(Unknown::Raw(_)) => return Value::Bytearray(text.as_bytes().to_vec()),
            ty => {
                place.warn(not_of_type(text, ty));
                return Value::Null;
            }
        },
        (JsonValue::Text(text), PigType::Bytearray(Unknown::Raw(_))) => {
            return Value::Bytearray(text.as_bytes().to_vec());
        }
        (JsonValue::Number(_), PigType::Bytearray(Unknown::Dynamic)) => return plain_value(json),
        // A number's own text keeps all of its digits.
        (JsonValue::Number(text), _) => Value::Bytearray(text.as_bytes().to_vec()),
        (other, _) => plain_value(other),
    };
    cast(&plain, ty, place)
}

/// A JSON value by itself.
fn plain_value(json: &JsonValue<'_>) -> Value {
    match json {
        JsonValue::Null => Value::Null,
        JsonValue::Boolean(value) => Value::Boolean(*value),
        JsonValue::Number(text) => match text.parse().map(Value::Long) {
            Ok(whole) => whole,
            Err(_) => text.parse().map_or_else(|_| Value::Chararray((*text).to_owned()), Value::Double),
        },
        JsonValue::Text(text) => Value::Chararray(text.to_string()),
        JsonValue::Array(items, _) => {
            Value::Bag(items.iter().map(|item| Value::Tuple(vec![plain_value(item)])).collect())
        }
        JsonValue::Object(entries, _) => {
            Value::Map(entries.iter().map(|(key, item)| (key.to_string(), plain_value(item))).collect())
        }
    }
}
