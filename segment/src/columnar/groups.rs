//! Which columns of a table lie together.

use std::collections::BTreeMap;

use super::summary::SegmentSummary;

/// Columns by name: a family, or one column of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupMember {
    /// The column family.
    pub family: Vec<u8>,
    /// The column qualifier; `None`: every one.
    pub qualifier: Option<Vec<u8>>,
}

/// A table's locality groups: a segment keeps the columns of each in a [`Section`](super::Section) of its own, which is
/// read only by who wants one of them. Columns of no group lie in the segment itself, with the row ids.
///
/// Groups are as in Accumulo, but made of single columns too. They change where bytes lie and nothing else.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LocalityGroups {
    groups: Vec<Vec<GroupMember>>,
}

impl LocalityGroups {
    /// These groups. A column belongs to the first that names it, a group that names the column itself before one that names
    /// its family.
    pub fn new(groups: Vec<Vec<GroupMember>>) -> Self {
        Self { groups }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The groups.
    pub fn groups(&self) -> &[Vec<GroupMember>] {
        &self.groups
    }

    /// The place of a column's group among them.
    pub fn group_of(&self, family: &[u8], qualifier: &[u8]) -> Option<usize> {
        let names = |wanted: Option<&[u8]>| {
            self.groups.iter().position(|members| {
                members.iter().any(|member| member.family == family && member.qualifier.as_deref() == wanted)
            })
        };
        names(Some(qualifier)).or_else(|| names(None))
    }

    /// Whether a segment's columns lie as these groups say.
    pub fn agree(&self, segment: &SegmentSummary) -> bool {
        let mut sections = BTreeMap::new();
        let mut groups = BTreeMap::new();
        segment.columns.iter().all(|column| match self.group_of(&column.family, &column.qualifier) {
            None => column.section == 0,
            Some(group) => {
                column.section > 0
                    && *sections.entry(group).or_insert(column.section) == column.section
                    && *groups.entry(column.section).or_insert(group) == group
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{GroupMember, LocalityGroups};

    #[test]
    fn a_column_goes_before_its_family_and_the_first_group_before_the_next() {
        let member = |family: &str, qualifier: Option<&str>| GroupMember {
            family: family.into(),
            qualifier: qualifier.map(Into::into),
        };
        let groups = LocalityGroups::new(vec![
            vec![member("f", None), member("g", Some("q"))],
            vec![member("f", Some("x")), member("g", Some("q")), member("h", None)],
        ]);
        assert_eq!(groups.group_of(b"f", b"y"), Some(0));
        assert_eq!(groups.group_of(b"f", b"x"), Some(1));
        assert_eq!(groups.group_of(b"g", b"q"), Some(0));
        assert_eq!(groups.group_of(b"g", b""), None);
        assert_eq!(groups.group_of(b"h", b""), Some(1));
        assert_eq!(LocalityGroups::default().group_of(b"f", b"y"), None);
    }
}
