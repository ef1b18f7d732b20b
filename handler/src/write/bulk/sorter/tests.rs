use std::collections::BTreeMap;

use datafusion::arrow::array::Int32Array;
use datafusion::arrow::compute::concat_batches;
use datafusion::arrow::datatypes::Int32Type;
use proptest::prelude::*;

use super::*;
use crate::write::bulk::key::ByteIds;

fn schema() -> Schema {
    Schema::new(vec![Field::new("n", DataType::Int32, false)])
}

/// Batches of rows, each with an id and a number that tells them apart.
fn batches(rows: &[Vec<Vec<u8>>]) -> Vec<(RecordBatch, RowIds)> {
    let mut number = 0..;
    let batch = |rows: &Vec<Vec<u8>>| {
        let mut ids = ByteIds::default();
        rows.iter().for_each(|id| ids.push(id).unwrap());
        let numbers = Int32Array::from_iter_values(number.by_ref().take(rows.len()));
        (RecordBatch::try_new(Arc::new(schema()), vec![Arc::new(numbers)]).unwrap(), RowIds::Bytes(ids))
    };
    rows.iter().map(batch).collect()
}

fn sorted(rows: &[Vec<Vec<u8>>], same_id: SameId, memory: usize) -> std::result::Result<Vec<i32>, i32> {
    let folder = tempfile::tempdir().unwrap();
    let mut sorter = Sorter::new(&schema(), same_id, memory, Some(folder.path().to_path_buf()));
    let number = |batch: &RecordBatch| batch.column(0).as_primitive::<Int32Type>().values().to_vec();
    let twice = |fault: SortFault| match fault {
        SortFault::Duplicate(Duplicate(row)) => {
            assert_eq!(row.num_rows(), 1);
            number(&row)[0]
        }
        SortFault::Failed(error) => panic!("{error}"),
    };
    for (batch, ids) in batches(rows) {
        sorter.push(&batch, &ids).map_err(twice)?;
    }
    let mut found = Vec::new();
    for batch in sorter.finish().map_err(twice)? {
        let batch = batch.map_err(twice)?;
        assert_eq!(batch.num_columns(), 1);
        assert!((1..=BATCH_ROWS).contains(&batch.num_rows()));
        found.push(batch);
    }
    let whole = concat_batches(&Arc::new(schema()), &found).unwrap();
    // No file has a name.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    Ok(number(&whole))
}

fn ids() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::collection::vec(0u8..3, 0..4),
        (0u8..20).prop_map(|last| [b"a long beginning of ".as_slice(), &[last]].concat()),
        any::<[u8; 12]>().prop_map(|id| id.to_vec()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn rows_come_in_the_order_of_their_ids_the_last_of_each(
        rows in prop::collection::vec(prop::collection::vec(ids(), 0..12), 0..60),
        memory in prop::sample::select(vec![0, 500, 3000, 1 << 20]),
    ) {
        let mut wanted = BTreeMap::new();
        let mut numbers = 0..;
        for id in rows.iter().flatten() {
            wanted.insert(id.clone(), numbers.next().unwrap());
        }
        let all_differ = wanted.len() == rows.iter().flatten().count();
        let wanted: Vec<i32> = wanted.into_values().collect();
        prop_assert_eq!(sorted(&rows, SameId::KeepLast, memory), Ok(wanted.clone()));
        match sorted(&rows, SameId::Refuse, memory) {
            Ok(found) => prop_assert!(all_differ && found == wanted),
            Err(_) => prop_assert!(!all_differ),
        }
    }
}

#[test]
fn many_rows_are_cut_into_batches() {
    let rows: Vec<Vec<u8>> = (0..10_000u32).rev().map(|id| id.to_be_bytes().to_vec()).collect();
    let wanted: Vec<i32> = (0..10_000).rev().collect();
    for memory in [1 << 30, 100_000] {
        let parts: Vec<Vec<Vec<u8>>> = rows.chunks(700).map(<[_]>::to_vec).collect();
        assert_eq!(sorted(&parts, SameId::Refuse, memory), Ok(wanted.clone()));
    }
}

#[test]
fn the_row_that_comes_twice_is_the_later_one() {
    let rows: Vec<Vec<Vec<u8>>> =
        vec![vec![b"b".to_vec(), b"a".to_vec()], vec![b"c".to_vec(), b"b".to_vec()]];
    for memory in [0, 1 << 20] {
        assert_eq!(sorted(&rows, SameId::Refuse, memory), Err(3));
    }
}
