//! The directory of a table and the entries of its segments as they lie in the store.
//!
//! ```text
//! directory = version u8 (2) | DirectoryRecord by bincode (standard: little endian, variable-width integers)
//! entry     = version u8 (1) | EntryRecord by bincode
//! ```
//!
//! Directories of version 1, which knew epochs only, are read and become version 2 with their next change.

use std::collections::BTreeMap;

use bincode::{Decode, Encode};
use ostracon_iterators::{IteratorScope, IteratorSetting};
use ostracon_segment::{GroupMember, LocalityGroups};

use super::records_v1;
use crate::options::{Durability, TableSettings};
use crate::{Error, Result};

const VERSION: u8 = 2;
const ENTRY_VERSION: u8 = 1;

/// A table's directory: everything but the rows.
#[derive(Debug, Clone, PartialEq, Encode, Decode)]
pub(crate) struct DirectoryRecord {
    pub(crate) name: String,
    pub(crate) settings: SettingsRecord,
    /// Last row of every tablet but the last.
    pub(crate) splits: Vec<Vec<u8>>,
    /// Oldest first; the last one is an epoch and takes new writes.
    pub(crate) sources: Vec<SourceRecord>,
    /// Greater than the number of every epoch and run the table ever had.
    pub(crate) next_source: u64,
    /// Greater than the number of every segment the table ever had.
    pub(crate) next_segment: u64,
}

/// Where rows are.
#[derive(Debug, Clone, PartialEq, Encode, Decode)]
pub(crate) enum SourceRecord {
    Epoch(EpochRecord),
    /// A run; its segments are those that entries name.
    Run {
        id: u64,
    },
}

impl SourceRecord {
    pub(crate) fn id(&self) -> u64 {
        match self {
            Self::Epoch(epoch) => epoch.id,
            Self::Run { id } => *id,
        }
    }
}

/// One epoch and what was known of its size when the record was written.
#[derive(Debug, Clone, PartialEq, Encode, Decode)]
pub(crate) struct EpochRecord {
    pub(crate) id: u64,
    pub(crate) fragments: u64,
    pub(crate) bytes: u64,
}

/// What is known of a segment without reading it.
#[derive(Debug, Clone, PartialEq, Encode, Decode)]
pub(crate) struct EntryRecord {
    /// Bytes of the segment.
    pub(crate) bytes: u64,
    /// Bytes of its rows and cells before they were packed.
    pub(crate) raw_bytes: u64,
    /// As many versions of a cell as it may hold.
    pub(crate) max_versions: u32,
    /// A summary, in the form that the crate `segment` gives it.
    pub(crate) summary: Vec<u8>,
}

/// [`TableSettings`] at rest.
#[derive(Debug, Clone, PartialEq, Encode, Decode)]
pub(crate) struct SettingsRecord {
    pub(super) max_versions: u32,
    pub(super) ttl_ms: Option<u64>,
    pub(super) durability: Option<u8>,
    pub(super) iterators: Vec<(u8, SettingRecord)>,
    pub(super) row_layout: Vec<u8>,
    pub(super) locality_groups: Vec<Vec<MemberRecord>>,
}

/// A member of a locality group, at rest.
#[derive(Debug, Clone, PartialEq, Encode, Decode)]
pub(crate) struct MemberRecord {
    family: Vec<u8>,
    qualifier: Option<Vec<u8>>,
}

/// An iterator's setting, at rest and in plans.
#[derive(Debug, Clone, PartialEq, Encode, Decode)]
pub(crate) struct SettingRecord {
    name: String,
    priority: u32,
    class: String,
    options: BTreeMap<String, String>,
}

impl From<&IteratorSetting> for SettingRecord {
    fn from(setting: &IteratorSetting) -> Self {
        let IteratorSetting { name, priority, class, options } = setting.clone();
        Self { name, priority, class, options }
    }
}

impl From<SettingRecord> for IteratorSetting {
    fn from(record: SettingRecord) -> Self {
        let SettingRecord { name, priority, class, options } = record;
        Self { name, priority, class, options }
    }
}

impl From<&TableSettings> for SettingsRecord {
    fn from(settings: &TableSettings) -> Self {
        let scope = |scope: &IteratorScope| match scope {
            IteratorScope::Scan => 0,
            IteratorScope::MinorCompaction => 1,
            IteratorScope::MajorCompaction => 2,
        };
        let durability = |durability| match durability {
            Durability::None => 0,
            Durability::Log => 1,
            Durability::Flush => 2,
            Durability::Sync => 3,
        };
        Self {
            max_versions: settings.max_versions,
            ttl_ms: settings.ttl_ms,
            durability: settings.durability.map(durability),
            iterators: settings.iterators.iter().map(|(at, setting)| (scope(at), setting.into())).collect(),
            row_layout: settings.row_layout.clone(),
            locality_groups: settings.locality_groups.groups().iter().map(|group| members(group)).collect(),
        }
    }
}

fn members(group: &[GroupMember]) -> Vec<MemberRecord> {
    let record = |GroupMember { family, qualifier }: GroupMember| MemberRecord { family, qualifier };
    group.iter().cloned().map(record).collect()
}

impl SettingsRecord {
    pub(crate) fn into_settings(self) -> Result<TableSettings, String> {
        let scope = |code| match code {
            0 => Ok(IteratorScope::Scan),
            1 => Ok(IteratorScope::MinorCompaction),
            2 => Ok(IteratorScope::MajorCompaction),
            _ => Err(format!("iterator scope {code} is unknown")),
        };
        let durability = |code| match code {
            0 => Ok(Durability::None),
            1 => Ok(Durability::Log),
            2 => Ok(Durability::Flush),
            3 => Ok(Durability::Sync),
            _ => Err(format!("durability {code} is unknown")),
        };
        let iterators = self.iterators.into_iter().map(|(code, setting)| Ok((scope(code)?, setting.into())));
        let groups = self.locality_groups.into_iter().map(|members| {
            let member = |MemberRecord { family, qualifier }| GroupMember { family, qualifier };
            members.into_iter().map(member).collect()
        });
        Ok(TableSettings {
            max_versions: self.max_versions,
            ttl_ms: self.ttl_ms,
            durability: self.durability.map(durability).transpose()?,
            iterators: iterators.collect::<Result<_, String>>()?,
            row_layout: self.row_layout,
            locality_groups: LocalityGroups::new(groups.collect()),
        })
    }
}

impl DirectoryRecord {
    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>> {
        super::to_bytes(VERSION, self)
            .map_err(|reason| Error::invalid(format!("directory of table '{}'", self.name), reason))
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let corrupt = |reason: String| Error::corrupt("directory of a table", reason);
        let (&version, rest) = bytes.split_first().ok_or_else(|| corrupt("it is empty".to_owned()))?;
        match version {
            VERSION => super::from_bytes(rest).map_err(corrupt),
            records_v1::VERSION => {
                super::from_bytes::<records_v1::DirectoryRecord>(rest).map_err(corrupt).map(Into::into)
            }
            _ => Err(Error::NewerFormat {
                what: "the directory of a table",
                found: version.into(),
                known: VERSION.into(),
            }),
        }
    }
}

impl EntryRecord {
    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>> {
        super::to_bytes(ENTRY_VERSION, self).map_err(|reason| Error::invalid("entry of a segment", reason))
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let corrupt = |reason: String| Error::corrupt("entry of a segment", reason);
        let (&version, rest) = bytes.split_first().ok_or_else(|| corrupt("it is empty".to_owned()))?;
        if version != ENTRY_VERSION {
            return Err(Error::NewerFormat {
                what: "the entry of a segment",
                found: version.into(),
                known: ENTRY_VERSION.into(),
            });
        }
        super::from_bytes(rest).map_err(corrupt)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn example() -> DirectoryRecord {
        let settings = TableSettings {
            max_versions: 3,
            ttl_ms: Some(5),
            durability: Some(Durability::Log),
            iterators: vec![(
                IteratorScope::MajorCompaction,
                IteratorSetting::new("a", 3, "GrepIterator").with_option("term", "x"),
            )],
            row_layout: vec![8, 4],
            locality_groups: LocalityGroups::new(vec![vec![
                GroupMember { family: b"f".to_vec(), qualifier: None },
                GroupMember { family: b"g".to_vec(), qualifier: Some(b"q".to_vec()) },
            ]]),
        };
        DirectoryRecord {
            name: "t".to_owned(),
            settings: (&settings).into(),
            splits: vec![b"m".to_vec()],
            sources: vec![
                SourceRecord::Run { id: 2 },
                SourceRecord::Epoch(EpochRecord { id: 4, fragments: 10, bytes: 1000 }),
            ],
            next_source: 5,
            next_segment: 9,
        }
    }

    #[test]
    fn records_come_back() {
        let record = example();
        let back = DirectoryRecord::from_bytes(&record.to_bytes().unwrap()).unwrap();
        assert_eq!(back, record);
        let settings = back.settings.into_settings().unwrap();
        assert_eq!(settings.durability, Some(Durability::Log));
        assert_eq!(settings.locality_groups.group_of(b"g", b"q"), Some(0));
        assert_eq!(settings.locality_groups.group_of(b"g", b"r"), None);
    }

    /// A record as version 1 wrote it: bytes that are on people's disks.
    #[test]
    fn version_1_is_read() {
        let bytes = [
            1, // version
            1, b't', // name
            3, 1, 5, 1, 1, // versions, some ttl, some durability
            1, 2, 1, b'a', 3, 1, b'G', 0, // one iterator of the majc scope, without options
            1, 1, b'm', // one split
            1, 4, 10, 251, 0xE8, 3, // one epoch
            5, // next epoch
        ];
        let record = DirectoryRecord::from_bytes(&bytes).unwrap();
        let epoch = EpochRecord { id: 4, fragments: 10, bytes: 1000 };
        assert_eq!(record.sources, [SourceRecord::Epoch(epoch)]);
        assert_eq!((record.name.as_str(), record.next_source, record.next_segment), ("t", 5, 1));
        assert_eq!(record.splits, [b"m"]);
        let settings = record.settings.into_settings().unwrap();
        assert_eq!((settings.max_versions, settings.ttl_ms, settings.row_layout), (3, Some(5), vec![]));
        let wanted = (IteratorScope::MajorCompaction, IteratorSetting::new("a", 3, "G"));
        assert_eq!(settings.iterators, [wanted]);
    }

    #[test]
    fn entries_come_back() {
        let entry = EntryRecord { bytes: 7, raw_bytes: 30, max_versions: 1, summary: vec![1, 2] };
        let bytes = entry.to_bytes().unwrap();
        assert_eq!(EntryRecord::from_bytes(&bytes).unwrap(), entry);
        assert!(matches!(EntryRecord::from_bytes(&bytes[..3]), Err(Error::Corrupt { .. })));
        assert!(matches!(EntryRecord::from_bytes(&[2]), Err(Error::NewerFormat { found: 2, .. })));
    }

    #[test]
    fn a_newer_record_says_so() {
        let mut bytes = example().to_bytes().unwrap();
        bytes[0] = 9;
        assert!(matches!(DirectoryRecord::from_bytes(&bytes), Err(Error::NewerFormat { found: 9, .. })));
        assert!(matches!(DirectoryRecord::from_bytes(&[]), Err(Error::Corrupt { .. })));
    }

    proptest! {
        #[test]
        fn damaged_records_are_refused_or_read(at: prop::sample::Index, flip in 1u8.., cut: prop::sample::Index) {
            let mut bytes = example().to_bytes().unwrap();
            let at = at.index(bytes.len());
            bytes[at] ^= flip;
            let _ = DirectoryRecord::from_bytes(&bytes).and_then(|record| {
                record.settings.into_settings().map_err(|reason| Error::corrupt("settings", reason))
            });
            let whole = example().to_bytes().unwrap();
            let cut = cut.index(whole.len());
            prop_assert!(DirectoryRecord::from_bytes(&whole[..cut]).is_err());
        }
    }
}
