//! The comparison operators.
//!
//! [`CompareOp`] turns an order into an answer. There are six and no more; other predicates are built from them.

use std::cmp::Ordering;
use std::fmt;

/// A comparison operator, read as `column op constant`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CompareOp {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    LessThan,
    /// `<=`
    LessThanOrEqual,
    /// `>`
    GreaterThan,
    /// `>=`
    GreaterThanOrEqual,
}

impl CompareOp {
    /// Every operator.
    pub const ALL: [Self; 6] = [
        Self::Equal,
        Self::NotEqual,
        Self::LessThan,
        Self::LessThanOrEqual,
        Self::GreaterThan,
        Self::GreaterThanOrEqual,
    ];

    /// Whether the operator holds for a left side that compares so to the right side.
    pub fn accepts(self, order: Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::NotEqual => order.is_ne(),
            Self::LessThan => order.is_lt(),
            Self::LessThanOrEqual => order.is_le(),
            Self::GreaterThan => order.is_gt(),
            Self::GreaterThanOrEqual => order.is_ge(),
        }
    }

    /// The operator that holds exactly where this one does not (neither holds for NULL).
    pub fn negate(self) -> Self {
        match self {
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
            Self::LessThan => Self::GreaterThanOrEqual,
            Self::LessThanOrEqual => Self::GreaterThan,
            Self::GreaterThan => Self::LessThanOrEqual,
            Self::GreaterThanOrEqual => Self::LessThan,
        }
    }

    /// The operator for exchanged sides: `a op b` is `b op.swap() a`.
    pub fn swap(self) -> Self {
        match self {
            Self::Equal | Self::NotEqual => self,
            Self::LessThan => Self::GreaterThan,
            Self::LessThanOrEqual => Self::GreaterThanOrEqual,
            Self::GreaterThan => Self::LessThan,
            Self::GreaterThanOrEqual => Self::LessThanOrEqual,
        }
    }

    /// The operator as SQL writes it.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::LessThan => "<",
            Self::LessThanOrEqual => "<=",
            Self::GreaterThan => ">",
            Self::GreaterThanOrEqual => ">=",
        }
    }
}

impl fmt::Display for CompareOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.symbol())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negate_and_swap_keep_their_promises() {
        for op in CompareOp::ALL {
            for (a, b) in [(1, 2), (2, 2), (3, 2)] {
                assert_eq!(op.accepts(a.cmp(&b)), !op.negate().accepts(a.cmp(&b)), "{op}");
                assert_eq!(op.accepts(a.cmp(&b)), op.swap().accepts(b.cmp(&a)), "{op}");
            }
            assert_eq!(op.negate().negate(), op);
            assert_eq!(op.swap().swap(), op);
        }
        let symbols: Vec<&str> = CompareOp::ALL.iter().map(|op| op.symbol()).collect();
        assert_eq!(symbols, ["=", "!=", "<", "<=", ">", ">="]);
    }
}
