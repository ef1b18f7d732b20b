use super::*;
use crate::error::ErrorKind;

fn parse(pairs: &[(&str, &str)]) -> Result<TableProperties> {
    TableProperties::parse(pairs.iter().copied())
}

fn pair(key: &str, value: &str) -> (String, String) {
    (key.to_owned(), value.to_owned())
}

#[test]
fn nothing_said_is_the_default() {
    assert_eq!(parse(&[]).unwrap(), TableProperties::default());
}

#[test]
fn every_key_is_read_with_and_without_prefix() {
    for prefix in ["", "accumulo."] {
        let keys = [
            ("columns.mapping", ":rowid,f:v"),
            ("table.name", "cells"),
            ("default.storage", "binary"),
            ("iterator.pushdown", "false"),
            ("visibility.label", "P|Q"),
            ("visibility.column.b", "R"),
            ("authorizations", "A,B"),
            ("composite.rowid", "$"),
            ("on.bad.value", "skip_row"),
            ("max.versions", "3"),
            ("ttl", "7d"),
            ("durability", "log"),
            ("split.threshold", "1G"),
            ("locality.group.g", "f, g"),
            ("iterator.majc.sum", "10,SummingCombiner"),
            ("iterator.majc.sum.opt.all", "true"),
            ("external.table.purge", "true"),
            ("insert.mode", "merge"),
        ];
        let pairs: Vec<_> = keys.iter().map(|(k, v)| (format!("{prefix}{k}"), (*v).to_owned())).collect();
        let read = TableProperties::parse(pairs.clone()).unwrap();
        assert_eq!(read.pairs(), pairs, "kept as written");
        assert!(read.warnings().is_empty());
        assert_eq!(read.columns_mapping.as_deref(), Some(":rowid,f:v"));
        assert_eq!(read.table_name.as_deref(), Some("cells"));
        assert_eq!(read.default_storage, Encoding::Binary);
        assert!(!read.iterator_pushdown);
        assert_eq!(read.visibility_label.as_deref(), Some(&b"P|Q"[..]));
        assert_eq!(read.visibility_columns.get("b").map(Vec::as_slice), Some(&b"R"[..]));
        assert!(read.authorizations.as_ref().is_some_and(|set| set.contains(b"A") && !set.contains(b"C")));
        assert_eq!(read.composite_row_id, Some(CompositeRowId::Delimiter(b"$".to_vec())));
        assert_eq!(read.on_bad_value, OnBadValue::SkipRow);
        assert_eq!((read.max_versions, read.ttl_ms), (3, Some(604_800_000)));
        assert_eq!((read.durability, read.split_threshold), (Some(Durability::Log), Some(1 << 30)));
        assert_eq!(read.locality_groups["g"], ["f", "g"]);
        assert_eq!(read.iterators.len(), 1);
        assert_eq!(read.iterators[0].0, IteratorScope::MajorCompaction);
        assert_eq!(read.iterators[0].1.options["all"], "true");
        assert!(read.external_table_purge);
        assert_eq!(read.insert_mode, InsertMode::Merge);
    }
}

#[test]
fn unknown_keys_and_bad_values_are_refused_by_name() {
    let cases = [
        ("colums.mapping", "x", "did you mean 'columns.mapping'"),
        ("accumulo.colums.mapping", "x", "did you mean 'columns.mapping'"),
        ("whatever.this.is", "x", "known are columns.mapping"),
        ("iterator.pushdwn", "true", "iterator.SCOPE.NAME"),
        ("iterator.pushdown", "maybe", "one of true, false"),
        ("accumulo.no.iterators", "perhaps", "one of true, false"),
        ("accumulo.no.iterators", "", "one of true, false"),
        ("on.bad.value", "shrug", "one of error, null, skip_row"),
        ("max.versions", "many", "at least 1"),
        ("max.versions", "0", "at least 1"),
        ("default.storage", "base64", "one of string, binary, native"),
        ("durability", "perhaps", "one of sync, flush, log, none"),
        ("insert.mode", "replace", "one of upsert, merge, error"),
        ("table.name", " ", "name of a table"),
        ("composite.rowid", "", "'native'"),
        ("locality.group.g", "a,,b", "separated by commas"),
        ("visibility.label", "A&&B", "visibility expression"),
        ("iterator.scan.x", "y", "'priority,class'"),
        ("iterator.scan.x.opt.y", "z", "iterator.scan.x"),
    ];
    for (key, value, wanted) in cases {
        let error = parse(&[(key, value)]).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Invalid, "{key}");
        let message = error.to_string();
        assert!(message.contains(key) && message.contains(wanted), "{key} = {value}: {message}");
    }
}

#[test]
fn no_iterators_is_the_strict_negation_of_pushdown() {
    assert!(!parse(&[("accumulo.no.iterators", "true")]).unwrap().iterator_pushdown);
    assert!(parse(&[("accumulo.no.iterators", "false")]).unwrap().iterator_pushdown);
    let error = parse(&[("no.iterators", "true"), ("iterator.pushdown", "false")]).unwrap_err().to_string();
    assert!(error.contains("no.iterators") && error.contains("iterator.pushdown"), "{error}");
}

#[test]
fn a_key_given_twice_is_refused_in_any_spelling() {
    assert!(parse(&[("ttl", "1s"), ("ttl", "1s")]).unwrap_err().to_string().contains("twice"));
    assert!(parse(&[("ttl", "1s"), ("accumulo.ttl", "1s")]).unwrap_err().to_string().contains("same thing"));
    let clash = [("iterator.scan.a", "10,X"), ("iterator.scan.b", "10,Y")];
    assert!(parse(&clash).unwrap_err().to_string().contains("priority 10"));
    assert!(parse(&[("iterator.scan.a", "10,X"), ("iterator.majc.b", "10,Y")]).is_ok());
}

#[test]
fn connection_properties_are_accepted_with_a_warning() {
    let read = parse(&[
        ("accumulo.instance.name", "i"),
        ("accumulo.zookeepers", "localhost:2181"),
        ("accumulo.user.name", "root"),
        ("accumulo.user.pass", "secret"),
    ])
    .unwrap();
    assert_eq!(read.warnings().len(), 4);
    assert!(read.warnings()[0].contains("accumulo.instance.name"));
    assert!(read.warnings().iter().all(|warning| !warning.contains("secret")), "values are not repeated");
}

#[test]
fn a_change_replaces_every_spelling_and_keeps_the_rest() {
    let before = parse(&[("iterator.pushdown", "false"), ("ttl", "1s")]).unwrap();
    let after = before.with_changes(&[pair("accumulo.iterator.pushdown", "true")]).unwrap();
    assert!(after.iterator_pushdown);
    assert_eq!(after.pairs(), [pair("ttl", "1s"), pair("accumulo.iterator.pushdown", "true")]);
    let off = after.with_changes(&[pair("no.iterators", "true")]).unwrap();
    assert!(!off.iterator_pushdown);
    assert_eq!(off.pairs().len(), 2);
    let error = before.with_changes(&[pair("columns.mapping", ":rowid")]).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unsupported);
    assert!(before.with_changes(&[pair("ttl", "1s"), pair("ttl", "2s")]).is_err());
    assert!(before.with_changes(&[pair("ttl", "soon")]).is_err());
    assert_eq!(before.with_changes(&[pair("ttl", "2s")]).unwrap().ttl_ms, Some(2_000));
}

#[test]
fn iterators_are_ordered_by_scope_and_priority() {
    let read =
        parse(&[("iterator.scan.late", "30,X"), ("iterator.majc.m", "5,Y"), ("iterator.scan.early", "2,Z")]);
    let names: Vec<_> = read.unwrap().iterators.into_iter().map(|(_, setting)| setting.name).collect();
    assert_eq!(names, ["early", "late", "m"]);
}
