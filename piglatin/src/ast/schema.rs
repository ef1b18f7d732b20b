use crate::ast::Name;
use crate::source::Span;

/// The types without parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "Pig's names")]
pub enum ScalarType {
    Boolean,
    Int,
    Long,
    Float,
    Double,
    Datetime,
    Bytearray,
    Chararray,
    BigInteger,
    BigDecimal,
}

/// A type as written in a cast, a schema or a typed definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeSpec {
    /// What was written.
    pub kind: TypeKind,
    /// Where.
    pub span: Span,
}

/// What a [`TypeSpec`] says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypeKind {
    /// A type without parts.
    Scalar(ScalarType),
    /// `tuple(a:int, b)`, `(a:int, b)`; `tuple()` and a bare `tuple` say nothing about the fields.
    Tuple(Option<SchemaSpec>),
    /// `bag{t:tuple(a:int)}`, `bag{(a:int)}`, `{t:(a:int)}`; `bag{}` and a bare `bag` say nothing about the tuples.
    Bag {
        /// `t` above.
        tuple_name: Option<Name>,
        /// The fields of the tuple. Without: `bag{}`, or a bag of `tuple()`.
        fields: Option<SchemaSpec>,
    },
    /// `map[int]`, `[int]`, `map[v:int]`; `map[]` and a bare `map` say nothing about the values.
    Map(Option<Box<TypeSpec>>),
}

/// Fields between parentheses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaSpec {
    /// The fields in order. Empty is not written as such: `()` is `None` in the places above.
    pub fields: Vec<FieldSpec>,
    /// Where, parentheses included.
    pub span: Span,
}

/// One field of a schema: `a`, `a:int`, or only `int` inside a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldSpec {
    /// Its name, if it has one.
    pub name: Option<Name>,
    /// Its type; without, the type is not known (N5).
    pub ty: Option<TypeSpec>,
    /// Where.
    pub span: Span,
}
