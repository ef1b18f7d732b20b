use crate::preprocess::substitute::offset;
use crate::source::Segment;

/// Other text for bytes of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::preprocess) struct Edit {
    pub(in crate::preprocess) start: u32,
    pub(in crate::preprocess) end: u32,
    pub(in crate::preprocess) text: String,
}

/// Makes the edits, which are in order and do not overlap, and leads the new text to where the old one came from.
pub(in crate::preprocess) fn apply(
    text: &str,
    segments: &[Segment],
    edits: &[Edit],
) -> (String, Vec<Segment>) {
    let mut made = String::with_capacity(text.len());
    let mut led = Vec::new();
    let mut at = 0u32;
    for edit in edits {
        keep(text, segments, at, edit.start, &mut made, &mut led);
        let origin = covering(segments, edit.start).map_or(0, |segment| origin(segment, edit.start));
        led.push(Segment { at: offset(made.len()), origin, replaced: true });
        made.push_str(&edit.text);
        at = edit.end;
    }
    keep(text, segments, at, offset(text.len()), &mut made, &mut led);
    (made, led)
}

fn covering(segments: &[Segment], at: u32) -> Option<Segment> {
    let behind = segments.partition_point(|segment| segment.at <= at);
    segments.get(behind.checked_sub(1)?).copied()
}

fn origin(segment: Segment, at: u32) -> u32 {
    if segment.replaced { segment.origin } else { segment.origin + (at - segment.at) }
}

fn keep(text: &str, segments: &[Segment], from: u32, to: u32, made: &mut String, led: &mut Vec<Segment>) {
    let base = offset(made.len());
    if let Some(first) = covering(segments, from) {
        led.push(Segment { at: base, origin: origin(first, from), replaced: first.replaced });
    }
    for segment in segments.iter().filter(|segment| segment.at > from && segment.at < to) {
        led.push(Segment { at: base + (segment.at - from), ..*segment });
    }
    made.push_str(text.get(from as usize..to as usize).unwrap_or(""));
}
