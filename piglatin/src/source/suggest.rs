//! What a mistyped word may have meant.

/// The candidate nearest to a mistyped word: at most a third of its letters differ, case aside. The first of equals.
pub fn did_you_mean<I, S>(word: &str, candidates: I) -> Option<String>
where
    I: IntoIterator<Item = S>,
    S: AsRef<str>,
{
    let lower: Vec<char> = word.to_lowercase().chars().collect();
    let allowed = match lower.len() {
        0 => return None,
        letters => (letters / 3).max(1),
    };
    let mut best: Option<(usize, String)> = None;
    for candidate in candidates {
        let candidate = candidate.as_ref();
        if candidate == word {
            continue;
        }
        let other: Vec<char> = candidate.to_lowercase().chars().collect();
        if other.len().abs_diff(lower.len()) > allowed {
            continue;
        }
        let distance = edit_distance(&lower, &other);
        // A word of which nothing is left is no suggestion.
        if distance <= allowed
            && distance < lower.len().max(other.len())
            && best.as_ref().is_none_or(|(least, _)| distance < *least)
        {
            best = Some((distance, candidate.to_owned()));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Letters to put in, take out, change or swap with their neighbour (optimal string alignment).
fn edit_distance(left: &[char], right: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in right.iter().enumerate() {
            let mut least = (above[j] + usize::from(a != b)).min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == right[j - 1] && left[i - 1] == *b {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut above, row);
    }
    above.last().copied().unwrap_or(0)
}
