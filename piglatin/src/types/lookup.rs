use crate::source::did_you_mean;
use crate::types::{Schema, TypeProblem};

impl Schema {
    /// The field of a name: that name, or the end of one field's `A::x`.
    ///
    /// # Errors
    /// If there is none, or more than one.
    pub fn find(&self, name: &str) -> Result<usize, TypeProblem> {
        if let Some(exact) = self.fields.iter().position(|field| field.name.as_deref() == Some(name)) {
            return Ok(exact);
        }
        let ends = |field: &str| field.strip_suffix(name).is_some_and(|before| before.ends_with("::"));
        let mut found = self.fields.iter().enumerate().filter(|(_, f)| f.name.as_deref().is_some_and(ends));
        match (found.next(), found.next()) {
            (Some((index, _)), None) => Ok(index),
            (Some((_, first)), Some((_, second))) => {
                let names = [first, second].map(|field| field.name.as_deref().unwrap_or_default());
                let text = format!("{name} may be {} or {}", names[0], names[1]);
                Err(TypeProblem::new(text).help("write the whole name"))
            }
            (None, _) => Err(self.no_field(name)),
        }
    }

    fn no_field(&self, name: &str) -> TypeProblem {
        let names: Vec<&str> = self.fields.iter().filter_map(|field| field.name.as_deref()).collect();
        let short = names.iter().map(|name| name.rsplit("::").next().unwrap_or(name));
        let problem = TypeProblem::new(format!("there is no field {name}"));
        match did_you_mean(name, names.iter().copied().chain(short)) {
            Some(meant) => problem.help(format!("did you mean {meant}?")),
            None if names.is_empty() => problem.help("the fields have no names; use $0, $1, ..."),
            None => problem.help(format!("there are {}", names.join(", "))),
        }
    }

    /// The field of a position.
    ///
    /// # Errors
    /// If there are not so many.
    pub fn at(&self, index: usize) -> Result<usize, TypeProblem> {
        let width = self.fields.len();
        match index < width {
            true => Ok(index),
            false => Err(TypeProblem::new(format!(
                "${index} is no field: there are {width}, $0 to ${}",
                width.saturating_sub(1)
            ))),
        }
    }
}
