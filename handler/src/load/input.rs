//! Opening files: decompression by extension, the byte order mark, and [`LoadProgress`].

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use datafusion::datasource::file_format::file_compression_type::FileCompressionType;

use super::LoadError;
use super::options::COMPRESSIONS;

/// What a load has done so far; read by whoever shows it while another thread loads.
#[derive(Debug, Default)]
pub struct LoadProgress {
    bytes: AtomicU64,
    total: AtomicU64,
    rows: AtomicU64,
    rejected: AtomicU64,
}

impl LoadProgress {
    /// Bytes read from the files, before decompression.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Size of all files in bytes; 0 while unknown (standard input).
    pub fn total_bytes(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }

    /// Good rows read.
    pub fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }

    /// Rows that went to the reject file.
    pub fn rejected(&self) -> u64 {
        self.rejected.load(Ordering::Relaxed)
    }

    pub(super) fn add_total(&self, bytes: u64) {
        self.total.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn add_bytes(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn add_rows(&self, rows: u64) {
        self.rows.fetch_add(rows, Ordering::Relaxed);
    }

    pub(super) fn add_rejected(&self) {
        self.rejected.fetch_add(1, Ordering::Relaxed);
    }
}

/// A text file's characters, decompressed, without a byte order mark.
pub(super) type TextInput = BufReader<Box<dyn Read + Send>>;

/// A file as messages name it.
pub(super) fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// Whether a path stands for standard input.
pub(super) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Opens a file (`-` is standard input) as text.
pub(super) fn open_text(path: &Path, progress: &Arc<LoadProgress>) -> Result<TextInput, LoadError> {
    let raw: Box<dyn Read + Send> =
        if is_stdin(path) { Box::new(io::stdin()) } else { Box::new(open_file(path)?) };
    let raw = Counted { inner: raw, progress: Arc::clone(progress) };
    let name = shown(path);
    let ending = COMPRESSIONS
        .iter()
        .find(|ending| name.ends_with(**ending))
        .map(|ending| ending.trim_start_matches('.'));
    let read_error = |source| LoadError::Read { file: name.clone(), source };
    let compression = ending.and_then(|ending| FileCompressionType::from_str(ending).ok());
    let plain = match compression {
        Some(compression) => {
            compression.convert_read(raw).map_err(|error| read_error(io::Error::other(error)))?
        }
        None => Box::new(raw),
    };
    without_mark(plain).map_err(read_error)
}

/// Opens a file that must be one: a folder opens on some systems and fails only when read.
pub(super) fn open_file(path: &Path) -> Result<File, LoadError> {
    let open = || {
        let file = File::open(path)?;
        match file.metadata()?.is_dir() {
            true => Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder; name the files in it")),
            false => Ok(file),
        }
    };
    open().map_err(|source| LoadError::Open { file: shown(path), source })
}

/// Takes a UTF-8 byte order mark off. A pipe may hand its three bytes over one by one.
fn without_mark(mut input: Box<dyn Read + Send>) -> io::Result<TextInput> {
    let mut start = Vec::new();
    input.by_ref().take(3).read_to_end(&mut start)?;
    if start == b"\xef\xbb\xbf" {
        start.clear();
    }
    Ok(BufReader::with_capacity(64 << 10, Box::new(Cursor::new(start).chain(input))))
}

struct Counted<R> {
    inner: R,
    progress: Arc<LoadProgress>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.progress.add_bytes(u64::try_from(read).unwrap_or(u64::MAX));
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_is_taken_off_once_and_short_files_stay_whole() {
        for (bytes, wanted) in [
            (b"\xef\xbb\xbfa".as_slice(), "a"),
            (b"\xef\xbb\xbf\xef\xbb\xbfa", "\u{feff}a"),
            (b"a", "a"),
            (b"", ""),
        ] {
            let mut text = String::new();
            without_mark(Box::new(bytes)).unwrap().read_to_string(&mut text).unwrap();
            assert_eq!(text, wanted);
        }
    }

    #[test]
    fn an_absent_file_is_not_found_and_a_folder_is_refused() {
        let progress = Arc::new(LoadProgress::default());
        let error = open_text(Path::new("/nonexistent/x.csv"), &progress).err().unwrap();
        assert!(error.is_not_found() && error.to_string().contains("/nonexistent/x.csv"), "{error}");
        let error = open_text(Path::new("/"), &progress).err().unwrap();
        assert!(error.to_string().contains("folder"), "{error}");
    }
}
