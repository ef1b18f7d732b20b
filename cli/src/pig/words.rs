//! [`Words`]: what grunt completes.

use ostracon::pig::engine::Engine;
use rustyline::completion::{Completer, FilenameCompleter, Pair};
use rustyline::{Context, Helper, Highlighter, Hinter, Validator};

/// Words of statements and commands.
const KEYWORDS: [&str; 62] = [
    "ALL",
    "AND",
    "AS",
    "ASC",
    "ASSERT",
    "BY",
    "CASE",
    "COGROUP",
    "CROSS",
    "CUBE",
    "DEFINE",
    "DENSE",
    "DESC",
    "DESCRIBE",
    "DISTINCT",
    "DUMP",
    "ELSE",
    "END",
    "EXEC",
    "EXPLAIN",
    "FILTER",
    "FLATTEN",
    "FOREACH",
    "FULL",
    "GENERATE",
    "GROUP",
    "ILLUSTRATE",
    "IMPORT",
    "INNER",
    "INTO",
    "IS",
    "JOIN",
    "LEFT",
    "LIMIT",
    "LOAD",
    "MATCHES",
    "NOT",
    "NULL",
    "ONSCHEMA",
    "OR",
    "ORDER",
    "OTHERWISE",
    "OUTER",
    "PARALLEL",
    "RANK",
    "RETURNS",
    "RIGHT",
    "ROLLUP",
    "SAMPLE",
    "SET",
    "SPLIT",
    "STORE",
    "STREAM",
    "THEN",
    "THROUGH",
    "UNION",
    "USING",
    "WHEN",
    "cat",
    "help",
    "ls",
    "quit",
];

/// Keywords, functions, the relations so far, and between quotes the names of files.
#[derive(Helper, Highlighter, Hinter, Validator)]
pub(crate) struct Words {
    functions: Vec<String>,
    pub(crate) relations: Vec<String>,
    files: FilenameCompleter,
}

impl Words {
    /// The words of an engine.
    pub(crate) fn of(engine: &Engine) -> Self {
        let mut functions: Vec<String> = engine.functions.names().into_iter().map(str::to_owned).collect();
        functions.extend(engine.loads.names().map(str::to_owned));
        functions.extend(engine.stores.names().map(str::to_owned));
        functions.sort_unstable();
        functions.dedup();
        Self { functions, relations: Vec::new(), files: FilenameCompleter::new() }
    }

    /// Where the word before the cursor begins, and what it may become. Keywords follow the case of what was typed.
    fn of_word(&self, before: &str) -> (usize, Vec<String>) {
        let start = before.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| {
            at + before.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
        });
        let typed = before.get(start..).unwrap_or_default();
        if typed.is_empty() {
            return (start, Vec::new());
        }
        let folded = typed.to_lowercase();
        let begins = |word: &&str| word.to_lowercase().starts_with(&folded);
        let lower = !typed.contains(char::is_uppercase);
        let keywords = KEYWORDS.iter().copied().filter(begins);
        let mut found: Vec<String> = self
            .relations
            .iter()
            .filter(|name| name.starts_with(typed))
            .cloned()
            .chain(keywords.map(|word| if lower { word.to_lowercase() } else { word.to_owned() }))
            .chain(self.functions.iter().map(String::as_str).filter(begins).map(str::to_owned))
            .collect();
        found.dedup();
        (start, found)
    }
}

impl Completer for Words {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        cursor: usize,
        context: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let before = line.get(..cursor).unwrap_or(line);
        let in_quotes = before.matches('\'').count() % 2 == 1;
        let is_command =
            ["ls ", "cat ", "cd ", "rm ", "cp ", "mv "].iter().any(|word| before.starts_with(word));
        if in_quotes || is_command {
            return self.files.complete(line, cursor, context);
        }
        let (start, found) = self.of_word(before);
        Ok((start, found.into_iter().map(|word| Pair { display: word.clone(), replacement: word }).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_keywords_and_functions_are_completed() {
        let words = Words {
            functions: vec!["STARTSWITH".to_owned(), "ToDate".to_owned()],
            relations: vec!["stations".to_owned()],
            files: FilenameCompleter::new(),
        };
        assert_eq!(
            words.of_word("x = st"),
            (4, vec!["stations".into(), "store".into(), "stream".into(), "STARTSWITH".into()])
        );
        assert_eq!(words.of_word("DES").1, ["DESC", "DESCRIBE"]);
        assert_eq!(words.of_word("GENERATE tod").1, ["ToDate"]);
        assert_eq!(words.of_word("x = ").1, Vec::<String>::new());
    }
}
