//! The directory of a table as it lies in the store.
//!
//! ```text
//! record = version u8 (1) | DirectoryRecord by bincode (standard: little endian, variable-width integers)
//! ```

use std::collections::BTreeMap;

use bincode::{Decode, Encode};
use ostracon_iterators::{IteratorScope, IteratorSetting};

use crate::options::{Durability, TableSettings};
use crate::{Error, Result};

const VERSION: u8 = 1;

/// A table's directory: everything but the rows.
#[derive(Debug, Clone, PartialEq, Encode, Decode)]
pub(crate) struct DirectoryRecord {
    pub(crate) name: String,
    pub(crate) settings: SettingsRecord,
    /// Last row of every tablet but the last.
    pub(crate) splits: Vec<Vec<u8>>,
    /// Oldest first; the last one takes new writes.
    pub(crate) epochs: Vec<EpochRecord>,
    /// Greater than every epoch the table ever had.
    pub(crate) next_epoch: u64,
}

/// One epoch and what was known of its size when the record was written.
#[derive(Debug, Clone, PartialEq, Encode, Decode)]
pub(crate) struct EpochRecord {
    pub(crate) id: u64,
    pub(crate) fragments: u64,
    pub(crate) bytes: u64,
}

/// [`TableSettings`] at rest.
#[derive(Debug, Clone, PartialEq, Encode, Decode)]
pub(crate) struct SettingsRecord {
    max_versions: u32,
    ttl_ms: Option<u64>,
    durability: Option<u8>,
    iterators: Vec<(u8, SettingRecord)>,
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
        }
    }
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
        Ok(TableSettings {
            max_versions: self.max_versions,
            ttl_ms: self.ttl_ms,
            durability: self.durability.map(durability).transpose()?,
            iterators: iterators.collect::<Result<_, String>>()?,
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
        if version != VERSION {
            return Err(Error::NewerFormat {
                what: "the directory of a table",
                found: version.into(),
                known: VERSION.into(),
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
        };
        DirectoryRecord {
            name: "t".to_owned(),
            settings: (&settings).into(),
            splits: vec![b"m".to_vec()],
            epochs: vec![EpochRecord { id: 4, fragments: 10, bytes: 1000 }],
            next_epoch: 5,
        }
    }

    #[test]
    fn records_come_back() {
        let record = example();
        let back = DirectoryRecord::from_bytes(&record.to_bytes().unwrap()).unwrap();
        assert_eq!(back, record);
        assert_eq!(back.settings.into_settings().unwrap().durability, Some(Durability::Log));
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
