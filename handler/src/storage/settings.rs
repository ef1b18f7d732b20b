//! A table's properties as settings of its store table.

use std::collections::BTreeMap;

use ostracon_segment::{GroupMember, LocalityGroups};
use ostracon_tablets::TableSettings;

use crate::definition::TableDefinition;
use crate::error::{HandlerError, Result};
use crate::mapping::ColumnTarget;

/// The settings of a store table made for this table.
///
/// # Errors
/// A locality group names what the table does not have.
pub(super) fn settings_of(definition: &TableDefinition) -> Result<TableSettings> {
    let properties = &definition.properties;
    Ok(TableSettings {
        max_versions: properties.max_versions,
        ttl_ms: properties.ttl_ms,
        durability: properties.durability,
        iterators: properties.iterators.clone(),
        row_layout: definition.row_id.widths(),
        locality_groups: locality_groups(definition)?,
    })
}

/// What a table makes of the settings that its store table has: those that it names, or named until now (`unset`), are its
/// own; the others stay.
///
/// # Errors
/// As [`settings_of`].
pub(super) fn merged_settings(
    now: &TableSettings,
    definition: &TableDefinition,
    unset: &[String],
) -> Result<TableSettings> {
    let wanted = settings_of(definition)?;
    let set = definition.properties.pairs().iter().map(|(name, _)| name);
    let keys: Vec<String> =
        set.chain(unset).filter_map(|name| crate::properties::canonical_key(name)).collect();
    let named = |is: &dyn Fn(&str) -> bool| keys.iter().any(|key| is(key));
    let mut merged = now.clone();
    if named(&|key| key == "max.versions") {
        merged.max_versions = wanted.max_versions;
    }
    if named(&|key| key == "ttl") {
        merged.ttl_ms = wanted.ttl_ms;
    }
    if named(&|key| key == "durability") {
        merged.durability = wanted.durability;
    }
    if named(&|key| key.starts_with("iterator.") && key != "iterator.pushdown") {
        merged.iterators = wanted.iterators;
    }
    if named(&|key| key.starts_with("locality.group.")) {
        merged.locality_groups = wanted.locality_groups;
    }
    Ok(merged)
}

/// The groups of `locality.group.NAME`, in the order of their names. A member is a column of the table, a column family
/// that it maps, or `family:qualifier`.
fn locality_groups(definition: &TableDefinition) -> Result<LocalityGroups> {
    let mut of_member: BTreeMap<(Vec<u8>, Option<Vec<u8>>), &str> = BTreeMap::new();
    let mut groups = Vec::new();
    for (name, written) in &definition.properties.locality_groups {
        let mut members = Vec::with_capacity(written.len());
        for text in written {
            let member = member(definition, name, text)?;
            let other = of_member.insert((member.family.clone(), member.qualifier.clone()), name);
            match other {
                None => members.push(member),
                Some(other) if other == name => {}
                Some(other) => {
                    return Err(HandlerError::invalid(format!(
                        "'{text}' is in two locality groups, {other} and {name}; it can lie in one place only"
                    )));
                }
            }
        }
        groups.push(members);
    }
    Ok(LocalityGroups::new(groups))
}

fn member(definition: &TableDefinition, group: &str, text: &str) -> Result<GroupMember> {
    let exact = definition.columns.iter().find(|column| column.name == text);
    let column =
        exact.or_else(|| definition.columns.iter().find(|column| column.name.eq_ignore_ascii_case(text)));
    if let Some(column) = column {
        return match &column.target {
            ColumnTarget::Cell { family, qualifier, .. } => {
                Ok(GroupMember { family: family.clone(), qualifier: Some(qualifier.clone()) })
            }
            ColumnTarget::Map { family, prefix, .. } if prefix.is_empty() => {
                Ok(GroupMember { family: family.clone(), qualifier: None })
            }
            ColumnTarget::Map { .. } => Err(HandlerError::invalid(format!(
                "locality group {group} names column {text}, which is a part of a column family; name the family"
            ))),
            ColumnTarget::RowId { .. } | ColumnTarget::Timestamp | ColumnTarget::Visibility => {
                Err(HandlerError::invalid(format!(
                    "locality group {group} names column {text}, which is not kept in cells; leave it out"
                )))
            }
        };
    }
    let mut families = Vec::new();
    // The families of a typed table are its own business.
    let mapped = definition.properties.columns_mapping.is_some();
    for column in definition.columns.iter().filter(|_| mapped) {
        if let ColumnTarget::Cell { family, qualifier, .. } = &column.target
            && [family.as_slice(), b":", qualifier.as_slice()].concat() == text.as_bytes()
        {
            return Ok(GroupMember { family: family.clone(), qualifier: Some(qualifier.clone()) });
        }
        if let ColumnTarget::Cell { family, .. } | ColumnTarget::Map { family, .. } = &column.target {
            if family == text.as_bytes() && !family.is_empty() {
                return Ok(GroupMember { family: family.clone(), qualifier: None });
            }
            families.push(String::from_utf8_lossy(family).into_owned());
        }
    }
    families.sort_unstable();
    families.dedup();
    let columns: Vec<&str> = definition
        .columns
        .iter()
        .filter(|column| column.is_stored_in_cells())
        .map(|column| column.name.as_str())
        .collect();
    let families =
        if families.is_empty() { String::new() } else { format!("; families: {}", families.join(", ")) };
    Err(HandlerError::invalid(format!(
        "locality group {group} names '{text}', which table {} does not have; columns: {}{families}",
        definition.name,
        columns.join(", ")
    )))
}

#[cfg(test)]
mod tests;
