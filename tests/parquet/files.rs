//! Parquet files written value by value, so that they have just the levels wanted.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use datafusion::parquet::column::writer::ColumnWriter;
use datafusion::parquet::data_type::ByteArray;
use datafusion::parquet::file::properties::WriterProperties;
use datafusion::parquet::file::writer::SerializedFileWriter;
use datafusion::parquet::schema::parser::parse_message_type;

/// The values of a leaf that are there.
#[derive(Debug, Clone)]
pub(crate) enum Values {
    Ints(Vec<i32>),
    Longs(Vec<i64>),
    Texts(Vec<&'static str>),
}

/// A leaf of a row group: values, definition levels, repetition levels.
pub(crate) type Column = (Values, Vec<i16>, Vec<i16>);

/// Whole numbers that are all there, once a row.
pub(crate) fn ids(ids: impl IntoIterator<Item = i64>) -> Column {
    (Values::Longs(ids.into_iter().collect()), Vec::new(), Vec::new())
}

/// Writes a file of row groups.
pub(crate) fn write(path: &Path, message: &str, properties: WriterProperties, groups: Vec<Vec<Column>>) {
    let schema = Arc::new(parse_message_type(message).unwrap());
    let file = File::create(path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties)).unwrap();
    for group in groups {
        let mut row_group = writer.next_row_group().unwrap();
        for (values, definition, repetition) in group {
            let mut column = row_group.next_column().unwrap().unwrap();
            let definition = (!definition.is_empty()).then_some(definition.as_slice());
            let repetition = (!repetition.is_empty()).then_some(repetition.as_slice());
            match (column.untyped(), values) {
                (ColumnWriter::Int32ColumnWriter(out), Values::Ints(values)) => {
                    out.write_batch(&values, definition, repetition).unwrap();
                }
                (ColumnWriter::Int64ColumnWriter(out), Values::Longs(values)) => {
                    out.write_batch(&values, definition, repetition).unwrap();
                }
                (ColumnWriter::ByteArrayColumnWriter(out), Values::Texts(values)) => {
                    let values: Vec<ByteArray> = values.into_iter().map(ByteArray::from).collect();
                    out.write_batch(&values, definition, repetition).unwrap();
                }
                (_, values) => panic!("{values:?} do not fit {message}"),
            }
            column.close().unwrap();
        }
        assert!(row_group.next_column().unwrap().is_none(), "columns of {message} are missing");
        row_group.close().unwrap();
    }
    writer.close().unwrap();
}
