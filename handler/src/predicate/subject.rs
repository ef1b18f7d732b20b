//! What a comparison is about: an operand, maybe under a cast or a truncation that can be seen through.
//!
//! [`Subject::of`] recognises it; [`Subject::compare`] says what a comparison of it with a constant means for the
//! operand itself, if that can be proven.

use arrow::datatypes::DataType;
use datafusion::functions::core::getfield::GetFieldFunc;
use datafusion::functions::datetime::date_trunc::DateTruncFunc;
use datafusion::logical_expr::Expr;
use ostracon_compare::{Coerced, CompareOp, PrimitiveType, Scalar, coerce_cast};

use super::guarded::{self, Guarded};
use super::literal::Literal;
use super::operand::{self, Operands};
use crate::definition::TableDefinition;
use crate::mapping::ColumnTarget;

/// An operand as it appears in a comparison.
#[derive(Debug, Clone, Copy)]
pub(super) struct Subject {
    /// Its position among the operands.
    pub(super) operand: usize,
    /// The operand's type.
    pub(super) ty: PrimitiveType,
    zoned: bool,
    shape: Shape,
}

#[derive(Debug, Clone, Copy)]
enum Shape {
    Plain,
    /// `CAST(operand AS ty)`.
    Cast {
        ty: PrimitiveType,
        zoned: bool,
    },
    /// `date_trunc`: the operand rounded down to a multiple of this, in its own unit.
    Truncated {
        step: i64,
    },
}

/// What a comparison means for the operand.
#[derive(Debug)]
pub(super) enum Compared {
    /// For every value.
    Always(Coerced),
    /// For the values between two ends; the others stay with DataFusion.
    Guarded(Guarded),
}

impl Subject {
    /// The subject that an expression is; the reason why not otherwise.
    pub(super) fn of(expr: &Expr, table: &TableDefinition, operands: &mut Operands) -> Result<Self, String> {
        match expr {
            Expr::Alias(alias) => Self::of(&alias.expr, table, operands),
            Expr::Column(column) => Ok(Self::plain(operand::of_column(table, &column.name)?, operands)),
            Expr::Cast(cast) => {
                let inner = Self::of(&cast.expr, table, operands)?;
                let Shape::Plain = inner.shape else {
                    return Err("a cast of a cast stays with DataFusion".to_owned());
                };
                inner.cast(cast.field.data_type())
            }
            Expr::TryCast(_) => Err("TRY_CAST stays with DataFusion".to_owned()),
            Expr::ScalarFunction(call) if call.func.inner().is::<GetFieldFunc>() => {
                Self::of_field(&call.args, table, operands)
            }
            Expr::ScalarFunction(call) if call.func.inner().is::<DateTruncFunc>() => {
                Self::of_date_trunc(&call.args, table, operands)
            }
            Expr::ScalarFunction(call) => {
                Err(format!("the function {} runs in DataFusion", call.func.name()))
            }
            _ => Err("it compares an expression that is no column".to_owned()),
        }
    }

    fn plain(found: operand::Found, operands: &mut Operands) -> Self {
        let (ty, zoned) = (found.operand.ty, found.zoned);
        Subject { operand: operands.add(found), ty, zoned, shape: Shape::Plain }
    }

    /// Whether nothing stands between the comparison and the operand.
    pub(super) fn is_plain(&self) -> bool {
        matches!(self.shape, Shape::Plain)
    }

    fn cast(self, to: &DataType) -> Result<Self, String> {
        let unknown = || format!("a cast to {to} stays with DataFusion");
        // Bytes of a fixed width are bytes here, but their cast can fail.
        if matches!(to, DataType::FixedSizeBinary(_) | DataType::Dictionary(..)) {
            return Err(unknown());
        }
        let ty = PrimitiveType::from_arrow(to).ok_or_else(unknown)?;
        let zoned = operand::is_zoned(to);
        // Between instants and local times the session's zone would have a say.
        if self.zoned && !zoned || zoned && !self.zoned {
            return Err(unknown());
        }
        let shape = if ty == self.ty { Shape::Plain } else { Shape::Cast { ty, zoned } };
        Ok(Subject { shape, ..self })
    }

    /// `get_field(column, name)`: an entry of a map, or a field of the struct that is the row id.
    fn of_field(args: &[Expr], table: &TableDefinition, operands: &mut Operands) -> Result<Self, String> {
        let [Expr::Column(column), key] = args else {
            return Err("a look-up in an expression that is no column stays with DataFusion".to_owned());
        };
        let Some(Literal { value: Some(Scalar::Utf8(key)), .. }) = super::literal::of_expr(key) else {
            return Err(format!(
                "a look-up in '{}' by a key that is no text stays with DataFusion",
                column.name
            ));
        };
        let target = table.column_index(&column.name).and_then(|index| table.columns.get(index));
        let found = match target.map(|column| &column.target) {
            Some(ColumnTarget::Map { .. }) => operand::of_map_entry(table, &column.name, &key)?,
            _ => operand::of_field(table, &column.name, &key)?,
        };
        Ok(Self::plain(found, operands))
    }

    /// `date_trunc('day', column)` for units of a fixed length.
    fn of_date_trunc(
        args: &[Expr],
        table: &TableDefinition,
        operands: &mut Operands,
    ) -> Result<Self, String> {
        let unknown = || "this date_trunc runs in DataFusion".to_owned();
        let [unit, column] = args else { return Err(unknown()) };
        let Some(Literal { value: Some(Scalar::Utf8(unit)), .. }) = super::literal::of_expr(unit) else {
            return Err(unknown());
        };
        let inner = Self::of(column, table, operands)?;
        let (PrimitiveType::Timestamp(precision), Shape::Plain, false) = (inner.ty, inner.shape, inner.zoned)
        else {
            return Err(unknown());
        };
        let step = guarded::truncation_step(&unit.to_lowercase(), precision).ok_or_else(unknown)?;
        Ok(Subject { shape: if step == 1 { Shape::Plain } else { Shape::Truncated { step } }, ..inner })
    }

    /// What `subject op constant` means for the operand. The constant is not NULL; its type is that of the subject.
    pub(super) fn compare(
        &self,
        op: CompareOp,
        literal: &Literal,
        constant: &Scalar,
    ) -> Result<Compared, String> {
        let differs = || "its two sides have different types".to_owned();
        match self.shape {
            Shape::Plain if literal.ty == Some(self.ty) && literal.zoned == self.zoned => {
                Ok(Compared::Always(Coerced::Compare { op, constant: constant.clone() }))
            }
            Shape::Plain => Err(differs()),
            Shape::Cast { ty, zoned } => {
                if literal.ty != Some(ty) || literal.zoned != zoned {
                    return Err(differs());
                }
                let always = coerce_cast(op, self.ty, ty, constant).map(Compared::Always);
                let known =
                    always.or_else(|| guarded::cast(op, self.ty, ty, constant).map(Compared::Guarded));
                known
                    .ok_or_else(|| format!("the cast from {} to {ty} can fail or changes the order", self.ty))
            }
            Shape::Truncated { step } => match constant {
                Scalar::Int(constant) if literal.ty == Some(self.ty) && !literal.zoned => {
                    let guarded = guarded::truncation(op, *constant, step);
                    guarded.map(Compared::Guarded).ok_or_else(|| "its time is out of range".to_owned())
                }
                _ => Err(differs()),
            },
        }
    }

    /// The other side of a comparison of two operands, if both are plain and of one type.
    pub(super) fn comparable_with(&self, other: &Subject) -> Result<(), String> {
        if !(self.is_plain() && other.is_plain()) {
            return Err("it compares two columns of which one is cast".to_owned());
        }
        if self.ty != other.ty || self.zoned != other.zoned {
            return Err("it compares two columns of different types".to_owned());
        }
        Ok(())
    }
}
