//! The rules of clipping, one block of `clip.cases` each.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, its helpers too")]

use std::collections::BTreeMap;

use ostracon_handler::parquet::clipped_message;
use ostracon_parquet::Matching;

/// A message type in one line.
fn in_one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_rule_of_clipping() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for block in include_str!("clip.cases").split("\n\n") {
        let lines = block.lines().filter(|line| !line.starts_with('#'));
        let parts: BTreeMap<&str, &str> =
            lines.filter_map(|line| line.split_once(':')).map(|(key, text)| (key, text.trim())).collect();
        let Some(rule) = parts.get("rule") else { continue };
        count += 1;
        let matching = match parts.get("case") {
            Some(&"insensitive") => Matching::CaseInsensitive,
            None => Matching::Exact,
            Some(other) => panic!("{rule}: case is 'insensitive' or left out, not '{other}'"),
        };
        let found = clipped_message(parts["file"], parts["columns"], matching, parts.get("ids").copied());
        match (found, parts.get("clipped"), parts.get("error")) {
            (Ok(found), Some(wanted), None) if in_one_line(&found) == in_one_line(wanted) => {}
            (Err(error), None, Some(wanted)) if error.to_string().contains(*wanted) => {}
            (Ok(found), ..) => wrong.push(format!("{rule}: {}", in_one_line(&found))),
            (Err(error), ..) => wrong.push(format!("{rule}: {error}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 45, "{count} rules");
}
