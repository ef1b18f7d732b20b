//! PluckTuple.

use std::sync::Arc;

use crate::functions::builtin::{Definition, Made, Make};
use crate::types::{Field, PigType, Schema};
use crate::value::matcher::Matcher;
use crate::value::{CallContext, EvalFunc, FunctionError, Resolved, Value};

pub(super) fn functions() -> Vec<Definition> {
    vec![Definition { name: "PluckTuple", make: Make::Other(pluck_tuple) }]
}

/// `PluckTuple('a::')`, `PluckTuple('a::', 'false')`: the arguments whose names begin with a text, or match it as a
/// pattern, as a tuple; with `'false'` the others.
#[derive(Debug)]
struct PluckTuple {
    prefix: Arc<Matcher>,
    matching: bool,
}

/// The same for arguments whose names are known.
#[derive(Debug)]
struct Plucked {
    places: Vec<usize>,
    arguments: Vec<PigType>,
    result: Schema,
}

fn pluck_tuple(constructor: &[String]) -> Made {
    let (prefix, matching) = match constructor {
        [prefix] => (prefix, true),
        [prefix, matching] => (prefix, matching.eq_ignore_ascii_case("true")),
        _ => return Err("its constructor takes a prefix or pattern of names, and perhaps 'false'".to_owned()),
    };
    let prefix = Arc::new(Matcher::new(prefix).map_err(|problem| problem.to_string())?);
    Ok(Arc::new(PluckTuple { prefix, matching }))
}

impl EvalFunc for PluckTuple {
    fn name(&self) -> &'static str {
        "PluckTuple"
    }

    fn bind(&self, arguments: &[Field]) -> Result<Option<Arc<dyn EvalFunc>>, String> {
        let named = |name: &str| name.starts_with(self.prefix.pattern()) || self.prefix.matches(name);
        let places: Vec<usize> = arguments
            .iter()
            .enumerate()
            .filter(|(_, field)| field.name.as_deref().is_some_and(named) == self.matching)
            .map(|(place, _)| place)
            .collect();
        let result = Schema::new(places.iter().filter_map(|place| arguments.get(*place)).cloned().collect());
        let arguments = arguments.iter().map(|field| field.ty.clone()).collect();
        Ok(Some(Arc::new(Plucked { places, arguments, result })))
    }

    fn resolve(&self, _: &[PigType]) -> Result<Resolved, String> {
        Err("the names of its arguments are not known; there is: (any ...)".to_owned())
    }

    fn exec(&self, _: &[Value], _: &mut dyn CallContext) -> Result<Value, FunctionError> {
        Err(FunctionError("PluckTuple: the names of its arguments are not known".to_owned()))
    }
}

impl EvalFunc for Plucked {
    fn name(&self) -> &'static str {
        "PluckTuple"
    }

    fn resolve(&self, arguments: &[PigType]) -> Result<Resolved, String> {
        if arguments != self.arguments {
            return Err("it was made for other arguments; there is: (any ...)".to_owned());
        }
        let result = PigType::Tuple(Some(self.result.clone()));
        Ok(Resolved { arguments: arguments.to_vec(), result })
    }

    fn exec(&self, arguments: &[Value], _: &mut dyn CallContext) -> Result<Value, FunctionError> {
        let field = |place: &usize| arguments.get(*place).cloned().unwrap_or(Value::Null);
        Ok(Value::Tuple(self.places.iter().map(field).collect()))
    }
}
