//! [`Session`]: one user's view of a store, with SQL on it.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::common::TableReference;
use datafusion::execution::SessionStateBuilder;
use datafusion::execution::context::SessionContext;
use datafusion::physical_plan::streaming::PartitionStream;
use datafusion::prelude::SessionConfig;
use ostracon_data::Authorizations;
use ostracon_handler::catalog::SqlCatalog;
use ostracon_handler::execute::{StatementExecutor, StatementOutcome};
use ostracon_handler::load::{LoadOptions, LoadProgress, LoadSource};
use ostracon_handler::lookup::TableReader;
use ostracon_handler::prepared::Prepared;
use ostracon_handler::statement::{ScriptStatement, parse_script};
use ostracon_handler::storage::{SessionAccess, StorageHandlerRegistry};
use ostracon_handler::store_handle::{DataLocation, StoreHandle};
use ostracon_handler::{ErrorKind, HandlerError, Result, ddl, parquet, register_as};
use ostracon_tablets::StoreOptions;

use crate::pig_script;

/// The catalog that holds the one schema.
const CATALOG: &str = "ostracon";

/// Bytes that a scan read backwards may run ahead of whoever merges it with others. DataFusion's own 1 GiB is more than
/// a laptop has to give.
const SORT_PUSHDOWN_BUFFER: usize = 8 << 20;

/// How a session is opened. Settings first, then components; `..Default::default()` fills in the rest.
#[derive(Debug, Clone)]
pub struct SessionOptions {
    /// Where the store is. It is opened when a statement first needs it, and made when one first writes.
    pub data: DataLocation,
    /// Who works here. Without a user the session is the administrator's: it may ask for any label.
    pub user: Option<String>,
    /// The labels that the session reads with; none by default.
    pub authorizations: Authorizations,
    /// DataFusion's and Ostracon's settings, as `SET` takes them, in order.
    pub settings: Vec<(String, String)>,
    /// The store's settings and components.
    pub store: StoreOptions,
}

impl Default for SessionOptions {
    fn default() -> Self {
        Self {
            data: DataLocation::Path(PathBuf::from("./ostracon-data")),
            user: None,
            authorizations: Authorizations::empty(),
            settings: Vec::new(),
            store: StoreOptions::default(),
        }
    }
}

/// Something the user should know that is no error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// The store's folder was made.
    StoreMade(PathBuf),
    /// A statement asked for something in vain.
    Warning(String),
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StoreMade(path) => write!(f, "made the store {}", path.display()),
            Self::Warning(text) => write!(f, "warning: {text}"),
        }
    }
}

/// One user's view of a store. Statements run one after the other; clones share settings and prepared statements.
#[derive(Debug, Clone)]
pub struct Session {
    store: StoreHandle,
    executor: StatementExecutor,
    /// What scripts of Pig Latin had to say.
    pub(crate) told: Arc<Mutex<Vec<String>>>,
}

impl Session {
    /// Opens a session. The store itself is opened by the first statement that needs it.
    ///
    /// # Errors
    /// `unauthorized` for labels that the user may not ask for, `invalid` for a setting that does not exist.
    pub fn open(options: SessionOptions) -> Result<Self> {
        let admin = options.user.is_none();
        if !admin && !options.authorizations.is_empty() {
            // Which labels exist is not told to those who hold none of them.
            return Err(HandlerError::new(
                ErrorKind::Unauthorized,
                "this user may not ask for the labels in --auths; an administrator grants labels to users",
            ));
        }
        let context = SessionContext::new_with_state(
            SessionStateBuilder::new().with_config(config()).with_default_features().build(),
        );
        let store = StoreHandle::new(options.data, options.store);
        let access = SessionAccess { authorizations: options.authorizations, admin };
        let executor = register_as(&context, store.clone(), access)?;
        parquet::install(&context);
        for (key, value) in &options.settings {
            context.state_ref().write().config_mut().options_mut().set(key, value)?;
        }
        Ok(Self { store, executor, told: Arc::default() })
    }

    /// Runs one statement; `PIG $$ ... $$` is a script of Pig Latin, whose output is rows of text. Rows are read as the caller asks for them; everything else is done when this returns.
    pub async fn execute(&self, statement: &str) -> Result<StatementOutcome> {
        match pig_script::script_of(statement) {
            Some(script) => self.run_pig(script).await,
            None => self.executor.execute(statement).await,
        }
    }

    /// Runs the statements of a script in order, and stops at the first that fails. Rows are read to the end before the
    /// next statement starts; `each` is given every outcome.
    pub async fn run<F, Done>(&self, script: &str, mut each: F) -> Result<()>
    where
        F: FnMut(ScriptStatement, StatementOutcome) -> Done,
        Done: Future<Output = Result<()>>,
    {
        for statement in parse_script(script)? {
            let outcome = self.execute(&statement.text).await.map_err(|mut error| {
                error.position = error.position.map(|within| statement.position_in(script, within));
                error
            })?;
            each(statement, outcome).await?;
        }
        Ok(())
    }

    /// Prepares a statement whose parameters are `?` or `$1`, `$2`, ...: it is parsed and planned now, and run with other
    /// values as often as wanted.
    ///
    /// # Errors
    /// What is wrong with the statement; `Unsupported` if it is neither a query nor INSERT, UPDATE or DELETE.
    pub async fn prepare(&self, statement: &str) -> Result<Prepared> {
        self.executor.prepare(statement).await
    }

    /// A reader of a tablet table's rows by their key. `table` is a name as SQL has it.
    ///
    /// # Errors
    /// `NotFound`; `Unsupported` if the table is a view, lies in files, or has no key that a column shows.
    pub fn table(&self, table: &str) -> Result<TableReader> {
        self.executor.table_reader(table)
    }

    /// Loads files into a table as one INSERT; gives the number of rows.
    pub async fn load(
        &self,
        table: &str,
        files: &[impl AsRef<Path>],
        options: LoadOptions,
        progress: Arc<LoadProgress>,
    ) -> Result<u64> {
        let reference = TableReference::from(table);
        let target = self.executor.load_target(&reference, &[]).await?;
        let files: Vec<PathBuf> = files.iter().map(|file| file.as_ref().to_owned()).collect();
        let source = LoadSource::open(&files, &target, options, progress)?;
        self.executor.insert_from(&reference, source).await
    }

    /// Writes rows into the columns of the same names, as one INSERT; gives their number.
    pub(crate) async fn insert_from(
        &self,
        table: &TableReference,
        source: impl PartitionStream + 'static,
    ) -> Result<u64> {
        self.executor.insert_from(table, source).await
    }

    /// The store, opened when it is first needed.
    pub fn store(&self) -> &StoreHandle {
        &self.store
    }

    /// The DataFusion session, for everything that this type does not wrap.
    pub fn context(&self) -> &SessionContext {
        self.executor.context()
    }

    /// The tables and views.
    pub fn catalog(&self) -> &SqlCatalog {
        self.executor.catalog()
    }

    /// The storage handlers: third parties add their own here.
    pub fn handlers(&self) -> &StorageHandlerRegistry {
        self.executor.handlers()
    }

    /// The labels that the session reads with.
    pub fn authorizations(&self) -> &Authorizations {
        &self.executor.access().authorizations
    }

    /// Whether the session sees counts that hidden cells could show in.
    pub fn is_admin(&self) -> bool {
        self.executor.access().admin
    }

    /// What the user should know of the statements since this was last asked.
    pub fn take_notices(&self) -> Vec<Notice> {
        let made = self.store.take_made().map(Notice::StoreMade);
        let told = std::mem::take(&mut *self.told.lock().unwrap_or_else(PoisonError::into_inner));
        let warnings = self.executor.take_warnings().into_iter().chain(told).map(Notice::Warning);
        made.into_iter().chain(warnings).collect()
    }
}

/// DataFusion's settings as this product needs them.
fn config() -> SessionConfig {
    let mut config = SessionConfig::new()
        .with_information_schema(true)
        .with_default_catalog_and_schema(CATALOG, ddl::SCHEMA);
    let options = config.options_mut();
    // One type of text and one of bytes, from the cells to the answer.
    options.sql_parser.map_string_types_to_utf8view = false;
    options.execution.parquet.schema_force_view_types = false;
    // Errors point at the word.
    options.sql_parser.collect_spans = true;
    options.execution.sort_pushdown_buffer_capacity = SORT_PUSHDOWN_BUFFER;
    config
}
