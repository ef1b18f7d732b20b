//! [`Access`]: which parts of a column a query looks at.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Fields};

/// The name of a list's element in a path.
pub(super) const ELEMENT: &str = "element";
/// The name of a map's keys in a path.
pub(super) const KEY: &str = "key";
/// The name of a map's values in a path.
pub(super) const VALUE: &str = "value";

/// A name that no field has: no tool lets one write it.
const NOWHERE: &str = "\0";

/// The parts of a value that somebody looks at.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Access {
    /// All of it.
    Whole,
    /// Whether it is there, how long it is, and these parts: fields of a struct, [`ELEMENT`] of a list, [`KEY`] and
    /// [`VALUE`] of a map.
    Parts(BTreeMap<String, Access>),
}

impl Access {
    /// Only whether the value is there, and how long it is.
    pub fn presence() -> Self {
        Self::Parts(BTreeMap::new())
    }

    /// One part.
    pub fn part(name: impl Into<String>, access: Access) -> Self {
        Self::Parts(BTreeMap::from([(name.into(), access)]))
    }

    /// Adds what somebody else looks at.
    pub fn merge(&mut self, other: Access) {
        match (&mut *self, other) {
            (Self::Whole, _) => {}
            (_, Self::Whole) => *self = Self::Whole,
            (Self::Parts(mine), Self::Parts(others)) => {
                for (name, access) in others {
                    match mine.get_mut(&name) {
                        Some(known) => known.merge(access),
                        None => {
                            mine.insert(name, access);
                        }
                    }
                }
            }
        }
    }

    /// What is looked at of a part.
    pub fn of(&self, name: &str) -> Option<&Access> {
        match self {
            Self::Whole => Some(&Self::Whole),
            Self::Parts(parts) => parts.get(name),
        }
    }

    /// The field with the parts that are looked at. Where that is only whether a struct is there, it gets a field that no
    /// file has: a struct has fields.
    pub(super) fn narrow(&self, field: &FieldRef) -> FieldRef {
        let Self::Parts(parts) = self else { return Arc::clone(field) };
        let of = |name: &str| parts.get(name).cloned().unwrap_or_else(Self::presence);
        let data_type = match field.data_type() {
            DataType::Struct(fields) => {
                let kept = fields.iter().filter_map(|inner| Some(parts.get(inner.name())?.narrow(inner)));
                let mut kept: Vec<FieldRef> = kept.collect();
                if kept.is_empty() {
                    kept.push(Arc::new(Field::new(NOWHERE, DataType::Boolean, true)));
                }
                DataType::Struct(kept.into())
            }
            DataType::List(element) => DataType::List(of(ELEMENT).narrow(element)),
            DataType::Map(entries, sorted) => match entries.data_type() {
                // Of a key that occurs twice the last entry counts, so keys are read whole.
                DataType::Struct(pair) => match pair.as_ref() {
                    [key, value] => {
                        let pair = Fields::from(vec![Arc::clone(key), of(VALUE).narrow(value)]);
                        let entries = with_type(entries, DataType::Struct(pair));
                        DataType::Map(Arc::new(entries), *sorted)
                    }
                    _ => return Arc::clone(field),
                },
                _ => return Arc::clone(field),
            },
            _ => return Arc::clone(field),
        };
        Arc::new(with_type(field, data_type))
    }

    /// The same, as short as it can be said: where all of a type is looked at, it is whole.
    pub(super) fn simplify(self, data_type: &DataType) -> Self {
        let Self::Parts(parts) = self else { return self };
        let simple = |name: &str, inner: &FieldRef| {
            let access = parts.get(name).cloned().unwrap_or_else(Self::presence);
            access.simplify(inner.data_type())
        };
        match data_type {
            DataType::Struct(fields) => {
                let made: BTreeMap<String, Access> = fields
                    .iter()
                    .filter(|field| parts.contains_key(field.name()))
                    .map(|field| (field.name().clone(), simple(field.name(), field)))
                    .collect();
                let all = made.len() == fields.len() && made.values().all(|access| *access == Self::Whole);
                if all { Self::Whole } else { Self::Parts(made) }
            }
            DataType::List(element) => Self::around(ELEMENT, simple(ELEMENT, element)),
            DataType::Map(entries, _) => match entries.data_type() {
                DataType::Struct(pair) => match pair.as_ref() {
                    [_, value] => Self::around(VALUE, simple(VALUE, value)),
                    _ => Self::Whole,
                },
                _ => Self::Whole,
            },
            // There is no less of a leaf than all of it.
            _ => Self::Whole,
        }
    }

    fn around(name: &str, inner: Access) -> Self {
        match inner {
            Self::Whole => Self::Whole,
            parts if parts == Self::presence() => parts,
            parts => Self::part(name, parts),
        }
    }

    fn write(&self, path: &str, f: &mut fmt::Formatter<'_>, first: &mut bool) -> fmt::Result {
        match self {
            Self::Parts(parts) if !parts.is_empty() => {
                for (name, part) in parts {
                    part.write(&format!("{path}.{name}"), f, first)?;
                }
                Ok(())
            }
            _ => {
                if !std::mem::take(first) {
                    f.write_str(", ")?;
                }
                let presence = if matches!(self, Self::Whole) { "" } else { "?" };
                write!(f, "{path}{presence}")
            }
        }
    }
}

fn with_type(field: &Field, data_type: DataType) -> Field {
    field.clone().with_data_type(data_type)
}

/// The columns of a scan that are not looked at as a whole, by name. EXPLAIN shows the paths; `?` marks parts of which only
/// the presence counts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct ColumnAccess(pub(super) BTreeMap<String, Access>);

impl ColumnAccess {
    /// Whether every column is read whole.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The columns with the parts that are looked at.
    pub(super) fn narrow(&self, fields: &Fields) -> Fields {
        let narrowed = |field: &FieldRef| match self.0.get(field.name()) {
            Some(access) => access.narrow(field),
            None => Arc::clone(field),
        };
        fields.iter().map(narrowed).collect()
    }
}

impl fmt::Display for ColumnAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        self.0.iter().try_for_each(|(name, access)| access.write(name, f, &mut first))
    }
}
