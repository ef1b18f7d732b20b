//! DEFINE of functions, commands and macros.

use super::cursor::{Parse, Parser};
use super::statement::{Item, MacroDefinition};
use crate::ast::{CommandSpec, FunctionDefinition, FunctionSpec, Name, StatementKind, StreamHandle, Text};
use crate::lex::{Sign, TokenKind};
use crate::source::{Diagnostic, Span};

impl Parser<'_> {
    pub(super) fn define(&mut self, start: Span) -> Parse<Item> {
        let name = self.any_name("a name")?;
        match self.kind() {
            TokenKind::Command(_) => {
                let command = self.command_spec()?;
                Ok(self.done(start, StatementKind::DefineCommand { alias: name, command }))
            }
            TokenKind::Sign(Sign::LeftParen) => self.define_macro(name),
            TokenKind::Word(_) => {
                let definition = self.define_function(name)?;
                Ok(self.done(start, StatementKind::Define(definition)))
            }
            _ => Err(self.unexpected("a function, a command in backticks, or '(' of a macro")),
        }
    }

    /// `f FUNC('ctor') (int, chararray) RETURNS long`: a second list, or a list that is followed by RETURNS, holds types.
    fn define_function(&mut self, alias: Name) -> Parse<FunctionDefinition> {
        let mut function = self.function_without_arguments()?;
        let ctor = self.is_sign(Sign::LeftParen)
            && (matches!(self.kind_at(1), TokenKind::Quoted(_) | TokenKind::Bad(_))
                || (self.sign_at(1, Sign::RightParen) && !self.word_at(2, "RETURNS")));
        if ctor {
            self.advance();
            function.arguments = self.list_to(Sign::RightParen, |parser| parser.quoted("a string"))?;
            function.span = self.since(function.span);
        }
        let signature = if self.eat_sign(Sign::LeftParen).is_some() {
            let arguments = self.list_to(Sign::RightParen, Self::type_spec)?;
            self.word("RETURNS")?;
            Some((arguments, self.type_spec()?))
        } else {
            None
        };
        Ok(FunctionDefinition { alias, function, signature })
    }

    fn function_without_arguments(&mut self) -> Parse<FunctionSpec> {
        let mut name = self.any_name("the name of a function")?;
        while self.eat_sign(Sign::Dot).is_some() {
            let part = self.any_name("the rest of the function's name")?;
            name.text = format!("{}.{}", name.text, part.text);
            name.span = name.span.to(part.span);
        }
        let span = name.span;
        Ok(FunctionSpec { name, arguments: Vec::new(), span })
    }

    fn command_spec(&mut self) -> Parse<CommandSpec> {
        let command = self.command()?;
        let mut spec = CommandSpec {
            command,
            input: Vec::new(),
            output: Vec::new(),
            ship: Vec::new(),
            cache: Vec::new(),
            stderr: None,
        };
        let mut seen: Vec<String> = Vec::new();
        while let TokenKind::Word(word) = self.kind() {
            let clause = word.to_ascii_uppercase();
            if !["INPUT", "OUTPUT", "SHIP", "CACHE", "STDERR"].contains(&clause.as_str()) {
                return Err(self.unexpected("INPUT, OUTPUT, SHIP, CACHE, STDERR or ';'"));
            }
            let place = self.advance();
            if seen.contains(&clause) {
                let message = format!("{clause} is given twice");
                return Err(Box::new(
                    Diagnostic::invalid(message, place).with_help("each may be given once"),
                ));
            }
            self.sign(Sign::LeftParen)?;
            match clause.as_str() {
                "INPUT" => spec.input = self.handles()?,
                "OUTPUT" => spec.output = self.handles()?,
                "SHIP" => spec.ship = self.list_to(Sign::RightParen, |parser| parser.quoted("a path"))?,
                "CACHE" => spec.cache = self.list_to(Sign::RightParen, |parser| parser.quoted("a path"))?,
                _ => spec.stderr = self.stderr()?,
            }
            seen.push(clause);
        }
        Ok(spec)
    }

    fn handles(&mut self) -> Parse<Vec<StreamHandle>> {
        self.list_to(Sign::RightParen, |parser| {
            let handle = match parser.kind() {
                TokenKind::Word(_) => {
                    let name = parser.any_name("stdin or stdout")?;
                    Text { text: name.text.to_ascii_lowercase(), span: name.span }
                }
                _ => parser.quoted("stdin, stdout or a file in single quotes")?,
            };
            Ok(StreamHandle { handle, function: parser.using()? })
        })
    }

    /// `STDERR('dir' LIMIT 100)`: the limit is of the files that a cluster keeps, here there are none.
    fn stderr(&mut self) -> Parse<Option<Text>> {
        if self.eat_sign(Sign::RightParen).is_some() {
            return Ok(None);
        }
        let folder = self.quoted("a folder in single quotes")?;
        if self.eat_word("LIMIT").is_some() {
            if !matches!(self.kind(), TokenKind::Number { .. }) {
                return Err(self.unexpected("a number"));
            }
            self.advance();
        }
        self.sign(Sign::RightParen)?;
        Ok(Some(folder))
    }

    fn define_macro(&mut self, name: Name) -> Parse<Item> {
        self.sign(Sign::LeftParen)?;
        let parameters =
            self.list_to(Sign::RightParen, |parser| parser.any_name("the name of a parameter"))?;
        self.word("RETURNS")?;
        let returns = match self.eat_word("VOID") {
            Some(_) => Vec::new(),
            None => self.list(|parser| parser.any_name("VOID or the name of a result"))?,
        };
        for (number, name) in parameters.iter().chain(&returns).enumerate() {
            if parameters.iter().chain(&returns).take(number).any(|earlier| earlier.text == name.text) {
                let message = format!("'{}' is named twice", name.text);
                return Err(Box::new(Diagnostic::invalid(message, name.span)));
            }
        }
        let open = self.sign(Sign::LeftBrace)?;
        let mut braces = 1usize;
        loop {
            match self.kind() {
                TokenKind::End => return Err(self.unexpected("'}' at the end of the macro")),
                TokenKind::Sign(Sign::LeftBrace) => braces += 1,
                TokenKind::Sign(Sign::RightBrace) => braces -= 1,
                _ => {}
            }
            let close = self.advance();
            if braces == 0 {
                let body = Span { source: open.source, start: open.end, end: close.start };
                return Ok(Item::Macro(MacroDefinition { name, parameters, returns, body }));
            }
        }
    }
}
