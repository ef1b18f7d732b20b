//! The place in the tokens, what is expected there, and how to go on behind an error.

use crate::ast::{Name, Text};
use crate::lex::{Sign, Token, TokenKind};
use crate::parse::words::{RESERVED, STATEMENTS, is_one_of};
use crate::source::did_you_mean;
use crate::source::{Diagnostic, Span};

/// What a rule of the grammar makes, or why it does not apply.
pub(crate) type Parse<T> = Result<T, Box<Diagnostic>>;

/// Nested brackets, blocks and signs: deep enough for generated scripts, not for the stack.
const MAX_NESTING: usize = 128;

/// The tokens of one source and how far they are read.
pub(crate) struct Parser<'a> {
    pub(super) text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    nesting: usize,
    /// How deep the expression is that was made last.
    pub(super) depth: usize,
    /// What was found so far.
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Whether something was missing where the text ends.
    pub(super) incomplete: bool,
}

impl<'a> Parser<'a> {
    /// At the first token. `tokens` end with [`TokenKind::End`].
    pub(super) fn new(text: &'a str, tokens: Vec<Token>) -> Self {
        Self { text, tokens, at: 0, nesting: 0, depth: 0, diagnostics: Vec::new(), incomplete: false }
    }

    pub(super) fn kind(&self) -> &TokenKind {
        self.kind_at(0)
    }

    pub(super) fn kind_at(&self, ahead: usize) -> &TokenKind {
        self.tokens.get(self.at + ahead).map_or(&TokenKind::End, |token| &token.kind)
    }

    pub(super) fn span(&self) -> Span {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(EMPTY, |token| token.span)
    }

    /// The token before this one.
    pub(super) fn last_span(&self) -> Span {
        self.at
            .checked_sub(1)
            .and_then(|before| self.tokens.get(before))
            .map_or(self.span(), |token| token.span)
    }

    /// What stands before this token.
    pub(super) fn last_kind(&self) -> Option<&TokenKind> {
        self.tokens.get(self.at.checked_sub(1)?).map(|token| &token.kind)
    }

    pub(super) fn place(&self) -> usize {
        self.at
    }

    pub(super) fn advance(&mut self) -> Span {
        let span = self.span();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        span
    }

    /// From `start` to the token before this one.
    pub(super) fn since(&self, start: Span) -> Span {
        start.to(self.last_span())
    }

    pub(super) fn is_sign(&self, sign: Sign) -> bool {
        self.sign_at(0, sign)
    }

    pub(super) fn sign_at(&self, ahead: usize, sign: Sign) -> bool {
        *self.kind_at(ahead) == TokenKind::Sign(sign)
    }

    pub(super) fn is_word(&self, keyword: &str) -> bool {
        self.word_at(0, keyword)
    }

    pub(super) fn word_at(&self, ahead: usize, keyword: &str) -> bool {
        matches!(self.kind_at(ahead), TokenKind::Word(word) if word.eq_ignore_ascii_case(keyword))
    }

    pub(super) fn eat_sign(&mut self, sign: Sign) -> Option<Span> {
        self.is_sign(sign).then(|| self.advance())
    }

    pub(super) fn eat_word(&mut self, keyword: &str) -> Option<Span> {
        self.is_word(keyword).then(|| self.advance())
    }

    pub(super) fn sign(&mut self, sign: Sign) -> Parse<Span> {
        match self.eat_sign(sign) {
            Some(span) => Ok(span),
            None => Err(self.unexpected(&format!("'{}'", sign.text()))),
        }
    }

    pub(super) fn word(&mut self, keyword: &str) -> Parse<Span> {
        if let Some(span) = self.eat_word(keyword) {
            return Ok(span);
        }
        let mut error = self.unexpected(keyword);
        if let TokenKind::Word(found) = self.kind() {
            error.help = did_you_mean(found, [keyword]).map(|keyword| format!("did you mean '{keyword}'?"));
        }
        Err(error)
    }

    /// Any word, keywords too.
    pub(super) fn any_name(&mut self, what: &str) -> Parse<Name> {
        let TokenKind::Word(word) = self.kind() else { return Err(self.unexpected(what)) };
        let text = word.clone();
        Ok(Name { text, span: self.advance() })
    }

    /// The name of a relation.
    pub(super) fn alias(&mut self) -> Parse<Name> {
        if let TokenKind::Word(word) = self.kind()
            && is_one_of(word, RESERVED)
        {
            let message = format!("'{word}' is a keyword and cannot name a relation");
            return Err(Box::new(Diagnostic::invalid(message, self.span()).with_help("choose another name")));
        }
        self.any_name("the name of a relation")
    }

    pub(super) fn quoted(&mut self, what: &str) -> Parse<Text> {
        let TokenKind::Quoted(text) = self.kind() else { return Err(self.unexpected(what)) };
        let text = text.clone();
        Ok(Text { text, span: self.advance() })
    }

    /// One or more, with commas.
    pub(super) fn list<T>(&mut self, mut one: impl FnMut(&mut Self) -> Parse<T>) -> Parse<Vec<T>> {
        let mut all = vec![one(self)?];
        while self.eat_sign(Sign::Comma).is_some() {
            all.push(one(self)?);
        }
        Ok(all)
    }

    /// None or more, with commas, up to `close`, which is read too.
    pub(super) fn list_to<T>(
        &mut self,
        close: Sign,
        one: impl FnMut(&mut Self) -> Parse<T>,
    ) -> Parse<Vec<T>> {
        if self.eat_sign(close).is_some() {
            return Ok(Vec::new());
        }
        let all = self.list(one)?;
        if self.eat_sign(close).is_none() {
            return Err(self.unexpected(&format!("',' or '{}'", close.text())));
        }
        Ok(all)
    }

    /// Says what stands here instead of `expected`. A bad token says itself what is wrong with it.
    pub(super) fn unexpected(&mut self, expected: &str) -> Box<Diagnostic> {
        match self.kind() {
            TokenKind::Bad(diagnostic) => {
                let diagnostic = diagnostic.clone();
                // An open comment or command may end on a line that is still to come.
                self.incomplete |=
                    matches!(self.kind_at(1), TokenKind::End) && !diagnostic.message.contains("quote");
                diagnostic
            }
            kind => {
                let message = format!("found {}, expected {expected}", kind.describe());
                let mut span = self.span();
                if *kind == TokenKind::End {
                    self.incomplete = true;
                    // Behind what was written last, not behind the blanks and comments that follow it.
                    let end = self.last_span().end;
                    span = Span { start: end, end, ..span };
                }
                Box::new(Diagnostic::invalid(message, span))
            }
        }
    }

    /// One step deeper into brackets.
    pub(super) fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.nesting >= MAX_NESTING {
            let message = format!("more than {MAX_NESTING} levels of nesting");
            return Err(Box::new(
                Diagnostic::invalid(message, self.span()).with_help("split it into several steps"),
            ));
        }
        self.nesting += 1;
        let result = rule(self);
        self.nesting -= 1;
        result
    }

    /// What a rule makes, if it applies here; else nothing was read.
    pub(super) fn attempt<T>(&mut self, rule: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let (place, found, incomplete) = (self.at, self.diagnostics.len(), self.incomplete);
        let result = rule(self);
        if result.is_none() {
            self.at = place;
            self.diagnostics.truncate(found);
            self.incomplete = incomplete;
        }
        result
    }

    /// Whether this is the first token of its line.
    pub(super) fn begins_line(&self) -> bool {
        let (before, here) = (self.last_span(), self.span());
        self.text.get(before.end as usize..here.start as usize).is_some_and(|between| between.contains('\n'))
    }

    /// Behind the next `;`, or to where a statement seems to begin on a line of its own, or before the `}` of the block.
    pub(super) fn recover(&mut self, from: usize, in_block: bool) {
        let mut braces = 0usize;
        if self.at == from && *self.kind() != TokenKind::End && !(in_block && self.is_sign(Sign::RightBrace))
        {
            braces += usize::from(self.is_sign(Sign::LeftBrace));
            if self.eat_sign(Sign::Semicolon).is_some() {
                return;
            }
            self.advance();
        }
        loop {
            match self.kind() {
                TokenKind::End => return,
                TokenKind::Sign(Sign::Semicolon) if braces == 0 => {
                    self.advance();
                    return;
                }
                TokenKind::Sign(Sign::LeftBrace) => braces += 1,
                TokenKind::Sign(Sign::RightBrace) if braces == 0 && in_block => return,
                TokenKind::Sign(Sign::RightBrace) => braces = braces.saturating_sub(1),
                TokenKind::Word(word) if braces == 0 && self.begins_line() && self.at > from => {
                    let generate = in_block && word.eq_ignore_ascii_case("GENERATE");
                    if generate || self.sign_at(1, Sign::Equal) || is_one_of(word, STATEMENTS) {
                        return;
                    }
                }
                _ => {}
            }
            self.advance();
        }
    }
}

const EMPTY: Span = Span { source: crate::source::SourceId(0), start: 0, end: 0 };
