//! Operands of expressions: names, literals, calls, brackets, and what stands behind them.

use super::cursor::{Parse, Parser};
use super::words::{NO_OPERANDS, is_one_of};
use crate::ast::{CaseBranch, Column, Expression, ExpressionKind, Name};
use crate::lex::{Sign, TokenKind};
use crate::source::{Diagnostic, Span};

impl Parser<'_> {
    /// `*`, a range, or an expression: what functions, keys and GENERATE take.
    pub(super) fn item(&mut self) -> Parse<Expression> {
        let start = self.span();
        if self.is_sign(Sign::Star) {
            self.advance();
            return Ok(self.leaf(ExpressionKind::Star, start));
        }
        if self.eat_sign(Sign::DotDot).is_some() {
            let to = Some(self.column("the last column of the range")?);
            return Ok(self.leaf(ExpressionKind::Range { from: None, to }, start));
        }
        let is_column = matches!(self.kind(), TokenKind::Word(_) | TokenKind::Position(_));
        if is_column && self.sign_at(1, Sign::DotDot) {
            let from = Some(self.column("a column")?);
            self.advance();
            let closed = match self.kind() {
                TokenKind::Position(_) => true,
                TokenKind::Word(word) => !is_one_of(word, NO_OPERANDS) && !is_one_of(word, BEHIND_KEYS),
                _ => false,
            };
            let to = if closed { Some(self.column("a column")?) } else { None };
            return Ok(self.leaf(ExpressionKind::Range { from, to }, start));
        }
        self.expression()
    }

    fn leaf(&mut self, kind: ExpressionKind, start: Span) -> Expression {
        self.depth = 1;
        Expression { kind, span: self.since(start) }
    }

    /// `a`, `A::a`, `$3`.
    pub(super) fn column(&mut self, what: &str) -> Parse<Column> {
        match self.kind() {
            TokenKind::Position(index) => {
                let index = *index;
                Ok(Column::Position { index, span: self.advance() })
            }
            TokenKind::Number { digits, .. } if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                let help = format!("write ${digits} for a position");
                let mut error = self.unexpected(what);
                error.help = Some(help);
                Err(error)
            }
            _ => Ok(Column::Name(self.any_name(what)?)),
        }
    }

    /// An operand with `.f`, `.(f, g)` and `#'k'` behind it.
    pub(super) fn postfix(&mut self) -> Parse<Expression> {
        let mut base = self.operand()?;
        loop {
            let start = base.span;
            let kind = if self.eat_sign(Sign::Dot).is_some() {
                let parenthesised = self.eat_sign(Sign::LeftParen).is_some();
                let fields = if parenthesised {
                    if self.is_sign(Sign::RightParen) {
                        return Err(self.unexpected("a field"));
                    }
                    self.list_to(Sign::RightParen, |parser| parser.column("a field"))?
                } else {
                    vec![self.column("a field")?]
                };
                ExpressionKind::Dereference { base: Box::new(base), fields, parenthesised }
            } else if self.eat_sign(Sign::Hash).is_some() {
                let key = self.quoted("the key of a map in single quotes")?;
                ExpressionKind::MapLookup { base: Box::new(base), key }
            } else {
                return Ok(base);
            };
            base = Expression { kind, span: self.since(start) };
            self.deepen(0, base.span)?;
        }
    }

    fn operand(&mut self) -> Parse<Expression> {
        let start = self.span();
        match self.kind() {
            TokenKind::Position(index) => {
                let column = Column::Position { index: *index, span: self.advance() };
                Ok(self.leaf(ExpressionKind::Column(column), start))
            }
            TokenKind::Number { .. } | TokenKind::Quoted(_) => {
                let constant = self.literal()?;
                Ok(self.leaf(ExpressionKind::Constant(constant), start))
            }
            TokenKind::Sign(Sign::LeftParen) => self.parenthesised(),
            TokenKind::Sign(Sign::LeftBrace) => {
                self.advance();
                let (items, _) = self.expressions(Sign::RightBrace)?;
                self.composed(ExpressionKind::Bag(items), start)
            }
            TokenKind::Sign(Sign::LeftBracket) => self.map(),
            TokenKind::Sign(Sign::At) => {
                let message = "'@' stands only for a relation";
                Err(Box::new(
                    Diagnostic::invalid(message, start)
                        .with_help("name the relation before and use its name"),
                ))
            }
            TokenKind::Word(word) => {
                let word = word.clone();
                self.word_operand(&word)
            }
            _ => Err(self.unexpected("an expression")),
        }
    }

    fn word_operand(&mut self, word: &str) -> Parse<Expression> {
        let start = self.span();
        if let Some(name) = self.function_name() {
            if word.eq_ignore_ascii_case("FLATTEN") {
                let message = "FLATTEN inside of an expression";
                let help = "it may only be a whole item of GENERATE";
                return Err(Box::new(Diagnostic::invalid(message, start).with_help(help)));
            }
            self.sign(Sign::LeftParen)?;
            let (arguments, _) = self.nested(|parser| parser.expressions(Sign::RightParen))?;
            return self.composed(ExpressionKind::Call { function: name, arguments }, start);
        }
        if word.eq_ignore_ascii_case("CASE") && !self.ends_operand(1) {
            return self.nested(Self::case);
        }
        if let Some(constant) = self.literal_word(word) {
            self.advance();
            return Ok(self.leaf(ExpressionKind::Constant(constant), start));
        }
        if is_one_of(word, NO_OPERANDS) {
            return Err(self.unexpected("an expression"));
        }
        let name = self.any_name("a name")?;
        Ok(self.leaf(ExpressionKind::Column(Column::Name(name)), start))
    }

    /// Whether the token ahead cannot go on an expression that has just begun.
    fn ends_operand(&self, ahead: usize) -> bool {
        matches!(
            self.kind_at(ahead),
            TokenKind::End
                | TokenKind::Sign(
                    Sign::Comma
                        | Sign::Semicolon
                        | Sign::RightParen
                        | Sign::Dot
                        | Sign::Hash
                        | Sign::EqualEqual
                        | Sign::NotEqual
                )
        )
    }

    /// `f` or `a.b.C`, if a `(` follows.
    fn function_name(&mut self) -> Option<Name> {
        let mut ahead = 1;
        while self.sign_at(ahead, Sign::Dot) && matches!(self.kind_at(ahead + 1), TokenKind::Word(_)) {
            ahead += 2;
        }
        if !self.sign_at(ahead, Sign::LeftParen) {
            return None;
        }
        if matches!(self.kind(), TokenKind::Word(word) if is_one_of(word, NO_OPERANDS) || word.eq_ignore_ascii_case("CASE"))
        {
            return None;
        }
        let start = self.span();
        for _ in 0..ahead {
            self.advance();
        }
        let span = self.since(start);
        let text: String = self
            .text
            .get(span.start as usize..span.end as usize)
            .unwrap_or("")
            .chars()
            .filter(|c| !c.is_whitespace())
            .collect();
        Some(Name { text, span })
    }

    /// Over parts whose depth is known.
    fn composed(&mut self, kind: ExpressionKind, start: Span) -> Parse<Expression> {
        let span = self.since(start);
        self.deepen(0, span)?;
        Ok(Expression { kind, span })
    }

    /// `()`, `(a)`, `(a, b)`, `(c ? a : b)`.
    fn parenthesised(&mut self) -> Parse<Expression> {
        let start = self.advance();
        if self.eat_sign(Sign::RightParen).is_some() {
            return Ok(self.leaf(ExpressionKind::Tuple(Vec::new()), start));
        }
        let first = self.first_in_parentheses()?;
        if self.is_sign(Sign::Question) {
            let bincond = self.bincond(first)?;
            self.sign(Sign::RightParen)?;
            return Ok(Expression { span: self.since(start), ..bincond });
        }
        if self.eat_sign(Sign::RightParen).is_some() {
            return Ok(Expression { span: self.since(start), ..first });
        }
        if self.eat_sign(Sign::Comma).is_none() {
            return Err(self.unexpected("',' or ')'"));
        }
        let depth = self.depth;
        if self.is_sign(Sign::RightParen) {
            return Err(self.unexpected("an expression"));
        }
        let (mut rest, _) = self.expressions(Sign::RightParen)?;
        rest.insert(0, first);
        self.depth = self.depth.max(depth);
        self.composed(ExpressionKind::Tuple(rest), start)
    }

    /// As an item, but a `?` may follow.
    fn first_in_parentheses(&mut self) -> Parse<Expression> {
        let special = matches!(self.kind(), TokenKind::Sign(Sign::Star | Sign::DotDot))
            || self.sign_at(1, Sign::DotDot);
        if special { self.item() } else { self.binary(0) }
    }

    /// Behind the condition, up to before the `)`. The last branch may be such a choice itself.
    fn bincond(&mut self, condition: Expression) -> Parse<Expression> {
        self.nested(|parser| {
            let mut depth = parser.depth;
            parser.advance();
            let then = Box::new(parser.binary(0)?);
            depth = depth.max(parser.depth);
            parser.sign(Sign::Colon)?;
            let mut otherwise = parser.binary(0)?;
            if parser.is_sign(Sign::Question) {
                otherwise = parser.bincond(otherwise)?;
            }
            let span = parser.since(condition.span);
            parser.deepen(depth, span)?;
            let condition = Box::new(condition);
            let kind = ExpressionKind::Bincond { condition, then, otherwise: Box::new(otherwise) };
            Ok(Expression { kind, span })
        })
    }

    /// `['k'#v]`, `['k', v]`, `[]`.
    fn map(&mut self) -> Parse<Expression> {
        let start = self.advance();
        let mut depth = 0;
        let entries = self.list_to(Sign::RightBracket, |parser| {
            let key = parser.map_key()?;
            depth = depth.max(parser.depth);
            if parser.eat_sign(Sign::Hash).is_none() && parser.eat_sign(Sign::Comma).is_none() {
                return Err(parser.unexpected("'#' between key and value"));
            }
            let value = parser.expression()?;
            depth = depth.max(parser.depth);
            Ok((key, value))
        })?;
        self.depth = depth;
        self.composed(ExpressionKind::Map(entries), start)
    }

    /// A key ends before `#`, which elsewhere looks into a map: `['a'#1]`, `[name#1]`.
    fn map_key(&mut self) -> Parse<Expression> {
        let start = self.span();
        if !self.sign_at(1, Sign::Hash) {
            return self.expression();
        }
        match self.kind() {
            TokenKind::Word(_) | TokenKind::Position(_) => {
                let column = self.column("a key")?;
                Ok(self.leaf(ExpressionKind::Column(column), start))
            }
            _ => {
                let constant = self.literal()?;
                Ok(self.leaf(ExpressionKind::Constant(constant), start))
            }
        }
    }

    /// `CASE x WHEN v THEN r ... ELSE e END`, `CASE WHEN c THEN r ... END`.
    fn case(&mut self) -> Parse<Expression> {
        let start = self.advance();
        let mut depth = 0;
        let mut one = |parser: &mut Self| {
            let expression = parser.expression()?;
            depth = depth.max(parser.depth);
            Ok::<_, Box<Diagnostic>>(expression)
        };
        let operand = if self.is_word("WHEN") { None } else { Some(Box::new(one(self)?)) };
        let mut branches = Vec::new();
        self.word("WHEN")?;
        loop {
            let when = one(self)?;
            self.word("THEN")?;
            let then = one(self)?;
            branches.push(CaseBranch { when, then });
            if self.eat_word("WHEN").is_none() {
                break;
            }
        }
        let otherwise = match self.eat_word("ELSE") {
            Some(_) => Some(Box::new(one(self)?)),
            None => None,
        };
        if self.eat_word("END").is_none() {
            return Err(self.unexpected("WHEN, ELSE or END"));
        }
        self.depth = depth;
        self.composed(ExpressionKind::Case { operand, branches, otherwise }, start)
    }
}

/// What may follow an open range besides the words that no expression begins with.
const BEHIND_KEYS: &[&str] = &["DENSE", "INNER", "OUTER", "LEFT", "RIGHT", "FULL"];
