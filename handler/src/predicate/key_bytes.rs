//! The bytes of one part of a row id: from a value to the span of bytes that holds it, and back for EXPLAIN.
//!
//! A part's bytes start where the part does. Parts with parts behind them have a fixed width or end in a
//! terminator, so that no part's bytes start with another's; the last part's bytes are all that is left of the row.

use ostracon_compare::{Encoding, KeyLexicoder, PrimitiveType, Scalar, ScalarRef, encode};
use ostracon_data::{prefix_end, row_successor};

use crate::rows::canonical;

/// The terminator of a part of variable width.
const TERMINATOR: [u8; 2] = [0x00, 0x01];

/// The bytes from `start` on and before `end` (`None`: to the end) are those of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: Vec<u8>,
    pub(super) end: Option<Vec<u8>>,
}

/// How the values of one part become bytes.
#[derive(Debug, Clone)]
pub(super) struct PartBytes {
    ty: PrimitiveType,
    encoding: Encoding,
    descending: bool,
    /// Nothing comes behind the part in a row id.
    last: bool,
    /// Variable width: escaped, and closed by a terminator.
    terminated: bool,
    /// Floats have one zero and one NaN, since only our encoder writes them.
    canonical: bool,
}

/// A place between values, said with the value next to it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Edge {
    /// Before the value in the order of values.
    Before(Scalar),
    /// Behind it.
    Behind(Scalar),
    /// Between values that cannot be named.
    Bytes(Vec<u8>),
}

impl PartBytes {
    /// A row id of a single value.
    pub(super) fn of_row(ty: PrimitiveType, encoding: Encoding) -> Self {
        PartBytes { ty, encoding, descending: false, last: true, terminated: false, canonical: false }
    }

    /// Part `index` of a composite row id.
    pub(super) fn of_key(lexicoder: &KeyLexicoder, index: usize, canonical: bool) -> Option<Self> {
        let part = lexicoder.parts().get(index)?;
        let last = index + 1 == lexicoder.parts().len();
        let variable = part.ty.width().is_none();
        Some(PartBytes {
            ty: part.ty,
            encoding: Encoding::Native,
            descending: part.descending,
            last,
            terminated: variable && (!last || part.descending),
            canonical,
        })
    }

    pub(super) fn ty(&self) -> PrimitiveType {
        self.ty
    }

    pub(super) fn encoding(&self) -> Encoding {
        self.encoding
    }

    pub(super) fn is_descending(&self) -> bool {
        self.descending
    }

    /// The bytes of the values that equal `value`. `None` if the value is none of the part's type.
    pub(super) fn span(&self, value: &Scalar) -> Option<Span> {
        let (least, greatest) = match value.as_ref() {
            // Both zeros are equal, and lie side by side. Where only one is ever written it alone will do.
            zero @ (ScalarRef::Float32(0.0) | ScalarRef::Float64(0.0)) if self.canonical => {
                (canonical(zero), canonical(zero))
            }
            ScalarRef::Float32(0.0) => (ScalarRef::Float32(-0.0), ScalarRef::Float32(0.0)),
            ScalarRef::Float64(0.0) => (ScalarRef::Float64(-0.0), ScalarRef::Float64(0.0)),
            other => (other, other),
        };
        let (first, last) = if self.descending { (greatest, least) } else { (least, greatest) };
        let start = self.bytes(first)?;
        let end = self.behind(self.bytes(last)?);
        Some(Span { start, end })
    }

    /// What the bytes of every text with this prefix start with.
    pub(super) fn text_prefix(&self, prefix: &str) -> Option<Vec<u8>> {
        let mut bytes = self.bytes(ScalarRef::Utf8(prefix))?;
        if self.terminated {
            bytes.truncate(bytes.len().checked_sub(TERMINATOR.len())?);
        }
        Some(bytes)
    }

    /// Whether `start..end` is a single value's span with another part behind it.
    pub(super) fn is_value(&self, start: &[u8], end: Option<&[u8]>) -> bool {
        let whole = match self.ty.width() {
            Some(width) => start.len() == width,
            None => self.ends_terminated(start),
        };
        !self.last && whole && self.behind(start.to_vec()).as_deref() == end
    }

    /// The bytes of each value of which `start..end` consists, if they are no more than `limit` and another part is
    /// behind them.
    pub(super) fn values_between(
        &self,
        start: &[u8],
        end: Option<&[u8]>,
        limit: usize,
    ) -> Option<Vec<Vec<u8>>> {
        if self.is_value(start, end) {
            return Some(vec![start.to_vec()]);
        }
        if self.last || self.ty.width() != Some(start.len()) {
            return None;
        }
        let end = end?;
        let mut values = Vec::new();
        let mut next = Some(start.to_vec());
        while let Some(value) = next.filter(|value| value.as_slice() < end) {
            if values.len() == limit {
                return None;
            }
            next = self.behind(value.clone());
            values.push(value);
        }
        Some(values)
    }

    fn ends_terminated(&self, bytes: &[u8]) -> bool {
        let [a, b] = TERMINATOR;
        let end = if self.descending { [!a, !b] } else { [a, b] };
        self.terminated && bytes.ends_with(&end)
    }

    /// One value's bytes, as it is: a float's sign of zero and bits of NaN are kept.
    fn bytes(&self, value: ScalarRef<'_>) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        encode(self.ty, self.encoding, value, &mut bytes).ok()?;
        if self.terminated {
            let mut escaped = Vec::with_capacity(bytes.len() + TERMINATOR.len());
            for byte in bytes {
                escaped.push(byte);
                if byte == 0x00 {
                    escaped.push(0xff);
                }
            }
            escaped.extend_from_slice(&TERMINATOR);
            bytes = escaped;
        }
        if self.descending {
            bytes.iter_mut().for_each(|byte| *byte = !*byte);
        }
        Some(bytes)
    }

    /// The first bytes behind all that are, or start with, a value's bytes.
    fn behind(&self, bytes: Vec<u8>) -> Option<Vec<u8>> {
        if self.last {
            return Some(row_successor(&bytes));
        }
        let mut end = prefix_end(&bytes)?;
        if let Some(width) = self.ty.width() {
            // Shortened by what carried over: filled up it is the next value's bytes.
            end.resize(width, 0x00);
        }
        Some(end)
    }

    /// The value next to a place in the part's bytes.
    pub(super) fn edge(&self, place: &[u8]) -> Edge {
        let side = |value: Scalar, behind: bool| {
            if behind != self.descending { Edge::Behind(value) } else { Edge::Before(value) }
        };
        // Bytes of any length can be a value, and so can its successor: that is taken for what it most likely is.
        let open = self.last && !self.terminated && self.ty.width().is_none();
        let is_successor = open && place.ends_with(&[0x00]);
        if let Some(value) = self.value(place).filter(|_| !is_successor) {
            return side(value, false);
        }
        let behind = if self.last {
            place.strip_suffix(&[0x00]).map(<[u8]>::to_vec)
        } else {
            // What `behind` did to the terminator, undone.
            place.split_last().and_then(|(last, rest)| Some([rest, &[last.checked_sub(1)?]].concat()))
        };
        match behind.and_then(|bytes| self.value(&bytes)) {
            Some(value) => side(value, true),
            None => match self.prefix_text(place) {
                Some(text) => side(Scalar::Utf8(text), false),
                None => Edge::Bytes(place.to_vec()),
            },
        }
    }

    /// The value that bytes are, if they are one.
    fn value(&self, bytes: &[u8]) -> Option<Scalar> {
        let mut plain = bytes.to_vec();
        if self.descending {
            plain.iter_mut().for_each(|byte| *byte = !*byte);
        }
        if self.terminated {
            plain = unescape(plain.strip_suffix(&TERMINATOR)?)?;
        }
        ostracon_compare::decode(self.ty, self.encoding, &plain).ok().map(ScalarRef::to_owned)
    }

    /// The text that bytes without a terminator start with.
    fn prefix_text(&self, bytes: &[u8]) -> Option<String> {
        if !self.terminated || self.ty != PrimitiveType::Utf8 {
            return None;
        }
        let mut plain = bytes.to_vec();
        if self.descending {
            plain.iter_mut().for_each(|byte| *byte = !*byte);
        }
        String::from_utf8(unescape(&plain)?).ok()
    }
}

/// Undoes the escaping of NUL bytes.
fn unescape(escaped: &[u8]) -> Option<Vec<u8>> {
    let mut plain = Vec::with_capacity(escaped.len());
    let mut bytes = escaped.iter();
    while let Some(byte) = bytes.next() {
        plain.push(*byte);
        if *byte == 0x00 && bytes.next() != Some(&0xff) {
            return None;
        }
    }
    Some(plain)
}
