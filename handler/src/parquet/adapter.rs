//! Expressions over a table's columns, made into expressions over what one file has of them.
//!
//! A clipped footer gives most columns their requested names and shapes already. What is left is what a footer cannot
//! say: NULL for fields that the file lacks, wider types, and NULL below NULL. Columns and fields whose values can be taken
//! as they lie stay plain, so that the reader can still filter by them row by row.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Fields, Schema, SchemaRef};
use datafusion::common::ScalarValue;
use datafusion::common::format::DEFAULT_CAST_OPTIONS;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::error::Result;
use datafusion::functions::core::getfield::GetFieldFunc;
use datafusion::logical_expr::ColumnarValue;
use datafusion::physical_expr::expressions::{CastExpr, Column, Literal};
use datafusion::physical_expr::{PhysicalExpr, ScalarFunctionExpr};
use datafusion::physical_expr_adapter::{PhysicalExprAdapter, PhysicalExprAdapterFactory};

use super::convert::{convert, is_identity};
use crate::error::HandlerError;

/// Makes an adapter for every file of a scan.
#[derive(Debug)]
pub(super) struct RequestedAdapterFactory;

impl PhysicalExprAdapterFactory for RequestedAdapterFactory {
    fn create(&self, logical: SchemaRef, physical: SchemaRef) -> Result<Arc<dyn PhysicalExprAdapter>> {
        Ok(Arc::new(RequestedAdapter { table: logical, file: physical }))
    }
}

#[derive(Debug)]
struct RequestedAdapter {
    table: SchemaRef,
    file: SchemaRef,
}

impl PhysicalExprAdapter for RequestedAdapter {
    fn rewrite(&self, expr: Arc<dyn PhysicalExpr>) -> Result<Arc<dyn PhysicalExpr>> {
        expr.transform_down(|expr| {
            if let Some(field) = self.field_access(&expr)? {
                return Ok(Transformed::new(field, true, TreeNodeRecursion::Jump));
            }
            match expr.downcast_ref::<Column>() {
                Some(column) => self.column(&expr, column),
                None => Ok(Transformed::no(expr)),
            }
        })
        .data()
    }
}

impl RequestedAdapter {
    fn column(
        &self,
        expr: &Arc<dyn PhysicalExpr>,
        column: &Column,
    ) -> Result<Transformed<Arc<dyn PhysicalExpr>>> {
        let Ok(wanted) = self.table.field_with_name(column.name()) else {
            // A column of the reader's own, a row number: it has one place.
            return Ok(Transformed::no(Arc::clone(expr)));
        };
        let Ok(index) = self.file.index_of(column.name()) else {
            return Ok(jump(Arc::new(Literal::new(ScalarValue::try_new_null(wanted.data_type())?))));
        };
        let given = self.file.field(index);
        let plain: Arc<dyn PhysicalExpr> = Arc::new(Column::new(column.name(), index));
        Ok(jump(match (is_identity(given, wanted), wanted.data_type().is_nested()) {
            (true, _) => plain,
            (false, true) => Arc::new(ReadAs { input: plain, target: Arc::new(wanted.clone()) }),
            (false, false) => cast(plain, wanted),
        }))
    }

    /// `s['a']['b']` where every step lies in the file as it is declared: the reader takes the leaf alone.
    fn field_access(&self, expr: &Arc<dyn PhysicalExpr>) -> Result<Option<Arc<dyn PhysicalExpr>>> {
        let Some(call) = ScalarFunctionExpr::try_downcast_func::<GetFieldFunc>(expr.as_ref()) else {
            return Ok(None);
        };
        let Some((source, keys)) = call.args().split_first() else { return Ok(None) };
        let Some(column) = source.downcast_ref::<Column>() else { return Ok(None) };
        let Ok(wanted) = self.table.field_with_name(column.name()) else { return Ok(None) };
        let Ok(index) = self.file.index_of(column.name()) else { return Ok(None) };
        let given = self.file.field(index);
        let (mut from, mut to) = (given, wanted);
        for key in keys {
            let key =
                key.downcast_ref::<Literal>().and_then(|literal| literal.value().try_as_str().flatten());
            let (Some(key), DataType::Struct(wanted)) = (key, to.data_type()) else { return Ok(None) };
            let Some(next) = field_named(wanted, key) else { return Ok(None) };
            let DataType::Struct(given) = from.data_type() else { return Ok(None) };
            let Some(given) = field_named(given, key) else {
                let leaf = expr.data_type(&self.table)?;
                return Ok(Some(Arc::new(Literal::new(ScalarValue::try_new_null(&leaf)?))));
            };
            // Below a group that may be NULL a required field has to be looked at together with the group.
            if from.is_nullable() && !given.is_nullable() {
                return Ok(None);
            }
            (from, to) = (given, next);
        }
        if to.data_type().is_nested() {
            return Ok(None);
        }
        let mut args: Vec<Arc<dyn PhysicalExpr>> = vec![Arc::new(Column::new(column.name(), index))];
        args.extend(keys.iter().cloned());
        let access: Arc<dyn PhysicalExpr> = Arc::new(ScalarFunctionExpr::try_new(
            Arc::new(call.fun().clone()),
            args,
            &self.file,
            Arc::new(call.config_options().clone()),
        )?);
        Ok(Some(if from.data_type() == to.data_type() { access } else { cast(access, to) }))
    }
}

fn field_named<'f>(fields: &'f Fields, name: &str) -> Option<&'f Field> {
    fields.iter().find(|field| field.name() == name).map(AsRef::as_ref)
}

fn jump(expr: Arc<dyn PhysicalExpr>) -> Transformed<Arc<dyn PhysicalExpr>> {
    Transformed::new(expr, true, TreeNodeRecursion::Jump)
}

fn cast(expr: Arc<dyn PhysicalExpr>, to: &Field) -> Arc<dyn PhysicalExpr> {
    Arc::new(CastExpr::new(expr, to.data_type().clone(), Some(DEFAULT_CAST_OPTIONS)))
}

/// A nested column of a file as the table declares it.
#[derive(Debug, Clone)]
struct ReadAs {
    input: Arc<dyn PhysicalExpr>,
    target: FieldRef,
}

impl PartialEq for ReadAs {
    fn eq(&self, other: &Self) -> bool {
        self.input.as_ref() == other.input.as_ref() && self.target == other.target
    }
}

impl Eq for ReadAs {}

impl Hash for ReadAs {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.input.hash(state);
        self.target.hash(state);
    }
}

impl fmt::Display for ReadAs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.input)
    }
}

impl PhysicalExpr for ReadAs {
    fn data_type(&self, _input_schema: &Schema) -> Result<DataType> {
        Ok(self.target.data_type().clone())
    }

    fn nullable(&self, _input_schema: &Schema) -> Result<bool> {
        Ok(true)
    }

    fn return_field(&self, _input_schema: &Schema) -> Result<FieldRef> {
        Ok(Arc::clone(&self.target))
    }

    fn evaluate(&self, batch: &RecordBatch) -> Result<ColumnarValue> {
        let array = self.input.evaluate(batch)?.into_array(batch.num_rows())?;
        let converted = convert(&array, self.target.data_type()).map_err(|error| {
            let message = format!("column {}: {error}", self.target.name());
            HandlerError::new(HandlerError::from(error).kind, message)
        })?;
        Ok(ColumnarValue::Array(converted))
    }

    fn children(&self) -> Vec<&Arc<dyn PhysicalExpr>> {
        vec![&self.input]
    }

    fn with_new_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn PhysicalExpr>>,
    ) -> Result<Arc<dyn PhysicalExpr>> {
        match (children.pop(), children.is_empty()) {
            (Some(input), true) => Ok(Arc::new(Self { input, target: Arc::clone(&self.target) })),
            _ => Err(HandlerError::internal("a column that is read as another takes one input").into()),
        }
    }

    fn fmt_sql(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.input.fmt_sql(f)
    }
}
