//! Hygiene: what a macro names inside is renamed at each call, so that it never meets a name of the script.
//!
//! A name of the body that is not from an argument is a relation's where the grammar has a relation. In expressions it
//! may be a field as well. There it is taken for the relation where the relation can be seen: as a bag behind GROUP, as
//! the prefix of `::`, and before a dot as a scalar.

mod edit;
mod scope;
mod walk;

pub(super) use edit::{Edit, apply};

use crate::ast::Name;
use crate::parse::Item;
use crate::source::Span;
use scope::Scope;

/// What the body of a macro names.
#[derive(Debug, Default)]
pub(super) struct LocalNames {
    /// Where names are to be changed, with the names; in order of their places.
    pub(super) edits: Vec<Edit>,
    /// Relations that are used and neither made nor passed.
    pub(super) unknown: Vec<Name>,
    /// Names from arguments that the body makes.
    pub(super) returned: Vec<String>,
}

/// Finds the names of a body. `is_argument` tells whether what begins at a place was put in by the call.
pub(super) fn local_names(items: &[Item], is_argument: &dyn Fn(Span) -> bool) -> LocalNames {
    let mut scope = Scope::new(is_argument);
    for item in items {
        scope.item(item);
    }
    let mut names = scope.names;
    names.edits.sort_by_key(|edit| (edit.start, edit.end));
    names.edits.dedup_by_key(|edit| edit.start);
    names
}
