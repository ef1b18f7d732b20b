use std::sync::Arc;

use crate::logical::NodeId;
use crate::source::Span;
use crate::types::PigType;
use crate::value::{EvalFunc, Value};

/// An expression with the type of its value.
///
/// Operands have the types their operator wants: casts stand where the script left them out (N20).
#[derive(Debug, Clone)]
pub struct TypedExpression {
    /// What it is.
    pub kind: TypedKind,
    /// The type of its value.
    pub ty: PigType,
    /// Where in the script: the operator or name that errors point at.
    pub span: Span,
}

/// `+ - * / %`: both operands and the result have one numeric type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are their names")]
pub enum ArithmeticOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

/// Comparisons: both operands have one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are their names")]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// What a [`TypedExpression`] is.
///
/// *Scopes.* An expression of an operator reads fields of its input: depth 0. Inside a bag operator (`BagFilter` and
/// the like) depth 0 is the tuple of that bag, and depth 1 what stands around it.
#[derive(Debug, Clone)]
pub enum TypedKind {
    /// A value known beforehand.
    Constant(Value),
    /// A field of a tuple or relation whose schema is known.
    Field {
        /// How many scopes out.
        depth: usize,
        /// Counted from 0.
        index: usize,
    },
    /// A field of a row whose schema is not known: null where the row is shorter. Its type is dynamic.
    DynamicField {
        /// How many scopes out.
        depth: usize,
        /// Counted from 0.
        index: usize,
    },
    /// All fields of a row whose schema is not known, from the given one on, as a tuple.
    Row {
        /// How many scopes out.
        depth: usize,
        /// The first field.
        from: usize,
        /// The last field; without, as many as there are.
        to: Option<usize>,
    },
    /// A value of the block's list of bindings ([`crate::logical::LogicalOperator::Foreach`]).
    Binding {
        /// How many scopes out, counted as for fields; bindings belong to the outermost scope.
        index: usize,
    },
    /// A field of a tuple: of null, null; where a tuple without schema is shorter, null.
    TupleField {
        /// The tuple.
        tuple: Box<TypedExpression>,
        /// Counted from 0.
        index: usize,
    },
    /// `t.(a, b)`: a tuple of some of a tuple's fields.
    TupleProject {
        /// The tuple.
        tuple: Box<TypedExpression>,
        /// Counted from 0.
        indices: Vec<usize>,
    },
    /// `b.x`, `b.(x, y)`: a bag of some fields of a bag's tuples.
    BagProject {
        /// The bag.
        bag: Box<TypedExpression>,
        /// Counted from 0.
        indices: Vec<usize>,
    },
    /// `m#'k'`: null where there is none.
    MapLookup {
        /// The map.
        map: Box<TypedExpression>,
        /// The key.
        key: String,
    },
    /// To the type of this expression. What cannot be cast gives null and a warning.
    Cast(Box<TypedExpression>),
    /// Both of the type of this expression.
    Arithmetic {
        /// Which.
        op: ArithmeticOp,
        /// The left operand.
        left: Box<TypedExpression>,
        /// The right operand.
        right: Box<TypedExpression>,
    },
    /// `-x`.
    Negate(Box<TypedExpression>),
    /// Both of one type; null if one is null.
    Compare {
        /// Which.
        op: Comparison,
        /// The left operand.
        left: Box<TypedExpression>,
        /// The right operand.
        right: Box<TypedExpression>,
    },
    /// Whether the whole value matches (N33). The value is a chararray or bytes, or a value that carries its type.
    Matches {
        /// What is tested.
        value: Box<TypedExpression>,
        /// The pattern, a chararray.
        pattern: Box<TypedExpression>,
    },
    /// Kleene's AND (N38).
    And(Box<TypedExpression>, Box<TypedExpression>),
    /// Kleene's OR.
    Or(Box<TypedExpression>, Box<TypedExpression>),
    /// Kleene's NOT.
    Not(Box<TypedExpression>),
    /// `IS NULL`.
    IsNull(Box<TypedExpression>),
    /// Null if the condition is (N39). CASE is a chain of these; both results have the type of this expression.
    Bincond {
        /// The condition.
        condition: Box<TypedExpression>,
        /// When true.
        then: Box<TypedExpression>,
        /// When false.
        otherwise: Box<TypedExpression>,
    },
    /// A function, its arguments cast to what it takes.
    Call {
        /// The function.
        function: Arc<dyn EvalFunc>,
        /// What is passed.
        arguments: Vec<TypedExpression>,
    },
    /// `(a, b)`.
    Tuple(Vec<TypedExpression>),
    /// `{a, b}`: each item is a tuple.
    Bag(Vec<TypedExpression>),
    /// `['k'#v]`: keys are chararrays; values of the map's value type.
    Map(Vec<(TypedExpression, TypedExpression)>),
    /// A field of the only row of a relation; null if that has none, an error if it has more than one.
    Scalar {
        /// The relation.
        relation: NodeId,
        /// Counted from 0.
        index: usize,
    },
    /// Nested FILTER.
    BagFilter {
        /// The bag.
        bag: Box<TypedExpression>,
        /// Over its tuples.
        condition: Box<TypedExpression>,
    },
    /// Nested ORDER.
    BagOrder {
        /// The bag.
        bag: Box<TypedExpression>,
        /// Keys over its tuples, and whether descending.
        keys: Vec<(TypedExpression, bool)>,
    },
    /// Nested DISTINCT.
    BagDistinct(Box<TypedExpression>),
    /// Nested LIMIT.
    BagLimit {
        /// The bag.
        bag: Box<TypedExpression>,
        /// A long, in the scope around the bag.
        count: Box<TypedExpression>,
    },
    /// Nested CROSS.
    BagCross(Vec<TypedExpression>),
    /// Nested FOREACH.
    BagForeach {
        /// The bag.
        bag: Box<TypedExpression>,
        /// Over its tuples.
        items: Vec<crate::logical::ForeachItem>,
    },
}

/// A call over a bag that an engine may compute without making the bag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "Pig's names")]
pub enum Aggregated {
    Count,
    CountStar,
    Sum,
    Avg,
    Min,
    Max,
}
