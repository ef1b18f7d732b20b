//! The classes of the standard registry: their options in words, and how an iterator is made from them.
//!
//! Names and meanings of options are Accumulo's.

mod combiners;
mod filters;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::option_reader::OptionReader;
use crate::{
    AgeOffFilter, GrepIterator, IteratorEnvironment, IteratorFactory, IteratorOption, Result,
    SortedKeyValueIterator, VersioningIterator, WholeRowIterator,
};

type Source = Box<dyn SortedKeyValueIterator>;

/// The factories of all classes of this crate that can be set by name.
pub(crate) fn standard() -> Vec<Arc<dyn IteratorFactory>> {
    let mut classes: Vec<Arc<dyn IteratorFactory>> = vec![
        Arc::new(Class {
            name: "VersioningIterator",
            takes_any: false,
            options: &[IteratorOption {
                name: "maxVersions",
                description: "how many versions of each cell are kept, from 1; default 1",
            }],
            read: |options| Ok(options.number("maxVersions", 1, u32::MAX)?.unwrap_or(1)),
            create: |max_versions, source, _| Box::new(VersioningIterator::new(source, max_versions)),
        }),
        Arc::new(Class {
            name: "WholeRowIterator",
            takes_any: false,
            options: &[IteratorOption {
                name: "maxBufferSize",
                description: "the largest row in bytes (suffix K, M or G), a larger one fails the scan; default: no limit",
            }],
            read: |options| options.byte_size("maxBufferSize"),
            create: |limit, source, _| Box::new(WholeRowIterator::new(source, limit)),
        }),
        Arc::new(Class {
            name: "AgeOffFilter",
            takes_any: false,
            options: &[
                IteratorOption {
                    name: "ttl",
                    description: "how long a cell lives, in milliseconds; required",
                },
                IteratorOption {
                    name: "currentTime",
                    description: "milliseconds since 1970 to count from; default: the time of the run",
                },
                NEGATE,
            ],
            read: |options| {
                options.required("ttl")?;
                let ttl_ms = options.number("ttl", 0, u64::MAX)?.unwrap_or(u64::MAX);
                let now_ms = options.number("currentTime", i64::MIN, i64::MAX)?;
                Ok((ttl_ms, now_ms, options.flag(NEGATE.name, false)?))
            },
            create: |(ttl_ms, now_ms, negated), source, environment| {
                let now_ms = now_ms.unwrap_or(environment.now_ms);
                Box::new(AgeOffFilter::new(source, ttl_ms, now_ms).negated(negated))
            },
        }),
        Arc::new(Class {
            name: "GrepIterator",
            takes_any: false,
            options: &[
                IteratorOption {
                    name: "term",
                    description: "the bytes to look for, as UTF-8 text; required",
                },
                NEGATE,
            ],
            read: |options| {
                Ok((options.required("term")?.as_bytes().to_vec(), options.flag(NEGATE.name, false)?))
            },
            create: |(term, negated), source, _| Box::new(GrepIterator::new(source, term).negated(negated)),
        }),
    ];
    classes.extend(filters::classes());
    classes.extend(combiners::classes());
    classes
}

/// The option that every filter has.
const NEGATE: IteratorOption =
    IteratorOption { name: "negate", description: "true keeps what would be left out; default false" };

/// A class whose options are read into a `T`.
struct Class<T> {
    name: &'static str,
    options: &'static [IteratorOption],
    /// Whether options may have any name: those of columns.
    takes_any: bool,
    read: fn(&OptionReader<'_>) -> Result<T>,
    create: fn(T, Source, &IteratorEnvironment) -> Source,
}

impl<T> Class<T> {
    fn read(&self, options: &BTreeMap<String, String>) -> Result<T> {
        (self.read)(&match self.takes_any {
            true => OptionReader::of_any(self.name, self.options, options),
            false => OptionReader::new(self.name, self.options, options)?,
        })
    }
}

impl<T> IteratorFactory for Class<T> {
    fn class(&self) -> &str {
        self.name
    }

    fn options(&self) -> Vec<IteratorOption> {
        self.options.to_vec()
    }

    fn validate(&self, options: &BTreeMap<String, String>) -> Result<()> {
        self.read(options).map(drop)
    }

    fn create(
        &self,
        source: Source,
        options: &BTreeMap<String, String>,
        environment: &IteratorEnvironment,
    ) -> Result<Source> {
        Ok((self.create)(self.read(options)?, source, environment))
    }
}

#[cfg(test)]
mod tests {
    use crate::{IteratorRegistry, IteratorSetting};

    fn validate(class: &str, options: &[(&str, &str)]) -> Result<(), String> {
        let setting = options.iter().fold(IteratorSetting::new("it", 1, class), |setting, (name, value)| {
            setting.with_option(*name, *value)
        });
        IteratorRegistry::standard().validate(&setting).map_err(|error| error.to_string())
    }

    #[test]
    fn classes_go_by_simple_name_and_accumulos_package() {
        for class in [
            "VersioningIterator",
            "org.apache.accumulo.core.iterators.user.VersioningIterator",
            "org.apache.accumulo.core.iterators.user.AgeOffFilter",
        ] {
            let options: &[(&str, &str)] = if class.contains("Age") { &[("ttl", "1")] } else { &[] };
            assert_eq!(validate(class, options), Ok(()), "{class}");
        }
        for class in [
            "versioningIterator",
            "com.example.VersioningIterator",
            "org.apache.accumulo.core.iterators.user.",
        ] {
            let error = validate(class, &[]).unwrap_err();
            assert!(error.contains("known classes are AgeOffFilter, ColumnAgeOffFilter, "), "{error}");
        }
    }

    #[test]
    fn options_are_checked_when_they_are_set() {
        assert_eq!(validate("VersioningIterator", &[("maxVersions", "3")]), Ok(()));
        for start in ["20260131235959GMT", "LONG1769903999000"] {
            assert_eq!(validate("TimestampFilter", &[("start", start), ("endInclusive", "false")]), Ok(()));
        }
        assert_eq!(validate("ColumnAgeOffFilter", &[("f", "5"), ("f:q%2c", "7")]), Ok(()));
        assert_eq!(validate("MaxCombiner", &[("columns", "f:q,g"), ("type", "varlen")]), Ok(()));
        for (class, options, word) in [
            ("VersioningIterator", &[("maxVersions", "0")][..], "from 1"),
            ("VersioningIterator", &[("maxversions", "1")], "known options are maxVersions"),
            ("WholeRowIterator", &[("maxBufferSize", "big")], "not a size"),
            ("AgeOffFilter", &[], "missing"),
            ("AgeOffFilter", &[("ttl", "-1")], "whole number"),
            ("AgeOffFilter", &[("ttl", "1"), ("negate", "yes")], "neither true nor false"),
            ("GrepIterator", &[("negate", "true")], "missing"),
            ("TimestampFilter", &[], "one of them is required"),
            ("TimestampFilter", &[("start", "2026")], "is no time"),
            ("ColumnAgeOffFilter", &[("f:q", "soon")], "whole number"),
            ("RegExFilter", &[("rowRegex", "(")], "no regular expression"),
            ("LargeRowFilter", &[("max_columns", "0")], "from 1"),
            ("SummingCombiner", &[("columns", "f")], "missing"),
            ("SummingCombiner", &[("all", "true"), ("type", "DOUBLE")], "VARLEN"),
            ("MinCombiner", &[("all", "true"), ("columns", "f"), ("type", "STRING")], "leave one out"),
        ] {
            let error = validate(class, options).unwrap_err();
            assert!(error.contains(word), "{class}: {error}");
        }
    }
}
