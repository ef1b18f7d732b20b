//! Relational operators.

use super::cursor::{Parse, Parser};
use super::words::{OPERATORS, is_one_of};
use crate::ast::{
    CubeDimension, CubeKind, Expression, ExpressionKind, FunctionSpec, GroupInput, GroupKeys, JoinInput,
    JoinType, Operator, OperatorKind, OrderKey, RankKeys, Relation, StreamCommand, Text,
};
use crate::lex::{NumberSuffix, Sign, TokenKind};
use crate::source::Diagnostic;
use crate::source::did_you_mean;

impl Parser<'_> {
    /// Whether an operator begins here. `B = join;` names a relation, badly.
    pub(super) fn begins_operator(&self) -> bool {
        matches!(self.kind(), TokenKind::Word(word) if is_one_of(word, OPERATORS))
            && !self.sign_at(1, Sign::Semicolon)
    }

    /// What stands behind `A =` or in parentheses.
    pub(super) fn operator(&mut self) -> Parse<Operator> {
        self.nested(|parser| {
            let start = parser.span();
            let kind = parser.operator_kind()?;
            parser.hints()?;
            Ok(Operator { kind, span: parser.since(start) })
        })
    }

    fn operator_kind(&mut self) -> Parse<OperatorKind> {
        if self.is_sign(Sign::LeftParen) || self.is_sign(Sign::At) {
            return Ok(OperatorKind::Relation(self.relation()?));
        }
        let TokenKind::Word(word) = self.kind() else {
            return Err(self.unexpected("an operator such as LOAD"));
        };
        let word = word.clone();
        if !self.begins_operator() {
            return self.other_relation(&word);
        }
        let start = self.advance();
        match word.to_ascii_uppercase().as_str() {
            "LOAD" => self.load(),
            "FOREACH" => self.foreach(),
            "FILTER" => {
                let input = self.relation()?;
                self.word("BY")?;
                Ok(OperatorKind::Filter { input, condition: self.expression()? })
            }
            "GROUP" | "COGROUP" => self.group(),
            "JOIN" => self.join(),
            "CROSS" => Ok(OperatorKind::Cross(self.relations("CROSS")?)),
            "UNION" => {
                let on_schema = self.eat_word("ONSCHEMA").is_some();
                Ok(OperatorKind::Union { inputs: self.relations("UNION")?, on_schema })
            }
            "DISTINCT" => Ok(OperatorKind::Distinct(self.relation()?)),
            "LIMIT" => Ok(OperatorKind::Limit { input: self.relation()?, count: self.expression()? }),
            "SAMPLE" => Ok(OperatorKind::Sample { input: self.relation()?, share: self.expression()? }),
            "ORDER" => self.order(),
            "RANK" => self.rank(),
            "CUBE" => self.cube(),
            "STREAM" => self.stream(),
            // ASSERT, NATIVE and MAPREDUCE are statements; inside of others they are nothing.
            _ => {
                let message =
                    format!("{} cannot be the input of another operator", word.to_ascii_uppercase());
                Err(Box::new(Diagnostic::invalid(message, start).with_help("give its result a name first")))
            }
        }
    }

    /// `A` alone is another name for A; before anything else a mistyped operator.
    fn other_relation(&mut self, word: &str) -> Parse<OperatorKind> {
        let ends = matches!(
            self.kind_at(1),
            TokenKind::Sign(Sign::Semicolon | Sign::RightParen | Sign::RightBrace) | TokenKind::End
        );
        if ends {
            return Ok(OperatorKind::Relation(self.relation()?));
        }
        let meant = did_you_mean(word, OPERATORS);
        let message = format!("found '{word}', expected an operator such as LOAD, FILTER or FOREACH");
        let mut error = Diagnostic::invalid(message, self.span());
        error.help = meant.map(|meant| format!("did you mean '{meant}'?"));
        Err(Box::new(error))
    }

    /// `A`, `@`, `(FILTER A BY x)`, `(A)`.
    pub(super) fn relation(&mut self) -> Parse<Relation> {
        if let Some(span) = self.eat_sign(Sign::At) {
            return Ok(Relation::Previous(span));
        }
        if self.eat_sign(Sign::LeftParen).is_some() {
            let operator = self.operator()?;
            self.sign(Sign::RightParen)?;
            return Ok(match operator.kind {
                OperatorKind::Relation(relation) => relation,
                _ => Relation::Inline(Box::new(operator)),
            });
        }
        Ok(Relation::Alias(self.alias()?))
    }

    fn relations(&mut self, operator: &str) -> Parse<Vec<Relation>> {
        let all = self.list(Self::relation)?;
        if all.len() < 2 {
            return Err(self.unexpected(&format!("',' and another relation: {operator} takes two or more")));
        }
        Ok(all)
    }

    /// PARTITION BY and PARALLEL, which change no answer.
    fn hints(&mut self) -> Parse<Option<u32>> {
        let mut parallel = None;
        loop {
            if self.eat_word("PARTITION").is_some() {
                self.word("BY")?;
                self.function()?;
            } else if self.eat_word("PARALLEL").is_some() {
                let number = match self.kind() {
                    TokenKind::Number { digits, suffix: NumberSuffix::None } => digits.parse().ok(),
                    _ => None,
                };
                if number.is_none() {
                    return Err(self.unexpected("a whole number"));
                }
                parallel = number;
                self.advance();
            } else {
                return Ok(parallel);
            }
        }
    }

    /// `USING 'replicated'`.
    fn hint(&mut self) -> Parse<Option<Text>> {
        match self.eat_word("USING") {
            Some(_) => Ok(Some(self.quoted("a hint in single quotes")?)),
            None => Ok(None),
        }
    }

    /// `f`, `a.b.C('x', 'y')`.
    pub(super) fn function(&mut self) -> Parse<FunctionSpec> {
        let mut name = self.any_name("the name of a function")?;
        while self.eat_sign(Sign::Dot).is_some() {
            let part = self.any_name("the rest of the function's name")?;
            name.text = format!("{}.{}", name.text, part.text);
            name.span = name.span.to(part.span);
        }
        let arguments = match self.eat_sign(Sign::LeftParen) {
            Some(_) => self.list_to(Sign::RightParen, |parser| parser.quoted("a string"))?,
            None => Vec::new(),
        };
        let span = self.since(name.span);
        Ok(FunctionSpec { name, arguments, span })
    }

    /// `USING f(...)`.
    pub(super) fn using(&mut self) -> Parse<Option<FunctionSpec>> {
        match self.eat_word("USING") {
            Some(_) => Ok(Some(self.function()?)),
            None => Ok(None),
        }
    }

    fn load(&mut self) -> Parse<OperatorKind> {
        let path = self.quoted("a path in single quotes")?;
        let function = self.using()?;
        let schema = match self.eat_word("AS") {
            Some(_) => Some(self.declared_schema()?),
            None => None,
        };
        Ok(OperatorKind::Load { path, function, schema })
    }

    /// `BY a`, `BY (a, b)`: the keys one by one.
    fn keys(&mut self) -> Parse<Vec<Expression>> {
        let key = self.item()?;
        Ok(match key.kind {
            ExpressionKind::Tuple(parts) if !parts.is_empty() => parts,
            _ => vec![key],
        })
    }

    fn group(&mut self) -> Parse<OperatorKind> {
        let inputs = self.list(|parser| {
            let relation = parser.relation()?;
            let keys = if let Some(span) = parser.eat_word("ALL") {
                GroupKeys::All(span)
            } else if let Some(span) = parser.eat_word("ANY") {
                GroupKeys::Any(span)
            } else if parser.eat_word("BY").is_some() {
                GroupKeys::By(parser.keys()?)
            } else {
                return Err(parser.unexpected("BY, ALL or ANY"));
            };
            let inner = parser.eat_word("INNER").is_some();
            if !inner {
                parser.eat_word("OUTER");
            }
            Ok(GroupInput { relation, keys, inner })
        })?;
        let hint = self.hint()?;
        Ok(OperatorKind::Group { inputs, hint, parallel: self.hints()? })
    }

    fn join(&mut self) -> Parse<OperatorKind> {
        let mut join_type = JoinType::Inner;
        let mut outer = None;
        let mut behind_first = false;
        let inputs = self.list(|parser| {
            let relation = parser.relation()?;
            parser.word("BY")?;
            let keys = parser.keys()?;
            let start = parser.span();
            let first = !std::mem::replace(&mut behind_first, true);
            for (word, kind) in
                [("LEFT", JoinType::Left), ("RIGHT", JoinType::Right), ("FULL", JoinType::Full)]
            {
                if first && parser.eat_word(word).is_some() {
                    join_type = kind;
                    parser.eat_word("OUTER");
                    outer = Some(start);
                }
            }
            Ok(JoinInput { relation, keys })
        })?;
        if inputs.len() < 2 {
            return Err(self.unexpected("',' and another relation: JOIN takes two or more"));
        }
        if let Some(span) = outer
            && inputs.len() > 2
        {
            let message = format!("an outer join of {} relations", inputs.len());
            return Err(Box::new(Diagnostic::invalid(message, span).with_help("join two at a time")));
        }
        let hint = self.hint()?;
        Ok(OperatorKind::Join { inputs, join_type, hint, parallel: self.hints()? })
    }

    /// `k DESC, l`.
    pub(super) fn order_keys(&mut self) -> Parse<Vec<OrderKey>> {
        self.list(|parser| {
            let expression = parser.item()?;
            let descending = parser.eat_word("DESC").is_some();
            if !descending {
                parser.eat_word("ASC");
            }
            Ok(OrderKey { expression, descending })
        })
    }

    fn order(&mut self) -> Parse<OperatorKind> {
        let input = self.relation()?;
        self.word("BY")?;
        let keys = self.order_keys()?;
        Ok(OperatorKind::Order { input, keys, comparator: self.using()? })
    }

    fn rank(&mut self) -> Parse<OperatorKind> {
        let input = self.relation()?;
        let keys = match self.eat_word("BY") {
            Some(_) => {
                let keys = self.order_keys()?;
                Some(RankKeys { keys, dense: self.eat_word("DENSE").is_some() })
            }
            None => None,
        };
        Ok(OperatorKind::Rank { input, keys })
    }

    fn cube(&mut self) -> Parse<OperatorKind> {
        let input = self.relation()?;
        self.word("BY")?;
        let dimensions = self.list(|parser| {
            let start = parser.span();
            let kind = if parser.eat_word("CUBE").is_some() {
                CubeKind::Cube
            } else if parser.eat_word("ROLLUP").is_some() {
                CubeKind::Rollup
            } else {
                return Err(parser.unexpected("CUBE or ROLLUP"));
            };
            parser.sign(Sign::LeftParen)?;
            if parser.is_sign(Sign::RightParen) {
                return Err(parser.unexpected("a column"));
            }
            let (expressions, _) = parser.expressions(Sign::RightParen)?;
            Ok(CubeDimension { kind, expressions, span: parser.since(start) })
        })?;
        Ok(OperatorKind::Cube { input, dimensions })
    }

    fn stream(&mut self) -> Parse<OperatorKind> {
        let input = self.relation()?;
        self.word("THROUGH")?;
        let command = match self.kind() {
            TokenKind::Command(_) => StreamCommand::Inline(self.command()?),
            _ => StreamCommand::Defined(self.any_name("a command in backticks or the name of one")?),
        };
        let schema = match self.eat_word("AS") {
            Some(_) => Some(self.declared_schema()?),
            None => None,
        };
        Ok(OperatorKind::Stream { input, command, schema })
    }

    /// Between backticks.
    pub(super) fn command(&mut self) -> Parse<Text> {
        let TokenKind::Command(text) = self.kind() else {
            return Err(self.unexpected("a command in backticks"));
        };
        let text = text.clone();
        Ok(Text { text, span: self.advance() })
    }
}
