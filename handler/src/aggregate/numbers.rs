//! Arrow arrays as whole numbers, and back.
//!
//! A decimal is its unscaled number, a date or timestamp its count, a float the number that sorts as it does.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, Decimal128Array, Decimal256Array, Float32Array, Float64Array, Int8Array,
    Int16Array, Int32Array, Int64Array, UInt8Array, UInt16Array, UInt32Array, UInt64Array, make_array,
};
use datafusion::arrow::datatypes::{
    DataType, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type, i256,
};

use super::kernel::{Column, Interval, Refusal, Values};
use crate::error::{HandlerError, Result};

/// The numbers of an array, null or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Numbers {
    stored: Stored,
    bounds: Interval,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Stored {
    Narrow(Vec<i64>),
    Wide(Vec<i128>),
}

/// The type of the same representation that says nothing of what the numbers mean; `None` for values that are no
/// numbers, or are too long.
fn representation(data_type: &DataType) -> Option<DataType> {
    Some(match data_type {
        DataType::Int8
        | DataType::Int16
        | DataType::Int32
        | DataType::Int64
        | DataType::UInt8
        | DataType::UInt16
        | DataType::UInt32
        | DataType::UInt64
        | DataType::Float32
        | DataType::Float64
        | DataType::Decimal128(..) => data_type.clone(),
        DataType::Date32 | DataType::Time32(_) => DataType::Int32,
        DataType::Date64 | DataType::Time64(_) | DataType::Timestamp(..) => DataType::Int64,
        _ => return None,
    })
}

/// Whether values of the type are numbers here.
pub(super) fn is_number(data_type: &DataType) -> bool {
    representation(data_type).is_some()
}

/// The numbers of an integer type; `None` for others.
pub(super) fn integers(data_type: &DataType) -> Option<Interval> {
    let signed = |bits: u32| Interval::new(-(1 << (bits - 1)), (1 << (bits - 1)) - 1);
    let unsigned = |bits: u32| Interval::new(0, (1 << bits) - 1);
    Some(match data_type {
        DataType::Int8 => signed(8),
        DataType::Int16 => signed(16),
        DataType::Int32 => signed(32),
        DataType::Int64 => signed(64),
        DataType::UInt8 => unsigned(8),
        DataType::UInt16 => unsigned(16),
        DataType::UInt32 => unsigned(32),
        DataType::UInt64 => unsigned(64),
        _ => return None,
    })
}

impl Numbers {
    /// Reads an array. The inner error: it holds a float whose place in an order depends on who asks.
    ///
    /// # Errors
    /// `Internal` if the type is not one of those that [`is_number`] names.
    pub(super) fn read(array: &ArrayRef) -> Result<std::result::Result<Self, Refusal>> {
        let misfit =
            || HandlerError::internal(format!("values of type {} are no numbers", array.data_type()));
        let plain = representation(array.data_type()).ok_or_else(misfit)?;
        let array = relabelled(array, &plain)?;
        let narrow = match &plain {
            DataType::Int8 => {
                array.as_primitive::<Int8Type>().values().iter().map(|v| i64::from(*v)).collect()
            }
            DataType::Int16 => {
                array.as_primitive::<Int16Type>().values().iter().map(|v| i64::from(*v)).collect()
            }
            DataType::Int32 => {
                array.as_primitive::<Int32Type>().values().iter().map(|v| i64::from(*v)).collect()
            }
            DataType::Int64 => array.as_primitive::<Int64Type>().values().to_vec(),
            DataType::UInt8 => {
                array.as_primitive::<UInt8Type>().values().iter().map(|v| i64::from(*v)).collect()
            }
            DataType::UInt16 => {
                array.as_primitive::<UInt16Type>().values().iter().map(|v| i64::from(*v)).collect()
            }
            DataType::UInt32 => {
                array.as_primitive::<UInt32Type>().values().iter().map(|v| i64::from(*v)).collect()
            }
            DataType::Float32 => {
                let floats = array.as_primitive::<Float32Type>().iter().map(|float| float.map(f64::from));
                match ordered(floats) {
                    Ok(numbers) => numbers,
                    Err(refusal) => return Ok(Err(refusal)),
                }
            }
            DataType::Float64 => match ordered(array.as_primitive::<Float64Type>().iter()) {
                Ok(numbers) => numbers,
                Err(refusal) => return Ok(Err(refusal)),
            },
            DataType::UInt64 => {
                let values = array.as_primitive::<UInt64Type>().values();
                return Ok(Ok(Self::of_wide(values.iter().map(|value| i128::from(*value)).collect())));
            }
            _ => {
                let values = array.as_primitive::<Decimal128Type>().values();
                return Ok(Ok(Self::of_wide(values.to_vec())));
            }
        };
        Ok(Ok(Self::of_narrow(narrow)))
    }

    fn of_narrow(values: Vec<i64>) -> Self {
        let low = values.iter().min().copied().unwrap_or_default();
        let high = values.iter().max().copied().unwrap_or_default();
        let bounds = Interval::new(i128::from(low), i128::from(high));
        Self { stored: Stored::Narrow(values), bounds }
    }

    fn of_wide(values: Vec<i128>) -> Self {
        let low = values.iter().min().copied().unwrap_or_default();
        let high = values.iter().max().copied().unwrap_or_default();
        let bounds = Interval::new(low, high);
        let narrow: Option<Vec<i64>> = if bounds.is_narrow() {
            values.iter().map(|value| i64::try_from(*value).ok()).collect()
        } else {
            None
        };
        Self { stored: narrow.map_or(Stored::Wide(values), Stored::Narrow), bounds }
    }

    /// The numbers as a column of a block.
    pub(super) fn column<'a>(&'a self, present: Option<&'a [u8]>) -> Column<'a> {
        let values = match &self.stored {
            Stored::Narrow(values) => Values::Narrow(values),
            Stored::Wide(values) => Values::Wide(values),
        };
        Column { values, bounds: self.bounds, present }
    }

    /// The number in a row.
    pub(super) fn get(&self, row: usize) -> Option<i128> {
        match &self.stored {
            Stored::Narrow(values) => values.get(row).map(|value| i128::from(*value)),
            Stored::Wide(values) => values.get(row).copied(),
        }
    }
}

/// Numbers that sort as the floats do. Minus zero and what is not finite is refused: whether they come before or after
/// others is not the same for every aggregate of DataFusion's.
fn ordered(floats: impl Iterator<Item = Option<f64>>) -> std::result::Result<Vec<i64>, Refusal> {
    floats
        .map(|float| match float {
            None => Ok(0),
            Some(float) if !float.is_finite() || (float == 0.0 && float.is_sign_negative()) => {
                Err(Refusal::Unordered)
            }
            Some(float) => Ok(turned(float.to_bits().cast_signed())),
        })
        .collect()
}

/// Between the bits of a float and the number that sorts as the float does: the same way forth and back.
fn turned(bits: i64) -> i64 {
    if bits < 0 { bits ^ i64::MAX } else { bits }
}

/// The array under another type of the same representation.
fn relabelled(array: &ArrayRef, data_type: &DataType) -> Result<ArrayRef> {
    if array.data_type() == data_type {
        return Ok(Arc::clone(array));
    }
    let data = array.to_data().into_builder().data_type(data_type.clone()).build()?;
    Ok(make_array(data))
}

/// An array of a type from numbers. Integers that do not fit wrap, as DataFusion's sums do.
///
/// # Errors
/// `Internal` if the type is none that aggregates give.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "sums wrap at the width of their type"
)]
pub(super) fn array_of(numbers: &[Option<i128>], data_type: &DataType) -> Result<ArrayRef> {
    let each = || numbers.iter().copied();
    let misfit = || HandlerError::internal(format!("no aggregate gives values of type {data_type}"));
    if let DataType::Decimal256(precision, scale) = data_type {
        let values: Decimal256Array = each().map(|number| number.map(i256::from_i128)).collect();
        return Ok(Arc::new(values.with_precision_and_scale(*precision, *scale)?));
    }
    let array: ArrayRef = match representation(data_type).ok_or_else(misfit)? {
        DataType::Int8 => Arc::new(each().map(|number| number.map(|n| n as i8)).collect::<Int8Array>()),
        DataType::Int16 => Arc::new(each().map(|number| number.map(|n| n as i16)).collect::<Int16Array>()),
        DataType::Int32 => Arc::new(each().map(|number| number.map(|n| n as i32)).collect::<Int32Array>()),
        DataType::Int64 => Arc::new(each().map(|number| number.map(|n| n as i64)).collect::<Int64Array>()),
        DataType::UInt8 => Arc::new(each().map(|number| number.map(|n| n as u8)).collect::<UInt8Array>()),
        DataType::UInt16 => Arc::new(each().map(|number| number.map(|n| n as u16)).collect::<UInt16Array>()),
        DataType::UInt32 => Arc::new(each().map(|number| number.map(|n| n as u32)).collect::<UInt32Array>()),
        DataType::UInt64 => Arc::new(each().map(|number| number.map(|n| n as u64)).collect::<UInt64Array>()),
        DataType::Float32 => {
            Arc::new(each().map(|number| number.map(|n| float_of(n as i64) as f32)).collect::<Float32Array>())
        }
        DataType::Float64 => {
            Arc::new(each().map(|number| number.map(|n| float_of(n as i64))).collect::<Float64Array>())
        }
        DataType::Decimal128(precision, scale) => {
            let values: Decimal128Array = each().collect();
            Arc::new(values.with_precision_and_scale(precision, scale)?)
        }
        _ => return Err(misfit()),
    };
    relabelled(&array, data_type)
}

/// The float that a number sorts as.
fn float_of(number: i64) -> f64 {
    f64::from_bits(turned(number).cast_unsigned())
}

/// Whole numbers as floats; all are exact.
#[expect(clippy::cast_precision_loss, reason = "a tally refuses sums that a float does not hold")]
pub(super) fn floats_of(numbers: &[Option<i128>]) -> ArrayRef {
    Arc::new(numbers.iter().map(|number| number.map(|number| number as f64)).collect::<Float64Array>())
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{Date32Array, TimestampMicrosecondArray};
    use datafusion::arrow::datatypes::TimeUnit;

    use super::*;

    fn back(array: ArrayRef) {
        let numbers = Numbers::read(&array).unwrap().unwrap();
        let options: Vec<Option<i128>> =
            (0..array.len()).map(|row| if array.is_null(row) { None } else { numbers.get(row) }).collect();
        assert_eq!(&array_of(&options, array.data_type()).unwrap(), &array);
        for value in options.iter().flatten() {
            assert!(numbers.bounds.contains(*value), "{value} in {:?}", numbers.bounds);
        }
    }

    #[test]
    fn arrays_survive_being_numbers() {
        back(Arc::new(Int8Array::from(vec![Some(i8::MIN), None, Some(i8::MAX)])));
        back(Arc::new(Int16Array::from(vec![i16::MIN, i16::MAX])));
        back(Arc::new(Int32Array::from(vec![i32::MIN, i32::MAX])));
        back(Arc::new(Int64Array::from(vec![Some(i64::MIN), None, Some(i64::MAX)])));
        back(Arc::new(UInt8Array::from(vec![0, u8::MAX])));
        back(Arc::new(UInt16Array::from(vec![0, u16::MAX])));
        back(Arc::new(UInt32Array::from(vec![0, u32::MAX])));
        back(Arc::new(UInt64Array::from(vec![0, u64::MAX])));
        back(Arc::new(UInt64Array::from(vec![0, 7])));
        back(Arc::new(Float32Array::from(vec![Some(f32::MIN), Some(-0.1), None, Some(0.0), Some(f32::MAX)])));
        back(Arc::new(Float64Array::from(vec![f64::MIN, -0.1, -f64::MIN_POSITIVE, 0.0, 1e-300, f64::MAX])));
        back(Arc::new(Date32Array::from(vec![-1, 20_000])));
        back(Arc::new(TimestampMicrosecondArray::from(vec![i64::MIN, 0]).with_timezone("+01:00")));
        let decimals = Decimal128Array::from(vec![Some(i128::MIN), None, Some(i128::MAX)]);
        back(Arc::new(decimals.with_precision_and_scale(38, 6).unwrap()));
        back(Arc::new(Decimal128Array::from(vec![5, -7]).with_precision_and_scale(15, 2).unwrap()));
        back(Arc::new(Int64Array::from(Vec::<i64>::new())));
    }

    #[test]
    fn floats_sort_as_their_numbers_and_unordered_ones_are_refused() {
        let floats = [f64::MIN, -2.5, -f64::MIN_POSITIVE, 0.0, 1e-300, 2.5, f64::MAX];
        let numbers = ordered(floats.iter().copied().map(Some)).unwrap();
        assert!(numbers.is_sorted(), "{numbers:?}");
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0] {
            let array: ArrayRef = Arc::new(Float64Array::from(vec![1.0, bad]));
            assert_eq!(Numbers::read(&array).unwrap(), Err(Refusal::Unordered), "{bad}");
        }
        let null: ArrayRef = Arc::new(Float32Array::from(vec![None, Some(1.0)]));
        assert!(Numbers::read(&null).unwrap().is_ok());
    }

    #[test]
    fn sums_wrap_and_what_is_no_number_is_an_error() {
        let wrapped = array_of(&[Some(i128::from(i64::MAX) + 1), None], &DataType::Int64).unwrap();
        assert_eq!(wrapped.as_primitive::<Int64Type>().value(0), i64::MIN);
        let wide = array_of(&[Some(i128::MAX)], &DataType::Decimal256(76, 2)).unwrap();
        assert_eq!(wide.data_type(), &DataType::Decimal256(76, 2));
        assert!(array_of(&[None], &DataType::Utf8).is_err());
        let text: ArrayRef = Arc::new(datafusion::arrow::array::StringArray::from(vec!["a"]));
        assert!(Numbers::read(&text).is_err());
        assert!(!is_number(&DataType::Boolean) && is_number(&DataType::Timestamp(TimeUnit::Second, None)));
        assert_eq!(integers(&DataType::UInt64), Some(Interval::new(0, i128::from(u64::MAX))));
        assert_eq!(integers(&DataType::Int64), Some(Interval::NARROW));
    }
}
