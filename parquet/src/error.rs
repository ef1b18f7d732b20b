use std::fmt;

/// Why a file cannot be read as what is asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {reason}")]
pub struct ClipError {
    /// The column, and the way down to the field: `s.a`, `l.element`, `m.value`.
    pub path: String,
    /// What is wrong there.
    pub reason: Reason,
}

/// What is wrong with a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// Several fields of the file have the name, but for case.
    Ambiguous(Vec<String>),
    /// Several fields of the file have the id.
    AmbiguousId(i32, Vec<String>),
    /// The file has something of another kind.
    OtherKind {
        /// What the file has: `a struct`, `INT32`.
        found: String,
        /// What is asked for.
        wanted: String,
    },
    /// The file's own type breaks the rules of the format.
    Malformed(String),
    /// The footer's parts do not fit each other.
    Footer(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ambiguous(names) => write!(
                f,
                "found duplicate fields in case-insensitive mode: [{}]; match names by case, or name one by its field id",
                names.join(", ")
            ),
            Self::AmbiguousId(id, names) => {
                write!(f, "found duplicate fields with id {id}: [{}]", names.join(", "))
            }
            Self::OtherKind { found, wanted } => {
                write!(f, "the file has {found}, which cannot be read as {wanted}")
            }
            Self::Malformed(what) => write!(f, "the file's type is not one of Parquet's: {what}"),
            Self::Footer(what) => f.write_str(what),
        }
    }
}

impl ClipError {
    pub(crate) fn new(path: &[String], reason: Reason) -> Self {
        Self { path: path.join("."), reason }
    }
}
