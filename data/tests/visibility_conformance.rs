//! Accumulo's own label checks: see `visibility/NOTICE` for the origin of the data.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use ostracon_data::{Authorizations, ColumnVisibility, VisibilityEvaluator};
use serde_json::Value;

const CHECKS: &str = include_str!("visibility/accumulo-access.json");

fn strings(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

#[test]
fn all_242_checks_pass() {
    let groups: Value = serde_json::from_str(CHECKS).unwrap();
    let mut checks = 0;
    let mut by_outcome = std::collections::BTreeMap::new();
    for group in groups.as_array().unwrap() {
        // Several sets of authorizations: every one of them must grant access.
        let sets: Vec<Authorizations> = group["authorizations"]
            .as_array()
            .unwrap()
            .iter()
            .map(|set| Authorizations::new(strings(set)))
            .collect();
        assert!(!sets.is_empty(), "{}", group["group"]);
        for (outcome, labels) in group["labels"].as_object().unwrap() {
            for label in strings(labels) {
                let found = match ColumnVisibility::parse(label.as_bytes()) {
                    Err(_) => "error",
                    Ok(parsed) if sets.iter().all(|set| parsed.evaluate(set)) => "accessible",
                    Ok(_) => "inaccessible",
                };
                assert_eq!(found, outcome, "{}: {label:?} for {sets:?}", group["group"]);
                let seen =
                    sets.iter().all(|set| VisibilityEvaluator::new(set.clone()).can_see(label.as_bytes()));
                assert_eq!(seen, outcome == "accessible", "evaluator, {}: {label:?}", group["group"]);
                checks += 1;
                *by_outcome.entry(outcome.clone()).or_insert(0) += 1;
            }
        }
    }
    assert_eq!(checks, 242);
    assert_eq!(by_outcome.len(), 3, "every outcome occurs: {by_outcome:?}");
}
