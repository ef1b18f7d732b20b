//! Adds numbers up by group.
//!
//! A group is a number below `groups`; `groups` itself stands for rows that do not count. With few groups several copies
//! of the totals take turns, so that two rows of one group one after the other need not wait for each other.

/// The most totals, the one for rows that do not count included, that are kept in copies.
const FEW: usize = 16;

/// Totals of few groups.
type Totals = [i64; FEW];

/// The sums by group, into `out`. No sum may leave 64 bits.
pub(super) fn sums(ids: &[u16], values: &[i64], groups: usize, out: &mut Vec<i64>) {
    let add = |total: &mut i64, value: i64| *total = total.wrapping_add(value);
    fold(ids, values, groups, (0, add), add, out);
}

/// The number of rows by group, into `out`.
pub(super) fn counts(ids: &[u16], groups: usize, out: &mut Vec<i64>) {
    // The values do not matter: each id stands for one row.
    let add = |total: &mut i64, _: u16| *total = total.wrapping_add(1);
    fold(ids, ids, groups, (0, add), |total, part| *total = total.wrapping_add(part), out);
}

/// The least values by group, into `out`; `i64::MAX` for a group without rows.
pub(super) fn least(ids: &[u16], values: &[i64], groups: usize, out: &mut Vec<i64>) {
    let take = |total: &mut i64, value: i64| *total = value.min(*total);
    fold(ids, values, groups, (i64::MAX, take), take, out);
}

/// The greatest values by group, into `out`; `i64::MIN` for a group without rows.
pub(super) fn greatest(ids: &[u16], values: &[i64], groups: usize, out: &mut Vec<i64>) {
    let take = |total: &mut i64, value: i64| *total = value.max(*total);
    fold(ids, values, groups, (i64::MIN, take), take, out);
}

/// Folds by group: from a start with one operation, and the totals of parts with another. The order of rows must not
/// matter to them.
fn fold<V: Copy>(
    ids: &[u16],
    values: &[V],
    groups: usize,
    (start, operation): (i64, impl Fn(&mut i64, V)),
    join: impl Fn(&mut i64, i64),
    out: &mut Vec<i64>,
) {
    out.clear();
    out.resize(groups + 1, start);
    if groups >= FEW {
        for (id, value) in ids.iter().zip(values) {
            if let Some(total) = out.get_mut(usize::from(*id)) {
                operation(total, *value);
            }
        }
        out.truncate(groups);
        return;
    }
    // The remainder only tells the compiler that an id is less than FEW.
    let at = |totals: &mut Totals, id: u16, value: V| operation(&mut totals[usize::from(id) % FEW], value);
    let [mut first, mut second, mut third, mut fourth] = [[start; FEW]; 4];
    let (fours, ids) = ids.as_chunks::<4>();
    let (values_of_fours, values) = values.as_chunks::<4>();
    for (ids, values) in fours.iter().zip(values_of_fours) {
        at(&mut first, ids[0], values[0]);
        at(&mut second, ids[1], values[1]);
        at(&mut third, ids[2], values[2]);
        at(&mut fourth, ids[3], values[3]);
    }
    for (id, value) in ids.iter().zip(values) {
        at(&mut first, *id, *value);
    }
    out.truncate(groups);
    for totals in [first, second, third, fourth] {
        for (total, part) in out.iter_mut().zip(totals) {
            join(total, part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_hand(ids: &[u16], groups: usize, each: &mut dyn FnMut(usize, usize)) {
        for (row, id) in ids.iter().enumerate().filter(|(_, id)| usize::from(**id) < groups) {
            each(row, usize::from(*id));
        }
    }

    #[test]
    fn few_and_many_groups_are_added_up_alike() {
        for groups in [1, 2, 15, 16, 17, 300] {
            let rows = 1000_u64;
            let random = |row: u64, salt: u64| (row + salt).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
            let ids: Vec<u16> = (0..rows).map(|row| (random(row, 1) % (groups as u64 + 1)) as u16).collect();
            let values: Vec<i64> = (0..rows).map(|row| random(row, 2) as i64 - (1 << 43)).collect();
            let mut wanted = vec![(0, 0, i64::MAX, i64::MIN); groups];
            by_hand(&ids, groups, &mut |row, id| {
                let (count, sum, least, greatest) = &mut wanted[id];
                *count += 1;
                *sum += values[row];
                *least = values[row].min(*least);
                *greatest = values[row].max(*greatest);
            });
            let mut found = [const { Vec::new() }; 4];
            let [counted, summed, lowest, highest] = &mut found;
            counts(&ids, groups, counted);
            sums(&ids, &values, groups, summed);
            least(&ids, &values, groups, lowest);
            greatest(&ids, &values, groups, highest);
            let found =
                (0..groups).map(|group| (counted[group], summed[group], lowest[group], highest[group]));
            let found: Vec<(i64, i64, i64, i64)> = found.collect();
            assert_eq!(found, wanted, "{groups} groups");
        }
    }
}
