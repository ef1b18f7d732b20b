//! The row ids of a table as the planner sees them: parts, and which values of a part a comparison accepts.
//!
//! A part's values are a set of byte strings ([`RowRanges`], used here for parts as elsewhere for whole rows).
//! A set is made only where bytes are known to sort as values do, or for equality where equal values have equal
//! bytes; anything else is `None`, which is "any value".

use ostracon_compare::{
    CompareOp, Encoding, KeyLexicoder, LikePattern, PrimitiveType, Scalar, is_canonical, is_order_preserving,
};
use ostracon_data::{RowRange, RowRanges};
use ostracon_iterators::{OnBadValue, RowPredicate};

use super::key_bytes::{PartBytes, Span};
use crate::definition::{RowIdLayout, TableDefinition};

/// Values of a part.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PartSet {
    pub(super) values: RowRanges,
    /// Whether these are just the values accepted, none besides.
    pub(super) exact: bool,
}

impl PartSet {
    fn exact(values: RowRanges) -> Self {
        PartSet { values, exact: true }
    }
}

/// The parts of a table's row id.
#[derive(Debug)]
pub(super) struct KeySpace {
    parts: Vec<PartBytes>,
    /// By part: its name in EXPLAIN.
    names: Vec<String>,
    /// The bytes between the fields of a delimited row id; then only the first part is one.
    delimiter: Option<Vec<u8>>,
    trusted: bool,
    nulls: bool,
}

impl KeySpace {
    pub(super) fn of(table: &TableDefinition) -> Self {
        let trusted = table.keys_are_trusted();
        let column =
            |index: usize| table.columns.get(index).map_or(String::new(), |column| column.name.clone());
        let fields = |index: usize| match table.columns.get(index).map(|column| &column.data_type) {
            Some(arrow::datatypes::DataType::Struct(fields)) => {
                fields.iter().map(|field| format!("{}['{}']", column(index), field.name())).collect()
            }
            _ => Vec::new(),
        };
        let of_lexicoder = |lexicoder: &KeyLexicoder| {
            (0..lexicoder.parts().len()).filter_map(|i| PartBytes::of_key(lexicoder, i, trusted)).collect()
        };
        let (parts, names, delimiter) = match &table.row_id {
            RowIdLayout::Single { column: index, ty, encoding } => {
                (vec![PartBytes::of_row(*ty, *encoding)], vec![column(*index)], None)
            }
            RowIdLayout::Native { columns, lexicoder } => {
                (of_lexicoder(lexicoder), columns.iter().map(|index| column(*index)).collect(), None)
            }
            RowIdLayout::NativeStruct { column: index, lexicoder } => {
                (of_lexicoder(lexicoder), fields(*index), None)
            }
            RowIdLayout::Delimited { column: index, delimiter, fields: types } => {
                let first = types.first().map(|ty| PartBytes::of_row(*ty, Encoding::String));
                (first.into_iter().collect(), fields(*index), Some(delimiter.clone()))
            }
            RowIdLayout::Hidden | RowIdLayout::None => (Vec::new(), Vec::new(), None),
        };
        // A field that a delimited row id lacks is NULL, and so is any key that cannot be read, if it is to be.
        let nulls = delimiter.is_some() || (!trusted && table.properties.on_bad_value == OnBadValue::Null);
        KeySpace { parts, names, delimiter, trusted, nulls }
    }

    /// Whether every row id is one that the table's own encoder wrote.
    pub(super) fn is_trusted(&self) -> bool {
        self.trusted
    }

    /// Whether a part of a key can be NULL.
    pub(super) fn has_nulls(&self) -> bool {
        self.nulls
    }

    pub(super) fn len(&self) -> usize {
        self.parts.len()
    }

    pub(super) fn part(&self, part: usize) -> Option<&PartBytes> {
        self.parts.get(part)
    }

    pub(super) fn name(&self, part: usize) -> &str {
        self.names.get(part).map_or("", String::as_str)
    }

    /// The values of a part that equal one of `values`.
    pub(super) fn any_of(&self, part: usize, values: &[Scalar]) -> Option<PartSet> {
        let mut ranges = Vec::with_capacity(values.len());
        let mut exact = true;
        for value in values {
            let one = self.compared(part, CompareOp::Equal, value)?;
            exact &= one.exact;
            ranges.extend(one.values.ranges().into_owned());
        }
        Some(PartSet { values: RowRanges::from_ranges(ranges), exact })
    }

    /// The values of a part for which an atom on it is TRUE; `None` is any.
    pub(super) fn values_of(&self, part: usize, atom: &RowPredicate) -> Option<PartSet> {
        match atom {
            RowPredicate::Compare { op, constant, .. } => self.compared(part, *op, constant),
            RowPredicate::Between { low, high, .. } => {
                let above = self.compared(part, CompareOp::GreaterThanOrEqual, low);
                let below = self.compared(part, CompareOp::LessThanOrEqual, high);
                match (above, below) {
                    (Some(above), Some(below)) => Some(PartSet {
                        values: above.values.intersect(&below.values),
                        exact: above.exact && below.exact,
                    }),
                    (one, other) => one.or(other).map(|half| PartSet { exact: false, ..half }),
                }
            }
            RowPredicate::Like { pattern, case_insensitive: false, .. } => self.like(part, pattern),
            _ => None,
        }
    }

    fn compared(&self, part: usize, op: CompareOp, constant: &Scalar) -> Option<PartSet> {
        let bytes = self.part(part)?;
        if let Some(delimiter) = &self.delimiter {
            return delimited(bytes, delimiter, op, constant);
        }
        let (ty, encoding) = (bytes.ty(), bytes.encoding());
        let ordered = is_order_preserving(ty, encoding);
        let only_equality = matches!(op, CompareOp::Equal | CompareOp::NotEqual);
        if !(ordered || only_equality && is_canonical(ty, encoding)) {
            return None;
        }
        let Span { start, end } = bytes.span(constant)?;
        // In a descending part the bytes of greater values come first.
        let op = if bytes.is_descending() { mirror(op) } else { op };
        let from = |start: Option<Vec<u8>>| match start {
            Some(start) => RowRanges::from_ranges(vec![RowRange::new(start, None)]),
            // Nothing comes behind the last value.
            None => RowRanges::none(),
        };
        let until = |end: Option<Vec<u8>>| RowRanges::from_ranges(vec![RowRange::new(Vec::new(), end)]);
        Some(PartSet::exact(match op {
            CompareOp::Equal => RowRanges::from_ranges(vec![RowRange::new(start, end)]),
            CompareOp::NotEqual => RowRanges::from_ranges(vec![RowRange::new(start, end)]).complement(),
            CompareOp::LessThan => until(Some(start)),
            CompareOp::LessThanOrEqual => until(end),
            CompareOp::GreaterThan => from(end),
            CompareOp::GreaterThanOrEqual => from(Some(start)),
        }))
    }

    fn like(&self, part: usize, pattern: &str) -> Option<PartSet> {
        let bytes = self.part(part)?;
        if bytes.ty() != PrimitiveType::Utf8 {
            return None;
        }
        let pattern = LikePattern::compile(pattern, false).ok()?;
        let prefix = pattern.prefix();
        if pattern.is_exact() {
            return self.compared(part, CompareOp::Equal, &Scalar::Utf8(prefix.to_owned()));
        }
        if prefix.is_empty() {
            return None;
        }
        let values = RowRanges::from_ranges(vec![RowRange::prefix(bytes.text_prefix(prefix)?)]);
        // In a delimited row id the prefix may run into the next field.
        Some(PartSet { values, exact: pattern.is_prefix_only() && self.delimiter.is_none() })
    }
}

/// The operator that holds between the bytes of a descending part.
fn mirror(op: CompareOp) -> CompareOp {
    op.swap()
}

/// The rows of a delimited row id by their first field: the whole row, or what comes before the first delimiter.
fn delimited(bytes: &PartBytes, delimiter: &[u8], op: CompareOp, constant: &Scalar) -> Option<PartSet> {
    if !is_order_preserving(bytes.ty(), bytes.encoding()) {
        return None;
    }
    let Span { start: field, .. } = bytes.span(constant)?;
    let values = match op {
        CompareOp::Equal if field.windows(delimiter.len()).any(|window| window == delimiter) => {
            RowRanges::none()
        }
        CompareOp::Equal => {
            let with_more = [field.as_slice(), delimiter].concat();
            RowRanges::from_ranges(vec![RowRange::point(field), RowRange::prefix(with_more)])
        }
        // A row starts with its first field and so does not come before it. Nothing such holds for upper bounds: the
        // delimiter may sort behind anything.
        CompareOp::GreaterThan | CompareOp::GreaterThanOrEqual => {
            RowRanges::from_ranges(vec![RowRange::new(field, None)])
        }
        _ => return None,
    };
    Some(PartSet { values, exact: false })
}
