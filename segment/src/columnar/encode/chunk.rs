//! Choosing how the values of a column are kept.

use super::byte_strings::Strings;
use super::dictionary::Distinct;
use super::{Buffers, Sink, byte_strings, integers};
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

#[derive(Debug, Default)]
pub(super) struct ChunkBuffers {
    narrow: Vec<u64>,
    wide: Vec<u128>,
    data: Vec<u8>,
    ends: Vec<usize>,
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
        Some(valid) => Ok((0..rows).filter(|row| valid.is_set(*row)).count()),
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
    let present = |row: usize| valid.is_none_or(|valid| valid.is_set(row));
    let ChunkBuffers { narrow, wide, data, ends } = &mut buffers.chunk;
    data.clear();
    ends.clear();
    let fixed = match values {
        ValuesInput::Fixed(fixed) => Some(*fixed),
        _ => {
            for row in 0..rows {
                if present(row) {
                    data.extend_from_slice(value_of(values, row));
                }
                ends.push(data.len());
            }
            let strings = Strings { ends, data };
            match common_width(&strings, present) {
                Some(width @ 1..=8) => {
                    narrow.clear();
                    narrow.extend(strings.iter().map(|value| big_endian(value) as u64));
                    Some(FixedInput::Narrow { width, values: narrow })
                }
                Some(width @ 9..=MAX_WIDTH) => {
                    wide.clear();
                    wide.extend(strings.iter().map(big_endian));
                    Some(FixedInput::Wide { width, values: wide })
                }
                _ => None,
            }
        }
    };
    if let (Some(fixed), true) = (fixed, data.is_empty()) {
        for row in 0..rows {
            if present(row) {
                let value = fixed.value(row);
                if value > fixed.limit() {
                    return Err(Error::Unencodable { what: "a value does not fit its width", row });
                }
                data.extend_from_slice(
                    value.to_be_bytes().get(16 - usize::from(fixed.width())..).unwrap_or_default(),
                );
            }
            ends.push(data.len());
        }
    }
    let strings = Strings { ends, data };
    let distinct =
        Distinct::find(strings.iter().enumerate().map(|(row, value)| present(row).then_some(value)));
    let absent = (0..rows).filter(|row| !present(*row)).count();
    let least = distinct.entries.first().copied().unwrap_or_default();
    let most = distinct.entries.last().copied().unwrap_or_default();
    let utf8 = distinct.entries.iter().all(|entry| std::str::from_utf8(entry).is_ok());
    let mut width = distinct.width();
    let validity_at = sink.here()?;
    if absent > 0 {
        let byte = |at: usize| {
            (0..8).fold(0, |byte, bit| byte | u8::from(at + bit < rows && present(at + bit)) << bit)
        };
        sink.bytes().extend((0..rows).step_by(8).map(byte));
    }
    let space = fixed.and_then(|fixed| integers::reduce(&fixed, valid, &mut buffers.reduced));
    let integer_size = space.map(|space| packing::packed_len(rows, packing::bits_for(space.top)));
    let (kind, inner) = match (space, integer_size) {
        (Some(space), Some(size)) if size <= 2 * distinct.size() => {
            (INTEGERS, integers::pack(&space, &buffers.reduced, sink)?.to_vec())
        }
        _ if distinct.size() < data.len() / 2 || distinct.entries.len() == 1 => {
            (DICTIONARY, distinct.write(sink)?.to_vec())
        }
        _ => {
            width = width.filter(|_| absent == 0);
            (BYTES, byte_strings::write(&strings, &mut buffers.reduced, sink)?.to_vec())
        }
    };
    let mut header = [0; HEADER];
    let fields = [kind, if utf8 { UTF8 } else { 0 }, 0, 0]
        .into_iter()
        .chain(super::count(absent)?.to_le_bytes())
        .chain(validity_at.to_le_bytes())
        .chain(inner);
    header.iter_mut().zip(fields).for_each(|(byte, field)| *byte = field);
    Ok(Written { header, absent, width, utf8, min: Bound::below(least), max: Bound::above(most) })
}

fn value_of<'a>(values: &ValuesInput<'a>, row: usize) -> &'a [u8] {
    match values {
        ValuesInput::Constant(value) => value,
        ValuesInput::Bytes { offsets, data } => {
            let place = |row: usize| offsets.get(row).map_or(0, |offset| *offset as usize);
            data.get(place(row)..place(row + 1)).unwrap_or_default()
        }
        ValuesInput::Fixed(_) => &[],
    }
}

fn common_width(strings: &Strings<'_>, present: impl Fn(usize) -> bool) -> Option<u8> {
    let mut lengths =
        strings.iter().enumerate().filter(|(row, _)| present(*row)).map(|(_, value)| value.len());
    let first = lengths.next()?;
    if lengths.all(|length| length == first) { u8::try_from(first).ok() } else { None }
}

fn big_endian(value: &[u8]) -> u128 {
    value.iter().fold(0, |integer, &byte| integer << 8 | u128::from(byte))
}

impl<'a> Strings<'a> {
    fn iter(&self) -> impl Iterator<Item = &'a [u8]> + Clone {
        let (data, mut start) = (self.data, 0);
        self.ends
            .iter()
            .map(move |&end| data.get(std::mem::replace(&mut start, end)..end).unwrap_or_default())
    }
}
