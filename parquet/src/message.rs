//! [`Message`]: a message type as text, in the form that every Parquet tool reads.

use std::fmt;

use parquet::basic::{ConvertedType, LogicalType, Repetition, TimeUnit, Type as PhysicalType};
use parquet::schema::types::{BasicTypeInfo, Type};

use crate::shape::{children, repetition};

/// Prints a message type, a field a line: `optional group s (LIST) = 7 { ... }`.
#[derive(Debug)]
pub struct Message<'t>(pub &'t Type);

impl fmt::Display for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "message {} {{", self.0.name())?;
        children(self.0).iter().try_for_each(|field| write_field(f, field, 1))?;
        writeln!(f, "}}")
    }
}

fn write_field(f: &mut fmt::Formatter<'_>, field: &Type, depth: usize) -> fmt::Result {
    let repetition = match repetition(field) {
        Repetition::REQUIRED => "required",
        Repetition::OPTIONAL => "optional",
        Repetition::REPEATED => "repeated",
    };
    let info = field.get_basic_info();
    write!(f, "{:indent$}{repetition} ", "", indent = depth * 2)?;
    match field {
        Type::PrimitiveType { physical_type, type_length, precision, scale, .. } => {
            write!(f, "{}", physical(*physical_type))?;
            if *physical_type == PhysicalType::FIXED_LEN_BYTE_ARRAY {
                write!(f, "({type_length})")?;
            }
            write!(f, " {}", field.name())?;
            write_annotation(f, info, *precision, *scale)?;
            write_id(f, info)?;
            writeln!(f, ";")
        }
        Type::GroupType { fields, .. } => {
            write!(f, "group {}", field.name())?;
            write_annotation(f, info, 0, 0)?;
            write_id(f, info)?;
            writeln!(f, " {{")?;
            fields.iter().try_for_each(|field| write_field(f, field, depth + 1))?;
            writeln!(f, "{:indent$}}}", "", indent = depth * 2)
        }
    }
}

fn write_id(f: &mut fmt::Formatter<'_>, info: &BasicTypeInfo) -> fmt::Result {
    match info.has_id() {
        true => write!(f, " = {}", info.id()),
        false => Ok(()),
    }
}

fn physical(ty: PhysicalType) -> &'static str {
    match ty {
        PhysicalType::BOOLEAN => "boolean",
        PhysicalType::INT32 => "int32",
        PhysicalType::INT64 => "int64",
        PhysicalType::INT96 => "int96",
        PhysicalType::FLOAT => "float",
        PhysicalType::DOUBLE => "double",
        PhysicalType::BYTE_ARRAY => "binary",
        PhysicalType::FIXED_LEN_BYTE_ARRAY => "fixed_len_byte_array",
    }
}

fn write_annotation(
    f: &mut fmt::Formatter<'_>,
    info: &BasicTypeInfo,
    precision: i32,
    scale: i32,
) -> fmt::Result {
    let unit = |unit: &TimeUnit| match unit {
        TimeUnit::MILLIS => "MILLIS",
        TimeUnit::MICROS => "MICROS",
        TimeUnit::NANOS => "NANOS",
    };
    match (info.logical_type_ref(), info.converted_type()) {
        (Some(LogicalType::String), _) => f.write_str(" (STRING)"),
        (Some(LogicalType::Map), _) => f.write_str(" (MAP)"),
        (Some(LogicalType::List), _) => f.write_str(" (LIST)"),
        (Some(LogicalType::Date), _) => f.write_str(" (DATE)"),
        (Some(LogicalType::Decimal(of)), _) => write!(f, " (DECIMAL({},{}))", of.precision, of.scale),
        (Some(LogicalType::Integer(of)), _) => write!(f, " (INTEGER({},{}))", of.bit_width, of.is_signed),
        (Some(LogicalType::Time(of)), _) => {
            write!(f, " (TIME({},{}))", unit(&of.unit), of.is_adjusted_to_u_t_c)
        }
        (Some(LogicalType::Timestamp(of)), _) => {
            write!(f, " (TIMESTAMP({},{}))", unit(&of.unit), of.is_adjusted_to_u_t_c)
        }
        (None, ConvertedType::NONE) => Ok(()),
        (None, ConvertedType::DECIMAL) => write!(f, " (DECIMAL({precision},{scale}))"),
        (None, converted) => write!(f, " ({converted})"),
        (Some(other), _) => {
            let name = format!("{other:?}");
            let word = name.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
            write!(f, " ({})", word.to_uppercase())
        }
    }
}
