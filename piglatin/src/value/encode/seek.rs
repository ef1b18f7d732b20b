//! Parts of encoded values, without decoding the others.

use super::decode::{DEEPEST, DecodeError, Input, skip, unescape};
use super::tag;

/// The bytes of a tuple's field; none if the tuple is shorter, or the value null.
///
/// # Errors
/// If the bytes up to there are malformed, or a value of another type.
pub fn tuple_field(bytes: &[u8], index: usize) -> Result<Option<&[u8]>, DecodeError> {
    match open_tuple(bytes)? {
        Some((mut input, width)) if index < width => {
            for _ in 0..index {
                skip(&mut input, DEEPEST)?;
            }
            one(&mut input).map(Some)
        }
        _ => Ok(None),
    }
}

/// The bytes of each field of a tuple; none if the value is null.
///
/// # Errors
/// If the bytes are malformed, or a value of another type.
pub fn tuple_fields(bytes: &[u8]) -> Result<Option<Vec<&[u8]>>, DecodeError> {
    let Some((mut input, width)) = open_tuple(bytes)? else { return Ok(None) };
    let mut fields = Vec::with_capacity(width.min(input.rest.len()));
    for _ in 0..width {
        fields.push(one(&mut input)?);
    }
    Ok(Some(fields))
}

/// How many fields a tuple has; none if the value is null.
///
/// # Errors
/// If it is a value of another type.
pub fn tuple_width(bytes: &[u8]) -> Result<Option<usize>, DecodeError> {
    Ok(open_tuple(bytes)?.map(|(_, width)| width))
}

/// The bytes of the value of a map's key; none if there is no such key, or the value null.
///
/// # Errors
/// If the bytes up to there are malformed, or a value of another type.
pub fn map_value<'a>(bytes: &'a [u8], key: &str) -> Result<Option<&'a [u8]>, DecodeError> {
    let mut input = Input { rest: bytes };
    match input.byte()? {
        tag::NULL => return Ok(None),
        tag::MAP => {}
        _ => return Err(DecodeError::Malformed("map")),
    }
    for _ in 0..input.count()? {
        let found = unescape(input.raw_escaped()?);
        if *found == *key.as_bytes() {
            return one(&mut input).map(Some);
        }
        if *found > *key.as_bytes() {
            return Ok(None);
        }
        skip(&mut input, DEEPEST)?;
    }
    Ok(None)
}

fn open_tuple(bytes: &[u8]) -> Result<Option<(Input<'_>, usize)>, DecodeError> {
    let mut input = Input { rest: bytes };
    match input.byte()? {
        tag::NULL => Ok(None),
        tag::TUPLE => {
            let width = input.count()?;
            Ok(Some((input, width)))
        }
        _ => Err(DecodeError::Malformed("tuple")),
    }
}

fn one<'a>(input: &mut Input<'a>) -> Result<&'a [u8], DecodeError> {
    let before = input.rest;
    skip(input, DEEPEST)?;
    Ok(&before[..before.len() - input.rest.len()])
}
