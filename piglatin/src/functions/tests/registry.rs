use std::sync::Arc;

use crate::functions::{FunctionRegistry, RegistryError};
use crate::types::PigType;
use crate::value::{CallContext, EvalFunc, FunctionError, Resolved, Value};

#[derive(Debug)]
struct Constant(String);

impl EvalFunc for Constant {
    fn name(&self) -> &str {
        "my.Constant"
    }

    fn resolve(&self, _: &[PigType]) -> Result<Resolved, String> {
        Ok(Resolved { arguments: Vec::new(), result: PigType::Chararray })
    }

    fn exec(&self, _: &[Value], _: &mut dyn CallContext) -> Result<Value, FunctionError> {
        Ok(Value::Chararray(self.0.clone()))
    }
}

#[test]
fn built_ins_answer_to_their_java_names() {
    let registry = FunctionRegistry::default();
    for name in ["UPPER", "org.apache.pig.builtin.UPPER", "org.apache.pig.piggybank.evaluation.string.UPPER"]
    {
        assert!(registry.contains(name));
        assert_eq!(registry.create(name, &[]).unwrap().name(), "UPPER");
    }
}

#[test]
fn names_are_case_sensitive_and_near_ones_are_told() {
    let registry = FunctionRegistry::default();
    let similar = |name: &str| match registry.create(name, &[]) {
        Err(RegistryError::Unknown { similar, .. }) => similar,
        other => panic!("{other:?}"),
    };
    assert_eq!(similar("Abs").as_deref(), Some("ABS"));
    assert_eq!(similar("tokenise").as_deref(), Some("TOKENIZE"));
    assert_eq!(similar("GetMilliseconds").as_deref(), Some("GetMilliSecond"));
    assert_eq!(similar("frobnicate"), None);
    let error = registry.create("Abs", &[]).unwrap_err();
    assert_eq!(error.to_string(), "there is no function 'Abs'");
}

#[test]
fn what_pig_has_and_ostracon_has_not_is_refused_by_name() {
    let registry = FunctionRegistry::default();
    for name in ["HiveUDF", "InvokeForInt", "org.apache.pig.builtin.Bloom", "COR"] {
        let error = registry.create(name, &[]).unwrap_err();
        assert!(matches!(&error, RegistryError::Unsupported { .. }), "{error}");
        assert!(error.to_string().starts_with(&format!("{name} is not supported: ")));
    }
}

#[test]
fn users_functions_get_their_constructor_arguments() {
    let mut registry = FunctionRegistry::default();
    registry.register("my.Constant", |arguments: &[String]| match arguments {
        [value] => Ok(Arc::new(Constant(value.clone())) as Arc<dyn EvalFunc>),
        _ => Err("takes one value".to_owned()),
    });
    let function = registry.create("my.Constant", &["x".to_owned()]).unwrap();
    let mut context = crate::value::testing::Recorder::default();
    assert_eq!(super::shown(&function.exec(&[], &mut context).unwrap()), "x");
    let error = registry.create("my.Constant", &[]).unwrap_err();
    assert_eq!(error.to_string(), "my.Constant: takes one value");
    assert!(registry.create("UPPER", &["x".to_owned()]).is_err());
    assert!(registry.names().contains(&"my.Constant"));
}

#[test]
fn all_documented_built_ins_are_there() {
    let registry = FunctionRegistry::default();
    let names = "AVG BagToString BagToTuple CONCAT COUNT COUNT_STAR DIFF IsEmpty MAX MIN SIZE SUBTRACT SUM TOKENIZE \
        ABS ACOS ASIN ATAN ATAN2 CBRT CEIL COS COSH EXP FLOOR LOG LOG10 RANDOM ROUND ROUND_TO SIN SINH SQRT TAN TANH \
        ENDSWITH STARTSWITH EqualsIgnoreCase INDEXOF LAST_INDEX_OF LCFIRST UCFIRST LOWER UPPER LTRIM RTRIM TRIM \
        REGEX_EXTRACT REGEX_EXTRACT_ALL REGEX_SEARCH REPLACE SPRINTF STRSPLIT STRSPLITTOBAG SUBSTRING UniqueID \
        AddDuration SubtractDuration CurrentTime ToDate ToMilliSeconds ToUnixTime ToString GetYear GetMonth GetDay \
        GetHour GetMinute GetSecond GetMilliSecond GetWeek GetWeekYear YearsBetween MonthsBetween WeeksBetween \
        DaysBetween HoursBetween MinutesBetween SecondsBetween MilliSecondsBetween TOTUPLE TOBAG TOMAP TOP KEYSET \
        VALUELIST VALUESET INVERSEMAP PluckTuple";
    let missing: Vec<&str> = names.split_whitespace().filter(|name| !registry.contains(name)).collect();
    assert_eq!(missing, [""; 0]);
}

#[test]
fn all_built_ins_are_documented() {
    let document = include_str!("../../../../docs/pig-functions.md");
    let registry = FunctionRegistry::default();
    let names = registry.names();
    let missing: Vec<&&str> = names.iter().filter(|name| !document.contains(&format!("`{name}`"))).collect();
    assert_eq!(missing, [&""; 0]);
}
