//! Functions that are made for one place of one plan.

use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use datafusion::prelude::Expr;

/// What such a function does.
pub(crate) trait Body: Debug + Send + Sync + 'static {
    /// Its name in plans.
    fn name(&self) -> &str;
    /// The type of its results.
    fn return_type(&self, arguments: &[DataType]) -> Result<DataType>;
    /// Its results for so many rows.
    fn invoke(&self, arguments: &[ArrayRef], rows: usize) -> Result<ArrayRef>;
}

/// A call of a function with this body.
///
/// What can warn or fail is volatile: it runs once for each row, where it was put.
pub(crate) fn call(body: impl Body, volatility: Volatility, arguments: Vec<Expr>) -> Expr {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    // Nothing is to be coerced: the arguments are those that the function was made for.
    let signature = match arguments.len() {
        0 => Signature::nullary(volatility),
        count => Signature::any(count, volatility),
    };
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    ScalarUDF::new_from_impl(Function { id, body, signature }).call(arguments)
}

/// Two functions are equal only if they are one.
#[derive(Debug)]
struct Function<B> {
    id: u64,
    body: B,
    signature: Signature,
}

impl<B> PartialEq for Function<B> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}
impl<B> Eq for Function<B> {}
impl<B> Hash for Function<B> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

impl<B: Body> ScalarUDFImpl for Function<B> {
    fn name(&self) -> &str {
        self.body.name()
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        self.body.return_type(arguments)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arrays =
            args.args.iter().map(|arg| arg.to_array(args.number_rows)).collect::<Result<Vec<_>>>()?;
        self.body.invoke(&arrays, args.number_rows).map(ColumnarValue::Array)
    }
}
