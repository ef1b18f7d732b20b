//! [`CsvRecords`]: the bytes of a CSV file, cut into records by PostgreSQL's rules.
//!
//! A quote may open and close anywhere in a field; inside quotes everything but the quote (and its escape) is text, line
//! ends too. A record keeps for each field whether it was quoted: an unquoted empty field is NULL, a quoted one is ''.
//! Lines end in LF, CRLF or, when the first line of the file does, in CR.

use std::io::{self, BufRead};

/// The characters that shape a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Marks {
    pub(super) delimiter: u8,
    pub(super) quote: u8,
    /// Takes the special meaning of a quote or of itself inside quotes; usually the quote.
    pub(super) escape: u8,
}

/// The longest record that is accepted, in bytes. A quote that is never closed makes the rest of the file one
/// record: the bound keeps that from filling the memory.
const LONGEST_RECORD: usize = 256 << 20;

/// Why the bytes cannot be cut into records.
#[derive(Debug)]
pub(super) enum RecordFault {
    Io(io::Error),
    /// What is wrong, and the line where it begins.
    Shape {
        line: u64,
        reason: String,
    },
}

/// One record, reused for all of a file.
#[derive(Debug, Default)]
pub(super) struct CsvRecord {
    text: Vec<u8>,
    /// End of each field in `text`, and whether a quote stood in it.
    fields: Vec<(usize, bool)>,
    /// The line that the record starts on, from 1.
    pub(super) line: u64,
    /// The record as it stands in the file, without its line end; kept only where asked for.
    pub(super) raw: Vec<u8>,
}

impl CsvRecord {
    pub(super) fn len(&self) -> usize {
        self.fields.len()
    }

    /// The bytes of a field and whether it was quoted.
    pub(super) fn field(&self, index: usize) -> Option<(&[u8], bool)> {
        let (end, quoted) = *self.fields.get(index)?;
        let start = match index {
            0 => 0,
            _ => self.fields.get(index - 1)?.0,
        };
        Some((self.text.get(start..end)?, quoted))
    }

    /// Whether the record is a line without any character.
    pub(super) fn is_blank(&self) -> bool {
        matches!(self.fields.as_slice(), [(0, false)])
    }

    fn start(&mut self, line: u64) {
        self.text.clear();
        self.fields.clear();
        self.raw.clear();
        self.line = line;
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Plain,
    Quoted,
    /// After an escape inside quotes (which may be the closing quote).
    Escaped,
    /// After an unquoted CR: an LF may follow.
    Return,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineEnd {
    Unknown,
    Feed,
    Return,
}

/// Cuts a file into records.
#[derive(Debug)]
pub(super) struct CsvRecords<R> {
    input: R,
    marks: Marks,
    keep_raw: bool,
    line: u64,
    line_end: LineEnd,
}

impl<R: BufRead> CsvRecords<R> {
    /// `keep_raw` fills [`CsvRecord::raw`].
    pub(super) fn new(input: R, marks: Marks, keep_raw: bool) -> Self {
        Self { input, marks, keep_raw, line: 1, line_end: LineEnd::Unknown }
    }

    /// Reads the next record; `false` at the end of the file.
    pub(super) fn read(&mut self, record: &mut CsvRecord) -> Result<bool, RecordFault> {
        record.start(self.line);
        let (mut state, mut quoted, mut any) = (State::Plain, false, false);
        loop {
            let chunk = self.input.fill_buf().map_err(RecordFault::Io)?;
            if chunk.is_empty() {
                return self.end_of_file(state, quoted, any, record);
            }
            let mut used = 0;
            let mut done = false;
            for &byte in chunk {
                if state == State::Return {
                    // The record is whole; an LF belongs to its end, anything else to the next record.
                    if byte == b'\n' {
                        used += 1;
                        self.line_end = LineEnd::Feed;
                    } else if self.line_end == LineEnd::Feed {
                        let reason =
                            "a carriage return stands alone outside quotes; quote the field".to_owned();
                        return Err(RecordFault::Shape { line: record.line, reason });
                    } else {
                        self.line_end = LineEnd::Return;
                    }
                    done = true;
                    break;
                }
                used += 1;
                any = true;
                let marks = self.marks;
                match state {
                    State::Quoted if byte == marks.escape => state = State::Escaped,
                    State::Quoted if byte == marks.quote => state = State::Plain,
                    State::Quoted => {
                        self.line +=
                            u64::from(byte == b'\n' || (byte == b'\r' && self.line_end == LineEnd::Return));
                        record.text.push(byte);
                    }
                    State::Escaped if byte == marks.quote || byte == marks.escape => {
                        record.text.push(byte);
                        state = State::Quoted;
                    }
                    State::Escaped if marks.escape != marks.quote => {
                        record.text.extend([marks.escape, byte]);
                        self.line += u64::from(byte == b'\n');
                        state = State::Quoted;
                    }
                    // Plain, or the quote before was the closing one.
                    _ => {
                        state = State::Plain;
                        if byte == marks.quote {
                            (state, quoted) = (State::Quoted, true);
                        } else if byte == marks.delimiter {
                            record.fields.push((record.text.len(), quoted));
                            quoted = false;
                        } else if byte == b'\n' && self.line_end != LineEnd::Return {
                            self.line_end = LineEnd::Feed;
                            done = true;
                            break;
                        } else if byte == b'\r' {
                            state = State::Return;
                            continue;
                        } else {
                            record.text.push(byte);
                        }
                    }
                }
                if self.keep_raw {
                    record.raw.push(byte);
                }
            }
            self.input.consume(used);
            if done {
                return Ok(self.end_record(quoted, record));
            }
            if record.text.len() > LONGEST_RECORD {
                let reason =
                    format!("a record is longer than {} MiB; is a quote left open?", LONGEST_RECORD >> 20);
                return Err(RecordFault::Shape { line: record.line, reason });
            }
        }
    }

    fn end_record(&mut self, quoted: bool, record: &mut CsvRecord) -> bool {
        record.fields.push((record.text.len(), quoted));
        self.line += 1;
        true
    }

    fn end_of_file(
        &mut self,
        state: State,
        quoted: bool,
        any: bool,
        record: &mut CsvRecord,
    ) -> Result<bool, RecordFault> {
        let open =
            state == State::Quoted || (state == State::Escaped && self.marks.escape != self.marks.quote);
        if open {
            let reason = "a quoted field is not closed before the end of the file".to_owned();
            return Err(RecordFault::Shape { line: record.line, reason });
        }
        Ok(any && self.end_record(quoted, record))
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use proptest::prelude::*;

    use super::*;

    const MARKS: Marks = Marks { delimiter: b',', quote: b'"', escape: b'"' };

    type Fields = Vec<(String, bool)>;

    fn read_all(text: &[u8], marks: Marks, chunk: usize) -> Result<Vec<(u64, Fields)>, String> {
        let mut records = CsvRecords::new(BufReader::with_capacity(chunk, text), marks, true);
        let (mut record, mut all) = (CsvRecord::default(), Vec::new());
        loop {
            match records.read(&mut record) {
                Ok(false) => return Ok(all),
                Ok(true) => {
                    let field = |index| {
                        let (bytes, quoted) = record.field(index).unwrap();
                        (String::from_utf8(bytes.to_vec()).unwrap(), quoted)
                    };
                    all.push((record.line, (0..record.len()).map(field).collect()));
                }
                Err(RecordFault::Shape { line, reason }) => return Err(format!("{line}: {reason}")),
                Err(RecordFault::Io(error)) => return Err(error.to_string()),
            }
        }
    }

    fn check(text: &str, wanted: &[(u64, &[(&str, bool)])]) {
        for chunk in [3, 4, 5, 7, 1000] {
            let found = read_all(text.as_bytes(), MARKS, chunk).unwrap();
            let found: Vec<(u64, Vec<(&str, bool)>)> = found
                .iter()
                .map(|(line, fields)| {
                    (*line, fields.iter().map(|(text, quoted)| (text.as_str(), *quoted)).collect())
                })
                .collect();
            let wanted: Vec<(u64, Vec<(&str, bool)>)> =
                wanted.iter().map(|(line, fields)| (*line, fields.to_vec())).collect();
            assert_eq!(found, wanted, "chunks of {chunk}");
        }
    }

    #[test]
    fn crlf_quoted_lines_doubled_quotes_and_no_last_line_end() {
        check(
            "k,v\r\n1,\"two\nlines\"\r\n2,\"a \"\"b\"\"\"\r\n3,\"\"",
            &[
                (1, &[("k", false), ("v", false)]),
                (2, &[("1", false), ("two\nlines", true)]),
                (4, &[("2", false), ("a \"b\"", true)]),
                (5, &[("3", false), ("", true)]),
            ],
        );
    }

    #[test]
    fn empty_fields_and_blank_lines_are_seen() {
        check(",\n\n\"\"\n", &[(1, &[("", false), ("", false)]), (2, &[("", false)]), (3, &[("", true)])]);
        check("", &[]);
        check("a,", &[(1, &[("a", false), ("", false)])]);
    }

    #[test]
    fn a_quote_may_open_inside_a_field() {
        check("a\"b,c\"d,e\n", &[(1, &[("ab,cd", true), ("e", false)])]);
    }

    #[test]
    fn lines_may_end_in_cr_alone() {
        check(
            "a,b\rc,d\r\"x\ry\",z",
            &[
                (1, &[("a", false), ("b", false)]),
                (2, &[("c", false), ("d", false)]),
                (3, &[("x\ry", true), ("z", false)]),
            ],
        );
    }

    #[test]
    fn a_lone_cr_in_a_file_of_lf_lines_is_refused() {
        assert!(read_all(b"a,b\nc\rd,e\n", MARKS, 100).unwrap_err().starts_with("2: a carriage return"));
    }

    #[test]
    fn an_open_quote_names_the_line_where_it_starts() {
        assert!(
            read_all(b"a\n\"b\nc\n", MARKS, 100).unwrap_err().starts_with("2: a quoted field is not closed")
        );
    }

    #[test]
    fn another_escape_is_obeyed() {
        let marks = Marks { escape: b'\\', ..MARKS };
        let found = read_all(b"\"a\\\"b\\\\c\\n\",d\n", marks, 100).unwrap();
        assert_eq!(found[0].1[0].0, "a\"b\\c\\n");
    }

    proptest! {
        /// What a writer quotes by the rules reads back, whatever the chunks of the reader.
        #[test]
        fn quoted_fields_read_back(
            rows in prop::collection::vec(prop::collection::vec("[a,\"\r\né \u{0}-\u{7f}]{0,6}", 1..4), 1..6),
            chunk in 3usize..20,
            crlf: bool,
        ) {
            let mut text = String::new();
            for row in &rows {
                let fields: Vec<_> = row.iter().map(|field| format!("\"{}\"", field.replace('"', "\"\""))).collect();
                text += &fields.join(",");
                text += if crlf { "\r\n" } else { "\n" };
            }
            let found = read_all(text.as_bytes(), MARKS, chunk).unwrap();
            let found: Vec<Vec<String>> =
                found.into_iter().map(|(_, fields)| fields.into_iter().map(|(text, _)| text).collect()).collect();
            prop_assert_eq!(found, rows);
        }

        /// No bytes make the reader panic or loop.
        #[test]
        fn any_bytes_end(bytes in prop::collection::vec(prop_oneof![Just(b'"'), Just(b','), Just(b'\n'), Just(b'\r'), any::<u8>()], 0..60)) {
            let mut records = CsvRecords::new(BufReader::with_capacity(4, bytes.as_slice()), MARKS, true);
            let mut record = CsvRecord::default();
            let mut count = 0;
            while matches!(records.read(&mut record), Ok(true)) {
                count += 1;
                prop_assert!(count <= bytes.len());
            }
        }
    }
}
