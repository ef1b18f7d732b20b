use ostracon_piglatin::types::Schema;
use ostracon_piglatin::types::{PigType, Unknown};
use ostracon_piglatin::value::Value;

/// Whether a value is of a type; null is of every type.
pub(crate) fn is_of(value: &Value, ty: &PigType) -> bool {
    let row = |values: &[Value], fields: &Option<Schema>| match fields {
        None => true,
        Some(schema) => {
            values.len() == schema.fields.len()
                && values.iter().zip(&schema.fields).all(|(value, field)| is_of(value, &field.ty))
        }
    };
    match (value, ty) {
        (Value::Null, _)
        | (Value::Boolean(_), PigType::Boolean)
        | (Value::Int(_), PigType::Int)
        | (Value::Long(_), PigType::Long)
        | (Value::Float(_), PigType::Float)
        | (Value::Double(_), PigType::Double)
        | (Value::Datetime(_), PigType::Datetime)
        | (Value::Chararray(_), PigType::Chararray)
        | (Value::BigInteger(_), PigType::BigInteger)
        | (Value::BigDecimal(_), PigType::BigDecimal)
        | (Value::Bytearray(_), PigType::Bytearray(_)) => true,
        (_, PigType::Bytearray(unknown)) => {
            matches!(unknown, Unknown::Dynamic)
        }
        (Value::Tuple(values), PigType::Tuple(fields)) => row(values, fields),
        (Value::Bag(items), PigType::Bag { fields, .. }) => items.iter().all(|item| match item {
            Value::Null => true,
            Value::Tuple(values) => row(values, fields),
            _ => false,
        }),
        (Value::Map(entries), PigType::Map(of)) => entries.values().all(|entry| is_of(entry, of)),
        _ => false,
    }
}
