use crate::ast::{ScalarType, SchemaSpec, TypeKind, TypeSpec};
use crate::types::{Field, PigType, Schema, Unknown};

impl PigType {
    /// The type that was written. Parts without a type are `unknown`: bytes of a loader, or values that carry their type.
    #[must_use]
    pub fn from_spec(spec: &TypeSpec, unknown: Unknown) -> Self {
        match &spec.kind {
            TypeKind::Scalar(scalar) => match scalar {
                ScalarType::Boolean => Self::Boolean,
                ScalarType::Int => Self::Int,
                ScalarType::Long => Self::Long,
                ScalarType::Float => Self::Float,
                ScalarType::Double => Self::Double,
                ScalarType::Datetime => Self::Datetime,
                ScalarType::Bytearray => Self::Bytearray(unknown),
                ScalarType::Chararray => Self::Chararray,
                ScalarType::BigInteger => Self::BigInteger,
                ScalarType::BigDecimal => Self::BigDecimal,
            },
            TypeKind::Tuple(fields) => Self::Tuple(fields.as_ref().map(|f| Schema::from_spec(f, unknown))),
            TypeKind::Bag { tuple_name, fields } => Self::Bag {
                tuple_name: tuple_name.as_ref().map(|name| name.text.clone()),
                fields: fields.as_ref().map(|f| Schema::from_spec(f, unknown)),
            },
            // Values of an untyped map carry their type, wherever the map comes from.
            TypeKind::Map(None) => Self::untyped_map(),
            TypeKind::Map(Some(value)) => match Self::from_spec(value, unknown) {
                Self::Bytearray(_) => Self::untyped_map(),
                value => Self::Map(Box::new(value)),
            },
        }
    }
}

impl Schema {
    /// The fields that were written.
    #[must_use]
    pub fn from_spec(spec: &SchemaSpec, unknown: Unknown) -> Self {
        let fields = spec.fields.iter().map(|field| Field {
            name: field.name.as_ref().map(|name| name.text.clone()),
            ty: field.ty.as_ref().map_or(PigType::Bytearray(unknown), |ty| PigType::from_spec(ty, unknown)),
        });
        Self::new(fields.collect())
    }
}
