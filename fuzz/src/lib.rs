//! What is fuzzed: each target takes any bytes and must neither panic nor break the property it asserts.

use ostracon_compare::{Encoding, KeyLexicoder, KeyPart, LikePattern, PrimitiveType, ScalarRef, decode, encode};
use ostracon_data::{Authorizations, ColumnVisibility, RowBuffer, VisibilityEvaluator};
use ostracon_iterators::{OnBadValue, Operand, OperandSource, RowFilter, RowFilterSpec, RowPredicate, decode_row, encode_row};
use ostracon_segment::{FragmentReader, FragmentWriter, UpdateRef};

mod nested;
mod pig;
mod segments;

pub use nested::nested_cell;
pub use pig::{pig_parse, pig_value};
pub use segments::{segment, segment_rows};

/// A fuzz target: any bytes in, a panic is a finding.
pub type Target = fn(&[u8]);

/// Every target by name.
pub const TARGETS: &[(&str, Target)] = &[
    ("visibility", visibility),
    ("cell_decode", cell_decode),
    ("nested_cell", nested_cell),
    ("key_lexicoder", key_lexicoder),
    ("like_pattern", like_pattern),
    ("fragment", fragment),
    ("segment", segment),
    ("segment_rows", segment_rows),
    ("whole_row", whole_row),
    ("row_filter", row_filter),
    ("pig_parse", pig_parse),
    ("pig_value", pig_value),
];

/// Inputs to start from: something of each grammar and format.
pub const SEEDS: &[&[u8]] = &[
    b"",
    b"A&B|(C&\"d e\")",
    b"(a|b)&\"x\\\"y\\\\\"",
    b"2020-02-29T23:59:59.999999+05:00",
    b"-99999999.99",
    b"9223372036854775808",
    b"NaN",
    b"true",
    b"a%b\\_c_%",
    b"\x00\xff\x00\x01\x80\x7f\xff\xff\xff\xff",
    b"\x01\x00\x05c\x00\x01\x00\x00\x02hi",
    b"\x01\x02\x03\x02hi\x00",
    b"\x01\x02\x01a\x01b\x02\x80\x00\x00\x00\x00\x00\x00\x00",
    b"\x01\x07\x03\x80\x00\x00\x01\x01a\x01\x01\x02\x01b\x80\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x07",
    b"\xf0\x9f\x98\x80\xc3\xa9\xef\xbf\xbf",
    b"%default n 5\nDEFINE m(r) RETURNS o { x = ORDER $r BY p; $o = LIMIT x $n; };\na = LOAD 'f' AS (p:int);\nb = m(a);",
    b"r = FOREACH g { d = DISTINCT a.x; GENERATE group, (int)t.$0 + -1, (c ? 'y' : m#'k'), FLATTEN({(1, 2L)}); }",
    b"{([foo#badint],baddouble),(,2.5e3)}",
    b"(?<k>[a-z&&[^x]]+)=\\Q.\\E{2,3}?",
    b"\x0d\x00\x00\x00\x02\x0c\x00\x00\x00\x01k\x00\x01\x03\x80\x00\x00\x01\x0b\x03\x80\x00\x00\x00\x00\x00\x00\x0115\x00\x01\x00",
    b"\x0e\x00\x00\x00\x02\x01\x0d\x00\x00\x00\x01\x0a\x01\xff\xff\xff\xfd\xfe\xfd",
];

const TYPES: &[PrimitiveType] = &[
    PrimitiveType::Boolean,
    PrimitiveType::Int8,
    PrimitiveType::Int16,
    PrimitiveType::Int32,
    PrimitiveType::Int64,
    PrimitiveType::UInt8,
    PrimitiveType::UInt16,
    PrimitiveType::UInt32,
    PrimitiveType::UInt64,
    PrimitiveType::Float32,
    PrimitiveType::Float64,
    PrimitiveType::Decimal128 { precision: 12, scale: 3 },
    PrimitiveType::Decimal256 { precision: 60, scale: 10 },
    PrimitiveType::Date32,
    PrimitiveType::Utf8,
    PrimitiveType::Binary,
];
const ENCODINGS: &[Encoding] = &[Encoding::String, Encoding::Binary, Encoding::Native];

/// A label that parses prints to one that means the same; the evaluator and the parser agree on what is malformed.
pub fn visibility(bytes: &[u8]) {
    let authorizations = Authorizations::new(["A", "B", "d e", "x\"y\\"]);
    let mut evaluator = VisibilityEvaluator::new(authorizations.clone());
    let seen = evaluator.can_see(bytes);
    match ColumnVisibility::parse(bytes) {
        Ok(label) => assert_eq!(label.evaluate(&authorizations), seen),
        Err(problem) => {
            assert!(!seen, "a malformed label is seen");
            assert!(problem.position <= bytes.len());
        }
    }
}

/// What decodes encodes again to bytes that decode to the same value.
pub fn cell_decode(bytes: &[u8]) {
    for ty in TYPES {
        for encoding in ENCODINGS {
            let Ok(value) = decode(*ty, *encoding, bytes) else { continue };
            let mut again = Vec::new();
            encode(*ty, *encoding, value, &mut again).expect("a decoded value encodes");
            let back = decode(*ty, *encoding, &again).expect("its bytes decode");
            assert_eq!(value.compare(&back), Some(std::cmp::Ordering::Equal), "{ty} {encoding:?}");
        }
    }
}

/// Composite keys: what decodes encodes to a key that decodes to the same parts.
pub fn key_lexicoder(bytes: &[u8]) {
    let part = |ty, descending| KeyPart { ty, descending };
    for parts in [
        vec![part(PrimitiveType::Utf8, false), part(PrimitiveType::Utf8, false)],
        vec![part(PrimitiveType::Binary, true), part(PrimitiveType::Int32, false)],
        vec![part(PrimitiveType::Float64, false), part(PrimitiveType::Binary, true)],
    ] {
        let lexicoder = KeyLexicoder::new(parts);
        let Ok(values) = lexicoder.decode(bytes) else { continue };
        let refs: Vec<ScalarRef<'_>> = values.iter().map(|value| value.as_ref()).collect();
        let key = lexicoder.encode(&refs).expect("decoded parts encode");
        assert_eq!(lexicoder.decode(&key).expect("an encoded key decodes"), values);
    }
}

/// A pattern without a wildcard matches its own literal; no pattern or text panics.
pub fn like_pattern(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (pattern, value) = text.split_at(text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at));
    for case_insensitive in [false, true] {
        let Ok(compiled) = LikePattern::compile(pattern, case_insensitive) else { continue };
        if compiled.matches(value) && !case_insensitive {
            assert!(value.starts_with(compiled.prefix()), "{pattern:?} matches {value:?} without its prefix");
        }
    }
}

/// Fragments: a reader of any bytes ends; the cells it yields are read back as they were written again.
pub fn fragment(bytes: &[u8]) {
    let Ok(reader) = FragmentReader::new(bytes) else { return };
    let common = reader.common_timestamp();
    let mut again = Vec::new();
    let mut writer = FragmentWriter::new(&mut again, common, b"A");
    let mut puts = 0;
    for update in reader {
        match update {
            Ok(UpdateRef::Put { family, qualifier, visibility, timestamp, value }) => {
                writer.put(family, qualifier, visibility, timestamp, value);
                puts += 1;
            }
            Ok(_) => {}
            Err(_) => return,
        }
    }
    let cells = FragmentReader::new(&again).expect("written bytes are read").collect::<Result<Vec<_>, _>>();
    assert_eq!(cells.expect("written cells are read").len(), puts);
}

/// Encoded whole rows from anywhere.
pub fn whole_row(bytes: &[u8]) {
    if let Ok(cells) = decode_row(b"row", bytes) {
        let mut again = Vec::new();
        encode_row(&cells, &mut again).expect("a decoded row encodes");
        assert_eq!(decode_row(b"row", &again).expect("an encoded row decodes"), cells);
    }
}

/// A filter over any stored bytes answers or fails, and NOT of it never answers the same.
pub fn row_filter(bytes: &[u8]) {
    let mut row = RowBuffer::new();
    row.set_row(bytes);
    row.push_cell(b"f", b"q", b"", 1, bytes);
    for (index, ty) in TYPES.iter().enumerate() {
        let operand = Operand {
            name: "v".into(),
            source: OperandSource::Cell { family: b"f".to_vec(), qualifier: b"q".to_vec() },
            ty: *ty,
            encoding: ENCODINGS[index % ENCODINGS.len()],
            null_sequence: None,
        };
        let is_null = RowPredicate::IsNull { operand: 0 };
        let spec = RowFilterSpec { operands: vec![operand], predicate: is_null.clone(), on_bad_value: OnBadValue::Null };
        let negated = RowFilterSpec { predicate: RowPredicate::Not(Box::new(is_null)), ..spec.clone() };
        let mut filter = RowFilter::compile(&spec).expect("a valid program");
        let mut opposite = RowFilter::compile(&negated).expect("a valid program");
        let (one, other) = (filter.matches(&row), opposite.matches(&row));
        assert_ne!(one.expect("bad values are NULL"), other.expect("bad values are NULL"));
    }
}
