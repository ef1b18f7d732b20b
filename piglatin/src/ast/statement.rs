use crate::ast::{CommandSpec, Expression, FunctionSpec, Name, Operator, Relation, Text, TypeSpec};
use crate::source::Span;

/// A script: imports read, macros expanded, parameters put in.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Script {
    /// In order.
    pub statements: Vec<Statement>,
}

/// A statement with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// Which.
    pub kind: StatementKind,
    /// Where, without the `;`.
    pub span: Span,
}

/// The statements.
#[derive(Debug, Clone, PartialEq)]
pub enum StatementKind {
    /// `A = FILTER ...;`, `=> FILTER ...;`.
    Assign {
        /// The name of the relation; without, only `@` can name it.
        alias: Option<Name>,
        /// What it is.
        operator: Operator,
    },
    /// `SPLIT r INTO a IF c, b IF d, e OTHERWISE;`
    Split {
        /// What is read.
        input: Relation,
        /// IF.
        branches: Vec<SplitBranch>,
        /// OTHERWISE.
        otherwise: Option<Otherwise>,
    },
    /// `ASSERT r BY c, 'message';` also as `B = ASSERT r ...`.
    Assert {
        /// The name of the checked relation, if it has one.
        alias: Option<Name>,
        /// What is read.
        input: Relation,
        /// What must hold for every row.
        condition: Expression,
        /// What is said when it does not.
        message: Option<Text>,
    },
    /// `STORE r INTO 'p' USING f();`
    Store {
        /// What is written.
        input: Relation,
        /// Where to.
        path: Text,
        /// USING.
        function: Option<FunctionSpec>,
    },
    /// `DUMP r;`
    Dump(Relation),
    /// `DESCRIBE r;`, `DESCRIBE r::nested;` (the name holds the `::`), `DESCRIBE;` (what was made last).
    Describe(Option<Name>),
    /// `EXPLAIN -brief r;`
    Explain(ExplainTarget),
    /// `ILLUSTRATE r;`
    Illustrate(Option<Relation>),
    /// DEFINE of a function.
    Define(FunctionDefinition),
    /// DEFINE of a command.
    DefineCommand {
        /// The name.
        alias: Name,
        /// The command.
        command: CommandSpec,
    },
    /// `REGISTER 'x.jar' USING l AS n;`
    Register {
        /// The file.
        path: Text,
        /// USING.
        language: Option<Name>,
        /// AS.
        namespace: Option<Name>,
    },
    /// `SET k v;`; `SET;` shows all settings.
    Set(Option<(Text, Text)>),
    /// A command of the grunt shell.
    Shell(ShellCommand),
    /// What Pig has and Ostracon refuses by name (NATIVE, MAPREDUCE).
    Refused {
        /// Its name.
        what: &'static str,
    },
}

/// `a IF c`.
#[derive(Debug, Clone, PartialEq)]
pub struct SplitBranch {
    /// The relation.
    pub alias: Name,
    /// Its condition.
    pub condition: Expression,
}

/// `e OTHERWISE`, `e OTHERWISE ALL`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Otherwise {
    /// The relation.
    pub alias: Name,
    /// Rows whose conditions are null too.
    pub all: bool,
}

/// EXPLAIN.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExplainTarget {
    /// `r`.
    pub relation: Option<Relation>,
    /// `-script f`.
    pub script: Option<Text>,
    /// `-out d`.
    pub out: Option<Text>,
    /// `-brief`.
    pub brief: bool,
    /// `-dot`.
    pub dot: bool,
    /// `-param k=v`, in order.
    pub parameters: Vec<Text>,
}

/// `DEFINE f FUNC('ctor') (int, chararray) RETURNS long;` (N34).
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionDefinition {
    /// The new name.
    pub alias: Name,
    /// The function and what its constructor is given.
    pub function: FunctionSpec,
    /// Argument types and result, if declared.
    pub signature: Option<(Vec<TypeSpec>, TypeSpec)>,
}

/// `ls /x`, `fs -cat y`, `EXEC;`, `run x.pig` and so on, split at blanks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellCommand {
    /// In lower case: `fs`, `sh`, `ls`, `cat`, `cd`, `pwd`, `cp`, `mv`, `rm`, `rmf`, `mkdir`, `exec`, `run`, `clear`, ...
    pub command: Name,
    /// The words behind it.
    pub arguments: Vec<Text>,
}
