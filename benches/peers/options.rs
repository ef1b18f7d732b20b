//! [`Options`]: the command line.

use std::path::PathBuf;

use crate::Failure;

/// What is measured, in the order of the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    Load,
    Compact,
    Arrow,
    Delta,
    Scans,
    Keys,
}

/// The command line.
#[derive(Debug)]
pub(crate) struct Options {
    /// Holds `lineitem.csv`, `lineitem.parquet` and the keys in `cols/`.
    pub(crate) data: PathBuf,
    pub(crate) store: PathBuf,
    pub(crate) name: String,
    pub(crate) threads: usize,
    pub(crate) cache_bytes: usize,
    /// Percent of the rows.
    pub(crate) delta: Option<u32>,
    pub(crate) phases: Vec<Phase>,
    /// Only workloads whose names start so.
    pub(crate) only: Option<String>,
}

impl Options {
    /// `None` where no data are named: `cargo bench` runs every benchmark, and this one has nothing to do then.
    pub(crate) fn from_args(mut args: impl Iterator<Item = String>) -> Result<Option<Self>, Failure> {
        let (mut data, mut store) = (None, None);
        let (mut name, mut threads, mut cache_mb) = ("ostracon".to_owned(), 1, 4096);
        let (mut delta, mut phases, mut only) = (None, Vec::new(), None);
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or_else(|| format!("{arg} wants a value"));
            match arg.as_str() {
                "--data" => data = Some(PathBuf::from(value()?)),
                "--store" => store = Some(PathBuf::from(value()?)),
                "--name" => name = value()?,
                "--threads" => threads = value()?.parse()?,
                "--cache-mb" => cache_mb = value()?.parse()?,
                "--delta" => delta = Some(value()?.parse()?),
                "--only" => only = Some(value()?),
                // What cargo adds.
                "--bench" => {}
                phase => phases.push(Phase::from_name(phase)?),
            }
        }
        let Some(data) = data else { return Ok(None) };
        if phases.contains(&Phase::Delta) && delta.is_none() {
            delta = Some(2);
        }
        Ok(Some(Self {
            data,
            store: store.ok_or("--store is missing: the folder of the store that is measured")?,
            name,
            threads,
            cache_bytes: cache_mb << 20,
            delta,
            phases,
            only,
        }))
    }

    /// The name in the results: it says what is not as usual.
    pub(crate) fn peer(&self) -> String {
        let mut peer = self.name.clone();
        if self.cache_bytes < 1 << 30 {
            peer.push_str(&format!("-cache{}", self.cache_bytes >> 20));
        }
        if let Some(percent) = self.delta {
            peer.push_str(&format!("-delta{percent}"));
        }
        peer
    }

    /// Whether a workload is asked for.
    pub(crate) fn wants(&self, workload: &str) -> bool {
        self.only.as_deref().is_none_or(|start| workload.starts_with(start))
    }
}

impl Phase {
    fn from_name(name: &str) -> Result<Self, Failure> {
        Ok(match name {
            "load" => Self::Load,
            "compact" => Self::Compact,
            "arrow" => Self::Arrow,
            "delta" => Self::Delta,
            "scans" => Self::Scans,
            "keys" => Self::Keys,
            _ => return Err(format!("there is no phase or option {name}").into()),
        })
    }
}
