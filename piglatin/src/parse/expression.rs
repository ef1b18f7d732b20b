//! Operators of expressions, by precedence: signs and casts, `* / %`, `+ -`, comparisons, NOT, AND, OR.

use super::cursor::{Parse, Parser};
use crate::ast::{BinaryOp, Expression, ExpressionKind, UnaryOp};
use crate::lex::{Sign, TokenKind};
use crate::source::{Diagnostic, Span};

/// Levels of a tree; walks over it recurse.
const MAX_DEPTH: usize = 400;

const OR: u8 = 1;
const AND: u8 = 2;
const COMPARISON: u8 = 4;
const ADDITIVE: u8 = 5;
const MULTIPLICATIVE: u8 = 6;
const SIGN: u8 = 7;

#[derive(Clone, Copy)]
enum Infix {
    Binary(BinaryOp),
    IsNull,
    In,
}

impl Parser<'_> {
    /// Any expression but `*`, ranges and FLATTEN.
    pub(super) fn expression(&mut self) -> Parse<Expression> {
        let expression = self.binary(OR)?;
        if self.is_sign(Sign::Question) {
            let message = "found '?' outside of parentheses";
            return Err(Box::new(
                Diagnostic::invalid(message, self.span()).with_help("write (condition ? a : b)"),
            ));
        }
        Ok(expression)
    }

    /// An expression whose operators bind at least as strongly as `least`.
    pub(super) fn binary(&mut self, least: u8) -> Parse<Expression> {
        self.nested(|parser| {
            let mut left = parser.prefix()?;
            while let Some((infix, power)) = parser.infix()?
                && power >= least
            {
                let depth = parser.depth;
                left = parser.infix_operand(left, infix, power)?;
                parser.deepen(depth, left.span)?;
            }
            Ok(left)
        })
    }

    /// The expression made last lies over one of `depth` levels, and over the one made before it.
    pub(super) fn deepen(&mut self, depth: usize, span: Span) -> Parse<()> {
        self.depth = self.depth.max(depth) + 1;
        if self.depth > MAX_DEPTH {
            let message = format!("an expression of more than {MAX_DEPTH} operators in each other");
            let help = "use IN (...) or split it into several steps";
            return Err(Box::new(Diagnostic::invalid(message, span).with_help(help)));
        }
        Ok(())
    }

    fn infix(&mut self) -> Parse<Option<(Infix, u8)>> {
        let comparison = |op| (Infix::Binary(op), COMPARISON);
        Ok(Some(match self.kind() {
            TokenKind::Sign(sign) => match sign {
                Sign::Plus => (Infix::Binary(BinaryOp::Add), ADDITIVE),
                Sign::Minus => (Infix::Binary(BinaryOp::Subtract), ADDITIVE),
                Sign::Star => (Infix::Binary(BinaryOp::Multiply), MULTIPLICATIVE),
                Sign::Slash => (Infix::Binary(BinaryOp::Divide), MULTIPLICATIVE),
                Sign::Percent => (Infix::Binary(BinaryOp::Modulo), MULTIPLICATIVE),
                Sign::Less if self.sign_at(1, Sign::Greater) => {
                    let message = "'<>' does not compare";
                    return Err(Box::new(Diagnostic::invalid(message, self.span()).with_help("write !=")));
                }
                Sign::EqualEqual => comparison(BinaryOp::Equal),
                Sign::NotEqual => comparison(BinaryOp::NotEqual),
                Sign::Less => comparison(BinaryOp::Less),
                Sign::LessEqual => comparison(BinaryOp::LessOrEqual),
                Sign::Greater => comparison(BinaryOp::Greater),
                Sign::GreaterEqual => comparison(BinaryOp::GreaterOrEqual),
                // On a new line it is the next statement whose `;` before is missing.
                Sign::Equal if !self.begins_line() => {
                    let message = "'=' does not compare";
                    return Err(Box::new(Diagnostic::invalid(message, self.span()).with_help("write ==")));
                }
                _ => return Ok(None),
            },
            TokenKind::Word(word) => match word.to_ascii_lowercase().as_str() {
                "or" => (Infix::Binary(BinaryOp::Or), OR),
                "and" => (Infix::Binary(BinaryOp::And), AND),
                "eq" => comparison(BinaryOp::Equal),
                "neq" => comparison(BinaryOp::NotEqual),
                "lt" => comparison(BinaryOp::Less),
                "lte" => comparison(BinaryOp::LessOrEqual),
                "gt" => comparison(BinaryOp::Greater),
                "gte" => comparison(BinaryOp::GreaterOrEqual),
                "matches" => comparison(BinaryOp::Matches),
                "is" => (Infix::IsNull, COMPARISON),
                "in" => (Infix::In, COMPARISON),
                _ => return Ok(None),
            },
            _ => return Ok(None),
        }))
    }

    fn infix_operand(&mut self, left: Expression, infix: Infix, power: u8) -> Parse<Expression> {
        let op_span = self.advance();
        let start = left.span;
        let operand = Box::new(left);
        let kind = match infix {
            Infix::Binary(op) => {
                let right = Box::new(self.binary(power + 1)?);
                ExpressionKind::Binary { op, op_span, left: operand, right }
            }
            Infix::IsNull => {
                let negated = self.eat_word("NOT").is_some();
                self.word("NULL")?;
                ExpressionKind::IsNull { operand, negated }
            }
            Infix::In => {
                self.sign(Sign::LeftParen)?;
                if self.is_sign(Sign::RightParen) {
                    return Err(self.unexpected("a value to look for"));
                }
                let (list, _) = self.expressions(Sign::RightParen)?;
                ExpressionKind::In { operand, list }
            }
        };
        Ok(Expression { kind, span: self.since(start) })
    }

    /// `NOT x`, `-x`, `(int)x`, or an operand.
    fn prefix(&mut self) -> Parse<Expression> {
        let start = self.span();
        if self.is_word("NOT") {
            let op_span = self.advance();
            // NOT binds weaker than comparisons: NOT a == b is NOT (a == b).
            let operand = Box::new(self.binary(COMPARISON)?);
            return self.unary(UnaryOp::Not, op_span, operand);
        }
        if self.is_sign(Sign::Minus) {
            let op_span = self.advance();
            if let Some(constant) = self.least_integer() {
                self.advance();
                self.depth = 1;
                return Ok(Expression { kind: ExpressionKind::Constant(constant), span: self.since(start) });
            }
            let operand = Box::new(self.binary(SIGN)?);
            return self.unary(UnaryOp::Negate, op_span, operand);
        }
        if self.is_sign(Sign::LeftParen)
            && let Some((to, _)) = self.cast()
        {
            let operand = Box::new(self.binary(SIGN)?);
            let span = self.since(start);
            self.deepen(0, span)?;
            return Ok(Expression { kind: ExpressionKind::Cast { to, operand }, span });
        }
        self.postfix()
    }

    fn unary(&mut self, op: UnaryOp, op_span: Span, operand: Box<Expression>) -> Parse<Expression> {
        let span = self.since(op_span);
        self.deepen(0, span)?;
        Ok(Expression { kind: ExpressionKind::Unary { op, op_span, operand }, span })
    }

    /// Expressions with commas up to `close`, which is read too; `*` and ranges are allowed. With the end's place.
    pub(super) fn expressions(&mut self, close: Sign) -> Parse<(Vec<Expression>, Span)> {
        let mut depth = 0;
        let list = self.list_to(close, |parser| {
            let item = parser.item()?;
            depth = depth.max(parser.depth);
            Ok(item)
        })?;
        self.depth = depth;
        Ok((list, self.last_span()))
    }
}
