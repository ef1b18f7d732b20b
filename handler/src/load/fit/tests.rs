use arrow::array::{
    Float64Array, Int32Array, Int64Array, Int64Builder, MapBuilder, StringArray, StringBuilder,
    TimestampMicrosecondArray,
};
use arrow::datatypes::{Int64Type, TimeUnit};

use super::*;

fn fits(array: impl Array + 'static, to: DataType, nullable: bool) -> Vec<bool> {
    let column: ArrayRef = Arc::new(array);
    let (_, fits) = fit(&column, &Field::new("c", to, nullable)).unwrap();
    fits.iter().flatten().collect()
}

#[test]
fn only_values_that_come_back_fit() {
    let doubles = Float64Array::from(vec![Some(1.0), Some(1.5), Some(1e300), None]);
    assert_eq!(fits(doubles, DataType::Int32, true), [true, false, false, true]);
    let longs = Int64Array::from(vec![1, i64::MAX]);
    assert_eq!(fits(longs.clone(), DataType::Int32, false), [true, false]);
    assert_eq!(fits(longs, DataType::Float64, false), [true, false]);
    let micros = TimestampMicrosecondArray::from(vec![1000, 1001]);
    assert_eq!(fits(micros, DataType::Timestamp(TimeUnit::Millisecond, None), true), [true, false]);
    assert_eq!(fits(StringArray::from(vec!["01", "x"]), DataType::Int32, true), [true, false]);
    assert_eq!(fits(Int32Array::from(vec![Some(1), None]), DataType::Int32, false), [true, false]);
}

/// Values inside of nested ones are held to the same rule, and fields are found by name.
#[test]
fn parts_of_nested_values_fit_or_their_row_does_not() {
    let list = |ty| DataType::List(Arc::new(Field::new_list_field(ty, true)));
    let longs = ListArray::from_iter_primitive::<Int64Type, _, _>(vec![
        Some(vec![Some(1), None]),
        Some(vec![Some(1), Some(1 << 40)]),
        None,
        Some(vec![]),
    ]);
    assert_eq!(fits(longs.clone(), list(DataType::Int32), true), [true, false, true, true]);
    let field = |name: &str, ty| Field::new(name, ty, true);
    let row = StructArray::new(
        vec![field("B", list(DataType::Int64)), field("a", DataType::Int64)].into(),
        vec![Arc::new(longs), Arc::new(Int64Array::from(vec![Some(7), Some(8), Some(i64::MAX), None]))],
        None,
    );
    let wanted = DataType::Struct(
        vec![field("a", DataType::Int32), field("b", list(DataType::Int32)), field("c", DataType::Utf8)]
            .into(),
    );
    let column: ArrayRef = Arc::new(row);
    let (fitted, good) = fit(&column, &field("s", wanted.clone())).unwrap();
    assert_eq!(good.iter().flatten().collect::<Vec<_>>(), [true, false, false, true]);
    assert_eq!(fitted.data_type(), &wanted);
    let names: ArrayRef = Arc::new(Int32Array::from(vec![Some(7), Some(8), None, None]));
    assert_eq!(fitted.as_struct().column(0), &names);
    assert_eq!(fitted.as_struct().column(2).null_count(), 4);

    let mut maps = MapBuilder::new(None, StringBuilder::new(), Int64Builder::new());
    for (key, value) in [("1", 1), ("x", 2), ("3", 1 << 40)] {
        maps.keys().append_value(key);
        maps.values().append_value(value);
        maps.append(true).unwrap();
    }
    let pair = vec![Field::new("key", DataType::Int32, false), field("value", DataType::Int32)];
    let entries = Arc::new(Field::new("entries", DataType::Struct(pair.into()), false));
    assert_eq!(fits(maps.finish(), DataType::Map(entries, false), true), [true, false, false]);
}

#[test]
fn a_part_that_cannot_become_another_is_named() {
    let row = |name: &str, ty| DataType::Struct(vec![Field::new(name, ty, true)].into());
    let list = |ty| DataType::List(Arc::new(Field::new_list_field(ty, true)));
    let refused = |from: &DataType, to: &DataType| refuse_misfit("c", from, to).unwrap_err();
    let text = refused(&list(row("x", DataType::Int32)), &list(row("y", DataType::Int32)));
    assert_eq!(text, "column c.element has a field x, and the table's STRUCT<y INT> has none");
    let text = refused(&list(row("x", DataType::Boolean)), &list(row("X", DataType::Date32)));
    assert_eq!(text, "column c.element.x is BOOLEAN, which cannot become DATE");
    assert_eq!(
        refused(&DataType::Int8, &list(DataType::Int8)),
        "column c is TINYINT, which cannot become ARRAY<TINYINT>"
    );
}
