//! From text to tokens. Comments and blanks fall out; what is no token becomes [`TokenKind::Bad`], so lexing never fails.

mod literal;
mod shell;
mod token;

pub use token::{NumberSuffix, Sign, Token, TokenKind};

use crate::source::{Diagnostic, SourceId, Span};

/// The tokens of a text, the last one [`TokenKind::End`].
#[must_use]
pub fn tokenize(source: SourceId, text: &str) -> Vec<Token> {
    // Spans count in 32 bits; a script of 4 GiB is refused as a whole.
    if u32::try_from(text.len()).is_err() {
        let span = Span { source, start: 0, end: 0 };
        let bad = TokenKind::Bad(Box::new(Diagnostic::invalid("the script is larger than 4 GiB", span)));
        return vec![Token { kind: bad, span }, Token { kind: TokenKind::End, span }];
    }
    let mut lexer = Lexer { source, text, at: 0, tokens: Vec::new() };
    lexer.run();
    lexer.tokens
}

struct Lexer<'a> {
    source: SourceId,
    text: &'a str,
    at: usize,
    tokens: Vec<Token>,
}

impl Lexer<'_> {
    fn run(&mut self) {
        while let Some(next) = self.peek() {
            let start = self.at;
            match next {
                _ if next.is_whitespace() => self.at += next.len_utf8(),
                '-' if self.rest().starts_with("--") => self.at = line_end(self.text, self.at),
                '/' if self.rest().starts_with("/*") => match self.rest().find("*/") {
                    Some(end) => self.at += end + 2,
                    None => {
                        self.at = self.text.len();
                        let place = self.span_to(start, start + 2);
                        self.bad(
                            Diagnostic::invalid("the comment '/*' has no end", place)
                                .with_help("close it with '*/'"),
                        );
                    }
                },
                '\'' => self.quoted(),
                '`' => self.command(),
                '"' => self.double_quoted(),
                '$' => self.position(),
                '0'..='9' => self.number(),
                '.' if self.begins_fraction() => self.number(),
                _ if is_word_start(next) => self.word(),
                _ => self.sign(),
            }
        }
        self.push(self.at, TokenKind::End);
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn span_to(&self, start: usize, end: usize) -> Span {
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Span { source: self.source, start: place(start), end: place(end) }
    }

    /// A token from `start` to here.
    fn push(&mut self, start: usize, kind: TokenKind) {
        let span = self.span_to(start, self.at);
        self.tokens.push(Token { kind, span });
    }

    /// The token is bad from where the diagnostic points to here.
    fn bad(&mut self, diagnostic: Diagnostic) {
        self.push(diagnostic.span.start as usize, TokenKind::Bad(Box::new(diagnostic)));
    }

    /// `.5`, but not the `.` of `t.5`, which is wrong in its own way.
    fn begins_fraction(&self) -> bool {
        let digit = self.rest().chars().nth(1).is_some_and(|c| c.is_ascii_digit());
        let behind_value = self.tokens.last().is_some_and(|last| {
            last.span.end as usize == self.at
                && matches!(
                    last.kind,
                    TokenKind::Word(_)
                        | TokenKind::Position(_)
                        | TokenKind::Number { .. }
                        | TokenKind::Sign(Sign::RightParen | Sign::RightBracket | Sign::RightBrace)
                )
        });
        digit && !behind_value
    }

    fn word(&mut self) {
        let start = self.at;
        loop {
            self.at += self.rest().find(|c| !is_word_part(c)).unwrap_or(self.rest().len());
            match self.rest().strip_prefix("::").and_then(|rest| rest.chars().next()) {
                Some(next) if is_word_start(next) => self.at += 2,
                _ => break,
            }
        }
        let word = self.text[start..self.at].to_owned();
        if self.at_statement_start() && shell::is_command(&word) && !shell::is_name(self.rest()) {
            self.shell(start, word);
        } else {
            self.push(start, TokenKind::Word(word));
        }
    }

    fn at_statement_start(&self) -> bool {
        match self.tokens.last() {
            None => true,
            Some(token) => matches!(
                token.kind,
                TokenKind::Sign(Sign::Semicolon | Sign::RightBrace) | TokenKind::Shell(_)
            ),
        }
    }

    fn position(&mut self) {
        let start = self.at;
        self.at += 1;
        let digits = self.rest().find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest().len());
        let number = self.rest()[..digits].to_owned();
        self.at += digits;
        if let Ok(index) = number.parse() {
            self.push(start, TokenKind::Position(index));
        } else if digits > 0 {
            self.bad(Diagnostic::invalid(
                format!("the position ${number} is too large"),
                self.span_to(start, self.at),
            ));
        } else {
            self.at += parameter_length(self.rest());
            let found = self.text[start..self.at].to_owned();
            let place = self.span_to(start, self.at);
            self.bad(
                Diagnostic::invalid(format!("'{found}' is neither a position nor a parameter"), place)
                    .with_help("write $0 for the first field"),
            );
        }
    }

    fn sign(&mut self) {
        let start = self.at;
        if let Some(sign) = Sign::ALL.iter().find(|sign| self.rest().starts_with(sign.text())) {
            self.at += sign.text().len();
            self.push(start, TokenKind::Sign(*sign));
            return;
        }
        let Some(found) = self.peek() else { return };
        self.at += found.len_utf8();
        let help = match found {
            '!' => Some("write NOT, or != between two values"),
            '&' => Some("write AND"),
            '|' => Some("write OR"),
            '\u{2018}' | '\u{2019}' | '\u{201c}' | '\u{201d}' => {
                Some("strings stand in straight single quotes: '...'")
            }
            _ => None,
        };
        let mut diagnostic = Diagnostic::invalid(
            format!("the character '{}' has no meaning here", found.escape_debug()),
            self.span_to(start, self.at),
        );
        diagnostic.help = help.map(str::to_owned);
        self.bad(diagnostic);
    }
}

/// How long `name` or `{name}` is behind a `$`; 0 if it is neither.
pub(crate) fn parameter_length(behind: &str) -> usize {
    let name = behind.strip_prefix('{').unwrap_or(behind);
    let length = name.find(|c| !is_word_part(c)).unwrap_or(name.len());
    match (behind.len() == name.len(), name[length..].starts_with('}')) {
        (true, _) => length,
        (false, true) if length > 0 => length + 2,
        (false, _) => 0,
    }
}

/// The first byte of the line's end, or of the text's.
fn line_end(text: &str, from: usize) -> usize {
    text.get(from..).and_then(|rest| rest.find('\n')).map_or(text.len(), |at| from + at)
}

/// Whether a word may begin so.
pub(crate) fn is_word_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

/// Whether a word may go on so.
pub(crate) fn is_word_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
