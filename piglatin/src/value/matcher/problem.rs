/// Why a pattern cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternProblem {
    /// Java has it, this engine has not, as it would take time without bound.
    #[error("{0} is not supported in regular expressions")]
    Unsupported(&'static str),
    /// It is no pattern.
    #[error("the regular expression is invalid: {0}")]
    Invalid(String),
}

impl PatternProblem {
    pub(super) fn invalid(reason: impl Into<String>) -> Self {
        Self::Invalid(reason.into())
    }

    /// The message of the engine is a drawing of several lines; its last line says what is wrong.
    pub(super) fn of_regex(error: &regex::Error) -> Self {
        let message = error.to_string();
        let last = message.lines().last().unwrap_or(&message);
        Self::Invalid(last.trim_start_matches("error: ").to_owned())
    }
}
