//! Statements whose words are taken as they are written: SET, REGISTER, EXPLAIN.

use super::cursor::{Parse, Parser};
use super::statement::Item;
use crate::ast::{ExplainTarget, StatementKind, Text};
use crate::lex::{Sign, TokenKind};
use crate::source::Span;

impl Parser<'_> {
    /// The tokens that touch each other, as one word: `mapred.child.opts`, `-Xmx512m`, `hdfs://h/p`.
    fn raw_word(&mut self) -> Option<Text> {
        if self.ends_statement() {
            return None;
        }
        let start = self.span();
        if let TokenKind::Quoted(text) = self.kind() {
            let text = text.clone();
            return Some(Text { text, span: self.advance() });
        }
        loop {
            let end = self.advance().end;
            if self.ends_statement() || self.span().start != end {
                break;
            }
        }
        let span = self.since(start);
        Some(Text { text: self.text.get(span.start as usize..span.end as usize)?.to_owned(), span })
    }

    /// `SET;`, `SET k v;`, `SET k 'v';`. A value of several words keeps the blanks between them.
    pub(super) fn set(&mut self, start: Span) -> Parse<Item> {
        let Some(key) = self.raw_word() else { return Ok(self.done(start, StatementKind::Set(None))) };
        let Some(mut value) = self.raw_word() else {
            return Err(self.unexpected("the value of the setting"));
        };
        if !self.ends_statement() {
            while !self.ends_statement() && !self.begins_line() {
                self.advance();
            }
            value.span = self.since(value.span);
            value.text =
                self.text.get(value.span.start as usize..value.span.end as usize).unwrap_or("").to_owned();
        }
        Ok(self.done(start, StatementKind::Set(Some((key, value)))))
    }

    /// `REGISTER 'x.py' USING jython AS ns;`, `REGISTER x.jar;`.
    pub(super) fn register(&mut self, start: Span) -> Parse<Item> {
        let Some(path) = self.raw_word() else { return Err(self.unexpected("a path")) };
        let language = match self.eat_word("USING") {
            Some(_) => Some(self.any_name("the name of a language")?),
            None => None,
        };
        let namespace = match self.eat_word("AS") {
            Some(_) => Some(self.any_name("a name")?),
            None => None,
        };
        Ok(self.done(start, StatementKind::Register { path, language, namespace }))
    }

    /// `EXPLAIN -brief -dot -out d -script f -param k=v r;`.
    pub(super) fn explain(&mut self, start: Span) -> Parse<Item> {
        let mut target = ExplainTarget::default();
        while self.is_sign(Sign::Minus) {
            let option = self.raw_word().map(|word| word.text).unwrap_or_default();
            match option.to_ascii_lowercase().as_str() {
                "-brief" => target.brief = true,
                "-dot" => target.dot = true,
                "-script" | "-out" | "-param" | "-param_file" => {
                    let Some(value) = self.raw_word() else {
                        return Err(self.unexpected("the value of the option"));
                    };
                    match option.to_ascii_lowercase().as_str() {
                        "-script" => target.script = Some(value),
                        "-out" => target.out = Some(value),
                        "-param" => target.parameters.push(value),
                        _ => {
                            let what = "-param_file of EXPLAIN";
                            return Err(super::foreach::unsupported(what, value.span));
                        }
                    }
                }
                _ => {
                    let message = format!("EXPLAIN has no option {option}");
                    let help = "there are -brief, -dot, -out, -script and -param";
                    let error = crate::source::Diagnostic::invalid(message, self.last_span());
                    return Err(Box::new(error.with_help(help)));
                }
            }
        }
        if !self.ends_statement() {
            target.relation = Some(self.relation()?);
        }
        Ok(self.done(start, StatementKind::Explain(target)))
    }
}
