use crate::source::{Diagnostic, Span};

/// One token with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where.
    pub span: Span,
}

/// What a [`Token`] is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenKind {
    /// A name or a keyword, `a::b` too. The parser tells which.
    Word(String),
    /// `$3`.
    Position(usize),
    /// A number: its digits as written, without the suffix.
    Number {
        /// With point and exponent.
        digits: String,
        /// What stands behind them.
        suffix: NumberSuffix,
    },
    /// Between single quotes, escapes resolved.
    Quoted(String),
    /// Between backticks, trimmed.
    Command(String),
    /// A command of the grunt shell and its words, to the end of the line or the `;`.
    Shell(Vec<(String, Span)>),
    /// A sign.
    Sign(Sign),
    /// What no token can be made of. The diagnostic is reported if the parser gets there.
    Bad(Box<Diagnostic>),
    /// The end of the text.
    End,
}

/// The type that a number's suffix gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are their names")]
pub enum NumberSuffix {
    None,
    Long,
    Float,
    BigInteger,
    BigDecimal,
}

macro_rules! signs {
    ($($name:ident $text:literal,)*) => {
        /// The signs.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[expect(missing_docs, reason = "each is named after what it looks like")]
        pub enum Sign {
            $($name,)*
        }

        impl Sign {
            /// Longer ones before those they begin with.
            pub(super) const ALL: &[Self] = &[$(Self::$name,)*];

            /// As written.
            #[must_use]
            pub fn text(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

signs! {
    FatArrow "=>",
    EqualEqual "==",
    NotEqual "!=",
    LessEqual "<=",
    GreaterEqual ">=",
    DotDot "..",
    Equal "=",
    Less "<",
    Greater ">",
    Plus "+",
    Minus "-",
    Star "*",
    Slash "/",
    Percent "%",
    LeftParen "(",
    RightParen ")",
    LeftBrace "{",
    RightBrace "}",
    LeftBracket "[",
    RightBracket "]",
    Comma ",",
    Semicolon ";",
    Colon ":",
    Dot ".",
    Hash "#",
    Question "?",
    At "@",
}

impl TokenKind {
    /// For messages: `'n'`, `the number 5`, `the end of the script`.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Self::Word(word) => format!("'{word}'"),
            Self::Position(index) => format!("'${index}'"),
            Self::Number { digits, .. } => format!("the number {digits}"),
            Self::Quoted(text) if text.chars().count() <= 30 => format!("the string '{text}'"),
            Self::Quoted(_) => "a string".to_owned(),
            Self::Command(_) => "a command in backticks".to_owned(),
            Self::Shell(words) => format!("'{}'", words.first().map_or("", |(word, _)| word)),
            Self::Sign(sign) => format!("'{}'", sign.text()),
            Self::Bad(diagnostic) => diagnostic.message.clone(),
            Self::End => "the end of the script".to_owned(),
        }
    }
}
