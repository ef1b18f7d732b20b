//! Labels against a tree of tokens, and hostile labels.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use ostracon_data::{Authorizations, ColumnVisibility};
use proptest::prelude::*;

/// A label as a tree, the model of the evaluation.
#[derive(Clone, Debug)]
enum Tree {
    Token(String),
    All(Vec<Tree>),
    Any(Vec<Tree>),
}

impl Tree {
    fn write(&self) -> String {
        let join = |parts: &[Tree], operator: &str| {
            let parts: Vec<String> = parts
                .iter()
                .map(|part| match part {
                    Tree::Token(_) => part.write(),
                    _ => format!("({})", part.write()),
                })
                .collect();
            parts.join(operator)
        };
        match self {
            Self::Token(token) => ColumnVisibility::quote(token).unwrap(),
            Self::All(parts) => join(parts, "&"),
            Self::Any(parts) => join(parts, "|"),
        }
    }

    fn holds(&self, granted: &Authorizations) -> bool {
        match self {
            Self::Token(token) => granted.contains(token.as_bytes()),
            Self::All(parts) => parts.iter().all(|part| part.holds(granted)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(granted)),
        }
    }
}

const TOKENS: [&str; 5] = ["a", "b.c:/-_9", "é", "say \"hi\"\\", "\u{0}\n"];

fn tree() -> impl Strategy<Value = Tree> {
    let leaf = prop::sample::select(TOKENS.to_vec()).prop_map(|token| Tree::Token(token.to_owned()));
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(Tree::All),
            prop::collection::vec(inner, 1..4).prop_map(Tree::Any),
        ]
    })
}

proptest! {
    #[test]
    fn evaluation_agrees_with_the_tree(tree in tree(), held in prop::collection::vec(any::<bool>(), 5)) {
        let granted: Authorizations =
            TOKENS.iter().zip(held).filter(|(_, held)| *held).map(|(token, _)| *token).collect();
        let label = tree.write();
        let parsed = ColumnVisibility::parse(label.as_bytes()).unwrap();
        prop_assert_eq!(parsed.evaluate(&granted), tree.holds(&granted), "{}", label);
    }

    #[test]
    fn hostile_bytes_never_panic(label in prop::collection::vec(
        prop::sample::select(b"ab()&|\"\\ \xc3\xa9\xff\x00".to_vec()), 0..16
    )) {
        match ColumnVisibility::parse(&label) {
            Ok(parsed) => { parsed.evaluate(&Authorizations::new(["a"])); }
            Err(error) => prop_assert!(error.position <= label.len()),
        }
    }
}
