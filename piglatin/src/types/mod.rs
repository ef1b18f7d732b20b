//! Pig's types: what a field can be, and what the operators make of it (N1 to N35).

mod cast;
mod lookup;
mod merge;
mod operators;
mod schema;
mod spec;
#[cfg(test)]
mod tests;
mod text;

pub use cast::{cast_result, check_cast};
pub use lookup::NameProblem;
pub use merge::{merge_keys, merge_schemas, merge_union};
pub use operators::{Chosen, TypeProblem, binary, either, join_unknown, larger, negated, operator_sign};
pub use schema::{Field, Schema};
pub use text::{describe, describe_type, type_name};

/// The type of an expression.
///
/// Two types are equal if their names for people are: names of inner fields count. [`PigType::same_shape`] leaves them
/// out.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "Pig's names")]
pub enum PigType {
    Boolean,
    Int,
    Long,
    Float,
    Double,
    Datetime,
    /// On the surface `bytearray`: a value whose type is not known (N5).
    Bytearray(Unknown),
    Chararray,
    BigInteger,
    BigDecimal,
    /// Fields, if they are known.
    Tuple(Option<Schema>),
    /// Tuples.
    Bag {
        /// The name of the tuple, which only `DESCRIBE` shows.
        tuple_name: Option<String>,
        /// The fields of the tuples, if they are known.
        fields: Option<Schema>,
    },
    /// Keys are texts. `map[]` is a map of [`Unknown::Dynamic`].
    Map(Box<PigType>),
}

/// What is known of a `bytearray` before the run. Both print as `bytearray`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unknown {
    /// Bytes as a load function read them; the caster of that function turns them into a value, without a look at each
    /// value's type (N11).
    Raw(Caster),
    /// A value that carries its own type: what came out of an untyped map or tuple, or a mixture (N7, N8).
    Dynamic,
}

/// Who turns bytes into values (Pig's `LoadCaster`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Caster {
    /// Text in UTF-8: PigStorage, TextLoader and most others.
    Utf8,
    /// Nobody: the load function has no caster, so a cast is an error (N9).
    None,
}

impl PigType {
    /// A value that carries its own type.
    pub const DYNAMIC: Self = Self::Bytearray(Unknown::Dynamic);
    /// Bytes of a text file.
    pub const RAW: Self = Self::Bytearray(Unknown::Raw(Caster::Utf8));

    /// A bag of tuples with these fields.
    #[must_use]
    pub fn bag(fields: Schema) -> Self {
        Self::Bag { tuple_name: None, fields: Some(fields) }
    }

    /// `map[]`.
    #[must_use]
    pub fn untyped_map() -> Self {
        Self::Map(Box::new(Self::DYNAMIC))
    }
}
