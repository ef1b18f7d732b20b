//! Cuts a script into statements without understanding them.
//!
//! [`parse_script`] gives [`ScriptStatement`]s, each the text of one statement and the place where it begins;
//! [`is_complete`] tells a shell whether to ask for another line. Both know quotes, comments and dollar quotes, and
//! nothing of SQL's grammar: a statement that makes no sense is found by [`super::parse_statement`].

use super::Position;
use crate::error::HandlerError;

/// One statement of a script, without its semicolon and without the blanks around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptStatement {
    /// The statement as written, inner comments included.
    pub text: String,
    /// Bytes of the script before `text`.
    pub offset: usize,
}

impl ScriptStatement {
    /// A statement that is a whole script.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), offset: 0 }
    }

    /// Turns a place within the statement into a place within the script it was cut from.
    pub fn position_in(&self, script: &str, within: Position) -> Position {
        let start = Position::of(script, self.offset);
        if within.line <= 1 {
            Position { line: start.line, column: start.column + within.column.saturating_sub(1) }
        } else {
            Position { line: start.line + within.line - 1, column: within.column }
        }
    }
}

/// Cuts a script at the semicolons that stand outside of quotes and comments. Parts that hold nothing but blanks and
/// comments are left out. Fails where a quote or a comment is never closed, naming where it was opened.
pub fn parse_script(script: &str) -> Result<Vec<ScriptStatement>, HandlerError> {
    let mut statements = Vec::new();
    let mut scan = Scan { script, at: 0 };
    let mut first: Option<usize> = None;
    let mut last = 0;
    while let Some(token) = scan.next()? {
        match token {
            Token::Blank => {}
            Token::Text { start } => {
                first.get_or_insert(start);
                last = scan.at;
            }
            Token::Semicolon => {
                push(script, first.take(), last, &mut statements);
            }
        }
    }
    push(script, first, last, &mut statements);
    Ok(statements)
}

/// Whether a shell may run what was typed: the text ends in a semicolon outside of quotes and comments, or holds
/// nothing at all.
pub fn is_complete(text: &str) -> bool {
    let mut scan = Scan { script: text, at: 0 };
    let mut open = false;
    loop {
        match scan.next() {
            Ok(Some(Token::Text { .. })) => open = true,
            Ok(Some(Token::Semicolon)) => open = false,
            Ok(Some(Token::Blank)) => {}
            Ok(None) => return !open,
            Err(_) => return false,
        }
    }
}

fn push(script: &str, first: Option<usize>, last: usize, into: &mut Vec<ScriptStatement>) {
    if let Some(offset) = first
        && let Some(text) = script.get(offset..last)
    {
        into.push(ScriptStatement { text: text.to_owned(), offset });
    }
}

enum Token {
    /// White space, or a comment.
    Blank,
    /// A quoted text, or one other character.
    Text {
        start: usize,
    },
    Semicolon,
}

struct Scan<'a> {
    script: &'a str,
    at: usize,
}

impl Scan<'_> {
    fn rest(&self) -> &str {
        self.script.get(self.at..).unwrap_or_default()
    }

    fn next(&mut self) -> Result<Option<Token>, HandlerError> {
        let start = self.at;
        let rest = self.rest();
        let Some(head) = rest.chars().next() else { return Ok(None) };
        let token = match head {
            ';' => {
                self.at += 1;
                return Ok(Some(Token::Semicolon));
            }
            _ if head.is_whitespace() || head == '\u{feff}' => {
                self.at += head.len_utf8();
                Token::Blank
            }
            '-' if rest.starts_with("--") => {
                self.at += rest.find('\n').map_or(rest.len(), |end| end + 1);
                Token::Blank
            }
            '/' if rest.starts_with("/*") => {
                self.block_comment(start)?;
                Token::Blank
            }
            '\'' | '"' | '`' => {
                self.quoted(start, head, false)?;
                Token::Text { start }
            }
            'e' | 'E' if rest.get(1..2) == Some("'") && !self.follows_word() => {
                self.at += 1;
                self.quoted(start, '\'', true)?;
                Token::Text { start }
            }
            '$' if !self.follows_word() => {
                match dollar_tag(rest) {
                    Some(tag) => self.dollar_quoted(start, tag.len())?,
                    None => self.at += 1,
                }
                Token::Text { start }
            }
            _ => {
                self.at += head.len_utf8();
                Token::Text { start }
            }
        };
        Ok(Some(token))
    }

    /// Whether the character before this one belongs to a word, as in `name'` or `a$b$`.
    fn follows_word(&self) -> bool {
        let before = self.script.get(..self.at).and_then(|text| text.chars().next_back());
        before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '$')
    }

    fn quoted(&mut self, start: usize, quote: char, backslashes: bool) -> Result<(), HandlerError> {
        self.at += 1;
        let mut chars = self.rest().char_indices().peekable();
        while let Some((index, c)) = chars.next() {
            if backslashes && c == '\\' {
                chars.next();
            } else if c == quote {
                if chars.peek().is_some_and(|(_, next)| *next == quote) {
                    chars.next();
                } else {
                    self.at += index + 1;
                    return Ok(());
                }
            }
        }
        Err(self.unclosed(start, &format!("the text that {quote} opens is never closed")))
    }

    /// Comments nest, as in PostgreSQL.
    fn block_comment(&mut self, start: usize) -> Result<(), HandlerError> {
        let bytes = self.script.as_bytes();
        let mut depth = 0usize;
        while let Some(pair) = bytes.get(self.at..self.at + 2) {
            match pair {
                b"/*" => {
                    depth += 1;
                    self.at += 2;
                }
                b"*/" => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        return Ok(());
                    }
                }
                _ => self.at += 1,
            }
        }
        Err(self.unclosed(start, "the comment that /* opens is never closed"))
    }

    fn dollar_quoted(&mut self, start: usize, tag_len: usize) -> Result<(), HandlerError> {
        let (tag, body) = self.rest().split_at(tag_len);
        match body.find(tag) {
            Some(end) => {
                self.at += tag_len + end + tag_len;
                Ok(())
            }
            None => {
                let message = format!("the text that {tag} opens is never closed");
                Err(self.unclosed(start, &message))
            }
        }
    }

    fn unclosed(&self, start: usize, message: &str) -> HandlerError {
        HandlerError::syntax(message, Some(Position::of(self.script, start)))
    }
}

/// The opening `$$` or `$tag$` at the start of a text.
fn dollar_tag(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('$')?;
    let end = inner.find('$')?;
    let tag = inner.get(..end)?;
    let is_word = tag.chars().all(|c| c.is_alphanumeric() || c == '_')
        && !tag.chars().next().is_some_and(|c| c.is_ascii_digit());
    if is_word { text.get(..end + 2) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(script: &str) -> Vec<String> {
        parse_script(script).unwrap().into_iter().map(|s| s.text).collect()
    }

    #[test]
    fn cuts_at_semicolons_outside_of_quotes_and_comments() {
        let script = "SELECT ';', \"a;b\", `c;d`; -- not; here\n /* nor; /* here; */ ; */ SELECT 2;;\n ; SELECT $$ ; $$, $t$ $$ ; $t$";
        assert_eq!(texts(script), ["SELECT ';', \"a;b\", `c;d`", "SELECT 2", "SELECT $$ ; $$, $t$ $$ ; $t$"]);
    }

    #[test]
    fn keeps_doubled_quotes_and_backslashes_apart() {
        assert_eq!(
            texts(r"SELECT 'it''s;'; SELECT 'a\'; SELECT E'a\';b'"),
            [r"SELECT 'it''s;'", r"SELECT 'a\'", r"SELECT E'a\';b'"]
        );
        assert_eq!(texts("SELECT x$1; SELECT $1, $2"), ["SELECT x$1", "SELECT $1, $2"]);
    }

    #[test]
    fn offsets_and_positions_point_into_the_script() {
        let script = "SELECT 1;\n\n  SELEC\n x;";
        let statements = parse_script(script).unwrap();
        assert_eq!(&script[statements[1].offset..statements[1].offset + 5], "SELEC");
        let at = |line, column| statements[1].position_in(script, Position { line, column });
        assert_eq!(at(1, 1), Position { line: 3, column: 3 });
        assert_eq!(at(2, 2), Position { line: 4, column: 2 });
    }

    #[test]
    fn names_where_an_open_quote_began() {
        let error = parse_script("SELECT 1;\nSELECT 'abc;\n").unwrap_err();
        assert_eq!(error.position, Some(Position { line: 2, column: 8 }));
        assert!(parse_script("SELECT /* x").is_err());
        assert!(parse_script("SELECT $a$ x $$").is_err());
        assert!(parse_script("é \u{1F600}; \"ü").is_err());
    }

    #[test]
    fn a_shell_waits_for_the_semicolon() {
        assert!(is_complete("SELECT 1;"));
        assert!(is_complete("  -- nothing\n"));
        assert!(is_complete("SELECT 1; -- done"));
        assert!(!is_complete("SELECT 1"));
        assert!(!is_complete("SELECT ';"));
        assert!(!is_complete("SELECT 1; SELECT"));
    }
}
