//! Walking the updates of a fragment without copying them.

use super::{
    COMMON_LABEL, COMMON_TIME, ERASE_EXACT, ERASE_MASK, ERASE_PREFIX, ERASE_ROW, EVERY_LABEL,
    FLAG_GIVEN_TIME, FLAG_REPLACES_OLDER, HEADER_LEN, KIND_DELETE, KIND_ERASE, KIND_MASK, KIND_PUT,
    SAME_FAMILY, TIME_OFFSET, VERSION,
};
use crate::varint::{self, BadVarint};
use crate::{Error, Result};

/// One update of a row, borrowed from the bytes of its fragment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpdateRef<'a> {
    /// A cell.
    Put {
        /// The column family.
        family: &'a [u8],
        /// The column qualifier.
        qualifier: &'a [u8],
        /// The label that guards the cell; empty: everyone sees it.
        visibility: &'a [u8],
        /// Milliseconds since 1970.
        timestamp: i64,
        /// The cell's value.
        value: &'a [u8],
    },
    /// A delete marker: hides cells of its column and label whose timestamp is not greater, older commits or not.
    Delete {
        /// The column family.
        family: &'a [u8],
        /// The column qualifier.
        qualifier: &'a [u8],
        /// The label of the cells it hides.
        visibility: &'a [u8],
        /// Milliseconds since 1970.
        timestamp: i64,
    },
    /// Hides the cells and delete markers of strictly older commits, whatever their timestamp.
    Erase {
        /// Which columns.
        columns: ErasedColumnsRef<'a>,
        /// Cells of which label; `None`: of every label.
        label: Option<&'a [u8]>,
    },
}

/// The columns of an [`UpdateRef::Erase`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErasedColumnsRef<'a> {
    /// One column.
    Exact {
        /// The column family.
        family: &'a [u8],
        /// The column qualifier.
        qualifier: &'a [u8],
    },
    /// The columns of a family whose qualifier starts so; an empty prefix means the whole family.
    Prefix {
        /// The column family.
        family: &'a [u8],
        /// What the qualifiers start with.
        qualifier_prefix: &'a [u8],
    },
    /// Every column.
    Row,
}

/// Reads a fragment: an iterator over its updates, in stored order.
///
/// After an error the iterator ends. Borrowed bytes live as long as the fragment, not only until the next call.
#[derive(Debug, Clone)]
pub struct FragmentReader<'a> {
    bytes: &'a [u8],
    /// Of the next byte to read.
    offset: usize,
    flags: u8,
    common_time: i64,
    common_label: &'a [u8],
    family: Option<&'a [u8]>,
}

impl<'a> FragmentReader<'a> {
    /// Reads the header.
    ///
    /// # Errors
    /// The version is unknown, or the header is damaged or cut off.
    pub fn new(bytes: &'a [u8]) -> Result<Self> {
        let Some(&version) = bytes.first() else {
            return Err(Error::Truncated { item: "version", offset: 0 });
        };
        if version != VERSION {
            return Err(Error::UnknownVersion { found: version, known: VERSION });
        }
        let Some(header) = bytes.first_chunk::<HEADER_LEN>() else {
            return Err(Error::Truncated { item: "header", offset: 0 });
        };
        let [_, flags, time @ ..] = *header;
        if flags & !(FLAG_REPLACES_OLDER | FLAG_GIVEN_TIME) != 0 {
            return Err(Error::Malformed { item: "flags", offset: TIME_OFFSET - 1 });
        }
        let mut reader = Self {
            bytes,
            offset: HEADER_LEN,
            flags,
            common_time: i64::from_be_bytes(time),
            common_label: b"",
            family: None,
        };
        reader.common_label = reader.byte_string("common label")?;
        Ok(reader)
    }

    /// Whether each put also erases older commits' cells of its exact family, qualifier and label.
    pub fn replaces_older(&self) -> bool {
        self.flags & FLAG_REPLACES_OLDER != 0
    }

    /// The time that the fragment stores once, in milliseconds: usually the commit's.
    pub fn common_timestamp(&self) -> i64 {
        self.common_time
    }

    #[inline]
    fn byte_string(&mut self, item: &'static str) -> Result<&'a [u8]> {
        let start = self.offset;
        let length = self.number(item)?;
        // A length past the end of the address space is past the end of the bytes too.
        let end = usize::try_from(length).ok().and_then(|length| self.offset.checked_add(length));
        match end.and_then(|end| self.bytes.get(self.offset..end)) {
            Some(found) => {
                self.offset += found.len();
                Ok(found)
            }
            None => Err(Error::Truncated { item, offset: start }),
        }
    }

    #[inline]
    fn number(&mut self, item: &'static str) -> Result<u64> {
        let rest = self.bytes.get(self.offset..).unwrap_or(b"");
        match varint::get(rest) {
            Ok((value, width)) => {
                self.offset += width;
                Ok(value)
            }
            Err(BadVarint::Truncated) => Err(Error::Truncated { item, offset: self.offset }),
            Err(BadVarint::TooLong) => Err(Error::Malformed { item, offset: self.offset }),
        }
    }

    #[inline]
    fn family(&mut self, tag: u8, tag_offset: usize) -> Result<&'a [u8]> {
        if tag & SAME_FAMILY != 0 {
            return self.family.ok_or(Error::Malformed { item: "family reference", offset: tag_offset });
        }
        let family = self.byte_string("family")?;
        self.family = Some(family);
        Ok(family)
    }

    #[inline]
    fn update(&mut self, tag: u8, tag_offset: usize) -> Result<UpdateRef<'a>> {
        let kind = tag & KIND_MASK;
        let known = SAME_FAMILY | COMMON_LABEL | COMMON_TIME | KIND_MASK;
        match kind {
            KIND_PUT | KIND_DELETE if tag & !known == 0 => {
                let family = self.family(tag, tag_offset)?;
                let qualifier = self.byte_string("qualifier")?;
                let visibility =
                    if tag & COMMON_LABEL != 0 { self.common_label } else { self.byte_string("label")? };
                let timestamp = if tag & COMMON_TIME != 0 {
                    self.common_time
                } else {
                    varint::unfold(self.number("time")?)
                };
                if kind == KIND_DELETE {
                    return Ok(UpdateRef::Delete { family, qualifier, visibility, timestamp });
                }
                let value = self.byte_string("value")?;
                Ok(UpdateRef::Put { family, qualifier, visibility, timestamp, value })
            }
            KIND_ERASE => self.erase(tag, tag_offset),
            _ => Err(Error::Malformed { item: "update tag", offset: tag_offset }),
        }
    }

    fn erase(&mut self, tag: u8, tag_offset: usize) -> Result<UpdateRef<'a>> {
        let malformed = Error::Malformed { item: "erase tag", offset: tag_offset };
        let both_labels = COMMON_LABEL | EVERY_LABEL;
        if tag & both_labels == both_labels || tag & 0x80 != 0 {
            return Err(malformed);
        }
        let columns = match tag & ERASE_MASK {
            ERASE_EXACT => {
                let family = self.family(tag, tag_offset)?;
                ErasedColumnsRef::Exact { family, qualifier: self.byte_string("qualifier")? }
            }
            ERASE_PREFIX => {
                let family = self.family(tag, tag_offset)?;
                ErasedColumnsRef::Prefix { family, qualifier_prefix: self.byte_string("qualifier prefix")? }
            }
            ERASE_ROW if tag & SAME_FAMILY == 0 => ErasedColumnsRef::Row,
            _ => return Err(malformed),
        };
        let label = match tag & both_labels {
            COMMON_LABEL => Some(self.common_label),
            EVERY_LABEL => None,
            _ => Some(self.byte_string("label")?),
        };
        Ok(UpdateRef::Erase { columns, label })
    }
}

impl<'a> Iterator for FragmentReader<'a> {
    type Item = Result<UpdateRef<'a>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let tag_offset = self.offset;
        let tag = *self.bytes.get(tag_offset)?;
        self.offset += 1;
        let update = self.update(tag, tag_offset);
        if update.is_err() {
            self.offset = self.bytes.len();
        }
        Some(update)
    }
}

impl std::iter::FusedIterator for FragmentReader<'_> {}
