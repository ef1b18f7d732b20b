use std::fmt::Write as _;

use super::directive::{assignment, parameter_file};
use super::expand::{Definitions, Expander};
use super::outside::{CommandRunner, Isolated, ScriptReader};
use super::parameters::Parameters;
use crate::ast::{Script, Statement};
use crate::lex::is_word_start;
use crate::source::{Diagnostic, DiagnosticKind, SourceMap, Span};

/// What a script holds, and all that is wrong with it.
#[derive(Debug, Clone, Default)]
pub struct Parsed {
    /// The statements that could be read.
    pub script: Script,
    /// In the order found; the script is right if there is none but warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts.
    pub sources: SourceMap,
}

impl Parsed {
    /// Whether something is wrong.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.kind != DiagnosticKind::Warning)
    }

    /// The script as it is run: parameters put in, imports read, macros expanded. One statement after another.
    #[must_use]
    pub fn dryrun(&self) -> String {
        let mut text = String::new();
        for statement in &self.script.statements {
            for (number, part) in self.sources.slice(statement.span).split('$').enumerate() {
                // A dollar sign that is none of a position was escaped, and stays a plain sign only so.
                let name = part.strip_prefix('{').unwrap_or(part);
                let dollar = if name.starts_with(is_word_start) { "\\$" } else { "$" };
                let _ = write!(text, "{}{part}", if number == 0 { "" } else { dollar });
            }
            text.push_str(";\n");
        }
        text
    }
}

/// What more lines of a session make.
#[derive(Debug, Clone, PartialEq)]
pub enum Progress {
    /// The text ends within a statement: add a line and ask again.
    Incomplete,
    /// Whole statements, or what is wrong with them.
    Complete {
        /// The statements that could be read.
        statements: Vec<Statement>,
        /// What is wrong.
        diagnostics: Vec<Diagnostic>,
    },
}

/// Parses a script that stands alone: it has no parameters but its own, and imports nothing.
#[must_use]
pub fn parse_script(name: &str, text: &str) -> Parsed {
    ScriptParser::new(&Isolated, &Isolated).parse_script(name, text)
}

/// Parses scripts: whole ones, or the lines of a session one after another.
pub struct ScriptParser<'a> {
    reader: &'a dyn ScriptReader,
    commands: &'a dyn CommandRunner,
    search_paths: Vec<String>,
    parameters: Parameters,
    definitions: Definitions,
    sources: SourceMap,
}

impl<'a> ScriptParser<'a> {
    /// A parser without parameters that reads imports and runs commands through these.
    #[must_use]
    pub fn new(reader: &'a dyn ScriptReader, commands: &'a dyn CommandRunner) -> Self {
        Self {
            reader,
            commands,
            search_paths: Vec::new(),
            parameters: Parameters::default(),
            definitions: Definitions::default(),
            sources: SourceMap::new(),
        }
    }

    /// Folders in which imports are looked for after their own path, in order.
    #[must_use]
    pub fn with_search_paths(mut self, folders: Vec<String>) -> Self {
        self.search_paths = folders;
        self
    }

    /// `-param NAME=VALUE`. The error says what is wrong with it.
    pub fn add_parameter(&mut self, written: &str) -> Result<(), String> {
        let (name, value) = assignment(written, &mut self.parameters, self.commands)?;
        self.parameters.give(&name, value);
        Ok(())
    }

    /// The text of a `-param_file`. The error names the file, its line and what is wrong with it.
    pub fn add_parameter_file(&mut self, name: &str, text: &str) -> Result<(), String> {
        let wrong = |(line, why): (usize, String)| format!("{name}:{line}: {why}");
        parameter_file(text, &mut self.parameters, self.commands).map_err(wrong)
    }

    /// The texts read so far, to which spans of [`ScriptParser::parse_statements`] belong.
    #[must_use]
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }

    /// Parses a whole script.
    #[must_use]
    pub fn parse_script(mut self, name: &str, text: &str) -> Parsed {
        let expander = self.run(name, text);
        let (statements, diagnostics) = (expander.statements, expander.diagnostics);
        Parsed { script: Script { statements }, diagnostics, sources: expander.sources }
    }

    /// Parses the next statements of a session, in which parameters, macros and imports of earlier ones are known.
    /// Nothing is kept of what is incomplete or wrong, but its text.
    pub fn parse_statements(&mut self, name: &str, text: &str) -> Progress {
        let before = self.sources.clone();
        let expander = self.run(name, text);
        let (statements, diagnostics) = (expander.statements, expander.diagnostics);
        let (parameters, definitions) = (expander.parameters, expander.definitions);
        if expander.incomplete {
            self.sources = before;
            return Progress::Incomplete;
        }
        self.sources = expander.sources;
        if diagnostics.is_empty() {
            self.parameters = parameters;
            self.definitions = definitions;
        }
        Progress::Complete { statements, diagnostics }
    }

    fn run(&mut self, name: &str, text: &str) -> Expander<'_> {
        let mut expander = Expander {
            sources: std::mem::take(&mut self.sources),
            definitions: self.definitions.clone(),
            parameters: self.parameters.clone(),
            reader: self.reader,
            commands: self.commands,
            search_paths: &self.search_paths,
            statements: Vec::new(),
            diagnostics: Vec::new(),
            incomplete: false,
            importing: vec![name.to_owned()],
            expanding: Vec::new(),
        };
        if Expander::fits(text) {
            expander.file(name, text, None);
        } else {
            let source = expander.sources.add_file(name, "");
            let span = Span { source, start: 0, end: 0 };
            expander.diagnostics.push(Diagnostic::invalid("the script is larger than 4 GiB", span));
        }
        expander.sort_diagnostics();
        expander
    }
}
