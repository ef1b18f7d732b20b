use std::sync::Arc;

use arrow::datatypes::{Field, Fields, TimeUnit};
use proptest::prelude::*;

use super::*;

fn map_type(key: DataType, value: DataType) -> DataType {
    let pair = Fields::from(vec![Field::new("key", key, false), Field::new("value", value, true)]);
    DataType::Map(Arc::new(Field::new("entries", DataType::Struct(pair), false)), false)
}

fn columns(types: &[DataType]) -> Vec<(String, DataType)> {
    types.iter().enumerate().map(|(i, data_type)| (format!("c{i}"), data_type.clone())).collect()
}

fn parse(text: &str, types: &[DataType]) -> Result<ColumnMapping, MappingError> {
    ColumnMapping::parse(text, &columns(types), Encoding::String)
}

fn cell(family: &str, qualifier: &str, encoding: Encoding) -> ColumnTarget {
    ColumnTarget::Cell { family: family.into(), qualifier: qualifier.into(), encoding }
}

const TEXT: DataType = DataType::Utf8;
const INT: DataType = DataType::Int32;

#[test]
fn entries_are_trimmed_and_carry_their_encoding() {
    let mapping =
        parse(" :rowID , f:a#b , f:b, f:c#native,f:d#String ", &[TEXT, INT, INT, INT, INT]).unwrap();
    assert_eq!(
        mapping.targets(),
        [
            ColumnTarget::RowId { encoding: Encoding::String },
            cell("f", "a", Encoding::Binary),
            cell("f", "b", Encoding::String),
            cell("f", "c", Encoding::Native),
            cell("f", "d", Encoding::String),
        ]
    );
    assert_eq!(mapping.row_id(), Some(0));
}

#[test]
fn the_default_storage_is_for_entries_without_a_suffix() {
    let mapping =
        ColumnMapping::parse(":rowid,f:a,f:b#s", &columns(&[INT, INT, INT]), Encoding::Native).unwrap();
    assert_eq!(mapping.targets()[0], ColumnTarget::RowId { encoding: Encoding::Native });
    assert_eq!(mapping.targets()[1], cell("f", "a", Encoding::Native));
    assert_eq!(mapping.targets()[2], cell("f", "b", Encoding::String));
}

#[test]
fn escapes_make_bare_characters() {
    let text = r" :rowID , f\:x:a\:b , f:b\#b, f:st\*, f:co\,mma, f:back\\slash, g:a:b*c ";
    let mapping = parse(text, &vec![TEXT; 7]).unwrap();
    let s = Encoding::String;
    assert_eq!(
        mapping.targets()[1..],
        [
            cell("f:x", "a:b", s),
            cell("f", "b#b", s),
            cell("f", "st*", s),
            cell("f", "co,mma", s),
            cell("f", r"back\slash", s),
            cell("g", "a:b*c", s),
        ]
    );
    assert_eq!(
        parse(r":rowid,f:a#b#s", &[TEXT, TEXT]).unwrap().targets()[1],
        cell("f", "a#b", s),
        "the last #"
    );
}

#[test]
fn maps_have_a_prefix_and_two_encodings() {
    let maps = [map_type(TEXT, TEXT), map_type(TEXT, INT), map_type(INT, TEXT)];
    let mapping = parse("f:p_*,g:*#s:b,h:x\\**#N:string", &maps).unwrap();
    let map = |family: &str, prefix: &str, key_encoding, value_encoding| ColumnTarget::Map {
        family: family.into(),
        prefix: prefix.into(),
        key_encoding,
        value_encoding,
    };
    assert_eq!(
        mapping.targets(),
        [
            map("f", "p_", Encoding::String, Encoding::String),
            map("g", "", Encoding::String, Encoding::Binary),
            map("h", "x*", Encoding::Native, Encoding::String),
        ]
    );
    assert_eq!(mapping.row_id(), None, "a table without a row id can be read");
}

#[test]
fn pseudo_columns_take_their_types() {
    let time = DataType::Timestamp(TimeUnit::Millisecond, None);
    for at in [DataType::Int64, time] {
        let mapping = parse(":rowid,f:v,:Timestamp,:VISIBILITY", &[TEXT, TEXT, at, TEXT]).unwrap();
        assert_eq!(mapping.targets()[2..], [ColumnTarget::Timestamp, ColumnTarget::Visibility]);
    }
}

#[test]
fn faults_are_told_with_their_position() {
    let m = map_type(TEXT, TEXT);
    let list = DataType::List(Arc::new(Field::new_list_field(INT, true)));
    let cases: &[(&str, &[DataType], usize, &str)] = &[
        ("", &[], 0, "empty"),
        (":rowid,f", &[TEXT, TEXT], 7, "no qualifier"),
        (":rowid, f:", &[TEXT, TEXT], 8, "no qualifier"),
        (":rowid,:f", &[TEXT, TEXT], 7, "neither"),
        (":rowid,,f:a", &[TEXT, TEXT, TEXT], 7, "empty"),
        (":rowid, ", &[TEXT, TEXT], 7, "empty"),
        (":rowid,f:a,f:b", &[TEXT, TEXT], 11, "3 entries for 2 columns"),
        (":rowid", &[TEXT, TEXT], 6, "1 entries for 2 columns"),
        (":rowid,f:a#x", &[TEXT, TEXT], 10, "'#x' is not an encoding"),
        (":rowid,f:a#", &[TEXT, TEXT], 10, "not an encoding"),
        (":rowid,f:a#s:b", &[TEXT, TEXT], 10, "not an encoding"),
        (":rowid#x", &[TEXT], 6, "not an encoding"),
        (":rowid,f:m*", &[TEXT, TEXT], 7, "MAP"),
        (":rowid,f:m", &[TEXT, m.clone()], 7, "MAP"),
        (":rowid,f:m*#s", &[TEXT, m.clone()], 11, "#KEY:VALUE"),
        (":rowid,f:m*#s:x", &[TEXT, m.clone()], 11, "not an encoding"),
        (":rowid,f:m*#s:s:s", &[TEXT, m.clone()], 11, "#KEY:VALUE"),
        (":rowid", std::slice::from_ref(&m), 0, "no encoding"),
        (":rowid,:rowid", &[TEXT, TEXT], 7, "both :rowid"),
        (":rowid,:timestamp", &[TEXT, TEXT], 7, "BIGINT"),
        (":rowid,:visibility", &[TEXT, INT], 7, "VARCHAR"),
        (":rowid,:timestamp#s", &[TEXT, DataType::Int64], 17, "no encoding"),
        (":rowid,:timestamp,:timestamp", &[TEXT, DataType::Int64, DataType::Int64], 18, "both :timestamp"),
        (":rowid,:visibility,:visibility", &[TEXT, TEXT, TEXT], 19, "both :visibility"),
        (":rowid,f:a,f:a#b", &[TEXT, INT, INT], 11, "same cell"),
        (":rowid,f:p*,f:pq*", &[TEXT, m.clone(), m.clone()], 12, "same cells"),
        (":rowid,f:*,f:a", &[TEXT, m.clone(), TEXT], 11, "share a cell"),
        (":rowid,f:pa,f:p*", &[TEXT, TEXT, m.clone()], 12, "share a cell"),
        (":rowid,f:a", &[TEXT, list.clone()], 7, "nested values in native encoding only; write #n"),
        (":rowid,f:a#b", &[TEXT, list], 7, "nested values in native encoding only"),
        (":rowid,f:a", &[TEXT, m.clone()], 7, "write * or #n behind the entry"),
        (":rowid,f:a", &[TEXT, DataType::Float16], 7, "no encoding for this type"),
        (r":rowid,f:a\x", &[TEXT, TEXT], 10, "backslash"),
        (":rowid,f:a\\", &[TEXT, TEXT], 10, "backslash"),
        (":rowid,\0:a", &[TEXT, TEXT], 7, "row markers"),
    ];
    for (text, types, position, wanted) in cases {
        let error = parse(text, types).expect_err(text);
        assert_eq!(error.position, *position, "{text}: {error}");
        assert!(error.message.contains(wanted), "{text}: {error}");
        assert!(error.to_string().contains(&format!("position {}", position + 1)), "{error}");
    }
}

#[test]
fn maps_and_cells_side_by_side_are_fine() {
    let m = map_type(TEXT, TEXT);
    let mapping = parse(":rowid,f:p_*,f:n,g:p_x,f:q_*", &[TEXT, m.clone(), INT, TEXT, m]).unwrap();
    assert_eq!(mapping.targets().len(), 5);
}

#[test]
fn a_struct_is_a_row_id_if_its_fields_are_plain() {
    let fields = Fields::from(vec![Field::new("a", TEXT, true), Field::new("b", INT, true)]);
    assert!(parse(":rowid", &[DataType::Struct(fields)]).is_ok());
    let nested = Fields::from(vec![Field::new("a", map_type(TEXT, TEXT), true)]);
    assert!(parse(":rowid", &[DataType::Struct(nested)]).is_err());
    assert!(parse(":rowid", &[DataType::Struct(Fields::empty())]).is_err());
}

#[test]
fn an_error_becomes_invalid_with_its_position() {
    let error = HandlerError::from(parse(":rowid,f", &[TEXT, TEXT]).unwrap_err());
    assert_eq!(error.kind, crate::ErrorKind::Invalid);
    assert!(error.to_string().starts_with("columns.mapping, position 8:"), "{error}");
}

fn encodings() -> impl Strategy<Value = Encoding> {
    prop_oneof![Just(Encoding::String), Just(Encoding::Binary), Just(Encoding::Native)]
}

fn names() -> impl Strategy<Value = Vec<u8>> {
    "[a-c:#*,\\\\é ]{0,5}".prop_map(String::into_bytes)
}

fn targets() -> impl Strategy<Value = ColumnTarget> {
    // Names that no mapping text can give are left out: a blank at the start of an entry, an empty part.
    let family = names()
        .prop_map(|mut name| {
            name.insert(0, b'f');
            name
        })
        .boxed();
    let qualifier = names().prop_map(|mut name| {
        name.push(b'q');
        name
    });
    prop_oneof![
        (family.clone(), qualifier, encodings())
            .prop_map(|(family, qualifier, encoding)| ColumnTarget::Cell { family, qualifier, encoding }),
        (family, names(), encodings(), encodings()).prop_map(
            |(family, prefix, key_encoding, value_encoding)| {
                ColumnTarget::Map { family, prefix, key_encoding, value_encoding }
            }
        ),
        encodings().prop_map(|encoding| ColumnTarget::RowId { encoding }),
        Just(ColumnTarget::Timestamp),
        Just(ColumnTarget::Visibility),
    ]
}

proptest! {
    #[test]
    fn printing_and_reading_gives_the_same_target(target in targets(), default in encodings()) {
        let data_type = match &target {
            ColumnTarget::Map { .. } => map_type(TEXT, TEXT),
            ColumnTarget::Timestamp => DataType::Int64,
            _ => TEXT,
        };
        let text = ColumnMapping { targets: vec![target.clone()] }.to_string();
        let read = ColumnMapping::parse(&text, &columns(&[data_type]), default);
        prop_assert_eq!(read.map(ColumnMapping::into_targets), Ok(vec![target]), "{}", text);
    }

    #[test]
    fn any_text_is_read_or_refused_at_a_position_in_it(text in "[:rowidf#*,\\\\sbn é]{0,20}") {
        if let Err(error) = parse(&text, &[TEXT, INT, map_type(TEXT, TEXT)]) {
            prop_assert!(error.position <= text.len(), "{error} in {text:?}");
        }
    }
}
