//! Scan specifications as they travel.
//!
//! ```text
//! specification = version u8 (1) | ScanForm by bincode (standard: little endian, variable-width integers)
//! ```

use bincode::{Decode, Encode};
use ostracon_data::{Authorizations, RowRange, RowRanges};

use super::filter::FilterForm;
use super::records::SettingRecord;
use crate::scan::{ColumnFilter, ColumnSelection, ScanSpec};
use crate::{Error, Result};

const VERSION: u8 = 1;

/// [`ScanSpec`] as it travels, version 1.
#[derive(Debug, Encode, Decode)]
struct ScanForm {
    /// `None`: every row; an empty list: none.
    ranges: Option<Vec<RangeForm>>,
    columns: Option<Vec<ColumnForm>>,
    projection: Option<Vec<ColumnForm>>,
    authorizations: Vec<Vec<u8>>,
    filter: Option<FilterForm>,
    iterators: Vec<SettingRecord>,
    max_versions: u32,
    ttl_ms: Option<u64>,
    now_ms: i64,
    limit: Option<u64>,
    reverse: bool,
    batch_rows: u64,
}

#[derive(Debug, Encode, Decode)]
struct RangeForm {
    start: Vec<u8>,
    end: Option<Vec<u8>>,
}

#[derive(Debug, Encode, Decode)]
enum ColumnForm {
    Exact { family: Vec<u8>, qualifier: Vec<u8> },
    Prefix { family: Vec<u8>, qualifier_prefix: Vec<u8> },
}

/// The bytes of a scan specification, for another process of this program.
///
/// # Errors
/// [`Error::BadWire`] if the specification is too large to travel.
pub fn encode(spec: &ScanSpec) -> Result<Vec<u8>> {
    super::to_bytes(VERSION, &ScanForm::from(spec)).map_err(|reason| Error::BadWire { reason })
}

/// The scan specification of some bytes, which may come from anywhere.
///
/// # Errors
/// [`Error::NewerFormat`] for another version, [`Error::BadWire`] for bytes that are no specification.
pub fn decode(bytes: &[u8]) -> Result<ScanSpec> {
    let bad = |reason| Error::BadWire { reason };
    let (&version, rest) = bytes.split_first().ok_or_else(|| bad("there are no bytes".to_owned()))?;
    if version != VERSION {
        return Err(Error::NewerFormat {
            what: "a scan specification",
            found: version.into(),
            known: VERSION.into(),
        });
    }
    super::from_bytes::<ScanForm>(rest).and_then(ScanForm::into_spec).map_err(bad)
}

impl From<&ScanSpec> for ScanForm {
    fn from(spec: &ScanSpec) -> Self {
        let ranges = match &spec.ranges {
            RowRanges::All => None,
            RowRanges::Set(ranges) => Some(
                ranges
                    .iter()
                    .map(|range| RangeForm { start: range.start.clone(), end: range.end.clone() })
                    .collect(),
            ),
        };
        Self {
            ranges,
            columns: columns_form(&spec.columns),
            projection: columns_form(&spec.projection),
            authorizations: spec.authorizations.iter().map(<[u8]>::to_vec).collect(),
            filter: spec.filter.as_ref().map(Into::into),
            iterators: spec.iterators.iter().map(Into::into).collect(),
            max_versions: spec.max_versions,
            ttl_ms: spec.ttl_ms,
            now_ms: spec.now_ms,
            limit: spec.limit,
            reverse: spec.reverse,
            batch_rows: spec.batch_rows as u64,
        }
    }
}

impl ScanForm {
    fn into_spec(self) -> Result<ScanSpec, String> {
        let ranges = match self.ranges {
            None => RowRanges::All,
            // Brought in order again: the bytes need not come from us.
            Some(ranges) => RowRanges::from_ranges(
                ranges.into_iter().map(|range| RowRange::new(range.start, range.end)).collect(),
            ),
        };
        let spec = ScanSpec {
            ranges,
            columns: columns(self.columns),
            projection: columns(self.projection),
            authorizations: Authorizations::new(self.authorizations),
            filter: self.filter.map(FilterForm::into_filter).transpose()?,
            iterators: self.iterators.into_iter().map(Into::into).collect(),
            max_versions: self.max_versions,
            ttl_ms: self.ttl_ms,
            now_ms: self.now_ms,
            limit: self.limit,
            reverse: self.reverse,
            batch_rows: usize::try_from(self.batch_rows)
                .map_err(|_| format!("batches of {} rows are too large", self.batch_rows))?,
        };
        crate::scan::check(&spec).map_err(|error| error.to_string())?;
        Ok(spec)
    }
}

fn columns_form(selection: &ColumnSelection) -> Option<Vec<ColumnForm>> {
    let form = |filter: &ColumnFilter| match filter.clone() {
        ColumnFilter::Exact { family, qualifier } => ColumnForm::Exact { family, qualifier },
        ColumnFilter::Prefix { family, qualifier_prefix } => ColumnForm::Prefix { family, qualifier_prefix },
    };
    match selection {
        ColumnSelection::All => None,
        ColumnSelection::Columns(filters) => Some(filters.iter().map(form).collect()),
    }
}

fn columns(forms: Option<Vec<ColumnForm>>) -> ColumnSelection {
    let filter = |form| match form {
        ColumnForm::Exact { family, qualifier } => ColumnFilter::Exact { family, qualifier },
        ColumnForm::Prefix { family, qualifier_prefix } => ColumnFilter::Prefix { family, qualifier_prefix },
    };
    match forms {
        None => ColumnSelection::All,
        Some(forms) => ColumnSelection::Columns(forms.into_iter().map(filter).collect()),
    }
}

#[cfg(test)]
#[path = "scan_spec_tests.rs"]
mod tests;
