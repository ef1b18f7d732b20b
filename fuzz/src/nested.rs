//! Nested values of cells.

use ostracon_compare::{NestedType, PrimitiveType, check_nested, decode_nested, encode_nested};

#[path = "../../compare/tests/properties/nested_column.rs"]
mod nested_column;

use nested_column::NestedColumn;

/// Nested values: what decodes encodes to the same bytes.
pub fn nested_cell(bytes: &[u8]) {
    let plain = NestedType::Plain;
    let list = |ty| NestedType::List(Box::new(ty));
    let map = |key, ty| NestedType::Map(key, Box::new(ty));
    let pair = NestedType::Struct(vec![plain(PrimitiveType::Int32), plain(PrimitiveType::Utf8)]);
    for ty in [
        list(plain(PrimitiveType::Boolean)),
        list(list(plain(PrimitiveType::Binary))),
        map(PrimitiveType::Utf8, plain(PrimitiveType::Float64)),
        map(PrimitiveType::Int8, list(pair.clone())),
        NestedType::Struct(vec![pair.clone(), list(pair), plain(PrimitiveType::Decimal128 { precision: 9, scale: 2 })]),
        list(NestedType::Struct(vec![plain(PrimitiveType::UInt8); 9])),
    ] {
        let mut column = NestedColumn::new(&ty);
        let decoded = decode_nested(&ty, bytes, &mut column);
        assert_eq!(decoded, check_nested(&ty, bytes));
        if decoded.is_ok() {
            assert_eq!(column.len(), 1);
            let mut again = Vec::new();
            encode_nested(&ty, &column, 0, &mut again).expect("a decoded value encodes");
            assert_eq!(again, bytes, "{ty}");
        }
    }
}
