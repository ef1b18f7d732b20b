//! Which types a file's values may be read as, and which type two files' values have in common.
//!
//! A type may grow where every value of the old one has its like in the new one: whole numbers to wider ones and to exact
//! decimals, `INT` and smaller to `DOUBLE`, `REAL` to `DOUBLE`, decimals to more digits on both sides, `DATE` to
//! `TIMESTAMP`, and timestamps and times to finer units. Text and bytes read as each other (text is checked). Everything
//! else is refused, also where the values at hand would fit: what a query says must not hang on the data.

use datafusion::arrow::datatypes::{
    DECIMAL128_MAX_PRECISION, DECIMAL256_MAX_PRECISION, DataType, Field, Fields, TimeUnit,
};

/// A change of type that would lose something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    /// The column, and the way down to the field.
    pub(super) path: String,
    /// What the file has.
    pub(super) from: DataType,
    /// What is asked for.
    pub(super) to: DataType,
}

/// Checks fields of a file against those asked for, found by name; a field of one side only is no fault.
pub(super) fn check_fields(from: &Fields, to: &Fields) -> Result<(), Refusal> {
    check_struct("", from, to)
}

fn check_struct(parent: &str, from: &Fields, to: &Fields) -> Result<(), Refusal> {
    for wanted in to {
        if let Some(given) = from.iter().find(|given| given.name() == wanted.name()) {
            let path =
                if parent.is_empty() { wanted.name().clone() } else { format!("{parent}.{}", wanted.name()) };
            check(&path, given, wanted)?;
        }
    }
    Ok(())
}

fn check(path: &str, from: &Field, to: &Field) -> Result<(), Refusal> {
    let refuse =
        || Refusal { path: path.to_owned(), from: from.data_type().clone(), to: to.data_type().clone() };
    match (from.data_type(), to.data_type()) {
        (DataType::Struct(given), DataType::Struct(wanted)) => check_struct(path, given, wanted),
        (DataType::List(given), DataType::List(wanted)) => check(&format!("{path}.element"), given, wanted),
        (DataType::Map(given, _), DataType::Map(wanted, _)) => {
            let (DataType::Struct(given), DataType::Struct(wanted)) = (given.data_type(), wanted.data_type())
            else {
                return Err(refuse());
            };
            for ((given, wanted), name) in given.iter().zip(wanted).zip(["key", "value"]) {
                check(&format!("{path}.{name}"), given, wanted)?;
            }
            Ok(())
        }
        (given, wanted) if widens(given, wanted) => Ok(()),
        _ => Err(refuse()),
    }
}

/// Whether every value of `from` has its like in `to`.
pub(super) fn widens(from: &DataType, to: &DataType) -> bool {
    if from == to {
        return true;
    }
    if is_text_or_bytes(from) && is_text_or_bytes(to) {
        return !matches!(to, DataType::FixedSizeBinary(_));
    }
    if let DataType::Dictionary(_, values) = from {
        return widens(values, to);
    }
    if let DataType::Dictionary(_, values) = to {
        return widens(from, values);
    }
    if let (Some((signed, bits)), Some((to_signed, to_bits))) = (integer(from), integer(to)) {
        return match (signed, to_signed) {
            (true, true) | (false, false) => bits <= to_bits,
            (false, true) => bits < to_bits,
            (true, false) => false,
        };
    }
    match (from, to) {
        (_, DataType::Float64) if integer(from).is_some_and(|(_, bits)| bits <= 32) => true,
        (_, DataType::Float32) if integer(from).is_some_and(|(_, bits)| bits <= 16) => true,
        (DataType::Float16, DataType::Float32 | DataType::Float64) => true,
        (DataType::Float32, DataType::Float64) => true,
        (DataType::Date32, DataType::Timestamp(_, None) | DataType::Date64) => true,
        (DataType::Timestamp(unit, zone), DataType::Timestamp(to_unit, to_zone)) => {
            finer(unit, to_unit) && same_instants(zone.as_deref(), to_zone.as_deref())
        }
        (
            DataType::Time32(unit) | DataType::Time64(unit),
            DataType::Time32(to_unit) | DataType::Time64(to_unit),
        ) => finer(unit, to_unit),
        (DataType::Duration(unit), DataType::Duration(to_unit)) => finer(unit, to_unit),
        _ => match (digits(from), digits(to)) {
            (Some((whole, scale)), Some((to_whole, to_scale))) => {
                is_decimal(to) && whole <= to_whole && scale <= to_scale
            }
            _ => false,
        },
    }
}

/// The type that holds the values of both: one of the two, or a decimal with the digits of both.
pub(super) fn common(left: &DataType, right: &DataType) -> Option<DataType> {
    // Text is bytes, but bytes need not be text.
    let holds = |from: &DataType, to: &DataType| widens(from, to) && (is_text(from) || !is_text(to));
    if left == right || holds(right, left) {
        return Some(left.clone());
    }
    if holds(left, right) {
        return Some(right.clone());
    }
    match (integer(left), integer(right)) {
        // A sign and one bit more than the unsigned side has.
        (Some((signed, bits)), Some((other_signed, other_bits))) if signed != other_signed => {
            let unsigned = if signed { other_bits } else { bits };
            match (unsigned * 2).max(bits).max(other_bits) {
                16 => Some(DataType::Int16),
                32 => Some(DataType::Int32),
                64 => Some(DataType::Int64),
                _ => Some(DataType::Decimal128(20, 0)),
            }
        }
        _ => {
            if !is_decimal(left) && !is_decimal(right) {
                return None;
            }
            let (whole, scale) = digits(left)?;
            let (other_whole, other_scale) = digits(right)?;
            let scale = scale.max(other_scale);
            let precision = u8::try_from(whole.max(other_whole) + i32::from(scale)).ok()?;
            if precision <= DECIMAL128_MAX_PRECISION {
                Some(DataType::Decimal128(precision, scale))
            } else {
                (precision <= DECIMAL256_MAX_PRECISION).then_some(DataType::Decimal256(precision, scale))
            }
        }
    }
}

/// Sign and width of a whole number.
fn integer(data_type: &DataType) -> Option<(bool, u32)> {
    Some(match data_type {
        DataType::Int8 => (true, 8),
        DataType::Int16 => (true, 16),
        DataType::Int32 => (true, 32),
        DataType::Int64 => (true, 64),
        DataType::UInt8 => (false, 8),
        DataType::UInt16 => (false, 16),
        DataType::UInt32 => (false, 32),
        DataType::UInt64 => (false, 64),
        _ => return None,
    })
}

fn is_decimal(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::Decimal32(..)
            | DataType::Decimal64(..)
            | DataType::Decimal128(..)
            | DataType::Decimal256(..)
    )
}

/// Digits before the point, and after it.
fn digits(data_type: &DataType) -> Option<(i32, i8)> {
    match data_type {
        DataType::Decimal32(precision, scale)
        | DataType::Decimal64(precision, scale)
        | DataType::Decimal128(precision, scale)
        | DataType::Decimal256(precision, scale) => Some((i32::from(*precision) - i32::from(*scale), *scale)),
        _ => {
            let (signed, bits) = integer(data_type)?;
            Some((
                match (bits, signed) {
                    (8, _) => 3,
                    (16, _) => 5,
                    (32, _) => 10,
                    (_, true) => 19,
                    (_, false) => 20,
                },
                0,
            ))
        }
    }
}

fn is_text(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

fn is_text_or_bytes(data_type: &DataType) -> bool {
    is_text(data_type)
        || matches!(
            data_type,
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_)
        )
}

fn finer(unit: &TimeUnit, to: &TimeUnit) -> bool {
    let rank = |unit: &TimeUnit| match unit {
        TimeUnit::Second => 0,
        TimeUnit::Millisecond => 1,
        TimeUnit::Microsecond => 2,
        TimeUnit::Nanosecond => 3,
    };
    rank(unit) <= rank(to)
}

/// A zone other than UTC is only a way to write an instant; without a zone, UTC is meant.
fn same_instants(zone: Option<&str>, to: Option<&str>) -> bool {
    let is_utc = |zone: Option<&str>| matches!(zone, None | Some("UTC" | "+00:00" | "Z"));
    zone == to || (is_utc(zone) && is_utc(to)) || (zone.is_some() && to.is_some())
}
