//! Types and schemas: `(a:int, b:bag{t:(c:chararray)}, m:map[])`.

use super::cursor::{Parse, Parser};
use crate::ast::{FieldSpec, ScalarType, SchemaSpec, TypeKind, TypeSpec};
use crate::lex::{Sign, TokenKind};
use crate::source::did_you_mean;
use crate::source::{Diagnostic, Span};

const SCALARS: &[(&str, ScalarType)] = &[
    ("int", ScalarType::Int),
    ("long", ScalarType::Long),
    ("float", ScalarType::Float),
    ("double", ScalarType::Double),
    ("chararray", ScalarType::Chararray),
    ("bytearray", ScalarType::Bytearray),
    ("boolean", ScalarType::Boolean),
    ("datetime", ScalarType::Datetime),
    ("biginteger", ScalarType::BigInteger),
    ("bigdecimal", ScalarType::BigDecimal),
];

fn scalar(word: &str) -> Option<ScalarType> {
    SCALARS.iter().find(|(name, _)| word.eq_ignore_ascii_case(name)).map(|(_, ty)| *ty)
}

fn is_type_word(word: &str) -> bool {
    scalar(word).is_some() || ["tuple", "bag", "map"].iter().any(|name| word.eq_ignore_ascii_case(name))
}

impl Parser<'_> {
    /// AS of LOAD and STREAM: `(a:int, b)`, or one field without parentheses.
    pub(super) fn declared_schema(&mut self) -> Parse<SchemaSpec> {
        if self.is_sign(Sign::LeftParen) {
            return self.schema();
        }
        let field = self.field()?;
        Ok(SchemaSpec { span: field.span, fields: vec![field] })
    }

    /// Fields between parentheses.
    pub(super) fn schema(&mut self) -> Parse<SchemaSpec> {
        let start = self.sign(Sign::LeftParen)?;
        let fields = self.nested(|parser| parser.list_to(Sign::RightParen, Self::field))?;
        Ok(SchemaSpec { fields, span: self.since(start) })
    }

    /// `a`, `a:int`, `int`.
    pub(super) fn field(&mut self) -> Parse<FieldSpec> {
        let start = self.span();
        let named = match self.kind() {
            TokenKind::Word(word) => !is_type_word(word) || self.sign_at(1, Sign::Colon),
            TokenKind::Sign(Sign::LeftParen | Sign::LeftBrace | Sign::LeftBracket) => false,
            _ => return Err(self.unexpected("the name of a field")),
        };
        let name = if named { Some(self.any_name("the name of a field")?) } else { None };
        let ty = match &name {
            Some(_) if self.eat_sign(Sign::Colon).is_none() => None,
            _ => Some(self.type_spec()?),
        };
        Ok(FieldSpec { name, ty, span: self.since(start) })
    }

    /// `int`, `tuple(...)`, `(...)`, `bag{...}`, `{...}`, `map[...]`, `[...]`.
    pub(super) fn type_spec(&mut self) -> Parse<TypeSpec> {
        self.nested(|parser| {
            let start = parser.span();
            let kind = parser.type_kind()?;
            Ok(TypeSpec { kind, span: parser.since(start) })
        })
    }

    fn type_kind(&mut self) -> Parse<TypeKind> {
        if let TokenKind::Word(word) = self.kind()
            && let Some(ty) = scalar(word)
        {
            self.advance();
            return Ok(TypeKind::Scalar(ty));
        }
        if self.is_sign(Sign::LeftParen)
            || (self.eat_word("tuple").is_some() && self.is_sign(Sign::LeftParen))
        {
            return Ok(TypeKind::Tuple(Some(self.schema()?).filter(|schema| !schema.fields.is_empty())));
        }
        if self.last_word_was("tuple") {
            return Ok(TypeKind::Tuple(None));
        }
        if self.is_sign(Sign::LeftBrace) || (self.eat_word("bag").is_some() && self.is_sign(Sign::LeftBrace))
        {
            return self.bag_type();
        }
        if self.last_word_was("bag") {
            return Ok(TypeKind::Bag { tuple_name: None, fields: None });
        }
        if self.is_sign(Sign::LeftBracket)
            || (self.eat_word("map").is_some() && self.is_sign(Sign::LeftBracket))
        {
            return self.map_type();
        }
        if self.last_word_was("map") {
            return Ok(TypeKind::Map(None));
        }
        let mut error = self.unexpected("a type");
        if let TokenKind::Word(word) = self.kind() {
            let types = SCALARS.iter().map(|(name, _)| *name).chain(["tuple", "bag", "map"]);
            error.help = match word.to_ascii_lowercase().as_str() {
                "string" | "str" | "varchar" | "text" => Some("text is of type chararray".to_owned()),
                "integer" => Some("did you mean 'int'?".to_owned()),
                "bigint" => Some("did you mean 'long'?".to_owned()),
                "bool" => Some("did you mean 'boolean'?".to_owned()),
                "date" | "timestamp" => Some("did you mean 'datetime'?".to_owned()),
                _ => did_you_mean(word, types).map(|ty| format!("did you mean '{ty}'?")),
            };
        }
        Err(error)
    }

    fn last_word_was(&self, keyword: &str) -> bool {
        let span = self.last_span();
        self.text
            .get(span.start as usize..span.end as usize)
            .is_some_and(|word| word.eq_ignore_ascii_case(keyword))
    }

    /// `{}`, `{(a:int)}`, `{t:(a:int)}`, `{t:tuple(a:int)}`, `{tuple(int)}`.
    fn bag_type(&mut self) -> Parse<TypeKind> {
        self.sign(Sign::LeftBrace)?;
        if self.eat_sign(Sign::RightBrace).is_some() {
            return Ok(TypeKind::Bag { tuple_name: None, fields: None });
        }
        let tuple_name = if self.sign_at(1, Sign::Colon) {
            let name = self.any_name("the name of the tuple")?;
            self.advance();
            Some(name)
        } else {
            None
        };
        let inner = self.type_spec()?;
        let TypeKind::Tuple(fields) = inner.kind else {
            let message = "a bag holds tuples";
            return Err(Box::new(
                Diagnostic::invalid(message, inner.span).with_help("write the type as {(...)}"),
            ));
        };
        self.sign(Sign::RightBrace)?;
        Ok(TypeKind::Bag { tuple_name, fields })
    }

    /// `[]`, `[int]`, `[v:int]`.
    fn map_type(&mut self) -> Parse<TypeKind> {
        self.sign(Sign::LeftBracket)?;
        if self.eat_sign(Sign::RightBracket).is_some() {
            return Ok(TypeKind::Map(None));
        }
        if self.sign_at(1, Sign::Colon) {
            self.any_name("the name of the value")?;
            self.advance();
        }
        let value = self.type_spec()?;
        self.sign(Sign::RightBracket)?;
        Ok(TypeKind::Map(Some(Box::new(value))))
    }

    /// The type of a cast and its parentheses, if one begins at this `(`; else nothing is read.
    pub(super) fn cast(&mut self) -> Option<(TypeSpec, Span)> {
        let worded = matches!(self.kind_at(1), TokenKind::Word(word) if is_type_word(word));
        let signed =
            matches!(self.kind_at(1), TokenKind::Sign(Sign::LeftBracket | Sign::LeftBrace | Sign::LeftParen));
        if !worded && !signed {
            return None;
        }
        self.attempt(|parser| {
            let start = parser.advance();
            let ty = parser.type_spec().ok()?;
            parser.eat_sign(Sign::RightParen)?;
            let operand = match parser.kind() {
                TokenKind::Word(word) => {
                    let infix = [
                        "AND",
                        "OR",
                        "IS",
                        "IN",
                        "MATCHES",
                        "AS",
                        "ASC",
                        "DESC",
                        "USING",
                        "PARALLEL",
                        "PARTITION",
                        "THEN",
                        "WHEN",
                        "ELSE",
                        "END",
                        "EQ",
                        "NEQ",
                        "GT",
                        "LT",
                        "GTE",
                        "LTE",
                        "INNER",
                        "OUTER",
                        "LEFT",
                        "RIGHT",
                        "FULL",
                        "DENSE",
                        "IF",
                    ];
                    !super::words::is_one_of(word, &infix)
                }
                TokenKind::Position(_) | TokenKind::Number { .. } | TokenKind::Quoted(_) => true,
                TokenKind::Sign(Sign::LeftParen | Sign::LeftBrace | Sign::LeftBracket) => true,
                TokenKind::Sign(Sign::Minus) => worded,
                _ => false,
            };
            (operand && (worded || says_types(&ty))).then(|| (ty, parser.since(start)))
        })
    }
}

/// Whether every part names its type, so that `(a, b)` between parentheses stays a tuple of fields.
fn says_types(ty: &TypeSpec) -> bool {
    let all = |schema: &Option<SchemaSpec>| match schema {
        Some(schema) => schema.fields.iter().all(|field| field.ty.as_ref().is_some_and(says_types)),
        None => true,
    };
    match &ty.kind {
        TypeKind::Scalar(_) => true,
        TypeKind::Tuple(fields) => all(fields),
        TypeKind::Bag { fields, .. } => all(fields),
        TypeKind::Map(value) => value.as_deref().is_none_or(says_types),
    }
}
