//! The checks of the suite, one function a rule.

use std::thread;

use ostracon_data::Range;

use super::cases::{family_cases, range_cases};
use super::{Cell, ContractSuite, Violation};
use crate::{ColumnFamilies, SortedKeyValueIterator};

type Checked = Result<(), Violation>;

/// Every rule in turn.
pub(super) fn all(suite: &ContractSuite<'_>, cells: &[Cell]) -> Checked {
    instantiation(suite, cells)?;
    ranges_and_families(suite, cells)?;
    reseek(suite, cells)?;
    tear_down(suite, cells)?;
    deep_copies(suite, cells)?;
    failing_sources(suite, cells)
}

fn unpositioned(rule: &'static str, iterator: &mut dyn SortedKeyValueIterator) -> Checked {
    if iterator.has_top() || iterator.top_key().is_some() || iterator.top_value().is_some() {
        return Err(Violation::new(rule, "an iterator without a position has a top"));
    }
    if iterator.next().is_ok() {
        return Err(Violation::new(rule, "next() without a top is not an error"));
    }
    if iterator.has_top() {
        return Err(Violation::new(rule, "next() without a top made one"));
    }
    Ok(())
}

fn instantiation(suite: &ContractSuite<'_>, cells: &[Cell]) -> Checked {
    unpositioned("construction", &mut *suite.build(cells)?)?;
    if suite.build_faulty(cells, 1)?.is_some_and(|(_, trigger)| !trigger.is_armed()) {
        return Err(Violation::new("construction", "the source was read"));
    }
    let mut empty = suite.build(&[])?;
    let expected = suite.expected(&[], &Range::all(), &ColumnFamilies::all());
    seek_and_compare("empty source", &mut *empty, &Range::all(), &ColumnFamilies::all(), &expected)
}

/// The current cell, asked for more than once; `None` at the end.
fn top(iterator: &dyn SortedKeyValueIterator) -> Result<Option<Cell>, Violation> {
    let mut answers = (0..3).map(|_| {
        let (key, value) = (iterator.top_key().cloned(), iterator.top_value().map(<[u8]>::to_vec));
        (iterator.has_top(), key, value)
    });
    let first = answers.next().unwrap_or_default();
    if answers.any(|again| again != first) {
        return Err(Violation::new("pure tops", "has_top, top_key or top_value changed without a move"));
    }
    match first {
        (true, Some(key), Some(value)) => Ok(Some((key, value.into()))),
        (false, None, None) => Ok(None),
        other => {
            Err(Violation::new("pure tops", format!("has_top, top_key and top_value disagree: {other:?}")))
        }
    }
}

fn moved(rule: &'static str, result: crate::Result<()>, what: &str) -> Checked {
    result.map_err(|error| Violation::new(rule, format!("{what} failed: {error}")))
}

/// The next at most `limit` cells from the current position on.
fn walk(
    rule: &'static str,
    iterator: &mut dyn SortedKeyValueIterator,
    limit: usize,
) -> Result<Vec<Cell>, Violation> {
    let mut seen: Vec<Cell> = Vec::new();
    while seen.len() < limit {
        let Some(cell) = top(iterator)? else { break };
        if let Some((last, _)) = seen.last().filter(|(last, _)| *last >= cell.0) {
            return Err(Violation::new("order", format!("{} came after {last}", cell.0)));
        }
        seen.push(cell);
        moved(rule, iterator.next(), "next()")?;
    }
    Ok(seen)
}

fn seek_and_compare(
    rule: &'static str,
    iterator: &mut dyn SortedKeyValueIterator,
    range: &Range,
    families: &ColumnFamilies,
    expected: &[Cell],
) -> Checked {
    moved(rule, iterator.seek(range, families), "seek()")?;
    // One more than expected shows a surplus and stops an endless iterator.
    let seen = walk(rule, iterator, expected.len() + 1)?;
    compare(rule, range, families, &seen, expected)?;
    if top(iterator)?.is_some() || iterator.next().is_ok() || iterator.has_top() {
        return Err(Violation::new(rule, format!("the end of {range} is not final")));
    }
    Ok(())
}

fn compare(
    rule: &'static str,
    range: &Range,
    families: &ColumnFamilies,
    seen: &[Cell],
    expected: &[Cell],
) -> Checked {
    if seen == expected {
        return Ok(());
    }
    let at = seen.iter().zip(expected).take_while(|(a, b)| a == b).count();
    let show = |cells: &[Cell]| match cells.get(at) {
        Some((key, value)) => format!("{key} = {value}"),
        None => "the end".to_owned(),
    };
    let detail = format!(
        "sought with {range} and {families:?}: cell {at} of {} is {}, expected {} of {}",
        seen.len(),
        show(seen),
        show(expected),
        expected.len()
    );
    Err(Violation::new(rule, detail))
}

fn ranges_and_families(suite: &ContractSuite<'_>, cells: &[Cell]) -> Checked {
    let ranges = range_cases(cells);
    for range in &ranges {
        let families = ColumnFamilies::all();
        let expected = suite.expected(cells, range, &families);
        seek_and_compare("ranges", &mut *suite.build(cells)?, range, &families, &expected)?;
    }
    for (index, families) in family_cases(cells).iter().enumerate() {
        // All of them with every family set would be too many; each set meets another share of the ranges.
        for range in ranges.iter().take(1).chain(ranges.iter().skip(index).step_by(23)) {
            let expected = suite.expected(cells, range, families);
            seek_and_compare("families", &mut *suite.build(cells)?, range, families, &expected)?;
        }
    }
    Ok(())
}

/// One iterator for all seeks, each left at another position.
fn reseek(suite: &ContractSuite<'_>, cells: &[Cell]) -> Checked {
    let mut iterator = suite.build(cells)?;
    let ranges = range_cases(cells);
    let families = family_cases(cells);
    for (index, range) in ranges.iter().chain(ranges.iter().rev().step_by(3)).enumerate() {
        let families = families.get(index % families.len().max(1)).cloned().unwrap_or_default();
        let families = if index % 2 == 0 { ColumnFamilies::all() } else { families };
        let expected = suite.expected(cells, range, &families);
        moved("re-seek", iterator.seek(range, &families), "seek()")?;
        let steps = index % 5;
        let seen = walk("re-seek", &mut *iterator, steps)?;
        compare("re-seek", range, &families, &seen, expected.get(..steps).unwrap_or(&expected))?;
        if index % 7 == 0 {
            seek_and_compare("re-seek", &mut *iterator, range, &families, &expected)?;
        }
    }
    Ok(())
}

/// A new iterator after every one, two or three cells.
fn tear_down(suite: &ContractSuite<'_>, cells: &[Cell]) -> Checked {
    let ranges = range_cases(cells);
    let families = family_cases(cells);
    for (index, range) in ranges.iter().take(1).chain(ranges.iter().step_by(11)).enumerate() {
        let families = families.get(index % families.len().max(1)).cloned().unwrap_or_default();
        let expected = suite.expected(cells, range, &families);
        for batch in 1..=3 {
            let mut seen: Vec<Cell> = Vec::new();
            let mut rest = range.clone();
            loop {
                let mut iterator = suite.build(cells)?;
                moved("tear-down", iterator.seek(&rest, &families), "seek()")?;
                let mut part = walk("tear-down", &mut *iterator, batch)?;
                let Some((last, _)) = part.last() else { break };
                rest = rest.continuing_after(last);
                seen.append(&mut part);
                if seen.len() > expected.len() {
                    break;
                }
            }
            compare("tear-down", range, &families, &seen, &expected)?;
        }
    }
    Ok(())
}

fn copy(iterator: &dyn SortedKeyValueIterator) -> Result<Box<dyn SortedKeyValueIterator>, Violation> {
    let rule = "deep copy";
    let mut copy =
        iterator.deep_copy().map_err(|error| Violation::new(rule, format!("deep_copy() failed: {error}")))?;
    unpositioned(rule, &mut *copy)?;
    Ok(copy)
}

fn deep_copies(suite: &ContractSuite<'_>, cells: &[Cell]) -> Checked {
    let rule = "deep copy";
    let (all, families) = (Range::all(), ColumnFamilies::all());
    let expected = suite.expected(cells, &all, &families);
    let mut original = suite.build(cells)?;
    let mut before = copy(&*original)?;
    moved(rule, original.seek(&all, &families), "seek()")?;
    unpositioned(rule, &mut *before)?;
    let mut of_positioned = copy(&*original)?;
    moved(rule, before.seek(&all, &families), "seek()")?;
    // In step, the copy one cell behind.
    for (at, cell) in expected.iter().enumerate() {
        if top(&*original)?.as_ref() != Some(cell) {
            return Err(Violation::new(rule, format!("the original lost cell {at} while its copy moved")));
        }
        moved(rule, original.next(), "next()")?;
        if top(&*before)?.as_ref() != Some(cell) {
            return Err(Violation::new(rule, format!("the copy lost cell {at} while the original moved")));
        }
        moved(rule, before.next(), "next()")?;
    }
    for range in range_cases(cells).iter().step_by(17) {
        let expected = suite.expected(cells, range, &families);
        moved(rule, original.seek(&all, &families), "seek()")?;
        seek_and_compare(rule, &mut *of_positioned, range, &families, &expected)?;
    }
    drop((original, before));
    seek_and_compare(rule, &mut *of_positioned, &all, &families, &expected)?;
    let mut of_copy = copy(&*of_positioned)?;
    drop(of_positioned);
    let elsewhere = thread::scope(|scope| {
        scope.spawn(|| seek_and_compare(rule, &mut *of_copy, &all, &families, &expected)).join()
    });
    elsewhere.unwrap_or_else(|_| Err(Violation::new(rule, "a copy panicked on another thread")))
}

/// The source fails at its first, second, ... call, until a whole walk needs fewer calls.
fn failing_sources(suite: &ContractSuite<'_>, cells: &[Cell]) -> Checked {
    let rule = "errors";
    let families = ColumnFamilies::all();
    for range in range_cases(cells).iter().take(1).chain(range_cases(cells).iter().skip(1).step_by(41)) {
        let expected = suite.expected(cells, range, &families);
        for call in 1.. {
            let Some((mut iterator, trigger)) = suite.build_faulty(cells, call)? else { return Ok(()) };
            let mut seen = Vec::new();
            let mut outcome = iterator.seek(range, &families);
            while outcome.is_ok() && seen.len() <= expected.len() {
                let Some(cell) = top(&*iterator)? else { break };
                seen.push(cell);
                outcome = iterator.next();
            }
            if trigger.is_armed() {
                compare(rule, range, &families, &seen, &expected)?;
                break;
            }
            if outcome.is_ok() {
                let detail = format!("the failure of call {call} below was swallowed, sought with {range}");
                return Err(Violation::new(rule, detail));
            }
            if expected.get(..seen.len()) != Some(&seen[..]) {
                let detail =
                    format!("what came before the failure of call {call} is wrong, sought with {range}");
                return Err(Violation::new(rule, detail));
            }
            unpositioned("after an error", &mut *iterator)?;
            seek_and_compare("after an error", &mut *iterator, range, &families, &expected)?;
        }
    }
    Ok(())
}
