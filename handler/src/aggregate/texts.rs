//! [`TextTally`]: the least and greatest texts by group.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, BinaryArray, RecordBatch, StringArray};
use datafusion::arrow::datatypes::DataType;

use super::kernel::Tally;
use super::numbers;
use super::spec::{State, TextExtreme};
use crate::error::{HandlerError, Result};

/// The least and greatest texts (or bytes) of columns, by group.
#[derive(Debug)]
pub(super) struct TextTally(Vec<(TextExtreme, Vec<Option<Vec<u8>>>)>);

impl TextTally {
    pub(super) fn new(texts: &[TextExtreme]) -> Self {
        Self(texts.iter().map(|text| (*text, Vec::new())).collect())
    }

    /// Compares the rows of a batch. `rows` are their groups; without, they are all in the first.
    pub(super) fn add(&mut self, batch: &RecordBatch, rows: Option<&Vec<u32>>, groups: usize) -> Result<()> {
        for (text, known) in &mut self.0 {
            known.resize(groups, None);
            let array = batch.columns().get(text.column);
            let mut compare = |row: usize, bytes: Option<&[u8]>| {
                let group = rows.and_then(|rows| rows.get(row)).map_or(0, |group| *group as usize);
                if let (Some(bytes), Some(known)) = (bytes, known.get_mut(group)) {
                    take(text.greatest, known, bytes);
                }
            };
            match array.map(|array| (array.data_type(), array)) {
                Some((DataType::Utf8, array)) => {
                    let texts = array.as_string::<i32>().iter().enumerate();
                    texts.for_each(|(row, text)| compare(row, text.map(str::as_bytes)));
                }
                Some((DataType::Binary, array)) => {
                    array.as_binary::<i32>().iter().enumerate().for_each(|(row, bytes)| compare(row, bytes));
                }
                _ => return Err(HandlerError::internal("an aggregate compares texts of a column of others")),
            }
        }
        Ok(())
    }

    /// Compares one text of the first group with each that is asked for, in their order.
    pub(super) fn add_each(&mut self, texts: &[Option<&[u8]>]) {
        for ((text, known), bytes) in self.0.iter_mut().zip(texts) {
            if known.is_empty() {
                known.push(None);
            }
            if let (Some(known), Some(bytes)) = (known.first_mut(), bytes) {
                take(text.greatest, known, bytes);
            }
        }
    }

    fn array(&self, text: usize, data_type: &DataType, groups: &[usize]) -> Result<ArrayRef> {
        let known = self.0.get(text).map(|(_, known)| known.as_slice()).unwrap_or_default();
        let bytes = groups.iter().map(|group| known.get(*group).and_then(|known| known.as_deref()));
        let misfit = || HandlerError::internal(format!("the least or greatest text is no {data_type}"));
        match data_type {
            DataType::Binary => Ok(Arc::new(BinaryArray::from_iter(bytes))),
            DataType::Utf8 => {
                let texts = bytes.map(|bytes| bytes.map(std::str::from_utf8).transpose());
                let texts = texts.collect::<std::result::Result<Vec<_>, _>>().map_err(|_| misfit())?;
                Ok(Arc::new(StringArray::from(texts)))
            }
            _ => Err(misfit()),
        }
    }
}

/// Keeps the better one of a text and the best so far.
fn take(greatest: bool, known: &mut Option<Vec<u8>>, bytes: &[u8]) {
    match known {
        Some(best) if (greatest && bytes > best.as_slice()) || (!greatest && bytes < best.as_slice()) => {
            best.clear();
            best.extend_from_slice(bytes);
        }
        Some(_) => {}
        None => *known = Some(bytes.to_vec()),
    }
}

impl State {
    /// The state's column for the groups at these positions.
    pub(super) fn array(
        &self,
        data_type: &DataType,
        grouped: bool,
        groups: &[usize],
        tally: &Tally,
        texts: &TextTally,
    ) -> Result<ArrayRef> {
        let each =
            |of: &dyn Fn(usize) -> Option<i128>| groups.iter().map(|group| of(*group)).collect::<Vec<_>>();
        match self {
            Self::Count { presence } => {
                let counts = each(&|group| Some(i128::from(tally.count(*presence, group))));
                numbers::array_of(&counts, data_type)
            }
            Self::AverageCount { presence } => {
                let count = |group| Some(i128::from(tally.count(*presence, group)));
                numbers::array_of(
                    &each(&|group| count(group).filter(|rows| !grouped || *rows > 0)),
                    data_type,
                )
            }
            Self::Sum(sum) => numbers::array_of(&each(&|group| tally.sum(*sum, group)), data_type),
            Self::FloatSum(sum) => Ok(numbers::floats_of(&each(&|group| tally.sum(*sum, group)))),
            Self::Extreme(extreme) => {
                numbers::array_of(&each(&|group| tally.extreme(*extreme, group)), data_type)
            }
            Self::Text(text) => texts.array(*text, data_type, groups),
        }
    }
}
