//! What leaves the process: scan specifications for other processes, records for later ones.
//!
//! Every form has its own structs here, starts with a version byte, and is converted from and to the types the program
//! works with, which are never encoded themselves: so either side can change without the other. The bytes come from
//! elsewhere and may be anything; decoding gives the value or an error, and allocates no more than the bytes justify.
//!
//! * [`encode`] and [`decode`]: a [`ScanSpec`](crate::ScanSpec) as it travels in a plan,
//! * `records`: the directory of a table as it lies in the store.

mod filter;
pub(crate) mod records;
mod records_v1;
mod scan_spec;
mod values;

pub use scan_spec::{decode, encode};

/// No form of ours is larger; also bounds what a decoder allocates on the word of a length.
const LIMIT: usize = 256 << 20;

fn config() -> impl bincode::config::Config {
    bincode::config::standard().with_limit::<LIMIT>()
}

/// Appends nothing to the version byte but the form's own bytes.
fn to_bytes<T: bincode::Encode>(version: u8, form: &T) -> Result<Vec<u8>, String> {
    let mut bytes = vec![version];
    bincode::encode_into_std_write(form, &mut bytes, config()).map_err(|error| error.to_string())?;
    Ok(bytes)
}

/// Reads a form that takes all of the bytes after the version.
fn from_bytes<T: bincode::Decode<()>>(bytes: &[u8]) -> Result<T, String> {
    let (form, read) = bincode::decode_from_slice(bytes, config())
        .map_err(|error| format!("it does not decode ({error})"))?;
    if read != bytes.len() {
        return Err(format!("{} bytes are left over", bytes.len() - read));
    }
    Ok(form)
}
