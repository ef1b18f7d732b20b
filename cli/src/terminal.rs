//! The two ways out: results to stdout, words to the person to stderr.

use std::io::{self, BufWriter, StdoutLock, Write};

/// Results, buffered; whoever writes flushes at the end of a result.
pub(crate) fn results() -> BufWriter<StdoutLock<'static>> {
    BufWriter::with_capacity(64 << 10, io::stdout().lock())
}

/// Words to the person, as they are. If stderr is closed nobody is there to be told.
pub(crate) fn tell(words: &str) {
    let _ = io::stderr().lock().write_all(words.as_bytes());
}

/// A count for the eye: `1,234,567`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_readable() {
        assert_eq!(
            ["0", "999", "1,000", "1,234,567"],
            [0, 999, 1000, 1_234_567].map(grouped).each_ref().map(String::as_str)
        );
    }
}
