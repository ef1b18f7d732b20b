//! Choosing how the values of a column are kept.

use super::byte_strings::{self, Compressor};
use super::dictionary::{self, Entries};
use super::integers::{self, Frame};
use super::strings::{StringBuffers, Strings};
use super::{Buffers, Sink};
use crate::columnar::chunk::{BYTES, DICTIONARY, HEADER, INTEGERS, UTF8};
use crate::columnar::input::{ColumnInput, FixedInput, ValidityInput, ValuesInput};
use crate::columnar::layout::MAX_WIDTH;
use crate::columnar::summary::Bound;
use crate::packing;
use crate::{Error, Result};

/// A chunk that has been written.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) header: [u8; HEADER],
    pub(super) absent: usize,
    pub(super) width: Option<u32>,
    pub(super) utf8: bool,
    pub(super) min: Bound,
    pub(super) max: Option<Bound>,
}

/// Memory for one chunk's values.
#[derive(Debug, Default)]
pub(super) struct ChunkBuffers {
    strings: StringBuffers,
    narrow: Vec<u64>,
    wide: Vec<u128>,
    pub(super) filled: Vec<u64>,
    codes: Vec<u64>,
    pub(super) compressor: Compressor,
}

/// The values as they are kept: the kind, the rest of the header, and what is known of them.
struct Kept {
    kind: u8,
    header: Vec<u8>,
    width: Option<u32>,
    utf8: bool,
    min: Bound,
    max: Option<Bound>,
}

/// Refuses input whose parts do not fit together; gives how many rows have a value.
pub(in crate::columnar) fn validate(column: &ColumnInput<'_>, rows: usize) -> Result<usize> {
    let refuse = |what, row| Err(Error::Unencodable { what, row });
    match &column.values {
        ValuesInput::Fixed(fixed) => {
            if fixed.len() != rows {
                return refuse("a column has another length than the rows", 0);
            }
            let most = if matches!(fixed, FixedInput::Narrow { .. }) { 8 } else { MAX_WIDTH };
            if !(1..=most).contains(&fixed.width()) {
                return refuse("a column has a width that its integers do not have", 0);
            }
        }
        ValuesInput::Bytes { offsets, data } => {
            if offsets.len() != rows + 1 {
                return refuse("a column has another length than the rows", 0);
            }
            let rising = offsets.is_sorted() && offsets.first().is_some_and(|first| *first >= 0);
            let within = offsets
                .last()
                .and_then(|end| usize::try_from(*end).ok())
                .is_some_and(|end| end <= data.len());
            if !rising || !within {
                return refuse("a column has wrong offsets", 0);
            }
        }
        ValuesInput::Constant(_) => {}
    }
    match column.valid {
        Some(valid) if valid.bits.len().saturating_mul(8) < valid.offset.saturating_add(rows) => {
            refuse("a column has too few validity bits", 0)
        }
        Some(valid) => Ok(valid.count(rows)),
        None => Ok(rows),
    }
}

/// Writes the values of a column that [`validate`] has accepted and that has at least one.
pub(super) fn write(
    values: &ValuesInput<'_>,
    valid: Option<ValidityInput<'_>>,
    rows: usize,
    buffers: &mut Buffers,
    sink: &mut Sink<'_>,
) -> Result<Written> {
    let absent = valid.map_or(0, |valid| rows - valid.count(rows));
    let valid = valid.filter(|_| absent > 0);
    let validity_at = if absent > 0 { sink.here()? } else { 0 };
    if let Some(valid) = valid {
        valid.append(rows, sink.bytes());
    }
    let kept = keep(values, valid, rows, buffers, sink)?;
    let mut header = [0; HEADER];
    let fields = [kept.kind, if kept.utf8 { UTF8 } else { 0 }, 0, 0]
        .into_iter()
        .chain(super::count(absent)?.to_le_bytes())
        .chain(validity_at.to_le_bytes())
        .chain(kept.header);
    header.iter_mut().zip(fields).for_each(|(byte, field)| *byte = field);
    let Kept { width, utf8, min, max, .. } = kept;
    Ok(Written { header, absent, width, utf8, min, max })
}

fn keep(
    values: &ValuesInput<'_>,
    valid: Option<ValidityInput<'_>>,
    rows: usize,
    buffers: &mut Buffers,
    sink: &mut Sink<'_>,
) -> Result<Kept> {
    let Buffers { reduced, chunk } = buffers;
    let ChunkBuffers { strings, narrow, wide, filled, codes, compressor } = chunk;
    if let ValuesInput::Fixed(fixed) = values
        && let Some(kept) = keep_integers(fixed, valid, filled, (reduced, codes), sink)?
    {
        return Ok(kept);
    }
    if let ValuesInput::Constant(value) = values {
        let one = [0, super::count(value.len())?];
        let entries = dictionary::of_strings(&Strings::new(&one, value), None, reduced).unwrap_or_default();
        reduced.clear();
        reduced.resize(rows, 0);
        return keep_entries(&entries, reduced, sink);
    }
    let strings = Strings::of(values, valid, rows, strings)?;
    let width = strings.width(valid);
    // Values of one width are integers, whoever hands them in.
    let fixed = match (values, width) {
        (ValuesInput::Fixed(_), _) => None,
        (_, Some(width @ 1..=8)) => {
            strings.narrow(width, narrow);
            Some(FixedInput::Narrow { width: width as u8, values: narrow })
        }
        (_, Some(width @ 9..=16)) => {
            strings.wide(wide);
            Some(FixedInput::Wide { width: width as u8, values: wide })
        }
        _ => None,
    };
    if let Some(fixed) = fixed
        && let Some(kept) = keep_integers(&fixed, valid, filled, (reduced, codes), sink)?
    {
        return Ok(kept);
    }
    if let Some(entries) = dictionary::of_strings(&strings, valid, reduced)
        && (entries.len() == 1 || entries.size(rows) <= strings.data().len() / 2)
    {
        return keep_entries(&entries, reduced, sink);
    }
    let (least, most) = strings.extremes(valid);
    let width = width.map(super::count).transpose()?;
    Ok(Kept {
        kind: BYTES,
        header: byte_strings::write(&strings, width, compressor, reduced, sink)?.to_vec(),
        width,
        utf8: strings.is_utf8(),
        min: Bound::below(least),
        max: Bound::above(most),
    })
}

/// `None` if the integers are more than 64 bits apart.
fn keep_integers<'v>(
    fixed: &FixedInput<'v>,
    valid: Option<ValidityInput<'_>>,
    filled: &'v mut Vec<u64>,
    (reduced, codes): (&mut Vec<u64>, &mut Vec<u64>),
    sink: &mut Sink<'_>,
) -> Result<Option<Kept>> {
    let Some(frame) = Frame::of(fixed, valid, filled)? else { return Ok(None) };
    let rows = frame.values.len();
    let space = frame.reduce(reduced);
    // Few values far apart: codes that take half the bits are worth their entries.
    let bits = packing::bits_for(space.top);
    let limit = (1usize << (bits / 2).min(16)).min(rows / 4);
    if limit > 1
        && let Some(found) = dictionary::of_integers(reduced, limit, codes)
    {
        let entries = dictionary::entries_of_integers(&found, |v| space.bytes(v));
        if entries.size(rows) < packing::packed_len(rows, bits) / 4 * 3 {
            return keep_entries(&entries, codes, sink).map(Some);
        }
    }
    Ok(Some(Kept {
        kind: INTEGERS,
        header: integers::pack(&space, reduced, sink)?.to_vec(),
        width: Some(u32::from(space.width)),
        utf8: frame.is_utf8(),
        min: Bound::below(space.bytes(0).as_ref()),
        max: Bound::above(space.bytes(space.top).as_ref()),
    }))
}

fn keep_entries(entries: &Entries, codes: &[u64], sink: &mut Sink<'_>) -> Result<Kept> {
    Ok(Kept {
        kind: DICTIONARY,
        header: entries.write(codes, sink)?.to_vec(),
        width: entries.width(),
        utf8: entries.is_utf8(),
        min: Bound::below(entries.first()),
        max: Bound::above(entries.last()),
    })
}
