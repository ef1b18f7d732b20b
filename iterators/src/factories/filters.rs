//! Filters by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::NaiveDateTime;

use super::{Class, NEGATE};
use crate::cell_filters::{ColumnNotExpired, HasLabel, MatchesPatterns, WithinTimes};
use crate::column_set::ColumnSet;
use crate::filter::Filter;
use crate::option_reader::OptionReader;
use crate::{IteratorFactory, IteratorOption, LargeRowFilter, Result, RowDeletingIterator};

/// A date and time as Accumulo writes it.
const DATE: &str = "%Y%m%d%H%M%S";

/// The factories of the filters that are not in the list above.
pub(super) fn classes() -> Vec<Arc<dyn IteratorFactory>> {
    vec![
        Arc::new(Class {
            name: "TimestampFilter",
            takes_any: false,
            options: &[
                IteratorOption {
                    name: "start",
                    description: "the first time: yyyyMMddHHmmssGMT, or milliseconds since 1970 as LONG0",
                },
                IteratorOption {
                    name: "startInclusive",
                    description: "whether it counts itself; default true",
                },
                IteratorOption { name: "end", description: "the last time, in the same forms" },
                IteratorOption {
                    name: "endInclusive",
                    description: "whether it counts itself; default true",
                },
                NEGATE,
            ],
            read: |options| {
                let start = time(options, "start")?.zip(Some(options.flag("startInclusive", true)?));
                let end = time(options, "end")?.zip(Some(options.flag("endInclusive", true)?));
                if start.is_none() && end.is_none() {
                    return Err(options.refuse("start", "is missing, and so is end; one of them is required"));
                }
                Ok((WithinTimes { start, end }, options.flag(NEGATE.name, false)?))
            },
            create: |(times, negated), source, _| Box::new(Filter::over(source, times).negated(negated)),
        }),
        Arc::new(Class {
            name: "ColumnAgeOffFilter",
            takes_any: true,
            options: &[
                IteratorOption {
                    name: "currentTime",
                    description: "milliseconds since 1970 to count from; default: the time of the run. \
                                  Every other option is a column, family or family:qualifier, with its cells' time to \
                                  live in milliseconds",
                },
                NEGATE,
            ],
            read: |options| {
                let mut ttl_ms = BTreeMap::new();
                for (column, text) in options.others() {
                    let set = ColumnSet::parse(column).map_err(|reason| options.refuse(column, reason))?;
                    let ttl = options.number(column, 0, u64::MAX)?.unwrap_or_default();
                    let ColumnSet::Some { families, columns } = set else {
                        return Err(options.refuse(column, format!("{text} is for no column")));
                    };
                    ttl_ms.extend(families.into_iter().map(|family| ((family, None), ttl)));
                    ttl_ms.extend(
                        columns.into_iter().map(|(family, qualifier)| ((family, Some(qualifier)), ttl)),
                    );
                }
                let now_ms = options.number("currentTime", i64::MIN, i64::MAX)?;
                Ok((ttl_ms, now_ms, options.flag(NEGATE.name, false)?))
            },
            create: |(ttl_ms, now_ms, negated), source, environment| {
                let now_ms = now_ms.unwrap_or(environment.now_ms);
                Box::new(Filter::over(source, ColumnNotExpired { ttl_ms, now_ms }).negated(negated))
            },
        }),
        Arc::new(Class {
            name: "ReqVisFilter",
            takes_any: false,
            options: &[NEGATE],
            read: |options| options.flag(NEGATE.name, false),
            create: |negated, source, _| Box::new(Filter::over(source, HasLabel).negated(negated)),
        }),
        Arc::new(Class {
            name: "RegExFilter",
            takes_any: false,
            options: &[
                IteratorOption { name: "rowRegex", description: "a regular expression for the row" },
                IteratorOption { name: "colfRegex", description: "one for the family" },
                IteratorOption { name: "colqRegex", description: "one for the qualifier" },
                IteratorOption { name: "valueRegex", description: "one for the value" },
                IteratorOption {
                    name: "orFields",
                    description: "whether one match is enough; default false",
                },
                IteratorOption {
                    name: "matchSubstring",
                    description: "whether a match of a part is enough; default false",
                },
                NEGATE,
            ],
            read: |options| {
                let part = options.flag("matchSubstring", false)?;
                let pattern = |name: &str| {
                    let text = options.text(name);
                    text.map(|text| MatchesPatterns::pattern(text, part))
                        .transpose()
                        .map_err(|reason| options.refuse(name, reason))
                };
                let patterns = MatchesPatterns {
                    row: pattern("rowRegex")?,
                    family: pattern("colfRegex")?,
                    qualifier: pattern("colqRegex")?,
                    value: pattern("valueRegex")?,
                    any: options.flag("orFields", false)?,
                };
                Ok((patterns, options.flag(NEGATE.name, false)?))
            },
            create: |(patterns, negated), source, _| {
                Box::new(Filter::over(source, patterns).negated(negated))
            },
        }),
        Arc::new(Class {
            name: "LargeRowFilter",
            takes_any: false,
            options: &[IteratorOption {
                name: "max_columns",
                description: "how many cells a row may have, from 1; required",
            }],
            read: |options| {
                options.required("max_columns")?;
                Ok(options.number("max_columns", 1, usize::MAX)?.unwrap_or(usize::MAX))
            },
            create: |max_columns, source, _| Box::new(LargeRowFilter::new(source, max_columns)),
        }),
        Arc::new(Class {
            name: "RowDeletingIterator",
            takes_any: false,
            options: &[],
            read: |_| Ok(()),
            // As long as older cells may lie in runs that take no part, the marker has to stay.
            create: |(), source, environment| Box::new(RowDeletingIterator::new(source, !environment.full)),
        }),
    ]
}

/// A time of an option, in milliseconds since 1970.
fn time(options: &OptionReader<'_>, name: &str) -> Result<Option<i64>> {
    let Some(text) = options.text(name) else { return Ok(None) };
    let trimmed = text.trim();
    let digits = trimmed.strip_suffix("GMT").or_else(|| trimmed.strip_suffix("UTC"));
    let found = match (digits, trimmed.strip_prefix("LONG")) {
        (Some(digits), _) => NaiveDateTime::parse_from_str(digits.trim_end(), DATE)
            .ok()
            .map(|time| time.and_utc().timestamp_millis()),
        (None, Some(number)) => number.parse().ok(),
        (None, None) => None,
    };
    found.map(Some).ok_or_else(|| {
        options.refuse(name, format!("\"{text}\" is no time; write 20260131235959GMT or LONG1769903999000"))
    })
}
