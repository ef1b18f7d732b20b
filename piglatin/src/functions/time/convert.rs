//! ToDate, ToString, CurrentTime, ToUnixTime, ToMilliSeconds.

use crate::functions::builtin::{Builtin, Definition, Fault, takes};
use crate::functions::signature::Signature;
use crate::functions::time::format::format;
use crate::functions::time::local::Local;
use crate::functions::time::parse::parse;
use crate::functions::time::pattern::{FirstPattern, Item, parse_pattern};
use crate::functions::time::zone::Zone;
use crate::types::PigType::{self, Chararray, Long};
use crate::value::{CallContext, Datetime, Value, cast, to_text};

pub(super) fn functions() -> Vec<Definition> {
    vec![
        Definition::plain("ToDate", to_date),
        Definition::plain("ToString", to_string),
        Definition::plain("CurrentTime", current_time),
        // Toward zero, as Java divides.
        Definition::plain("ToUnixTime", || millis("ToUnixTime", |millis| millis / 1000)),
        Definition::plain("ToMilliSeconds", || millis("ToMilliSeconds", |millis| millis)),
    ]
}

/// `ToDate(millis)`, `ToDate(iso)`, `ToDate(text, pattern [, zone])`. An ISO text keeps its zone; by a pattern the
/// datetime is in the zone given, else in UTC, whatever zone the text names. The offset of a zone is that of the day, where
/// Pig takes today's.
fn to_date() -> Builtin {
    let signature = Signature::Overloads(vec![
        takes([Long], PigType::Datetime),
        takes([Chararray], PigType::Datetime),
        takes([Chararray, Chararray], PigType::Datetime),
        takes([Chararray, Chararray, Chararray], PigType::Datetime),
    ]);
    let patterns = FirstPattern::default();
    Builtin::with_context("ToDate", signature, move |arguments, context| match arguments {
        [Value::Long(millis)] => Ok(Value::Datetime(Datetime { millis: *millis, offset_minutes: 0 })),
        [text @ Value::Chararray(_)] => Ok(cast(text, &PigType::Datetime, context)),
        [Value::Chararray(text), Value::Chararray(pattern)] => {
            by_pattern(text, &patterns.get(pattern).map_err(Fault::Value)?, Zone::UTC, context)
        }
        [Value::Chararray(text), Value::Chararray(pattern), Value::Chararray(zone)] => {
            let zone = Zone::by_id(zone).ok_or_else(|| Fault::Value(format!("there is no zone '{zone}'")))?;
            by_pattern(text, &patterns.get(pattern).map_err(Fault::Value)?, zone, context)
        }
        _ => Err(Fault::Arguments),
    })
    .null_in_null_out()
    .checked(|constants| {
        check_pattern(constants)?;
        match constants.get(2) {
            Some(Some(Value::Chararray(zone))) if Zone::by_id(zone).is_none() => {
                Err(format!("there is no zone '{zone}'"))
            }
            _ => Ok(()),
        }
    })
}

/// The pattern is the second argument of ToDate and of ToString.
fn check_pattern(constants: &[Option<Value>]) -> Result<(), String> {
    match constants.get(1) {
        Some(Some(Value::Chararray(pattern))) => parse_pattern(pattern).map(drop),
        _ => Ok(()),
    }
}

fn by_pattern(
    text: &str,
    pattern: &[Item],
    given: Zone,
    context: &mut dyn CallContext,
) -> Result<Value, Fault> {
    // Joda-Time's pivot is thirty years ago.
    let this_year = Local::of_millis(context.started_millis()).date().0;
    let (local, said) = parse(pattern, text, this_year - 30).map_err(Fault::Value)?;
    let datetime = said.unwrap_or(given).offset(local).and_then(|offset| local.at(offset));
    let datetime = datetime.and_then(|Datetime { millis, .. }| {
        Some(Datetime { millis, offset_minutes: given.offset_at_instant(millis)? })
    });
    datetime.map(Value::Datetime).ok_or_else(|| Fault::Value(format!("the zone has no time '{text}'")))
}

/// `ToString(datetime [, pattern])`: ISO 8601 without a pattern.
fn to_string() -> Builtin {
    let overloads =
        vec![takes([PigType::Datetime], Chararray), takes([PigType::Datetime, Chararray], Chararray)];
    let patterns = FirstPattern::default();
    Builtin::strict("ToString", overloads, move |arguments| match arguments {
        [datetime @ Value::Datetime(_)] => Ok(Value::Chararray(to_text(datetime))),
        [Value::Datetime(datetime), Value::Chararray(pattern)] => {
            let items = patterns.get(pattern).map_err(Fault::Value)?;
            Ok(Value::Chararray(format(&items, *datetime)))
        }
        _ => Err(Fault::Arguments),
    })
    .checked(check_pattern)
}

/// `CurrentTime`: when the script began, the same in all its rows.
fn current_time() -> Builtin {
    let signature = Signature::Overloads(vec![takes([], PigType::Datetime)]);
    Builtin::with_context("CurrentTime", signature, |_, context| {
        Ok(Value::Datetime(Datetime { millis: context.started_millis(), offset_minutes: 0 }))
    })
}

/// A long of the milliseconds since 1970.
fn millis(name: &'static str, compute: fn(i64) -> i64) -> Builtin {
    Builtin::strict(name, vec![takes([PigType::Datetime], Long)], move |arguments| match arguments {
        [Value::Datetime(datetime)] => Ok(Value::Long(compute(datetime.millis))),
        _ => Err(Fault::Arguments),
    })
}
