use std::fmt;
use std::sync::Arc;

use crate::functions::signature::{Overload, Parameter, Signature};
use crate::logical::Aggregated;
use crate::types::{Field, PigType};
use crate::value::{CallContext, EvalFunc, FunctionError, Resolved, Value, Warning, WarningKind, to_text};

/// Why a built-in gives no value.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The arguments are not what an overload says.
    Arguments,
    /// It can do nothing with a value: null and a warning.
    Value(String),
    /// What must end the run.
    Run(String),
}

/// What a built-in computes.
pub(crate) type Body = Box<dyn Fn(&[Value], &mut dyn CallContext) -> Result<Value, Fault> + Send + Sync>;

/// Looks at the arguments that are known before the run.
pub(crate) type Check = fn(&[Option<Value>]) -> Result<(), String>;

/// Another built-in for arguments of some types.
type Bind = fn(&[Field]) -> Option<Builtin>;

/// A function of this crate.
pub(crate) struct Builtin {
    name: &'static str,
    signature: Signature,
    body: Body,
    null_in_null_out: bool,
    deterministic: bool,
    algebraic: Option<Aggregated>,
    check: Option<Check>,
    bind: Option<Bind>,
}

impl Builtin {
    /// A function that gives null when an argument is null; its body sees no null.
    pub(crate) fn strict(
        name: &'static str,
        overloads: Vec<Overload>,
        body: impl Fn(&[Value]) -> Result<Value, Fault> + Send + Sync + 'static,
    ) -> Self {
        let body = move |arguments: &[Value], _: &mut dyn CallContext| body(arguments);
        Self { null_in_null_out: true, ..Self::with_context(name, Signature::Overloads(overloads), body) }
    }

    /// A function whose body sees nulls too.
    pub(crate) fn lenient(
        name: &'static str,
        signature: Signature,
        body: impl Fn(&[Value]) -> Result<Value, Fault> + Send + Sync + 'static,
    ) -> Self {
        Self::with_context(name, signature, move |arguments, _| body(arguments))
    }

    /// A function whose body sees nulls and the context of the call.
    pub(crate) fn with_context(
        name: &'static str,
        signature: Signature,
        body: impl Fn(&[Value], &mut dyn CallContext) -> Result<Value, Fault> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name,
            signature,
            body: Box::new(body),
            null_in_null_out: false,
            deterministic: true,
            algebraic: None,
            check: None,
            bind: None,
        }
    }

    /// Null if an argument is null.
    pub(crate) fn null_in_null_out(mut self) -> Self {
        self.null_in_null_out = true;
        self
    }

    /// Its results differ from call to call.
    pub(crate) fn volatile(mut self) -> Self {
        self.deterministic = false;
        self
    }

    /// Refuses constant arguments before the run.
    pub(crate) fn checked(mut self, check: Check) -> Self {
        self.check = Some(check);
        self
    }

    /// Another function takes its place for some arguments.
    pub(crate) fn bound_by(mut self, bind: Bind) -> Self {
        self.bind = Some(bind);
        self
    }

    /// It is one of the aggregates that need no bag.
    pub(crate) fn aggregates(mut self, aggregated: Aggregated) -> Self {
        self.algebraic = Some(aggregated);
        self
    }
}

impl fmt::Debug for Builtin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builtin").field("name", &self.name).finish_non_exhaustive()
    }
}

impl EvalFunc for Builtin {
    fn name(&self) -> &str {
        self.name
    }

    fn resolve(&self, arguments: &[PigType]) -> Result<Resolved, String> {
        self.signature.resolve(arguments)
    }

    fn bind(&self, arguments: &[Field]) -> Result<Option<Arc<dyn EvalFunc>>, String> {
        let bound = self.bind.and_then(|bind| bind(arguments));
        Ok(bound.map(|function| Arc::new(function) as Arc<dyn EvalFunc>))
    }

    fn exec(&self, arguments: &[Value], context: &mut dyn CallContext) -> Result<Value, FunctionError> {
        if self.null_in_null_out && arguments.iter().any(|argument| matches!(argument, Value::Null)) {
            return Ok(Value::Null);
        }
        let sample = match (self.body)(arguments, context) {
            Ok(value) => return Ok(value),
            Err(Fault::Run(reason)) => return Err(FunctionError(format!("{}: {reason}", self.name))),
            Err(Fault::Value(reason)) => format!("{}: {reason}", self.name),
            Err(Fault::Arguments) => {
                let texts: Vec<String> = arguments.iter().map(to_text).collect();
                format!("{} can do nothing with ({})", self.name, texts.join(", "))
            }
        };
        context.warn(Warning { kind: WarningKind::Function, sample });
        Ok(Value::Null)
    }

    fn check_constants(&self, constants: &[Option<Value>]) -> Result<(), String> {
        self.check.map_or(Ok(()), |check| check(constants))
    }

    fn deterministic(&self) -> bool {
        self.deterministic
    }

    fn algebraic(&self) -> Option<Aggregated> {
        self.algebraic
    }
}

/// A function, or why its constructor refuses.
pub(crate) type Made = Result<Arc<dyn EvalFunc>, String>;

/// How a built-in comes to be.
pub(crate) enum Make {
    /// Its constructor takes nothing.
    Plain(fn() -> Builtin),
    /// Its constructor takes these texts.
    Constructed(fn(&[String]) -> Result<Builtin, String>),
    /// The same for a function of its own type.
    Other(fn(&[String]) -> Made),
}

/// A built-in under its Pig name.
pub(crate) struct Definition {
    /// Pig's name, case-sensitive.
    pub(crate) name: &'static str,
    /// Its constructor.
    pub(crate) make: Make,
}

impl Definition {
    /// Without constructor arguments.
    pub(crate) fn plain(name: &'static str, make: fn() -> Builtin) -> Self {
        Self { name, make: Make::Plain(make) }
    }
}

/// An overload of these types.
pub(crate) fn takes<const N: usize>(types: [PigType; N], result: PigType) -> Overload {
    Overload::new(types.into_iter().map(Parameter::Is).collect(), result)
}
