use crate::types::PigType;

/// The fields of a relation or a tuple, in order (N2).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Schema {
    /// In order. Names need not be unique: a join's are told apart by their prefix.
    pub fields: Vec<Field>,
}

/// One field.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Field {
    /// Its name, with `::` in it behind a join; fields of expressions have none.
    pub name: Option<String>,
    /// Its type.
    pub ty: PigType,
}

impl Schema {
    /// Fields in order.
    #[must_use]
    pub fn new(fields: Vec<Field>) -> Self {
        Self { fields }
    }

    /// The types of the fields, in order.
    #[must_use]
    pub fn types(&self) -> Vec<PigType> {
        self.fields.iter().map(|field| field.ty.clone()).collect()
    }
}

impl Field {
    /// A field with a name.
    pub fn named(name: impl Into<String>, ty: PigType) -> Self {
        Self { name: Some(name.into()), ty }
    }

    /// A field without a name.
    #[must_use]
    pub fn unnamed(ty: PigType) -> Self {
        Self { name: None, ty }
    }
}
