use crate::types::{Field, PigType, Schema};
use crate::value::Resolved;

/// What a function takes and gives; [`crate::value::EvalFunc::resolve`] is derived from it.
#[derive(Debug, Clone)]
pub(crate) enum Signature {
    /// Overloads, of which N35 chooses one.
    Overloads(Vec<Overload>),
    /// Rules that no list of types says.
    Computed {
        /// What it takes, for messages: `(chararray, any, ...)`.
        forms: &'static str,
        /// The choice.
        resolve: fn(&[PigType]) -> Result<Resolved, String>,
    },
}

/// One form of a call.
#[derive(Debug, Clone)]
pub(crate) struct Overload {
    /// The arguments that must be there.
    parameters: Vec<Parameter>,
    /// Any number of further arguments.
    rest: Option<Parameter>,
    result: ResultType,
}

/// What an overload takes in one place.
#[derive(Debug, Clone)]
pub(crate) enum Parameter {
    /// A value of this type; bytes and smaller numbers become it.
    Is(PigType),
    /// Only a bytearray, which becomes this type: the form Pig chooses where nothing is known.
    Untyped(PigType),
    /// Anything, as it is.
    Any,
    /// A bag of whatever.
    Bag,
    /// A map of whatever.
    Map,
    /// A bag whose tuples have one field, of this type.
    BagOf(PigType),
    /// A bag of which no types are known, or a bytearray: becomes a bag of one field of this type.
    BagOfUntyped(PigType),
}

/// What an overload gives.
#[derive(Debug, Clone)]
enum ResultType {
    Is(PigType),
    Of(fn(&[PigType]) -> PigType),
}

/// How well an argument fits a parameter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fit {
    Exact,
    /// A bytearray, to be cast.
    Bytes,
    /// A smaller number: how many steps to the larger type.
    Widened(u32),
}

impl Overload {
    /// These types, this result.
    pub(crate) fn new(parameters: Vec<Parameter>, result: PigType) -> Self {
        Self { parameters, rest: None, result: ResultType::Is(result) }
    }

    /// The same with a result that depends on the arguments, given as they are after the casts.
    pub(crate) fn with(parameters: Vec<Parameter>, result: fn(&[PigType]) -> PigType) -> Self {
        Self { parameters, rest: None, result: ResultType::Of(result) }
    }

    /// Any number of these may follow.
    pub(crate) fn and_more(mut self, rest: Parameter) -> Self {
        self.rest = Some(rest);
        self
    }

    fn fits(&self, arguments: &[PigType]) -> Option<(Vec<Fit>, Vec<PigType>)> {
        let enough = match self.rest {
            None => arguments.len() == self.parameters.len(),
            Some(_) => arguments.len() >= self.parameters.len(),
        };
        if !enough {
            return None;
        }
        let parameters = self.parameters.iter().chain(std::iter::repeat(self.rest.as_ref()).flatten());
        arguments.iter().zip(parameters).map(|(argument, parameter)| parameter.fits(argument)).collect()
    }

    fn resolved(&self, arguments: Vec<PigType>) -> Resolved {
        let result = match &self.result {
            ResultType::Is(ty) => ty.clone(),
            ResultType::Of(result) => result(&arguments),
        };
        Resolved { arguments, result }
    }

    fn text(&self) -> String {
        let mut parts: Vec<String> = self.parameters.iter().map(Parameter::text).collect();
        if let Some(rest) = &self.rest {
            parts.push(format!("{} ...", rest.text()));
        }
        format!("({})", parts.join(", "))
    }
}

impl Parameter {
    fn fits(&self, argument: &PigType) -> Option<(Fit, PigType)> {
        let bytes = matches!(argument, PigType::Bytearray(_));
        let as_is = |fits: bool| fits.then(|| (Fit::Exact, argument.clone()));
        let any_bag = PigType::Bag { tuple_name: None, fields: None };
        match self {
            Self::Any => as_is(true),
            Self::Is(PigType::Bytearray(_)) => as_is(bytes),
            Self::Is(ty) if ty == argument => as_is(true),
            Self::Is(ty) if bytes => Some((Fit::Bytes, ty.clone())),
            Self::Is(ty) => match (width(argument), width(ty)) {
                (Some(from), Some(to)) if from < to => Some((Fit::Widened(to - from), ty.clone())),
                _ => None,
            },
            Self::Untyped(ty) => bytes.then(|| (Fit::Exact, ty.clone())),
            Self::Bag if bytes => Some((Fit::Bytes, any_bag)),
            Self::Bag => as_is(matches!(argument, PigType::Bag { .. })),
            Self::Map if bytes => Some((Fit::Bytes, PigType::untyped_map())),
            Self::Map => as_is(matches!(argument, PigType::Map(_))),
            Self::BagOf(ty) => as_is(only_field(argument) == Some(ty)),
            Self::BagOfUntyped(ty) => {
                let unknown = matches!(argument, PigType::Bag { fields: None, .. })
                    || matches!(only_field(argument), Some(PigType::Bytearray(_)))
                    || bytes;
                unknown.then(|| (Fit::Exact, bag_of(ty.clone())))
            }
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Is(ty) => type_text(ty),
            Self::Untyped(_) => "bytearray".to_owned(),
            Self::Any => "any".to_owned(),
            Self::Bag => "bag".to_owned(),
            Self::Map => "map".to_owned(),
            Self::BagOf(ty) => type_text(&bag_of(ty.clone())),
            Self::BagOfUntyped(_) => "bag{(bytearray)}".to_owned(),
        }
    }
}

impl Signature {
    /// N35: the exact form; else the only one that fits but for bytearrays; else the nearest by widening of numbers.
    ///
    /// # Errors
    /// Says that none fits, or that several do, and lists what there is.
    pub(crate) fn resolve(&self, arguments: &[PigType]) -> Result<Resolved, String> {
        let overloads = match self {
            Self::Computed { forms, resolve } => {
                return resolve(arguments).map_err(|error| format!("{error}; there is: {forms}"));
            }
            Self::Overloads(overloads) => overloads,
        };
        let fitting: Vec<(&Overload, Vec<Fit>, Vec<PigType>)> = overloads
            .iter()
            .filter_map(|overload| overload.fits(arguments).map(|(fits, types)| (overload, fits, types)))
            .collect();
        if let Some((overload, _, types)) =
            fitting.iter().find(|(_, fits, _)| fits.iter().all(|fit| *fit == Fit::Exact))
        {
            return Ok(overload.resolved(types.clone()));
        }
        let cost = |fits: &[Fit]| -> u32 {
            fits.iter().map(|fit| if let Fit::Widened(steps) = fit { *steps } else { 0 }).sum()
        };
        let best = fitting.iter().map(|(_, fits, _)| cost(fits)).min();
        let mut nearest = fitting.into_iter().filter(|(_, fits, _)| Some(cost(fits)) == best);
        let given = arguments_text(arguments);
        match (nearest.next(), nearest.next()) {
            (Some((overload, _, types)), None) => Ok(overload.resolved(types)),
            (Some((one, ..)), Some((other, ..))) => Err(format!(
                "{given} is ambiguous between {} and {}; cast the bytearray; there is: {}",
                one.text(),
                other.text(),
                self.forms()
            )),
            (None, _) => Err(format!("does not take {given}; there is: {}", self.forms())),
        }
    }

    /// What there is to choose from.
    pub(crate) fn forms(&self) -> String {
        match self {
            Self::Computed { forms, .. } => (*forms).to_owned(),
            Self::Overloads(overloads) => overloads.iter().map(Overload::text).collect::<Vec<_>>().join(", "),
        }
    }
}

/// The place of a number's type in the order in which numbers widen.
fn width(ty: &PigType) -> Option<u32> {
    Some(match ty {
        PigType::Int => 0,
        PigType::Long => 1,
        PigType::Float => 2,
        PigType::Double => 3,
        PigType::BigInteger => 4,
        PigType::BigDecimal => 5,
        _ => return None,
    })
}

/// A bag whose tuples have one field without a name.
pub(crate) fn bag_of(ty: PigType) -> PigType {
    PigType::bag(Schema::new(vec![Field::unnamed(ty)]))
}

/// The type of the only field of a bag's tuples.
pub(crate) fn only_field(bag: &PigType) -> Option<&PigType> {
    match bag {
        PigType::Bag { fields: Some(schema), .. } => match schema.fields.as_slice() {
            [field] => Some(&field.ty),
            _ => None,
        },
        _ => None,
    }
}

/// The type of all of these, if it is one: where only names of inner fields differ, it has none.
pub(crate) fn common_type<'a>(mut types: impl Iterator<Item = &'a PigType> + Clone) -> Option<PigType> {
    let first = types.next()?;
    if types.clone().all(|ty| ty == first) {
        return Some(first.clone());
    }
    let first = without_names(first);
    types.all(|ty| without_names(ty) == first).then_some(first)
}

fn without_names(ty: &PigType) -> PigType {
    let unnamed = |schema: &Option<Schema>| {
        schema.as_ref().map(|schema| {
            Schema::new(schema.fields.iter().map(|field| Field::unnamed(without_names(&field.ty))).collect())
        })
    };
    match ty {
        PigType::Tuple(schema) => PigType::Tuple(unnamed(schema)),
        PigType::Bag { fields, .. } => PigType::Bag { tuple_name: None, fields: unnamed(fields) },
        PigType::Map(value) => PigType::Map(Box::new(without_names(value))),
        ty => ty.clone(),
    }
}

/// `(int, chararray)`.
pub(crate) fn arguments_text(arguments: &[PigType]) -> String {
    format!("({})", arguments.iter().map(type_text).collect::<Vec<_>>().join(", "))
}

fn type_text(ty: &PigType) -> String {
    let fields = |schema: &Option<Schema>| {
        let types = schema.iter().flat_map(|schema| &schema.fields).map(|field| type_text(&field.ty));
        types.collect::<Vec<_>>().join(", ")
    };
    match ty {
        PigType::Boolean => "boolean".to_owned(),
        PigType::Int => "int".to_owned(),
        PigType::Long => "long".to_owned(),
        PigType::Float => "float".to_owned(),
        PigType::Double => "double".to_owned(),
        PigType::Datetime => "datetime".to_owned(),
        PigType::Bytearray(_) => "bytearray".to_owned(),
        PigType::Chararray => "chararray".to_owned(),
        PigType::BigInteger => "biginteger".to_owned(),
        PigType::BigDecimal => "bigdecimal".to_owned(),
        PigType::Tuple(schema) => format!("tuple({})", fields(schema)),
        PigType::Bag { fields: schema, .. } => format!("bag{{({})}}", fields(schema)),
        PigType::Map(value) if matches!(**value, PigType::Bytearray(_)) => "map[]".to_owned(),
        PigType::Map(value) => format!("map[{}]", type_text(value)),
    }
}
