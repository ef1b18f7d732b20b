//! [`Interval`]: what is known of a number before it is computed.

/// All whole numbers from `low` to `high`, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Interval {
    /// The least number.
    pub low: i128,
    /// The greatest number; at least `low`.
    pub high: i128,
}

impl Interval {
    /// Everything that 128 bits hold.
    pub const ALL: Self = Self { low: i128::MIN, high: i128::MAX };
    /// Everything that 64 bits hold.
    pub const NARROW: Self = Self { low: i64::MIN as i128, high: i64::MAX as i128 };

    /// From one number to another.
    pub const fn new(low: i128, high: i128) -> Self {
        Self { low, high }
    }

    /// One number.
    pub const fn point(value: i128) -> Self {
        Self { low: value, high: value }
    }

    /// The numbers of at most `digits` decimal digits. More than 38 are all.
    pub fn digits(digits: u8) -> Self {
        match 10_i128.checked_pow(u32::from(digits)) {
            Some(power) => Self { low: 1 - power, high: power - 1 },
            None => Self::ALL,
        }
    }

    /// Whether all of `other` is in it.
    pub fn covers(&self, other: &Self) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    /// Whether a number is in it.
    pub fn contains(&self, value: i128) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// Whether 64 bits hold all of it.
    pub fn is_narrow(&self) -> bool {
        Self::NARROW.covers(self)
    }

    /// The largest distance from zero.
    pub fn magnitude(&self) -> u128 {
        self.low.unsigned_abs().max(self.high.unsigned_abs())
    }

    /// All sums of a number of each; `None` if one of them needs more than 128 bits.
    pub fn plus(&self, other: &Self) -> Option<Self> {
        Some(Self { low: self.low.checked_add(other.low)?, high: self.high.checked_add(other.high)? })
    }

    /// All differences of a number of each; `None` if one of them needs more than 128 bits.
    pub fn minus(&self, other: &Self) -> Option<Self> {
        Some(Self { low: self.low.checked_sub(other.high)?, high: self.high.checked_sub(other.low)? })
    }

    /// The least interval with all products of a number of each; `None` if one of them needs more than 128 bits.
    pub fn times(&self, other: &Self) -> Option<Self> {
        let corners = [
            self.low.checked_mul(other.low)?,
            self.low.checked_mul(other.high)?,
            self.high.checked_mul(other.low)?,
            self.high.checked_mul(other.high)?,
        ];
        let [first, rest @ ..] = corners;
        let around =
            |found: Self, corner: i128| Self { low: found.low.min(corner), high: found.high.max(corner) };
        Some(rest.into_iter().fold(Self::point(first), around))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_of_intervals_covers_arithmetic_of_their_numbers() {
        let sides = [-3_i128, -1, 0, 2, 5];
        for (low, high) in sides.iter().flat_map(|a| sides.iter().map(move |b| (a, b))) {
            if low > high {
                continue;
            }
            let one = Interval::new(*low, *high);
            for other in [Interval::new(-2, 4), Interval::point(-7), Interval::new(1, 3)] {
                let all = || (*low..=*high).flat_map(|a| (other.low..=other.high).map(move |b| (a, b)));
                let hull = |of: &dyn Fn(i128, i128) -> i128| {
                    let results = all().map(|(a, b)| of(a, b));
                    Interval::new(results.clone().min().unwrap(), results.max().unwrap())
                };
                assert_eq!(one.plus(&other), Some(hull(&|a, b| a + b)));
                assert_eq!(one.minus(&other), Some(hull(&|a, b| a - b)));
                assert_eq!(one.times(&other), Some(hull(&|a, b| a * b)));
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_not_known() {
        let end = Interval::point(i128::MAX);
        assert_eq!(end.plus(&Interval::point(1)), None);
        assert_eq!(Interval::point(i128::MIN).minus(&Interval::point(1)), None);
        assert_eq!(end.times(&Interval::new(0, 2)), None);
        assert_eq!(Interval::digits(39), Interval::ALL);
        assert_eq!(Interval::digits(2), Interval::new(-99, 99));
        assert_eq!(Interval::ALL.magnitude(), 1 << 127);
        assert!(Interval::NARROW.is_narrow() && !Interval::new(0, 1 << 63).is_narrow());
        assert!(Interval::ALL.contains(0) && !Interval::digits(1).contains(10));
    }
}
