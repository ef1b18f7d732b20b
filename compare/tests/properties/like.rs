//! LIKE and ILIKE against Arrow's kernels, which DataFusion runs.

use arrow::array::{Scalar, StringArray};
use arrow::compute::{ilike, like};
use ostracon_compare::LikePattern;
use proptest::prelude::*;

/// Characters that mean something to LIKE, to regular expressions, or to case folding.
const CHARS: [char; 18] = [
    '%',
    '%',
    '_',
    '_',
    '\\',
    'a',
    'a',
    'A',
    'b',
    '\n',
    'é',
    'É',
    'k',
    '\u{212a}',
    '.',
    '*',
    'ß',
    '\u{1f600}',
];

fn text(most: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(CHARS.to_vec()), 0..most)
        .prop_map(|chars| chars.into_iter().collect())
}

/// A text and a pattern made from it, so that they match now and then.
fn related() -> impl Strategy<Value = (String, String)> {
    (text(8), prop::collection::vec(0u8..6, 8)).prop_map(|(text, edits)| {
        let mut pattern = String::new();
        for (char, edit) in text.chars().zip(edits) {
            match edit {
                0 => pattern.push('_'),
                1 => pattern.push('%'),
                2 => pattern.extend(['\\', char]),
                3 => {
                    pattern.push('%');
                    pattern.push(char);
                }
                _ => pattern.push(char),
            }
        }
        (text, pattern)
    })
}

fn check(text: &str, pattern: &str) -> Result<(), TestCaseError> {
    let column = StringArray::from(vec![text]);
    let constant = Scalar::new(StringArray::from(vec![pattern]));
    let case = LikePattern::compile(pattern, false).unwrap();
    let expected = like(&column, &constant).unwrap().value(0);
    prop_assert_eq!(case.matches(text), expected, "{:?} LIKE {:?}", text, pattern);
    let folded = LikePattern::compile(pattern, true).unwrap();
    prop_assert_eq!(
        folded.matches(text),
        ilike(&column, &constant).unwrap().value(0),
        "{:?} ILIKE {:?}",
        text,
        pattern
    );
    // What a planner derives from the pattern.
    prop_assert!(!expected || text.starts_with(case.prefix()));
    prop_assert!(!case.is_prefix_only() || expected == text.starts_with(case.prefix()));
    prop_assert!(!case.is_exact() || expected == (text == case.prefix()));
    prop_assert!(folded.prefix().is_empty());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn agrees_with_arrow(text in text(8), pattern in text(6)) {
        check(&text, &pattern)?;
    }

    #[test]
    fn agrees_with_arrow_on_what_nearly_matches((text, pattern) in related()) {
        check(&text, &pattern)?;
    }
}
