//! Combiners by name.

use std::sync::Arc;

use super::Class;
use crate::column_set::ColumnSet;
use crate::combine_longs::{LongEncoding, LongLists, LongOperation, Longs};
use crate::combiner::{CombineValues, Combiner};
use crate::option_reader::OptionReader;
use crate::{
    IteratorEnvironment, IteratorFactory, IteratorOption, IteratorScope, Result, SortedKeyValueIterator,
};

const OPTIONS: &[IteratorOption] = &[
    IteratorOption {
        name: "columns",
        description: "whose versions are combined: family or family:qualifier, parted by commas; required unless all is true",
    },
    IteratorOption { name: "all", description: "true combines all columns; default false" },
    IteratorOption {
        name: "type",
        description: "how numbers lie in cells: VARLEN, FIXEDLEN or STRING; required",
    },
    IteratorOption {
        name: "lossy",
        description: "true leaves out values that are no numbers, which fail the scan otherwise; default false",
    },
    IteratorOption {
        name: "reduceOnFullCompactionOnly",
        description: "true leaves versions as they are in compactions that do not read everything; default false",
    },
];

/// The options of all combiners.
struct CombinerOptions {
    columns: ColumnSet,
    encoding: LongEncoding,
    lossy: bool,
    full_only: bool,
}

fn read(options: &OptionReader<'_>) -> Result<CombinerOptions> {
    let columns = match (options.flag("all", false)?, options.text("columns")) {
        (true, None) => ColumnSet::All,
        (true, Some(_)) => {
            return Err(options.refuse("columns", "is of no use where all is true; leave one out"));
        }
        (false, _) => ColumnSet::parse(options.required("columns")?)
            .map_err(|reason| options.refuse("columns", reason))?,
    };
    let name = options.required("type")?;
    let encoding = LongEncoding::of_name(name).ok_or_else(|| {
        options.refuse("type", format!("\"{name}\" is none of VARLEN, FIXEDLEN and STRING"))
    })?;
    Ok(CombinerOptions {
        columns,
        encoding,
        lossy: options.flag("lossy", false)?,
        full_only: options.flag("reduceOnFullCompactionOnly", false)?,
    })
}

/// The iterator, unless it has nothing to do in this run.
fn combiner<C: CombineValues>(
    source: Box<dyn SortedKeyValueIterator>,
    combine: C,
    options: CombinerOptions,
    environment: &IteratorEnvironment,
) -> Box<dyn SortedKeyValueIterator> {
    match options.full_only && environment.scope != IteratorScope::Scan && !environment.full {
        true => source,
        false => Box::new(Combiner::new(source, combine, options.columns, options.lossy)),
    }
}

/// The factories of all combiners.
pub(super) fn classes() -> Vec<Arc<dyn IteratorFactory>> {
    vec![
        Arc::new(Class {
            name: "SummingCombiner",
            takes_any: false,
            options: OPTIONS,
            read,
            create: |options, source, environment| {
                let longs = Longs { encoding: options.encoding, operation: LongOperation::Sum };
                combiner(source, longs, options, environment)
            },
        }),
        Arc::new(Class {
            name: "MinCombiner",
            takes_any: false,
            options: OPTIONS,
            read,
            create: |options, source, environment| {
                let longs = Longs { encoding: options.encoding, operation: LongOperation::Min };
                combiner(source, longs, options, environment)
            },
        }),
        Arc::new(Class {
            name: "MaxCombiner",
            takes_any: false,
            options: OPTIONS,
            read,
            create: |options, source, environment| {
                let longs = Longs { encoding: options.encoding, operation: LongOperation::Max };
                combiner(source, longs, options, environment)
            },
        }),
        Arc::new(Class {
            name: "SummingArrayCombiner",
            takes_any: false,
            options: OPTIONS,
            read,
            create: |options, source, environment| {
                let lists = LongLists { encoding: options.encoding };
                combiner(source, lists, options, environment)
            },
        }),
    ]
}
