//! [`IteratorStack`]: the order in which iterators stand on a source.
//!
//! From the data upwards: [`DeletingIterator`], [`ColumnFamilySkippingIterator`], [`ColumnQualifierFilter`],
//! [`VisibilityFilter`] (the system's), then the iterators of the table and the scan by ascending priority, and on top
//! the scan's row filter. So no user's code meets a deleted or a hidden cell in a scan. Compactions see every label.

use ostracon_data::{Key, Range};

use crate::column_qualifier_filter::FetchedColumns;
use crate::{
    ColumnFamilies, ColumnFamilySkippingIterator, ColumnQualifierFilter, DeleteBehavior, DeletingIterator,
    IteratorEnvironment, IteratorRegistry, IteratorScope, IteratorSetting, PrimitiveComparisonFilter, Result,
    RowFilterSpec, SortedKeyValueIterator, VisibilityFilter,
};

/// A source with the iterators of one run on it.
pub struct IteratorStack {
    top: Box<dyn SortedKeyValueIterator>,
}

impl IteratorStack {
    /// Begins the description of a stack; without more it has the system's iterators only.
    pub fn builder(environment: IteratorEnvironment) -> IteratorStackBuilder {
        IteratorStackBuilder {
            environment,
            delete_behavior: None,
            columns: None,
            iterators: Vec::new(),
            row_filter: None,
            max_row_bytes: None,
        }
    }
}

/// The description of an [`IteratorStack`].
#[derive(Debug, Clone)]
pub struct IteratorStackBuilder {
    environment: IteratorEnvironment,
    delete_behavior: Option<DeleteBehavior>,
    columns: Option<Vec<FetchedColumns>>,
    iterators: Vec<IteratorSetting>,
    row_filter: Option<RowFilterSpec>,
    max_row_bytes: Option<usize>,
}

impl IteratorStackBuilder {
    /// Says what becomes of delete markers, where it is not what the scope asks for (scans and full major compactions
    /// process them, other compactions propagate them).
    pub fn delete_behavior(mut self, behavior: DeleteBehavior) -> Self {
        self.delete_behavior = Some(behavior);
        self
    }

    /// Limits the stack to some columns. An empty list is no columns; not calling this is all of them.
    pub fn columns(mut self, columns: impl IntoIterator<Item = FetchedColumns>) -> Self {
        self.columns = Some(columns.into_iter().collect());
        self
    }

    /// Adds iterators by their settings, in any order: priorities decide.
    pub fn iterators(mut self, settings: impl IntoIterator<Item = IteratorSetting>) -> Self {
        self.iterators.extend(settings);
        self
    }

    /// Puts a row filter on top.
    pub fn row_filter(mut self, filter: RowFilterSpec) -> Self {
        self.row_filter = Some(filter);
        self
    }

    /// Refuses rows of more bytes than this where the row filter must hold one.
    pub fn max_row_bytes(mut self, limit: usize) -> Self {
        self.max_row_bytes = Some(limit);
        self
    }

    /// Builds the stack on `source`, which is not read. Settings that clash or that the registry refuses are errors.
    pub fn build(
        mut self,
        source: Box<dyn SortedKeyValueIterator>,
        registry: &IteratorRegistry,
    ) -> Result<IteratorStack> {
        IteratorSetting::check_scope(&self.iterators)?;
        let environment = &self.environment;
        let process = environment.scope == IteratorScope::Scan
            || (environment.scope == IteratorScope::MajorCompaction && environment.full);
        let behavior = self.delete_behavior.unwrap_or(if process {
            DeleteBehavior::Process
        } else {
            DeleteBehavior::Propagate
        });
        let mut top: Box<dyn SortedKeyValueIterator> = Box::new(DeletingIterator::new(source, behavior));
        top = Box::new(ColumnFamilySkippingIterator::new(top));
        if let Some(columns) = self.columns {
            top = Box::new(ColumnQualifierFilter::new(top, columns));
        }
        if environment.scope == IteratorScope::Scan {
            top = Box::new(VisibilityFilter::new(top, environment.authorizations.clone()));
        }
        self.iterators.sort_by_key(|setting| setting.priority);
        for setting in &self.iterators {
            top = registry.create(setting, top, environment)?;
        }
        if let Some(filter) = &self.row_filter {
            top = Box::new(PrimitiveComparisonFilter::new(top, filter, self.max_row_bytes)?);
        }
        Ok(IteratorStack { top })
    }
}

impl SortedKeyValueIterator for IteratorStack {
    fn seek(&mut self, range: &Range, families: &ColumnFamilies) -> Result<()> {
        self.top.seek(range, families)
    }

    fn has_top(&self) -> bool {
        self.top.has_top()
    }

    fn top_key(&self) -> Option<&Key> {
        self.top.top_key()
    }

    fn top_value(&self) -> Option<&[u8]> {
        self.top.top_value()
    }

    fn next(&mut self) -> Result<()> {
        self.top.next()
    }

    fn deep_copy(&self) -> Result<Box<dyn SortedKeyValueIterator>> {
        Ok(Box::new(Self { top: self.top.deep_copy()? }))
    }
}
