//! Writing a segment out of whole columns.

mod byte_strings;
mod chunk;
mod dictionary;
mod integers;
mod row_ids;
mod strings;

use std::collections::BTreeSet;

use ostracon_data::compare_columns;

use super::column;
use super::field::{Sink, count};
use super::groups::LocalityGroups;
use super::input::{ColumnInput, FixedInput, RowsInput, ValidityInput, ValuesInput};
use super::section;
use super::segment::FRAGMENTS_HEADER;
use super::summary::{ColumnSummary, SegmentSummary};
use super::{CHECKSUM, HEADER, MAX_ROWS, VERSION, checksum};
use crate::{Error, Result};

pub(super) use chunk::validate;

/// All that a segment is made of.
#[derive(Debug)]
pub(super) struct SegmentInput<'a> {
    pub(super) rows: RowsInput<'a>,
    pub(super) count: usize,
    /// The rows' timestamps, as the integers that they are kept as: one, or one a row.
    pub(super) times: &'a [u64],
    /// The distinct labels of the cells in columns.
    pub(super) labels: &'a [&'a [u8]],
    /// The rows' labels: none for the first one everywhere, or one a row.
    pub(super) label_codes: &'a [u64],
    /// By family and qualifier, each with a cell in some row.
    pub(super) columns: &'a [OwnedCells<'a>],
    /// Which of them lie in sections of their own.
    pub(super) groups: &'a LocalityGroups,
    pub(super) fragments: FragmentsInput<'a>,
}

/// A column, and what its cells do not share with their rows.
#[derive(Debug)]
pub(super) struct OwnedCells<'a> {
    pub(super) column: ColumnInput<'a>,
    /// One a row, if the column has its own.
    pub(super) times: Option<&'a [u64]>,
    pub(super) label_codes: Option<&'a [u64]>,
}

/// The rows kept as fragments.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FragmentsInput<'a> {
    /// Which rows, ascending.
    pub(super) rows: &'a [u64],
    /// Where the bytes of each start, and the end.
    pub(super) offsets: &'a [u32],
    pub(super) bytes: &'a [u8],
}

/// Memory of an encoder, used again from segment to segment.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    /// Integers before they are packed.
    reduced: Vec<u64>,
    chunk: chunk::ChunkBuffers,
}

/// Appends a segment and then its sections to `out`; after an error `out` is as before.
pub(super) fn encode(
    input: &SegmentInput<'_>,
    buffers: &mut Buffers,
    out: &mut Vec<u8>,
) -> Result<SegmentSummary> {
    let mut sink = Sink::new(out);
    let written = write(input, buffers, &mut sink);
    if written.is_err() {
        sink.abandon();
    }
    written
}

fn write(input: &SegmentInput<'_>, buffers: &mut Buffers, sink: &mut Sink<'_>) -> Result<SegmentSummary> {
    let rows = input.count;
    if rows > MAX_ROWS {
        return Err(Error::Unencodable { what: "it would have too many rows", row: MAX_ROWS });
    }
    let sections = sections(input);
    let own = || input.columns.iter().zip(&sections).filter(|(_, section)| **section == 0);
    let header_at = sink.leave(HEADER)?;
    let table_at = sink.leave(own().count() * column::ENTRY)?;
    let ids = row_ids::write(&input.rows, rows, buffers, sink)?;
    let times_at = integer_list(input.times, 8, rows, buffers, sink)?;
    let label_codes_at = integer_list(input.label_codes, 4, rows, buffers, sink)?;
    let labels_at = labels(input.labels, sink)?;
    let mut columns = Vec::with_capacity(input.columns.len());
    let mut table = Vec::with_capacity(input.columns.len() * column::ENTRY);
    for (cells, _) in own() {
        columns.push(write_column(cells, 0, rows, buffers, &mut table, sink)?);
    }
    sink.patch(table_at, &table);
    let fragments_at = fragments(input.fragments, rows, buffers, sink)?;
    let mut header = vec![VERSION, ids.words, 0, 0];
    let fields = [
        0,
        sink.here()?,
        count(rows)?,
        count(columns.len())?,
        count(input.labels.len())?,
        labels_at,
        ids.at,
        times_at,
        label_codes_at,
        count(input.fragments.rows.len())?,
        fragments_at,
    ];
    header.extend(fields.iter().flat_map(|field| field.to_le_bytes()));
    sink.patch(header_at, &header);
    seal(sink)?;
    let mut lengths = Vec::new();
    for section in 1..=sections.iter().max().copied().unwrap_or(0) {
        let of_section = input.columns.iter().zip(&sections).filter(|(_, of)| **of == section);
        let of_section: Vec<_> = of_section.map(|(cells, _)| cells).collect();
        lengths.push(write_section(&of_section, section, rows, buffers, &mut columns, sink)?);
    }
    columns.sort_by(|a, b| compare_columns((&a.family, &a.qualifier), (&b.family, &b.qualifier)));
    Ok(SegmentSummary {
        rows: count(rows)?,
        first_row: ids.first,
        last_row: ids.last,
        fragments: count(input.fragments.rows.len())?,
        columns,
        sections: lengths,
        ..SegmentSummary::default()
    })
}

/// The section of each column: those of the groups that have one here, in the order of the groups.
fn sections(input: &SegmentInput<'_>) -> Vec<u16> {
    let group = |cells: &OwnedCells<'_>| input.groups.group_of(cells.column.family, cells.column.qualifier);
    let groups: Vec<Option<usize>> = if input.groups.is_empty() {
        vec![None; input.columns.len()]
    } else {
        input.columns.iter().map(group).collect()
    };
    let present: BTreeSet<usize> = groups.iter().flatten().copied().collect();
    let section = |group: Option<usize>| match group {
        // Columns of groups beyond what a section's number can say stay in the segment.
        Some(group) => u16::try_from(present.range(..=group).count()).unwrap_or(0),
        None => 0,
    };
    groups.into_iter().map(section).collect()
}

/// Appends a section behind what the sink has; gives its length.
fn write_section(
    section_columns: &[&OwnedCells<'_>],
    number: u16,
    rows: usize,
    buffers: &mut Buffers,
    columns: &mut Vec<ColumnSummary>,
    sink: &mut Sink<'_>,
) -> Result<u32> {
    let mut sink = sink.next();
    let header_at = sink.leave(section::HEADER)?;
    let table_at = sink.leave(section_columns.len() * column::ENTRY)?;
    let mut table = Vec::with_capacity(section_columns.len() * column::ENTRY);
    for cells in section_columns {
        columns.push(write_column(cells, number, rows, buffers, &mut table, &mut sink)?);
    }
    sink.patch(table_at, &table);
    let mut header = vec![VERSION, 0];
    header.extend_from_slice(&number.to_le_bytes());
    for field in [0, sink.here()?, count(rows)?, count(section_columns.len())?] {
        header.extend_from_slice(&field.to_le_bytes());
    }
    sink.patch(header_at, &header);
    seal(&mut sink)?;
    sink.here()
}

/// Puts the checksum into what has been written.
fn seal(sink: &mut Sink<'_>) -> Result<()> {
    let sum = checksum(sink.written());
    sink.patch(count(CHECKSUM.start)?, &sum.to_le_bytes());
    Ok(())
}

fn write_column(
    cells: &OwnedCells<'_>,
    section: u16,
    rows: usize,
    buffers: &mut Buffers,
    table: &mut Vec<u8>,
    sink: &mut Sink<'_>,
) -> Result<ColumnSummary> {
    let ColumnInput { family, qualifier, values, valid } = &cells.column;
    let name_at = sink.here()?;
    sink.bytes().extend_from_slice(family);
    sink.bytes().extend_from_slice(qualifier);
    let mut own = |list: Option<&[u64]>, width, sink: &mut Sink<'_>| match list {
        Some(list) => integer_list(list, width, rows, buffers, sink),
        None => Ok(0),
    };
    let times_at = own(cells.times, 8, sink)?;
    let label_codes_at = own(cells.label_codes, 4, sink)?;
    let written = chunk::write(values, *valid, rows, buffers, sink)?;
    for field in [name_at, count(family.len())?, count(qualifier.len())?, times_at, label_codes_at] {
        table.extend_from_slice(&field.to_le_bytes());
    }
    table.extend_from_slice(&written.header);
    Ok(ColumnSummary {
        family: family.to_vec(),
        qualifier: qualifier.to_vec(),
        absent: count(written.absent)?,
        width: written.width,
        utf8: written.utf8,
        section,
        min: written.min,
        max: written.max,
    })
}

/// Writes integers with their header before them: one a row, or one or none (0) for all rows.
fn integer_list(
    list: &[u64],
    width: u8,
    rows: usize,
    buffers: &mut Buffers,
    sink: &mut Sink<'_>,
) -> Result<u32> {
    let at = sink.leave(super::integers::HEADER)?;
    let header = match list {
        [] => integers::constant(0, width),
        [all] => integers::constant(u128::from(*all), width),
        each if each.len() == rows => {
            let space = integers::Frame::narrow(width, each).reduce(&mut buffers.reduced);
            integers::pack(&space, &buffers.reduced, sink)?
        }
        _ => return Err(Error::Unencodable { what: "a list has another length than the rows", row: 0 }),
    };
    sink.patch(at, &header);
    Ok(at)
}

fn labels(labels: &[&[u8]], sink: &mut Sink<'_>) -> Result<u32> {
    let at = sink.here()?;
    let mut end = 0;
    for label in labels {
        end += label.len();
        sink.bytes().extend_from_slice(&count(end)?.to_le_bytes());
    }
    labels.iter().for_each(|label| sink.bytes().extend_from_slice(label));
    Ok(at)
}

fn fragments(
    input: FragmentsInput<'_>,
    rows: usize,
    buffers: &mut Buffers,
    sink: &mut Sink<'_>,
) -> Result<u32> {
    if input.rows.is_empty() {
        return Ok(0);
    }
    let at = sink.leave(FRAGMENTS_HEADER)?;
    let rows_at = sink.here()?;
    let bits = crate::packing::bits_for(rows as u64);
    crate::packing::pack(input.rows, bits, sink.bytes());
    let strings = strings::Strings::new(input.offsets, input.bytes);
    let mut header = vec![bits, 0, 0, 0];
    header.extend_from_slice(&rows_at.to_le_bytes());
    header.extend_from_slice(&byte_strings::write(
        &strings,
        None,
        &mut buffers.chunk.compressor,
        &mut buffers.reduced,
        sink,
    )?);
    sink.patch(at, &header);
    Ok(at)
}
