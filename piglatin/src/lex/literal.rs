//! Numbers, strings and commands.

use super::{Lexer, NumberSuffix, TokenKind, is_word_part, line_end};
use crate::source::Diagnostic;

impl Lexer<'_> {
    /// Digits, a point with digits, an exponent, a suffix.
    pub(super) fn number(&mut self) {
        let start = self.at;
        self.digits();
        let bytes = |at: usize| self.text.as_bytes().get(at).copied();
        // `1..2` is no fraction.
        if bytes(self.at) == Some(b'.') && bytes(self.at + 1).is_some_and(|next| next.is_ascii_digit()) {
            self.at += 1;
            self.digits();
        } else if bytes(self.at) == Some(b'.')
            && !bytes(self.at + 1)
                .is_some_and(|next| next == b'.' || next == b'_' || next.is_ascii_alphabetic())
        {
            self.at += 1;
        }
        self.exponent();
        let digits = self.text[start..self.at].to_owned();
        let letters = self.rest().find(|c| !is_word_part(c)).unwrap_or(self.rest().len());
        let suffix = match self.rest()[..letters].to_ascii_uppercase().as_str() {
            "" => NumberSuffix::None,
            "L" => NumberSuffix::Long,
            "F" => NumberSuffix::Float,
            "BI" => NumberSuffix::BigInteger,
            "BD" => NumberSuffix::BigDecimal,
            _ => {
                self.at += letters;
                let found = &self.text[start..self.at];
                let message = format!("'{found}' is neither a number nor a name");
                let help = "a number may end in L, F, BI or BD; a name begins with a letter";
                return self.bad(Diagnostic::invalid(message, self.span_to(start, self.at)).with_help(help));
            }
        };
        self.at += letters;
        self.push(start, TokenKind::Number { digits, suffix });
    }

    fn digits(&mut self) {
        self.at += self.rest().find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest().len());
    }

    /// `e5`, `E-5`; an `e` without digits is left where it is.
    fn exponent(&mut self) {
        let bytes = self.rest().as_bytes();
        if !matches!(bytes.first(), Some(b'e' | b'E')) {
            return;
        }
        let sign = usize::from(matches!(bytes.get(1), Some(b'+' | b'-')));
        if bytes.get(1 + sign).is_some_and(u8::is_ascii_digit) {
            self.at += 1 + sign;
            self.digits();
        }
    }

    /// A string ends on its line. One that does not is taken to end there, before a `;`, so that the statements behind
    /// it are still read.
    pub(super) fn quoted(&mut self) {
        let start = self.at;
        let mut value = String::new();
        let mut rest = self.rest().char_indices().skip(1).peekable();
        while let Some((offset, next)) = rest.next() {
            match next {
                '\'' => {
                    self.at = start + offset + 1;
                    return self.push(start, TokenKind::Quoted(value));
                }
                '\n' => break,
                '\\' => {
                    let behind = self.text.get(start + offset + 1..).unwrap_or("");
                    let Some((resolved, taken)) = escape(behind) else {
                        value.push('\\');
                        continue;
                    };
                    value.push(resolved);
                    for _ in 0..taken {
                        rest.next();
                    }
                }
                _ => value.push(next),
            }
        }
        let end = line_end(self.text, start);
        let line = self.text[start..end].trim_end();
        self.at = start + line.strip_suffix(';').unwrap_or(line).len().max(1);
        let message = "the string has no closing quote on its line";
        self.bad(Diagnostic::invalid(message, self.span_to(start, self.at)).with_help("end it with '"));
    }

    /// A command may go over several lines.
    pub(super) fn command(&mut self) {
        let start = self.at;
        match self.text[start + 1..].find('`') {
            Some(length) => {
                self.at = start + length + 2;
                let command = self.text[start + 1..start + 1 + length].trim().to_owned();
                self.push(start, TokenKind::Command(command));
            }
            None => {
                self.at = self.text.len();
                let message = "the command has no closing backtick";
                self.bad(
                    Diagnostic::invalid(message, self.span_to(start, start + 1)).with_help("end it with `"),
                );
            }
        }
    }

    pub(super) fn double_quoted(&mut self) {
        let start = self.at;
        let end = line_end(self.text, start);
        self.at = match self.text[start + 1..end].find('"') {
            Some(length) => start + length + 2,
            None => start + 1,
        };
        let found = self.text[start..self.at].trim_matches('"');
        let message = "strings stand in single quotes, not in double quotes";
        let help = format!("write '{found}'");
        self.bad(Diagnostic::invalid(message, self.span_to(start, self.at)).with_help(help));
    }
}

/// What a backslash and what is behind it stand for, and how many characters that takes. Where Pig knows no such escape
/// both stay, so that `'\d'` is the regex it looks like.
fn escape(behind: &str) -> Option<(char, usize)> {
    Some(match behind.chars().next()? {
        't' => ('\t', 1),
        'n' => ('\n', 1),
        'r' => ('\r', 1),
        'b' => ('\u{8}', 1),
        'f' => ('\u{c}', 1),
        '\'' => ('\'', 1),
        '\\' => ('\\', 1),
        'u' => {
            let unit = hex4(behind.get(1..5)?)?;
            if let Some(character) = char::from_u32(unit) {
                return Some((character, 5));
            }
            // Two halves of a character beyond 16 bits, as Java writes them.
            let low = hex4(behind.get(5..)?.strip_prefix("\\u")?.get(..4)?)?;
            let character =
                char::decode_utf16([u16::try_from(unit).ok()?, u16::try_from(low).ok()?]).next()?.ok()?;
            (character, 11)
        }
        _ => return None,
    })
}

fn hex4(digits: &str) -> Option<u32> {
    if digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        u32::from_str_radix(digits, 16).ok()
    } else {
        None
    }
}
