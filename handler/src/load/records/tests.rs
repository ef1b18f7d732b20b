//! The records that files are cut into.

use proptest::prelude::*;

use super::*;

const MARKS: Marks = Marks { delimiter: b',', quote: b'"', escape: b'"' };

type Fields = Vec<(String, bool)>;

/// A reader that gives a few bytes at a time.
struct Trickle<'t> {
    text: &'t [u8],
    chunk: usize,
}

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = buffer.len().min(self.chunk);
        self.text.read(&mut buffer[..most])
    }
}

fn read_all(text: &[u8], marks: Marks, most: usize) -> Result<Vec<(u64, Fields)>, String> {
    let mut records = CsvRecords::new(Trickle { text, chunk: most }, marks);
    let mut all = Vec::new();
    loop {
        match records.read(most) {
            Ok(false) => return Ok(all),
            Ok(true) => {
                assert!((1..=most).contains(&records.block().len()));
                for record in records.block().records() {
                    let field = |(bytes, quoted): CsvField<'_>| {
                        (String::from_utf8(bytes.into_owned()).unwrap(), quoted)
                    };
                    all.push((record.line, record.fields().map(field).collect()));
                }
            }
            Err(RecordFault::Shape(shape)) => return Err(format!("{}: {}", shape.line, shape.reason)),
            Err(RecordFault::Io(error)) => return Err(error.to_string()),
        }
    }
}

fn check(text: &str, wanted: &[(u64, &[(&str, bool)])]) {
    for most in [1, 2, 3, 1000] {
        let found = read_all(text.as_bytes(), MARKS, most).unwrap();
        let found: Vec<(u64, Vec<(&str, bool)>)> = found
            .iter()
            .map(|(line, fields)| {
                (*line, fields.iter().map(|(text, quoted)| (text.as_str(), *quoted)).collect())
            })
            .collect();
        let wanted: Vec<(u64, Vec<(&str, bool)>)> =
            wanted.iter().map(|(line, fields)| (*line, fields.to_vec())).collect();
        assert_eq!(found, wanted, "{most} at once");
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
    assert!(read_all(b"a\n\"b\nc\n", MARKS, 100).unwrap_err().starts_with("2: a quoted field is not closed"));
}

#[test]
fn another_escape_is_obeyed() {
    let marks = Marks { escape: b'\\', ..MARKS };
    let found = read_all(b"\"a\\\"b\\\\c\\n\",d\n", marks, 100).unwrap();
    assert_eq!(found[0].1[0].0, "a\"b\\c\\n");
}

/// A record's line and its fields, each with whether it was quoted.
type ByteRecord = (u64, Vec<(Vec<u8>, bool)>);

/// The rules, one byte after the other.
fn by_the_rules(text: &[u8], marks: Marks) -> Result<Vec<ByteRecord>, (u64, &'static str)> {
    #[derive(PartialEq)]
    enum State {
        Plain,
        Quoted,
        /// After an escape inside quotes, which may be the closing quote.
        Escaped,
    }
    let (mut feed, mut carriage) = (false, false);
    let (mut line, mut at) = (1, 0);
    let mut all = Vec::new();
    while at < text.len() {
        let first_line = line;
        let (mut state, mut fields, mut field, mut quoted) = (State::Plain, Vec::new(), Vec::new(), false);
        loop {
            let Some(&byte) = text.get(at) else {
                if state == State::Quoted || (state == State::Escaped && marks.escape != marks.quote) {
                    return Err((first_line, "a quoted field is not closed before the end of the file"));
                }
                break;
            };
            at += 1;
            match state {
                State::Quoted if byte == marks.escape => state = State::Escaped,
                State::Quoted if byte == marks.quote => state = State::Plain,
                State::Quoted => {
                    line += u64::from(byte == b'\n' || (byte == b'\r' && carriage));
                    field.push(byte);
                }
                State::Escaped if byte == marks.quote || byte == marks.escape => {
                    field.push(byte);
                    state = State::Quoted;
                }
                State::Escaped if marks.escape != marks.quote => {
                    field.extend([marks.escape, byte]);
                    line += u64::from(byte == b'\n');
                    state = State::Quoted;
                }
                State::Plain | State::Escaped => {
                    state = State::Plain;
                    if byte == marks.quote {
                        (state, quoted) = (State::Quoted, true);
                    } else if byte == marks.delimiter {
                        fields.push((std::mem::take(&mut field), std::mem::take(&mut quoted)));
                    } else if byte == b'\n' && !carriage {
                        feed = true;
                        break;
                    } else if byte == b'\r' {
                        match text.get(at) {
                            Some(b'\n') => {
                                at += 1;
                                (feed, carriage) = (true, false);
                            }
                            Some(_) if feed => {
                                let reason = "a carriage return stands alone outside quotes; quote the field";
                                return Err((first_line, reason));
                            }
                            after => carriage |= after.is_some(),
                        }
                        break;
                    } else {
                        field.push(byte);
                    }
                }
            }
        }
        fields.push((field, quoted));
        all.push((first_line, fields));
        line += 1;
    }
    Ok(all)
}

/// Bytes that shape files, and long runs of others.
fn csv_like() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        8 => prop::sample::select(b"\",\n\r\\;".to_vec()).prop_map(|byte| vec![byte]),
        4 => prop::collection::vec(any::<u8>(), 0..4),
        2 => prop::sample::select(vec!["\r\n", "\"\"", "\",\"", "\"\n", "x\"\r\n\""]).prop_map(|text| text.into()),
        1 => (0usize..150).prop_map(|length| vec![b'x'; length]),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// All bytes are cut as the rules say, however they arrive and however many records are asked for.
    #[test]
    fn the_rules_hold(text in csv_like(), escape in prop::sample::select(b"\"\\,".to_vec()), chunk in 1usize..200, most in 1usize..5, skip_blank: bool) {
        let marks = Marks { escape, ..MARKS };
        let mut wanted = by_the_rules(&text, marks);
        if let (Ok(records), true) = (&mut wanted, skip_blank) {
            records.retain(|(_, fields)| *fields != [(Vec::new(), false)]);
        }
        let mut records = CsvRecords::new(Trickle { text: &text, chunk }, marks);
        if skip_blank {
            records.skip_blank_lines();
        }
        let mut found = Vec::new();
        let end = loop {
            match records.read(most) {
                Ok(false) => break Ok(found),
                Ok(true) => {
                    let block = records.block();
                    prop_assert!((1..=most).contains(&block.len()));
                    for record in block.records() {
                        let fields: Vec<_> = record.fields().map(|(bytes, quoted)| (bytes.into_owned(), quoted)).collect();
                        prop_assert_eq!(record.len(), fields.len());
                        found.push((record.line, fields));
                    }
                    let width = block.records().next().unwrap().len();
                    let regular = block.records().all(|record| record.len() == width);
                    for column in 0..width {
                        let fields = block.column(column, width);
                        prop_assert_eq!(fields.is_some(), regular);
                        for (field, record) in fields.into_iter().flatten().zip(block.records()) {
                            prop_assert_eq!(Some(field), record.fields().nth(column));
                        }
                    }
                }
                Err(RecordFault::Shape(shape)) => break Err((shape.line, shape.reason)),
                Err(RecordFault::Io(error)) => panic!("{error}"),
            }
        };
        prop_assert_eq!(end, wanted);
    }

    /// A record keeps its text as it stands in the file.
    #[test]
    fn the_raw_text_is_kept(rows in prop::collection::vec("[a,é ]{0,5}(\"[a,\n\r]{0,3}\")?", 1..6), crlf: bool) {
        let end = if crlf { "\r\n" } else { "\n" };
        let text: String = rows.iter().map(|row| format!("{row}{end}")).collect();
        let mut records = CsvRecords::new(text.as_bytes(), MARKS);
        let mut found = Vec::new();
        while records.read(2).unwrap() {
            found.extend(records.block().records().map(|record| String::from_utf8(record.raw.to_vec()).unwrap()));
        }
        prop_assert_eq!(found, rows);
    }
}

/// A record that is longer than what is read at once.
#[test]
fn long_records_are_whole() {
    let long = "x,\n".repeat(READ_BYTES);
    let text = format!("a,\"{long}\"\nb,c\n");
    let found = read_all(text.as_bytes(), MARKS, 100_000).unwrap();
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].1[1].0, long);
    assert_eq!(found[1].0, READ_BYTES as u64 + 2);
}

proptest! {
    /// What a writer quotes by the rules reads back, whatever the chunks of the reader.
    #[test]
    fn quoted_fields_read_back(
        rows in prop::collection::vec(prop::collection::vec("[a,\"\r\né \u{0}-\u{7f}]{0,6}", 1..4), 1..6),
        chunk in 1usize..20,
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
}
