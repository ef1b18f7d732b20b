//! Commands of the grunt shell: words to the end of the line, not tokens.

use super::{Lexer, TokenKind, line_end};

const COMMANDS: &[&str] = &[
    "fs",
    "sh",
    "ls",
    "cat",
    "cd",
    "pwd",
    "cp",
    "mv",
    "rm",
    "rmf",
    "mkdir",
    "copyfromlocal",
    "copytolocal",
    "exec",
    "run",
    "kill",
    "history",
    "clear",
    "quit",
    "help",
];

pub(super) fn is_command(word: &str) -> bool {
    COMMANDS.contains(&word.to_ascii_lowercase().as_str())
}

/// Whether what is behind the word makes it the name of a relation or a macro: `ls = LOAD`, `a, b = m()`, `run(x)`.
pub(super) fn is_name(behind: &str) -> bool {
    matches!(behind.trim_start().chars().next(), Some('=' | ',' | '('))
}

impl Lexer<'_> {
    /// The words of the command, from its first letter on.
    pub(super) fn shell(&mut self, start: usize, command: String) {
        let mut words = vec![(command.to_ascii_lowercase(), self.span_to(start, self.at))];
        let end = line_end(self.text, self.at);
        while self.at < end {
            let rest = &self.text[self.at..end];
            let Some(first) = rest.chars().next() else { break };
            let from = self.at;
            match first {
                ';' => break,
                _ if first.is_whitespace() => self.at += first.len_utf8(),
                '\'' | '"' if rest[1..].contains(first) => {
                    let length = rest[1..].find(first).unwrap_or(0);
                    self.at += length + 2;
                    words.push((rest[1..=length].to_owned(), self.span_to(from, self.at)));
                }
                _ => {
                    let length = rest.find(|c: char| c.is_whitespace() || c == ';').unwrap_or(rest.len());
                    self.at += length;
                    words.push((rest[..length].to_owned(), self.span_to(from, self.at)));
                }
            }
        }
        self.push(start, TokenKind::Shell(words));
    }
}
