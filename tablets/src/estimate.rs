//! How many fragments and bytes lie where, about, without reading them all.
//!
//! For planning and for people. Nothing may depend on these numbers for its answer.

use crate::Result;
use crate::directory::{Directory, Epoch};
use crate::engine::{Access, Engine};
use crate::keys;

/// Keys that are looked at before the rest is extrapolated.
const SAMPLE: u64 = 2048;

/// Fragments and bytes (keys and values, before compression).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Estimate {
    pub(crate) fragments: u64,
    pub(crate) bytes: u64,
}

/// Fragments of all epochs of a directory.
pub(crate) fn fragments(engine: &Engine, directory: &Directory) -> u64 {
    let fragments = |epoch: &std::sync::Arc<Epoch>| {
        if !epoch.recounted.load(std::sync::atomic::Ordering::Relaxed) {
            // An earlier process wrote it; without an answer the record's counts must do.
            match of_range(engine, epoch, &[], None) {
                Ok(found) => epoch.recount(found.fragments, found.bytes),
                Err(error) => {
                    tracing::warn!(epoch = epoch.id, %error, "cannot estimate the size of an epoch")
                }
            }
        }
        epoch.fragments()
    };
    directory.epochs.iter().map(fragments).sum()
}

/// What an epoch holds of the row parts in `[start, end)`; `None`: to the end of the epoch.
pub(crate) fn of_range(engine: &Engine, epoch: &Epoch, start: &[u8], end: Option<&[u8]>) -> Result<Estimate> {
    let prefix = epoch.prefix();
    let lower = [&prefix[..], start].concat();
    let upper = end.map_or_else(|| keys::prefix_end(&prefix), |end| [&prefix[..], end].concat());
    let mut iterator = engine.iterator(lower.clone(), upper.clone(), Access::Point);
    iterator.seek(&lower);
    let mut sample = Estimate::default();
    while let Some((key, value)) = iterator.item() {
        if sample.fragments == SAMPLE {
            let sampled_to = key.to_vec();
            let sizes = engine.file_bytes(&[(lower.clone(), sampled_to), (lower, upper)]);
            return Ok(extrapolate(sample, epoch, &sizes));
        }
        sample.fragments += 1;
        sample.bytes += (key.len() + value.len()) as u64;
        iterator.next();
    }
    iterator.check()?;
    Ok(sample)
}

/// `sizes`: bytes of files of the sample and of the whole. Fresh writes are in no file.
fn extrapolate(sample: Estimate, epoch: &Epoch, sizes: &[u64]) -> Estimate {
    match *sizes {
        [of_sample, of_all] if of_sample > 0 && of_all > of_sample => {
            let scale = |count: u64| {
                let scaled = u128::from(count) * u128::from(of_all) / u128::from(of_sample);
                u64::try_from(scaled).unwrap_or(u64::MAX)
            };
            Estimate { fragments: scale(sample.fragments), bytes: scale(sample.bytes) }
        }
        _ => Estimate {
            fragments: epoch.fragments().max(sample.fragments),
            bytes: epoch.bytes().max(sample.bytes),
        },
    }
}
