//! [`RequestedSchema`]: the columns that are asked for.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Fields};
use parquet::arrow::PARQUET_FIELD_ID_META_KEY;

/// The key of an Arrow field's metadata that holds its field id.
pub const FIELD_ID: &str = PARQUET_FIELD_ID_META_KEY;

/// Columns in the order asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RequestedSchema {
    /// The columns.
    pub fields: Vec<RequestedField>,
}

/// A column, or a field of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestedField {
    /// Its name; for an element, key or value it has no meaning.
    pub name: String,
    /// The field id by which it is found; then its name does not matter.
    pub id: Option<i32>,
    /// Whether it may be null. It shows only in fields that the file lacks: reading enforces nothing.
    pub nullable: bool,
    /// What it holds.
    pub ty: RequestedType,
}

/// What is wanted of a column or field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestedType {
    /// One value of this type, whatever primitive type the file has for it.
    Primitive(DataType),
    /// Fields, in this order.
    Struct(Vec<RequestedField>),
    /// A list of elements.
    List(Box<RequestedField>),
    /// A map of key and value.
    Map(Box<RequestedField>, Box<RequestedField>),
    /// Whatever the file has, whole.
    Whole,
}

impl RequestedSchema {
    /// The columns of an Arrow schema; field ids are metadata under [`FIELD_ID`].
    #[must_use]
    pub fn from_arrow(fields: &Fields) -> Self {
        Self { fields: fields.iter().map(|field| RequestedField::from_arrow(field)).collect() }
    }

    /// The columns as Arrow fields. What was asked for as [`RequestedType::Whole`] is of type Null.
    #[must_use]
    pub fn to_arrow(&self) -> Fields {
        self.fields.iter().map(RequestedField::to_arrow).collect()
    }
}

impl RequestedField {
    /// A column that may be null, found by its name.
    #[must_use]
    pub fn new(name: impl Into<String>, ty: RequestedType) -> Self {
        Self { name: name.into(), id: None, nullable: true, ty }
    }

    fn from_arrow(field: &Field) -> Self {
        let id = field.metadata().get(FIELD_ID).and_then(|id| id.parse().ok());
        Self {
            name: field.name().clone(),
            id,
            nullable: field.is_nullable(),
            ty: RequestedType::from_arrow(field.data_type()),
        }
    }

    fn to_arrow(&self) -> Field {
        let field = Field::new(&self.name, self.ty.to_arrow(), self.nullable);
        match self.id {
            Some(id) => field.with_metadata([(FIELD_ID.to_owned(), id.to_string())].into()),
            None => field,
        }
    }
}

impl RequestedType {
    fn from_arrow(ty: &DataType) -> Self {
        match ty {
            DataType::Struct(fields) => {
                Self::Struct(fields.iter().map(|field| RequestedField::from_arrow(field)).collect())
            }
            DataType::List(item)
            | DataType::LargeList(item)
            | DataType::ListView(item)
            | DataType::LargeListView(item)
            | DataType::FixedSizeList(item, _) => Self::List(Box::new(RequestedField::from_arrow(item))),
            DataType::Map(entries, _) => match entries.data_type() {
                DataType::Struct(fields) => match fields.as_ref() {
                    [key, value] => Self::Map(
                        Box::new(RequestedField::from_arrow(key)),
                        Box::new(RequestedField::from_arrow(value)),
                    ),
                    _ => Self::Whole,
                },
                _ => Self::Whole,
            },
            DataType::Null => Self::Whole,
            other => Self::Primitive(other.clone()),
        }
    }

    fn to_arrow(&self) -> DataType {
        match self {
            Self::Primitive(ty) => ty.clone(),
            Self::Struct(fields) => DataType::Struct(fields.iter().map(RequestedField::to_arrow).collect()),
            Self::List(element) => DataType::List(Arc::new(element.to_arrow().with_name("element"))),
            Self::Map(key, value) => {
                let entries = vec![
                    key.to_arrow().with_name("key").with_nullable(false),
                    value.to_arrow().with_name("value"),
                ];
                let entries = Field::new("key_value", DataType::Struct(entries.into()), false);
                DataType::Map(Arc::new(entries), false)
            }
            Self::Whole => DataType::Null,
        }
    }

    /// What it is, for errors.
    pub(crate) fn kind(&self) -> String {
        match self {
            Self::Primitive(ty) => ty.to_string(),
            Self::Struct(_) => "a struct".to_owned(),
            Self::List(_) => "a list".to_owned(),
            Self::Map(..) => "a map".to_owned(),
            Self::Whole => "it is".to_owned(),
        }
    }
}
