//! [`Answer`]: a query's rows, what its scans read for them, and the time that took.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow::array::{AsArray, RecordBatch};
use arrow::datatypes::SchemaRef;
use datafusion::physical_plan::{ExecutionPlan, collect};
use futures::TryStreamExt;
use ostracon::{Session, StatementOutcome};
use ostracon_handler::HandlerError;
use ostracon_handler::export::ColumnText;

use crate::error::Result;

/// A query's answer.
pub(super) struct Answer {
    pub(super) schema: SchemaRef,
    pub(super) batches: Vec<RecordBatch>,
    /// Rows that scans touched, after ranges and before filters.
    pub(super) rows_read: u64,
    /// Rows that scans handed to the engine.
    pub(super) rows_returned: u64,
    /// Planning and execution.
    pub(super) elapsed: Duration,
}

impl Answer {
    pub(super) fn count(&self) -> u64 {
        self.batches.iter().map(|batch| u64::try_from(batch.num_rows()).unwrap_or(0)).sum()
    }

    /// The rows as text, in the order of the text: answers are compared as multisets.
    pub(super) fn rows(&self) -> Result<Vec<String>> {
        let mut rows = Vec::new();
        for batch in &self.batches {
            let columns =
                batch.columns().iter().map(ColumnText::new).collect::<std::result::Result<Vec<_>, _>>()?;
            for row in 0..batch.num_rows() {
                let mut text = String::new();
                for column in &columns {
                    column.write_json(row, &mut text)?;
                    text.push(',');
                }
                rows.push(text);
            }
        }
        rows.sort();
        Ok(rows)
    }
}

/// Runs a query and reads the counters of its scans.
pub(super) async fn ask(session: &Session, sql: &str) -> Result<Answer> {
    let context = session.context();
    let started = Instant::now();
    let frame = context.sql(sql).await.map_err(HandlerError::from)?;
    let plan = frame.create_physical_plan().await.map_err(HandlerError::from)?;
    let batches = collect(Arc::clone(&plan), context.task_ctx()).await.map_err(HandlerError::from)?;
    let elapsed = started.elapsed();
    Ok(Answer {
        schema: plan.schema(),
        batches,
        rows_read: total(&plan, "rows_read"),
        rows_returned: total(&plan, "rows_returned"),
        elapsed,
    })
}

/// The sum of a counter over all nodes of a plan.
fn total(plan: &Arc<dyn ExecutionPlan>, name: &str) -> u64 {
    let own =
        plan.metrics().and_then(|metrics| metrics.sum_by_name(name)).map_or(0, |value| value.as_usize());
    let below: u64 = plan.children().into_iter().map(|child| total(child, name)).sum();
    u64::try_from(own).unwrap_or(u64::MAX).saturating_add(below)
}

/// Runs a statement for its effect.
pub(super) async fn execute(session: &Session, sql: &str) -> Result<()> {
    if let StatementOutcome::Rows { stream, .. } = session.execute(sql).await? {
        stream.try_collect::<Vec<_>>().await.map_err(HandlerError::from)?;
    }
    Ok(())
}

/// The scans' lines of EXPLAIN ANALYZE, one property a line.
pub(super) async fn scan_lines(session: &Session, sql: &str) -> Result<Vec<String>> {
    let StatementOutcome::Rows { stream, .. } = session.execute(&format!("EXPLAIN ANALYZE {sql}")).await?
    else {
        return Ok(Vec::new());
    };
    let batches: Vec<RecordBatch> = stream.try_collect().await.map_err(HandlerError::from)?;
    let mut lines = Vec::new();
    for batch in &batches {
        let Some(plans) = batch.columns().last().and_then(|column| column.as_string_opt::<i32>()) else {
            continue;
        };
        for plan in plans.iter().flatten() {
            let scans = plan.lines().map(str::trim).filter(|line| line.starts_with("TabletScan"));
            scans.for_each(|scan| lines.extend(properties(scan)));
        }
    }
    Ok(lines)
}

/// `TabletScan: table=t, ranges=[a, b], ...` cut at the commas outside of brackets and quotes.
fn properties(scan: &str) -> Vec<String> {
    let (name, rest) = scan.split_once(": ").unwrap_or((scan, ""));
    let mut lines = vec![name.to_owned()];
    let (mut depth, mut quoted, mut start) = (0_i32, false, 0);
    for (at, c) in rest.char_indices() {
        match c {
            '\'' => quoted = !quoted,
            '[' | '(' if !quoted => depth += 1,
            ']' | ')' if !quoted => depth -= 1,
            ',' if depth <= 0 && !quoted => {
                lines.push(format!("  {}", rest.get(start..at).unwrap_or("").trim()));
                start = at + 1;
            }
            _ => {}
        }
    }
    lines.push(format!("  {}", rest.get(start..).unwrap_or("").trim()));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scan_is_cut_at_its_properties() {
        assert_eq!(
            properties(
                "TabletScan: table=t, ranges=[[a, b), 'x, [y'], tablets=1, metrics=[rows_read=1, seeks=2]"
            ),
            [
                "TabletScan",
                "  table=t",
                "  ranges=[[a, b), 'x, [y']",
                "  tablets=1",
                "  metrics=[rows_read=1, seeks=2]"
            ]
        );
    }
}
