//! Rows of a plan, as far as they are made row by row or group by group.

use std::collections::BTreeMap;
use std::sync::Arc;

use ostracon_piglatin::evaluate::{EvaluateContext, EvaluateError, Scope, bind, evaluate, generate};
use ostracon_piglatin::logical::*;
use ostracon_piglatin::types::PigType;
use ostracon_piglatin::value::matcher::{Matcher, MatcherCache, PatternProblem};
use ostracon_piglatin::value::{CallContext, Value, Warning, to_text};

use crate::scripts::Dice;
use crate::support::contract::is_of;

type Rows = Vec<Vec<Value>>;

/// Texts of fields: right ones, wrong ones, and none.
const TEXTS: &[&str] = &[
    "",
    "true",
    "7",
    "-3",
    "99999999999",
    "2.5",
    "ab",
    "2020-01-02T03:04:05.006Z",
    "(1,ab)",
    "(1,ab,2)",
    "({(1)},[k#2])",
    "{(x,1),(y,)}",
    "{(3)}",
    "{((1,2),3)}",
    "[k#1,j#x]",
    "[k#(1,2)]",
    "{junk",
];

#[derive(Default)]
struct Run {
    made: BTreeMap<usize, Result<Rows, EvaluateError>>,
    cache: MatcherCache,
}

impl CallContext for Run {
    fn started_millis(&self) -> i64 {
        1_577_934_245_006
    }

    fn random(&mut self) -> f64 {
        0.5
    }

    fn unique(&mut self) -> u64 {
        7
    }

    fn warn(&mut self, _: Warning) {}
}

impl EvaluateContext for Run {
    fn scalar(&mut self, relation: NodeId, index: usize) -> Result<Value, EvaluateError> {
        match self.made.get(&relation.0) {
            Some(Ok(rows)) if rows.len() == 1 => Ok(rows[0].get(index).cloned().unwrap_or(Value::Null)),
            Some(Ok(rows)) if rows.is_empty() => Ok(Value::Null),
            _ => Err(EvaluateError::Scalar("several rows".to_owned())),
        }
    }

    fn matcher(&mut self, pattern: &str) -> Result<Arc<Matcher>, PatternProblem> {
        self.cache.get(pattern)
    }
}

/// Computes what it can, and tells the first value that has not the type of its field.
pub(crate) fn run(plan: &LogicalPlan, dice: &mut Dice) -> Result<(), String> {
    let mut run = Run::default();
    for (number, node) in plan.nodes.iter().enumerate() {
        let Some(rows) = run.rows(&node.operator, dice) else { continue };
        if let Err(EvaluateError::Type { expected, found }) = &rows {
            return Err(format!("relation {number}: {expected} where the value is {found}"));
        }
        if let (Ok(rows), Some(_)) = (&rows, &node.schema) {
            let ty = PigType::Tuple(node.schema.clone());
            for row in rows {
                let row = Value::Tuple(row.clone());
                if !is_of(&row, &ty) {
                    return Err(format!("relation {number}: {row:?} is not of {ty:?}"));
                }
            }
        }
        run.made.insert(number, rows);
    }
    Ok(())
}

impl Run {
    /// The rows of an operator; none if this test does not make them.
    fn rows(&mut self, operator: &LogicalOperator, dice: &mut Dice) -> Option<Result<Rows, EvaluateError>> {
        match operator {
            LogicalOperator::Load { .. } => Some(Ok((0..6)
                .map(|_| {
                    let width = 15 + dice.roll(4);
                    (0..width)
                        .map(|_| match TEXTS[dice.roll(TEXTS.len())] {
                            "" => Value::Null,
                            text => Value::Bytearray(text.as_bytes().to_vec()),
                        })
                        .collect()
                })
                .collect())),
            LogicalOperator::Foreach { input, bindings, items } => Some(self.each(*input, |run, row| {
                let values = bind(bindings, row, run)?;
                generate(items, &Scope::new(row, &values), run)
            })?),
            LogicalOperator::Filter { input, condition } => Some(self.each(*input, |run, row| {
                Ok(match evaluate(condition, &Scope::new(row, &[]), run)? {
                    Value::Boolean(true) => vec![row.to_vec()],
                    _ => Vec::new(),
                })
            })?),
            LogicalOperator::Group { inputs, all, .. } => {
                let [branch] = inputs.as_slice() else { return None };
                let keyed = self.each(branch.input, |run, row| {
                    let scope = Scope::new(row, &[]);
                    let mut keys = Vec::new();
                    for key in &branch.keys {
                        keys.push(evaluate(key, &scope, run)?);
                    }
                    let key = match keys.as_slice() {
                        _ if *all => Value::Chararray("all".to_owned()),
                        [one] => one.clone(),
                        _ => Value::Tuple(keys),
                    };
                    Ok(vec![vec![key, Value::Tuple(row.to_vec())]])
                })?;
                Some(keyed.map(grouped))
            }
            LogicalOperator::Union(inputs) => {
                let mut rows = Vec::new();
                for input in inputs {
                    match self.made.get(&input.0)? {
                        Ok(more) => rows.extend(more.iter().cloned()),
                        Err(error) => return Some(Err(error.clone())),
                    }
                }
                Some(Ok(rows))
            }
            _ => None,
        }
    }

    fn each(
        &mut self,
        input: NodeId,
        mut make: impl FnMut(&mut Self, &[Value]) -> Result<Rows, EvaluateError>,
    ) -> Option<Result<Rows, EvaluateError>> {
        let rows = match self.made.get(&input.0)? {
            Ok(rows) => rows.clone(),
            Err(error) => return Some(Err(error.clone())),
        };
        Some(rows.iter().map(|row| make(self, row)).collect::<Result<Vec<_>, _>>().map(|rows| rows.concat()))
    }
}

fn grouped(keyed: Rows) -> Rows {
    let mut groups: BTreeMap<String, (Value, Vec<Value>)> = BTreeMap::new();
    for mut pair in keyed {
        if let (Some(row), Some(key)) = (pair.pop(), pair.pop()) {
            groups.entry(to_text(&key)).or_insert_with(|| (key, Vec::new())).1.push(row);
        }
    }
    groups.into_values().map(|(key, rows)| vec![key, Value::Bag(rows)]).collect()
}
