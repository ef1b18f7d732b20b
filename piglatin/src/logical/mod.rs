//! The typed plan of a script: what is left to do when every name is resolved and every operator has its types.

mod expression;
mod inputs;
mod operator;
mod walk;

pub use expression::{Aggregated, ArithmeticOp, Comparison, TypedExpression, TypedKind};
pub use operator::{
    Flatten, ForeachItem, GroupBranch, LogicalOperator, LogicalPlan, Node, NodeId, SortKey, Step, StepKind,
};
pub use walk::{for_each_child, for_each_child_mut, walk};
