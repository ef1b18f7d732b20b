//! CREATE TABLE and CREATE VIEW.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::catalog::TableProvider;
use datafusion::common::TableReference;
use datafusion::datasource::provider_as_source;
use datafusion::execution::context::SessionContext;
use datafusion::logical_expr::dml::InsertOp;
use datafusion::logical_expr::{CreateExternalTable, Expr, ExprSchemable, LogicalPlan, LogicalPlanBuilder};
use datafusion::sql::parser::Statement as EngineStatement;
use datafusion::sql::sqlparser::ast::{Query, Statement as SqlStatement};

use super::{Ddl, local_name, refuse_taken};
use crate::catalog::{CatalogEntry, HandledTable, SqlCatalog, ViewEntry};
use crate::definition::ColumnSpec;
use crate::error::{HandlerError, Result};
use crate::provider::default_expression;
use crate::statement::{CreateTable, CreateView, StoredAs};
use crate::storage::{CreateRequest, SessionAccess, StorageHandler, StorageHandlerRegistry};

/// What a CREATE did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Created {
    /// Rows that a query filled the table with; none without a query.
    pub rows: Option<u64>,
    /// Words for the user.
    pub warnings: Vec<String>,
}

impl Ddl {
    /// Makes a table of a storage handler or over files, and fills it if the statement has a query.
    pub async fn create_table(&self, context: &SessionContext, statement: &CreateTable) -> Result<Created> {
        let name = local_name(&statement.name).map_err(|error| error.at(statement.position))?;
        let _reserved = self.catalog.reserve(&name).map_err(|error| error.at(statement.position))?;
        let existing = self.catalog.get(&name)?;
        if statement.if_not_exists && existing.is_some() {
            return Ok(Created::default());
        }
        if !statement.or_replace {
            refuse_taken(&self.catalog, &name).map_err(|error| error.at(statement.position))?;
        }
        let handler = match &statement.stored {
            StoredAs::Unsaid => self.handlers.require("TABLET")?,
            StoredAs::Handler(class) => self.handlers.require(class)?,
            StoredAs::Format(format) => match self.handlers.get(format) {
                Some(handler) => handler,
                None => return self.create_file_table(context, statement, &name, format).await,
            },
        };
        let plan = match &statement.query {
            Some(query) => Some(plan_query(context, query).await?),
            None => None,
        };
        let mut request = request_of(statement, &name, plan.as_ref())?;
        if let Some(CatalogEntry::Handled(old)) = &existing {
            self.handlers.require(&old.handler)?.pre_drop(old)?;
            request.replaces = Some(old.clone());
        }
        let table = handler.pre_create(&request).map_err(|error| placed(error, statement))?;
        let filled = match plan {
            Some(plan) => self.fill(context, handler.as_ref(), &table, plan).await.map(Some),
            None => Ok(None),
        };
        let finished = filled.and_then(|rows| {
            self.catalog.put(&name, &CatalogEntry::Handled(table.clone()))?;
            Ok(rows)
        });
        match finished {
            Ok(rows) => {
                handler.commit_create(&table)?;
                if let Some(old) = &request.replaces {
                    self.handlers.require(&old.handler)?.commit_drop(old)?;
                }
                Ok(Created { rows, warnings: handler.warnings(&table)? })
            }
            Err(error) => {
                roll_back(handler.as_ref(), &table);
                Err(error)
            }
        }
    }

    /// Writes the rows of a query into a table that nobody sees yet.
    async fn fill(
        &self,
        context: &SessionContext,
        handler: &dyn StorageHandler,
        table: &HandledTable,
        plan: LogicalPlan,
    ) -> Result<u64> {
        let provider = handler.source(table, &self.access)?;
        let insert = insert_plan(&table.name, provider, plan)?;
        let frame = context.execute_logical_plan(insert).await?;
        crate::execute::count_of(frame).await
    }

    /// Makes a view. Its query is planned once, so that it fails here if it fails at all.
    pub async fn create_view(&self, context: &SessionContext, view: &CreateView) -> Result<()> {
        let name = local_name(&view.name)?;
        let _reserved = self.catalog.reserve(&name)?;
        match self.catalog.get(&name)? {
            Some(_) if view.if_not_exists => return Ok(()),
            Some(CatalogEntry::View(_)) if view.or_replace => {}
            _ => refuse_taken(&self.catalog, &name)?,
        }
        let plan = context.state().create_logical_plan(&view.query).await?;
        let fields = plan.schema().fields().len();
        if !view.columns.is_empty() && view.columns.len() != fields {
            return Err(HandlerError::invalid(format!(
                "view {name} names {} columns, its query gives {fields}",
                view.columns.len()
            )));
        }
        let entry = ViewEntry { query: view.query.clone(), columns: view.columns.clone() };
        self.catalog.put(&name, &CatalogEntry::View(entry))
    }
}

/// Takes away what a failed CREATE made; that failure is the one to tell of.
fn roll_back(handler: &dyn StorageHandler, table: &HandledTable) {
    if let Err(error) = handler.rollback_create(table) {
        tracing::warn!(%error, table = %table.name, "what a failed CREATE TABLE made was not taken away");
    }
}

async fn plan_query(context: &SessionContext, query: &Query) -> Result<LogicalPlan> {
    let statement = EngineStatement::Statement(Box::new(SqlStatement::Query(Box::new(query.clone()))));
    Ok(context.state().statement_to_plan(statement).await?)
}

/// `INSERT INTO provider plan`, columns by position, cast to the table's types.
fn insert_plan(name: &str, provider: Arc<dyn TableProvider>, plan: LogicalPlan) -> Result<LogicalPlan> {
    let schema = provider.schema();
    let columns = plan.schema().columns();
    let values = columns.into_iter().zip(schema.fields()).map(|(column, field)| {
        Ok(Expr::Column(column).cast_to(field.data_type(), plan.schema())?.alias(field.name()))
    });
    let values = values.collect::<Result<Vec<Expr>>>()?;
    let rows = LogicalPlanBuilder::from(plan).project(values)?.build()?;
    let target = provider_as_source(provider);
    Ok(LogicalPlanBuilder::insert_into(rows, TableReference::bare(name), target, InsertOp::Append)?
        .build()?)
}

/// The request that a statement makes, its columns those of the query where it lists none.
fn request_of(statement: &CreateTable, name: &str, plan: Option<&LogicalPlan>) -> Result<CreateRequest> {
    let mut columns: Vec<ColumnSpec> = statement
        .columns
        .iter()
        .map(|column| ColumnSpec {
            name: column.name.clone(),
            data_type: column.data_type.clone(),
            nullable: column.nullable,
            default: column.default.clone(),
        })
        .collect();
    for column in &statement.columns {
        if let Some(sql) = &column.default {
            default_expression(name, &column.name, sql).map_err(|error| error.at(column.position))?;
        }
    }
    if let Some(plan) = plan {
        let given = plan.schema().fields();
        if columns.is_empty() {
            columns = given
                .iter()
                .map(|field| ColumnSpec::new(field.name(), kept_type(field.data_type())))
                .collect();
        } else if columns.len() != given.len() {
            return Err(HandlerError::invalid(format!(
                "table {name} has {} columns, its query gives {}",
                columns.len(),
                given.len()
            ))
            .at(statement.position));
        }
    }
    if let Some(key) = statement.primary_key.iter().find(|key| key.descending) {
        let message =
            format!("the key part {} is DESC; keys ascend here, and are read backwards as fast", key.name);
        return Err(HandlerError::unsupported(message).at(key.position));
    }
    if let Some(key) =
        statement.primary_key.iter().find(|key| !columns.iter().any(|column| column.name == key.name))
    {
        let message = format!("the primary key names {}, which is no column of the table", key.name);
        return Err(HandlerError::invalid(message).at(key.position));
    }
    if !statement.partitioned_by.is_empty() || !statement.sort_order.is_empty() {
        let message = format!("table {name}: PARTITIONED BY and WITH ORDER are for tables over files");
        return Err(HandlerError::invalid(message).at(statement.position));
    }
    Ok(CreateRequest {
        name: name.to_owned(),
        columns,
        primary_key: statement.primary_key.iter().map(|key| key.name.clone()).collect(),
        external: statement.external,
        properties: statement.properties.iter().map(|p| (p.key.clone(), p.value.clone())).collect(),
        location: statement.locations.first().cloned(),
        replaces: None,
    })
}

/// The type that a column of a query is kept as. Its parts may be NULL, whatever the query knows of its own rows.
fn kept_type(data_type: &DataType) -> DataType {
    let part = |field: &Field| {
        Arc::new(field.clone().with_data_type(kept_type(field.data_type())).with_nullable(true))
    };
    match data_type {
        DataType::Null => DataType::Utf8,
        DataType::Dictionary(_, values) => kept_type(values),
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _) => DataType::List(part(item)),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(|field| part(field)).collect()),
        DataType::Map(entries, sorted) => match entries.data_type() {
            DataType::Struct(pair) => {
                let pair = pair.iter().enumerate().map(|(i, field)| match i {
                    0 => Arc::new(part(field).as_ref().clone().with_nullable(false)),
                    _ => part(field),
                });
                let entries = entries.as_ref().clone().with_data_type(DataType::Struct(pair.collect()));
                DataType::Map(Arc::new(entries), *sorted)
            }
            _ => data_type.clone(),
        },
        other => other.clone(),
    }
}

/// Points an error at the property or column that it names.
fn placed(error: HandlerError, statement: &CreateTable) -> HandlerError {
    if error.position.is_some() {
        return error;
    }
    let quoted = |name: &str| error.message.contains(&format!("'{name}'"));
    let property =
        statement.properties.iter().find(|property| quoted(&property.key)).map(|found| found.position);
    let column = || statement.columns.iter().find(|column| quoted(&column.name)).map(|found| found.position);
    match property.or_else(column) {
        Some(position) => error.at(position),
        None => error.at(statement.position),
    }
}

/// `CREATE EXTERNAL TABLE ... STORED AS TABLET` of a plain `SessionContext`, whose parser has lower-cased the keys.
pub(crate) fn create_table_of_factory(
    catalog: &SqlCatalog,
    handlers: &StorageHandlerRegistry,
    access: &SessionAccess,
    command: &CreateExternalTable,
) -> Result<Arc<dyn TableProvider>> {
    let handler = handlers.require(&command.file_type)?;
    let schema: &Schema = command.schema.as_arrow();
    let primary_key = command.constraints.iter().find_map(|constraint| match constraint {
        datafusion::common::Constraint::PrimaryKey(columns) => Some(columns.clone()),
        datafusion::common::Constraint::Unique(_) => None,
    });
    let primary_key: Vec<String> = primary_key
        .unwrap_or_default()
        .into_iter()
        .filter_map(|column| schema.fields().get(column).map(|field| field.name().clone()))
        .collect();
    let mut properties: Vec<(String, String)> = command
        .options
        .iter()
        .map(|(key, value)| (key.strip_prefix("format.").unwrap_or(key).to_owned(), value.clone()))
        .collect();
    properties.sort();
    let columns = schema.fields().iter().map(|field| ColumnSpec {
        name: field.name().clone(),
        data_type: field.data_type().clone(),
        nullable: field.is_nullable(),
        default: None,
    });
    let request = CreateRequest {
        name: local_name(&command.name)?,
        columns: columns.collect(),
        // DataFusion knows tables of its own and external ones; a key makes ours.
        external: primary_key.is_empty(),
        primary_key,
        properties,
        location: command.locations.first().filter(|location| !location.is_empty()).cloned(),
        replaces: None,
    };
    let _reserved = catalog.reserve(&request.name)?;
    // A table to be replaced has been deregistered, and so dropped, before.
    refuse_taken(catalog, &request.name)?;
    let table = handler.pre_create(&request)?;
    if let Err(error) = catalog.put(&table.name, &CatalogEntry::Handled(table.clone())) {
        roll_back(handler.as_ref(), &table);
        return Err(error);
    }
    handler.commit_create(&table)?;
    handler.source(&table, access)
}
