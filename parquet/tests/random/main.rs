//! Random message types against random requests.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, its helpers too")]

mod make;

use std::collections::BTreeSet;

use ostracon_parquet::{Clipped, Matching, RequestedSchema, clip, whole};
use parquet::schema::types::{SchemaDescriptor, TypePtr};
use proptest::prelude::*;

use make::{message, requested};

fn descriptor(message: &TypePtr) -> SchemaDescriptor {
    SchemaDescriptor::new(TypePtr::clone(message))
}

/// What holds of every answer.
fn check(file: &TypePtr, clipped: &Clipped) -> Result<(), TestCaseError> {
    let (from, to) = (descriptor(file), descriptor(&clipped.readable));
    prop_assert_eq!(to.num_columns(), clipped.leaves.len());
    let distinct: BTreeSet<usize> = clipped.leaves.iter().copied().collect();
    prop_assert_eq!(distinct.len(), clipped.leaves.len(), "a leaf is kept twice");
    for (index, leaf) in clipped.leaves.iter().enumerate() {
        prop_assert!(*leaf < from.num_columns());
        let (old, new) = (from.column(*leaf), to.column(index));
        prop_assert_eq!(old.max_def_level(), new.max_def_level());
        prop_assert_eq!(old.max_rep_level(), new.max_rep_level());
        prop_assert_eq!(old.physical_type(), new.physical_type());
        prop_assert_eq!(old.converted_type(), new.converted_type());
    }
    Ok(())
}

/// A request that takes each column once: what a table can ask for.
fn once(requested: &RequestedSchema) -> RequestedSchema {
    let mut seen = BTreeSet::new();
    RequestedSchema {
        fields: requested
            .fields
            .iter()
            .filter(|field| seen.insert(field.name.to_lowercase()))
            .cloned()
            .collect(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_kept_is_read_by_the_files_levels((file, requested) in message().prop_flat_map(|file| {
        let requested = requested(&file);
        (Just(file), requested)
    })) {
        let requested = once(&requested);
        for matching in [Matching::Exact, Matching::CaseInsensitive] {
            // Names are of one case here.
            let clipped = clip(&file, &requested, matching).map_err(|error| TestCaseError::fail(error.to_string()))?;
            check(&file, &clipped)?;
            let exact = clip(&file, &requested, Matching::Exact).unwrap();
            prop_assert_eq!(&exact, &clipped);
            // What is read answers the same request with the same leaves.
            if clipped.marked.is_empty() && !clipped.leaves.is_empty() {
                let again = clip(&clipped.readable, &requested, matching).unwrap();
                prop_assert_eq!(&again.readable, &clipped.readable);
                prop_assert_eq!(again.leaves, (0..clipped.leaves.len()).collect::<Vec<_>>());
                prop_assert_eq!(&again.absent, &clipped.absent);
            }
        }
    }

    #[test]
    fn everything_keeps_every_leaf(file in message()) {
        let clipped = clip(&file, &whole(&file), Matching::Exact).unwrap();
        check(&file, &clipped)?;
        prop_assert_eq!(clipped.leaves.len(), descriptor(&file).num_columns());
        prop_assert_eq!(&clipped.message, &file);
        prop_assert!(clipped.absent.is_empty() && clipped.marked.is_empty());
    }

    #[test]
    fn requests_of_another_file_are_answered_or_refused((file, other) in (message(), message().prop_flat_map(|file| requested(&file)))) {
        if let Ok(clipped) = clip(&file, &once(&other), Matching::CaseInsensitive) {
            check(&file, &clipped)?;
        }
    }
}
