//! [`JsonWriter`]: record batches as JSON, one object a line or one array of objects.

use std::io::{self, Write};

use arrow::array::RecordBatch;
use arrow::error::ArrowError;

use super::ColumnText;

/// How the objects of a result stand to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonLayout {
    /// One object a line (NDJSON): a result without rows is no line.
    Lines,
    /// One array, one object a line: a result without rows is `[]`.
    Array,
}

/// Writes rows as JSON objects whose keys are the columns' names, in the order of the columns; a name that stands
/// twice is written twice.
#[derive(Debug)]
pub struct JsonWriter<W> {
    out: W,
    layout: JsonLayout,
    rows: u64,
    line: String,
}

impl<W: Write> JsonWriter<W> {
    /// A writer that has written nothing yet.
    pub fn new(out: W, layout: JsonLayout) -> Self {
        Self { out, layout, rows: 0, line: String::new() }
    }

    /// Writes all rows of a batch.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        let columns = batch.columns().iter().map(ColumnText::new).collect::<Result<Vec<_>, _>>()?;
        let schema = batch.schema();
        let names = schema.fields().iter().map(|field| {
            let mut name = String::new();
            write_json_string(field.name(), &mut name);
            name.push(':');
            name
        });
        let names: Vec<_> = names.collect();
        for row in 0..batch.num_rows() {
            self.line.clear();
            if self.layout == JsonLayout::Array {
                self.line.push_str(if self.rows == 0 { "[\n  " } else { ",\n  " });
            }
            self.line.push('{');
            for (index, (name, column)) in names.iter().zip(&columns).enumerate() {
                if index > 0 {
                    self.line.push(',');
                }
                self.line.push_str(name);
                column.write_json(row, &mut self.line)?;
            }
            self.line.push('}');
            if self.layout == JsonLayout::Lines {
                self.line.push('\n');
            }
            self.out.write_all(self.line.as_bytes())?;
            self.rows += 1;
        }
        Ok(())
    }

    /// Ends the result, flushes, and gives the output back.
    pub fn finish(mut self) -> io::Result<W> {
        if self.layout == JsonLayout::Array {
            self.out.write_all(if self.rows == 0 { b"[]\n" } else { b"\n]\n" })?;
        }
        self.out.flush()?;
        Ok(self.out)
    }
}

/// Appends `text` as a JSON string, in quotes; only what JSON demands is escaped.
pub fn write_json_string(text: &str, out: &mut String) {
    out.push('"');
    let mut plain = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0x00..=0x1f | 0x7f => "",
            _ => continue,
        };
        out.push_str(text.get(plain..at).unwrap_or_default());
        if escape.is_empty() {
            out.push_str(&format!("\\u{byte:04x}"));
        } else {
            out.push_str(escape);
        }
        plain = at + 1;
    }
    out.push_str(text.get(plain..).unwrap_or_default());
    out.push('"');
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{Int32Array, StringArray};
    use arrow::datatypes::{DataType, Field, Schema};
    use proptest::prelude::*;

    use super::*;

    fn batch() -> RecordBatch {
        let fields =
            [("a", DataType::Int32), ("a", DataType::Utf8)].map(|(name, ty)| Field::new(name, ty, true));
        let numbers = Int32Array::from(vec![Some(1), None]);
        let texts = StringArray::from(vec![None, Some("x\u{1}\u{7f}")]);
        RecordBatch::try_new(Arc::new(Schema::new(fields.to_vec())), vec![Arc::new(numbers), Arc::new(texts)])
            .unwrap()
    }

    fn written(layout: JsonLayout, batches: &[RecordBatch]) -> String {
        let mut writer = JsonWriter::new(Vec::new(), layout);
        batches.iter().for_each(|batch| writer.write(batch).unwrap());
        String::from_utf8(writer.finish().unwrap()).unwrap()
    }

    #[test]
    fn duplicate_names_and_order_are_kept() {
        let wanted = "{\"a\":1,\"a\":null}\n{\"a\":null,\"a\":\"x\\u0001\\u007f\"}\n";
        assert_eq!(written(JsonLayout::Lines, &[batch()]), wanted);
    }

    #[test]
    fn an_array_spans_batches_and_may_be_empty() {
        let one = written(JsonLayout::Array, &[batch(), batch()]);
        let parsed: serde_json::Value = serde_json::from_str(&one).unwrap();
        assert_eq!(parsed.as_array().unwrap().len(), 4);
        assert_eq!(written(JsonLayout::Array, &[]), "[]\n");
        assert_eq!(written(JsonLayout::Lines, &[]), "");
    }

    proptest! {
        #[test]
        fn any_string_reads_back(text in "\\PC*|[\\x00-\\x7f]*") {
            let mut json = String::new();
            write_json_string(&text, &mut json);
            prop_assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        }
    }
}
