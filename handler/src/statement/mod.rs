//! The statement parser in front of DataFusion's.
//!
//! A script is cut into [`ScriptStatement`]s; [`parse_statement`] makes a [`Statement`] of each: the table and catalog
//! statements that DataFusion's grammar lacks (Hive's `STORED BY`, `TBLPROPERTIES`, `COPY ... FROM`, a `LOCATION` that
//! may be left out, property keys kept as written), and for all else [`Statement::Engine`], DataFusion's own syntax
//! tree. Column types are read by [`data_type`], which knows Hive's names as well as SQL's.
//!
//! Nothing here knows which tables exist, and nothing is executed.

mod columns;
mod copy;
mod create_table;
mod cursor;
pub mod data_type;
mod numbered;
mod parser;
mod position;
mod script;
mod show;
mod type_name;

pub use copy::{CopyFrom, CopySource, CopyTo};
pub use create_table::{ColumnSpec, CreateTable, KeyColumn, StoredAs};
pub use cursor::quote_identifier;
pub use numbered::Numbered;
pub use parser::{parse_statement, parse_statement_in};
pub use position::Position;
pub use script::{ScriptStatement, is_complete, parse_script};
pub use show::Show;
pub use type_name::sql_type_name;

use crate::definition::ColumnChange;
use datafusion::common::TableReference;
use datafusion::sql::parser::Statement as EngineStatement;

/// One parsed statement.
#[derive(Debug, Clone)]
pub enum Statement {
    /// `CREATE [EXTERNAL] TABLE`, in any of its forms.
    CreateTable(Box<CreateTable>),
    /// `CREATE [OR REPLACE] VIEW`: DataFusion's tree, kept apart because the catalog remembers it.
    CreateView(Box<CreateView>),
    /// `DROP TABLE` or `DROP VIEW`.
    Drop(Drop),
    /// `ALTER TABLE t SET TBLPROPERTIES` and `UNSET TBLPROPERTIES`.
    AlterProperties(AlterProperties),
    /// `ALTER TABLE t ADD`, `DROP` and `RENAME COLUMN`.
    AlterColumns(AlterColumns),
    /// `SHOW` and `DESCRIBE` of what the catalog knows.
    Show(Show),
    /// `COPY ... TO 'file'` in a text format.
    CopyTo(Box<CopyTo>),
    /// `COPY t FROM 'file'`.
    CopyFrom(Box<CopyFrom>),
    /// `PREPARE name AS ...`.
    Prepare(Box<Prepare>),
    /// A statement that is understood and not offered.
    Unsupported {
        /// What was asked for, as in `BEGIN`.
        what: String,
        /// What to do instead.
        hint: String,
    },
    /// Everything that DataFusion parses by itself.
    Engine(Box<EngineStatement>),
}

/// A view to be made.
#[derive(Debug, Clone)]
pub struct CreateView {
    /// The view's name.
    pub name: TableReference,
    /// Whether a view of that name gives way.
    pub or_replace: bool,
    /// Whether an existing view of that name is no error.
    pub if_not_exists: bool,
    /// The query, as SQL text.
    pub query: String,
    /// The names of the columns, where the statement lists them.
    pub columns: Vec<String>,
}

/// A statement that gets a name, to be run by EXECUTE.
#[derive(Debug, Clone)]
pub struct Prepare {
    /// The name.
    pub name: String,
    /// The whole statement, PREPARE included, with its parameters numbered.
    pub numbered: Numbered,
    /// The same, as DataFusion's parser reads it.
    pub statement: EngineStatement,
}

/// What `DROP` takes away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drop {
    /// Whether it says `VIEW` and not `TABLE`.
    pub view: bool,
    /// Whether an absent one is no error.
    pub if_exists: bool,
    /// The names, each with its place.
    pub names: Vec<(TableReference, Position)>,
}

/// One property as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Property {
    /// The key, letters kept as they are.
    pub key: String,
    /// The value; numbers and booleans are their text.
    pub value: String,
    /// Where the key stands.
    pub position: Position,
}

/// Properties that a table gets or loses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlterProperties {
    /// The table.
    pub table: TableReference,
    /// Where its name stands.
    pub position: Position,
    /// Whether a view or an absent table is no error.
    pub if_exists: bool,
    /// Properties to set.
    pub set: Vec<Property>,
    /// Keys to take away.
    pub unset: Vec<String>,
}

/// A column that a table gets or loses, or that gets another name.
#[derive(Debug, Clone, PartialEq)]
pub struct AlterColumns {
    /// The table.
    pub table: TableReference,
    /// Where its name stands.
    pub position: Position,
    /// Whether an absent table is no error.
    pub if_exists: bool,
    /// What changes.
    pub change: ColumnChange,
    /// Where the column stands.
    pub column: Position,
    /// Whether a column that is there already (ADD IF NOT EXISTS) or is not there (DROP IF EXISTS) is no error.
    pub lenient: bool,
}
