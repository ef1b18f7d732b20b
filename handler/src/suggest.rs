//! Did you mean: the known name that is nearest to one that is unknown.

/// The nearest of `known` to `name`, if it is near enough to be a slip of the fingers. Case does not count.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    known
        .map(|candidate| (edits(&name, &candidate.to_lowercase()), candidate))
        .min()
        .filter(|(distance, candidate)| {
            *distance <= 1 + candidate.chars().count().min(name.chars().count()) / 4
        })
        .map(|(_, candidate)| candidate)
}

/// The number of insertions, deletions, replacements and swaps of neighbours between two words.
fn edits(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let at = |row: &[usize], index: usize| row.get(index).copied().unwrap_or(usize::MAX / 2);
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, to) in b.iter().enumerate() {
            let mut best =
                (at(&last, j) + usize::from(from != to)).min(at(&last, j + 1) + 1).min(at(&row, j) + 1);
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(to) && b.get(j - 1) == Some(from);
            if swapped {
                best = best.min(at(&before, j - 1) + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found() {
        let known = ["events", "people", "iterator_pushdown"];
        let near = |name: &str| nearest(name, known.into_iter());
        assert_eq!(near("evnts"), Some("events"));
        assert_eq!(near("EVENTS"), Some("events"));
        assert_eq!(near("eevnts"), Some("events"));
        assert_eq!(near("iterator_pushdwon"), Some("iterator_pushdown"));
        assert_eq!(near("orders"), None);
        assert_eq!(near(""), None);
    }

    #[test]
    fn edits_count() {
        for (a, b, count) in
            [("", "", 0), ("abc", "", 3), ("", "ab", 2), ("abc", "acb", 1), ("kitten", "sitting", 3)]
        {
            assert_eq!(edits(a, b), count, "{a} {b}");
        }
    }
}
