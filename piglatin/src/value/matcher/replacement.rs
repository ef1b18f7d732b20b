use regex::Captures;

use super::{Matcher, PatternProblem};

/// A replacement of Java's `replaceAll`: `$1` and `${name}` are groups, `\x` is `x`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Group(usize),
    Named(String),
}

impl Replacement {
    /// Reads a replacement for a pattern. Of digits behind `$` the first always counts, the others as far as there is
    /// such a group.
    ///
    /// # Errors
    /// If it names a group that the pattern has not, or ends in `\` or `$`.
    pub fn new(text: &str, matcher: &Matcher) -> Result<Self, PatternProblem> {
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut rest = text.chars().peekable();
        while let Some(next) = rest.next() {
            match next {
                '\\' => plain.push(
                    rest.next().ok_or_else(|| PatternProblem::invalid("the replacement ends in '\\'"))?,
                ),
                '$' => {
                    if !plain.is_empty() {
                        parts.push(Part::Text(std::mem::take(&mut plain)));
                    }
                    if rest.next_if_eq(&'{').is_some() {
                        let mut name = String::new();
                        while let Some(letter) = rest.next_if(|letter| *letter != '}') {
                            name.push(letter);
                        }
                        if rest.next().is_none()
                            || !matcher.anywhere.capture_names().any(|has| has == Some(&name))
                        {
                            return Err(PatternProblem::invalid(format!(
                                "there is no group '{name}' to replace with"
                            )));
                        }
                        parts.push(Part::Named(name));
                        continue;
                    }
                    let digit =
                        |letter: &char| letter.to_digit(10).and_then(|digit| usize::try_from(digit).ok());
                    let mut group = rest.next().as_ref().and_then(digit).ok_or_else(|| {
                        PatternProblem::invalid("'$' of the replacement is not followed by a group")
                    })?;
                    if group > matcher.groups() {
                        return Err(PatternProblem::invalid(format!(
                            "there is no group {group} to replace with"
                        )));
                    }
                    while let Some(longer) = rest.peek().and_then(digit).map(|digit| group * 10 + digit)
                        && longer <= matcher.groups()
                    {
                        group = longer;
                        rest.next();
                    }
                    parts.push(Part::Group(group));
                }
                other => plain.push(other),
            }
        }
        if !plain.is_empty() {
            parts.push(Part::Text(plain));
        }
        Ok(Self { parts })
    }

    /// A group that took no part in the match is nothing.
    pub(super) fn append(&self, captures: &Captures<'_>, out: &mut String) {
        for part in &self.parts {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Group(group) => out.push_str(captures.get(*group).map_or("", |group| group.as_str())),
                Part::Named(name) => out.push_str(captures.name(name).map_or("", |group| group.as_str())),
            }
        }
    }
}
