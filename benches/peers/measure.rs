//! Time, memory and the JSON lines.
//!
//! What counts is the CPU time of the process, all of its threads: other load on the machine does not change it much.

use std::path::Path;
use std::time::{Duration, Instant};

use nix::time::{ClockId, clock_gettime};
use serde_json::json;

use crate::Failure;

/// What a workload answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) rows: u64,
    /// Some of the values, so that systems can be compared.
    pub(crate) check: String,
}

impl Answer {
    pub(crate) fn rows(rows: u64) -> Self {
        Self { rows, check: "0".to_owned() }
    }
}

/// How long something took.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    pub(crate) wall: Duration,
    pub(crate) cpu: Duration,
}

/// Started with the work.
pub(crate) struct Stopwatch {
    wall: Instant,
    cpu: Duration,
}

impl Stopwatch {
    pub(crate) fn start() -> Result<Self, Failure> {
        Ok(Self { cpu: cpu_time()?, wall: Instant::now() })
    }

    pub(crate) fn stop(&self) -> Result<Times, Failure> {
        Ok(Times { wall: self.wall.elapsed(), cpu: cpu_time()?.saturating_sub(self.cpu) })
    }
}

/// CPU time of this process so far.
pub(crate) fn cpu_time() -> Result<Duration, Failure> {
    Ok(clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID)?.into())
}

/// Waits until the store's own threads have nothing left to do.
pub(crate) fn settle() -> Result<(), Failure> {
    const PAUSE: Duration = Duration::from_millis(300);
    const IDLE: Duration = Duration::from_millis(3);
    loop {
        let before = cpu_time()?;
        std::thread::sleep(PAUSE);
        if cpu_time()?.saturating_sub(before) < IDLE {
            return Ok(());
        }
    }
}

/// The best of some runs, by wall time and by CPU time each.
pub(crate) async fn best_of(
    runs: usize,
    mut work: impl AsyncFnMut() -> Result<Answer, Failure>,
) -> Result<(Times, Answer), Failure> {
    let mut best: Option<(Times, Answer)> = None;
    for _ in 0..runs {
        let watch = Stopwatch::start()?;
        let answer = work().await?;
        let times = watch.stop()?;
        best = Some(match best {
            Some((so_far, _)) => {
                (Times { wall: so_far.wall.min(times.wall), cpu: so_far.cpu.min(times.cpu) }, answer)
            }
            None => (times, answer),
        });
    }
    best.ok_or_else(|| "nothing was run".into())
}

/// Writes the lines.
pub(crate) struct Report {
    pub(crate) peer: String,
    pub(crate) threads: usize,
}

impl Report {
    /// A workload that took some time.
    pub(crate) fn line(&self, workload: &str, times: Times, answer: &Answer) {
        self.print(workload, times.wall.as_secs_f64(), times.cpu.as_secs_f64(), answer);
    }

    /// A number that is no time, such as bytes: it stands where the rows do.
    pub(crate) fn number(&self, name: &str, number: u64) {
        self.print(name, 0.0, 0.0, &Answer::rows(number));
    }

    fn print(&self, workload: &str, wall: f64, cpu: f64, answer: &Answer) {
        let line = json!({
            "peer": self.peer,
            "t": self.threads,
            "w": workload,
            "s": (wall * 1e6).round() / 1e6,
            "cpu": (cpu * 1e6).round() / 1e6,
            "rows": answer.rows,
            "check": answer.check,
            "rss_mb": memory("VmHWM") >> 20,
        });
        println!("{line}");
    }
}

/// A line of the process's status in bytes (`VmHWM` is the most memory so far, `VmRSS` that of now); 0 where the system
/// does not say.
pub(crate) fn memory(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or(0) << 10
}

/// Bytes of all files in a folder.
pub(crate) fn folder_bytes(folder: &Path) -> Result<u64, Failure> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        bytes +=
            if entry.file_type()?.is_dir() { folder_bytes(&entry.path())? } else { entry.metadata()?.len() };
    }
    Ok(bytes)
}
