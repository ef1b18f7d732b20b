use arrow::array::AsArray;
use arrow::compute::concat_batches;
use arrow::datatypes::{DataType, Field, Int32Type, Schema};
use datafusion::parquet::arrow::ArrowWriter;
use futures::TryStreamExt;

use super::*;
use crate::load::{BadRow, HeaderRule};

fn target() -> SchemaRef {
    Arc::new(Schema::new(vec![
        Field::new("k", DataType::Int32, false),
        Field::new("v", DataType::Utf8, true),
        Field::new("w", DataType::Int32, true),
    ]))
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

fn load(paths: &[PathBuf], options: LoadOptions) -> Result<RecordBatch, LoadError> {
    let source = LoadSource::open(paths, &target(), options, Arc::default())?;
    let batches = source.batches().collect::<Result<Vec<_>, _>>()?;
    let whole = concat_batches(source.schema(), &batches)?;
    assert_eq!(source.progress().rows(), u64::try_from(whole.num_rows()).unwrap());
    Ok(whole)
}

fn rows(batch: &RecordBatch) -> Vec<String> {
    let mut writer = crate::export::JsonWriter::new(Vec::new(), crate::export::JsonLayout::Lines);
    writer.write(batch).unwrap();
    String::from_utf8(writer.finish().unwrap()).unwrap().lines().map(str::to_owned).collect()
}

fn bad(result: Result<RecordBatch, LoadError>) -> BadRow {
    match result {
        Err(LoadError::Row(row)) => *row,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_header_names_the_columns_in_any_order() {
    let folder = Folder::new();
    let path = folder.file("a.csv", "\u{feff}W,k\r\n1,2\r\n,3");
    for header in [HeaderRule::Guess, HeaderRule::Names, HeaderRule::Skip] {
        let batch =
            load(std::slice::from_ref(&path), LoadOptions { header, ..LoadOptions::default() }).unwrap();
        assert_eq!(rows(&batch), ["{\"w\":1,\"k\":2}", "{\"w\":null,\"k\":3}"]);
    }
    let options = LoadOptions { header: HeaderRule::Absent, ..LoadOptions::default() };
    assert!(bad(load(&[path], options)).reason.contains("has 2 fields where 3 are wanted"));
}

#[test]
fn without_a_header_fields_go_by_position() {
    let folder = Folder::new();
    let path = folder.file("a.csv", "1,\"two\nlines\",3\n\n4,\"\",\n5,,6\n");
    let batch = load(&[path], LoadOptions::default()).unwrap();
    assert_eq!(
        rows(&batch),
        [
            "{\"k\":1,\"v\":\"two\\nlines\",\"w\":3}",
            "{\"k\":4,\"v\":\"\",\"w\":null}",
            "{\"k\":5,\"v\":null,\"w\":6}"
        ]
    );
}

#[test]
fn an_unknown_name_in_a_header_is_refused() {
    let folder = Folder::new();
    let path = folder.file("a.csv", "k,v,x\n1,2,3\n");
    let error = load(std::slice::from_ref(&path), LoadOptions::default()).unwrap_err().to_string();
    assert!(
        error.contains("a.csv") && error.contains("no column x") && error.contains("--no-header"),
        "{error}"
    );
    let options = LoadOptions { header: HeaderRule::Skip, ..LoadOptions::default() };
    assert_eq!(load(&[path], options).unwrap().num_rows(), 1);
}

#[test]
fn a_late_bad_row_is_named_or_rejected() {
    let folder = Folder::new();
    let mut text = "k,v,w\n".to_owned();
    (1..=20_000).for_each(|k| text += &format!("{k},x,{k}\n"));
    text += "20001,\"a,\nb\",n/a\n20002,y,4\n,z,5\n";
    let path = folder.file("bad.csv", &text);
    let row = bad(load(std::slice::from_ref(&path), LoadOptions::default()));
    assert_eq!((row.line, row.column.as_deref(), row.text.as_deref()), (20_002, Some("w"), Some("n/a")));
    assert!(row.to_string().contains("bad.csv:20002: column w: 'n/a' is not of the type INT"), "{row}");

    let reject = folder.0.path().join("rejected.csv");
    let options = LoadOptions { reject: Some(reject.clone()), ..LoadOptions::default() };
    let batch = load(&[path], options).unwrap();
    assert_eq!(batch.num_rows(), 20_001);
    let rejected = std::fs::read_to_string(reject).unwrap();
    let lines: Vec<_> = rejected.lines().collect();
    assert_eq!(lines[0], "file,line,column,reason,row");
    assert!(lines[1].contains(",20002,w,") && lines[1].contains("n/a"), "{rejected}");
    assert!(lines[3].contains(",20005,k,") && lines[3].contains("NOT NULL"), "{rejected}");
}

#[test]
fn bytes_that_are_no_text_are_a_bad_row() {
    let folder = Folder::new();
    let path = folder.file("a.csv", b"1,ok,1\n2,\xff,2\n");
    let row = bad(load(&[path], LoadOptions::default()));
    assert_eq!((row.line, row.column.as_deref()), (2, Some("v")));
}

#[test]
fn json_fills_the_columns_that_any_object_names() {
    let folder = Folder::new();
    let path = folder.file("a.ndjson", "{\"k\": 1}\n\n {\"V\": null, \"k\": 2}\n");
    let batch = load(&[path], LoadOptions::default()).unwrap();
    assert_eq!(rows(&batch), ["{\"k\":1,\"v\":null}", "{\"k\":2,\"v\":null}"]);
    let path = folder.file("b.json", "[{\"k\": 1, \"v\": \"],\\\"\"},\n {\"k\": 2, \"w\": 7}\n]\n");
    let batch = load(&[path], LoadOptions::default()).unwrap();
    assert_eq!(rows(&batch)[1], "{\"k\":2,\"v\":null,\"w\":7}");
    let path = folder.file("c.jsonl", "{\"k\": 1}\n{\"k\": 2, \"x\": 1}\n");
    let row = bad(load(&[path], LoadOptions::default()));
    assert!(row.line == 2 && row.reason.contains("no column x"), "{row}");
    let path = folder.file("d.jsonl", "{\"k\": 1}\n{\"k\": \n");
    assert!(bad(load(&[path], LoadOptions::default())).reason.contains("not a JSON object"));
}

#[test]
fn parquet_columns_go_by_name_and_must_fit() {
    let folder = Folder::new();
    let path = folder.0.path().join("a.parquet");
    let batch = RecordBatch::try_from_iter([
        (
            "w",
            Arc::new(arrow::array::Float64Array::from(vec![Some(1.0), Some(1.5), None]))
                as arrow::array::ArrayRef,
        ),
        ("k", Arc::new(arrow::array::Int64Array::from(vec![1, 2, 3]))),
    ])
    .unwrap();
    let mut writer =
        ArrowWriter::try_new(std::fs::File::create(&path).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let row = bad(load(std::slice::from_ref(&path), LoadOptions::default()));
    assert_eq!((row.line, row.column.as_deref(), row.text.as_deref()), (2, Some("w"), Some("1.5")));
    let reject = Some(folder.0.path().join("r.csv"));
    let batch = load(&[path], LoadOptions { reject, ..LoadOptions::default() }).unwrap();
    assert_eq!(rows(&batch), ["{\"w\":1,\"k\":1}", "{\"w\":null,\"k\":3}"]);
}

#[test]
fn compressed_files_and_several_of_them_are_read() {
    let folder = Folder::new();
    // "k,w\n1,10\n" by gzip.
    let gz = folder.file("a.csv.gz", b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\xd6\x29\xe7\x32\xd4\x31\x34\xe0\x02\x00\xf7\x60\x2d\x72\x09\x00\x00\x00");
    let plain = folder.file("b.csv", "w,k\n20,2\n");
    let batch = load(&[gz.clone(), plain], LoadOptions::default()).unwrap();
    assert_eq!(batch.column(0).as_primitive::<Int32Type>().values().as_ref(), [1, 2]);
    let other = folder.file("c.csv", "k,v\n3,x\n");
    let error = load(&[gz, other], LoadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("c.csv") && error.contains("load it by itself"), "{error}");
}

#[test]
fn a_file_without_a_format_is_refused() {
    let folder = Folder::new();
    let path = folder.file("data", "1,x,2\n");
    assert!(
        load(std::slice::from_ref(&path), LoadOptions::default())
            .unwrap_err()
            .to_string()
            .contains("csv, tsv, ndjson")
    );
    let options = LoadOptions { format: Some(LoadFormat::Csv), ..LoadOptions::default() };
    assert_eq!(load(&[path], options).unwrap().num_rows(), 1);
}

#[tokio::test]
async fn the_stream_ends_with_the_error() {
    let folder = Folder::new();
    let path = folder.file("a.csv", "1,x,2\nx,y,3\n");
    let options = LoadOptions { batch_rows: 1, ..LoadOptions::default() };
    let source = LoadSource::open(&[path], &target(), options, Arc::default()).unwrap();
    let stream = source.execute(Arc::new(TaskContext::default()));
    let error = stream.try_collect::<Vec<_>>().await.unwrap_err();
    let error = HandlerError::from(error);
    assert_eq!(error.kind, crate::error::ErrorKind::Invalid);
    assert!(error.message.contains("a.csv:2"), "{error}");
}
