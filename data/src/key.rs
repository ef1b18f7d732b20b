//! The key of a cell and its order.
//!
//! [`Key`] orders cells as Accumulo does, [`PartialKey`] names a prefix of its fields, [`Value`] is what a cell holds.
//! A key is plain data: it neither parses its label nor encodes itself for storage.

use std::cmp::Ordering;
use std::fmt;

/// The family of the cell that keeps a row alive when every column of it is NULL.
///
/// Its qualifier and value are empty and it carries the row's label. No mapping can name this family, since families
/// of mapped columns are text.
pub const ROW_MARKER_FAMILY: &[u8] = &[0];

/// The name of a cell: row, column, label and time, plus whether it marks a deletion.
///
/// The order is Accumulo's: row, family, qualifier and visibility ascending by bytes, then timestamp *descending* (the
/// newest version comes first), then a delete marker before a put of the same timestamp (so that it hides it).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Key {
    /// Row id; any bytes, rows sort by them unsigned.
    pub row: Vec<u8>,
    /// Column family.
    pub family: Vec<u8>,
    /// Column qualifier.
    pub qualifier: Vec<u8>,
    /// Label expression (see [`ColumnVisibility`](crate::ColumnVisibility)); empty means everybody may see the cell.
    pub visibility: Vec<u8>,
    /// Version of the cell, by convention milliseconds since 1970-01-01 UTC. Larger is newer.
    pub timestamp: i64,
    /// True for a delete marker, which hides the cells of its column and label whose timestamp is not larger.
    pub deleted: bool,
}

/// How many of a key's fields count in a comparison; the names are Accumulo's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PartialKey {
    /// The row only.
    Row,
    /// Row and family.
    RowFamily,
    /// Row, family and qualifier.
    RowFamilyQualifier,
    /// Row, family, qualifier and visibility: the cells that are versions of each other.
    RowFamilyQualifierVisibility,
    /// All but the delete flag.
    RowFamilyQualifierVisibilityTimestamp,
    /// Every field, the order of `Ord`.
    All,
}

impl Key {
    /// A key of a live cell.
    pub fn new(
        row: impl Into<Vec<u8>>,
        family: impl Into<Vec<u8>>,
        qualifier: impl Into<Vec<u8>>,
        visibility: impl Into<Vec<u8>>,
        timestamp: i64,
    ) -> Self {
        Self {
            row: row.into(),
            family: family.into(),
            qualifier: qualifier.into(),
            visibility: visibility.into(),
            timestamp,
            deleted: false,
        }
    }

    /// The least key that any cell of `row` can have: every cell of the row is at or after it, every cell of an
    /// earlier row before it.
    pub fn first_of_row(row: impl Into<Vec<u8>>) -> Self {
        Self { row: row.into(), timestamp: i64::MAX, deleted: true, ..Self::default() }
    }

    /// The least key of `row` and `family`.
    pub fn first_of_family(row: impl Into<Vec<u8>>, family: impl Into<Vec<u8>>) -> Self {
        Self { family: family.into(), ..Self::first_of_row(row) }
    }

    /// The least key of a column.
    pub fn first_of_column(
        row: impl Into<Vec<u8>>,
        family: impl Into<Vec<u8>>,
        qualifier: impl Into<Vec<u8>>,
    ) -> Self {
        Self { qualifier: qualifier.into(), ..Self::first_of_family(row, family) }
    }

    /// The least key after every key that agrees with this one in the fields of `part`.
    ///
    /// With [`PartialKey::All`] it is the very next key: the put after a delete marker of one timestamp, else the delete
    /// marker of the next older timestamp.
    /// A timestamp of `i64::MIN` has no older neighbour, hence the step to the next label.
    pub fn following(&self, part: PartialKey) -> Self {
        match part {
            PartialKey::Row => Self::first_of_row(stepped(&self.row)),
            PartialKey::RowFamily => Self::first_of_family(self.row.clone(), stepped(&self.family)),
            PartialKey::RowFamilyQualifier => {
                Self::first_of_column(self.row.clone(), self.family.clone(), stepped(&self.qualifier))
            }
            PartialKey::RowFamilyQualifierVisibility => Self {
                visibility: stepped(&self.visibility),
                ..Self::first_of_column(self.row.clone(), self.family.clone(), self.qualifier.clone())
            },
            PartialKey::RowFamilyQualifierVisibilityTimestamp => match self.timestamp.checked_sub(1) {
                Some(older) => Self { timestamp: older, deleted: true, ..self.clone() },
                None => self.following(PartialKey::RowFamilyQualifierVisibility),
            },
            PartialKey::All if self.deleted => Self { deleted: false, ..self.clone() },
            PartialKey::All => self.following(PartialKey::RowFamilyQualifierVisibilityTimestamp),
        }
    }

    /// Compares the leading fields that `part` names.
    pub fn compare(&self, other: &Self, part: PartialKey) -> Ordering {
        let mut order = self.row.cmp(&other.row);
        if part >= PartialKey::RowFamily {
            order = order.then_with(|| self.family.cmp(&other.family));
        }
        if part >= PartialKey::RowFamilyQualifier {
            order = order.then_with(|| self.qualifier.cmp(&other.qualifier));
        }
        if part >= PartialKey::RowFamilyQualifierVisibility {
            order = order.then_with(|| self.visibility.cmp(&other.visibility));
        }
        if part >= PartialKey::RowFamilyQualifierVisibilityTimestamp {
            order = order.then_with(|| other.timestamp.cmp(&self.timestamp));
        }
        if part >= PartialKey::All {
            order = order.then_with(|| other.deleted.cmp(&self.deleted));
        }
        order
    }

    /// Whether both keys agree in the leading fields that `part` names.
    pub fn agrees(&self, other: &Self, part: PartialKey) -> bool {
        self.compare(other, part).is_eq()
    }

    /// Bytes of the key's variable fields, without its timestamp and flag.
    pub fn byte_len(&self) -> usize {
        self.row.len() + self.family.len() + self.qualifier.len() + self.visibility.len()
    }
}

/// The least byte string greater than `bytes`.
fn stepped(bytes: &[u8]) -> Vec<u8> {
    crate::row_successor(bytes)
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        self.compare(other, PartialKey::All)
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Key {
    /// `row family:qualifier [visibility] timestamp`, as Accumulo's shell prints it, bytes outside ASCII escaped.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {}:{} [{}] {}{}",
            self.row.escape_ascii(),
            self.family.escape_ascii(),
            self.qualifier.escape_ascii(),
            self.visibility.escape_ascii(),
            self.timestamp,
            if self.deleted { " deleted" } else { "" }
        )
    }
}

/// The bytes of a cell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub Vec<u8>);

impl Value {
    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl<T: Into<Vec<u8>>> From<T> for Value {
    fn from(bytes: T) -> Self {
        Self(bytes.into())
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.escape_ascii())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        prop::collection::vec(prop::sample::select(vec![0u8, 1, b'a', 0xff]), 0..3)
    }

    fn key() -> impl Strategy<Value = Key> {
        let time = prop_oneof![Just(i64::MIN), Just(i64::MAX), -2i64..3];
        (bytes(), bytes(), bytes(), bytes(), time, any::<bool>()).prop_map(
            |(row, family, qualifier, visibility, timestamp, deleted)| Key {
                row,
                family,
                qualifier,
                visibility,
                timestamp,
                deleted,
            },
        )
    }

    #[test]
    fn newest_first_and_deletes_before_puts() {
        let old = Key::new("r", "f", "q", "", 1);
        let new = Key::new("r", "f", "q", "", 2);
        let gone = Key { deleted: true, ..old.clone() };
        let mut keys = vec![old.clone(), gone.clone(), new.clone()];
        keys.sort();
        assert_eq!(keys, vec![new, gone, old]);
    }

    #[test]
    fn display_escapes_bytes() {
        let key = Key { deleted: true, ..Key::new([0u8, b'r'], "f", "q", "A&B", -5) };
        assert_eq!(key.to_string(), "\\x00r f:q [A&B] -5 deleted");
        assert_eq!(Value::from("a\n").to_string(), "a\\n");
    }

    const PARTS: [PartialKey; 6] = [
        PartialKey::Row,
        PartialKey::RowFamily,
        PartialKey::RowFamilyQualifier,
        PartialKey::RowFamilyQualifierVisibility,
        PartialKey::RowFamilyQualifierVisibilityTimestamp,
        PartialKey::All,
    ];

    proptest! {
        #[test]
        fn order_is_lexicographic_over_the_fields(a in key(), b in key()) {
            let tuple = |k: &Key| (
                k.row.clone(), k.family.clone(), k.qualifier.clone(), k.visibility.clone(),
                std::cmp::Reverse(k.timestamp), std::cmp::Reverse(k.deleted),
            );
            prop_assert_eq!(a.cmp(&b), tuple(&a).cmp(&tuple(&b)));
            prop_assert_eq!(a.cmp(&b).is_eq(), a == b);
        }

        #[test]
        fn following_is_the_least_key_past_its_part(a in key(), b in key()) {
            for part in PARTS {
                let next = a.following(part);
                // Nothing lies between: b agrees with or precedes a in the part, or it is at or after the next.
                let at_or_before = b.compare(&a, part).is_le();
                prop_assert_eq!(at_or_before, b < next, "{:?} {} {} {}", part, a, b, next);
            }
        }

        #[test]
        fn first_of_row_is_least(a in key()) {
            prop_assert!(Key::first_of_row(a.row.clone()) <= a);
            prop_assert!(Key::first_of_family(a.row.clone(), a.family.clone()) <= a);
            prop_assert!(Key::first_of_column(a.row.clone(), a.family.clone(), a.qualifier.clone()) <= a);
        }
    }
}
