//! Rows of a segment into a batch, column by column.
//!
//! Each output column is appended for all hits at once, from wherever its values lie: integers in bulk, dictionary entries
//! decoded once, other bytes value by value. Where a column needs the whole row (maps, structs, the time or label of
//! cells) or rows are judged whole, the hits are made rows and appended one by one: same values, more work.

use ostracon_compare::{BadValue, Encoding, PrimitiveType, RowPlace, decode};
use ostracon_data::{RowBuffer, compare_columns, same_columns};
use ostracon_iterators::OnBadValue;
use ostracon_segment::{Chunk, Column, Integers, Scratch, Segment, Values};
use ostracon_tablets::SegmentHits;

use super::builder::ValueBuilder;
use super::column::ColumnBuilder;
use super::decoder::{Appended, ColumnDecoder, RowDecoder};
use super::nested::NestedBuilder;
use super::source::{Outcome, Source};
use crate::definition::TableDefinition;
use crate::error::{HandlerError, Result};

/// Memory that is kept from stretch to stretch.
#[derive(Debug, Default)]
pub(super) struct HitBuffers {
    scratch: Scratch,
    row: RowBuffer,
    integers: Vec<u64>,
    valid: Vec<bool>,
    row_id: Vec<u8>,
    part: Vec<u8>,
}

impl RowDecoder {
    /// Adds rows of a segment; gives how many, since some may be left out for bad values.
    ///
    /// # Errors
    /// As [`append`](Self::append), or the segment is damaged.
    pub(crate) fn append_hits(&mut self, hits: &SegmentHits<'_>) -> Result<usize> {
        let columnar = self.judged.is_empty() && self.columns.iter().all(ColumnDecoder::is_by_column);
        if !columnar {
            return self.append_as_rows(hits);
        }
        let RowDecoder { table, columns, hit_buffers, .. } = self;
        for column in columns {
            let (name, place, buffers) = (column.name.as_str(), &mut column.place, &mut *hit_buffers);
            let rows = hits.rows();
            let taken = match &mut column.builder {
                ColumnBuilder::Plain(builder) => {
                    let mut target = Target { table, name, place, builder, hits: rows, buffers };
                    target.append(&column.source, hits.segment())
                }
                ColumnBuilder::Nested(builder) => {
                    let mut target = Target { table, name, place, builder, hits: rows, buffers };
                    target.append_nested(&column.source, hits.segment())
                }
                ColumnBuilder::Struct { .. } | ColumnBuilder::Map { .. } => continue,
            };
            taken.map_err(|problem| problem.of(hits))?;
        }
        self.rows += hits.len();
        Ok(hits.len())
    }

    fn append_as_rows(&mut self, hits: &SegmentHits<'_>) -> Result<usize> {
        let mut row = std::mem::take(&mut self.hit_buffers.row);
        let mut appended = 0;
        for hit in hits.rows() {
            hits.row_into(*hit, &mut self.hit_buffers.scratch, &mut row)?;
            appended += usize::from(self.append(&row)? == Appended::Row);
        }
        self.hit_buffers.row = row;
        Ok(appended)
    }
}

impl ColumnDecoder {
    /// Whether the column's value in a row depends on one cell or the row id alone.
    fn is_by_column(&self) -> bool {
        match self.builder {
            ColumnBuilder::Plain(_) => {
                matches!(self.source, Source::Cell { .. } | Source::RowId { .. } | Source::KeyPart { .. })
            }
            ColumnBuilder::Nested(_) => true,
            ColumnBuilder::Struct { .. } | ColumnBuilder::Map { .. } => false,
        }
    }
}

/// Why a column could not take its values.
enum Problem {
    Damaged(ostracon_segment::Error),
    Handler(HandlerError),
}

impl Problem {
    fn of(self, hits: &SegmentHits<'_>) -> HandlerError {
        match self {
            Self::Damaged(source) => hits.damaged(source).into(),
            Self::Handler(error) => error,
        }
    }
}

impl From<ostracon_segment::Error> for Problem {
    fn from(source: ostracon_segment::Error) -> Self {
        Self::Damaged(source)
    }
}

impl From<HandlerError> for Problem {
    fn from(error: HandlerError) -> Self {
        Self::Handler(error)
    }
}

type Taken<T = ()> = std::result::Result<T, Problem>;

/// One column that takes the values of some rows.
struct Target<'t, B> {
    table: &'t TableDefinition,
    name: &'t str,
    /// Where the last segment had the column: most segments of a table have the same ones.
    place: &'t mut usize,
    builder: &'t mut B,
    hits: &'t [u32],
    buffers: &'t mut HitBuffers,
}

impl<B> Target<'_, B> {
    /// The column of that name, if any row of the segment has it.
    fn find<'s, 'a>(&mut self, segment: &'s Segment<'a>, name: (&[u8], &[u8])) -> Option<&'s Column<'a>> {
        let columns = segment.columns();
        let name_of = |column: &Column<'a>| (column.family(), column.qualifier());
        if !columns.get(*self.place).is_some_and(|column| same_columns(name_of(column), name)) {
            let found = columns.binary_search_by(|column| compare_columns(name_of(column), name));
            *self.place = found.ok()?;
        }
        columns.get(*self.place)
    }

    /// The error of a row's bytes that are no value.
    fn bad_value(&mut self, segment: &Segment<'_>, hit: u32, bad: &BadValue) -> Problem {
        match segment.row_into(hit as usize, &mut self.buffers.row_id) {
            Ok(()) => RowDecoder::bad_value(self.table, &self.buffers.row_id, self.name, bad).into(),
            Err(damaged) => damaged.into(),
        }
    }
}

impl Target<'_, NestedBuilder> {
    fn append_nested(&mut self, source: &Source, segment: &Segment<'_>) -> Taken {
        let Source::Nested { family, qualifier, .. } = source else {
            return Err(HandlerError::internal("a nested column without a cell was read by column").into());
        };
        let Some(column) = self.find(segment, (family, qualifier)) else {
            self.builder.append_nulls(self.hits.len());
            return Ok(());
        };
        for hit in self.hits {
            let value = column.chunk().value(*hit as usize, &mut self.buffers.scratch)?;
            if let Err(bad) = self.builder.append(value, self.table.properties.on_bad_value)? {
                return Err(self.bad_value(segment, *hit, &bad));
            }
        }
        Ok(())
    }
}

impl Target<'_, ValueBuilder> {
    fn append(&mut self, source: &Source, segment: &Segment<'_>) -> Taken {
        match source {
            Source::Cell { family, qualifier, ty, encoding, null } => {
                match self.find(segment, (family, qualifier)) {
                    Some(column) => self.append_chunk(segment, column.chunk(), (*ty, *encoding), *null),
                    None => {
                        self.builder.append_nulls(self.hits.len());
                        Ok(())
                    }
                }
            }
            Source::RowId { ty, encoding } => {
                if let Some([word]) = segment.row_words()
                    && self.append_integers(word, None, (*ty, *encoding))?
                {
                    return Ok(());
                }
                self.append_row_ids(segment, |row, _| decode(*ty, *encoding, row).map(Some))
            }
            Source::KeyPart { lexicoder, index } => {
                let part = lexicoder.parts().get(*index).filter(|part| !part.descending);
                let place = lexicoder.part_place(*index);
                if let (Some(part), Some(place)) = (part, place)
                    && let Some(word) = word_at(segment, place)
                    && self.append_integers(word, None, (part.ty, Encoding::Native))?
                {
                    return Ok(());
                }
                self.append_row_ids(segment, |row, part| {
                    lexicoder.decode_part_ref(row, *index, part).map(Some)
                })
            }
            _ => Err(HandlerError::internal("a column that needs whole rows was read by column").into()),
        }
    }

    fn append_chunk(
        &mut self,
        segment: &Segment<'_>,
        chunk: &Chunk<'_>,
        (ty, encoding): (PrimitiveType, Encoding),
        null: Option<&[u8]>,
    ) -> Taken {
        match chunk.values() {
            Values::Integers(integers) => {
                if null.is_none() && self.append_integers(integers, Some(chunk), (ty, encoding))? {
                    return Ok(());
                }
            }
            Values::Dictionary(dictionary) if dictionary.entries() <= self.hits.len() => {
                // An entry that cannot be read matters only if a hit has it.
                let mut entries = Vec::with_capacity(dictionary.entries());
                dictionary.for_each_entry(|_, entry| {
                    entries.push(read(entry, (ty, encoding), null));
                    Ok::<_, ostracon_segment::Error>(())
                })?;
                if entries.iter().all(|entry| entry.is_ok()) {
                    let integers = &mut self.buffers.integers;
                    integers.clear();
                    dictionary.codes().gather(self.hits, integers)?;
                    for (hit, code) in self.hits.iter().zip(&*integers) {
                        let present = chunk.is_present(*hit as usize);
                        let entry = usize::try_from(*code).ok().and_then(|code| entries.get(code));
                        let value = entry.and_then(|entry| entry.as_ref().ok().copied().flatten());
                        self.builder.append(value.filter(|_| present))?;
                    }
                    return Ok(());
                }
            }
            Values::Dictionary(_) | Values::Bytes(_) => {}
        }
        for hit in self.hits {
            let value = chunk.value(*hit as usize, &mut self.buffers.scratch)?;
            let value = value.map_or(Ok(None), |bytes| read(bytes, (ty, encoding), null));
            let value = match value {
                Ok(value) => value,
                Err(_) if self.table.properties.on_bad_value != OnBadValue::Error => None,
                Err(bad) => return Err(self.bad_value(segment, *hit, &bad)),
            };
            self.builder.append(value)?;
        }
        Ok(())
    }

    /// Appends what `read` makes of the hits' row ids.
    fn append_row_ids(
        &mut self,
        segment: &Segment<'_>,
        read: impl for<'r> Fn(&'r [u8], &'r mut Vec<u8>) -> Outcome<'r>,
    ) -> Taken {
        let HitBuffers { row_id, part, .. } = &mut *self.buffers;
        for hit in self.hits {
            segment.row_into(*hit as usize, row_id)?;
            let value = match read(row_id, part) {
                Ok(value) => value,
                Err(_) if self.table.properties.on_bad_value != OnBadValue::Error => None,
                Err(bad) => return Err(RowDecoder::bad_value(self.table, row_id, self.name, &bad).into()),
            };
            self.builder.append(value)?;
        }
        Ok(())
    }

    /// Appends integers in bulk; false, and nothing appended, if they are not known to be values of the type.
    fn append_integers(
        &mut self,
        integers: &Integers<'_>,
        chunk: Option<&Chunk<'_>>,
        (ty, encoding): (PrimitiveType, Encoding),
    ) -> Taken<bool> {
        if !self.builder.takes_integers(integers, ty, encoding) {
            return Ok(false);
        }
        let HitBuffers { integers: packed, valid, .. } = &mut *self.buffers;
        packed.clear();
        integers.gather(self.hits, packed)?;
        valid.clear();
        if let Some(chunk) = chunk.filter(|chunk| chunk.absent() > 0) {
            valid.extend(self.hits.iter().map(|hit| chunk.is_present(*hit as usize)));
        }
        let valid = (!valid.is_empty()).then_some(valid.as_slice());
        self.builder.append_integers(integers, packed, valid, encoding);
        Ok(true)
    }
}

/// The value of a cell's bytes; NULL if they stand for it.
fn read<'b>(bytes: &'b [u8], (ty, encoding): (PrimitiveType, Encoding), null: Option<&[u8]>) -> Outcome<'b> {
    if null == Some(bytes) { Ok(None) } else { decode(ty, encoding, bytes).map(Some) }
}

/// The word of the row ids at a place, if the segment cuts them so.
pub(super) fn word_at<'s, 'a>(segment: &'s Segment<'a>, place: RowPlace) -> Option<&'s Integers<'a>> {
    let mut offset = 0;
    for word in segment.row_words()? {
        if offset == place.offset {
            return (place.width == Some(word.width())).then_some(word);
        }
        offset += word.width();
    }
    None
}
