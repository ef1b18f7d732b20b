//! A progress bar on stderr, while a load runs.

use std::sync::Arc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use ostracon_handler::load::LoadProgress;

/// Draws the counters of a load until it is dropped.
pub(crate) struct LoadBar {
    bar: ProgressBar,
    drawing: tokio::task::JoinHandle<()>,
}

impl LoadBar {
    /// Starts drawing four times a second.
    pub(crate) fn start(progress: Arc<LoadProgress>) -> Self {
        let bar = ProgressBar::no_length();
        let known = "{bar:32} {percent}%  {bytes}/{total_bytes}  {msg}  {elapsed} (left {eta})";
        let unknown = "{spinner} {bytes}  {msg}  {elapsed}";
        let style = move |total| {
            let template = if total > 0 { known } else { unknown };
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
        };
        let drawn = bar.clone();
        let drawing = tokio::spawn(async move {
            let started = tokio::time::Instant::now();
            loop {
                tokio::time::sleep(Duration::from_millis(250)).await;
                let total = progress.total_bytes();
                if total > 0 && drawn.length().is_none() {
                    drawn.set_length(total);
                }
                drawn.set_style(style(total));
                drawn.set_position(progress.bytes());
                drawn.set_message(rate(progress.rows(), started.elapsed()));
            }
        });
        Self { bar, drawing }
    }
}

impl Drop for LoadBar {
    fn drop(&mut self) {
        self.drawing.abort();
        self.bar.finish_and_clear();
    }
}

/// Rows and rows a second, for the eye.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub(crate) fn rate(rows: u64, elapsed: Duration) -> String {
    let per_second = rows as f64 / elapsed.as_secs_f64().max(0.001);
    format!("{} rows, {} rows/s", crate::terminal::grouped(rows), crate::terminal::grouped(per_second as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_readable() {
        assert_eq!(rate(10_000, Duration::from_secs(2)), "10,000 rows, 5,000 rows/s");
        assert_eq!(rate(0, Duration::ZERO), "0 rows, 0 rows/s");
    }
}
