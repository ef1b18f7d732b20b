use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use crate::functions::all;
use crate::functions::builtin::{Definition, Make};
use crate::value::EvalFunc;

/// Makes a function for constructor arguments.
pub type Constructor = Arc<dyn Fn(&[String]) -> Result<Arc<dyn EvalFunc>, String> + Send + Sync>;

/// Why there is no such function.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// No function has this name.
    #[error("there is no function '{name}'")]
    Unknown {
        /// As the script has it.
        name: String,
        /// The nearest name, for "did you mean".
        similar: Option<String>,
    },
    /// Pig has it; here it is refused.
    #[error("{name} is not supported: {reason}")]
    Unsupported {
        /// As the script has it.
        name: String,
        /// Why, and what to use.
        reason: String,
    },
    /// Its constructor refuses the arguments.
    #[error("{name}: {reason}")]
    Constructor {
        /// As the script has it.
        name: String,
        /// Why.
        reason: String,
    },
}

/// The evaluation functions that scripts may call, by name; names are case-sensitive.
#[derive(Clone)]
pub struct FunctionRegistry {
    constructors: HashMap<String, Constructor>,
}

impl fmt::Debug for FunctionRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FunctionRegistry").field("functions", &self.constructors.len()).finish()
    }
}

impl Default for FunctionRegistry {
    fn default() -> Self {
        Self::with_builtins()
    }
}

impl FunctionRegistry {
    /// All built-ins.
    #[must_use]
    pub fn with_builtins() -> Self {
        let mut registry = Self { constructors: HashMap::new() };
        for Definition { name, make } in all() {
            registry.register(name, move |arguments: &[String]| match make {
                Make::Constructed(make) => Ok(Arc::new(make(arguments)?) as Arc<dyn EvalFunc>),
                Make::Other(make) => make(arguments),
                Make::Plain(make) if arguments.is_empty() => Ok(Arc::new(make()) as Arc<dyn EvalFunc>),
                Make::Plain(_) => Err("its constructor takes no arguments".to_owned()),
            });
        }
        registry
    }

    /// Adds a function under a name, perhaps with dots; one of the same name is replaced.
    pub fn register(
        &mut self,
        name: impl Into<String>,
        constructor: impl Fn(&[String]) -> Result<Arc<dyn EvalFunc>, String> + Send + Sync + 'static,
    ) {
        self.constructors.insert(name.into(), Arc::new(constructor));
    }

    /// The function of this name, made with these constructor arguments (`DEFINE f TOP('ASC')`).
    ///
    /// Built-ins answer to their full Java names too: `org.apache.pig.builtin.UPPER`.
    ///
    /// # Errors
    /// [`RegistryError`] says what is wrong with name or arguments.
    pub fn create(&self, name: &str, arguments: &[String]) -> Result<Arc<dyn EvalFunc>, RegistryError> {
        let short = short_name(name);
        if let Some(constructor) = self.constructors.get(name).or_else(|| self.constructors.get(short)) {
            return constructor(arguments)
                .map_err(|reason| RegistryError::Constructor { name: name.to_owned(), reason });
        }
        if let Some(reason) = refusal(short) {
            return Err(RegistryError::Unsupported { name: name.to_owned(), reason: reason.to_owned() });
        }
        Err(RegistryError::Unknown { name: name.to_owned(), similar: self.similar(short) })
    }

    /// Whether there is a function of this name.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.constructors.contains_key(name) || self.constructors.contains_key(short_name(name))
    }

    /// All names, sorted.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.constructors.keys().map(String::as_str).collect();
        names.sort_unstable();
        names
    }

    /// The name that is nearest to a wrong one: another case, or a few letters off.
    fn similar(&self, wrong: &str) -> Option<String> {
        let names = self.names();
        if let Some(name) = names.iter().find(|name| name.eq_ignore_ascii_case(wrong)) {
            return Some((*name).to_owned());
        }
        let upper = wrong.to_uppercase();
        let near = names.iter().map(|name| (edits(&upper, &name.to_uppercase()), *name)).min()?;
        (near.0 <= wrong.chars().count() / 3).then(|| near.1.to_owned())
    }
}

/// Why a function that Pig has is refused here; nothing for other names.
fn refusal(name: &str) -> Option<&'static str> {
    Some(match name {
        "HiveUDF" | "HiveUDAF" | "HiveUDTF" => "it runs classes of Hive on a Java machine",
        "InvokeForInt" | "InvokeForLong" | "InvokeForFloat" | "InvokeForDouble" | "InvokeForString"
        | "invoke" => "it calls methods of Java classes",
        "Bloom" | "BuildBloom" => "its filter is a file of Hadoop's BloomFilter; join the relations instead",
        "Over" | "Stitch" => "window functions are not part of Pig's built-ins; use nested ORDER and LIMIT",
        "COR" | "COV" => "it answers for all pairs of columns at once; compute it from SUM and COUNT",
        _ => return None,
    })
}

/// The name of a built-in without the Java package it has in Pig.
fn short_name(name: &str) -> &str {
    const PACKAGES: [&str; 5] = [
        "org.apache.pig.builtin.",
        "org.apache.pig.piggybank.evaluation.string.",
        "org.apache.pig.piggybank.evaluation.math.",
        "org.apache.pig.piggybank.evaluation.util.",
        "org.apache.pig.piggybank.evaluation.",
    ];
    PACKAGES.iter().find_map(|package| name.strip_prefix(package)).unwrap_or(name)
}

/// How many letters must be changed, added or taken away.
fn edits(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, letter) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, other) in to.iter().enumerate() {
            let changed = diagonal + usize::from(letter != *other);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}
