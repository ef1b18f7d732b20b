//! Random filters: boolean trees over the comparisons that DataFusion hands to a table.

use arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::ScalarValue;
use datafusion::functions::expr_fn::{date_trunc, starts_with};
use datafusion::logical_expr::expr::{InList, Like};
use datafusion::logical_expr::{Between, BinaryExpr, Case, Expr, Operator, cast, col, lit};

use super::{Random, Sample, nullable, value};

const COMPARISONS: [Operator; 8] = [
    Operator::Eq,
    Operator::NotEq,
    Operator::Lt,
    Operator::LtEq,
    Operator::Gt,
    Operator::GtEq,
    Operator::IsDistinctFrom,
    Operator::IsNotDistinctFrom,
];

/// A filter on the columns of a sample, of up to `depth` levels of AND, OR and so on.
pub(crate) fn filter(random: &mut Random, sample: &Sample, depth: usize) -> Expr {
    if depth == 0 || random.one_in(4) {
        return atom(random, sample);
    }
    let sub = |random: &mut Random| filter(random, sample, depth - 1);
    match random.below(12) {
        0..=3 => (0..1 + random.below(3)).fold(sub(random), |all, _| all.and(sub(random))),
        4..=7 => (0..1 + random.below(3)).fold(sub(random), |any, _| any.or(sub(random))),
        8 => Expr::Not(Box::new(sub(random))),
        9 => {
            let inner = Box::new(sub(random));
            match random.below(8) {
                0 => Expr::IsTrue(inner),
                1 => Expr::IsFalse(inner),
                2 => Expr::IsUnknown(inner),
                3 => Expr::IsNotTrue(inner),
                4 => Expr::IsNotFalse(inner),
                5 => Expr::IsNotUnknown(inner),
                6 => Expr::IsNull(inner),
                _ => Expr::IsNotNull(inner),
            }
        }
        10 => Expr::Case(Case {
            expr: None,
            when_then_expr: (0..1 + random.below(2))
                .map(|_| (Box::new(sub(random)), Box::new(sub(random))))
                .collect(),
            else_expr: random.one_in(2).then(|| Box::new(sub(random))),
        }),
        _ => Expr::Not(Box::new(Expr::Not(Box::new(sub(random))))),
    }
}

fn compare(left: Expr, op: Operator, right: Expr) -> Expr {
    Expr::BinaryExpr(BinaryExpr { left: Box::new(left), op, right: Box::new(right) })
}

/// A constant of a type; text and bytes come in all their variants.
fn constant(random: &mut Random, data_type: &DataType, n: usize) -> Expr {
    lit(nullable(random, data_type, n))
}

fn atom(random: &mut Random, sample: &Sample) -> Expr {
    let nested = sample.nested_columns();
    if !nested.is_empty() && random.one_in(6) {
        let column = Box::new(col(*random.pick(&nested)));
        return if random.one_in(2) { Expr::IsNull(column) } else { Expr::IsNotNull(column) };
    }
    let comparables = sample.comparables();
    let (subject, data_type) = random.pick(&comparables).clone();
    match random.below(20) {
        0..=6 => {
            let (op, constant) = (*random.pick(&COMPARISONS), constant(random, &data_type, 12));
            if random.one_in(4) { compare(constant, op, subject) } else { compare(subject, op, constant) }
        }
        7 | 8 => casted(random, subject, &data_type),
        9 | 10 => Expr::InList(InList {
            expr: Box::new(subject),
            list: (0..random.below(6)).map(|_| constant(random, &data_type, 8)).collect(),
            negated: random.one_in(3),
        }),
        11 | 12 => Expr::Between(Between {
            expr: Box::new(subject),
            negated: random.one_in(3),
            low: Box::new(constant(random, &data_type, 10)),
            high: Box::new(constant(random, &data_type, 10)),
        }),
        13 => Expr::IsNull(Box::new(subject)),
        14 => Expr::IsNotNull(Box::new(subject)),
        15 => match comparables.iter().filter(|(_, other)| *other == data_type).nth(random.below(3)) {
            Some((other, _)) => compare(subject, *random.pick(&COMPARISONS), other.clone()),
            None => compare(subject.clone(), Operator::Eq, subject),
        },
        16 => lit(ScalarValue::Boolean([Some(true), Some(false), None][random.below(3)])),
        17 => opaque(random, subject, &data_type),
        _ => by_type(random, sample, subject, &data_type),
    }
}

/// `CAST(subject AS wider) op constant`, also as a list.
fn casted(random: &mut Random, subject: Expr, data_type: &DataType) -> Expr {
    let wider: Vec<DataType> = match data_type {
        DataType::Int8 | DataType::Int16 | DataType::UInt8 | DataType::UInt16 => {
            vec![
                DataType::Int32,
                DataType::Int64,
                DataType::Float32,
                DataType::Float64,
                DataType::Decimal128(20, 0),
            ]
        }
        DataType::Int32 | DataType::UInt32 => {
            vec![DataType::Int64, DataType::Float32, DataType::Float64, DataType::Decimal128(30, 15)]
        }
        DataType::Int64 | DataType::UInt64 => vec![DataType::Float64, DataType::Decimal128(20, 0)],
        DataType::Float32 => vec![DataType::Float64],
        DataType::Decimal128(..) => vec![DataType::Decimal128(38, 6), DataType::Float64],
        DataType::Timestamp(_, None) => vec![DataType::Date32, DataType::Timestamp(TimeUnit::Second, None)],
        DataType::Date32 => vec![DataType::Timestamp(TimeUnit::Nanosecond, None), DataType::Int32],
        DataType::Utf8 => vec![DataType::Int64, DataType::LargeUtf8, DataType::Utf8View],
        _ => vec![data_type.clone()],
    };
    let wider = random.pick(&wider).clone();
    // A value of some number type, taken to the wider one: beside, on and beyond the bounds of the column's own.
    let constant = |random: &mut Random| {
        let from = match &wider {
            DataType::Float32 | DataType::Float64 | DataType::Decimal128(..) => {
                random.pick(&[DataType::Int32, DataType::Int64, DataType::UInt64, DataType::Float64]).clone()
            }
            DataType::LargeUtf8 | DataType::Utf8View => DataType::Utf8,
            DataType::Timestamp(unit, _) => DataType::Timestamp(*unit, None),
            other => other.clone(),
        };
        let value = value(random, &from);
        lit(value.cast_to(&wider).unwrap_or_else(|_| ScalarValue::try_from(&wider).expect("NULL")))
    };
    let subject = cast(subject, wider.clone());
    if random.one_in(4) {
        let list = (0..1 + random.below(4)).map(|_| constant(random)).collect();
        return Expr::InList(InList { expr: Box::new(subject), list, negated: random.one_in(3) });
    }
    compare(subject, *random.pick(&COMPARISONS), constant(random))
}

/// What only DataFusion can evaluate.
fn opaque(random: &mut Random, subject: Expr, data_type: &DataType) -> Expr {
    let text = cast(subject, DataType::Utf8);
    let op = *random.pick(&[Operator::Eq, Operator::Lt, Operator::GtEq]);
    let length = datafusion::functions::expr_fn::octet_length(text);
    let _ = data_type;
    compare(length, op, lit(random.below(6) as i32))
}

const PATTERNS: [&str; 16] = [
    "%", "", "a", "a%", "ab%", "%b", "a_", "_", "foo\\_%", "foo_%", "%o%", "a\\%", "A%", "é%", "x\\%%", "a%c",
];

/// Comparisons that only some types have.
fn by_type(random: &mut Random, sample: &Sample, subject: Expr, data_type: &DataType) -> Expr {
    match data_type {
        DataType::Boolean => subject,
        DataType::Utf8 if random.one_in(4) => {
            starts_with(subject, lit(*random.pick(&["", "a", "foo_", "a\0", "x%", "é"])))
        }
        DataType::Utf8 => Expr::Like(Like {
            negated: random.one_in(3),
            expr: Box::new(subject),
            pattern: Box::new(lit(*random.pick(&PATTERNS))),
            escape_char: None,
            case_insensitive: random.one_in(4),
        }),
        DataType::Timestamp(_, None) => {
            let unit = *random.pick(&["day", "hour", "minute", "second", "millisecond", "month"]);
            let constant = constant(random, data_type, 12);
            let constant = if random.one_in(2) { date_trunc(lit(unit), constant) } else { constant };
            compare(date_trunc(lit(unit), subject), *random.pick(&COMPARISONS), constant)
        }
        _ => match sample.definition.columns.iter().find(|column| column.data_type == DataType::Boolean) {
            Some(column) => datafusion::logical_expr::col(&column.name),
            None => compare(subject, Operator::Eq, constant(random, data_type, 12)),
        },
    }
}
