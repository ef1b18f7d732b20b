//! Rows that are added up as a segment keeps them, and the same rows as record batches.

use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, Int32Array, Int64Array, RecordBatch,
    StringArray,
};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::arrow::util::pretty::pretty_format_batches;
use ostracon_compare::{CompareOp, Encoding, PrimitiveType, Scalar};
use ostracon_data::RowBuffer;
use ostracon_iterators::{OnBadValue, Operand, OperandSource, RowFilterSpec, RowPredicate};
use ostracon_tablets::{
    Piece, ScanSpec, Scanner, StatementOptions, StoreOptions, Table, TableSettings, TabletStore,
};

use crate::aggregate::batch::PartialStates;
use crate::aggregate::kernel::{Extreme, Interval, Measures, Operation, Program, Sum};
use crate::aggregate::spec::{AggregateSpec, ROWS, State};
use crate::definition::{ColumnSpec, TableDefinition};
use crate::properties::{InsertMode, TableProperties};
use crate::rows::{RowDecoder, RowEncoder, RowExtras};

const ROW_COUNT: i32 = 3_000;

/// The columns of the table: a name, a place, and values by row.
fn columns() -> Vec<(&'static str, &'static str, ArrayRef)> {
    let rows = || 0..ROW_COUNT;
    let wide = |row: i32| i64::from(row) * 1_000_003 % 90_001;
    let decimal = |precision, values: Vec<Option<i128>>| -> ArrayRef {
        Arc::new(Decimal128Array::from(values).with_precision_and_scale(precision, 2).unwrap())
    };
    let some = |row: i32| (row % 7 != 0).then_some(row);
    vec![
        ("k", ":rowid#n", Arc::new(rows().collect::<Int32Array>())),
        ("pick", "f:pick#n", Arc::new(rows().map(|row| row * 37 % 100).collect::<Int32Array>())),
        ("price", "f:price#n", decimal(15, rows().map(|row| Some(wide(row).into())).collect())),
        ("some", "f:some#n", Arc::new(rows().map(|row| some(row).map(wide)).collect::<Int64Array>())),
        ("hive", "f:hive#b", Arc::new(rows().map(|row| row + 5).collect::<Int32Array>())),
        (
            "far",
            "f:far#n",
            Arc::new(
                rows()
                    .map(
                        |row| {
                            if row % 3 == 0 { i64::MIN / 8192 } else { i64::MAX / 8192 - i64::from(row % 3) }
                        },
                    )
                    .collect::<Int64Array>(),
            ),
        ),
        ("none", "f:none#n", Arc::new(rows().map(|_| None).collect::<Int64Array>())),
        ("day", "f:day#n", Arc::new(Date32Array::from_iter_values(rows().map(|row| row * 7 - 9_000)))),
        (
            "flag",
            "f:flag#n",
            Arc::new(rows().map(|row| Some(["N", "A", "R"][row as usize % 3])).collect::<StringArray>()),
        ),
        (
            "word",
            "f:word#n",
            Arc::new(
                rows()
                    .map(|row| some(row).map(|row| ["one", "three", ""][row as usize % 3]))
                    .collect::<StringArray>(),
            ),
        ),
        (
            "yes",
            "f:yes#n",
            Arc::new(rows().map(|row| some(row).map(|row| row % 5 == 0)).collect::<BooleanArray>()),
        ),
        (
            "bytes",
            "f:bytes#n",
            Arc::new(
                rows().map(|row| Some([&b"\0"[..], b"\xff\xff"][row as usize % 2])).collect::<BinaryArray>(),
            ),
        ),
        ("tiny", "f:tiny#n", decimal(5, rows().map(|row| some(row).map(|row| (row % 9).into())).collect())),
    ]
}

struct Fixture {
    definition: TableDefinition,
    table: Table,
    /// The rows are in memory as long as it is.
    _store: TabletStore,
}

impl Fixture {
    fn new() -> Self {
        let columns = columns();
        let places: Vec<&str> = columns.iter().map(|(_, place, _)| *place).collect();
        let properties = TableProperties::parse([("columns.mapping", places.join(",").as_str())]).unwrap();
        let specs = columns
            .iter()
            .map(|(name, _, array)| ColumnSpec::new(*name, array.data_type().clone()))
            .collect();
        let definition = TableDefinition::mapped("t", specs, true, properties).unwrap();
        let arrays = columns.into_iter().map(|(_, _, array)| array).collect();
        let batch = RecordBatch::try_new(definition.write_schema(), arrays).unwrap();
        let encoder = RowEncoder::new(&definition, InsertMode::Upsert, None).unwrap();
        let store = TabletStore::in_memory(StoreOptions::default()).unwrap();
        let settings = TableSettings { row_layout: definition.row_id.widths(), ..TableSettings::default() };
        let table = store.create_table("t", settings).unwrap();
        let mut statement = table.statement(StatementOptions::default()).unwrap();
        for mutation in encoder.encode(&batch, RowExtras::default()).unwrap() {
            statement.write(mutation).unwrap();
        }
        statement.commit().unwrap();
        store.compact(None).unwrap();
        Self { definition, table, _store: store }
    }

    fn column(&self, name: &str) -> usize {
        self.definition.columns.iter().position(|column| column.name == name).unwrap()
    }

    fn input(&self) -> Vec<DataType> {
        self.definition.columns.iter().map(|column| column.data_type.clone()).collect()
    }

    /// Rows by group; sums, least and greatest numbers and their count of some columns, and of their products with the
    /// first.
    fn spec(&self, groups: &[&str], measured: &[&str]) -> AggregateSpec {
        let types = self.input();
        let groups: Vec<usize> = groups.iter().map(|name| self.column(name)).collect();
        let mut measures = Measures { presences: vec![Vec::new()], ..Measures::default() };
        let mut states = vec![State::Count { presence: ROWS }];
        let mut fields: Vec<Field> = groups
            .iter()
            .map(|column| Field::new(format!("g{column}"), types[*column].clone(), true))
            .collect();
        fields.push(Field::new("rows", DataType::Int64, false));
        let mut program = Program::new();
        let first = self.column(measured.first().unwrap_or(&"k"));
        for name in measured {
            let column = self.column(name);
            let presence = measures.presences.len();
            measures.presences.push(vec![first, column]);
            states.push(State::Count { presence });
            fields.push(Field::new(format!("{name} count"), DataType::Int64, false));
            let step = program.step(Operation::Column(column), Interval::ALL);
            let factor = program.step(Operation::Column(first), Interval::ALL);
            let product = program.step(Operation::Multiply(step, factor), Interval::ALL);
            for step in [step, product] {
                states.push(State::Sum(measures.sums.len()));
                measures.sums.push(Sum { step, presence, in_float: false });
                fields.push(Field::new(format!("{name} sum {step}"), DataType::Decimal128(38, 0), true));
            }
            for greatest in [false, true] {
                states.push(State::Extreme(measures.extremes.len()));
                measures.extremes.push(Extreme { step, presence, greatest });
                fields.push(Field::new(format!("{name} {greatest}"), types[column].clone(), true));
            }
        }
        measures.program = program;
        let schema = Arc::new(Schema::new(fields));
        AggregateSpec { groups, measures, texts: Vec::new(), states, schema, labels: Vec::new() }
    }

    /// The states by segments and by record batches, and whether every piece was taken as it is kept.
    fn both_ways(&self, spec: &AggregateSpec, scan: &ScanSpec) -> (Vec<String>, Vec<String>, bool) {
        let mut by_segment = PartialStates::new(spec, &self.input()).unwrap();
        let mut by_batch = PartialStates::new(spec, &self.input()).unwrap();
        let mut decoder = RowDecoder::new(&self.definition, None).unwrap();
        let mut scanner = Scanner::new(&self.table.version().unwrap(), scan).unwrap();
        let mut all = true;
        loop {
            match scanner.next_piece(usize::MAX, &mut RowBuffer::new()).unwrap() {
                Piece::End => break,
                Piece::Row => panic!("all rows are in segments"),
                Piece::Hits(hits) => {
                    let taken = by_segment.add_hits(&decoder, &hits).unwrap();
                    all &= taken == Some(Ok(()));
                    decoder.append_hits(&hits).unwrap();
                    let batch = decoder.finish().unwrap();
                    if taken.is_none() {
                        by_segment.add(&batch).unwrap().unwrap();
                    }
                    by_batch.add(&batch).unwrap().unwrap();
                }
            }
        }
        (lines(by_segment), lines(by_batch), all)
    }
}

fn lines(states: PartialStates) -> Vec<String> {
    let shown = pretty_format_batches(&[states.finish().unwrap()]).unwrap().to_string();
    let mut lines: Vec<String> = shown.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

/// All rows, most rows, few rows, and none of some segments.
fn scans() -> Vec<ScanSpec> {
    let cell = |op, value| {
        let operand = Operand {
            name: "pick".to_owned(),
            source: OperandSource::Cell { family: b"f".to_vec(), qualifier: b"pick".to_vec() },
            ty: PrimitiveType::Int32,
            encoding: Encoding::Native,
            null_sequence: None,
        };
        let predicate = RowPredicate::Compare { operand: 0, op, constant: Scalar::Int(value) };
        let filter = RowFilterSpec { operands: vec![operand], predicate, on_bad_value: OnBadValue::Error };
        ScanSpec { filter: Some(filter), ..ScanSpec::default() }
    };
    vec![
        ScanSpec::default(),
        cell(CompareOp::LessThan, 97),
        cell(CompareOp::NotEqual, 13),
        cell(CompareOp::LessThan, 4),
        cell(CompareOp::Equal, 99),
    ]
}

#[test]
fn numbers_and_groups_are_the_same_however_they_are_kept() {
    let fixture = Fixture::new();
    let numbers = ["price", "some", "far", "none", "k", "hive", "day", "tiny"];
    let groups: [&[&str]; 9] = [
        &[],
        &["flag"],
        &["word", "flag"],
        &["yes"],
        &["none", "tiny"],
        &["bytes", "yes"],
        &["far"],
        &["pick"],
        &["tiny", "flag", "word"],
    ];
    for scan in scans() {
        for groups in groups {
            for measured in [&numbers[..], &numbers[..1], &[]] {
                let spec = fixture.spec(groups, measured);
                let (found, wanted, _) = fixture.both_ways(&spec, &scan);
                assert_eq!(found, wanted, "{groups:?} of {:?}", scan.filter);
            }
        }
    }
}

#[test]
fn what_can_be_added_up_as_it_is_kept_is() {
    let fixture = Fixture::new();
    let taken = |groups: &[&str], measured: &[&str], scan: &ScanSpec| {
        fixture.both_ways(&fixture.spec(groups, measured), scan).2
    };
    for scan in scans() {
        let numbers = ["price", "some", "far", "none", "k", "hive", "day", "tiny"];
        for number in numbers {
            assert!(taken(&[], &[number], &scan), "{number}");
        }
        for group in ["flag", "word", "none", "tiny", "pick", "bytes", "far"] {
            assert!(taken(&[group], &["price"], &scan), "{group}");
        }
        assert!(taken(&["flag", "word", "bytes"], &[], &scan));
        assert!(!taken(&["price"], &[], &scan), "too many groups for the codes of a segment");
        assert!(!taken(&["pick", "tiny", "word"], &["price"], &scan), "together too many");
    }
}

#[test]
fn rows_that_are_judged_whole_go_through_record_batches() {
    let mut fixture = Fixture::new();
    fixture.definition.properties.on_bad_value = OnBadValue::SkipRow;
    let spec = fixture.spec(&["flag"], &["price"]);
    let (found, wanted, all) = fixture.both_ways(&spec, &ScanSpec::default());
    assert_eq!(found, wanted);
    assert!(!all);
}
