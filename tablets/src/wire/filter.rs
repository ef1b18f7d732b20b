//! Row filters as they travel: the predicate as a list of steps, not as a tree, so that neither side needs a stack as
//! deep as the query.

use bincode::{Decode, Encode};
use ostracon_compare::CompareOp;
use ostracon_iterators::{OnBadValue, Operand, OperandSource, RowFilterSpec, RowPredicate};

use super::values::{EncodingForm, KeyPartForm, ScalarForm, TypeForm};

/// [`RowFilterSpec`] as it travels.
#[derive(Debug, Encode, Decode)]
pub(super) struct FilterForm {
    operands: Vec<OperandForm>,
    /// In postorder: the inputs of a step are the last results that no step has taken.
    steps: Vec<StepForm>,
    on_bad_value: OnBadValueForm,
}

#[derive(Debug, Encode, Decode)]
struct OperandForm {
    name: String,
    source: SourceForm,
    ty: TypeForm,
    encoding: EncodingForm,
    null_sequence: Option<Vec<u8>>,
}

#[derive(Debug, Encode, Decode)]
enum SourceForm {
    Row,
    RowPart { parts: Vec<KeyPartForm>, index: u64 },
    RowField { delimiter: Vec<u8>, index: u64 },
    Cell { family: Vec<u8>, qualifier: Vec<u8> },
}

#[derive(Debug, Encode, Decode)]
enum OnBadValueForm {
    Error,
    Null,
    SkipRow,
}

#[derive(Debug, Encode, Decode)]
enum OpForm {
    Equal,
    NotEqual,
    LessThan,
    LessThanOrEqual,
    GreaterThan,
    GreaterThanOrEqual,
}

#[derive(Debug, Encode, Decode)]
enum StepForm {
    Constant(Option<bool>),
    /// Takes so many results.
    And(u64),
    /// Takes so many results.
    Or(u64),
    Not,
    IsTruth(Option<bool>),
    Compare {
        operand: u64,
        op: OpForm,
        constant: ScalarForm,
    },
    Between {
        operand: u64,
        low: ScalarForm,
        high: ScalarForm,
    },
    In {
        operand: u64,
        values: Vec<ScalarForm>,
        has_null: bool,
    },
    Like {
        operand: u64,
        pattern: String,
        case_insensitive: bool,
    },
    IsNull {
        operand: u64,
    },
    ConstantUnlessNull {
        operand: u64,
        value: bool,
    },
    CompareOperands {
        left: u64,
        op: OpForm,
        right: u64,
    },
}

impl From<&RowFilterSpec> for FilterForm {
    fn from(filter: &RowFilterSpec) -> Self {
        Self {
            operands: filter.operands.iter().map(Into::into).collect(),
            steps: filter.predicate.postorder().map(Into::into).collect(),
            on_bad_value: match filter.on_bad_value {
                OnBadValue::Error => OnBadValueForm::Error,
                OnBadValue::Null => OnBadValueForm::Null,
                OnBadValue::SkipRow => OnBadValueForm::SkipRow,
            },
        }
    }
}

impl FilterForm {
    pub(super) fn into_filter(self) -> Result<RowFilterSpec, String> {
        let operands = self.operands.into_iter().map(OperandForm::into_operand);
        let operands = operands.collect::<Result<Vec<_>, _>>()?;
        let predicate = predicate(self.steps)?;
        // Said here rather than when the filter is compiled: whoever decodes may only want to look at it.
        let mut missing = None;
        predicate.for_each_operand(|operand| {
            if operand >= operands.len() {
                missing = Some(operand);
            }
        });
        if let Some(operand) = missing {
            return Err(format!("the filter uses operand {operand} of {}", operands.len()));
        }
        let on_bad_value = match self.on_bad_value {
            OnBadValueForm::Error => OnBadValue::Error,
            OnBadValueForm::Null => OnBadValue::Null,
            OnBadValueForm::SkipRow => OnBadValue::SkipRow,
        };
        Ok(RowFilterSpec { operands, predicate, on_bad_value })
    }
}

/// Builds the tree from its steps.
fn predicate(steps: Vec<StepForm>) -> Result<RowPredicate, String> {
    let mut results: Vec<RowPredicate> = Vec::new();
    for step in steps {
        let result = match step {
            StepForm::And(inputs) => RowPredicate::And(take(&mut results, inputs)?),
            StepForm::Or(inputs) => RowPredicate::Or(take(&mut results, inputs)?),
            StepForm::Not => RowPredicate::Not(Box::new(take_one(&mut results)?)),
            StepForm::IsTruth(truth) => {
                RowPredicate::IsTruth { input: Box::new(take_one(&mut results)?), truth }
            }
            leaf => leaf.into_leaf()?,
        };
        results.push(result);
    }
    let predicate = take_one(&mut results)?;
    if results.is_empty() {
        Ok(predicate)
    } else {
        Err(format!("{} parts of the filter are left over", results.len()))
    }
}

fn take(results: &mut Vec<RowPredicate>, inputs: u64) -> Result<Vec<RowPredicate>, String> {
    let at = usize::try_from(inputs).ok().and_then(|inputs| results.len().checked_sub(inputs));
    let at = at.ok_or_else(|| format!("a part of the filter takes {inputs} inputs of {}", results.len()))?;
    Ok(results.split_off(at))
}

fn take_one(results: &mut Vec<RowPredicate>) -> Result<RowPredicate, String> {
    results.pop().ok_or_else(|| "a part of the filter has no input".to_owned())
}

fn index(value: u64) -> Result<usize, String> {
    usize::try_from(value).map_err(|_| format!("index {value} is out of range"))
}

impl From<&RowPredicate> for StepForm {
    fn from(node: &RowPredicate) -> Self {
        match node {
            RowPredicate::Constant(truth) => Self::Constant(*truth),
            RowPredicate::And(parts) => Self::And(parts.len() as u64),
            RowPredicate::Or(parts) => Self::Or(parts.len() as u64),
            RowPredicate::Not(_) => Self::Not,
            RowPredicate::IsTruth { truth, .. } => Self::IsTruth(*truth),
            RowPredicate::Compare { operand, op, constant } => {
                Self::Compare { operand: *operand as u64, op: (*op).into(), constant: constant.into() }
            }
            RowPredicate::Between { operand, low, high } => {
                Self::Between { operand: *operand as u64, low: low.into(), high: high.into() }
            }
            RowPredicate::In { operand, values, has_null } => Self::In {
                operand: *operand as u64,
                values: values.iter().map(Into::into).collect(),
                has_null: *has_null,
            },
            RowPredicate::Like { operand, pattern, case_insensitive } => Self::Like {
                operand: *operand as u64,
                pattern: pattern.clone(),
                case_insensitive: *case_insensitive,
            },
            RowPredicate::IsNull { operand } => Self::IsNull { operand: *operand as u64 },
            RowPredicate::ConstantUnlessNull { operand, value } => {
                Self::ConstantUnlessNull { operand: *operand as u64, value: *value }
            }
            RowPredicate::CompareOperands { left, op, right } => {
                Self::CompareOperands { left: *left as u64, op: (*op).into(), right: *right as u64 }
            }
        }
    }
}

impl StepForm {
    fn into_leaf(self) -> Result<RowPredicate, String> {
        Ok(match self {
            Self::Constant(truth) => RowPredicate::Constant(truth),
            Self::Compare { operand, op, constant } => {
                RowPredicate::Compare { operand: index(operand)?, op: op.into(), constant: constant.into() }
            }
            Self::Between { operand, low, high } => {
                RowPredicate::Between { operand: index(operand)?, low: low.into(), high: high.into() }
            }
            Self::In { operand, values, has_null } => RowPredicate::In {
                operand: index(operand)?,
                values: values.into_iter().map(Into::into).collect(),
                has_null,
            },
            Self::Like { operand, pattern, case_insensitive } => {
                RowPredicate::Like { operand: index(operand)?, pattern, case_insensitive }
            }
            Self::IsNull { operand } => RowPredicate::IsNull { operand: index(operand)? },
            Self::ConstantUnlessNull { operand, value } => {
                RowPredicate::ConstantUnlessNull { operand: index(operand)?, value }
            }
            Self::CompareOperands { left, op, right } => {
                RowPredicate::CompareOperands { left: index(left)?, op: op.into(), right: index(right)? }
            }
            Self::And(_) | Self::Or(_) | Self::Not | Self::IsTruth(_) => {
                return Err("a connective stands where a test belongs".to_owned());
            }
        })
    }
}

impl From<&Operand> for OperandForm {
    fn from(operand: &Operand) -> Self {
        let source = match &operand.source {
            OperandSource::Row => SourceForm::Row,
            OperandSource::RowPart { parts, index } => {
                SourceForm::RowPart { parts: parts.iter().map(Into::into).collect(), index: *index as u64 }
            }
            OperandSource::RowField { delimiter, index } => {
                SourceForm::RowField { delimiter: delimiter.clone(), index: *index as u64 }
            }
            OperandSource::Cell { family, qualifier } => {
                SourceForm::Cell { family: family.clone(), qualifier: qualifier.clone() }
            }
        };
        Self {
            name: operand.name.clone(),
            source,
            ty: operand.ty.into(),
            encoding: operand.encoding.into(),
            null_sequence: operand.null_sequence.clone(),
        }
    }
}

impl OperandForm {
    fn into_operand(self) -> Result<Operand, String> {
        let source = match self.source {
            SourceForm::Row => OperandSource::Row,
            SourceForm::RowPart { parts, index: at } => OperandSource::RowPart {
                parts: parts.into_iter().map(Into::into).collect(),
                index: index(at)?,
            },
            SourceForm::RowField { delimiter, index: at } => {
                OperandSource::RowField { delimiter, index: index(at)? }
            }
            SourceForm::Cell { family, qualifier } => OperandSource::Cell { family, qualifier },
        };
        Ok(Operand {
            name: self.name,
            source,
            ty: self.ty.into(),
            encoding: self.encoding.into(),
            null_sequence: self.null_sequence,
        })
    }
}

impl From<CompareOp> for OpForm {
    fn from(op: CompareOp) -> Self {
        match op {
            CompareOp::Equal => Self::Equal,
            CompareOp::NotEqual => Self::NotEqual,
            CompareOp::LessThan => Self::LessThan,
            CompareOp::LessThanOrEqual => Self::LessThanOrEqual,
            CompareOp::GreaterThan => Self::GreaterThan,
            CompareOp::GreaterThanOrEqual => Self::GreaterThanOrEqual,
        }
    }
}

impl From<OpForm> for CompareOp {
    fn from(form: OpForm) -> Self {
        match form {
            OpForm::Equal => Self::Equal,
            OpForm::NotEqual => Self::NotEqual,
            OpForm::LessThan => Self::LessThan,
            OpForm::LessThanOrEqual => Self::LessThanOrEqual,
            OpForm::GreaterThan => Self::GreaterThan,
            OpForm::GreaterThanOrEqual => Self::GreaterThanOrEqual,
        }
    }
}
