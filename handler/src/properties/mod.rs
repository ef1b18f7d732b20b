//! Table properties: what `OPTIONS`, `WITH SERDEPROPERTIES` and `TBLPROPERTIES` say, checked once.
//!
//! Principal types: the raw pairs go in at [`TableProperties::parse`]; out come typed settings, the pairs as
//! they were written (for `SHOW TBLPROPERTIES` and the catalog) and warnings for what is accepted and ignored.
//! Each key may carry Hive's `accumulo.` prefix. An unknown key or a bad value is an error that names the key,
//! the value and what is allowed; a key that is close to a known one is suggested.
//!
//! It does not know columns: that a `visibility.column.NAME` exists is checked where a table is defined.

mod keys;
mod values;

use std::collections::BTreeMap;

use ostracon_compare::Encoding;
use ostracon_data::Authorizations;
use ostracon_iterators::{IteratorScope, IteratorSetting, OnBadValue};
use ostracon_tablets::Durability;

use crate::error::{HandlerError, Result};

use keys::Key;
pub use keys::canonical_key;

/// What INSERT does with a row whose key exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum InsertMode {
    /// The row is replaced as SQL sees it: a NULL or unnamed column has no cell afterwards.
    #[default]
    Upsert,
    /// Unnamed columns keep their cells.
    Merge,
    /// An existing visible key is an error.
    Error,
}

/// How a struct becomes a row id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompositeRowId {
    /// The fields as text, joined by these bytes.
    Delimiter(Vec<u8>),
    /// The order-preserving encoding of typed tables.
    Native,
}

/// The properties of a table: typed settings, and the pairs they came from.
#[derive(Debug, Clone, PartialEq)]
pub struct TableProperties {
    pairs: Vec<(String, String)>,
    warnings: Vec<String>,
    /// `columns.mapping`: the text, parsed by [`crate::mapping::ColumnMapping`].
    pub columns_mapping: Option<String>,
    /// `table.name`: the table of the store, if not the SQL name.
    pub table_name: Option<String>,
    /// `default.storage`: the encoding of columns whose mapping names none. Default: text.
    pub default_storage: Encoding,
    /// `iterator.pushdown` (or its strict negation `no.iterators`). Default: on.
    pub iterator_pushdown: bool,
    /// `partial.aggregates`: whether scans compute the first half of aggregates. Default: on.
    pub partial_aggregates: bool,
    /// `visibility.label`: the label of every cell written; checked to be well formed.
    pub visibility_label: Option<Vec<u8>>,
    /// `visibility.column.NAME`: labels of single columns, in place of the table's.
    pub visibility_columns: BTreeMap<String, Vec<u8>>,
    /// `authorizations`: narrows those of the session.
    pub authorizations: Option<Authorizations>,
    /// `composite.rowid`: how a struct becomes a row id.
    pub composite_row_id: Option<CompositeRowId>,
    /// `on.bad.value`: what a stored value that does not fit its column's type does. Default: an error.
    pub on_bad_value: OnBadValue,
    /// `max.versions`: versions kept of a cell, at least 1. Default: 1.
    pub max_versions: u32,
    /// `ttl`, in milliseconds.
    pub ttl_ms: Option<u64>,
    /// `durability` of this table's statements, if not the store's.
    pub durability: Option<Durability>,
    /// `split.threshold`, in bytes.
    pub split_threshold: Option<u64>,
    /// `locality.group.NAME`: families or columns, as written, in the order of the names.
    pub locality_groups: BTreeMap<String, Vec<String>>,
    /// `iterator.SCOPE.NAME`: settings, ordered by scope and priority.
    pub iterators: Vec<(IteratorScope, IteratorSetting)>,
    /// `external.table.purge`: DROP of an external table drops its cells too. Default: no.
    pub external_table_purge: bool,
    /// `insert.mode`. Default: upsert.
    pub insert_mode: InsertMode,
}

impl Default for TableProperties {
    fn default() -> Self {
        TableProperties {
            pairs: Vec::new(),
            warnings: Vec::new(),
            columns_mapping: None,
            table_name: None,
            default_storage: Encoding::String,
            iterator_pushdown: true,
            partial_aggregates: true,
            visibility_label: None,
            visibility_columns: BTreeMap::new(),
            authorizations: None,
            composite_row_id: None,
            on_bad_value: OnBadValue::Error,
            max_versions: 1,
            ttl_ms: None,
            durability: None,
            split_threshold: None,
            locality_groups: BTreeMap::new(),
            iterators: Vec::new(),
            external_table_purge: false,
            insert_mode: InsertMode::Upsert,
        }
    }
}

impl TableProperties {
    /// Reads pairs in the order they were written.
    ///
    /// # Errors
    /// `Invalid`: an unknown key, a value that is not allowed, or a key given twice (also once with and once
    /// without prefix, or as both `iterator.pushdown` and `no.iterators`).
    pub fn parse<K, V>(pairs: impl IntoIterator<Item = (K, V)>) -> Result<Self>
    where
        K: Into<String>,
        V: Into<String>,
    {
        let pairs: Vec<(String, String)> = pairs.into_iter().map(|(k, v)| (k.into(), v.into())).collect();
        let mut properties = TableProperties::default();
        let mut seen: BTreeMap<String, &str> = BTreeMap::new();
        let mut options: Vec<(IteratorScope, String, String, &str, &str)> = Vec::new();
        for (written, value) in &pairs {
            let key = Key::recognise(written)?;
            if let Some(earlier) = seen.insert(key.canonical(), written) {
                return Err(HandlerError::invalid(if earlier == written {
                    format!("the property '{written}' is given twice; give it once")
                } else {
                    format!("the properties '{earlier}' and '{written}' set the same thing; give one of them")
                }));
            }
            properties.apply(key, written, value, &mut options)?;
        }
        for (scope, name, option, value, written) in options {
            let setting = properties
                .iterators
                .iter_mut()
                .find(|(of, setting)| *of == scope && setting.name == name)
                .map(|(_, setting)| setting)
                .ok_or_else(|| {
                    HandlerError::invalid(format!(
                        "the property '{written}' sets an option of an iterator that is not there; \
                         give 'iterator.{scope}.{name}' = 'priority,class' too"
                    ))
                })?;
            setting.options.insert(option, value.to_owned());
        }
        properties
            .iterators
            .sort_by(|a, b| (a.0, a.1.priority, &a.1.name).cmp(&(b.0, b.1.priority, &b.1.name)));
        for (a, b) in properties.iterators.iter().zip(properties.iterators.iter().skip(1)) {
            if a.0 == b.0 && a.1.priority == b.1.priority {
                return Err(HandlerError::invalid(format!(
                    "the iterators '{}' and '{}' both have priority {} in scope {}; a priority is unique in its scope",
                    a.1.name, b.1.name, a.1.priority, a.0
                )));
            }
        }
        properties.pairs = pairs;
        Ok(properties)
    }

    fn apply<'a>(
        &mut self,
        key: Key,
        written: &'a str,
        value: &'a str,
        options: &mut Vec<(IteratorScope, String, String, &'a str, &'a str)>,
    ) -> Result<()> {
        match key {
            Key::ColumnsMapping => self.columns_mapping = Some(value.to_owned()),
            Key::TableName => self.table_name = Some(values::name(written, value)?),
            Key::DefaultStorage => self.default_storage = values::encoding(written, value)?,
            Key::IteratorPushdown => self.iterator_pushdown = values::boolean(written, value)?,
            Key::NoIterators => self.iterator_pushdown = !values::boolean(written, value)?,
            Key::PartialAggregates => self.partial_aggregates = values::boolean(written, value)?,
            Key::VisibilityLabel => self.visibility_label = Some(values::label(written, value)?),
            Key::VisibilityColumn(column) => {
                self.visibility_columns.insert(column, values::label(written, value)?);
            }
            Key::Authorizations => self.authorizations = Some(values::authorizations(written, value)?),
            Key::CompositeRowId => self.composite_row_id = Some(values::composite_row_id(written, value)?),
            Key::OnBadValue => self.on_bad_value = values::on_bad_value(written, value)?,
            Key::MaxVersions => self.max_versions = values::count(written, value)?,
            Key::Ttl => self.ttl_ms = Some(values::duration(written, value)?),
            Key::Durability => self.durability = Some(values::durability(written, value)?),
            Key::SplitThreshold => self.split_threshold = Some(values::size(written, value)?),
            Key::LocalityGroup(group) => {
                self.locality_groups.insert(group, values::list(written, value)?);
            }
            Key::Iterator(scope, name) => {
                self.iterators.push((scope, values::iterator(written, value, &name)?));
            }
            Key::IteratorOption(scope, name, option) => options.push((scope, name, option, value, written)),
            Key::ExternalTablePurge => self.external_table_purge = values::boolean(written, value)?,
            Key::InsertMode => self.insert_mode = values::insert_mode(written, value)?,
            Key::Connection(_) => self.warnings.push(format!(
                "the property '{written}' is ignored: the tablet store is embedded and needs no connection"
            )),
        }
        Ok(())
    }

    /// The pairs as they were written, in their order.
    pub fn pairs(&self) -> &[(String, String)] {
        &self.pairs
    }

    /// What was accepted and has no effect, one sentence each.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// These properties after `ALTER TABLE ... SET TBLPROPERTIES (changes)`: a key that was set is replaced,
    /// under whichever spelling it was given.
    ///
    /// # Errors
    /// As [`TableProperties::parse`]; `Unsupported` for a key that says how stored bytes are read, which cannot
    /// change under them.
    pub fn with_changes(&self, changes: &[(String, String)]) -> Result<Self> {
        let mut pairs = self.pairs.clone();
        // Checks the changes alone first: a key given twice among them is a mistake, not a replacement.
        let _ = changes.iter().try_fold(BTreeMap::new(), |mut seen, (written, _)| {
            let key = Key::recognise(written)?;
            if key.is_fixed() {
                return Err(HandlerError::unsupported(format!(
                    "the property '{written}' says how stored cells are read and cannot be changed; \
                     create another table over the same store table instead"
                )));
            }
            match seen.insert(key.canonical(), written) {
                None => Ok(seen),
                Some(_) => Err(HandlerError::invalid(format!(
                    "the property '{written}' is given twice; give it once"
                ))),
            }
        })?;
        for (written, value) in changes {
            let canonical = Key::recognise(written)?.canonical();
            pairs.retain(|(old, _)| Key::recognise(old).map_or(true, |old| old.canonical() != canonical));
            pairs.push((written.clone(), value.clone()));
        }
        TableProperties::parse(pairs)
    }
}

#[cfg(test)]
mod tests;
