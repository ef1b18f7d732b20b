//! What is loaded as segments is what mutations would have written.

use datafusion::arrow::compute::concat_batches;
use datafusion::logical_expr::dml::InsertOp;
use ostracon_data::{Authorizations, ROW_MARKER_FAMILY, RowBuffer};
use ostracon_tablets::{ManualClock, ScanSpec, Scanner, StoreOptions, TableSettings, TabletStore};
use proptest::prelude::*;

use crate::definition::TableDefinition;
use crate::error::ErrorKind;
use crate::generate::{Random, Sample, sample};
use crate::properties::InsertMode;
use crate::provider::TabletTableProvider;
use crate::settings::OstraconSettings;
use crate::storage::SessionAccess;
use crate::write::{InsertSink, WriteSink};

use super::*;

/// A store with a table; every statement with more than `small_rows` rows is loaded.
struct World {
    store: TabletStore,
    clock: Arc<ManualClock>,
    provider: TabletTableProvider,
    settings: OstraconSettings,
}

/// Family, qualifier, label, time and value.
type OwnedCell = (Vec<u8>, Vec<u8>, Vec<u8>, i64, Vec<u8>);

struct Statement<'a> {
    batches: Vec<RecordBatch>,
    named: Option<&'a [usize]>,
    op: InsertOp,
}

impl World {
    fn new(definition: &TableDefinition, small_rows: u64, memory: usize) -> Self {
        let clock = Arc::new(ManualClock::new(1_000));
        let options = StoreOptions {
            clock: clock.clone(),
            segment_rows: 3,
            spill_threshold: memory,
            ..StoreOptions::default()
        };
        let store = TabletStore::in_memory(options).unwrap();
        let row_layout = definition.row_id.widths();
        store
            .create_table(&definition.store_table, TableSettings { row_layout, ..TableSettings::default() })
            .unwrap();
        let access = SessionAccess { authorizations: Authorizations::new(["a", "b"]), admin: false };
        let provider = TabletTableProvider::try_new(definition.clone(), store.clone(), access).unwrap();
        let settings = OstraconSettings { bulk_insert_rows: small_rows, ..OstraconSettings::default() };
        Self { store, clock, provider, settings }
    }

    fn run(&self, statement: &Statement<'_>) -> Result<u64> {
        self.clock.advance(10);
        let named = statement.named.map(<[usize]>::to_vec);
        let sink = InsertSink::try_new(&self.provider, named, statement.op, &self.settings)?;
        let mut write = sink.begin()?;
        for batch in &statement.batches {
            write.write(batch)?;
        }
        write.commit()
    }

    /// Every row's id and cells, with their labels and times. A row's marker counts where there is nothing else: mutations
    /// leave that of an earlier row of the statement, and it tells nothing then.
    fn rows(&self) -> Vec<(Vec<u8>, Vec<OwnedCell>)> {
        let name = &self.provider.definition().store_table;
        let version = self.store.table(name).unwrap().version().unwrap();
        let authorizations = Authorizations::new(["a", "b"]);
        let mut scanner =
            Scanner::new(&version, &ScanSpec { authorizations, ..ScanSpec::default() }).unwrap();
        let mut rows = Vec::new();
        let mut row = RowBuffer::new();
        while scanner.next_row(&mut row).unwrap() {
            let values = row.cells().filter(|cell| cell.family != ROW_MARKER_FAMILY).count();
            let cells = row.cells().filter(|cell| values == 0 || cell.family != ROW_MARKER_FAMILY);
            let cells = cells.map(|cell| {
                let [family, qualifier, label, value] =
                    [cell.family, cell.qualifier, cell.visibility, cell.value].map(<[u8]>::to_vec);
                (family, qualifier, label, cell.timestamp, value)
            });
            rows.push((row.row().to_vec(), cells.collect()));
        }
        rows
    }

    fn segments(&self) -> u64 {
        let report = self.store.check().unwrap();
        assert!(report.is_clean(), "{:?}", report.problems);
        report.segments
    }
}

/// Some of a sample's rows, in a few batches.
fn batches(random: &mut Random, sample: &Sample) -> Vec<RecordBatch> {
    let batch = |random: &mut Random| {
        let rows: Vec<&RecordBatch> = (0..random.below(12)).map(|_| random.pick(&sample.batches)).collect();
        concat_batches(&sample.definition.write_schema(), rows).unwrap()
    };
    (0..random.below(6)).map(|_| batch(random)).collect()
}

fn table(random: &mut Random) -> Sample {
    let mut sample = sample(random, false);
    let properties = &mut sample.definition.properties;
    properties.insert_mode = *random.pick(&[InsertMode::Upsert, InsertMode::Merge, InsertMode::Error]);
    properties.visibility_label = random.pick(&[None, None, Some(b"a".to_vec())]).clone();
    sample
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn loads_are_inserts(seed: u64) {
        let random = &mut Random::new(seed);
        let sample = table(random);
        let memory = *random.pick(&[200, 2_000, 1 << 20]);
        let loaded = World::new(&sample.definition, random.below(3) as u64, memory);
        let inserted = World::new(&sample.definition, u64::MAX, 1 << 20);
        for _ in 0..1 + random.below(4) {
            let key = sample.definition.key_columns();
            let names = |random: &mut Random, column: &usize| key.contains(column) || random.one_in(2);
            let named: Vec<usize> = (0..sample.definition.columns.len()).filter(|column| names(random, column)).collect();
            let statement = Statement {
                batches: batches(random, &sample),
                named: random.one_in(2).then_some(named.as_slice()),
                op: if random.one_in(5) { InsertOp::Overwrite } else { InsertOp::Append },
            };
            let (a, b) = (loaded.run(&statement), inserted.run(&statement));
            match (&a, &b) {
                (Ok(a), Ok(b)) => prop_assert_eq!(a, b),
                // Which of two faults is met first is another matter.
                (Err(a), Err(b)) => prop_assert_eq!(a.kind, b.kind),
                _ => prop_assert!(false, "loaded {:?}, inserted {:?}", a, b),
            }
            prop_assert_eq!(loaded.rows(), inserted.rows());
            if random.one_in(4) {
                loaded.store.compact(None).unwrap();
            }
        }
        loaded.segments();
    }
}

mod columns {
    use datafusion::arrow::array::{ArrayRef, Decimal128Array, Int64Array, StringArray};
    use datafusion::arrow::datatypes::DataType;

    use super::*;
    use crate::definition::ColumnSpec;
    use crate::properties::TableProperties;

    fn definition(mode: &str) -> TableDefinition {
        with_properties(&[("insert.mode", mode)])
    }

    fn with_properties(properties: &[(&str, &str)]) -> TableDefinition {
        let columns = vec![
            ColumnSpec::new("k", DataType::Int64),
            ColumnSpec::new("name", DataType::Utf8).not_null(),
            ColumnSpec::new("price", DataType::Decimal128(4, 2)),
        ];
        let properties = TableProperties::parse(properties.iter().copied()).unwrap();
        TableDefinition::typed("t", columns, &["k".to_owned()], properties).unwrap()
    }

    fn batch(definition: &TableDefinition, keys: &[i64]) -> RecordBatch {
        let names: Vec<String> = keys.iter().map(|key| format!("name {key}")).collect();
        let prices = Decimal128Array::from(keys.iter().map(|key| Some(i128::from(*key))).collect::<Vec<_>>());
        let columns: Vec<ArrayRef> = vec![
            Arc::new(Int64Array::from(keys.to_vec())),
            Arc::new(StringArray::from(names)),
            Arc::new(prices.with_data_type(DataType::Decimal128(4, 2))),
        ];
        RecordBatch::try_new(definition.write_schema(), columns).unwrap()
    }

    fn insert(world: &World, parts: &[&[i64]]) -> Result<u64> {
        let batches = parts.iter().map(|keys| batch(world.provider.definition(), keys)).collect();
        world.run(&Statement { batches, named: None, op: InsertOp::Append })
    }

    fn keys(world: &World) -> Vec<i64> {
        let key = |(row, _): (Vec<u8>, _)| i64::from_be_bytes(row.try_into().unwrap()) ^ i64::MIN;
        world.rows().into_iter().map(key).collect()
    }

    #[test]
    fn few_rows_stay_mutations_and_many_become_segments() {
        let world = World::new(&definition("upsert"), 4, 1 << 20);
        assert_eq!(insert(&world, &[&[1, 2], &[3, 4]]).unwrap(), 4);
        assert_eq!(world.segments(), 0);
        assert_eq!(insert(&world, &[&[11, 12], &[13, 14], &[15, 16, 17]]).unwrap(), 7);
        assert_eq!(world.segments(), 3);
        assert_eq!(keys(&world), [1, 2, 3, 4, 11, 12, 13, 14, 15, 16, 17]);
    }

    #[test]
    fn rows_whose_cells_are_not_alike_stay_mutations() {
        for properties in [("max.versions", "2"), ("visibility.column.price", "a")] {
            let world = World::new(&with_properties(&[properties]), 0, 1 << 20);
            assert_eq!(insert(&world, &[&[1, 2, 3], &[4, 5]]).unwrap(), 5);
            assert_eq!((world.segments(), keys(&world).len()), (0, 5), "{properties:?}");
        }
    }

    #[test]
    fn rows_without_order_are_sorted_whatever_the_memory() {
        let all: Vec<i64> = (0..500).map(|n| n * 7919 % 500).collect();
        for memory in [1_000, 1 << 20] {
            let world = World::new(&definition("error"), 4, memory);
            let parts: Vec<&[i64]> = all.chunks(17).collect();
            assert_eq!(insert(&world, &parts).unwrap(), 500);
            assert_eq!(keys(&world), (0..500).collect::<Vec<_>>());
            assert_eq!(world.segments(), 500_u64.div_ceil(3));
        }
    }

    #[test]
    fn order_that_ends_late_and_rows_that_repeat_are_right_too() {
        let world = World::new(&definition("upsert"), 2, 2_000);
        let parts: [&[i64]; 5] =
            [&[1, 2, 3, 4, 5, 5, 6], &[6, 7, 7, 7, 8, 9, 10], &[20, 21, 3], &[30, 25, 9], &[40]];
        assert_eq!(insert(&world, &parts).unwrap(), 21);
        assert_eq!(keys(&world), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 21, 25, 30, 40]);
    }

    #[test]
    fn a_key_that_repeats_or_exists_is_named() {
        let world = World::new(&definition("error"), 2, 1 << 20);
        insert(&world, &[&[1, 2, 3, 4]]).unwrap();
        for (parts, words) in [
            (vec![[5, 6, 7, 7]], "two rows of the statement have the key k = 7"),
            (vec![[5, 6, 7, 8], [8, 9, 10, 11]], "two rows of the statement have the key k = 8"),
            (vec![[9, 8, 7, 9]], "two rows of the statement have the key k = 9"),
            (vec![[20, 21, 22, 23], [24, 25, 26, 21]], "two rows of the statement have the key k = 21"),
            (vec![[20, 30, 40, 50], [60, 15, 25, 30]], "two rows of the statement have the key k = 30"),
            (vec![[3, 10, 11, 12]], "there is a row with the key k = 3"),
            (vec![[10, 11, 12, 13], [14, 2, 15, 16]], "there is a row with the key k = 2"),
        ] {
            let parts: Vec<&[i64]> = parts.iter().map(|keys| keys.as_slice()).collect();
            let error = insert(&world, &parts).unwrap_err();
            assert_eq!(error.kind, ErrorKind::AlreadyExists);
            assert!(error.message.contains(words), "{error}");
            assert_eq!(keys(&world), [1, 2, 3, 4], "nothing was inserted");
        }
        assert_eq!(insert(&world, &[&[0, 5, 6, 7]]).unwrap(), 4);
    }

    #[test]
    fn what_cannot_be_written_is_named_with_its_row() {
        let world = World::new(&definition("upsert"), 1, 1 << 20);
        let definition = world.provider.definition();
        let with = |column: usize, array: ArrayRef| {
            let mut columns = batch(definition, &[4, 5]).columns().to_vec();
            columns[column] = array;
            RecordBatch::try_new(definition.write_schema(), columns).unwrap()
        };
        let price = Decimal128Array::from(vec![1, 10_000]).with_data_type(DataType::Decimal128(4, 2));
        for (bad, words) in [
            (with(0, Arc::new(Int64Array::from(vec![Some(4), None]))), "column 'k', row 5"),
            (with(1, Arc::new(StringArray::from(vec![Some("x"), None]))), "column 'name', row 5: NULL"),
            (with(2, Arc::new(price)), "column 'price', row 5"),
        ] {
            let batches = vec![batch(definition, &[1, 2, 3]), bad];
            let error = world.run(&Statement { batches, named: None, op: InsertOp::Append }).unwrap_err();
            assert_eq!(error.kind, ErrorKind::Invalid);
            assert!(error.message.contains(words), "{error}");
        }
        assert!(world.rows().is_empty());
    }
}
