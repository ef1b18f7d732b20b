use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{Bad, from_bytes, parse_bigdecimal, parse_biginteger, parse_boolean, parse_datetime};
use super::{parse_double, parse_float, parse_int, parse_long};
use crate::types::{Field, PigType, Schema};
use crate::value::testing::{Recorder, decimal, text};
use crate::value::text::{java_decimal, to_text};
use crate::value::{Datetime, Value, WarningKind};

fn schema(types: Vec<PigType>) -> Schema {
    Schema::new(types.into_iter().map(Field::unnamed).collect())
}

fn tuple(types: Vec<PigType>) -> PigType {
    PigType::Tuple(Some(schema(types)))
}

fn bag(types: Vec<PigType>) -> PigType {
    PigType::bag(schema(types))
}

/// The value of a text, and how many warnings it made.
fn read(bytes: &str, to: &PigType) -> (Value, usize) {
    let mut context = Recorder::default();
    let value = from_bytes(bytes.as_bytes(), to, &mut context);
    assert_eq!(context.count(WarningKind::Conversion), context.warnings.len());
    (value, context.warnings.len())
}

fn bytes(text: &str) -> Value {
    Value::Bytearray(text.as_bytes().to_vec())
}

#[test]
fn ints_are_trimmed_cut_and_checked() {
    for (text, value) in [
        ("3", Ok(Some(3))),
        ("+3", Ok(Some(3))),
        (" 4 ", Ok(Some(4))),
        ("\t-0012\r", Ok(Some(-12))),
        ("3.7", Ok(Some(3))),
        ("-3.7", Ok(Some(-3))),
        ("3.", Ok(Some(3))),
        (".9", Ok(Some(0))),
        ("1e3", Ok(Some(1000))),
        ("2147483647.9", Ok(Some(i32::MAX))),
        ("2147483648", Err(Bad)),
        ("-2147483648", Ok(Some(i32::MIN))),
        ("-2147483649", Err(Bad)),
        ("99999999999", Err(Bad)),
        ("99999999999999999999999", Err(Bad)),
        ("7d", Ok(Some(7))),
        ("7L", Err(Bad)),
        ("", Ok(None)),
        ("   ", Ok(None)),
        ("abc", Err(Bad)),
        ("NaN", Err(Bad)),
        ("Infinity", Err(Bad)),
        ("-", Err(Bad)),
        ("1 2", Err(Bad)),
        ("0x10", Err(Bad)),
    ] {
        assert_eq!(parse_int(text.as_bytes()), value, "{text:?}");
    }
}

#[test]
fn longs_may_end_in_l() {
    for (text, value) in [
        ("9223372036854775807", Ok(Some(i64::MAX))),
        ("-9223372036854775808", Ok(Some(i64::MIN))),
        ("9223372036854775808", Err(Bad)),
        ("12L", Ok(Some(12))),
        ("12l", Ok(Some(12))),
        ("L", Err(Bad)),
        ("-3.9", Ok(Some(-3))),
        ("1e20", Err(Bad)),
        ("1e18", Ok(Some(1_000_000_000_000_000_000))),
        ("", Ok(None)),
        ("x", Err(Bad)),
    ] {
        assert_eq!(parse_long(text.as_bytes()), value, "{text:?}");
    }
}

#[test]
fn doubles_are_what_java_reads() {
    for (text, value) in [
        ("1.5", Ok(Some(1.5))),
        (" -2e-3 ", Ok(Some(-0.002))),
        ("3f", Ok(Some(3.0))),
        ("3.0D", Ok(Some(3.0))),
        ("1e400", Ok(Some(f64::INFINITY))),
        ("-Infinity", Ok(Some(f64::NEG_INFINITY))),
        ("inf", Err(Bad)),
        ("nan", Err(Bad)),
        ("infinity", Err(Bad)),
        ("1e", Err(Bad)),
        (".", Err(Bad)),
        ("e5", Err(Bad)),
        ("f", Err(Bad)),
        ("1ff", Err(Bad)),
        ("1,5", Err(Bad)),
        ("", Ok(None)),
    ] {
        assert_eq!(parse_double(text.as_bytes()), value, "{text:?}");
    }
    assert!(parse_double(b"NaN").unwrap().unwrap().is_nan());
    assert_eq!(parse_float(b"0.1F"), Ok(Some(0.1)));
    assert_eq!(parse_float(b"1e39"), Ok(Some(f32::INFINITY)));
    assert_eq!(parse_float(b"junk"), Err(Bad));
    assert_eq!(parse_float(b" "), Ok(None));
}

#[test]
fn booleans_are_two_words() {
    assert_eq!(parse_boolean(b"TRUE"), Ok(Some(true)));
    assert_eq!(parse_boolean(b" False "), Ok(Some(false)));
    assert_eq!(parse_boolean(b"1"), Err(Bad));
    assert_eq!(parse_boolean(b""), Ok(None));
}

#[test]
fn big_numbers_keep_every_digit() {
    assert_eq!(parse_biginteger(b" -123456789012345678901234567890 ").unwrap().unwrap().to_string(), {
        "-123456789012345678901234567890"
    });
    for text in ["3.9", "1_000", "-", "+-3", "x"] {
        assert_eq!(parse_biginteger(text.as_bytes()), Err(Bad), "{text}");
    }
    for (text, printed) in [
        ("1.50", "1.50"),
        ("-.5", "-0.5"),
        ("5.", "5"),
        ("1e3", "1E+3"),
        ("12.5E-3", "0.0125"),
        ("+0.1000000000000000000001", "0.1000000000000000000001"),
        ("0.00", "0.00"),
    ] {
        assert_eq!(java_decimal(&parse_bigdecimal(text.as_bytes()).unwrap().unwrap()), printed, "{text}");
    }
    for text in [".", "1e", "1.2.3", "1f", "1e99999999999", "1e-2147483648", "NaN", "1_0"] {
        assert_eq!(parse_bigdecimal(text.as_bytes()), Err(Bad), "{text}");
    }
    assert_eq!(parse_bigdecimal(b""), Ok(None));
}

#[test]
fn datetimes_are_iso_8601() {
    for (text, printed) in [
        ("2020-01-02T03:04:05.006Z", "2020-01-02T03:04:05.006Z"),
        ("2020-01-02T03:04:05.006+02:00", "2020-01-02T03:04:05.006+02:00"),
        ("2020-01-02T03:04:05-0530", "2020-01-02T03:04:05.000-05:30"),
        ("2020-01-02T03+02", "2020-01-02T03:00:00.000+02:00"),
        ("2020-01-02T03:04", "2020-01-02T03:04:00.000Z"),
        ("2020-01-02T", "2020-01-02T00:00:00.000Z"),
        ("2020-01-02", "2020-01-02T00:00:00.000Z"),
        ("2020-1-2", "2020-01-02T00:00:00.000Z"),
        ("2020-02", "2020-02-01T00:00:00.000Z"),
        ("2020", "2020-01-01T00:00:00.000Z"),
        ("2020-060", "2020-02-29T00:00:00.000Z"),
        ("2020-W01-4", "2020-01-02T00:00:00.000Z"),
        ("2021-W53", ""),
        ("2020-W53-5", "2021-01-01T00:00:00.000Z"),
        ("2020-01-02T03:04:05.1234567", "2020-01-02T03:04:05.123Z"),
        ("2020-01-02T03,5", "2020-01-02T03:30:00.000Z"),
        (" 2020-01-02 ", "2020-01-02T00:00:00.000Z"),
        ("-0001-12-31", "-0001-12-31T00:00:00.000Z"),
        ("2020-02-30", ""),
        ("2021-366", ""),
        ("2020-13-01", ""),
        ("2020-01-02T24:00", ""),
        ("2020-01-02T03:60", ""),
        ("2020-01-02 03:04", ""),
        ("2020-01-02T03:04:05+25:00", ""),
        ("2020-01-02X", ""),
        ("99999999999-01-01", ""),
        ("yesterday", ""),
    ] {
        let value = parse_datetime(text.as_bytes());
        let found = value.map(|value| to_text(&Value::Datetime(value.unwrap()))).unwrap_or_default();
        assert_eq!(found, printed, "{text}");
    }
    assert_eq!(parse_datetime(b"  "), Ok(None));
    assert_eq!(
        parse_datetime(b"1970-01-01T01:00:00+01:00"),
        Ok(Some(Datetime { millis: 0, offset_minutes: 60 }))
    );
}

#[test]
fn scalars_that_are_bad_are_null_with_a_warning() {
    assert_eq!(read("one", &PigType::Int), (Value::Null, 1));
    assert_eq!(read("", &PigType::Int), (Value::Null, 0));
    assert_eq!(read("", &PigType::Chararray), (text(""), 0));
    assert_eq!(read(" a ", &PigType::Chararray), (text(" a "), 0));
    assert_eq!(read(" a ", &PigType::RAW), (bytes(" a "), 0));
    let mut context = Recorder::default();
    from_bytes(b"one", &PigType::Int, &mut context);
    assert_eq!(context.warnings[0].sample, "'one' is not an int");
    from_bytes("é".repeat(200).as_bytes(), &PigType::Boolean, &mut context);
    assert!(context.warnings[1].sample.len() < 250);
}

#[test]
fn a_bad_scalar_inside_is_null_alone() {
    let ty = bag(vec![PigType::Map(Box::new(PigType::Int)), PigType::Double]);
    let (value, warnings) = read("{([foo#badint],baddouble)}", &ty);
    assert_eq!((to_text(&value).as_str(), warnings), ("{([foo#],)}", 2));
    let (value, warnings) = read("{([foo#12],2.5)}", &ty);
    assert_eq!((to_text(&value).as_str(), warnings), ("{([foo#12],2.5)}", 0));
}

#[test]
fn a_malformed_structure_is_null_with_one_warning() {
    let pair = tuple(vec![PigType::Int, PigType::Int]);
    for text in ["not a tuple", "{(3)}", "(1,2", "1,2)", "(1)", "(1,2)x", "(x)", "()"] {
        assert_eq!(read(text, &pair), (Value::Null, 1), "{text}");
    }
    let ints = bag(vec![PigType::Int]);
    for text in ["(1)", "{1}", "{(1)", "{(1)(2)}", "{(x),(1}", "{(1),x}", "{(1)}}"] {
        assert_eq!(read(text, &ints), (Value::Null, 1), "{text}");
    }
    for text in ["[a]", "junk", "[a#1", "[#1]", "[a#1,b]", "[a#(1]", "[a#1]]"] {
        assert_eq!(read(text, &PigType::untyped_map()), (Value::Null, 1), "{text}");
    }
    assert_eq!(read("  ", &ints), (Value::Null, 0));
}

#[test]
fn structures_nest_and_may_stand_in_blanks() {
    let ty = tuple(vec![PigType::Int, bag(vec![PigType::Chararray]), PigType::Map(Box::new(PigType::Long))]);
    for (text, printed) in [
        ("(1,{(a),(b)},[k#2])", "(1,{(a),(b)},[k#2])"),
        (" (1, {(a) , (b)} , [k#2] ) ", "(1,{(a),(b)},[k#2])"),
        ("(,,)", "(,,)"),
        ("(1,{},[])", "(1,{},[])"),
    ] {
        let (value, warnings) = read(text, &ty);
        assert_eq!((to_text(&value).as_str(), warnings), (printed, 0), "{text}");
    }
    let Value::Tuple(fields) = read("(,,)", &ty).0 else { panic!("no tuple") };
    assert!(fields.iter().all(|field| matches!(field, Value::Null)));
}

#[test]
fn one_field_may_be_empty_and_the_last_one_has_the_commas() {
    assert_eq!(read("{(1),(),(3)}", &bag(vec![PigType::Int])), {
        let item = |value| Value::Tuple(vec![value]);
        (Value::Bag(vec![item(Value::Int(1)), item(Value::Null), item(Value::Int(3))]), 0)
    });
    let texts = tuple(vec![PigType::Chararray, PigType::Chararray]);
    assert_eq!(read("(a,b,c)", &texts).0, Value::Tuple(vec![text("a"), text("b,c")]));
    assert_eq!(read("(f(x,y),g(z))", &texts).0, Value::Tuple(vec![text("f(x,y)"), text("g(z)")]));
    assert_eq!(read("(:(,b)", &texts).0, Value::Tuple(vec![text(":("), text("b")]));
    assert_eq!(read("(1,2,3)", &tuple(vec![PigType::Int, PigType::Int])), {
        (Value::Tuple(vec![Value::Int(1), Value::Null]), 1)
    });
}

#[test]
fn fields_without_a_type_stay_bytes() {
    assert_eq!(read("(1,(2,3),[a#b])", &PigType::Tuple(None)), {
        (Value::Tuple(vec![bytes("1"), bytes("(2,3)"), bytes("[a#b]")]), 0)
    });
    assert_eq!(read("{(1,2),(3)}", &PigType::Bag { tuple_name: None, fields: None }).0, {
        Value::Bag(vec![Value::Tuple(vec![bytes("1"), bytes("2")]), Value::Tuple(vec![bytes("3")])])
    });
    let map = read("[k#v,n#,t#(1,2)]", &PigType::untyped_map());
    assert_eq!(map, {
        let entries = [("k", bytes("v")), ("n", Value::Null), ("t", bytes("(1,2)"))];
        (Value::Map(BTreeMap::from(entries.map(|(key, value)| (key.to_owned(), value)))), 0)
    });
    assert_eq!(read("((1,2),3.5)", &tuple(vec![PigType::RAW, PigType::BigDecimal])).0, {
        Value::Tuple(vec![bytes("(1,2)"), decimal("3.5")])
    });
}

#[test]
fn a_bad_map_value_keeps_its_entry() {
    let ty = PigType::Map(Box::new(tuple(vec![PigType::Int])));
    let (value, warnings) = read("[a#(1),b#junk]", &ty);
    assert_eq!((to_text(&value).as_str(), warnings), ("[a#(1),b#]", 1));
}

proptest! {
    #[test]
    fn no_text_is_too_bad(input in "[(){}\\[\\],#a1 .-]{0,24}") {
        let ty = tuple(vec![PigType::Int, bag(vec![PigType::RAW, PigType::Chararray]), PigType::untyped_map()]);
        let (value, warnings) = read(&input, &ty);
        if matches!(value, Value::Null) && !input.trim().is_empty() {
            prop_assert_eq!(warnings, 1);
        }
        for ty in [PigType::Tuple(None), PigType::untyped_map(), bag(vec![PigType::Int]), PigType::Datetime] {
            read(&input, &ty);
        }
    }

    #[test]
    fn what_is_printed_is_read(items in proptest::collection::vec(("[a-z ]{1,4}", any::<i64>(), any::<f64>()), 0..5)) {
        prop_assume!(items.iter().all(|item| !item.2.is_nan()));
        let value = Value::Bag(
            items.into_iter().map(|(s, l, d)| Value::Tuple(vec![Value::Chararray(s), Value::Long(l), Value::Double(d)])).collect(),
        );
        let ty = bag(vec![PigType::Chararray, PigType::Long, PigType::Double]);
        prop_assert_eq!(read(&to_text(&value), &ty), (value, 0));
    }

    #[test]
    fn datetimes_round_trip(millis in -400_000_000_000_000i64..400_000_000_000_000, offset_minutes in -1000i16..1000) {
        let value = Datetime { millis, offset_minutes };
        prop_assert_eq!(parse_datetime(to_text(&Value::Datetime(value)).as_bytes()), Ok(Some(value)));
    }
}
