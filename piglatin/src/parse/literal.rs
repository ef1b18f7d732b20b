//! From the digits of a number to its value (N3).

use std::str::FromStr;

use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::BigInt;

use super::cursor::{Parse, Parser};
use crate::ast::Constant;
use crate::lex::{NumberSuffix, TokenKind};
use crate::source::Diagnostic;

/// Exponents of big numbers: a few letters must not ask for all memory.
const MAX_EXPONENT: u64 = 100_000;

impl Parser<'_> {
    /// NULL, TRUE, FALSE.
    pub(super) fn literal_word(&self, word: &str) -> Option<Constant> {
        match word.to_ascii_lowercase().as_str() {
            "null" => Some(Constant::Null),
            "true" => Some(Constant::Boolean(true)),
            "false" => Some(Constant::Boolean(false)),
            _ => None,
        }
    }

    /// The number behind a `-`, if it only fits with it.
    pub(super) fn least_integer(&self) -> Option<Constant> {
        let TokenKind::Number { digits, suffix } = self.kind() else { return None };
        let negative = format!("-{digits}");
        match suffix {
            NumberSuffix::None if digits.parse::<i32>().is_err() => negative.parse().ok().map(Constant::Int),
            NumberSuffix::Long if digits.parse::<i64>().is_err() => negative.parse().ok().map(Constant::Long),
            _ => None,
        }
    }

    /// A number or a string. One that does not fit its type is reported; parsing goes on.
    pub(super) fn literal(&mut self) -> Parse<Constant> {
        let (digits, suffix) = match self.kind() {
            TokenKind::Quoted(text) => {
                let text = text.clone();
                self.advance();
                return Ok(Constant::Chararray(text));
            }
            TokenKind::Number { digits, suffix } => (digits.clone(), *suffix),
            _ => return Err(self.unexpected("a literal")),
        };
        let span = self.advance();
        let whole = digits.bytes().all(|byte| byte.is_ascii_digit());
        let (value, ty, help) = match suffix {
            NumberSuffix::None if whole => {
                let help = match digits.parse::<i64>() {
                    Ok(_) => format!("write {digits}L for a long"),
                    Err(_) => format!("write {digits}BI for a biginteger"),
                };
                (digits.parse().ok().map(Constant::Int), "an int", Some(help))
            }
            NumberSuffix::None => (digits.parse().ok().map(Constant::Double), "a double", None),
            NumberSuffix::Float => (digits.parse().ok().map(Constant::Float), "a float", None),
            NumberSuffix::Long => {
                let help = whole.then(|| format!("write {digits}BI for a biginteger"));
                (digits.parse().ok().map(Constant::Long), "a long", help)
            }
            NumberSuffix::BigInteger => {
                (BigInt::from_str(&digits).ok().map(Constant::BigInteger), "a biginteger", None)
            }
            NumberSuffix::BigDecimal => {
                (big_decimal(&digits).map(Constant::BigDecimal), "a bigdecimal", None)
            }
        };
        if let Some(constant) = value {
            return Ok(constant);
        }
        let mut error = Diagnostic::invalid(format!("the literal {digits} does not fit {ty}"), span);
        error.help = help;
        self.diagnostics.push(error);
        Ok(Constant::Null)
    }
}

fn big_decimal(digits: &str) -> Option<BigDecimal> {
    if let Some((_, exponent)) = digits.split_once(['e', 'E'])
        && !exponent.parse::<i64>().is_ok_and(|exponent| exponent.unsigned_abs() <= MAX_EXPONENT)
    {
        return None;
    }
    BigDecimal::from_str(digits).ok()
}
