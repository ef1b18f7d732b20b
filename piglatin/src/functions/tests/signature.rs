use crate::functions::FunctionRegistry;
use crate::functions::builtin::takes;
use crate::functions::signature::{Overload, Parameter, Signature};
use crate::types::PigType::{self, Chararray, Double, Float, Int, Long};
use crate::value::Resolved;

fn signature() -> Signature {
    Signature::Overloads(vec![
        takes([Long, Chararray], Long),
        takes([Double, Chararray], Double),
        takes([Int, Int], Int),
    ])
}

fn resolved(arguments: &[PigType]) -> Result<(Vec<PigType>, PigType), String> {
    signature().resolve(arguments).map(|Resolved { arguments, result }| (arguments, result))
}

#[test]
fn the_exact_overload_comes_first() {
    assert_eq!(resolved(&[Double, Chararray]), Ok((vec![Double, Chararray], Double)));
}

#[test]
fn numbers_widen_to_the_nearest() {
    assert_eq!(resolved(&[Int, Chararray]), Ok((vec![Long, Chararray], Long)));
    assert_eq!(resolved(&[Float, Chararray]), Ok((vec![Double, Chararray], Double)));
}

#[test]
fn bytes_fit_if_the_others_are_exact() {
    assert_eq!(resolved(&[Long, PigType::RAW]), Ok((vec![Long, Chararray], Long)));
    assert_eq!(resolved(&[PigType::DYNAMIC, Int]), Ok((vec![Int, Int], Int)));
}

#[test]
fn bytes_that_fit_several_are_ambiguous() {
    let error = resolved(&[PigType::RAW, Chararray]).unwrap_err();
    assert_eq!(
        error,
        "(bytearray, chararray) is ambiguous between (long, chararray) and (double, chararray); cast the bytearray; \
         there is: (long, chararray), (double, chararray), (int, int)"
    );
}

#[test]
fn what_fits_nowhere_is_told_what_there_is() {
    for arguments in [vec![Chararray, Chararray], vec![Long], vec![Double, Int], vec![]] {
        let error = resolved(&arguments).unwrap_err();
        assert!(error.ends_with("there is: (long, chararray), (double, chararray), (int, int)"), "{error}");
    }
}

#[test]
fn further_arguments_follow_one_pattern() {
    let signature = Signature::Overloads(vec![takes([Chararray], Chararray).and_more(Parameter::Is(Double))]);
    let types = |arguments: &[PigType]| signature.resolve(arguments).map(|resolved| resolved.arguments);
    assert_eq!(types(&[Chararray]), Ok(vec![Chararray]));
    assert_eq!(types(&[Chararray, Int, PigType::RAW]), Ok(vec![Chararray, Double, Double]));
    assert!(types(&[]).is_err());
    assert!(types(&[Chararray, Chararray]).is_err());
    assert_eq!(signature.forms(), "(chararray, double ...)");
}

#[test]
fn an_unknown_argument_takes_the_form_for_it() {
    let untyped = Overload::new(vec![Parameter::Untyped(Double)], Double);
    let signature = Signature::Overloads(vec![takes([Int], Int), takes([Double], Double), untyped]);
    let resolved = signature.resolve(&[PigType::RAW]).unwrap();
    assert_eq!(resolved, Resolved { arguments: vec![Double], result: Double });
}

#[test]
fn aggregates_take_unknown_bags_as_bags_of_doubles() {
    let sum = FunctionRegistry::default().create("SUM", &[]).unwrap();
    let unknown = PigType::Bag { tuple_name: None, fields: None };
    for bag in [unknown, PigType::DYNAMIC] {
        assert_eq!(sum.resolve(&[bag]).unwrap().result, Double);
    }
    let error = sum.resolve(&[Int]).unwrap_err();
    assert!(error.starts_with("does not take (int); there is: (bag{(int)}), "), "{error}");
}
