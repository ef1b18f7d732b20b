use crate::ast::{CubeKind, JoinType, ShellCommand};
use crate::logical::TypedExpression;
use crate::source::Span;
use crate::types::Schema;

/// A relation of a [`LogicalPlan`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub usize);

/// What a script does: relations, each made from earlier ones, and the steps that ask for them, in the script's order.
#[derive(Debug, Default)]
pub struct LogicalPlan {
    /// Relations; inputs stand before what reads them.
    pub nodes: Vec<Node>,
    /// DUMP, STORE and the like.
    pub steps: Vec<Step>,
}

/// A relation.
#[derive(Debug)]
pub struct Node {
    /// How it is made.
    pub operator: LogicalOperator,
    /// Its fields, if they are known (N6).
    pub schema: Option<Schema>,
    /// The alias of the script, for messages and for `A::x`.
    pub alias: Option<String>,
    /// Where it is defined.
    pub span: Span,
}

/// The operators of a typed plan.
#[derive(Debug)]
pub enum LogicalOperator {
    /// Rows of a load function, as that function gives them; AS is a FOREACH over it (N26).
    Load {
        /// What the script says, behind parameters.
        path: String,
        /// The load function and what its constructor is given; `PigStorage` where the script names none.
        function: String,
        /// The constructor's arguments.
        arguments: Vec<String>,
    },
    /// FOREACH, AS, and the casts that UNION and keys need.
    Foreach {
        /// What is read.
        input: NodeId,
        /// Values of the block, evaluated once a row, each over the fields and the bindings before it.
        bindings: Vec<TypedExpression>,
        /// What is made.
        items: Vec<ForeachItem>,
    },
    /// FILTER, and each branch of SPLIT.
    Filter {
        /// What is read.
        input: NodeId,
        /// A boolean.
        condition: TypedExpression,
    },
    /// GROUP and COGROUP: `group`, then a bag of each input's rows.
    Group {
        /// The inputs; their keys have the same types.
        inputs: Vec<GroupBranch>,
        /// ALL: one group, whose key is the chararray `all`.
        all: bool,
        /// Whether the key is a tuple of the keys; else it is the one key.
        tuple_key: bool,
    },
    /// JOIN: the fields of all inputs.
    Join {
        /// The inputs; their keys have the same types. Null keys meet nothing.
        inputs: Vec<(NodeId, Vec<TypedExpression>)>,
        /// Other than inner only with two inputs.
        join_type: JoinType,
        /// `replicated`, `merge` and so on.
        hint: Option<String>,
    },
    /// CROSS.
    Cross(Vec<NodeId>),
    /// UNION: inputs have the schema of this node, or none has one.
    Union(Vec<NodeId>),
    /// DISTINCT.
    Distinct(NodeId),
    /// LIMIT: a long, constant or of scalars.
    Limit {
        /// What is read.
        input: NodeId,
        /// How many rows.
        count: TypedExpression,
    },
    /// SAMPLE: a double, constant or of scalars.
    Sample {
        /// What is read.
        input: NodeId,
        /// 0 to 1.
        share: TypedExpression,
    },
    /// ORDER.
    Order {
        /// What is read.
        input: NodeId,
        /// One or more keys.
        keys: Vec<SortKey>,
    },
    /// RANK: a long before the fields.
    Rank {
        /// What is read.
        input: NodeId,
        /// Without, rows are numbered.
        keys: Vec<SortKey>,
        /// No gaps.
        dense: bool,
    },
    /// CUBE: `group`, a tuple of all dimensions or the only one, then a bag `cube` of rows: dimensions first, then the other fields.
    Cube {
        /// What is read: a FOREACH whose first fields are the dimensions, in order.
        input: NodeId,
        /// Kind and number of fields of each dimension.
        dimensions: Vec<(CubeKind, usize)>,
    },
    /// ASSERT: the input, checked.
    Assert {
        /// What is read.
        input: NodeId,
        /// A boolean; null is a violation.
        condition: TypedExpression,
        /// What is said.
        message: Option<String>,
    },
    /// STREAM: rows of the program, as it prints them; AS is a FOREACH over it.
    Stream {
        /// What is read.
        input: NodeId,
        /// The program.
        command: crate::ast::CommandSpec,
    },
}

/// One input of a GROUP.
#[derive(Debug)]
pub struct GroupBranch {
    /// What is read.
    pub input: NodeId,
    /// Empty for ALL.
    pub keys: Vec<TypedExpression>,
    /// Groups without a row of this input fall out.
    pub inner: bool,
}

/// A key of ORDER or RANK.
#[derive(Debug)]
pub struct SortKey {
    /// The key.
    pub expression: TypedExpression,
    /// DESC. Null is the smallest value either way (N41).
    pub descending: bool,
}

/// An item of FOREACH.
#[derive(Debug, Clone)]
pub struct ForeachItem {
    /// The value.
    pub expression: TypedExpression,
    /// How it becomes fields; without, it is one field.
    pub flatten: Option<Flatten>,
}

/// FLATTEN of an item (N27, N43).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flatten {
    /// How many fields each row gets: shorter tuples are filled with nulls, longer ones cut. Without, as many as each
    /// tuple has; the schema of the node is unknown then.
    pub width: Option<usize>,
}

/// One thing to do.
#[derive(Debug)]
pub struct Step {
    /// What.
    pub kind: StepKind,
    /// Where.
    pub span: Span,
}

/// The things to do.
#[derive(Debug)]
pub enum StepKind {
    /// DUMP.
    Dump(NodeId),
    /// STORE.
    Store {
        /// What is written.
        input: NodeId,
        /// Where to.
        path: String,
        /// The store function; `PigStorage` where the script names none.
        function: String,
        /// The constructor's arguments.
        arguments: Vec<String>,
    },
    /// DESCRIBE: the text is known beforehand.
    Describe(String),
    /// EXPLAIN.
    Explain {
        /// What is explained.
        input: NodeId,
        /// `-brief`.
        brief: bool,
    },
    /// ILLUSTRATE.
    Illustrate(NodeId),
    /// SET.
    Set {
        /// In lower case.
        key: String,
        /// As written.
        value: String,
    },
    /// A command of the shell, `EXEC;` among them.
    Shell(ShellCommand),
}
