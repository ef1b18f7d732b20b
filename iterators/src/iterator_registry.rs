//! The [`IteratorRegistry`]: which iterator classes there are, and whether options suit them.
//!
//! An [`IteratorFactory`] makes the iterators of one class. A setting is validated when it is *set* (CREATE TABLE,
//! ALTER TABLE, `store iterators add`), so that a scan does not fail on it later; the same code reads the options
//! both times. Classes are compiled in, nothing is loaded by name from anywhere.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::{Error, IteratorEnvironment, IteratorSetting, Result, SortedKeyValueIterator};

/// Packages in front of a class name that are taken as ours.
const PACKAGES: [&str; 4] = [
    "org.apache.accumulo.core.iterators.user.",
    "org.apache.accumulo.core.iterators.system.",
    "org.apache.accumulo.core.iteratorsImpl.system.",
    "org.apache.accumulo.core.iterators.",
];

/// Makes the iterators of one class.
pub trait IteratorFactory: Send + Sync {
    /// The class's simple name, as it is written in settings.
    fn class(&self) -> &str;

    /// The options the class knows, for help texts.
    fn options(&self) -> Vec<IteratorOption>;

    /// Checks options without making an iterator; everything that [`create`](Self::create) refuses is refused here.
    fn validate(&self, options: &BTreeMap<String, String>) -> Result<()>;

    /// Makes an iterator on `source`, reading nothing.
    fn create(
        &self,
        source: Box<dyn SortedKeyValueIterator>,
        options: &BTreeMap<String, String>,
        environment: &IteratorEnvironment,
    ) -> Result<Box<dyn SortedKeyValueIterator>>;
}

/// An option of an iterator class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IteratorOption {
    /// Its name.
    pub name: &'static str,
    /// What it means, its unit and its default.
    pub description: &'static str,
}

/// The known iterator classes.
#[derive(Clone)]
pub struct IteratorRegistry {
    factories: BTreeMap<String, Arc<dyn IteratorFactory>>,
}

impl IteratorRegistry {
    /// No class at all.
    pub fn empty() -> Self {
        Self { factories: BTreeMap::new() }
    }

    /// The classes of this crate.
    pub fn standard() -> Self {
        let mut registry = Self::empty();
        for factory in crate::factories::standard() {
            registry.register(factory);
        }
        registry
    }

    /// Adds a class; one of the same name is replaced and given back.
    pub fn register(&mut self, factory: Arc<dyn IteratorFactory>) -> Option<Arc<dyn IteratorFactory>> {
        self.factories.insert(factory.class().to_owned(), factory)
    }

    /// The class's factory; the name may carry Accumulo's package.
    pub fn factory(&self, class: &str) -> Result<&dyn IteratorFactory> {
        let simple = PACKAGES.iter().find_map(|package| class.strip_prefix(package)).unwrap_or(class);
        self.factories.get(simple).map(AsRef::as_ref).ok_or_else(|| Error::UnknownIterator {
            class: class.to_owned(),
            known: self.factories.keys().map(String::as_str).collect::<Vec<_>>().join(", "),
        })
    }

    /// Checks a setting: its own form, its class and its options.
    pub fn validate(&self, setting: &IteratorSetting) -> Result<()> {
        setting.check()?;
        self.factory(&setting.class)?.validate(&setting.options)
    }

    /// Checks the settings of one scope, each and all together.
    pub fn validate_scope<'a>(
        &self,
        settings: impl IntoIterator<Item = &'a IteratorSetting> + Clone,
    ) -> Result<()> {
        IteratorSetting::check_scope(settings.clone())?;
        settings.into_iter().try_for_each(|setting| self.validate(setting))
    }

    /// Makes the setting's iterator on `source`.
    pub fn create(
        &self,
        setting: &IteratorSetting,
        source: Box<dyn SortedKeyValueIterator>,
        environment: &IteratorEnvironment,
    ) -> Result<Box<dyn SortedKeyValueIterator>> {
        self.factory(&setting.class)?.create(source, &setting.options, environment)
    }

    /// The factories by class name.
    pub fn factories(&self) -> impl Iterator<Item = &dyn IteratorFactory> {
        self.factories.values().map(AsRef::as_ref)
    }
}

impl Default for IteratorRegistry {
    fn default() -> Self {
        Self::standard()
    }
}

impl fmt::Debug for IteratorRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.factories.keys()).finish()
    }
}
