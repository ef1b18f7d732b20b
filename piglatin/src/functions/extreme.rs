//! MIN, MAX and TOP.

use std::cmp::Ordering;

use crate::functions::aggregate::{first_fields, numeric_bags};
use crate::functions::builtin::{Builtin, Definition, Fault, Make};
use crate::functions::signature::{Overload, Parameter};
use crate::logical::Aggregated;
use crate::types::PigType;
use crate::value::{Value, compare};

pub(super) fn functions() -> Vec<Definition> {
    vec![
        Definition::plain("MIN", || extreme("MIN", Ordering::Less).aggregates(Aggregated::Min)),
        Definition::plain("MAX", || extreme("MAX", Ordering::Greater).aggregates(Aggregated::Max)),
        Definition { name: "TOP", make: Make::Constructed(top) },
    ]
}

/// `MIN`, `MAX`: keep the type; bytes count as double. NaN wins, as in `Math.min` and `Math.max`.
fn extreme(name: &'static str, wanted: Ordering) -> Builtin {
    let same = [
        PigType::Int,
        PigType::Long,
        PigType::Float,
        PigType::Double,
        PigType::BigInteger,
        PigType::BigDecimal,
        PigType::Chararray,
        PigType::Datetime,
    ]
    .map(|ty| (ty.clone(), ty));
    Builtin::strict(name, numeric_bags(&same), move |arguments| match arguments {
        [Value::Bag(bag)] => {
            let better = |best: &Value, value: &Value| {
                !is_nan(best) && (is_nan(value) || compare(value, best) == wanted)
            };
            let best = first_fields(bag).reduce(|best, value| if better(best, value) { value } else { best });
            Ok(best.cloned().unwrap_or(Value::Null))
        }
        _ => Err(Fault::Arguments),
    })
}

fn is_nan(value: &Value) -> bool {
    match value {
        Value::Float(x) => x.is_nan(),
        Value::Double(x) => x.is_nan(),
        _ => false,
    }
}

/// `TOP(n, column, bag)`: the n tuples with the largest values there; made with `'ASC'`, with the smallest.
fn top(constructor: &[String]) -> Result<Builtin, String> {
    let ascending = match constructor {
        [] => false,
        [order] if order.eq_ignore_ascii_case("DESC") => false,
        [order] if order.eq_ignore_ascii_case("ASC") => true,
        _ => return Err("its constructor takes 'ASC' or 'DESC'".to_owned()),
    };
    let parameters = vec![Parameter::Is(PigType::Int), Parameter::Is(PigType::Int), Parameter::Bag];
    let overloads = vec![Overload::with(parameters, |arguments| arguments[2].clone())];
    Ok(Builtin::strict("TOP", overloads, move |arguments| {
        let [Value::Int(n), Value::Int(column), Value::Bag(bag)] = arguments else {
            return Err(Fault::Arguments);
        };
        let n = usize::try_from(*n).map_err(|_| Fault::Value(format!("{n} is no number of tuples")))?;
        let column =
            usize::try_from(*column).map_err(|_| Fault::Value(format!("there is no field {column}")))?;
        let key = |item: &'_ Value| match item {
            Value::Tuple(fields) => fields.get(column).cloned().ok_or(column),
            _ => Ok(Value::Null),
        };
        let mut keyed = Vec::with_capacity(bag.len());
        for (place, item) in bag.iter().enumerate() {
            let key = key(item).map_err(|column| Fault::Value(format!("a tuple has no field ${column}")))?;
            keyed.push((key, place));
        }
        // Equal keys: the first of the bag stay.
        keyed.sort_by(|(left, i), (right, j)| {
            let order = compare(left, right);
            if ascending { order.then(i.cmp(j)) } else { order.reverse().then(i.cmp(j)) }
        });
        keyed.truncate(n);
        Ok(Value::Bag(keyed.into_iter().filter_map(|(_, place)| bag.get(place).cloned()).collect()))
    }))
}
