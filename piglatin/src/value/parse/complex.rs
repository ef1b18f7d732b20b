//! Tuples, bags and maps out of text: `(a,b)`, `{(a),(b)}`, `[k#v,l#w]`.

use std::collections::BTreeMap;

use super::{Bad, convert, trim};
use crate::types::{Field, PigType, Schema};
use crate::value::{Value, Warning};

/// A complex value; null if there is nothing but blanks.
pub(super) fn parse(bytes: &[u8], to: &PigType, warnings: &mut Vec<Warning>) -> Result<Option<Value>, Bad> {
    let text = trim(bytes);
    if text.is_empty() {
        return Ok(None);
    }
    let before = warnings.len();
    let mut reader = Reader { rest: text, warnings };
    let answer =
        reader.value(to).and_then(|value| if reader.rest.is_empty() { Ok(Some(value)) } else { Err(Bad) });
    if answer.is_err() {
        // What was found inside goes with it; one warning is left, that of the whole.
        warnings.truncate(before);
    }
    answer
}

struct Reader<'a, 'w> {
    rest: &'a [u8],
    warnings: &'w mut Vec<Warning>,
}

impl<'a> Reader<'a, '_> {
    fn value(&mut self, to: &PigType) -> Result<Value, Bad> {
        match to {
            PigType::Tuple(fields) => self.tuple(fields.as_ref()),
            PigType::Bag { fields, .. } => self.bag(fields.as_ref()),
            PigType::Map(value) => self.map(value),
            _ => Err(Bad),
        }
    }

    fn tuple(&mut self, schema: Option<&Schema>) -> Result<Value, Bad> {
        self.expect(b'(')?;
        match schema {
            Some(schema) if !schema.fields.is_empty() => self.typed_tuple(&schema.fields),
            _ => self.untyped_tuple(),
        }
    }

    fn typed_tuple(&mut self, fields: &[Field]) -> Result<Value, Bad> {
        let mut values = Vec::with_capacity(fields.len());
        for (index, field) in fields.iter().enumerate() {
            let last = index + 1 == fields.len();
            let end = if last { b')' } else { b',' };
            let value = if is_complex(&field.ty) {
                self.skip_blanks();
                let value =
                    if self.rest.first() == Some(&end) { Value::Null } else { self.value(&field.ty)? };
                self.skip_blanks();
                value
            } else {
                // As in Pig, commas belong to the last field: there is no other.
                let text = self.until_end(&field.ty, last)?;
                convert(text, &field.ty, self.warnings)
            };
            self.expect(end)?;
            values.push(value);
        }
        Ok(Value::Tuple(values))
    }

    fn untyped_tuple(&mut self) -> Result<Value, Bad> {
        let mut values = Vec::new();
        loop {
            let length = balanced(self.rest, |byte| matches!(byte, b',' | b')')).ok_or(Bad)?;
            let text = self.take(length);
            values.push(Value::Bytearray(text.to_vec()));
            if self.rest.first() == Some(&b')') {
                self.expect(b')')?;
                return Ok(Value::Tuple(values));
            }
            self.expect(b',')?;
        }
    }

    fn bag(&mut self, fields: Option<&Schema>) -> Result<Value, Bad> {
        self.expect(b'{')?;
        let mut items = Vec::new();
        loop {
            self.skip_blanks();
            match self.rest.first() {
                Some(b'}') => {
                    self.expect(b'}')?;
                    return Ok(Value::Bag(items));
                }
                Some(b',') => self.expect(b',')?,
                _ => {
                    items.push(self.tuple(fields)?);
                    self.skip_blanks();
                    if !matches!(self.rest.first(), Some(b',' | b'}')) {
                        return Err(Bad);
                    }
                }
            }
        }
    }

    fn map(&mut self, to: &PigType) -> Result<Value, Bad> {
        self.expect(b'[')?;
        let mut entries = BTreeMap::new();
        if self.rest.first() == Some(&b']') {
            self.expect(b']')?;
            return Ok(Value::Map(entries));
        }
        loop {
            let length = self.rest.iter().position(|byte| *byte == b'#').ok_or(Bad)?;
            let key = self.take(length);
            self.expect(b'#')?;
            if key.is_empty() {
                return Err(Bad);
            }
            let length = balanced(self.rest, |byte| matches!(byte, b',' | b']')).ok_or(Bad)?;
            let text = self.take(length);
            let value = if text.is_empty() { Value::Null } else { convert(text, to, self.warnings) };
            entries.insert(String::from_utf8_lossy(key).into_owned(), value);
            if self.rest.first() == Some(&b']') {
                self.expect(b']')?;
                return Ok(Value::Map(entries));
            }
            self.expect(b',')?;
        }
    }

    /// The text of a scalar field. Parentheses of a chararray, and all brackets of a field without a type, belong to it
    /// if they are in pairs.
    fn until_end(&mut self, ty: &PigType, last: bool) -> Result<&'a [u8], Bad> {
        let ends = |byte| byte == b')' || byte == b',' && !last;
        let length = match ty {
            PigType::Bytearray(_) => balanced(self.rest, ends),
            PigType::Chararray => parenthesised(self.rest, ends),
            _ => None,
        };
        let length = length.or_else(|| self.rest.iter().position(|byte| ends(*byte))).ok_or(Bad)?;
        Ok(self.take(length))
    }

    fn take(&mut self, length: usize) -> &'a [u8] {
        let (taken, rest) = self.rest.split_at(length.min(self.rest.len()));
        self.rest = rest;
        taken
    }

    fn expect(&mut self, wanted: u8) -> Result<(), Bad> {
        match self.rest.split_first() {
            Some((first, rest)) if *first == wanted => {
                self.rest = rest;
                Ok(())
            }
            _ => Err(Bad),
        }
    }

    fn skip_blanks(&mut self) {
        let blanks = self.rest.iter().take_while(|byte| **byte <= b' ').count();
        self.rest = &self.rest[blanks..];
    }
}

fn is_complex(ty: &PigType) -> bool {
    matches!(ty, PigType::Tuple(_) | PigType::Bag { .. } | PigType::Map(_))
}

/// How far it is to the first end that stands in no brackets; none if brackets do not match before it.
fn balanced(text: &[u8], ends: impl Fn(u8) -> bool) -> Option<usize> {
    let mut open = Vec::new();
    for (at, byte) in text.iter().enumerate() {
        if open.is_empty() && ends(*byte) {
            return Some(at);
        }
        match byte {
            b'(' => open.push(b')'),
            b'[' => open.push(b']'),
            b'{' => open.push(b'}'),
            b')' | b']' | b'}' if open.pop() != Some(*byte) => return None,
            _ => {}
        }
    }
    None
}

/// The same with parentheses only.
fn parenthesised(text: &[u8], ends: impl Fn(u8) -> bool) -> Option<usize> {
    let mut open = 0usize;
    for (at, byte) in text.iter().enumerate() {
        if open == 0 && ends(*byte) {
            return Some(at);
        }
        match byte {
            b'(' => open += 1,
            b')' => open -= 1,
            _ => {}
        }
    }
    None
}
