//! How a test's answer meets what the mask holds.

pub(super) trait Meet {
    /// Whether rows whose mask is 0 stay 0, so that nothing need be known about them.
    const KEEPS_ZERO: bool;

    fn meet(held: u8, answer: u8) -> u8;
}

/// The mask is what the test answers.
pub(super) struct Replace;

/// Both must say 1.
pub(super) struct And;

/// One must say 1.
pub(super) struct Or;

impl Meet for Replace {
    const KEEPS_ZERO: bool = false;

    #[inline(always)]
    fn meet(_: u8, answer: u8) -> u8 {
        answer
    }
}

impl Meet for And {
    const KEEPS_ZERO: bool = true;

    #[inline(always)]
    fn meet(held: u8, answer: u8) -> u8 {
        held & answer
    }
}

impl Meet for Or {
    const KEEPS_ZERO: bool = false;

    #[inline(always)]
    fn meet(held: u8, answer: u8) -> u8 {
        held | answer
    }
}

/// Gives every row the same answer.
pub(super) fn answer_all<M: Meet>(mask: &mut [u8], answer: u8) {
    mask.iter_mut().for_each(|held| *held = M::meet(*held, answer));
}
