//! Where the checker finds no fault, values have the types that it says, whatever the data.

mod rows;
mod scripts;
#[path = "../support/mod.rs"]
mod support;

use ostracon_piglatin::check::Checker;
use ostracon_piglatin::parse_script;
use ostracon_piglatin::source::DiagnosticKind;
use proptest::prelude::*;
use scripts::{Dice, script};
use support::contract::keeps;
use support::environment::Files;

/// How many statements of a script are without fault.
fn check(seed: u64) -> Result<usize, String> {
    let mut dice = Dice::new(seed);
    let text = script(&mut dice);
    let parsed = parse_script("s.pig", &text);
    if parsed.has_errors() {
        return Err(support::diagnostics(&parsed.diagnostics, &parsed.sources) + &text);
    }
    let environment = Files::new();
    let mut checker = Checker::new(&environment);
    let mut right = 0;
    for statement in &parsed.script.statements {
        checker.statement(statement);
        let told = checker.take_diagnostics();
        right += usize::from(told.iter().all(|told| told.kind == DiagnosticKind::Warning));
    }
    let plan = checker.plan();
    keeps(plan)
        .and_then(|()| rows::run(plan, &mut dice))
        .map_err(|why| format!("{why}\n{text}\n{}", support::plan::plan(plan)))?;
    Ok(right)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn values_have_the_types_that_the_checker_says(seed in any::<u64>()) {
        check(seed).map_err(TestCaseError::fail)?;
    }
}

/// Else the test above looks at nothing.
#[test]
fn a_good_part_of_the_statements_is_right() {
    let right: usize = (1u64..=50).map(|seed| check(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)).unwrap()).sum();
    assert!(right > 50 * 8, "{right}");
}
