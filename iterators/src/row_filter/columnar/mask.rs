//! [`TruthMask`]: the answers of many rows, one byte a row for TRUE and one for NULL.
//!
//! Bytes are 0 or 1 and never both 1 for a row. All operations are plain loops over slices of one length, which the
//! compiler turns into vector code; none allocates once a mask has had its size.

/// Three-valued answers, one for each row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TruthMask {
    truth: Vec<u8>,
    null: Vec<u8>,
}

impl TruthMask {
    /// FALSE for each of `rows` rows.
    pub fn new(rows: usize) -> Self {
        Self { truth: vec![0; rows], null: vec![0; rows] }
    }

    /// FALSE for each of `rows` rows, in the memory there is.
    pub fn reset(&mut self, rows: usize) {
        for bytes in [&mut self.truth, &mut self.null] {
            bytes.clear();
            bytes.resize(rows, 0);
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.truth.len()
    }

    /// 1 for each row whose answer is TRUE.
    pub fn truth(&self) -> &[u8] {
        &self.truth
    }

    /// 1 for each row whose answer is NULL.
    pub fn null(&self) -> &[u8] {
        &self.null
    }

    /// The bytes for TRUE and for NULL, to be set to 0 or 1, not both to 1.
    pub fn masks_mut(&mut self) -> (&mut [u8], &mut [u8]) {
        (&mut self.truth, &mut self.null)
    }

    /// The bytes for TRUE, to be filled before [`LeafTest::settle`](super::LeafTest::settle).
    pub fn truth_mut(&mut self) -> &mut [u8] {
        &mut self.truth
    }

    /// A row's answer; FALSE for a row that is not there.
    pub fn get(&self, row: usize) -> Option<bool> {
        let set = |bytes: &[u8]| bytes.get(row).is_some_and(|byte| *byte != 0);
        if set(&self.null) { None } else { Some(set(&self.truth)) }
    }

    /// Sets a row's answer; without effect for a row that is not there.
    pub fn set(&mut self, row: usize, answer: Option<bool>) {
        let (truth, null) = bytes_of(answer);
        if let (Some(t), Some(n)) = (self.truth.get_mut(row), self.null.get_mut(row)) {
            (*t, *n) = (truth, null);
        }
    }

    /// Gives every row one answer.
    pub fn fill(&mut self, answer: Option<bool>) {
        let (truth, null) = bytes_of(answer);
        self.truth.fill(truth);
        self.null.fill(null);
    }

    /// Each answer NOT.
    pub(super) fn not(&mut self) {
        for (truth, null) in self.truth.iter_mut().zip(&self.null) {
            *truth = (*truth | null) ^ 1;
        }
    }

    /// Whether each answer is this.
    pub(super) fn is_truth(&mut self, wanted: Option<bool>) {
        match wanted {
            Some(true) => {}
            Some(false) => self.not(),
            None => self.truth.copy_from_slice(&self.null),
        }
        self.null.fill(0);
    }

    /// Each answer AND the other's.
    pub(super) fn and(&mut self, other: &Self) {
        for ((truth, null), (t, n)) in self.rows_mut().zip(other.each()) {
            let possible = (*truth | *null) & (t | n);
            *truth &= t;
            *null = possible ^ *truth;
        }
    }

    /// Each answer OR the other's.
    pub(super) fn or(&mut self, other: &Self) {
        for ((truth, null), (t, n)) in self.rows_mut().zip(other.each()) {
            *truth |= t;
            *null = (*null | n) & (*truth ^ 1);
        }
    }

    /// Completes answers of which `truth` says where a value is accepted: a row without a value (0 in `present`) gets
    /// `when_absent`, one whose value is not accepted `when_not_accepted`.
    pub(super) fn settle(
        &mut self,
        present: Option<&[u8]>,
        when_absent: Option<bool>,
        when_not_accepted: Option<bool>,
    ) {
        let (_, refused_null) = bytes_of(when_not_accepted);
        let Some(present) = present else {
            for (truth, null) in self.rows_mut() {
                *null = (*truth ^ 1) & refused_null;
            }
            return;
        };
        let (absent_truth, absent_null) = bytes_of(when_absent);
        for ((truth, null), present) in self.rows_mut().zip(present) {
            let absent = present ^ 1;
            *null = (present & (*truth ^ 1) & refused_null) | (absent & absent_null);
            *truth = (present & *truth) | (absent & absent_truth);
        }
    }

    fn rows_mut(&mut self) -> impl Iterator<Item = (&mut u8, &mut u8)> {
        self.truth.iter_mut().zip(&mut self.null)
    }

    fn each(&self) -> impl Iterator<Item = (&u8, &u8)> {
        self.truth.iter().zip(&self.null)
    }
}

fn bytes_of(answer: Option<bool>) -> (u8, u8) {
    (u8::from(answer == Some(true)), u8::from(answer.is_none()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row_filter::run::{and, or};

    const ANSWERS: [Option<bool>; 3] = [Some(true), Some(false), None];

    fn mask(answers: &[Option<bool>]) -> TruthMask {
        let mut mask = TruthMask::new(answers.len());
        answers.iter().enumerate().for_each(|(row, answer)| mask.set(row, *answer));
        mask
    }

    fn answers(mask: &TruthMask) -> Vec<Option<bool>> {
        assert!(mask.truth().iter().zip(mask.null()).all(|(truth, null)| truth + null <= 1));
        (0..mask.rows()).map(|row| mask.get(row)).collect()
    }

    #[test]
    fn connectives_are_those_of_single_answers() {
        let (left, right): (Vec<_>, Vec<_>) =
            ANSWERS.iter().flat_map(|left| ANSWERS.iter().map(move |right| (*left, *right))).unzip();
        let pairs = || left.iter().zip(&right).map(|(left, right)| (*left, *right));
        let combined = |combine: fn(&mut TruthMask, &TruthMask)| {
            let mut register = mask(&left);
            combine(&mut register, &mask(&right));
            answers(&register)
        };
        assert_eq!(
            combined(TruthMask::and),
            pairs().map(|(left, right)| and(left, right)).collect::<Vec<_>>()
        );
        assert_eq!(combined(TruthMask::or), pairs().map(|(left, right)| or(left, right)).collect::<Vec<_>>());
        let mut not = mask(&ANSWERS);
        not.not();
        assert_eq!(answers(&not), [Some(false), Some(true), None]);
        for wanted in ANSWERS {
            let mut tested = mask(&ANSWERS);
            tested.is_truth(wanted);
            assert_eq!(answers(&tested), ANSWERS.map(|answer| Some(answer == wanted)));
        }
    }

    #[test]
    fn settling_replaces_what_absent_rows_hold() {
        for (when_absent, refused) in ANSWERS.iter().flat_map(|a| [Some(false), None].map(|r| (*a, r))) {
            let mut accepted = mask(&[Some(true), Some(false), Some(true), None]);
            accepted.settle(Some(&[1, 1, 0, 0]), when_absent, refused);
            assert_eq!(answers(&accepted), [Some(true), refused, when_absent, when_absent]);
            let mut all = mask(&[Some(true), None]);
            all.settle(None, when_absent, refused);
            assert_eq!(answers(&all), [Some(true), refused]);
        }
    }

    #[test]
    fn rows_that_are_not_there_are_false_and_stay_so() {
        let mut mask = mask(&[None]);
        mask.set(1, Some(true));
        assert_eq!((mask.get(0), mask.get(1), mask.rows()), (None, Some(false), 1));
        mask.fill(Some(true));
        assert_eq!((mask.truth(), mask.null()), (&[1][..], &[0][..]));
        mask.reset(2);
        assert_eq!(mask, TruthMask::new(2));
    }
}
