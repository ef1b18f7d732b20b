//! The plainest column of nested values: what the encoding of nested cells is tested and fuzzed with.

use std::ops::Range;

use ostracon_compare::{BadValue, NestedSink, NestedType, NestedValues, Scalar, ScalarRef};

/// Values of one type; those of structs, lists and maps lie in the parts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NestedColumn {
    /// By position: NULL, a plain value, or where its parts are.
    values: Vec<Value>,
    parts: Vec<NestedColumn>,
    is_struct: bool,
}

#[derive(Debug, Clone, PartialEq)]
enum Value {
    Null,
    Plain(Scalar),
    Parts(Range<usize>),
}

impl NestedColumn {
    /// A column without values.
    pub(crate) fn new(ty: &NestedType) -> Self {
        let parts = match ty {
            NestedType::Plain(_) => Vec::new(),
            NestedType::Struct(parts) => parts.iter().map(Self::new).collect(),
            NestedType::List(item) => vec![Self::new(item)],
            NestedType::Map(key, value) => vec![Self::new(&NestedType::Plain(*key)), Self::new(value)],
        };
        Self { values: Vec::new(), parts, is_struct: matches!(ty, NestedType::Struct(_)) }
    }

    /// How many values there are.
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }
}

impl NestedValues for NestedColumn {
    fn is_null(&self, at: usize) -> bool {
        self.values.get(at) == Some(&Value::Null)
    }

    fn plain(&self, at: usize) -> Option<ScalarRef<'_>> {
        match self.values.get(at)? {
            Value::Plain(value) => Some(value.as_ref()),
            Value::Null | Value::Parts(_) => None,
        }
    }

    fn positions(&self, at: usize) -> Range<usize> {
        match self.values.get(at) {
            Some(Value::Parts(range)) => range.clone(),
            _ => 0..0,
        }
    }

    fn part(&self, index: usize) -> Option<&Self> {
        self.parts.get(index)
    }
}

impl NestedSink for NestedColumn {
    type Error = BadValue;

    fn null(&mut self) -> Result<(), BadValue> {
        self.values.push(Value::Null);
        if self.is_struct {
            self.parts.iter_mut().try_for_each(NestedSink::null)?;
        }
        Ok(())
    }

    fn plain(&mut self, value: ScalarRef<'_>) -> Result<(), BadValue> {
        self.values.push(Value::Plain(value.to_owned()));
        Ok(())
    }

    fn fields(&mut self) -> Result<(), BadValue> {
        let at = self.values.len();
        self.values.push(Value::Parts(at..at + 1));
        Ok(())
    }

    fn entries(&mut self, count: usize) -> Result<(), BadValue> {
        let start = self.parts.first().map_or(0, NestedColumn::len);
        self.values.push(Value::Parts(start..start + count));
        Ok(())
    }

    fn part(&mut self, index: usize) -> Option<&mut Self> {
        self.parts.get_mut(index)
    }
}
