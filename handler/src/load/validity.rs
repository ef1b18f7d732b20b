//! [`Validity`]: which values of a column are NULL.

use arrow::buffer::NullBuffer;

/// Which values are NULL. Most columns have few NULLs or none: only their places are kept.
#[derive(Debug, Default)]
pub(super) struct Validity {
    len: usize,
    /// Places of NULLs, ascending.
    nulls: Vec<usize>,
    /// The column is NOT NULL.
    required: bool,
}

impl Validity {
    pub(super) fn new(required: bool) -> Self {
        Self { required, ..Self::default() }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn is_required(&self) -> bool {
        self.required
    }

    #[inline]
    pub(super) fn push_value(&mut self) {
        self.len += 1;
    }

    /// Appends NULL; `None` where the column is NOT NULL.
    #[inline]
    pub(super) fn push_null(&mut self) -> Option<()> {
        if self.required {
            return None;
        }
        self.push_hole();
        Some(())
    }

    /// Appends a NULL that the column's rule does not see: below a NULL parent.
    pub(super) fn push_hole(&mut self) {
        self.nulls.push(self.len);
        self.len += 1;
    }

    pub(super) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
        self.nulls.truncate(self.nulls.partition_point(|place| *place < len));
    }

    /// The buffer of an Arrow array, `None` without NULLs; all is empty again.
    pub(super) fn finish(&mut self) -> Option<NullBuffer> {
        let len = std::mem::take(&mut self.len);
        if self.nulls.is_empty() {
            return None;
        }
        let mut valid = vec![true; len];
        for place in self.nulls.drain(..) {
            if let Some(valid) = valid.get_mut(place) {
                *valid = false;
            }
        }
        Some(NullBuffer::from(valid))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nulls_are_kept_by_place_and_cut_off() {
        let mut validity = Validity::new(false);
        for null in [false, true, false, true, true] {
            match null {
                true => validity.push_null().unwrap(),
                false => validity.push_value(),
            }
        }
        validity.truncate(4);
        validity.push_value();
        let nulls = validity.finish().unwrap();
        assert_eq!(nulls.iter().collect::<Vec<_>>(), [true, false, true, false, true]);
        assert_eq!(validity.len(), 0);
        validity.push_value();
        assert!(validity.finish().is_none());
        assert!(Validity::new(true).push_null().is_none());
    }
}
