//! [`Constructors`]: the load or store functions of an engine, by name.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use ostracon_piglatin::source::did_you_mean;

use crate::error::{PigError, PigErrorKind, Result};

/// Makes a function from the arguments of its constructor.
type Constructor<F> = Arc<dyn Fn(&[String]) -> Result<Arc<F>> + Send + Sync>;

/// Functions that Pig has, and why they are not here.
const REFUSED: [(&str, &str); 5] = [
    ("BinStorage", "its bytes are Java's own; write the data anew with PigStorage or as Parquet"),
    ("OrcStorage", "there is no reader of ORC; write the data as Parquet"),
    ("HBaseStorage", "tables are read by TableLoader, as in LOAD 'table:NAME'"),
    ("AccumuloStorage", "tables are read by TableLoader, as in LOAD 'table:NAME'"),
    ("PigDump", "DUMP prints that form"),
];

/// Functions of one kind by name: [`crate::load::LoadFunc`] or [`crate::store::StoreFunc`].
pub struct Constructors<F: ?Sized> {
    /// What the functions are, for errors: `load` or `store`.
    what: &'static str,
    by_name: BTreeMap<String, Constructor<F>>,
}

impl<F: ?Sized> Constructors<F> {
    /// No functions; `what` is what errors call them.
    #[must_use]
    pub fn none(what: &'static str) -> Self {
        Self { what, by_name: BTreeMap::new() }
    }

    /// Adds a function, in place of one of that name. Scripts may write a package before the name, as in Java.
    pub fn register(
        &mut self,
        name: impl Into<String>,
        constructor: impl Fn(&[String]) -> Result<Arc<F>> + Send + Sync + 'static,
    ) {
        self.by_name.insert(name.into(), Arc::new(constructor));
    }

    /// All names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    /// Whether there is a function of this name.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.by_name.contains_key(short(name))
    }

    /// The function of a name with the arguments of its constructor.
    ///
    /// # Errors
    /// `Invalid` if there is none, or it refuses the arguments; `Unsupported` for those of Pig that are not here.
    pub fn create(&self, name: &str, arguments: &[String]) -> Result<Arc<F>> {
        match self.by_name.get(short(name)) {
            Some(constructor) => constructor(arguments),
            None => Err(self.unknown(short(name))),
        }
    }

    fn unknown(&self, name: &str) -> PigError {
        if let Some((_, reason)) = REFUSED.iter().find(|(refused, _)| *refused == name) {
            return PigError::new(PigErrorKind::Unsupported, format!("{name} is not supported: {reason}"));
        }
        let names: Vec<&str> = self.names().collect();
        let text = format!("there is no {} function {name}", self.what);
        PigError::invalid(match did_you_mean(name, names.iter().copied()) {
            Some(meant) => format!("{text}; did you mean {meant}?"),
            None => format!("{text}; there are {}", names.join(", ")),
        })
    }
}

impl<F: ?Sized> Clone for Constructors<F> {
    fn clone(&self) -> Self {
        Self { what: self.what, by_name: self.by_name.clone() }
    }
}

impl<F: ?Sized> fmt::Debug for Constructors<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Constructors").field("names", &self.by_name.keys()).finish_non_exhaustive()
    }
}

/// A name without its Java package.
fn short(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_with_their_package_and_others_refused_by_name() {
        let mut lengths: Constructors<str> = Constructors::none("test");
        lengths.register("Joined", |arguments| Ok(arguments.join("+").into()));
        let arguments = ["a".to_owned(), "b".to_owned()];
        assert_eq!(&*lengths.create("org.example.Joined", &arguments).unwrap(), "a+b");
        assert!(lengths.contains("Joined") && !lengths.contains("joined"));
        let unknown = lengths.create("Joind", &[]).unwrap_err();
        assert_eq!(unknown.message, "there is no test function Joind; did you mean Joined?");
        assert_eq!(lengths.create("OrcStorage", &[]).unwrap_err().kind, PigErrorKind::Unsupported);
    }
}
