//! FOREACH, its block and GENERATE.

use super::cursor::{Parse, Parser};
use super::words::{NESTED_OPERATORS, is_one_of};
use crate::ast::{
    Expression, ExpressionKind, GenerateItem, ItemNames, NestedOperator, NestedStatement, OperatorKind,
};
use crate::lex::{Sign, TokenKind};
use crate::source::did_you_mean;
use crate::source::{Diagnostic, DiagnosticKind};

impl Parser<'_> {
    pub(super) fn foreach(&mut self) -> Parse<OperatorKind> {
        let input = self.relation()?;
        if self.eat_word("GENERATE").is_some() {
            return Ok(OperatorKind::Foreach { input, block: Vec::new(), items: self.generate_items()? });
        }
        if self.eat_sign(Sign::LeftBrace).is_none() {
            let mut error = self.unexpected("GENERATE or '{'");
            if let TokenKind::Word(word) = self.kind() {
                error.help = did_you_mean(word, ["GENERATE"]).map(|word| format!("did you mean '{word}'?"));
            }
            return Err(error);
        }
        let (block, items) = self.block()?;
        Ok(OperatorKind::Foreach { input, block, items })
    }

    /// Up to the `}`. Errors of its statements are reported one by one.
    fn block(&mut self) -> Parse<(Vec<NestedStatement>, Vec<GenerateItem>)> {
        let mut statements = Vec::new();
        let found = self.diagnostics.len();
        loop {
            let start = self.place();
            if self.eat_sign(Sign::Semicolon).is_some() {
                continue;
            }
            if self.eat_word("GENERATE").is_some() {
                let items = self.generate_items().and_then(|items| self.end_of_generate().map(|()| items));
                match items {
                    Ok(items) => {
                        self.sign(Sign::RightBrace)?;
                        return Ok((statements, items));
                    }
                    Err(error) => self.nested_error(error, start)?,
                }
                while *self.kind() != TokenKind::End && !self.is_sign(Sign::RightBrace) {
                    self.advance();
                }
                self.sign(Sign::RightBrace)?;
                return Ok((statements, Vec::new()));
            }
            if matches!(self.kind(), TokenKind::Sign(Sign::RightBrace)) {
                if self.diagnostics.len() == found {
                    let error = self.unexpected("GENERATE").with_help("a block ends with GENERATE");
                    self.diagnostics.push(error);
                }
                self.advance();
                return Ok((statements, Vec::new()));
            }
            if *self.kind() == TokenKind::End {
                return Err(self.unexpected("GENERATE or '}'"));
            }
            match self.nested_statement() {
                Ok(statement) => statements.push(statement),
                Err(error) => self.nested_error(error, start)?,
            }
        }
    }

    fn end_of_generate(&mut self) -> Parse<()> {
        let semicolon = self.eat_sign(Sign::Semicolon).is_some();
        if self.is_sign(Sign::RightBrace) {
            return Ok(());
        }
        let error = self.unexpected(if semicolon { "'}'" } else { "',', ';' or '}'" });
        Err(if semicolon {
            Box::new(error.with_help("GENERATE is the last statement of a block"))
        } else {
            error
        })
    }

    fn nested_error(&mut self, error: Box<Diagnostic>, start: usize) -> Parse<()> {
        if *self.kind() == TokenKind::End {
            return Err(error);
        }
        self.diagnostics.push(*error);
        self.recover(start, true);
        Ok(())
    }

    /// `x = FILTER A BY c;`, `x = A.f;`.
    fn nested_statement(&mut self) -> Parse<NestedStatement> {
        let start = self.span();
        if let TokenKind::Word(word) = self.kind()
            && !self.sign_at(1, Sign::Equal)
            && let Some(meant) = did_you_mean(word, ["GENERATE"])
        {
            let mut error = self.unexpected("GENERATE or 'name ='");
            error.help = Some(format!("did you mean '{meant}'?"));
            return Err(error);
        }
        let alias = self.alias()?;
        self.sign(Sign::Equal)?;
        let operator = self.nested_operator()?;
        let span = self.since(start);
        if self.eat_sign(Sign::Semicolon).is_none() {
            let mut error = self.unexpected("';'");
            if let (NestedOperator::Expression(Expression { span, .. }), TokenKind::Word(_)) =
                (&operator, self.kind())
            {
                let word = self.text.get(span.start as usize..span.end as usize).unwrap_or("");
                if let Some(meant) = did_you_mean(word, NESTED_OPERATORS) {
                    let message = format!("found '{word}', expected an operator or an expression");
                    let help = format!("did you mean '{meant}'?");
                    error = Box::new(Diagnostic::invalid(message, *span).with_help(help));
                }
            }
            if self.begins_line() && !matches!(self.kind(), TokenKind::Bad(_)) && error.help.is_none() {
                self.diagnostics.push(*error);
            } else {
                return Err(error);
            }
        }
        Ok(NestedStatement { alias, operator, span })
    }

    fn nested_operator(&mut self) -> Parse<NestedOperator> {
        let word = match self.kind() {
            TokenKind::Word(word) if is_one_of(word, NESTED_OPERATORS) && self.begins_bag(1) => {
                word.to_ascii_uppercase()
            }
            TokenKind::Word(word) if is_one_of(word, OUTER_OPERATORS) && self.begins_bag(1) => {
                let message = format!("{} is not allowed in a nested block", word.to_ascii_uppercase());
                let help = "there are FILTER, ORDER, DISTINCT, LIMIT, CROSS and FOREACH";
                return Err(Box::new(Diagnostic::invalid(message, self.span()).with_help(help)));
            }
            _ => return Ok(NestedOperator::Expression(self.expression()?)),
        };
        self.advance();
        if word == "CROSS" {
            let inputs = self.list(Self::postfix)?;
            if inputs.len() < 2 {
                return Err(self.unexpected("',' and another bag: CROSS takes two or more"));
            }
            return Ok(NestedOperator::Cross { inputs });
        }
        let input = self.postfix()?;
        Ok(match word.as_str() {
            "FILTER" => {
                self.word("BY")?;
                NestedOperator::Filter { input, condition: self.expression()? }
            }
            "ORDER" => {
                self.word("BY")?;
                let keys = self.order_keys()?;
                if let Some(span) = self.eat_word("USING") {
                    return Err(unsupported("a comparator in a nested ORDER", span));
                }
                NestedOperator::Order { input, keys }
            }
            "LIMIT" => NestedOperator::Limit { input, count: self.expression()? },
            "FOREACH" => {
                if self.is_sign(Sign::LeftBrace) {
                    return Err(unsupported("a block in a nested FOREACH", self.span()));
                }
                self.word("GENERATE")?;
                NestedOperator::Foreach { input, items: self.generate_items()? }
            }
            _ => NestedOperator::Distinct { input },
        })
    }

    /// Whether a bag may begin ahead, so that the word before it is an operator and not a field.
    fn begins_bag(&self, ahead: usize) -> bool {
        match self.kind_at(ahead) {
            TokenKind::Word(word) => !is_one_of(word, super::words::NO_OPERANDS),
            TokenKind::Position(_) | TokenKind::Sign(Sign::LeftParen | Sign::LeftBrace) => true,
            _ => false,
        }
    }

    /// The items of GENERATE.
    pub(super) fn generate_items(&mut self) -> Parse<Vec<GenerateItem>> {
        self.list(|parser| {
            let start = parser.span();
            let flatten = parser.is_word("FLATTEN") && parser.sign_at(1, Sign::LeftParen);
            let expression = if flatten {
                parser.advance();
                parser.advance();
                let inner = Box::new(parser.item()?);
                parser.sign(Sign::RightParen)?;
                Expression { kind: ExpressionKind::Flatten(inner), span: parser.since(start) }
            } else {
                parser.item()?
            };
            let names = match parser.eat_word("AS") {
                Some(_) if parser.is_sign(Sign::LeftParen) => Some(ItemNames::List(parser.schema()?)),
                Some(_) => Some(ItemNames::Field(parser.field()?)),
                None => None,
            };
            Ok(GenerateItem { expression, names, span: parser.since(start) })
        })
    }
}

/// Operators that Pig has only outside of blocks.
const OUTER_OPERATORS: &[&str] =
    &["COGROUP", "CUBE", "GROUP", "JOIN", "LOAD", "RANK", "SAMPLE", "STREAM", "UNION", "SPLIT", "STORE"];

pub(super) fn unsupported(what: &str, span: crate::source::Span) -> Box<Diagnostic> {
    let mut error = Diagnostic::invalid(format!("{what} is not supported"), span);
    error.kind = DiagnosticKind::Unsupported;
    Box::new(error)
}
