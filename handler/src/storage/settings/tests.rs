use arrow::datatypes::DataType;
use ostracon_segment::{GroupMember, LocalityGroups};
use ostracon_tablets::{Durability, TableSettings};

use super::{merged_settings, settings_of};
use crate::definition::{ColumnSpec, TableDefinition};
use crate::properties::TableProperties;

fn properties(pairs: &[(&str, &str)]) -> TableProperties {
    TableProperties::parse(pairs.iter().copied()).unwrap()
}

fn typed(pairs: &[(&str, &str)]) -> TableDefinition {
    let columns = ["k", "a", "B", "text"].map(|name| ColumnSpec::new(name, DataType::Int64)).to_vec();
    TableDefinition::typed("t", columns, &["k".to_owned()], properties(pairs)).unwrap()
}

fn mapped(pairs: &[(&str, &str)]) -> TableDefinition {
    let mapping = ("columns.mapping", ":rowid,f:a,f:b,g:c");
    let pairs: Vec<_> = std::iter::once(mapping).chain(pairs.iter().copied()).collect();
    let columns = ["k", "x", "y", "z"].map(|name| ColumnSpec::new(name, DataType::Utf8)).to_vec();
    TableDefinition::mapped("t", columns, false, properties(&pairs)).unwrap()
}

fn member(family: &[u8], qualifier: Option<&[u8]>) -> GroupMember {
    GroupMember { family: family.to_vec(), qualifier: qualifier.map(<[u8]>::to_vec) }
}

#[test]
fn groups_are_named_by_columns_families_and_both() {
    let groups = |definition: &TableDefinition| settings_of(definition).unwrap().locality_groups;
    let table = typed(&[("locality.group.wide", "text"), ("locality.group.numbers", "a, b")]);
    let numbers = vec![member(b"c", Some(&[2])), member(b"c", Some(&[3]))];
    let wide = vec![member(b"c", Some(&[4]))];
    assert_eq!(groups(&table), LocalityGroups::new(vec![numbers, wide]), "in the order of their names");
    let table = mapped(&[("locality.group.one", "f:b,z"), ("locality.group.two", "f")]);
    let one = vec![member(b"f", Some(b"b")), member(b"g", Some(b"c"))];
    assert_eq!(groups(&table), LocalityGroups::new(vec![one, vec![member(b"f", None)]]));
    assert_eq!(groups(&typed(&[])), LocalityGroups::default());
}

#[test]
fn a_group_of_what_is_not_there_is_refused() {
    let cases = [
        (
            typed(&[("locality.group.g", "nope")]),
            "names 'nope', which table t does not have; columns: a, B, text",
        ),
        (typed(&[("locality.group.g", "c")]), "names 'c', which table t does not have"),
        (typed(&[("locality.group.g", "k")]), "column k, which is not kept in cells"),
        (
            typed(&[("locality.group.g", "a"), ("locality.group.h", "a")]),
            "'a' is in two locality groups, g and h",
        ),
        (mapped(&[("locality.group.g", "h")]), "columns: x, y, z; families: f, g"),
        (mapped(&[("locality.group.g", "f:c")]), "names 'f:c'"),
    ];
    for (definition, wanted) in cases {
        let error = settings_of(&definition).unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}");
    }
}

#[test]
fn a_store_table_keeps_what_a_table_does_not_name_and_forgets_what_it_takes_back() {
    let now = TableSettings {
        ttl_ms: Some(5),
        max_versions: 3,
        durability: Some(Durability::Log),
        locality_groups: LocalityGroups::new(vec![vec![member(b"c", None)]]),
        ..TableSettings::default()
    };
    let merged = |definition: &TableDefinition, unset: &[&str]| {
        let unset: Vec<String> = unset.iter().map(|key| (*key).to_owned()).collect();
        merged_settings(&now, definition, &unset).unwrap()
    };
    assert_eq!(merged(&typed(&[]), &[]), now);
    let table = typed(&[("max.versions", "2"), ("locality.group.g", "a")]);
    let groups = settings_of(&table).unwrap().locality_groups;
    assert_eq!(
        merged(&table, &[]),
        TableSettings { max_versions: 2, locality_groups: groups, ..now.clone() }
    );
    let taken_back = merged(&typed(&[]), &["ttl", "accumulo.max.versions", "locality.group.g"]);
    let kept = TableSettings { durability: now.durability, ..TableSettings::default() };
    assert_eq!(taken_back, kept);
}
