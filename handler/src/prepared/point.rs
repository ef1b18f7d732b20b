//! Filters that are nothing but a whole key: values straight into a row id.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::expr::Placeholder;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};
use ostracon_compare::{Coerced, CompareOp, KeyLexicoder, PrimitiveType, Scalar, coerce_cast};

use super::bind;
use crate::definition::{RowIdLayout, TableDefinition};
use crate::predicate::Literal;

/// How the row id is made of the values.
#[derive(Debug)]
pub(super) struct PointKey {
    lexicoder: KeyLexicoder,
    /// In the order of the key.
    parts: Vec<PartValue>,
}

/// `key column = value`.
#[derive(Debug)]
struct PartValue {
    ty: PrimitiveType,
    zoned: bool,
    /// The type that the plan casts the column to.
    cast: Option<(PrimitiveType, bool)>,
    /// What it is compared with, over no columns.
    value: Expr,
}

/// What values come to.
#[derive(Debug, PartialEq)]
pub(super) enum Point {
    /// The one row that can satisfy the filters.
    Row(Vec<u8>),
    /// No row can.
    Nowhere,
    /// It takes more to say.
    Unknown,
}

impl PointKey {
    /// The key that the filters ask for, if they are one `=` for each part of it. Only of keys that nobody else can have
    /// written: with others equal values need not have equal bytes.
    pub(super) fn of(filters: &[Expr], table: &TableDefinition) -> Option<Self> {
        let RowIdLayout::Native { columns, lexicoder } = &table.row_id else { return None };
        if !table.keys_are_trusted() || !table.properties.iterator_pushdown || filters.len() != columns.len()
        {
            return None;
        }
        let found: Vec<(usize, PartValue)> =
            filters.iter().map(|filter| equality(filter, table)).collect::<Option<_>>()?;
        let mut found: Vec<Option<(usize, PartValue)>> = found.into_iter().map(Some).collect();
        let parts = columns.iter().map(|column| {
            let part = found.iter_mut().find(|one| one.as_ref().is_some_and(|(of, _)| of == column))?;
            part.take().map(|(_, part)| part)
        });
        Some(Self { lexicoder: lexicoder.clone(), parts: parts.collect::<Option<_>>()? })
    }

    /// Where the filters point with these values.
    pub(super) fn bind(&self, values: &[ScalarValue]) -> Point {
        // One part that is not known may be one that fails: it comes before another that no row has.
        let key: Option<Vec<Option<Scalar>>> = self.parts.iter().map(|part| part.bind(values)).collect();
        let Some(key) = key else { return Point::Unknown };
        let key: Option<Vec<_>> = key.iter().map(|value| value.as_ref().map(Scalar::as_ref)).collect();
        let Some(key) = key else { return Point::Nowhere };
        self.lexicoder.encode_prefix(&key).map_or(Point::Unknown, Point::Row)
    }
}

impl PartValue {
    /// The value of the column's type that equals the given one: `Some(None)` if there is none, `None` if that is not
    /// known here.
    fn bind(&self, values: &[ScalarValue]) -> Option<Option<Scalar>> {
        let bound;
        let value = match &self.value {
            Expr::Placeholder(Placeholder { id, .. }) => values.get(bind::index_of(id)?)?,
            Expr::Literal(value, _) => value,
            other => {
                bound = bind::values_into_filter(other, values).ok()?;
                let Expr::Literal(value, _) = &bound else { return None };
                value
            }
        };
        let Literal { ty, zoned, value } = Literal::of_value(value)?;
        // A comparison with NULL is never TRUE.
        let Some(value) = value else { return Some(None) };
        let (compared, compared_zoned) = self.cast.unwrap_or((self.ty, self.zoned));
        if ty != Some(compared) || zoned != compared_zoned || self.zoned != zoned {
            return None;
        }
        if compared == self.ty {
            return Some(Some(value));
        }
        match coerce_cast(CompareOp::Equal, self.ty, compared, &value)? {
            Coerced::Compare { op: CompareOp::Equal, constant } => Some(Some(constant)),
            Coerced::Constant(false) => Some(None),
            _ => None,
        }
    }
}

/// The column of the table and the value that a filter says are equal.
fn equality(filter: &Expr, table: &TableDefinition) -> Option<(usize, PartValue)> {
    let Expr::BinaryExpr(BinaryExpr { left, op: Operator::Eq, right }) = filter else { return None };
    let (side, value) = if is_value(right) { (left, right) } else { (right, left) };
    if !is_value(value) {
        return None;
    }
    let (name, cast) = match side.as_ref() {
        Expr::Column(column) => (&column.name, None),
        Expr::Cast(cast) => match cast.expr.as_ref() {
            Expr::Column(column) => (&column.name, Some(cast.field.data_type())),
            _ => return None,
        },
        _ => return None,
    };
    let typed = |data_type: &DataType| {
        // A cast to bytes of a fixed width can fail.
        let plain = !matches!(data_type, DataType::FixedSizeBinary(_));
        let ty = PrimitiveType::from_arrow(data_type).filter(|_| plain)?;
        Some((ty, matches!(data_type, DataType::Timestamp(_, Some(_)))))
    };
    let column = table.column_index(name)?;
    let (ty, zoned) = typed(&table.columns.get(column)?.data_type)?;
    let cast = match cast {
        Some(data_type) => Some(typed(data_type)?),
        None => None,
    };
    Some((column, PartValue { ty, zoned, cast, value: value.as_ref().clone() }))
}

/// A constant, a parameter, or one of them under a cast.
fn is_value(expr: &Expr) -> bool {
    match expr {
        Expr::Literal(..) | Expr::Placeholder(_) => true,
        Expr::Cast(cast) => matches!(cast.expr.as_ref(), Expr::Placeholder(_)),
        _ => false,
    }
}
