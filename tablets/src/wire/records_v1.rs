//! Version 1 of the directory: a table without segments.

use bincode::Decode;

use super::records::{self, EpochRecord, SettingRecord, SourceRecord};

pub(super) const VERSION: u8 = 1;

/// See [`records::DirectoryRecord`].
#[derive(Debug, Decode)]
pub(super) struct DirectoryRecord {
    name: String,
    settings: SettingsRecord,
    splits: Vec<Vec<u8>>,
    epochs: Vec<EpochRecord>,
    next_epoch: u64,
}

#[derive(Debug, Decode)]
struct SettingsRecord {
    max_versions: u32,
    ttl_ms: Option<u64>,
    durability: Option<u8>,
    iterators: Vec<(u8, SettingRecord)>,
}

impl From<DirectoryRecord> for records::DirectoryRecord {
    fn from(old: DirectoryRecord) -> Self {
        let SettingsRecord { max_versions, ttl_ms, durability, iterators } = old.settings;
        Self {
            name: old.name,
            settings: records::SettingsRecord {
                max_versions,
                ttl_ms,
                durability,
                iterators,
                row_layout: Vec::new(),
                locality_groups: Vec::new(),
            },
            splits: old.splits,
            sources: old.epochs.into_iter().map(SourceRecord::Epoch).collect(),
            next_source: old.next_epoch,
            next_segment: 1,
        }
    }
}
