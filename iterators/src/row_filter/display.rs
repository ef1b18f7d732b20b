//! Row filters as SQL-like text, for EXPLAIN and messages.
//!
//! The text is for people: it is not parsed again, long lists are cut (with their length), and a predicate that
//! SQL has no word for is written out (`ConstantUnlessNull` as `x IS NOT NULL OR NULL`).

use std::fmt::{self, Write};

use ostracon_compare::{LiteralText, PrimitiveType, Scalar, ScalarRef};

use super::{Operand, RowFilterSpec, RowPredicate};

/// How many values of an IN list are shown.
const LIST_LIMIT: usize = 10;

impl fmt::Display for RowFilterSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_predicate(f, &self.predicate, &self.operands)
    }
}

/// What is still to be written: a predicate with the binding strength of its surroundings, or text.
enum Piece<'a> {
    Predicate(&'a RowPredicate, Binding),
    Text(&'static str),
}

/// How tightly the surroundings bind: an OR within an AND needs parentheses.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Binding {
    Loose,
    Or,
    And,
}

/// Writes a predicate; operands beyond the list appear as `#index`.
pub(super) fn write_predicate(
    f: &mut fmt::Formatter<'_>,
    predicate: &RowPredicate,
    operands: &[Operand],
) -> fmt::Result {
    let mut pieces = vec![Piece::Predicate(predicate, Binding::Loose)];
    while let Some(piece) = pieces.pop() {
        match piece {
            Piece::Text(text) => f.write_str(text)?,
            Piece::Predicate(node, around) => write_node(f, node, around, operands, &mut pieces)?,
        }
    }
    Ok(())
}

fn write_node<'a>(
    f: &mut fmt::Formatter<'_>,
    node: &'a RowPredicate,
    around: Binding,
    operands: &[Operand],
    pieces: &mut Vec<Piece<'a>>,
) -> fmt::Result {
    match node {
        RowPredicate::And(parts) => list(f, parts, around, Binding::And, pieces),
        RowPredicate::Or(parts) => list(f, parts, around, Binding::Or, pieces),
        RowPredicate::Not(input) => match &**input {
            RowPredicate::IsNull { .. }
            | RowPredicate::In { .. }
            | RowPredicate::Like { .. }
            | RowPredicate::Between { .. } => write_leaf(f, input, true, operands),
            _ => {
                pieces.extend([
                    Piece::Text(")"),
                    Piece::Predicate(input, Binding::Loose),
                    Piece::Text("NOT ("),
                ]);
                Ok(())
            }
        },
        RowPredicate::IsTruth { input, truth } => {
            let test = match truth {
                Some(true) => ") IS TRUE",
                Some(false) => ") IS FALSE",
                None => ") IS UNKNOWN",
            };
            pieces.extend([Piece::Text(test), Piece::Predicate(input, Binding::Loose), Piece::Text("(")]);
            Ok(())
        }
        RowPredicate::ConstantUnlessNull { .. } if around == Binding::And => {
            f.write_str("(")?;
            write_leaf(f, node, false, operands)?;
            f.write_str(")")
        }
        leaf => write_leaf(f, leaf, false, operands),
    }
}

/// Puts the parts and the words between them on the list of what is to be written, last first.
fn list<'a>(
    f: &mut fmt::Formatter<'_>,
    parts: &'a [RowPredicate],
    around: Binding,
    own: Binding,
    pieces: &mut Vec<Piece<'a>>,
) -> fmt::Result {
    let (word, empty) = if own == Binding::And { (" AND ", "true") } else { (" OR ", "false") };
    match parts {
        [] => f.write_str(empty),
        [only] => {
            pieces.push(Piece::Predicate(only, around));
            Ok(())
        }
        [first, rest @ ..] => {
            let parenthesised = around > own;
            if parenthesised {
                pieces.push(Piece::Text(")"));
            }
            for part in rest.iter().rev() {
                pieces.push(Piece::Predicate(part, own));
                pieces.push(Piece::Text(word));
            }
            pieces.push(Piece::Predicate(first, own));
            if parenthesised {
                pieces.push(Piece::Text("("));
            }
            Ok(())
        }
    }
}

fn write_leaf(
    f: &mut fmt::Formatter<'_>,
    leaf: &RowPredicate,
    negated: bool,
    operands: &[Operand],
) -> fmt::Result {
    let not = if negated { "NOT " } else { "" };
    match leaf {
        RowPredicate::Constant(Some(known)) => write!(f, "{known}"),
        RowPredicate::Constant(None) => f.write_str("NULL"),
        RowPredicate::Compare { operand, op, constant } => {
            write!(f, "{} {} ", Name(operands, *operand), op.symbol())?;
            write_constant(f, operands, *operand, constant)
        }
        RowPredicate::Between { operand, low, high } => {
            write!(f, "{} {not}BETWEEN ", Name(operands, *operand))?;
            write_constant(f, operands, *operand, low)?;
            f.write_str(" AND ")?;
            write_constant(f, operands, *operand, high)
        }
        RowPredicate::In { operand, values, has_null } => {
            write!(f, "{} {not}IN (", Name(operands, *operand))?;
            for (index, value) in values.iter().take(LIST_LIMIT).enumerate() {
                f.write_str(if index == 0 { "" } else { ", " })?;
                write_constant(f, operands, *operand, value)?;
            }
            if values.len() > LIST_LIMIT {
                write!(f, ", ... {} values", values.len())?;
            }
            if *has_null {
                f.write_str(if values.is_empty() { "NULL" } else { ", NULL" })?;
            }
            f.write_str(")")
        }
        RowPredicate::Like { operand, pattern, case_insensitive } => {
            let word = if *case_insensitive { "ILIKE" } else { "LIKE" };
            write!(f, "{} {not}{word} ", Name(operands, *operand))?;
            write_on_one_line(
                f,
                &LiteralText::of_ref(PrimitiveType::Utf8, ScalarRef::Utf8(pattern)).to_string(),
            )
        }
        RowPredicate::IsNull { operand } => write!(f, "{} IS {not}NULL", Name(operands, *operand)),
        RowPredicate::ConstantUnlessNull { operand, value: true } => {
            write!(f, "{} IS NOT NULL OR NULL", Name(operands, *operand))
        }
        RowPredicate::ConstantUnlessNull { operand, value: false } => {
            write!(f, "{} IS NULL AND NULL", Name(operands, *operand))
        }
        RowPredicate::CompareOperands { left, op, right } => {
            write!(f, "{} {} {}", Name(operands, *left), op.symbol(), Name(operands, *right))
        }
        RowPredicate::And(_) | RowPredicate::Or(_) | RowPredicate::Not(_) | RowPredicate::IsTruth { .. } => {
            Ok(())
        }
    }
}

/// An operand's name.
struct Name<'a>(&'a [Operand], usize);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.get(self.1) {
            Some(operand) => f.write_str(&operand.name),
            None => write!(f, "#{}", self.1),
        }
    }
}

/// A constant as a literal of the operand's type; without an operand as it is held.
fn write_constant(
    f: &mut fmt::Formatter<'_>,
    operands: &[Operand],
    operand: usize,
    constant: &Scalar,
) -> fmt::Result {
    match operands.get(operand) {
        Some(operand) => write_on_one_line(f, &LiteralText::new(operand.ty, constant).to_string()),
        None => write_on_one_line(f, &format!("{constant:?}")),
    }
}

/// Writes text with its control characters escaped, so that EXPLAIN stays on its line.
fn write_on_one_line(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    for character in text.chars() {
        if character.is_control() {
            write!(f, "{}", character.escape_default())?;
        } else {
            f.write_char(character)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{OnBadValue, OperandSource};
    use ostracon_compare::{CompareOp, Encoding};

    fn operand(name: &str, ty: PrimitiveType) -> Operand {
        Operand {
            name: name.to_owned(),
            source: OperandSource::Row,
            ty,
            encoding: Encoding::Native,
            null_sequence: None,
        }
    }

    fn text(predicate: RowPredicate) -> String {
        RowFilterSpec {
            operands: vec![
                operand("n", PrimitiveType::Int32),
                operand("s", PrimitiveType::Utf8),
                operand("d", PrimitiveType::Date32),
                operand("b", PrimitiveType::Binary),
            ],
            predicate,
            on_bad_value: OnBadValue::Error,
        }
        .to_string()
    }

    fn compare(operand: usize, op: CompareOp, constant: Scalar) -> RowPredicate {
        RowPredicate::Compare { operand, op, constant }
    }

    #[test]
    fn constants_print_as_their_type() {
        assert_eq!(text(compare(0, CompareOp::GreaterThan, Scalar::Int(-5))), "n > -5");
        assert_eq!(text(compare(1, CompareOp::Equal, Scalar::Utf8("it's\n".to_owned()))), "s = 'it''s\\n'");
        assert_eq!(text(compare(2, CompareOp::LessThan, Scalar::Int(0))), "d < '1970-01-01'");
        assert_eq!(
            text(compare(3, CompareOp::LessThanOrEqual, Scalar::Binary(vec![0, 0xab]))),
            "b <= X'00ab'"
        );
    }

    #[test]
    fn precedence_is_kept_with_few_parentheses() {
        let a = || RowPredicate::IsNull { operand: 0 };
        let b = || RowPredicate::IsNull { operand: 1 };
        let and = RowPredicate::And(vec![RowPredicate::Or(vec![a(), b()]), a()]);
        assert_eq!(text(and.clone()), "(n IS NULL OR s IS NULL) AND n IS NULL");
        assert_eq!(
            text(RowPredicate::Or(vec![and, b()])),
            "(n IS NULL OR s IS NULL) AND n IS NULL OR s IS NULL"
        );
        assert_eq!(
            text(RowPredicate::Not(Box::new(RowPredicate::And(vec![a(), b()])))),
            "NOT (n IS NULL AND s IS NULL)"
        );
        assert_eq!(text(RowPredicate::Not(Box::new(a()))), "n IS NOT NULL");
        assert_eq!(
            text(RowPredicate::IsTruth { input: Box::new(RowPredicate::Or(vec![a(), b()])), truth: None }),
            "(n IS NULL OR s IS NULL) IS UNKNOWN"
        );
        assert_eq!(
            text(RowPredicate::And(vec![RowPredicate::ConstantUnlessNull { operand: 0, value: true }, a()])),
            "(n IS NOT NULL OR NULL) AND n IS NULL"
        );
        assert_eq!(text(RowPredicate::And(vec![])), "true");
        assert_eq!(text(RowPredicate::Or(vec![RowPredicate::Or(vec![])])), "false");
    }

    #[test]
    fn lists_and_patterns() {
        let list = |values: Vec<i64>, has_null| RowPredicate::In {
            operand: 0,
            values: values.into_iter().map(Scalar::Int).collect(),
            has_null,
        };
        assert_eq!(text(list(vec![1, 2], true)), "n IN (1, 2, NULL)");
        assert_eq!(text(!list(vec![], true)), "n NOT IN (NULL)");
        assert_eq!(
            text(list((0..100).collect(), false)),
            "n IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ... 100 values)"
        );
        let like = RowPredicate::Like { operand: 1, pattern: "a\\_%".to_owned(), case_insensitive: true };
        assert_eq!(text(!like), "s NOT ILIKE 'a\\_%'");
        let between = RowPredicate::Between { operand: 0, low: Scalar::Int(1), high: Scalar::Int(3) };
        assert_eq!(text(!between), "n NOT BETWEEN 1 AND 3");
        let columns = RowPredicate::CompareOperands { left: 0, op: CompareOp::NotEqual, right: 9 };
        assert_eq!(text(columns), format!("n {} #9", CompareOp::NotEqual.symbol()));
    }
}
