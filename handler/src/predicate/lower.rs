//! From DataFusion's expressions to the tree.
//!
//! [`Lowering::lower`] walks the boolean part of an expression with a list of its own, since an OR of thousands
//! is a tree as deep; everything below it is a leaf, recognised by shape or made opaque with a reason.

use datafusion::functions::string::starts_with::StartsWithFunc;
use datafusion::logical_expr::expr::{InList, Like, ScalarFunction};
use datafusion::logical_expr::{Between, BinaryExpr, Expr, Operator};
use ostracon_compare::{Coerced, CompareOp, LikePattern, PrimitiveType, Scalar};
use ostracon_iterators::RowPredicate;

use super::case::expand_case;
use super::guarded::Guarded;
use super::literal::{self, Literal};
use super::operand::{self, Operands};
use super::shape::{chain, compare_op, is_predicate};
use super::subject::{Compared, Subject};
use super::tree::{Node, NodeId, Tree};
use crate::definition::TableDefinition;

/// Collects the tree and the operands of all filters of a scan.
#[derive(Debug)]
pub(super) struct Lowering<'t> {
    table: &'t TableDefinition,
    tree: Tree,
    operands: Operands,
}

/// What is left to do: look at an expression, or put finished inputs together.
pub(super) enum Step<'e> {
    Visit {
        expr: &'e Expr,
        /// Whether it is a condition of a CASE, which is looked at twice: one more CASE inside would double that.
        condition: bool,
    },
    And(usize),
    Or(usize),
    Not,
    IsTruth(Option<bool>),
    Constant(Option<bool>),
}

/// A leaf: a node, or the reason for an opaque one.
type Leaf = Result<NodeId, String>;

impl<'t> Lowering<'t> {
    pub(super) fn new(table: &'t TableDefinition) -> Self {
        Lowering { table, tree: Tree::default(), operands: Operands::default() }
    }

    pub(super) fn finish(self) -> (Tree, Operands) {
        (self.tree, self.operands)
    }

    /// Adds a filter; gives the node that it is.
    pub(super) fn lower(&mut self, filter: &Expr) -> NodeId {
        let mut steps = vec![Step::Visit { expr: filter, condition: false }];
        let mut finished: Vec<NodeId> = Vec::new();
        while let Some(step) = steps.pop() {
            let node = match step {
                Step::Visit { expr, condition } => match self.expand(expr, condition, &mut steps) {
                    Some(node) => node,
                    None => continue,
                },
                Step::And(inputs) => {
                    let inputs = finished.split_off(finished.len().saturating_sub(inputs));
                    self.tree.push(Node::And(inputs))
                }
                Step::Or(inputs) => {
                    let inputs = finished.split_off(finished.len().saturating_sub(inputs));
                    self.tree.push(Node::Or(inputs))
                }
                Step::Not => match finished.pop() {
                    Some(input) => self.tree.push(Node::Not(input)),
                    None => continue,
                },
                Step::IsTruth(truth) => match finished.pop() {
                    Some(input) => self.tree.push(Node::IsTruth(input, truth)),
                    None => continue,
                },
                Step::Constant(truth) => self.constant(truth),
            };
            finished.push(node);
        }
        match finished.pop() {
            Some(root) => root,
            None => self.opaque("it could not be read".to_owned()),
        }
    }

    fn opaque(&mut self, reason: String) -> NodeId {
        self.tree.push(Node::Opaque { reason })
    }

    fn constant(&mut self, truth: Option<bool>) -> NodeId {
        self.tree.push(Node::Atom(RowPredicate::Constant(truth)))
    }

    fn atom(&mut self, predicate: RowPredicate) -> NodeId {
        self.tree.push(Node::Atom(predicate))
    }

    /// Finishes a leaf, or says by steps what an inner node is made of.
    fn expand<'e>(&mut self, expr: &'e Expr, condition: bool, steps: &mut Vec<Step<'e>>) -> Option<NodeId> {
        let visit = |expr| Step::Visit { expr, condition };
        match expr {
            Expr::Alias(alias) => steps.push(visit(&alias.expr)),
            Expr::BinaryExpr(BinaryExpr { op: op @ (Operator::And | Operator::Or), .. }) => {
                let inputs = chain(expr, *op);
                steps.push(if *op == Operator::And {
                    Step::And(inputs.len())
                } else {
                    Step::Or(inputs.len())
                });
                steps.extend(inputs.into_iter().rev().map(visit));
            }
            Expr::Not(input) => steps.extend([Step::Not, visit(input)]),
            Expr::IsTrue(input) => steps.extend([Step::IsTruth(Some(true)), visit(input)]),
            Expr::IsFalse(input) => steps.extend([Step::IsTruth(Some(false)), visit(input)]),
            Expr::IsUnknown(input) => steps.extend([Step::IsTruth(None), visit(input)]),
            Expr::IsNotTrue(input) => steps.extend([Step::Not, Step::IsTruth(Some(true)), visit(input)]),
            Expr::IsNotFalse(input) => steps.extend([Step::Not, Step::IsTruth(Some(false)), visit(input)]),
            Expr::IsNotUnknown(input) => steps.extend([Step::Not, Step::IsTruth(None), visit(input)]),
            Expr::IsNull(input) if is_predicate(input) => steps.extend([Step::IsTruth(None), visit(input)]),
            Expr::IsNotNull(input) if is_predicate(input) => {
                steps.extend([Step::Not, Step::IsTruth(None), visit(input)]);
            }
            Expr::Case(case) if !condition && expand_case(case, steps) => {}
            leaf => {
                return Some(match self.leaf(leaf) {
                    Ok(node) => node,
                    Err(_) if leaf.is_volatile() => self.opaque("it is volatile".to_owned()),
                    Err(reason) => self.opaque(reason),
                });
            }
        }
        None
    }

    fn leaf(&mut self, expr: &Expr) -> Leaf {
        match expr {
            Expr::Literal(..) => match literal::of_expr(expr) {
                Some(Literal { value: None, .. }) => Ok(self.constant(None)),
                Some(Literal { value: Some(Scalar::Boolean(truth)), .. }) => Ok(self.constant(Some(truth))),
                _ => Err("it is a constant that is no truth value".to_owned()),
            },
            Expr::BinaryExpr(binary) => self.binary(binary),
            Expr::Between(between) => self.between(between),
            Expr::InList(list) => self.in_list(list),
            Expr::Like(like) => self.like(like),
            Expr::IsNull(input) => {
                let operand = self.presence(input)?;
                Ok(self.atom(RowPredicate::IsNull { operand }))
            }
            Expr::IsNotNull(input) => {
                let operand = self.presence(input)?;
                let is_null = self.atom(RowPredicate::IsNull { operand });
                Ok(self.tree.push(Node::Not(is_null)))
            }
            Expr::ScalarFunction(call) if call.func.inner().is::<StartsWithFunc>() => self.starts_with(call),
            Expr::Case(_) => Err("this CASE stays with DataFusion".to_owned()),
            other => {
                let subject = self.subject(other)?;
                if !(subject.is_plain() && subject.ty == PrimitiveType::Boolean) {
                    return Err("it is an expression that stays with DataFusion".to_owned());
                }
                let constant = Scalar::Boolean(true);
                Ok(self.atom(RowPredicate::Compare {
                    operand: subject.operand,
                    op: CompareOp::Equal,
                    constant,
                }))
            }
        }
    }

    fn subject(&mut self, expr: &Expr) -> Result<Subject, String> {
        Subject::of(expr, self.table, &mut self.operands)
    }

    /// The operand that is NULL where an expression is.
    fn presence(&mut self, expr: &Expr) -> Result<usize, String> {
        if let Expr::Column(column) = expr
            && let Some(found) = operand::of_nested_cell(self.table, &column.name)
        {
            return Ok(self.operands.add(found));
        }
        Ok(self.plain_subject(expr)?.operand)
    }

    fn plain_subject(&mut self, expr: &Expr) -> Result<Subject, String> {
        let subject = self.subject(expr)?;
        if subject.is_plain() {
            Ok(subject)
        } else {
            Err("the NULL of a cast stays with DataFusion".to_owned())
        }
    }

    fn binary(&mut self, binary: &BinaryExpr) -> Leaf {
        let distinct = match binary.op {
            Operator::IsDistinctFrom => Some(true),
            Operator::IsNotDistinctFrom => Some(false),
            _ => None,
        };
        let op = match distinct {
            Some(_) => CompareOp::Equal,
            None => compare_op(binary.op)
                .ok_or_else(|| format!("the operator {} runs in DataFusion", binary.op))?,
        };
        let (left, right) = (literal::of_expr(&binary.left), literal::of_expr(&binary.right));
        let (side, op, literal) = match (left, right) {
            (None, None) => return self.two_operands(binary, op, distinct),
            (None, Some(literal)) => (&binary.left, op, literal),
            (Some(literal), None) => (&binary.right, op.swap(), literal),
            (Some(_), Some(_)) => return Err("it compares two constants".to_owned()),
        };
        let subject = self.subject(side)?;
        let Some(distinct) = distinct else {
            return self.compare(&subject, op, &literal);
        };
        // IS DISTINCT FROM is never NULL: `x IS NOT DISTINCT FROM c` is `(x = c) IS TRUE`, with NULL as a value.
        let same = match (&literal.value, subject.is_plain()) {
            (None, true) => self.atom(RowPredicate::IsNull { operand: subject.operand }),
            (None, false) => return Err("the NULL of a cast stays with DataFusion".to_owned()),
            (Some(_), _) => {
                let equal = self.compare(&subject, op, &literal)?;
                self.tree.push(Node::IsTruth(equal, Some(true)))
            }
        };
        Ok(if distinct { self.tree.push(Node::Not(same)) } else { same })
    }

    fn two_operands(&mut self, binary: &BinaryExpr, op: CompareOp, distinct: Option<bool>) -> Leaf {
        let left = self.subject(&binary.left)?;
        let right = self.subject(&binary.right)?;
        left.comparable_with(&right)?;
        let (left, right) = (left.operand, right.operand);
        let compared = self.atom(RowPredicate::CompareOperands { left, op, right });
        let Some(distinct) = distinct else {
            return Ok(compared);
        };
        let equal = self.tree.push(Node::IsTruth(compared, Some(true)));
        let nulls = [left, right].map(|operand| self.atom(RowPredicate::IsNull { operand }));
        let both_null = self.tree.push(Node::And(nulls.to_vec()));
        let same = self.tree.push(Node::Or(vec![equal, both_null]));
        Ok(if distinct { self.tree.push(Node::Not(same)) } else { same })
    }

    /// `subject op literal`.
    fn compare(&mut self, subject: &Subject, op: CompareOp, literal: &Literal) -> Leaf {
        match &literal.value {
            None => Ok(self.constant(None)),
            Some(constant) => {
                let compared = subject.compare(op, literal, constant)?;
                Ok(self.compared(subject.operand, compared))
            }
        }
    }

    fn compared(&mut self, operand: usize, compared: Compared) -> NodeId {
        match compared {
            Compared::Always(coerced) => self.coerced(operand, coerced),
            Compared::Guarded(Guarded { coerced, low, high }) => {
                // Rows beyond the ends are let through, for DataFusion to look at or to fail on as it does without us.
                let known = self.coerced(operand, coerced);
                let mut beyond = |op, bound| {
                    self.atom(RowPredicate::Compare { operand, op, constant: Scalar::Int(bound) })
                };
                let mut inputs = vec![known, beyond(CompareOp::LessThan, low)];
                if high < i64::MAX {
                    inputs.push(beyond(CompareOp::GreaterThan, high));
                }
                let wide = self.tree.push(Node::Or(inputs));
                let rest = self.opaque("far from our days its dates and times overflow".to_owned());
                self.tree.push(Node::And(vec![wide, rest]))
            }
        }
    }

    fn coerced(&mut self, operand: usize, coerced: Coerced) -> NodeId {
        match coerced {
            Coerced::Compare { op, constant } => self.atom(RowPredicate::Compare { operand, op, constant }),
            Coerced::Constant(value) => self.atom(RowPredicate::ConstantUnlessNull { operand, value }),
            Coerced::Between { low, high, negated } => {
                let between = self.atom(RowPredicate::Between { operand, low, high });
                if negated { self.tree.push(Node::Not(between)) } else { between }
            }
        }
    }

    fn between(&mut self, between: &Between) -> Leaf {
        let subject = self.subject(&between.expr)?;
        let bound = |expr| literal::of_expr(expr).ok_or_else(|| "a bound is no constant".to_owned());
        let (low, high) = (bound(&between.low)?, bound(&between.high)?);
        // By its definition, so that a NULL bound does what it does there.
        let above = self.compare(&subject, CompareOp::GreaterThanOrEqual, &low)?;
        let below = self.compare(&subject, CompareOp::LessThanOrEqual, &high)?;
        let inside = self.tree.push(Node::And(vec![above, below]));
        Ok(if between.negated { self.tree.push(Node::Not(inside)) } else { inside })
    }

    fn in_list(&mut self, list: &InList) -> Leaf {
        if list.list.is_empty() {
            return Ok(self.constant(Some(list.negated)));
        }
        let subject = self.subject(&list.expr)?;
        let operand = subject.operand;
        let mut values = Vec::with_capacity(list.list.len());
        let mut others = Vec::new();
        let mut has_null = false;
        let mut has_zero = false;
        for item in &list.list {
            let literal =
                literal::of_expr(item).ok_or_else(|| "the list holds more than constants".to_owned())?;
            let Some(constant) = &literal.value else {
                has_null = true;
                continue;
            };
            has_zero |= matches!(constant, Scalar::Float32(0.0) | Scalar::Float64(0.0));
            match subject.compare(CompareOp::Equal, &literal, constant)? {
                Compared::Always(Coerced::Compare { op: CompareOp::Equal, constant }) => {
                    values.push(constant)
                }
                // Out of the column's range: equal to none of its values.
                Compared::Always(Coerced::Constant(false)) => {}
                other => others.push(self.compared(operand, other)),
            }
        }
        let found = if values.is_empty() && !has_null {
            // All out of range: FALSE for a value, NULL for NULL.
            self.atom(RowPredicate::ConstantUnlessNull { operand, value: false })
        } else {
            self.atom(RowPredicate::In { operand, values, has_null })
        };
        let mut any = if others.is_empty() {
            found
        } else {
            others.push(found);
            self.tree.push(Node::Or(others))
        };
        if has_zero {
            // DataFusion 55 compares a list of floats by their bits, so that 0.0 is not IN (-0.0, 1.0, 2.0, 3.0).
            // Ours holds both zeros: wide enough to narrow the scan, not the answer itself.
            let reason = "DataFusion tells 0.0 from -0.0 in a list".to_owned();
            let bits = self.opaque(reason);
            any = self.tree.push(Node::And(vec![any, bits]));
        }
        Ok(if list.negated { self.tree.push(Node::Not(any)) } else { any })
    }

    fn like(&mut self, like: &Like) -> Leaf {
        if !matches!(like.escape_char, None | Some('\\')) {
            return Err("LIKE with an escape character of its own stays with DataFusion".to_owned());
        }
        let literal =
            literal::of_expr(&like.pattern).ok_or_else(|| "the pattern is no constant".to_owned())?;
        let matches = self.pattern(&like.expr, &literal, like.case_insensitive)?;
        Ok(if like.negated { self.tree.push(Node::Not(matches)) } else { matches })
    }

    fn pattern(&mut self, expr: &Expr, pattern: &Literal, case_insensitive: bool) -> Leaf {
        let subject = self.subject(expr)?;
        if !(subject.is_plain() && subject.ty == PrimitiveType::Utf8) {
            return Err("LIKE on something that is no text column stays with DataFusion".to_owned());
        }
        match &pattern.value {
            None => Ok(self.constant(None)),
            Some(Scalar::Utf8(pattern)) => {
                if let Err(error) = LikePattern::compile(pattern, case_insensitive) {
                    return Err(format!("the pattern cannot be compiled: {error}"));
                }
                let pattern = pattern.clone();
                Ok(self.atom(RowPredicate::Like { operand: subject.operand, pattern, case_insensitive }))
            }
            Some(_) => Err("the pattern is no text".to_owned()),
        }
    }

    fn starts_with(&mut self, call: &ScalarFunction) -> Leaf {
        let [text, prefix] = call.args.as_slice() else {
            return Err("the function starts_with runs in DataFusion".to_owned());
        };
        let mut literal = literal::of_expr(prefix).ok_or_else(|| "the prefix is no constant".to_owned())?;
        if let Some(Scalar::Utf8(prefix)) = &mut literal.value {
            let mut pattern = String::with_capacity(prefix.len() + 1);
            for c in prefix.chars() {
                if matches!(c, '%' | '_' | '\\') {
                    pattern.push('\\');
                }
                pattern.push(c);
            }
            pattern.push('%');
            *prefix = pattern;
        }
        self.pattern(text, &literal, false)
    }
}
