//! The tables of operators: which types they take, and what the operands become first (N20, N21).

use crate::ast::BinaryOp;
use crate::types::text::told_apart;
use crate::types::{Field, PigType, Schema, Unknown, type_name};

/// What an operator makes of two types: what both operands are cast to, and the type of the result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// Both operands become this.
    pub operand: PigType,
    /// The result.
    pub result: PigType,
}

/// Types that do not go together; the caller adds the place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TypeProblem {
    /// What, with the names of the types.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

impl TypeProblem {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// The sign of an operator.
#[must_use]
pub fn operator_sign(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Subtract => "-",
        BinaryOp::Multiply => "*",
        BinaryOp::Divide => "/",
        BinaryOp::Modulo => "%",
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::Less => "<",
        BinaryOp::LessOrEqual => "<=",
        BinaryOp::Greater => ">",
        BinaryOp::GreaterOrEqual => ">=",
        BinaryOp::Matches => "MATCHES",
        BinaryOp::And => "AND",
        BinaryOp::Or => "OR",
    }
}

impl PigType {
    /// The place in int < long < float < double < biginteger < bigdecimal.
    fn rank(&self) -> Option<usize> {
        Some(match self {
            Self::Int => 0,
            Self::Long => 1,
            Self::Float => 2,
            Self::Double => 3,
            Self::BigInteger => 4,
            Self::BigDecimal => 5,
            _ => return None,
        })
    }

    /// Whether this is a number.
    #[must_use]
    pub fn is_numeric(&self) -> bool {
        self.rank().is_some()
    }

    /// Whether the value's type is not known before the run.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Bytearray(_))
    }

    /// Whether this is a tuple, bag or map.
    #[must_use]
    pub fn is_complex(&self) -> bool {
        matches!(self, Self::Tuple(_) | Self::Bag { .. } | Self::Map(_))
    }

    /// Whether both are one type, whatever their fields are called.
    #[must_use]
    pub fn same_shape(&self, other: &Self) -> bool {
        let same = |left: &Option<Schema>, right: &Option<Schema>| match (left, right) {
            (None, None) => true,
            (Some(left), Some(right)) => {
                left.fields.len() == right.fields.len()
                    && left.fields.iter().zip(&right.fields).all(|(l, r)| l.ty.same_shape(&r.ty))
            }
            _ => false,
        };
        match (self, other) {
            (Self::Tuple(left), Self::Tuple(right)) => same(left, right),
            (Self::Bag { fields: left, .. }, Self::Bag { fields: right, .. }) => same(left, right),
            (Self::Map(left), Self::Map(right)) => left.same_shape(right),
            _ => self == other,
        }
    }
}

/// The larger of two numbers' types; double and biginteger meet in bigdecimal, where neither loses anything.
#[must_use]
pub fn larger(left: &PigType, right: &PigType) -> Option<PigType> {
    use PigType::{BigDecimal, BigInteger, Double, Float};
    match (left, right) {
        (Float | Double, BigInteger) | (BigInteger, Float | Double) => Some(BigDecimal),
        _ => Some(if left.rank()? >= right.rank()? { left.clone() } else { right.clone() }),
    }
}

/// The types of both sides of a value that may come from either: raw bytes of one caster stay so, others carry a type.
#[must_use]
pub fn join_unknown(left: Unknown, right: Unknown) -> Unknown {
    if left == right { left } else { Unknown::Dynamic }
}

/// What a binary operator makes of two types.
///
/// # Errors
/// An empty cell of its table.
pub fn binary(op: BinaryOp, left: &PigType, right: &PigType) -> Result<Chosen, TypeProblem> {
    match op {
        BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide => {
            arithmetic(op, left, right)
        }
        BinaryOp::Modulo => modulo(left, right),
        BinaryOp::Equal | BinaryOp::NotEqual => equality(op, left, right),
        BinaryOp::Less | BinaryOp::LessOrEqual | BinaryOp::Greater | BinaryOp::GreaterOrEqual => {
            ordering(op, left, right)
        }
        BinaryOp::Matches => matches(left, right),
        BinaryOp::And | BinaryOp::Or => match (left, right) {
            (PigType::Boolean, PigType::Boolean) => {
                Ok(Chosen { operand: PigType::Boolean, result: PigType::Boolean })
            }
            _ => Err(empty(op, left, right)),
        },
    }
}

fn empty(op: BinaryOp, left: &PigType, right: &PigType) -> TypeProblem {
    let (sign, left, right) = (operator_sign(op), type_name(left), type_name(right));
    TypeProblem::new(format!("{sign} does not take {left} and {right}"))
}

fn arithmetic(op: BinaryOp, left: &PigType, right: &PigType) -> Result<Chosen, TypeProblem> {
    let operand = match (left.is_unknown(), right.is_unknown()) {
        (true, true) => Some(PigType::Double),
        (true, false) => right.is_numeric().then(|| right.clone()),
        (false, true) => left.is_numeric().then(|| left.clone()),
        (false, false) => larger(left, right),
    };
    match operand {
        Some(operand) => Ok(Chosen { result: operand.clone(), operand }),
        None => Err(match op {
            BinaryOp::Add if *left == PigType::Chararray && *right == PigType::Chararray => {
                empty(op, left, right).help("CONCAT joins texts")
            }
            _ if left.is_complex() || right.is_complex() => {
                empty(op, left, right).help("compute it for each tuple in a FOREACH before")
            }
            _ => empty(op, left, right).help("cast one of them"),
        }),
    }
}

fn modulo(left: &PigType, right: &PigType) -> Result<Chosen, TypeProblem> {
    let whole = |ty: &PigType| matches!(ty, PigType::Int | PigType::Long | PigType::BigInteger);
    let operand = match (left.is_unknown(), right.is_unknown()) {
        (true, false) => whole(right).then(|| right.clone()),
        (false, true) => whole(left).then(|| left.clone()),
        _ => (whole(left) && whole(right)).then(|| larger(left, right)).flatten(),
    };
    let Some(operand) = operand else {
        let problem = empty(BinaryOp::Modulo, left, right);
        return Err(problem.help("both sides must be int, long or biginteger"));
    };
    Ok(Chosen { result: operand.clone(), operand })
}

fn equality(op: BinaryOp, left: &PigType, right: &PigType) -> Result<Chosen, TypeProblem> {
    use PigType::{Boolean, Chararray, Datetime, Map, Tuple};
    let comparable =
        |ty: &PigType| ty.is_numeric() || matches!(ty, Chararray | Boolean | Datetime | Tuple(_) | Map(_));
    let operand = match (left, right) {
        (PigType::Bytearray(l), PigType::Bytearray(r)) => Some(PigType::Bytearray(join_unknown(*l, *r))),
        (PigType::Bytearray(_), other) | (other, PigType::Bytearray(_)) => {
            comparable(other).then(|| other.clone())
        }
        (Tuple(_), Tuple(_)) | (Map(_), Map(_)) => Some(compared(left, right)),
        (Chararray, Chararray) | (Boolean, Boolean) | (Datetime, Datetime) => Some(left.clone()),
        _ => larger(left, right),
    };
    operand.map(|operand| Chosen { operand, result: Boolean }).ok_or_else(|| empty(op, left, right))
}

/// The type in which `==` compares tuples and maps: parts become one type where the table has one for them. Where it
/// has none, or the widths differ, the values are compared as they are, with their own types.
fn compared(left: &PigType, right: &PigType) -> PigType {
    use PigType::{Bag, Map, Tuple};
    match (left, right) {
        _ if left.same_shape(right) => left.clone(),
        (Tuple(Some(l)), Tuple(Some(r))) if l.fields.len() == r.fields.len() => {
            let parts = l.fields.iter().zip(&r.fields).map(|(l, r)| match (&l.ty, &r.ty) {
                (lt, rt) if lt.same_shape(rt) => Some(Field::unnamed(lt.clone())),
                (Bag { .. }, _) | (_, Bag { .. }) => None,
                (lt, rt) => equality(BinaryOp::Equal, lt, rt).ok().map(|part| Field::unnamed(part.operand)),
            });
            Tuple(parts.collect::<Option<Vec<_>>>().map(Schema::new))
        }
        (Map(l), Map(r)) => Map(Box::new(larger(l, r).unwrap_or(PigType::DYNAMIC))),
        _ => Tuple(None),
    }
}

fn ordering(op: BinaryOp, left: &PigType, right: &PigType) -> Result<Chosen, TypeProblem> {
    use PigType::{Boolean, Chararray, Datetime};
    let comparable = |ty: &PigType| ty.is_numeric() || matches!(ty, Chararray | Datetime);
    let operand = match (left, right) {
        (PigType::Bytearray(l), PigType::Bytearray(r)) => Some(PigType::Bytearray(join_unknown(*l, *r))),
        (PigType::Bytearray(_), other) | (other, PigType::Bytearray(_)) => {
            comparable(other).then(|| other.clone())
        }
        (Chararray, Chararray) | (Datetime, Datetime) => Some(left.clone()),
        _ => larger(left, right),
    };
    operand.map(|operand| Chosen { operand, result: Boolean }).ok_or_else(|| empty(op, left, right))
}

/// The pattern is a chararray; what is matched keeps its type, bytes above all (N33).
fn matches(left: &PigType, right: &PigType) -> Result<Chosen, TypeProblem> {
    let text = |ty: &PigType| matches!(ty, PigType::Chararray | PigType::Bytearray(_));
    match text(left) && text(right) {
        true => Ok(Chosen { operand: left.clone(), result: PigType::Boolean }),
        false => Err(empty(BinaryOp::Matches, left, right).help("cast the value to chararray")),
    }
}

/// The type of `-x`: that of a number; an unknown value becomes a double.
///
/// # Errors
/// For any other type.
pub fn negated(ty: &PigType) -> Result<PigType, TypeProblem> {
    match ty {
        PigType::Bytearray(_) => Ok(PigType::Double),
        ty if ty.is_numeric() => Ok(ty.clone()),
        ty => Err(TypeProblem::new(format!("- does not take {}", type_name(ty)))),
    }
}

/// The type of a value that is one of two: of a bincond, of CASE.
///
/// # Errors
/// If they have nothing in common.
pub fn either(left: &PigType, right: &PigType) -> Result<PigType, TypeProblem> {
    use PigType::{Chararray, Datetime};
    let problem = || {
        let (left, right) = told_apart(left, right);
        TypeProblem::new(format!("the results are of type {left} and {right}")).help("cast one of them")
    };
    match (left, right) {
        (PigType::Bytearray(l), PigType::Bytearray(r)) => Ok(PigType::Bytearray(join_unknown(*l, *r))),
        (PigType::Bytearray(_), other) | (other, PigType::Bytearray(_)) => {
            let simple = other.is_numeric() || matches!(other, Chararray | Datetime | PigType::Boolean);
            if simple { Ok(other.clone()) } else { Err(problem()) }
        }
        _ if left.same_shape(right) => Ok(left.clone()),
        (PigType::Tuple(None), PigType::Tuple(_)) | (PigType::Tuple(_), PigType::Tuple(None)) => {
            Ok(PigType::Tuple(None))
        }
        (PigType::Bag { fields: None, .. }, PigType::Bag { .. }) => Ok(left.clone()),
        (PigType::Bag { .. }, PigType::Bag { fields: None, .. }) => Ok(right.clone()),
        (PigType::Map(l), PigType::Map(r)) if l.is_unknown() || r.is_unknown() => Ok(PigType::untyped_map()),
        _ => larger(left, right).ok_or_else(problem),
    }
}
