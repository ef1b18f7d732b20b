//! `?` as `$1`, `$2`, ...: parameters get numbers before anything else reads a statement.

use datafusion::sql::sqlparser::tokenizer::Token;

use super::Position;
use super::cursor::tokens;
use crate::error::{HandlerError, Result};

/// A statement whose parameters have numbers.
#[derive(Debug, Clone)]
pub struct Numbered {
    /// The statement.
    pub text: String,
    /// How many parameters there are.
    pub parameters: usize,
    /// Where `?` became longer: the place in `text`, and by how many characters.
    longer: Vec<(Position, u64)>,
}

impl Numbered {
    /// Numbers the parameters of a statement.
    ///
    /// # Errors
    /// `Invalid`, with the place: the text cannot be cut into words, has both kinds of parameters or named ones, or leaves
    /// out a number.
    pub fn new(text: &str) -> Result<Self> {
        let mut numbered = String::with_capacity(text.len() + 8);
        let mut copied = 0;
        let mut longer = Vec::new();
        let mut unnumbered = 0;
        let mut used: Vec<bool> = Vec::new();
        for (token, place) in tokens(text)? {
            let Token::Placeholder(name) = token else { continue };
            let error = |message: &str| Err(HandlerError::syntax(message, Some(place)));
            if name == "?" {
                unnumbered += 1;
                let start = place.offset_in(text);
                numbered.push_str(text.get(copied..start).unwrap_or_default());
                let at = Position::of(&numbered, numbered.len());
                let number = format!("${unnumbered}");
                longer.push((at, number.len() as u64 - 1));
                numbered.push_str(&number);
                copied = start + 1;
            } else {
                match name.strip_prefix('$').and_then(|number| number.parse::<usize>().ok()) {
                    Some(number @ 1..=MAX_PARAMETERS) => {
                        used.resize(used.len().max(number), false);
                        if let Some(seen) = used.get_mut(number - 1) {
                            *seen = true;
                        }
                    }
                    Some(_) => return error("parameters are numbered from $1 to $65535"),
                    None => return error("parameters are ? or $1, $2, ...; they have no names"),
                }
            }
            if unnumbered > 0 && !used.is_empty() {
                return error("parameters are all ? or all $1, $2, ..., not both");
            }
        }
        if let Some(missing) = used.iter().position(|seen| !seen) {
            return Err(HandlerError::invalid(format!(
                "the statement has a parameter ${} but no ${}; number them from $1 on",
                used.len(),
                missing + 1
            )));
        }
        numbered.push_str(text.get(copied..).unwrap_or_default());
        Ok(Self { text: numbered, parameters: unnumbered.max(used.len()), longer })
    }

    /// The same error with the place in the text as it was written.
    pub fn place_back(&self, mut error: HandlerError) -> HandlerError {
        if let Some(place) = &mut error.position {
            let before =
                self.longer.iter().filter(|(at, _)| at.line == place.line && at.column < place.column);
            let added: u64 = before.map(|(_, by)| by).sum();
            place.column -= added.min(place.column - 1);
        }
        error
    }
}

/// As in PostgreSQL's protocol.
const MAX_PARAMETERS: usize = 65_535;

#[cfg(test)]
mod tests {
    use super::*;

    fn text(of: &str) -> (String, usize) {
        let numbered = Numbered::new(of).unwrap();
        (numbered.text, numbered.parameters)
    }

    #[test]
    fn question_marks_are_counted_in_their_order() {
        assert_eq!(text("SELECT 1"), ("SELECT 1".to_owned(), 0));
        assert_eq!(
            text("SELECT ?, '?', \"?\" -- ?\n, ?"),
            ("SELECT $1, '?', \"?\" -- ?\n, $2".to_owned(), 2)
        );
        assert_eq!(text("SELECT é, ? LIMIT ?"), ("SELECT é, $1 LIMIT $2".to_owned(), 2));
        assert_eq!(text("SELECT $2, $1, $2"), ("SELECT $2, $1, $2".to_owned(), 2));
    }

    #[test]
    fn what_cannot_be_numbered_is_refused_where_it_stands() {
        for (text, words, place) in [
            ("SELECT $1,\n ?", "not both", Some((2, 2))),
            ("SELECT ?, $1", "not both", Some((1, 11))),
            ("SELECT $0", "from $1", Some((1, 8))),
            ("SELECT $99999", "to $65535", Some((1, 8))),
            ("SELECT $name", "no names", Some((1, 8))),
            ("SELECT $1, $3", "no $2", None),
            ("SELECT 'a", "Unterminated", Some((1, 8))),
        ] {
            let error = Numbered::new(text).unwrap_err();
            assert!(error.message.contains(words), "{text}: {error}");
            assert_eq!(error.position.map(|at| (at.line, at.column)), place, "{text}: {error}");
        }
    }

    #[test]
    fn places_are_those_of_the_text_as_written() {
        let written = "SELECT ?, ?,\n ?, here";
        let numbered = Numbered::new(written).unwrap();
        assert_eq!(numbered.text, "SELECT $1, $2,\n $3, here");
        for (at, wanted) in [((1, 8), (1, 8)), ((1, 10), (1, 9)), ((2, 6), (2, 5)), ((1, 1), (1, 1))] {
            let error = HandlerError::invalid("x").at(Position { line: at.0, column: at.1 });
            let place = numbered.place_back(error).position.unwrap();
            assert_eq!((place.line, place.column), wanted);
        }
        assert_eq!(numbered.place_back(HandlerError::invalid("x")).position, None);
    }
}
