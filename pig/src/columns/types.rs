use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{
    DataType, Field as ArrowField, Fields, Int64Type, TimeUnit, TimestampMillisecondType,
};
use arrow::error::ArrowError;
use ostracon_piglatin::types::{PigType, Schema, Unknown};
use ostracon_piglatin::value::Datetime;

/// Units of a packed datetime per millisecond: room for an offset of a day either way.
const PER_MILLI: i64 = 4096;

/// The name of a tuple's field in its Struct; Pig's own names may be missing or stand twice.
#[must_use]
pub fn field_name(index: usize) -> String {
    format!("f{index}")
}

/// Whether values of this type lie as [`ostracon_piglatin::value::encode`] writes them.
#[must_use]
pub fn is_encoded(ty: &PigType) -> bool {
    match ty {
        PigType::Bytearray(Unknown::Dynamic)
        | PigType::BigInteger
        | PigType::BigDecimal
        | PigType::Map(_)
        | PigType::Tuple(None)
        | PigType::Bag { fields: None, .. } => true,
        // An empty Struct array is more trouble than it is worth.
        PigType::Tuple(Some(schema)) | PigType::Bag { fields: Some(schema), .. } => schema.fields.is_empty(),
        _ => false,
    }
}

/// The type of the arrays that values of a type lie in.
#[must_use]
pub fn arrow_type(ty: &PigType) -> DataType {
    if is_encoded(ty) {
        return DataType::Binary;
    }
    match ty {
        PigType::Boolean => DataType::Boolean,
        PigType::Int => DataType::Int32,
        PigType::Long | PigType::Datetime => DataType::Int64,
        PigType::Float => DataType::Float32,
        PigType::Double => DataType::Float64,
        PigType::Chararray => DataType::Utf8,
        PigType::Tuple(Some(schema)) => DataType::Struct(tuple_fields(schema)),
        PigType::Bag { fields: Some(schema), .. } => DataType::List(Arc::new(item_field(schema))),
        _ => DataType::Binary,
    }
}

/// The fields of a tuple's Struct.
pub(crate) fn tuple_fields(schema: &Schema) -> Fields {
    schema
        .fields
        .iter()
        .enumerate()
        .map(|(index, field)| ArrowField::new(field_name(index), arrow_type(&field.ty), true))
        .collect()
}

/// The item of a bag's List.
pub(crate) fn item_field(schema: &Schema) -> ArrowField {
    ArrowField::new_list_field(DataType::Struct(tuple_fields(schema)), true)
}

/// A datetime as one number that sorts by instant; none if it lies more than 70,000 years from 1970.
#[must_use]
pub fn packed_datetime(value: Datetime) -> Option<i64> {
    value.millis.checked_mul(PER_MILLI)?.checked_add(i64::from(value.offset_minutes) + PER_MILLI / 2)
}

/// The datetime of a number of [`packed_datetime`].
#[must_use]
pub fn datetime_from_packed(packed: i64) -> Datetime {
    let offset = packed.rem_euclid(PER_MILLI) - PER_MILLI / 2;
    Datetime { millis: packed.div_euclid(PER_MILLI), offset_minutes: i16::try_from(offset).unwrap_or(0) }
}

/// A column of datetimes as timestamps of milliseconds; offsets are lost.
///
/// # Errors
/// If it is no column of datetimes.
pub fn unpacked_datetimes(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let packed = array
        .as_primitive_opt::<Int64Type>()
        .ok_or_else(|| ArrowError::CastError("a column of datetimes was due".to_owned()))?;
    let millis = packed.unary::<_, TimestampMillisecondType>(|value| datetime_from_packed(value).millis);
    Ok(Arc::new(millis))
}

/// Timestamps or dates as a column of datetimes in UTC; parts of a millisecond are cut toward the past, and times too
/// far away are null.
///
/// # Errors
/// If they are none of these.
pub fn packed_datetimes(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let (units, divisor, factor) = match array.data_type() {
        DataType::Timestamp(TimeUnit::Second, _) => (cast(array, &DataType::Int64)?, 1, 1000),
        DataType::Timestamp(TimeUnit::Millisecond, _) | DataType::Date64 => {
            (cast(array, &DataType::Int64)?, 1, 1)
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => (cast(array, &DataType::Int64)?, 1000, 1),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => (cast(array, &DataType::Int64)?, 1_000_000, 1),
        DataType::Date32 => {
            (cast(&cast(array, &DataType::Int32)?, &DataType::Int64)?, 1, 24 * 60 * 60 * 1000)
        }
        other => return Err(ArrowError::CastError(format!("timestamps were due, not {other}"))),
    };
    let packed = units.as_primitive::<Int64Type>().unary_opt::<_, Int64Type>(|units| {
        let millis = units.div_euclid(divisor).checked_mul(factor)?;
        packed_datetime(Datetime { millis, offset_minutes: 0 })
    });
    Ok(Arc::new(packed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::array::{
        Date32Array, TimestampMicrosecondArray, TimestampNanosecondArray, TimestampSecondArray,
    };

    /// A microsecond before 1970 lies in the millisecond before it, not in the first one after.
    #[test]
    fn times_before_1970_are_cut_toward_the_past() {
        let times: [(ArrayRef, i64); 4] = [
            (Arc::new(TimestampMicrosecondArray::from(vec![-1])), -1),
            (Arc::new(TimestampNanosecondArray::from(vec![-1_000_001])), -2),
            (Arc::new(TimestampSecondArray::from(vec![-1])), -1000),
            (Arc::new(Date32Array::from(vec![-1])), -86_400_000),
        ];
        for (array, millis) in times {
            let packed = packed_datetimes(&array).unwrap();
            let packed = packed.as_primitive::<Int64Type>().value(0);
            assert_eq!(datetime_from_packed(packed), Datetime { millis, offset_minutes: 0 });
        }
    }

    #[test]
    fn datetimes_keep_instant_and_offset_and_sort_by_instant() {
        let mut last = i64::MIN;
        for millis in [-1_000_000_000_000, -1, 0, 1, 1_577_934_245_006] {
            for offset_minutes in [-720, 0, 840] {
                let value = Datetime { millis, offset_minutes };
                let packed = packed_datetime(value).unwrap();
                assert_eq!(datetime_from_packed(packed), value);
                assert!(packed > last);
                last = packed;
            }
        }
        assert_eq!(packed_datetime(Datetime { millis: i64::MAX / 4000, offset_minutes: 0 }), None);
    }
}
