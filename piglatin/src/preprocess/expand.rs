//! Statements out of the items of a source: imports are read, calls of macros become their bodies.

use std::collections::{BTreeMap, BTreeSet};

use super::outside::{CommandRunner, ScriptReader};
use super::parameters::Parameters;
use super::rename::{Edit, apply, local_names};
use super::substitute::{Values, offset, substitute};
use crate::ast::{ExpressionKind, Name, NestedOperator, OperatorKind, Statement, StatementKind, Text};
use crate::parse::{Item, MacroCall, MacroDefinition, OPERATORS, parse_source};
use crate::source::did_you_mean;
use crate::source::{CallSite, Diagnostic, DiagnosticKind, Segment, SourceId, SourceMap, Span};

/// Macros within macros.
const MAX_CALLS: usize = 64;
/// Statements of one script, so that macros that call others twice end.
const MAX_STATEMENTS: usize = 100_000;

/// What scripts share: the macros they define and the files they imported. A session keeps it.
#[derive(Debug, Clone, Default)]
pub(super) struct Definitions {
    macros: BTreeMap<String, MacroDefinition>,
    imported: BTreeSet<String>,
    /// Numbers in names made up so far: no two of them are the same, whatever macros and relations are named.
    names: usize,
}

/// One run over a script.
pub(super) struct Expander<'a> {
    pub(super) sources: SourceMap,
    pub(super) definitions: Definitions,
    pub(super) parameters: Parameters,
    pub(super) reader: &'a dyn ScriptReader,
    pub(super) commands: &'a dyn CommandRunner,
    pub(super) search_paths: &'a [String],
    pub(super) statements: Vec<Statement>,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) incomplete: bool,
    /// Files that are being imported, and macros that are being expanded.
    pub(super) importing: Vec<String>,
    pub(super) expanding: Vec<String>,
}

impl Expander<'_> {
    /// Puts parameters into a file and takes its statements.
    pub(super) fn file(&mut self, name: &str, text: &str, called: Option<CallSite>) {
        let made = substitute(text, Values::Parameters(&mut self.parameters, self.commands));
        let source =
            self.sources.add_substituted(name, text, made.text.clone(), made.segments.clone(), called);
        let faults = made.diagnostics(source);
        let parsed = parse_source(source, &made.text);
        // No further line of a session ends what a file leaves open.
        self.incomplete |= parsed.incomplete && faults.is_empty() && self.importing.len() == 1;
        // A parameter without value is told once, not again as a sign the lexer does not know.
        let told = |found: &Diagnostic| faults.iter().any(|fault| fault.span.start == found.span.start);
        self.diagnostics.extend(parsed.diagnostics.into_iter().filter(|found| !told(found)));
        self.diagnostics.extend(faults);
        for item in &parsed.items {
            if let Item::Macro(definition) = item {
                self.define(definition);
            }
        }
        self.items(parsed.items);
    }

    fn items(&mut self, items: Vec<Item>) {
        for item in items {
            match item {
                Item::Statement(statement) => {
                    self.refuse_nested_calls(&statement);
                    self.statements.push(statement);
                }
                Item::Import(path) => self.import(&path),
                Item::Call(call) => self.call(&call),
                Item::Macro(_) => {}
            }
        }
    }

    /// In a block a call looks like one of a function.
    fn refuse_nested_calls(&mut self, statement: &Statement) {
        let StatementKind::Assign { operator, .. } = &statement.kind else { return };
        let OperatorKind::Foreach { block, .. } = &operator.kind else { return };
        for nested in block {
            if let NestedOperator::Expression(expression) = &nested.operator
                && let ExpressionKind::Call { function, .. } = &expression.kind
                && self.definitions.macros.contains_key(&function.text)
            {
                let message = format!("the macro '{}' is called in a nested block", function.text);
                self.error(message, function.span, Some("macros make whole relations only".to_owned()));
            }
        }
    }

    fn error(&mut self, message: String, span: Span, help: Option<String>) {
        let mut diagnostic = Diagnostic::invalid(message, span);
        diagnostic.help = help;
        self.diagnostics.push(diagnostic);
    }

    fn define(&mut self, definition: &MacroDefinition) {
        let name = &definition.name;
        if let Some(earlier) = self.definitions.macros.get(&name.text) {
            let at = self.sources.position(earlier.name.span);
            let place = format!("it is defined at {}:{}:{} already", at.file, at.line, at.column);
            return self.error(format!("the macro '{}' is defined twice", name.text), name.span, Some(place));
        }
        self.definitions.macros.insert(name.text.clone(), definition.clone());
    }

    /// A file is read once, as given or below a search path. What includes itself never ends.
    fn import(&mut self, path: &Text) {
        if self.importing.len() >= MAX_CALLS {
            return self.error(format!("more than {MAX_CALLS} imports in each other"), path.span, None);
        }
        let relative = !path.text.starts_with('/');
        let below = self.search_paths.iter().filter(|_| relative);
        let candidates = below.map(|folder| format!("{}/{}", folder.trim_end_matches('/'), path.text));
        for candidate in std::iter::once(path.text.clone()).chain(candidates) {
            if self.importing.contains(&candidate) {
                let chain = self.importing.join("', which imports '");
                let message = format!("'{candidate}' imports itself: '{chain}'");
                return self.error(message, path.span, None);
            }
            if self.definitions.imported.contains(&candidate) {
                return;
            }
            match self.reader.read_script(&candidate) {
                Ok(None) => {}
                Ok(Some(text)) => {
                    let called = CallSite { what: format!("import of '{}'", path.text), at: path.span };
                    self.importing.push(candidate.clone());
                    self.file(&candidate, &text, Some(called));
                    self.importing.pop();
                    self.definitions.imported.insert(candidate);
                    return;
                }
                Err(why) => {
                    return self.error(format!("'{candidate}' cannot be imported: {why}"), path.span, None);
                }
            }
        }
        self.error(format!("there is no file '{}' to import", path.text), path.span, None);
        if let Some(last) = self.diagnostics.last_mut() {
            last.kind = DiagnosticKind::NotFound;
        }
    }

    fn call(&mut self, call: &MacroCall) {
        let name = &call.name;
        let Some(definition) = self.definitions.macros.get(&name.text).cloned() else {
            let known = self.definitions.macros.keys().map(String::as_str).chain(OPERATORS.iter().copied());
            let help = did_you_mean(&name.text, known).map(|meant| format!("did you mean '{meant}'?"));
            return self.error(format!("there is no macro '{}'", name.text), name.span, help);
        };
        if self.expanding.contains(&name.text) {
            let message =
                format!("the macro '{}' calls itself: {}", name.text, self.expanding.join(" calls "));
            return self.error(message, name.span, Some("macros cannot be recursive".to_owned()));
        }
        if self.expanding.len() >= MAX_CALLS || self.statements.len() >= MAX_STATEMENTS {
            return self.error(
                format!("the macros called from here grow beyond measure at '{}'", name.text),
                name.span,
                None,
            );
        }
        let counts = [
            ("argument", call.arguments.len(), &definition.parameters),
            ("result", call.outputs.len(), &definition.returns),
        ];
        for (what, given, wanted) in counts {
            if given != wanted.len() {
                let names: Vec<&str> = wanted.iter().map(|name| name.text.as_str()).collect();
                let plural = if wanted.len() == 1 { "" } else { "s" };
                let message =
                    format!("the macro '{}' has {} {what}{plural}, not {given}", name.text, wanted.len());
                let help = (!names.is_empty()).then(|| format!("they are: {}", names.join(", ")));
                return self.error(message, name.span, help);
            }
        }
        for (number, output) in call.outputs.iter().enumerate() {
            if call.outputs[..number].iter().any(|earlier| earlier.text == output.text) {
                let message = format!("two results are named '{}'", output.text);
                return self.error(message, output.span, None);
            }
        }
        self.expanding.push(name.text.clone());
        self.expand(call, &definition);
        self.expanding.pop();
    }

    fn expand(&mut self, call: &MacroCall, definition: &MacroDefinition) {
        let of = &definition.name.text;
        let arguments = call.arguments.iter().map(|argument| argument.text.clone());
        let mut values: BTreeMap<String, String> =
            definition.parameters.iter().map(|name| name.text.clone()).zip(arguments).collect();
        // In `a, b = m(b, a)` the body must not read what it has just made: such results get their names at the end.
        let mut last = String::new();
        for (result, output) in definition.returns.iter().zip(&call.outputs) {
            let mut name = output.text.clone();
            if call.arguments.iter().any(|argument| argument.text == output.text) {
                name = format!("macro_{of}_{}_{}", result.text, self.next_name());
                last += &format!("\n{} = {name};", output.text);
            }
            values.insert(result.text.clone(), name);
        }

        let body = definition.body;
        let mut made = substitute(self.sources.slice(body), Values::Arguments(&values));
        for segment in &mut made.segments {
            segment.origin += body.start;
        }
        made.segments.push(Segment { at: offset(made.text.len()), origin: body.end, replaced: true });
        made.text += &last;
        let site = CallSite { what: format!("macro '{of}'"), at: call.span };
        // Names are found in the text with the arguments, and changed in it before it counts.
        let trial = self.sources.add_derived(body.source, made.text.clone(), &made.segments, site.clone());
        let parsed = parse_source(trial, &made.text);
        if !parsed.diagnostics.is_empty() {
            self.diagnostics.extend(parsed.diagnostics);
            return;
        }
        let local = local_names(&parsed.items, &|span| self.sources.is_replaced(span.source, span.start));
        self.check(&local.unknown, &local.returned, &values, definition);
        if local.edits.is_empty() {
            return self.body(parsed.items);
        }
        let number = self.next_name();
        let name = |edit: Edit| Edit { text: format!("macro_{of}_{}_{number}", edit.text), ..edit };
        let edits: Vec<Edit> = local.edits.into_iter().map(name).collect();
        let (text, segments) = apply(&made.text, &made.segments, &edits);
        self.sources.pop(trial);
        self.renamed(body.source, &text, &segments, site);
    }

    fn next_name(&mut self) -> usize {
        self.definitions.names += 1;
        self.definitions.names - 1
    }

    fn renamed(&mut self, of: SourceId, text: &str, segments: &[Segment], site: CallSite) {
        let source = self.sources.add_derived(of, text, segments, site);
        let parsed = parse_source(source, text);
        self.diagnostics.extend(parsed.diagnostics);
        self.body(parsed.items);
    }

    /// A macro sees what it is given and what it makes, and makes all that it returns.
    fn check(
        &mut self,
        unknown: &[Name],
        returned: &[String],
        values: &BTreeMap<String, String>,
        definition: &MacroDefinition,
    ) {
        let of = &definition.name.text;
        for name in unknown {
            let message = format!("the macro '{of}' knows no relation '{}'", name.text);
            self.error(message, name.span, Some("pass it as an argument".to_owned()));
        }
        for result in &definition.returns {
            if !values.get(&result.text).is_some_and(|output| returned.contains(output)) {
                let message = format!("the macro '{of}' does not make its result '{}'", result.text);
                self.error(message, result.span, Some(format!("write '${} = ...' in it", result.text)));
            }
        }
    }

    fn body(&mut self, items: Vec<Item>) {
        for item in &items {
            let (what, span) = match item {
                Item::Import(path) => ("IMPORT", path.span),
                Item::Macro(definition) => ("DEFINE of a macro", definition.name.span),
                Item::Statement(_) | Item::Call(_) => continue,
            };
            self.error(
                format!("{what} inside of a macro"),
                span,
                Some("write it before the macro".to_owned()),
            );
        }
        let allowed = |item: &Item| matches!(item, Item::Statement(_) | Item::Call(_));
        self.items(items.into_iter().filter(allowed).collect());
    }

    /// By the places in the script that led to them.
    pub(super) fn sort_diagnostics(&mut self) {
        let sources = &self.sources;
        self.diagnostics.sort_by_key(|found| {
            let outermost = sources.back_trace(found.span.source).last().map_or(found.span, |call| call.at);
            (outermost.source, outermost.start)
        });
    }

    /// Text that is parsed as it stands must not be larger than spans can tell.
    pub(super) fn fits(text: &str) -> bool {
        offset(text.len()) < u32::MAX
    }
}
