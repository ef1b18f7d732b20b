//! Row ranges in words, for EXPLAIN: conditions on the parts of the key rather than bytes.
//!
//! `k = 5`, `k in [5, 7]`, `k > 5`, `(k < 2 OR k > 5)`, `y = 2020 AND m = 2 AND d >= 28`; a part with many values is shortened.

use ostracon_compare::{LiteralText, PrimitiveType, Scalar};
use ostracon_data::RowRange;

use super::key_bytes::{Edge, PartBytes};
use super::key_set::KeyBox;
use super::key_space::KeySpace;

/// Every row is read.
pub(super) const FULL_SCAN: &str = "FULL SCAN";
/// No row is read.
pub(super) const EMPTY: &str = "EMPTY";

/// How many ranges of a part, and how many boxes, are shown.
const SHOWN: usize = 8;

/// Boxes as conditions on their first parts, as many as is said with each.
pub(super) fn of_boxes(boxes: &[(&KeyBox, usize)], space: &KeySpace) -> String {
    let mut text = String::new();
    for (i, (one, used_parts)) in boxes.iter().enumerate() {
        if i > 0 {
            text.push_str(", ");
        }
        if i == SHOWN {
            text.push_str(&format!("... {} more", boxes.len() - SHOWN));
            break;
        }
        let parts: Vec<String> = (0..*used_parts)
            .map_while(|part| Some(of_part(space.name(part), space.part(part)?, &one.get(part)?.ranges())))
            .collect();
        match parts.as_slice() {
            [] => text.push_str(FULL_SCAN),
            parts => text.push_str(&parts.join(" AND ")),
        }
    }
    text
}

/// The ranges of one part.
fn of_part(name: &str, bytes: &PartBytes, ranges: &[RowRange]) -> String {
    let pieces: Vec<Piece> = ranges.iter().take(SHOWN + 1).map(|range| Piece::of(bytes, range)).collect();
    let more = ranges.len().saturating_sub(SHOWN);
    let literal = |value: &Scalar| literal(bytes.ty(), value);
    let values: Option<Vec<String>> = pieces
        .iter()
        .take(SHOWN)
        .map(|piece| match piece {
            Piece::Value(value) => Some(literal(value)),
            _ => None,
        })
        .collect();
    let list = |mut texts: Vec<String>, separator: &str| {
        if more > 0 {
            texts.push(format!("... {more} more"));
        }
        texts.join(separator)
    };
    match (values, pieces.as_slice()) {
        (Some(values), [_]) => format!("{name} = {}", values.concat()),
        (Some(values), _) => format!("{name} IN ({})", list(values, ", ")),
        (None, [piece]) => piece.text(name, bytes.ty()),
        (None, pieces) => {
            let texts = pieces.iter().take(SHOWN).map(|piece| piece.text(name, bytes.ty()));
            format!("({})", list(texts.collect(), " OR "))
        }
    }
}

/// One range of a part, by its values.
#[derive(Debug)]
enum Piece {
    Value(Scalar),
    Interval { low: Option<Edge>, high: Option<Edge> },
}

impl Piece {
    fn of(bytes: &PartBytes, range: &RowRange) -> Self {
        let first = (!range.start.is_empty()).then(|| bytes.edge(&range.start));
        // A value's bytes may be none at all: the empty text.
        let first = match first {
            None if range.end.as_deref() == Some(&[0x00]) => Some(bytes.edge(&[])),
            first => first,
        };
        let last = range.end.as_deref().map(|end| bytes.edge(end));
        let (low, high) = if bytes.is_descending() { (last, first) } else { (first, last) };
        match (&low, &high) {
            (Some(Edge::Before(a)), Some(Edge::Behind(b)))
                if a.compare(b) == Some(std::cmp::Ordering::Equal) =>
            {
                Piece::Value(a.clone())
            }
            (Some(Edge::Before(a)), _) if bytes.is_value(&range.start, range.end.as_deref()) => {
                Piece::Value(a.clone())
            }
            (_, Some(Edge::Behind(b))) if bytes.is_value(&range.start, range.end.as_deref()) => {
                Piece::Value(b.clone())
            }
            _ => Piece::Interval { low, high },
        }
    }

    fn text(&self, name: &str, ty: PrimitiveType) -> String {
        let edge = |edge: &Edge| match edge {
            Edge::Before(value) | Edge::Behind(value) => literal(ty, value),
            Edge::Bytes(bytes) => {
                format!("X'{}'", bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
            }
        };
        match self {
            Piece::Value(value) => format!("{name} = {}", literal(ty, value)),
            Piece::Interval { low: None, high: None } => format!("{name} IS NOT NULL"),
            Piece::Interval { low: Some(low), high: None } => {
                let op = if matches!(low, Edge::Behind(_)) { ">" } else { ">=" };
                format!("{name} {op} {}", edge(low))
            }
            Piece::Interval { low: None, high: Some(high) } => {
                let op = if matches!(high, Edge::Behind(_)) { "<=" } else { "<" };
                format!("{name} {op} {}", edge(high))
            }
            Piece::Interval { low: Some(low), high: Some(high) } => {
                let open = if matches!(low, Edge::Behind(_)) { "(" } else { "[" };
                let close = if matches!(high, Edge::Behind(_)) { "]" } else { ")" };
                format!("{name} in {open}{}, {}{close}", edge(low), edge(high))
            }
        }
    }
}

/// A value as SQL writes it, shortened if it is long.
fn literal(ty: PrimitiveType, value: &Scalar) -> String {
    super::text::shorten(LiteralText::new(ty, value).to_string(), 64)
}
