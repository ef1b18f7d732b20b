//! The tree of a script: what was written, with a [`Span`] on every node, parameters and macros already put in.

mod expression;
mod operator;
mod schema;
mod statement;

pub use expression::{BinaryOp, CaseBranch, Column, Constant, Expression, ExpressionKind, UnaryOp};
pub use operator::{
    CommandSpec, CubeDimension, CubeKind, DeclaredSchema, FunctionSpec, GenerateItem, GroupInput, GroupKeys,
    ItemNames, JoinInput, JoinType, NestedOperator, NestedStatement, Operator, OperatorKind, OrderKey,
    RankKeys, Relation, StreamCommand, StreamHandle,
};
pub use schema::{FieldSpec, ScalarType, SchemaSpec, TypeKind, TypeSpec};
pub use statement::{
    ExplainTarget, FunctionDefinition, Otherwise, Script, ShellCommand, SplitBranch, Statement, StatementKind,
};

use crate::source::Span;

/// A word of the script: the name of a relation, a field or a function, with `::` in it where it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// As written.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// A quoted text, escapes resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// What stands between the quotes.
    pub text: String,
    /// Where, quotes included.
    pub span: Span,
}
