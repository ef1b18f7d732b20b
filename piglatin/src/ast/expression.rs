use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::BigInt;

use crate::ast::{Name, Text, TypeSpec};
use crate::source::Span;

/// An expression with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    /// What it is.
    pub kind: ExpressionKind,
    /// Where, first to last character.
    pub span: Span,
}

/// A column of a relation or a field of a tuple.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Column {
    /// `a`, `A::a`.
    Name(Name),
    /// `$3`.
    Position {
        /// Counted from 0.
        index: usize,
        /// Where.
        span: Span,
    },
}

/// A literal (N3). An integer without suffix that does not fit an int is refused by the parser.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "Pig's names")]
pub enum Constant {
    Null,
    Boolean(bool),
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    BigInteger(BigInt),
    BigDecimal(BigDecimal),
    Chararray(String),
}

/// What an [`Expression`] is.
#[derive(Debug, Clone, PartialEq)]
pub enum ExpressionKind {
    /// A literal. A minus before a number is part of the literal only where the number alone would not fit.
    Constant(Constant),
    /// `a`, `A::a`, `$1`.
    Column(Column),
    /// `*`.
    Star,
    /// `a..c`, `..c`, `$1..`.
    Range {
        /// The first column; without, the first there is.
        from: Option<Column>,
        /// The last column; without, the last there is.
        to: Option<Column>,
    },
    /// `t.f`, `t.$0`, `b.(x, y)`, and `C.total` of a relation with one row.
    Dereference {
        /// What stands before the dot.
        base: Box<Expression>,
        /// What stands behind it.
        fields: Vec<Column>,
        /// Whether the fields stand in parentheses.
        parenthesised: bool,
    },
    /// `m#'k'`.
    MapLookup {
        /// The map.
        base: Box<Expression>,
        /// The key.
        key: Text,
    },
    /// `f(a, b)`; arguments may be [`ExpressionKind::Star`] and [`ExpressionKind::Range`].
    Call {
        /// The function, `a.b.C` with dots where it was written so.
        function: Name,
        /// What is passed.
        arguments: Vec<Expression>,
    },
    /// `(int)x`.
    Cast {
        /// The type.
        to: TypeSpec,
        /// What is cast.
        operand: Box<Expression>,
    },
    /// `-x`, `NOT x`.
    Unary {
        /// Which.
        op: UnaryOp,
        /// Where the sign or word stands.
        op_span: Span,
        /// What it works on.
        operand: Box<Expression>,
    },
    /// `a + b`, `a MATCHES b`, `a AND b` and so on.
    Binary {
        /// Which; the old string operators (`eq`, `lt`, ...) are the same as `==`, `<`, ...
        op: BinaryOp,
        /// Where the sign or word stands.
        op_span: Span,
        /// The left side.
        left: Box<Expression>,
        /// The right side.
        right: Box<Expression>,
    },
    /// `x IS NULL`, `x IS NOT NULL`.
    IsNull {
        /// What is tested.
        operand: Box<Expression>,
        /// With NOT.
        negated: bool,
    },
    /// `x IN (a, b)`.
    In {
        /// What is looked for.
        operand: Box<Expression>,
        /// In what.
        list: Vec<Expression>,
    },
    /// `(c ? a : b)`.
    Bincond {
        /// The condition.
        condition: Box<Expression>,
        /// When true.
        then: Box<Expression>,
        /// When false.
        otherwise: Box<Expression>,
    },
    /// `CASE x WHEN 1 THEN 'a' ELSE 'b' END`, `CASE WHEN c THEN r END`.
    Case {
        /// `x` of the first form.
        operand: Option<Box<Expression>>,
        /// WHEN and THEN, at least one.
        branches: Vec<CaseBranch>,
        /// ELSE.
        otherwise: Option<Box<Expression>>,
    },
    /// `(a, b)`, `()`. `(a)` is only `a`.
    Tuple(Vec<Expression>),
    /// `{a, b}`, `{}`.
    Bag(Vec<Expression>),
    /// `['k'#v, 'l'#w]`, `[]`.
    Map(Vec<(Expression, Expression)>),
    /// `FLATTEN(x)`; the parser allows it only as an item of GENERATE.
    Flatten(Box<Expression>),
}

/// WHEN and THEN.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseBranch {
    /// A condition, or a value to compare the operand with.
    pub when: Expression,
    /// The result.
    pub then: Expression,
}

/// Operators before one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are their names")]
pub enum UnaryOp {
    Negate,
    Not,
}

/// Operators between two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are their names")]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Matches,
    And,
    Or,
}
