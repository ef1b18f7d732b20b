use crate::source::did_you_mean;
use crate::types::{Schema, TypeProblem};

/// Why a name means no field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameProblem {
    /// No field is called so.
    Absent(TypeProblem),
    /// More than one is.
    Ambiguous(TypeProblem),
}

impl From<NameProblem> for TypeProblem {
    fn from(problem: NameProblem) -> Self {
        match problem {
            NameProblem::Absent(problem) | NameProblem::Ambiguous(problem) => problem,
        }
    }
}

impl Schema {
    /// The field of a name: that name, or the end of one field's `A::x`.
    ///
    /// # Errors
    /// If there is none, or more than one.
    pub fn find(&self, name: &str) -> Result<usize, NameProblem> {
        let exact = |field: &str| field == name;
        let ends = |field: &str| field.strip_suffix(name).is_some_and(|before| before.ends_with("::"));
        match self.only(name, exact)?.map_or_else(|| self.only(name, ends), |index| Ok(Some(index)))? {
            Some(index) => Ok(index),
            None => Err(NameProblem::Absent(self.no_field(name))),
        }
    }

    /// The only field whose name is meant, if any is.
    fn only(&self, name: &str, meant: impl Fn(&str) -> bool) -> Result<Option<usize>, NameProblem> {
        let named = |index: usize| self.fields[index].name.as_deref();
        let found: Vec<usize> = (0..self.fields.len()).filter(|i| named(*i).is_some_and(&meant)).collect();
        match found.as_slice() {
            [] => Ok(None),
            [index] => Ok(Some(*index)),
            [first, second, ..] => {
                let (one, other) = (named(*first).unwrap_or_default(), named(*second).unwrap_or_default());
                let (text, help) = if one == other {
                    (format!("{name} may be ${first} or ${second}"), "use the positions")
                } else {
                    (format!("{name} may be {one} or {other}"), "write the whole name")
                };
                Err(NameProblem::Ambiguous(TypeProblem::new(text).help(help)))
            }
        }
    }

    fn no_field(&self, name: &str) -> TypeProblem {
        let names: Vec<&str> = self.fields.iter().filter_map(|field| field.name.as_deref()).collect();
        let short = names.iter().map(|name| name.rsplit("::").next().unwrap_or(name));
        let problem = TypeProblem::new(format!("there is no field {name}"));
        match did_you_mean(name, names.iter().copied().chain(short)) {
            Some(meant) => problem.help(format!("did you mean {meant}?")),
            None if self.fields.is_empty() => problem,
            None if names.is_empty() => problem.help("the fields have no names; use $0, $1, ..."),
            None => problem.help(format!("there are {}", names.join(", "))),
        }
    }

    /// The field of a position.
    ///
    /// # Errors
    /// If there are not so many.
    pub fn at(&self, index: usize) -> Result<usize, TypeProblem> {
        match (index, self.fields.len()) {
            (index, width) if index < width => Ok(index),
            (_, 0) => Err(TypeProblem::new(format!("there is no field ${index}: no row is read here"))),
            (_, 1) => Err(TypeProblem::new(format!("there is no field ${index}: $0 is the only one"))),
            (_, width) => {
                let last = width - 1;
                Err(TypeProblem::new(format!("there is no field ${index}: there are {width}, $0 to ${last}")))
            }
        }
    }
}
