//! A progress bar on stderr, while files are read.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use ostracon_handler::load::LoadProgress;

/// How far the reading is; `total_bytes` is 0 where it is not known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counters {
    pub(crate) total_bytes: u64,
    pub(crate) bytes: u64,
    pub(crate) rows: u64,
}

impl Counters {
    /// Those of a load.
    pub(crate) fn of_load(progress: &LoadProgress) -> Self {
        Self { total_bytes: progress.total_bytes(), bytes: progress.bytes(), rows: progress.rows() }
    }
}

/// Draws counters until it is dropped.
pub(crate) struct ReadBar {
    bar: ProgressBar,
    drawing: tokio::task::JoinHandle<()>,
}

impl ReadBar {
    /// Starts drawing four times a second.
    pub(crate) fn start(counters: impl Fn() -> Counters + Send + 'static) -> Self {
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
                let now = counters();
                if now.total_bytes > 0 {
                    drawn.set_length(now.total_bytes);
                }
                drawn.set_style(style(now.total_bytes));
                drawn.set_position(now.bytes);
                drawn.set_message(rate(now.rows, started.elapsed()));
            }
        });
        Self { bar, drawing }
    }
}

impl Drop for ReadBar {
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
