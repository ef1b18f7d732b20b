//! Statements, and the directives that become none: IMPORT, macros and their calls.

use super::cursor::{Parse, Parser};
use super::words::{CLAUSES, OPERATORS, STATEMENTS, is_one_of};
use crate::ast::{Name, Otherwise, ShellCommand, SplitBranch, Statement, StatementKind, Text};
use crate::lex::{Sign, TokenKind};
use crate::source::did_you_mean;
use crate::source::{Diagnostic, Span};

/// What a script holds, before imports are read and macros expanded.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Item {
    Statement(Statement),
    Import(Text),
    Macro(MacroDefinition),
    Call(MacroCall),
}

/// `DEFINE m(p, q) RETURNS a, b { ... }`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MacroDefinition {
    pub(crate) name: Name,
    pub(crate) parameters: Vec<Name>,
    /// Empty for VOID.
    pub(crate) returns: Vec<Name>,
    /// Between the braces.
    pub(crate) body: Span,
}

/// `a, b = m(A, 5, 'x');`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MacroCall {
    pub(crate) name: Name,
    pub(crate) outputs: Vec<Name>,
    /// As they are put into the body.
    pub(crate) arguments: Vec<Text>,
    pub(crate) span: Span,
}

impl Parser<'_> {
    /// All statements of the text; what is wrong is in the diagnostics.
    pub(super) fn items(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while *self.kind() != TokenKind::End {
            if self.eat_sign(Sign::Semicolon).is_some() {
                continue;
            }
            let start = self.place();
            match self.item_and_end() {
                Ok(item) => items.push(item),
                Err(error) => {
                    self.diagnostics.push(*error);
                    self.recover(start, false);
                }
            }
        }
        items
    }

    fn item_and_end(&mut self) -> Parse<Item> {
        let item = self.statement()?;
        let optional = matches!(
            self.last_kind(),
            Some(TokenKind::Sign(Sign::RightBrace | Sign::Semicolon) | TokenKind::Shell(_))
        );
        if self.eat_sign(Sign::Semicolon).is_some() || (optional && *self.kind() != TokenKind::End) {
            return Ok(item);
        }
        if optional {
            return Ok(item);
        }
        let mut error = self.unexpected("';'");
        if let TokenKind::Word(word) = self.kind()
            && !self.begins_line()
        {
            error.help = did_you_mean(word, CLAUSES).map(|meant| format!("did you mean '{meant}'?"));
        }
        // What begins on a new line is read as a statement of its own.
        if self.begins_line() && !matches!(self.kind(), TokenKind::Bad(_) | TokenKind::End) {
            self.diagnostics.push(*error);
            return Ok(item);
        }
        Err(error)
    }

    fn statement(&mut self) -> Parse<Item> {
        let start = self.span();
        let word = match self.kind() {
            TokenKind::Word(word) => word.clone(),
            TokenKind::Shell(words) => {
                let mut texts = words.iter().map(|(text, span)| Text { text: text.clone(), span: *span });
                let command = texts.next().unwrap_or(Text { text: String::new(), span: start });
                let arguments = texts.collect();
                self.advance();
                let command = Name { text: command.text, span: command.span };
                return Ok(self.done(start, StatementKind::Shell(ShellCommand { command, arguments })));
            }
            TokenKind::Sign(Sign::FatArrow) => {
                self.advance();
                let operator = self.operator()?;
                return Ok(self.done(start, StatementKind::Assign { alias: None, operator }));
            }
            _ => return Err(self.unexpected("a statement")),
        };
        if self.sign_at(1, Sign::Equal) || self.sign_at(1, Sign::Comma) {
            return self.assignment();
        }
        if is_one_of(&word, STATEMENTS) {
            return self.keyword_statement(&word);
        }
        if self.sign_at(1, Sign::LeftParen) && !is_one_of(&word, OPERATORS) {
            return self.call(Vec::new(), start);
        }
        if is_one_of(&word, OPERATORS) {
            let message = format!("the result of {} has no name", word.to_ascii_uppercase());
            let help = format!("write 'name = {} ...' or '=> {0} ...'", word.to_ascii_uppercase());
            return Err(Box::new(Diagnostic::invalid(message, start).with_help(help)));
        }
        let message = format!("found '{word}', expected a statement");
        let mut error = Diagnostic::invalid(message, start);
        error.help = match did_you_mean(&word, STATEMENTS) {
            Some(meant) => Some(format!("did you mean '{meant}'?")),
            None => {
                Some("a statement is 'name = operator ...' or begins with a word such as DUMP".to_owned())
            }
        };
        Err(Box::new(error))
    }

    pub(super) fn done(&self, start: Span, kind: StatementKind) -> Item {
        Item::Statement(Statement { kind, span: self.since(start) })
    }

    /// `A = ...`, `A, B = macro(...)`.
    fn assignment(&mut self) -> Parse<Item> {
        let start = self.span();
        let mut outputs = self.list(Self::alias)?;
        self.sign(Sign::Equal)?;
        let is_call = matches!(self.kind(), TokenKind::Word(_)) && self.sign_at(1, Sign::LeftParen);
        if is_call && !matches!(self.kind(), TokenKind::Word(word) if is_one_of(word, OPERATORS)) {
            return self.call(outputs, start);
        }
        let (Some(alias), true) = (outputs.pop(), outputs.is_empty()) else {
            return Err(self.unexpected("the call of a macro"));
        };
        if let TokenKind::Word(word) = self.kind() {
            match word.to_ascii_uppercase().as_str() {
                "ASSERT" => return self.assert(start, Some(alias)),
                "NATIVE" => return self.refused("NATIVE", start),
                "MAPREDUCE" => return self.refused("MAPREDUCE", start),
                _ => {}
            }
        }
        let operator = self.operator()?;
        Ok(self.done(start, StatementKind::Assign { alias: Some(alias), operator }))
    }

    fn call(&mut self, outputs: Vec<Name>, start: Span) -> Parse<Item> {
        let name = self.any_name("the name of a macro")?;
        self.sign(Sign::LeftParen)?;
        let arguments = self.list_to(Sign::RightParen, Self::argument)?;
        Ok(Item::Call(MacroCall { name, outputs, arguments, span: self.since(start) }))
    }

    /// An alias, a number, a string: strings go into the body without their quotes, as in Pig.
    fn argument(&mut self) -> Parse<Text> {
        let start = self.span();
        match self.kind() {
            TokenKind::Quoted(_) => {
                self.advance();
                let inside = self.text.get(start.start as usize + 1..start.end as usize - 1).unwrap_or("");
                return Ok(Text { text: inside.to_owned(), span: start });
            }
            TokenKind::Sign(Sign::Minus) if matches!(self.kind_at(1), TokenKind::Number { .. }) => {
                self.advance();
                self.advance();
            }
            TokenKind::Word(_) => {
                self.advance();
                while self.is_sign(Sign::Dot)
                    && matches!(self.kind_at(1), TokenKind::Word(_) | TokenKind::Position(_))
                {
                    self.advance();
                    self.advance();
                }
            }
            TokenKind::Number { .. } | TokenKind::Position(_) => {
                self.advance();
            }
            _ => return Err(self.unexpected("an argument: a name, a number or a string")),
        }
        let span = self.since(start);
        let text = self.text.get(span.start as usize..span.end as usize).unwrap_or("").to_owned();
        Ok(Text { text, span })
    }

    fn keyword_statement(&mut self, word: &str) -> Parse<Item> {
        let start = self.span();
        match word.to_ascii_uppercase().as_str() {
            "ASSERT" => return self.assert(start, None),
            "NATIVE" => return self.refused("NATIVE", start),
            "MAPREDUCE" => return self.refused("MAPREDUCE", start),
            _ => {}
        }
        self.advance();
        match word.to_ascii_uppercase().as_str() {
            "STORE" => {
                let input = self.relation()?;
                self.word("INTO")?;
                let path = self.quoted("a path in single quotes")?;
                let function = self.using()?;
                Ok(self.done(start, StatementKind::Store { input, path, function }))
            }
            "DUMP" => {
                let relation = self.relation()?;
                Ok(self.done(start, StatementKind::Dump(relation)))
            }
            "DESCRIBE" => {
                let name = if self.ends_statement() { None } else { Some(self.alias()?) };
                Ok(self.done(start, StatementKind::Describe(name)))
            }
            "EXPLAIN" => self.explain(start),
            "ILLUSTRATE" => {
                let relation = if self.ends_statement() { None } else { Some(self.relation()?) };
                Ok(self.done(start, StatementKind::Illustrate(relation)))
            }
            "SPLIT" => self.split(start),
            "DEFINE" => self.define(start),
            "IMPORT" => Ok(Item::Import(self.quoted("a path in single quotes")?)),
            "REGISTER" => self.register(start),
            _ => self.set(start),
        }
    }

    pub(super) fn ends_statement(&self) -> bool {
        matches!(self.kind(), TokenKind::Sign(Sign::Semicolon) | TokenKind::End)
    }

    fn assert(&mut self, start: Span, alias: Option<Name>) -> Parse<Item> {
        self.advance();
        let input = self.relation()?;
        self.word("BY")?;
        let condition = self.expression()?;
        let message = match self.eat_sign(Sign::Comma) {
            Some(_) => Some(self.quoted("a message in single quotes")?),
            None => None,
        };
        Ok(self.done(start, StatementKind::Assert { alias, input, condition, message }))
    }

    fn split(&mut self, start: Span) -> Parse<Item> {
        let input = self.relation()?;
        self.word("INTO")?;
        let mut branches = Vec::new();
        let mut otherwise = None;
        loop {
            let alias = self.alias()?;
            if self.eat_word("OTHERWISE").is_some() {
                otherwise = Some(Otherwise { alias, all: self.eat_word("ALL").is_some() });
                break;
            }
            if self.eat_word("IF").is_none() {
                return Err(self.unexpected("IF or OTHERWISE"));
            }
            branches.push(SplitBranch { alias, condition: self.expression()? });
            if self.eat_sign(Sign::Comma).is_none() {
                break;
            }
        }
        if branches.is_empty() {
            return Err(self.unexpected("a branch with IF before OTHERWISE"));
        }
        Ok(self.done(start, StatementKind::Split { input, branches, otherwise }))
    }

    /// Parsed by name only, to the `;`.
    fn refused(&mut self, what: &'static str, start: Span) -> Parse<Item> {
        while !self.ends_statement() {
            self.advance();
        }
        Ok(self.done(start, StatementKind::Refused { what }))
    }
}
