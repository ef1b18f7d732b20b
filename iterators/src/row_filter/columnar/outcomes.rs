//! [`Outcomes`]: what a test can answer for any row of a block, without looking at the rows.

use std::fmt;
use std::ops::{BitOr, BitOrAssign, Not};

/// A set of answers: which of TRUE, FALSE and NULL are possible.
///
/// It may hold more than what comes up, never less. AND, OR and NOT of such sets ([`and`](Self::and), [`or`](Self::or),
/// `!`) are the sets of what the connective gives for any of the answers; `|` is the union.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Outcomes(u8);

impl Outcomes {
    /// No answer: there are no rows.
    pub const NONE: Self = Self(0);
    /// TRUE for every row.
    pub const TRUE: Self = Self(1);
    /// FALSE for every row.
    pub const FALSE: Self = Self(2);
    /// NULL for every row.
    pub const NULL: Self = Self(4);
    /// Anything: nothing is known.
    pub const ANY: Self = Self(7);

    /// The set of one answer.
    pub fn of(answer: Option<bool>) -> Self {
        match answer {
            Some(true) => Self::TRUE,
            Some(false) => Self::FALSE,
            None => Self::NULL,
        }
    }

    /// Whether the answer is in the set.
    pub fn can_be(self, answer: Option<bool>) -> bool {
        self.0 & Self::of(answer).0 != 0
    }

    /// The one answer that every row has; `None` if there are several in the set, or none.
    pub fn certain(self) -> Option<Option<bool>> {
        [Some(true), Some(false), None].into_iter().find(|answer| self == Self::of(*answer))
    }

    /// The answers of an AND of the two.
    pub fn and(self, other: Self) -> Self {
        self.combine(other, crate::row_filter::run::and)
    }

    /// The answers of an OR of the two.
    pub fn or(self, other: Self) -> Self {
        self.combine(other, crate::row_filter::run::or)
    }

    /// The answers of `IS TRUE`, `IS FALSE` or (`None`) `IS UNKNOWN`.
    pub fn is_truth(self, truth: Option<bool>) -> Self {
        self.answers().map(|answer| Some(answer == truth)).collect()
    }

    fn combine(self, other: Self, connective: fn(Option<bool>, Option<bool>) -> Option<bool>) -> Self {
        self.answers().flat_map(|left| other.answers().map(move |right| connective(left, right))).collect()
    }

    fn answers(self) -> impl Iterator<Item = Option<bool>> {
        [Some(true), Some(false), None].into_iter().filter(move |answer| self.can_be(*answer))
    }
}

impl Not for Outcomes {
    type Output = Self;

    fn not(self) -> Self {
        self.answers().map(|answer| answer.map(|known| !known)).collect()
    }
}

impl BitOr for Outcomes {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Outcomes {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// The set of the answers, for instance those for the entries of a dictionary.
impl FromIterator<Option<bool>> for Outcomes {
    fn from_iter<T: IntoIterator<Item = Option<bool>>>(answers: T) -> Self {
        answers.into_iter().fold(Self::NONE, |set, answer| set | Self::of(answer))
    }
}

impl fmt::Debug for Outcomes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.answers()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sets() -> impl Iterator<Item = Outcomes> {
        (0..8).map(Outcomes)
    }

    #[test]
    fn connectives_give_what_the_answers_give() {
        let and = |a: Option<bool>, b: Option<bool>| match (a, b) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        };
        for (a, b) in sets().flat_map(|a| sets().map(move |b| (a, b))) {
            let expected: Outcomes = a.answers().flat_map(|x| b.answers().map(move |y| and(x, y))).collect();
            assert_eq!(a.and(b), expected, "{a:?} {b:?}");
            assert_eq!(!a.or(b), (!a).and(!b), "{a:?} {b:?}");
        }
    }

    #[test]
    fn certainty_is_one_answer() {
        assert_eq!(Outcomes::NULL.certain(), Some(None));
        assert_eq!(Outcomes::TRUE.certain(), Some(Some(true)));
        assert_eq!((Outcomes::TRUE | Outcomes::NULL).certain(), None);
        assert_eq!(Outcomes::NONE.certain(), None);
        assert_eq!(Outcomes::ANY.is_truth(None), Outcomes::TRUE | Outcomes::FALSE);
        assert_eq!(Outcomes::NULL.is_truth(None), Outcomes::TRUE);
        assert_eq!(Outcomes::NONE.is_truth(None), Outcomes::NONE);
        assert_eq!(format!("{:?}", Outcomes::ANY), "{Some(true), Some(false), None}");
    }
}
