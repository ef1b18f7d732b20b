//! Nested cells against a model of plain trees.

use ostracon_compare::{
    BadValue, NestedSink, NestedType, PrimitiveType, Scalar, check_nested, decode_nested, encode_nested,
};
use proptest::prelude::*;

use crate::nested_column::NestedColumn;
use crate::values::{any_type, value};

/// A value as a tree.
#[derive(Debug, Clone)]
enum Tree {
    Null,
    Plain(Scalar),
    Struct(Vec<Tree>),
    List(Vec<Tree>),
    Map(Vec<(Scalar, Tree)>),
}

fn types() -> impl Strategy<Value = NestedType> {
    any_type().prop_map(NestedType::Plain).prop_recursive(4, 24, 10, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..11).prop_map(NestedType::Struct),
            inner.clone().prop_map(|item| NestedType::List(Box::new(item))),
            (any_type(), inner).prop_map(|(key, value)| NestedType::Map(key, Box::new(value))),
        ]
    })
}

fn long_text() -> impl Strategy<Value = Scalar> {
    (120usize..140, 0usize..2).prop_map(|(len, zeros)| Scalar::Utf8("é".repeat(len) + &"\0".repeat(zeros)))
}

fn plain(ty: PrimitiveType) -> BoxedStrategy<Scalar> {
    match ty {
        PrimitiveType::Utf8 => prop_oneof![9 => value(ty), 1 => long_text()].boxed(),
        ty => value(ty),
    }
}

fn tree(ty: &NestedType) -> BoxedStrategy<Tree> {
    match ty {
        NestedType::Plain(ty) => plain(*ty).prop_map(Tree::Plain).boxed(),
        NestedType::Struct(parts) => {
            parts.iter().map(tree_or_null).collect::<Vec<_>>().prop_map(Tree::Struct).boxed()
        }
        NestedType::List(item) => {
            prop::collection::vec(tree_or_null(item), 0..10).prop_map(Tree::List).boxed()
        }
        NestedType::Map(key, value) => {
            prop::collection::vec((plain(*key), tree_or_null(value)), 0..4).prop_map(Tree::Map).boxed()
        }
    }
}

fn tree_or_null(ty: &NestedType) -> BoxedStrategy<Tree> {
    prop_oneof![1 => Just(Tree::Null), 3 => tree(ty)].boxed()
}

/// Adds a tree to a column.
fn push(tree: &Tree, column: &mut NestedColumn) -> Result<(), BadValue> {
    match tree {
        Tree::Null => column.null(),
        Tree::Plain(value) => column.plain(value.as_ref()),
        Tree::Struct(fields) => {
            column.fields()?;
            fields.iter().enumerate().try_for_each(|(i, field)| push(field, column.part(i).unwrap()))
        }
        Tree::List(items) => {
            column.entries(items.len())?;
            items.iter().try_for_each(|item| push(item, column.part(0).unwrap()))
        }
        Tree::Map(entries) => {
            column.entries(entries.len())?;
            entries.iter().try_for_each(|(key, value)| {
                column.part(0).unwrap().plain(key.as_ref())?;
                push(value, column.part(1).unwrap())
            })
        }
    }
}

fn column(ty: &NestedType, trees: &[Tree]) -> NestedColumn {
    let mut column = NestedColumn::new(ty);
    trees.iter().for_each(|tree| push(tree, &mut column).unwrap());
    column
}

fn bytes(ty: &NestedType, column: &NestedColumn, at: usize) -> Vec<u8> {
    let mut out = b"before".to_vec();
    encode_nested(ty, column, at, &mut out).unwrap();
    out.split_off(6)
}

proptest! {
    /// What is written is read: a column of trees gives cells that give the column.
    #[test]
    fn nested_values_round_trip(
        (ty, trees) in types().prop_flat_map(|ty| {
            let trees = prop::collection::vec(tree(&ty), 1..4);
            (Just(ty), trees)
        })
    ) {
        let written = column(&ty, &trees);
        let mut read = NestedColumn::new(&ty);
        for at in 0..trees.len() {
            let cell = bytes(&ty, &written, at);
            prop_assert_eq!(check_nested(&ty, &cell), Ok(()));
            decode_nested(&ty, &cell, &mut read).unwrap();
        }
        prop_assert_eq!(read, written);
    }

    /// Every beginning of a cell, and a cell with more behind it, is no value.
    #[test]
    fn a_cell_is_whole_or_bad(
        (ty, tree) in types().prop_flat_map(|ty| {
            let tree = tree(&ty);
            (Just(ty), tree)
        }),
        more in any::<u8>(),
    ) {
        let mut cell = bytes(&ty, &column(&ty, &[tree]), 0);
        for end in 0..cell.len() {
            prop_assert!(check_nested(&ty, &cell[..end]).is_err());
        }
        cell.push(more);
        prop_assert!(check_nested(&ty, &cell).is_err());
    }

    /// Bytes that are a value are the only ones that it has.
    #[test]
    fn equal_values_have_equal_bytes(
        (ty, tree) in types().prop_flat_map(|ty| {
            let tree = tree(&ty);
            (Just(ty), tree)
        }),
        at in any::<prop::sample::Index>(),
        flipped in 1u8..,
    ) {
        let mut cell = bytes(&ty, &column(&ty, &[tree]), 0);
        *at.get_mut(&mut cell) ^= flipped;
        let mut read = NestedColumn::new(&ty);
        if decode_nested(&ty, &cell, &mut read).is_ok() {
            prop_assert_eq!(bytes(&ty, &read, 0), cell);
        }
    }
}

#[test]
fn a_value_out_of_range_leaves_no_bytes() {
    let ty = NestedType::List(Box::new(NestedType::Plain(PrimitiveType::Int8)));
    let trees = [Tree::List(vec![Tree::Plain(Scalar::Int(1)), Tree::Plain(Scalar::Int(200))])];
    let mut out = b"kept".to_vec();
    let error = encode_nested(&ty, &column(&ty, &trees), 0, &mut out).unwrap_err();
    assert_eq!(out, b"kept");
    assert!(error.to_string().contains("Int(200) is not a value of Int8 as native"), "{error}");
}

#[test]
fn a_key_that_is_null_is_refused() {
    let ty = NestedType::Map(PrimitiveType::Utf8, Box::new(NestedType::Plain(PrimitiveType::Int8)));
    let mut column = NestedColumn::new(&ty);
    column.entries(1).unwrap();
    column.part(0).unwrap().null().unwrap();
    column.part(1).unwrap().null().unwrap();
    let mut out = Vec::new();
    assert!(
        encode_nested(&ty, &column, 0, &mut out).unwrap_err().to_string().contains("a key of a map is NULL")
    );
    assert!(out.is_empty());
}
