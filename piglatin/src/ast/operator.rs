use crate::ast::{Expression, FieldSpec, Name, SchemaSpec, Text};
use crate::source::Span;

/// What an operator reads.
#[derive(Debug, Clone, PartialEq)]
pub enum Relation {
    /// `A`.
    Alias(Name),
    /// `@`: what the statement before made.
    Previous(Span),
    /// `(FILTER A BY x > 1)`.
    Inline(Box<Operator>),
}

/// A relational operator with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Operator {
    /// Which.
    pub kind: OperatorKind,
    /// Where, from the operator's word to the end.
    pub span: Span,
}

/// `org.x.F('a', 'b')`, or only `F`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionSpec {
    /// The function.
    pub name: Name,
    /// What its constructor is given.
    pub arguments: Vec<Text>,
    /// Where.
    pub span: Span,
}

/// `AS (a:int, b)` of LOAD and STREAM, `AS a:int` too.
pub type DeclaredSchema = SchemaSpec;

/// The relational operators.
#[derive(Debug, Clone, PartialEq)]
pub enum OperatorKind {
    /// `B = A;`, and `A` in parentheses.
    Relation(Relation),
    /// `LOAD 'p' USING f() AS (...)`.
    Load {
        /// The path, or a list of paths with commas.
        path: Text,
        /// USING.
        function: Option<FunctionSpec>,
        /// AS.
        schema: Option<DeclaredSchema>,
    },
    /// `FOREACH r GENERATE ...`, `FOREACH r { ... }`.
    Foreach {
        /// What is read.
        input: Relation,
        /// The statements of the block before its GENERATE.
        block: Vec<NestedStatement>,
        /// GENERATE.
        items: Vec<GenerateItem>,
    },
    /// `FILTER r BY c`.
    Filter {
        /// What is read.
        input: Relation,
        /// What is kept.
        condition: Expression,
    },
    /// `GROUP a BY k`, `COGROUP a BY k, b BY l`.
    Group {
        /// One or more inputs.
        inputs: Vec<GroupInput>,
        /// USING 'collected' or 'merge': a hint.
        hint: Option<Text>,
        /// PARALLEL: a hint.
        parallel: Option<u32>,
    },
    /// `JOIN a BY k, b BY l`.
    Join {
        /// Two or more inputs.
        inputs: Vec<JoinInput>,
        /// Inner, or which side keeps its rows (of two inputs).
        join_type: JoinType,
        /// USING 'replicated' and so on: a hint.
        hint: Option<Text>,
        /// PARALLEL: a hint.
        parallel: Option<u32>,
    },
    /// `CROSS a, b`.
    Cross(Vec<Relation>),
    /// `UNION a, b`, `UNION ONSCHEMA a, b`.
    Union {
        /// Two or more inputs.
        inputs: Vec<Relation>,
        /// Columns are matched by name.
        on_schema: bool,
    },
    /// `DISTINCT r`.
    Distinct(Relation),
    /// `LIMIT r n`.
    Limit {
        /// What is read.
        input: Relation,
        /// How many rows: a constant or an expression of scalars.
        count: Expression,
    },
    /// `SAMPLE r p`.
    Sample {
        /// What is read.
        input: Relation,
        /// The share of rows, 0 to 1: a constant or an expression of scalars.
        share: Expression,
    },
    /// `ORDER r BY k DESC, l`.
    Order {
        /// What is read.
        input: Relation,
        /// One or more keys.
        keys: Vec<OrderKey>,
        /// USING: a comparator, which is refused by name.
        comparator: Option<FunctionSpec>,
    },
    /// `RANK r`, `RANK r BY k DENSE`.
    Rank {
        /// What is read.
        input: Relation,
        /// BY.
        keys: Option<RankKeys>,
    },
    /// `CUBE r BY CUBE(a, b), ROLLUP(c)`.
    Cube {
        /// What is read.
        input: Relation,
        /// BY.
        dimensions: Vec<CubeDimension>,
    },
    /// `STREAM r THROUGH c AS (...)`.
    Stream {
        /// What is read.
        input: Relation,
        /// The program.
        command: StreamCommand,
        /// AS.
        schema: Option<DeclaredSchema>,
    },
}

/// One item of GENERATE.
#[derive(Debug, Clone, PartialEq)]
pub struct GenerateItem {
    /// The value; [`crate::ast::ExpressionKind::Flatten`] at the top for FLATTEN.
    pub expression: Expression,
    /// AS.
    pub names: Option<ItemNames>,
    /// Where, AS included.
    pub span: Span,
}

/// AS of one item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemNames {
    /// `AS a`, `AS a:int`.
    Field(FieldSpec),
    /// `AS (a, b:int)`.
    List(SchemaSpec),
}

/// One input of GROUP or COGROUP.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupInput {
    /// What is read.
    pub relation: Relation,
    /// BY, ALL or ANY.
    pub keys: GroupKeys,
    /// INNER: rows without a match fall out.
    pub inner: bool,
}

/// What a group is made by.
#[derive(Debug, Clone, PartialEq)]
pub enum GroupKeys {
    /// `BY a`, `BY (a, b)`, `BY *`, `BY a..c`.
    By(Vec<Expression>),
    /// ALL: one group.
    All(Span),
    /// ANY: any split into groups will do; here as ALL.
    Any(Span),
}

/// One input of JOIN.
#[derive(Debug, Clone, PartialEq)]
pub struct JoinInput {
    /// What is read.
    pub relation: Relation,
    /// BY.
    pub keys: Vec<Expression>,
}

/// Whose rows a join keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are their names")]
pub enum JoinType {
    Inner,
    Left,
    Right,
    Full,
}

/// One key of ORDER.
#[derive(Debug, Clone, PartialEq)]
pub struct OrderKey {
    /// A column, a range, `*`; an expression too, where Pig takes only columns.
    pub expression: Expression,
    /// DESC.
    pub descending: bool,
}

/// BY of RANK.
#[derive(Debug, Clone, PartialEq)]
pub struct RankKeys {
    /// One or more keys.
    pub keys: Vec<OrderKey>,
    /// DENSE: no gaps after equal rows.
    pub dense: bool,
}

/// One CUBE or ROLLUP of a CUBE statement.
#[derive(Debug, Clone, PartialEq)]
pub struct CubeDimension {
    /// Which.
    pub kind: CubeKind,
    /// The columns.
    pub expressions: Vec<Expression>,
    /// Where.
    pub span: Span,
}

/// How a dimension's columns are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CubeKind {
    /// Every subset.
    Cube,
    /// Every prefix.
    Rollup,
}

/// What STREAM runs.
#[derive(Debug, Clone, PartialEq)]
pub enum StreamCommand {
    /// Between backticks.
    Inline(Text),
    /// A command of DEFINE.
    Defined(Name),
}

/// A command of DEFINE.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandSpec {
    /// Between backticks.
    pub command: Text,
    /// INPUT, at most one.
    pub input: Vec<StreamHandle>,
    /// OUTPUT, at most one.
    pub output: Vec<StreamHandle>,
    /// SHIP: paths; the program runs on this machine, so they only must exist.
    pub ship: Vec<Text>,
    /// CACHE: paths.
    pub cache: Vec<Text>,
    /// STDERR.
    pub stderr: Option<Text>,
}

/// `stdin USING PigStreaming(',')`, `'file' USING f`.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamHandle {
    /// `stdin`, `stdout`, or a file.
    pub handle: Text,
    /// USING.
    pub function: Option<FunctionSpec>,
}

/// A statement of a nested block before GENERATE.
#[derive(Debug, Clone, PartialEq)]
pub struct NestedStatement {
    /// What is defined.
    pub alias: Name,
    /// As what.
    pub operator: NestedOperator,
    /// Where.
    pub span: Span,
}

/// The operators of a nested block. Inputs are expressions that give a bag: an alias of the block, a field, `A.x`.
#[derive(Debug, Clone, PartialEq)]
pub enum NestedOperator {
    /// `x = A.f`, `x = a + b`.
    Expression(Expression),
    /// FILTER.
    Filter {
        /// A bag.
        input: Expression,
        /// What is kept.
        condition: Expression,
    },
    /// ORDER.
    Order {
        /// A bag.
        input: Expression,
        /// One or more keys.
        keys: Vec<OrderKey>,
    },
    /// DISTINCT.
    Distinct {
        /// A bag.
        input: Expression,
    },
    /// LIMIT.
    Limit {
        /// A bag.
        input: Expression,
        /// How many tuples.
        count: Expression,
    },
    /// CROSS.
    Cross {
        /// Two or more bags.
        inputs: Vec<Expression>,
    },
    /// `FOREACH b GENERATE ...`.
    Foreach {
        /// A bag.
        input: Expression,
        /// GENERATE.
        items: Vec<GenerateItem>,
    },
}
