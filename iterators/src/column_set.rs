//! [`ColumnSet`]: columns as options of iterators name them.

use std::collections::BTreeSet;

use ostracon_data::Key;

/// Columns: all, or families whole and columns of families.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ColumnSet {
    /// Every column.
    All,
    /// These.
    Some {
        /// Families of which every column counts.
        families: BTreeSet<Vec<u8>>,
        /// Family and qualifier.
        columns: BTreeSet<(Vec<u8>, Vec<u8>)>,
    },
}

impl ColumnSet {
    /// Reads `family` and `family:qualifier`, parted by commas; `%3a` stands for a byte by its hex digits, as in
    /// Accumulo.
    ///
    /// # Errors
    /// The reason why the text is no list of columns.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (mut families, mut columns) = (BTreeSet::new(), BTreeSet::new());
        for part in text.split(',').map(str::trim) {
            let (family, qualifier) = match part.split_once(':') {
                Some((family, qualifier)) => (family, Some(qualifier)),
                None => (part, None),
            };
            if family.is_empty() {
                return Err(format!(
                    "\"{text}\" is no list of columns, as family or family:qualifier, parted by commas"
                ));
            }
            match qualifier {
                Some(qualifier) => columns.insert((decoded(family)?, decoded(qualifier)?)),
                None => families.insert(decoded(family)?),
            };
        }
        Ok(Self::Some { families, columns })
    }

    /// Whether a cell's column is one of them.
    #[must_use]
    pub fn contains(&self, key: &Key) -> bool {
        match self {
            Self::All => true,
            Self::Some { families, columns } => {
                families.contains(&key.family)
                    || columns.contains(&(key.family.clone(), key.qualifier.clone()))
            }
        }
    }
}

/// A name with its `%HH` decoded.
fn decoded(name: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digits = tail.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.ok_or_else(|| format!("\"{name}\" has a % without two hex digits behind it"))?);
        rest = tail.get(2..).unwrap_or_default();
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_columns_and_escapes() {
        let set = ColumnSet::parse("f, g:q, a%3ab:%ff").unwrap();
        let contains = |family: &[u8], qualifier: &[u8]| {
            set.contains(&Key { family: family.to_vec(), qualifier: qualifier.to_vec(), ..Key::default() })
        };
        assert!(contains(b"f", b"any") && contains(b"g", b"q") && contains(b"a:b", &[0xff]));
        assert!(!contains(b"g", b"r") && !contains(b"a", b"b"));
        for wrong in ["", "a,,b", ":q", "a%", "a%g0", "a%1"] {
            assert!(ColumnSet::parse(wrong).is_err(), "{wrong}");
        }
        assert!(ColumnSet::All.contains(&Key::default()));
    }
}
