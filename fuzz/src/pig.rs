use ostracon_piglatin::parse_script;
use ostracon_piglatin::types::{Field, PigType, Schema};
use ostracon_piglatin::value::encode::{decode, encode, map_value, tag, tag_of, tuple_field, tuple_fields};
use ostracon_piglatin::value::matcher::Matcher;
use ostracon_piglatin::value::{CallContext, Value, Warning, cast, from_bytes, to_text};

/// Counts nothing: warnings are expected.
struct Silent;

impl CallContext for Silent {
    fn started_millis(&self) -> i64 {
        0
    }

    fn random(&mut self) -> f64 {
        0.5
    }

    fn unique(&mut self) -> u64 {
        0
    }

    fn warn(&mut self, _: Warning) {}
}

/// Bytes as an encoded value, as text of every type, and as a pattern.
pub fn pig_value(bytes: &[u8]) {
    encoded(bytes);
    let mut context = Silent;
    for ty in types() {
        let value = from_bytes(bytes, &ty, &mut context);
        encoded(&to_bytes(&value));
        for other in types() {
            cast(&value, &other, &mut context);
        }
    }
    let text = String::from_utf8_lossy(bytes);
    let (pattern, value) =
        text.split_at(text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at));
    if pattern.len() < 200
        && let Ok(matcher) = Matcher::new(pattern)
    {
        let _ = matcher.matches_bytes(bytes);
        let mut matches = 0;
        matcher.each_match(value, |_| matches += 1);
        assert!(matches <= 2 * value.len() + 1, "more matches than places");
    }
}

/// What decodes encodes to bytes that decode to the same value, and its parts are found in them.
fn encoded(bytes: &[u8]) {
    let _ = tuple_fields(bytes);
    let _ = map_value(bytes, "k");
    let Ok(value) = decode(bytes) else { return };
    let again = to_bytes(&value);
    let back = decode(&again).expect("an encoded value decodes");
    assert_eq!(back, value);
    assert_eq!(to_text(&back).is_empty(), to_text(&value).is_empty());
    match &back {
        Value::Tuple(fields) => {
            assert_eq!(tag_of(&again), Some(tag::TUPLE));
            for (index, field) in fields.iter().enumerate() {
                let found =
                    tuple_field(&again, index).expect("a tuple has fields").expect("as many as it says");
                assert_eq!(decode(found).as_ref(), Ok(field));
            }
        }
        Value::Map(entries) => {
            for (key, value) in entries {
                let found = map_value(&again, key).expect("a map has entries").expect("also this one");
                assert_eq!(decode(found).as_ref(), Ok(value));
            }
        }
        _ => {}
    }
}

fn to_bytes(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    encode(value, &mut out);
    out
}

fn types() -> Vec<PigType> {
    let fields = |types: Vec<PigType>| Schema::new(types.into_iter().map(Field::unnamed).collect());
    vec![
        PigType::Boolean,
        PigType::Int,
        PigType::Long,
        PigType::Float,
        PigType::Double,
        PigType::Datetime,
        PigType::RAW,
        PigType::Chararray,
        PigType::BigInteger,
        PigType::BigDecimal,
        PigType::Tuple(None),
        PigType::Tuple(Some(fields(vec![PigType::Chararray, PigType::RAW, PigType::Double]))),
        PigType::bag(fields(vec![PigType::Map(Box::new(PigType::Int)), PigType::Double])),
        PigType::Bag { tuple_name: None, fields: None },
        PigType::untyped_map(),
    ]
}

/// Any text parses or says why not, with places inside of what was read; what parses means the same after a dry run.
pub fn pig_parse(bytes: &[u8]) {
    let parsed = parse_script("f.pig", &String::from_utf8_lossy(bytes));
    for found in &parsed.diagnostics {
        assert!(found.span.end as usize <= parsed.sources.text(found.span.source).len());
        assert!(parsed.sources.render(found).contains("f.pig:"));
    }
    if parsed.diagnostics.is_empty() {
        let again = parse_script("g.pig", &parsed.dryrun());
        assert!(again.diagnostics.is_empty(), "{:?}", again.diagnostics);
        assert_eq!(again.script.statements.len(), parsed.script.statements.len());
    }
}
