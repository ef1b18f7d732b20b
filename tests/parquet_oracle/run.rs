//! Rounds: files of random flavours, a table over them, and queries of it and of the same rows in memory.

use std::collections::BTreeSet;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{DataType, Fields, SchemaRef};
use datafusion::datasource::MemTable;
use datafusion::parquet::file::properties::{EnabledStatistics, WriterProperties};
use ostracon::Session;

use crate::flavour::{Kind, Node, Writer, message};
use crate::query::query;
use crate::random::Random;
use crate::schema::{Ty, columns, ddl, sub_schema};
use crate::session::{run, session, try_rows};
use crate::shred::write;
use crate::value::{Value, column, value};

/// What came out.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    pub(crate) asked: usize,
    pub(crate) answered: usize,
    pub(crate) non_empty: usize,
    pub(crate) differences: Vec<String>,
}

impl std::fmt::Display for Summary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { asked, answered, non_empty, differences } = self;
        write!(f, "{asked} asked, {answered} answered, {non_empty} not empty, {} differ", differences.len())
    }
}

/// A file and its rows.
struct Written {
    message: String,
    rows: Vec<Value>,
    nodes: Vec<Node>,
}

/// Rounds of a seed, each with a table of its own and one query. Round `n` is the same however many there are.
pub(crate) async fn rounds(from: u64, count: u64, seed: u64) -> Summary {
    let mut summary = Summary::default();
    let session = session();
    for round in from..from + count {
        let mut random = Random::new(seed.wrapping_mul(1_000_003).wrapping_add(round));
        if let Some(difference) = one(&session, &mut random, &mut summary).await {
            summary.differences.push(format!("round {round}: {difference}"));
            if summary.differences.len() >= 10 {
                break;
            }
        }
    }
    summary
}

async fn one(session: &Session, random: &mut Random, summary: &mut Summary) -> Option<String> {
    let schema = columns(random);
    let declared = random.chance(60).then(|| sub_schema(random, &schema));
    let folder = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    for nth in 0..1 + random.below(3) {
        let nodes = Writer { random, any_case: declared.is_some() }.fields(&schema);
        let file = Written { message: message(&nodes), rows: rows(random, &nodes, nth), nodes };
        let groups: Vec<&[Value]> = file.rows.chunks(1 + random.below(8)).collect();
        write(&folder.path().join(format!("f{nth}.parquet")), &file.nodes, &groups, properties(random));
        files.push(file);
    }
    let shown = declared.as_deref().map(ddl).unwrap_or_default();
    let pushdown = *random.pick(&["true", "false"]);
    let context = format!(
        "{shown}, filters in the reader {pushdown}, {:?}",
        files.iter().map(|file| file.message.as_str()).collect::<Vec<_>>()
    );
    for statement in [
        "DROP TABLE IF EXISTS t".to_owned(),
        format!("SET datafusion.execution.parquet.pushdown_filters = {pushdown}"),
        format!("CREATE EXTERNAL TABLE t {shown} STORED AS PARQUET LOCATION '{}/'", folder.path().display()),
    ] {
        if let Err(error) = run(session, &statement).await {
            return Some(format!("{statement}: {error}; {context}"));
        }
    }
    let table = session.context().table_provider("t").await.unwrap().schema();
    if declared.is_none() {
        let (mut held, mut wanted) = (BTreeSet::new(), BTreeSet::new());
        paths(table.fields(), "", &mut held);
        files.iter().for_each(|file| file.nodes.iter().for_each(|node| node_paths(node, "", &mut wanted)));
        if held != wanted {
            return Some(format!("the merged schema has {held:?}, the files {wanted:?}; {context}"));
        }
    }
    let memory = in_memory(&table, &files);
    let memory = MemTable::try_new(Arc::clone(&table), vec![vec![memory]]).unwrap();
    session.context().deregister_table("memory").unwrap();
    session.context().register_table("memory", Arc::new(memory)).unwrap();
    let known: Vec<(String, Ty)> = declared.unwrap_or_else(|| schema_of(&schema, &table));
    let query = query(random, &known);
    summary.asked += 1;
    let read = try_rows(session, &query.replace("$T", "t")).await;
    let wanted = try_rows(session, &query.replace("$T", "memory")).await;
    match (read, wanted) {
        (Ok(read), Ok(wanted)) if read == wanted => {
            summary.answered += 1;
            summary.non_empty += usize::from(!read.is_empty());
            None
        }
        (Err(_), Err(_)) => None,
        (read, wanted) => Some(format!("{query}\n  read   {read:?}\n  wanted {wanted:?}\n  {context}")),
    }
}

fn rows(random: &mut Random, nodes: &[Node], file: usize) -> Vec<Value> {
    let count = if random.chance(5) { 0 } else { 1 + random.below(12) };
    let row = |nth: usize, random: &mut Random| {
        let fields = nodes.iter().map(|node| {
            let value = match node.name.as_str() {
                "id" => Value::Whole((file * 100 + nth) as i32),
                _ => value(random, node),
            };
            (node.name.clone(), value)
        });
        Value::Struct(fields.collect())
    };
    (0..count).map(|nth| row(nth, random)).collect()
}

fn properties(random: &mut Random) -> WriterProperties {
    let statistics =
        *random.pick(&[EnabledStatistics::None, EnabledStatistics::Chunk, EnabledStatistics::Page]);
    WriterProperties::builder()
        .set_statistics_enabled(statistics)
        .set_dictionary_enabled(random.chance(50))
        .set_bloom_filter_enabled(random.chance(20))
        .set_write_batch_size(1 + random.below(4))
        .set_data_page_row_count_limit(1 + random.below(6))
        .build()
}

fn in_memory(table: &SchemaRef, files: &[Written]) -> RecordBatch {
    let rows: Vec<&Value> = files.iter().flat_map(|file| &file.rows).collect();
    let columns = table.fields().iter().map(|field| column(&rows, field)).collect();
    RecordBatch::try_new(Arc::clone(table), columns).unwrap()
}

/// The columns of the schema that the table has, with the fields that it has of them.
fn schema_of(schema: &[(String, Ty)], table: &SchemaRef) -> Vec<(String, Ty)> {
    let held = schema.iter().filter_map(|(name, ty)| {
        let field = table.field_with_name(name).ok()?;
        Some((name.clone(), held(ty, field.data_type())))
    });
    held.collect()
}

fn held(ty: &Ty, found: &DataType) -> Ty {
    match (ty, found) {
        (Ty::Struct(fields), DataType::Struct(found)) => {
            let fields = found.iter().map(|field| {
                let known = fields.iter().find(|(name, _)| name == field.name());
                let ty = known.map_or(Ty::Whole, |(_, ty)| held(ty, field.data_type()));
                (field.name().clone(), ty)
            });
            Ty::Struct(fields.collect())
        }
        (Ty::List(element), DataType::List(item)) => Ty::List(Box::new(held(element, item.data_type()))),
        (Ty::Map(key, value), DataType::Map(entries, _)) => match entries.data_type() {
            DataType::Struct(parts) => Ty::Map(key.clone(), Box::new(held(value, parts[1].data_type()))),
            _ => ty.clone(),
        },
        _ => ty.clone(),
    }
}

fn paths(fields: &Fields, above: &str, into: &mut BTreeSet<String>) {
    for field in fields {
        type_paths(field.data_type(), &format!("{above}.{}", field.name()), into);
    }
}

fn type_paths(ty: &DataType, path: &str, into: &mut BTreeSet<String>) {
    match ty {
        DataType::Struct(fields) => paths(fields, path, into),
        DataType::List(item) => type_paths(item.data_type(), &format!("{path}.element"), into),
        DataType::Map(entries, _) => {
            let DataType::Struct(parts) = entries.data_type() else { panic!("{ty} is no map") };
            type_paths(parts[0].data_type(), &format!("{path}.key"), into);
            type_paths(parts[1].data_type(), &format!("{path}.value"), into);
        }
        _ => {
            into.insert(path.to_owned());
        }
    }
}

fn node_paths(node: &Node, above: &str, into: &mut BTreeSet<String>) {
    let path = format!("{above}.{}", node.name);
    match &node.kind {
        Kind::Leaf(_) => {
            into.insert(path);
        }
        Kind::Struct(fields) => fields.iter().for_each(|field| node_paths(field, &path, into)),
        Kind::List(_, element) => node_paths(element, &path, into),
        Kind::Map(.., parts) => parts.iter().for_each(|part| node_paths(part, &path, into)),
    }
}
