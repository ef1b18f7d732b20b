//! The line of a scan in EXPLAIN, as users and scripts read it:
//!
//! `TabletScan: table=T, ranges=[...], iterators=[...], exact=[...], inexact=[...], residual=[... because ...],
//! index=none (why), tablets=N, projection=[...]`

use std::fmt;
use std::sync::Arc;

use datafusion::physical_expr::PhysicalExpr;
use ostracon_data::RowRanges;
use ostracon_iterators::IteratorScope;

use super::request::ScanRequest;
use crate::predicate::Exactness;

/// What is shown of one scan node.
pub(super) struct ScanLine<'a> {
    /// What comes behind the scan's own items.
    pub(super) more: &'a [(&'static str, String)],
    pub(super) request: &'a ScanRequest,
    pub(super) tablets: usize,
    pub(super) fetch: Option<usize>,
    pub(super) reverse: bool,
    pub(super) runtime_filters: &'a [Arc<dyn PhysicalExpr>],
    /// One item a line, for plans drawn as trees.
    pub(super) tree: bool,
}

impl fmt::Display for ScanLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let request = self.request;
        let mut items = vec![
            ("table", request.definition.name.clone()),
            ("ranges", format!("[{}]", ranges(request))),
            ("iterators", format!("[{}]", iterators(request))),
            ("exact", verdicts(request, Exactness::Exact)),
            ("inexact", verdicts(request, Exactness::Inexact)),
            ("residual", verdicts(request, Exactness::Residual)),
            ("index", "none (no index)".to_owned()),
            ("tablets", self.tablets.to_string()),
            ("projection", format!("[{}]", projection(request))),
        ];
        if let Some(fetch) = self.fetch {
            items.push(("limit", fetch.to_string()));
        }
        if self.reverse {
            items.push(("order", "reverse".to_owned()));
        }
        if !self.runtime_filters.is_empty() {
            let filters: Vec<String> = self.runtime_filters.iter().map(|filter| filter.to_string()).collect();
            items.push(("runtime", format!("[{}]", filters.join(", "))));
        }
        items.extend_from_slice(self.more);
        if self.tree {
            let lines: Vec<String> = items.iter().map(|(name, value)| format!("{name}={value}")).collect();
            return f.write_str(&lines.join("\n"));
        }
        f.write_str("TabletScan: ")?;
        for (index, (name, value)) in items.iter().enumerate() {
            if index > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{name}={value}")?;
        }
        Ok(())
    }
}

fn ranges(request: &ScanRequest) -> String {
    match &request.pushed.predicate.row_ranges {
        RowRanges::All => "FULL SCAN".to_owned(),
        bounded if bounded.is_empty() => "EMPTY".to_owned(),
        _ => request.pushed.predicate.ranges_text.clone(),
    }
}

fn iterators(request: &ScanRequest) -> String {
    let mut names: Vec<String> = request
        .definition
        .properties
        .iterators
        .iter()
        .filter(|(scope, _)| *scope == IteratorScope::Scan)
        .map(|(_, setting)| setting.name.clone())
        .collect();
    names.extend(request.row_filter().map(|filter| format!("RowFilter({filter})")));
    names.join(", ")
}

fn verdicts(request: &ScanRequest, exactness: Exactness) -> String {
    let texts: Vec<String> = request
        .pushed
        .predicate
        .filters
        .iter()
        .filter(|verdict| verdict.exactness == exactness)
        .map(|verdict| match &verdict.reason {
            Some(reason) => format!("{} because {reason}", verdict.text),
            None => verdict.text.clone(),
        })
        .collect();
    format!("[{}]", texts.join(", "))
}

fn projection(request: &ScanRequest) -> String {
    let schema = request.schema();
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    names.join(", ")
}
