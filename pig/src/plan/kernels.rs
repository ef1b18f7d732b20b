//! Vectorised functions where Pig's meaning differs from DataFusion's: division, casts that can warn, fields of null
//! tuples. What they do for one value, the interpreter's functions define.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, ArrowPrimitiveType, AsArray, Int32Array, ListArray, PrimitiveArray, StructArray,
};
use arrow::buffer::OffsetBuffer;
use arrow::compute::nullif;
use arrow::datatypes::{DataType, Field, Fields, Float32Type, Float64Type, Int32Type, Int64Type};
use datafusion::common::{Result, exec_err, internal_err};
use datafusion::logical_expr::Volatility;
use datafusion::prelude::Expr;
use ostracon_piglatin::logical::ArithmeticOp;
use ostracon_piglatin::types::PigType;
use ostracon_piglatin::value::{CallContext, Value, Warning, WarningKind, arithmetic, cast as cast_value};

use crate::columns::{ColumnBuilder, arrow_type, field_name, packed_datetimes, value_at};
use crate::plan::function::{self, Body};
use crate::plan::interpret::Evaluation;

/// What a kernel does with whole arrays.
#[derive(Debug, Clone)]
enum Kernel {
    /// The named field of a tuple.
    TupleField(String),
    /// `/` or `%` of two columns of one primitive type.
    Divide { op: ArithmeticOp, ty: PigType },
    /// A cast, value by value.
    Cast { from: PigType, to: PigType },
    /// An error for every row whose condition is not true; the condition comes back.
    Assert(String),
    /// True for a share of the rows.
    Sample(f64),
    /// Tuples without a schema, one after the other, as one.
    JoinRows,
    /// An empty bag where there is none.
    EmptyBag,
    /// A bag of tuples without a schema, encoded; empty where it is null.
    EncodeBag,
    /// A tuple of columns.
    Tuple,
    /// Timestamps as datetimes.
    PackDatetime,
    /// A column of a file or table as one of Pig's.
    Import,
    /// A column as it is.
    Same,
}

#[derive(Debug)]
struct KernelBody {
    kernel: Kernel,
    evaluation: Option<Evaluation>,
}

fn call(kernel: Kernel, evaluation: Option<&Evaluation>, arguments: Vec<Expr>) -> Expr {
    let volatility = if evaluation.is_some() { Volatility::Volatile } else { Volatility::Immutable };
    function::call(KernelBody { kernel, evaluation: evaluation.cloned() }, volatility, arguments)
}

/// A field of a tuple; null for a null tuple (N37).
pub(crate) fn tuple_field(tuple: Expr, name: &str) -> Expr {
    call(Kernel::TupleField(name.to_owned()), None, vec![tuple])
}

/// `/` and `%` of one primitive type: null and a warning where the right side is zero (N23).
pub(crate) fn divide(
    op: ArithmeticOp,
    left: Expr,
    right: Expr,
    ty: &PigType,
    evaluation: &Evaluation,
) -> Expr {
    let kernel = Kernel::Divide { op, ty: ty.clone() };
    call(kernel, Some(evaluation), vec![left, right])
}

/// Whether there is a kernel for a cast.
pub(crate) fn has_cast(from: &PigType, to: &PigType) -> bool {
    let simple = |ty: &PigType| !matches!(ty, PigType::Tuple(_) | PigType::Bag { .. } | PigType::Map(_));
    simple(from) && simple(to)
}

/// A cast; null and a warning where the value does not become one of the type.
pub(crate) fn cast(operand: Expr, from: &PigType, to: &PigType, evaluation: &Evaluation) -> Expr {
    call(Kernel::Cast { from: from.clone(), to: to.clone() }, Some(evaluation), vec![operand])
}

/// The condition of an ASSERT: fails where it is false or null (N46).
pub(crate) fn assert(condition: Expr, message: String, evaluation: &Evaluation) -> Expr {
    call(Kernel::Assert(message), Some(evaluation), vec![condition])
}

/// True for about the given share of all rows.
pub(crate) fn sample(share: f64, evaluation: &Evaluation) -> Expr {
    call(Kernel::Sample(share), Some(evaluation), Vec::new())
}

/// Tuples without a schema as one; a null tuple adds nothing.
pub(crate) fn join_rows(rows: Vec<Expr>) -> Expr {
    call(Kernel::JoinRows, None, rows)
}

/// A bag, empty where it is null.
pub(crate) fn empty_bag(bag: Expr) -> Expr {
    call(Kernel::EmptyBag, None, vec![bag])
}

/// A list of tuples without a schema as a bag without one; empty where it is null.
pub(crate) fn encode_bag(list: Expr) -> Expr {
    call(Kernel::EncodeBag, None, vec![list])
}

/// A column as it is, of which plans know nothing: not that a GROUP below made its values unique.
pub(crate) fn same(column: Expr) -> Expr {
    call(Kernel::Same, None, vec![column])
}

/// A column of another Arrow type as one of Pig's.
pub(crate) fn import(column: Expr) -> Expr {
    call(Kernel::Import, None, vec![column])
}

/// Timestamps of milliseconds as datetimes.
pub(crate) fn pack_datetime(timestamp: Expr) -> Expr {
    call(Kernel::PackDatetime, None, vec![timestamp])
}

/// A tuple of `f0`, `f1`, ...
pub(crate) fn tuple(fields: Vec<Expr>) -> Expr {
    call(Kernel::Tuple, None, fields)
}

impl Body for KernelBody {
    fn name(&self) -> &str {
        match &self.kernel {
            Kernel::TupleField(_) => "pig_field",
            Kernel::Divide { op: ArithmeticOp::Modulo, .. } => "pig_modulo",
            Kernel::Divide { .. } => "pig_divide",
            Kernel::Cast { .. } => "pig_cast",
            Kernel::Assert(_) => "pig_assert",
            Kernel::Sample(_) => "pig_sample",
            Kernel::JoinRows => "pig_join_rows",
            Kernel::EmptyBag => "pig_empty_bag",
            Kernel::EncodeBag => "pig_encode_bag",
            Kernel::Tuple => "pig_tuple",
            Kernel::PackDatetime => "pig_datetime",
            Kernel::Import => "pig_import",
            Kernel::Same => "pig_same",
        }
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        Ok(match &self.kernel {
            Kernel::TupleField(name) => match arguments.first() {
                Some(DataType::Struct(fields)) => match fields.iter().find(|field| field.name() == name) {
                    Some(field) => field.data_type().clone(),
                    None => return internal_err!("a tuple has no field {name}"),
                },
                _ => return internal_err!("a tuple was due"),
            },
            Kernel::Divide { ty, .. } => arrow_type(ty),
            Kernel::Cast { to, .. } => arrow_type(to),
            Kernel::Assert(_) | Kernel::Sample(_) => DataType::Boolean,
            Kernel::JoinRows | Kernel::EncodeBag => DataType::Binary,
            Kernel::PackDatetime => DataType::Int64,
            Kernel::Import => match arguments.first().and_then(crate::columns::pig_type) {
                Some(ty) => arrow_type(&ty),
                None => return internal_err!("a column has no type of Pig"),
            },
            Kernel::EmptyBag | Kernel::Same => match arguments.first() {
                Some(argument) => argument.clone(),
                None => return internal_err!("a column was due"),
            },
            Kernel::Tuple => DataType::Struct(struct_fields(arguments)),
        })
    }

    fn invoke(&self, arrays: &[ArrayRef], rows: usize) -> Result<ArrayRef> {
        let mut evaluation = self.evaluation.clone();
        Ok(match (&self.kernel, arrays, &mut evaluation) {
            (Kernel::TupleField(name), [tuple], _) => field_of(tuple, name)?,
            (Kernel::Divide { op, ty }, [left, right], Some(evaluation)) => {
                divide_arrays(*op, ty, left, right, evaluation)?
            }
            (Kernel::Cast { from, to }, [operand], Some(evaluation)) => {
                let mut builder = ColumnBuilder::new(to);
                for row in 0..operand.len() {
                    let value = value_at(operand.as_ref(), from, row)?;
                    builder.push(&cast_value(&value, to, evaluation))?;
                }
                builder.finish()?
            }
            (Kernel::Assert(message), [condition], _) => {
                let held = condition.as_boolean();
                if held.true_count() != held.len() {
                    return exec_err!("{message}");
                }
                Arc::clone(condition)
            }
            (Kernel::Sample(share), _, Some(evaluation)) => {
                let chosen = (0..rows).map(|_| Some(evaluation.random() < *share));
                Arc::new(chosen.collect::<arrow::array::BooleanArray>())
            }
            (Kernel::JoinRows, tuples, _) => joined_rows(tuples, rows)?,
            (Kernel::EmptyBag, [bag], _) => empty_where_null(bag)?,
            (Kernel::Same, [column], _) => Arc::clone(column),
            (Kernel::Import, [column], _) => crate::columns::import(column)?,
            (Kernel::PackDatetime, [timestamps], _) => packed_datetimes(timestamps)?,
            (Kernel::EncodeBag, [list], _) => encoded_bags(list)?,
            (Kernel::Tuple, fields, _) => {
                let types: Vec<DataType> = fields.iter().map(|field| field.data_type().clone()).collect();
                Arc::new(StructArray::try_new(struct_fields(&types), fields.to_vec(), None)?)
            }
            _ => {
                return internal_err!("{} was called with other arguments than it was made for", self.name());
            }
        })
    }
}

fn field_of(tuple: &ArrayRef, name: &str) -> Result<ArrayRef> {
    let Some(tuple) = tuple.as_struct_opt() else { return internal_err!("a tuple was due") };
    let Some(field) = tuple.column_by_name(name) else { return internal_err!("a tuple has no field {name}") };
    match tuple.nulls().filter(|nulls| nulls.null_count() > 0) {
        None => Ok(Arc::clone(field)),
        Some(nulls) => Ok(nullif(field, &arrow::array::BooleanArray::new(!nulls.inner(), None))?),
    }
}

fn struct_fields(types: &[DataType]) -> Fields {
    types.iter().enumerate().map(|(index, ty)| Field::new(field_name(index), ty.clone(), true)).collect()
}

fn joined_rows(rows: &[ArrayRef], count: usize) -> Result<ArrayRef> {
    let ty = PigType::Tuple(None);
    let mut builder = ColumnBuilder::new(&ty);
    for at in 0..count {
        let mut joined = Vec::new();
        for array in rows {
            if let Value::Tuple(fields) = value_at(array.as_ref(), &ty, at)? {
                joined.extend(fields);
            }
        }
        builder.push(&Value::Tuple(joined))?;
    }
    Ok(builder.finish()?)
}

fn encoded_bags(list: &ArrayRef) -> Result<ArrayRef> {
    let Some(list) = list.as_list_opt::<i32>() else { return internal_err!("a bag was due") };
    let tuple = PigType::Tuple(None);
    let mut builder = ColumnBuilder::new(&PigType::Bag { tuple_name: None, fields: None });
    for row in 0..list.len() {
        let mut bag = Vec::new();
        if list.is_valid(row) {
            let items = list.value(row);
            for item in 0..items.len() {
                bag.push(value_at(items.as_ref(), &tuple, item)?);
            }
        }
        builder.push(&Value::Bag(bag))?;
    }
    Ok(builder.finish()?)
}

fn empty_where_null(bag: &ArrayRef) -> Result<ArrayRef> {
    Ok(match bag.as_list_opt::<i32>() {
        // A null list may still have items: they are left out of the new offsets by taking what is valid.
        Some(list) if list.null_count() > 0 => {
            let mut lengths = Vec::with_capacity(list.len());
            let mut kept = Vec::new();
            for (row, range) in list.value_offsets().windows(2).enumerate() {
                let valid = list.is_valid(row);
                lengths.push(if valid { usize::try_from(range[1] - range[0]).unwrap_or(0) } else { 0 });
                if valid {
                    kept.extend(range[0]..range[1]);
                }
            }
            let items = arrow::compute::take(list.values(), &Int32Array::from(kept), None)?;
            let DataType::List(item) = list.data_type() else { return internal_err!("a bag was due") };
            Arc::new(ListArray::try_new(Arc::clone(item), OffsetBuffer::from_lengths(lengths), items, None)?)
        }
        _ => Arc::clone(bag),
    })
}

fn divide_arrays(
    op: ArithmeticOp,
    ty: &PigType,
    left: &ArrayRef,
    right: &ArrayRef,
    evaluation: &mut Evaluation,
) -> Result<ArrayRef> {
    Ok(match ty {
        PigType::Int => {
            Arc::new(quotients::<Int32Type>(left, right, evaluation, |l, r| arithmetic::int(op, l, r)))
        }
        PigType::Long => {
            Arc::new(quotients::<Int64Type>(left, right, evaluation, |l, r| arithmetic::long(op, l, r)))
        }
        PigType::Float => {
            Arc::new(quotients::<Float32Type>(left, right, evaluation, |l, r| arithmetic::float(op, l, r)))
        }
        PigType::Double => {
            Arc::new(quotients::<Float64Type>(left, right, evaluation, |l, r| arithmetic::double(op, l, r)))
        }
        _ => return internal_err!("there is no kernel for this division"),
    })
}

fn quotients<T: ArrowPrimitiveType>(
    left: &ArrayRef,
    right: &ArrayRef,
    evaluation: &mut Evaluation,
    divide: impl Fn(T::Native, T::Native) -> Result<T::Native, arithmetic::Fault>,
) -> PrimitiveArray<T> {
    let (left, right) = (left.as_primitive::<T>(), right.as_primitive::<T>());
    let pairs = left.iter().zip(right).map(|(left, right)| {
        let (left, right) = left.zip(right)?;
        divide(left, right)
            .map_err(|_| {
                let sample = format!("{left:?} was divided by zero");
                evaluation.warn(Warning { kind: WarningKind::DivideByZero, sample });
            })
            .ok()
    });
    pairs.collect()
}
