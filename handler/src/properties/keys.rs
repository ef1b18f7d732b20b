//! The known keys of table properties, and what is near them.
//!
//! [`Key::recognise`] takes a key as written to what it sets; [`Key::canonical`] gives one spelling to each
//! thing that can be set, so that a second spelling is found to be a repetition.

use std::str::FromStr;

use ostracon_iterators::IteratorScope;

use crate::error::{HandlerError, Result};

/// What a key sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Key {
    ColumnsMapping,
    TableName,
    DefaultStorage,
    IteratorPushdown,
    NoIterators,
    PartialAggregates,
    VisibilityLabel,
    VisibilityColumn(String),
    Authorizations,
    CompositeRowId,
    OnBadValue,
    MaxVersions,
    Ttl,
    Durability,
    SplitThreshold,
    LocalityGroup(String),
    Iterator(IteratorScope, String),
    IteratorOption(IteratorScope, String, String),
    ExternalTablePurge,
    InsertMode,
    /// One of Hive's connection properties: accepted, without effect.
    Connection(&'static str),
}

/// The keys without parameters.
const PLAIN: [(&str, Key); 17] = [
    ("columns.mapping", Key::ColumnsMapping),
    ("table.name", Key::TableName),
    ("default.storage", Key::DefaultStorage),
    // HBase's spelling of the same.
    ("table.default.storage.type", Key::DefaultStorage),
    ("iterator.pushdown", Key::IteratorPushdown),
    ("no.iterators", Key::NoIterators),
    ("partial.aggregates", Key::PartialAggregates),
    ("visibility.label", Key::VisibilityLabel),
    ("authorizations", Key::Authorizations),
    ("composite.rowid", Key::CompositeRowId),
    ("on.bad.value", Key::OnBadValue),
    ("max.versions", Key::MaxVersions),
    ("ttl", Key::Ttl),
    ("durability", Key::Durability),
    ("split.threshold", Key::SplitThreshold),
    ("external.table.purge", Key::ExternalTablePurge),
    ("insert.mode", Key::InsertMode),
];

/// What Hive's handlers need to find a cluster and an embedded store does not.
const CONNECTION: [&str; 10] = [
    "instance.name",
    "zookeepers",
    "user.name",
    "user.pass",
    "sasl.enabled",
    "user.keytab",
    "mock.instance",
    "zookeeper.quorum",
    "zookeeper.property.clientPort",
    "zookeeper.znode.parent",
];

/// The keys with a parameter, as shown in suggestions.
const PATTERNS: [&str; 4] =
    ["visibility.column.NAME", "locality.group.NAME", "iterator.SCOPE.NAME", "iterator.SCOPE.NAME.opt.KEY"];

/// One spelling for each thing a key can set (`accumulo.no.iterators` gives `iterator.pushdown`); `None` for an
/// unknown key.
pub fn canonical_key(written: &str) -> Option<String> {
    Key::recognise(written).ok().map(|key| key.canonical())
}

/// The key without the prefix of Hive's handlers.
fn without_prefix(written: &str) -> &str {
    written.strip_prefix("accumulo.").or_else(|| written.strip_prefix("hbase.")).unwrap_or(written)
}

impl Key {
    /// What a key sets.
    pub(super) fn recognise(written: &str) -> Result<Key> {
        let key = without_prefix(written);
        if let Some((_, known)) = PLAIN.iter().find(|(name, _)| *name == key) {
            return Ok(known.clone());
        }
        if let Some(known) = CONNECTION.iter().find(|name| **name == key) {
            return Ok(Key::Connection(known));
        }
        if let Some(column) = key.strip_prefix("visibility.column.").filter(|name| !name.is_empty()) {
            return Ok(Key::VisibilityColumn(column.to_owned()));
        }
        if let Some(group) = key.strip_prefix("locality.group.").filter(|name| !name.is_empty()) {
            return Ok(Key::LocalityGroup(group.to_owned()));
        }
        if let Some(rest) = key.strip_prefix("iterator.") {
            return Self::iterator(rest).ok_or_else(|| {
                HandlerError::invalid(format!(
                    "unknown property '{written}'; iterators are set by iterator.SCOPE.NAME = 'priority,class' and \
                     iterator.SCOPE.NAME.opt.KEY, with SCOPE one of scan, minc, majc"
                ))
            });
        }
        Err(Self::unknown(written, key))
    }

    fn iterator(rest: &str) -> Option<Key> {
        let mut parts = rest.splitn(4, '.');
        let scope = IteratorScope::from_str(parts.next()?).ok()?;
        let name = parts.next().filter(|name| !name.is_empty())?.to_owned();
        match (parts.next(), parts.next()) {
            (None, _) => Some(Key::Iterator(scope, name)),
            (Some("opt"), Some(option)) if !option.is_empty() => {
                Some(Key::IteratorOption(scope, name, option.to_owned()))
            }
            _ => None,
        }
    }

    fn unknown(written: &str, key: &str) -> HandlerError {
        let near = PLAIN
            .iter()
            .map(|(name, _)| *name)
            .chain(CONNECTION)
            .map(|name| (distance(key, name), name))
            .min()
            .filter(|(distance, name)| *distance <= 1 + name.len() / 4);
        HandlerError::invalid(match near {
            Some((_, name)) => format!("unknown property '{written}'; did you mean '{name}'?"),
            None => format!(
                "unknown property '{written}'; known are {}, {}",
                PLAIN.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", "),
                PATTERNS.join(", ")
            ),
        })
    }

    /// One spelling for each thing that can be set.
    pub(super) fn canonical(&self) -> String {
        match self {
            Key::NoIterators => "iterator.pushdown".to_owned(),
            Key::VisibilityColumn(column) => format!("visibility.column.{column}"),
            Key::LocalityGroup(group) => format!("locality.group.{group}"),
            Key::Iterator(scope, name) => format!("iterator.{scope}.{name}"),
            Key::IteratorOption(scope, name, option) => format!("iterator.{scope}.{name}.opt.{option}"),
            Key::Connection(name) => (*name).to_owned(),
            plain => PLAIN
                .iter()
                .find(|(_, known)| known == plain)
                .map_or_else(String::new, |(name, _)| (*name).to_owned()),
        }
    }

    /// Whether the key says how stored bytes are read, so that it cannot change once there may be some.
    pub(super) fn is_fixed(&self) -> bool {
        matches!(self, Key::ColumnsMapping | Key::TableName | Key::DefaultStorage | Key::CompositeRowId)
    }
}

/// The number of single-character edits between two keys (Levenshtein's distance).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (to, above) in b.iter().zip(row.iter_mut().skip(1)) {
            let cost = (diagonal + usize::from(from != *to)).min(left + 1).min(*above + 1);
            diagonal = *above;
            *above = cost;
            left = cost;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_edits() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", ""), 3);
        assert_eq!(distance("colums.mapping", "columns.mapping"), 1);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("same", "same"), 0);
    }

    #[test]
    fn every_spelling_has_one_canonical_form() {
        assert_eq!(canonical_key("accumulo.no.iterators").as_deref(), Some("iterator.pushdown"));
        assert_eq!(canonical_key("iterator.pushdown").as_deref(), Some("iterator.pushdown"));
        assert_eq!(canonical_key("hbase.table.default.storage.type").as_deref(), Some("default.storage"));
        assert_eq!(canonical_key("visibility.column.Ab.c").as_deref(), Some("visibility.column.Ab.c"));
        assert_eq!(canonical_key("iterator.MINC.sum.opt.all").as_deref(), Some("iterator.minc.sum.opt.all"));
        assert_eq!(canonical_key("iterator.often.sum"), None);
        assert_eq!(canonical_key("iterator.scan.sum.option.all"), None);
        assert_eq!(canonical_key("visibility.column."), None);
        assert_eq!(canonical_key("Table.Name"), None, "keys are kept as written");
    }
}
