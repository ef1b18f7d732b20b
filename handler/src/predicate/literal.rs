//! Constants of a filter, whatever their variant, as values of the comparison crate.

use arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::Expr;
use ostracon_compare::{PrimitiveType, Scalar};

use super::operand::is_zoned;

/// A constant: NULL, or a value and its type.
#[derive(Debug, Clone)]
pub(crate) struct Literal {
    /// `None` for the type of a bare NULL.
    pub(crate) ty: Option<PrimitiveType>,
    /// Whether the type is a timestamp with a zone.
    pub(crate) zoned: bool,
    /// `None` is NULL.
    pub(crate) value: Option<Scalar>,
}

impl Literal {
    /// The constant that a value is, if it is of a type the store knows.
    pub(crate) fn of_value(value: &ScalarValue) -> Option<Self> {
        of_value(value)
    }
}

/// The constant that an expression is, if it is one of a type the store knows.
pub(super) fn of_expr(expr: &Expr) -> Option<Literal> {
    match expr {
        Expr::Literal(value, _) => of_value(value),
        Expr::Alias(alias) => of_expr(&alias.expr),
        _ => None,
    }
}

/// A constant's value. Text and bytes come in several variants, which are one type here; a dictionary's value
/// stands for itself.
pub(super) fn of_value(value: &ScalarValue) -> Option<Literal> {
    if let ScalarValue::Dictionary(_, value) = value {
        return of_value(value);
    }
    let data_type = value.data_type();
    if data_type == DataType::Null {
        return Some(Literal { ty: None, zoned: false, value: None });
    }
    let ty = PrimitiveType::from_arrow(&data_type)?;
    let scalar = match value {
        ScalarValue::Boolean(value) => value.map(Scalar::Boolean),
        ScalarValue::Int8(value) => value.map(|value| Scalar::Int(value.into())),
        ScalarValue::Int16(value) => value.map(|value| Scalar::Int(value.into())),
        ScalarValue::Int32(value) | ScalarValue::Date32(value) => {
            value.map(|value| Scalar::Int(value.into()))
        }
        ScalarValue::Time32Second(value) | ScalarValue::Time32Millisecond(value) => {
            value.map(|value| Scalar::Int(value.into()))
        }
        ScalarValue::Int64(value)
        | ScalarValue::Date64(value)
        | ScalarValue::Time64Microsecond(value)
        | ScalarValue::Time64Nanosecond(value)
        | ScalarValue::TimestampSecond(value, _)
        | ScalarValue::TimestampMillisecond(value, _)
        | ScalarValue::TimestampMicrosecond(value, _)
        | ScalarValue::TimestampNanosecond(value, _) => value.map(Scalar::Int),
        ScalarValue::UInt8(value) => value.map(|value| Scalar::UInt(value.into())),
        ScalarValue::UInt16(value) => value.map(|value| Scalar::UInt(value.into())),
        ScalarValue::UInt32(value) => value.map(|value| Scalar::UInt(value.into())),
        ScalarValue::UInt64(value) => value.map(Scalar::UInt),
        ScalarValue::Float32(value) => value.map(Scalar::Float32),
        ScalarValue::Float64(value) => value.map(Scalar::Float64),
        ScalarValue::Decimal128(value, ..) => value.map(Scalar::Decimal128),
        ScalarValue::Decimal256(value, ..) => value.map(Scalar::Decimal256),
        ScalarValue::Utf8(value) | ScalarValue::LargeUtf8(value) | ScalarValue::Utf8View(value) => {
            value.clone().map(Scalar::Utf8)
        }
        ScalarValue::Binary(value)
        | ScalarValue::LargeBinary(value)
        | ScalarValue::BinaryView(value)
        | ScalarValue::FixedSizeBinary(_, value) => value.clone().map(Scalar::Binary),
        _ => return None,
    };
    Some(Literal { ty: Some(ty), zoned: is_zoned(&data_type), value: scalar })
}
