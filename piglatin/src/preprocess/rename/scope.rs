use std::collections::{BTreeMap, BTreeSet};

use super::LocalNames;
use super::edit::Edit;
use crate::ast::{Column, ItemNames};
use crate::ast::{
    ExpressionKind, GenerateItem, Name, Operator, OperatorKind, Relation, Statement, StatementKind,
};
use crate::parse::Item;
use crate::source::Span;

/// Names of relations that may stand for bags in the fields of a relation.
pub(super) type Bags = BTreeSet<String>;

/// What is known of a body up to a statement.
pub(super) struct Scope<'a> {
    pub(super) is_argument: &'a dyn Fn(Span) -> bool,
    /// The relations made so far, with their bags.
    pub(super) made: BTreeMap<String, Bags>,
    /// Relations with names from arguments that were made here.
    passed: BTreeMap<String, Bags>,
    /// What `@` means.
    previous: Bags,
    /// Names of the nested block, which hide relations.
    pub(super) nested: BTreeSet<String>,
    pub(super) names: LocalNames,
}

impl<'a> Scope<'a> {
    pub(super) fn new(is_argument: &'a dyn Fn(Span) -> bool) -> Self {
        Self {
            is_argument,
            made: BTreeMap::new(),
            passed: BTreeMap::new(),
            previous: Bags::new(),
            nested: BTreeSet::new(),
            names: LocalNames::default(),
        }
    }

    pub(super) fn item(&mut self, item: &Item) {
        match item {
            Item::Statement(statement) => self.statement(statement),
            Item::Call(call) => {
                let mut bags = Bags::new();
                for argument in &call.arguments {
                    let first = argument.text.split('.').next().unwrap_or("");
                    if !(self.is_argument)(argument.span) && self.made.contains_key(first) {
                        // A string is put in without its quotes, so it may be a name as well; its place includes them.
                        let quotes = argument.span.end - argument.span.start - u32_len(&argument.text);
                        self.edit_at(argument.span.start + quotes / 2, first);
                        bags.insert(first.to_owned());
                    }
                }
                for output in &call.outputs {
                    self.define(output, bags.clone());
                }
            }
            Item::Import(_) | Item::Macro(_) => {}
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Assign { alias, operator } => {
                let bags = self.operator(operator);
                self.previous.clone_from(&bags);
                if let Some(alias) = alias {
                    self.define(alias, bags);
                }
            }
            StatementKind::Split { input, branches, otherwise } => {
                let bags = self.relation(input);
                for branch in branches {
                    self.expression(&branch.condition, &bags);
                }
                let rest = otherwise.iter().map(|otherwise| &otherwise.alias);
                for alias in branches.iter().map(|branch| &branch.alias).chain(rest) {
                    self.define(alias, bags.clone());
                }
            }
            StatementKind::Assert { alias, input, condition, .. } => {
                let bags = self.relation(input);
                self.expression(condition, &bags);
                if let Some(alias) = alias {
                    self.define(alias, bags);
                }
            }
            StatementKind::Store { input, .. } | StatementKind::Dump(input) => {
                self.relation(input);
            }
            StatementKind::Illustrate(input) => {
                input.iter().for_each(|input| {
                    self.relation(input);
                });
            }
            StatementKind::Explain(target) => target.relation.iter().for_each(|input| {
                self.relation(input);
            }),
            StatementKind::Describe(Some(name)) => {
                let first = name.text.split("::").next().unwrap_or("");
                if self.made.contains_key(first) {
                    self.edit(name, 0, first);
                }
            }
            _ => {}
        }
    }

    fn define(&mut self, name: &Name, bags: Bags) {
        if (self.is_argument)(name.span) {
            self.names.returned.push(name.text.clone());
            self.passed.insert(name.text.clone(), bags);
        } else {
            self.edit(name, 0, &name.text);
            self.made.insert(name.text.clone(), bags);
        }
    }

    /// The part `old` of the name, from its byte `from` on, is to be changed.
    pub(super) fn edit(&mut self, name: &Name, from: usize, old: &str) {
        if !(self.is_argument)(name.span) {
            self.edit_at(name.span.start + u32::try_from(from).unwrap_or(0), old);
        }
    }

    fn edit_at(&mut self, start: u32, old: &str) {
        self.names.edits.push(Edit { start, end: start + u32_len(old), text: old.to_owned() });
    }

    pub(super) fn relation(&mut self, relation: &Relation) -> Bags {
        match relation {
            Relation::Previous(_) => self.previous.clone(),
            Relation::Inline(operator) => self.operator(operator),
            Relation::Alias(name) if (self.is_argument)(name.span) => {
                self.passed.get(&name.text).cloned().unwrap_or_default()
            }
            Relation::Alias(name) => match self.made.get(&name.text).cloned() {
                Some(bags) => {
                    self.edit(name, 0, &name.text);
                    bags
                }
                None => {
                    self.names.unknown.push(name.clone());
                    Bags::new()
                }
            },
        }
    }

    /// What the fields of the result may be named after.
    fn operator(&mut self, operator: &Operator) -> Bags {
        match &operator.kind {
            OperatorKind::Load { .. } => Bags::new(),
            OperatorKind::Relation(input)
            | OperatorKind::Distinct(input)
            | OperatorKind::Stream { input, .. } => self.relation(input),
            OperatorKind::Filter { input, condition: expression }
            | OperatorKind::Limit { input, count: expression }
            | OperatorKind::Sample { input, share: expression } => {
                let bags = self.relation(input);
                self.expression(expression, &bags);
                bags
            }
            OperatorKind::Order { input, keys, .. } => {
                let bags = self.relation(input);
                keys.iter().for_each(|key| self.expression(&key.expression, &bags));
                bags
            }
            OperatorKind::Rank { input, keys } => {
                let bags = self.relation(input);
                let keys = keys.iter().flat_map(|keys| &keys.keys);
                keys.for_each(|key| self.expression(&key.expression, &bags));
                bags
            }
            OperatorKind::Cube { input, dimensions } => {
                let bags = self.relation(input);
                let keys = dimensions.iter().flat_map(|dimension| &dimension.expressions);
                keys.for_each(|key| self.expression(key, &bags));
                Bags::new()
            }
            OperatorKind::Cross(inputs) | OperatorKind::Union { inputs, .. } => {
                inputs.iter().flat_map(|input| self.relation(input)).collect()
            }
            OperatorKind::Join { inputs, .. } => {
                let mut all = Bags::new();
                for input in inputs {
                    let bags = self.relation(&input.relation);
                    input.keys.iter().for_each(|key| self.expression(key, &bags));
                    all.extend(bags);
                }
                all
            }
            OperatorKind::Group { inputs, .. } => {
                let mut named = Bags::new();
                for input in inputs {
                    let bags = self.relation(&input.relation);
                    if let crate::ast::GroupKeys::By(keys) = &input.keys {
                        keys.iter().for_each(|key| self.expression(key, &bags));
                    }
                    if let Relation::Alias(name) = &input.relation
                        && !(self.is_argument)(name.span)
                    {
                        named.insert(name.text.clone());
                    }
                }
                named
            }
            OperatorKind::Foreach { input, block, items } => {
                let bags = self.relation(input);
                block.iter().for_each(|statement| self.nested(statement, &bags));
                items.iter().for_each(|item| self.expression(&item.expression, &bags));
                let kept = self.kept(items, &bags);
                self.nested.clear();
                kept
            }
        }
    }

    /// The bags that GENERATE passes on under their names.
    fn kept(&self, items: &[GenerateItem], bags: &Bags) -> Bags {
        let mut kept = Bags::new();
        for item in items {
            match &item.expression.kind {
                ExpressionKind::Star | ExpressionKind::Range { .. } => kept.extend(bags.iter().cloned()),
                ExpressionKind::Column(Column::Name(name))
                    if item.names.is_none()
                        && bags.contains(&name.text)
                        && !self.nested.contains(&name.text) =>
                {
                    kept.insert(name.text.clone());
                }
                _ => {}
            }
            // A field that AS names so hides the bag.
            if let Some(ItemNames::Field(field)) = &item.names
                && let Some(name) = &field.name
            {
                kept.remove(&name.text);
            }
        }
        kept
    }
}

fn u32_len(text: &str) -> u32 {
    u32::try_from(text.len()).unwrap_or(u32::MAX)
}
