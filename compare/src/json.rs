//! [`JsonValue`]: one JSON text, borrowed where it can be. Numbers stay the text that they are, so that no integer
//! and no decimal goes through a double.

use std::borrow::Cow;

/// A parsed JSON value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JsonValue<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean(bool),
    /// The number as written.
    Number(&'a str),
    /// A string without its escapes.
    Text(Cow<'a, str>),
    /// The items, and the array as written.
    Array(Vec<JsonValue<'a>>, &'a str),
    /// Keys and values in their order, and the object as written.
    Object(Vec<(Cow<'a, str>, JsonValue<'a>)>, &'a str),
}

/// Arrays and objects may lie this deep in each other.
const DEEPEST: usize = 128;

/// What is wrong with a text and at which byte, from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonFault {
    /// The byte.
    pub at: usize,
    /// What is wrong there.
    pub reason: &'static str,
}

impl<'a> JsonValue<'a> {
    /// The value of a key of an object, the last one where it stands twice.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Object(entries, _) => {
                entries.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// Parses a text that is one value, white space around it allowed.
    ///
    /// # Errors
    /// Where the text is not JSON (RFC 8259), or lies deeper than 128 arrays and objects in each other.
    pub fn parse(text: &'a str) -> Result<Self, JsonFault> {
        let mut parser = Parser { text, at: 0 };
        let value = parser.value(0)?;
        parser.skip_blanks();
        match parser.peek() {
            None => Ok(value),
            Some(_) => Err(parser.fault("more text after the end of the JSON value")),
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn fault(&self, reason: &'static str) -> JsonFault {
        JsonFault { at: self.at, reason }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn since(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    fn word(&mut self, word: &'static str, value: JsonValue<'a>) -> Result<JsonValue<'a>, JsonFault> {
        match self.text.get(self.at..).is_some_and(|rest| rest.starts_with(word)) {
            true => {
                self.at += word.len();
                Ok(value)
            }
            false => Err(self.fault("not a JSON value (text needs double quotes)")),
        }
    }

    fn value(&mut self, depth: usize) -> Result<JsonValue<'a>, JsonFault> {
        if depth > DEEPEST {
            return Err(self.fault("arrays and objects lie too deep in each other"));
        }
        self.skip_blanks();
        match self.peek() {
            None => Err(self.fault("the JSON text ends too early")),
            Some(b'n') => self.word("null", JsonValue::Null),
            Some(b't') => self.word("true", JsonValue::Boolean(true)),
            Some(b'f') => self.word("false", JsonValue::Boolean(false)),
            Some(b'"') => Ok(JsonValue::Text(self.string()?)),
            Some(b'[') => self.array(depth),
            Some(b'{') => self.object(depth),
            Some(_) => self.number(),
        }
    }

    fn array(&mut self, depth: usize) -> Result<JsonValue<'a>, JsonFault> {
        let (start, mut items) = (self.at, Vec::new());
        self.at += 1;
        self.skip_blanks();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(JsonValue::Array(items, self.since(start)));
        }
        loop {
            items.push(self.value(depth + 1)?);
            if self.ends(b']')? {
                return Ok(JsonValue::Array(items, self.since(start)));
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<JsonValue<'a>, JsonFault> {
        let (start, mut entries) = (self.at, Vec::new());
        self.at += 1;
        self.skip_blanks();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(JsonValue::Object(entries, self.since(start)));
        }
        loop {
            self.skip_blanks();
            if self.peek() != Some(b'"') {
                return Err(self.fault("a key in double quotes is wanted"));
            }
            let key = self.string()?;
            self.skip_blanks();
            if self.peek() != Some(b':') {
                return Err(self.fault("a colon is wanted after a key"));
            }
            self.at += 1;
            entries.push((key, self.value(depth + 1)?));
            if self.ends(b'}')? {
                return Ok(JsonValue::Object(entries, self.since(start)));
            }
        }
    }

    /// After an item: `true` at the closing bracket, `false` after a comma.
    fn ends(&mut self, close: u8) -> Result<bool, JsonFault> {
        self.skip_blanks();
        let found = self.peek();
        match found {
            Some(byte) if byte == close || byte == b',' => {
                self.at += 1;
                Ok(byte == close)
            }
            None => Err(self.fault("the JSON text ends too early")),
            _ => Err(self.fault("a comma or a closing bracket is wanted")),
        }
    }

    fn number(&mut self) -> Result<JsonValue<'a>, JsonFault> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let leading_zero = self.peek() == Some(b'0');
        let whole = self.digits();
        if whole == 0 || (leading_zero && whole > 1) {
            self.at = start;
            return Err(self.fault("not a JSON value (text needs double quotes)"));
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            if self.digits() == 0 {
                return Err(self.fault("digits are wanted after the point of a number"));
            }
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if self.digits() == 0 {
                return Err(self.fault("digits are wanted in the exponent of a number"));
            }
        }
        Ok(JsonValue::Number(self.since(start)))
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at - start
    }

    fn string(&mut self) -> Result<Cow<'a, str>, JsonFault> {
        self.at += 1;
        let start = self.at;
        loop {
            match self.peek() {
                Some(b'"') => {
                    let text = self.since(start);
                    self.at += 1;
                    return Ok(Cow::Borrowed(text));
                }
                Some(b'\\') => break,
                Some(0..=0x1f) => return Err(self.fault("a control character in a string must be escaped")),
                None => return Err(self.fault("a string is not closed")),
                Some(_) => self.at += 1,
            }
        }
        let mut text = self.since(start).to_owned();
        loop {
            let plain = self.at;
            while matches!(self.peek(), Some(byte) if byte != b'"' && byte != b'\\' && byte > 0x1f) {
                self.at += 1;
            }
            text.push_str(self.since(plain));
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(Cow::Owned(text));
                }
                Some(b'\\') => {
                    self.at += 1;
                    text.push(self.escape()?);
                }
                Some(_) => return Err(self.fault("a control character in a string must be escaped")),
                None => return Err(self.fault("a string is not closed")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, JsonFault> {
        let letter = self.peek();
        self.at += 1;
        Ok(match letter {
            Some(b'n') => '\n',
            Some(b't') => '\t',
            Some(b'r') => '\r',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'u') => return self.unicode(),
            _ => {
                self.at -= 1;
                return Err(self.fault("unknown escape in a string"));
            }
        })
    }

    /// After `\u`: one code unit, or a surrogate pair of two.
    fn unicode(&mut self) -> Result<char, JsonFault> {
        let first = self.hex()?;
        let code = if (0xd800..0xdc00).contains(&first) {
            if !self.text.get(self.at..).is_some_and(|rest| rest.starts_with("\\u")) {
                return Err(self.fault("half of a surrogate pair stands alone"));
            }
            self.at += 2;
            let second = self.hex()?;
            if !(0xdc00..0xe000).contains(&second) {
                return Err(self.fault("half of a surrogate pair stands alone"));
            }
            0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)
        } else {
            first
        };
        char::from_u32(code).ok_or_else(|| self.fault("half of a surrogate pair stands alone"))
    }

    fn hex(&mut self) -> Result<u32, JsonFault> {
        let digits = self.text.get(self.at..self.at + 4);
        let digits = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) {
            Some(code) => {
                self.at += 4;
                Ok(code)
            }
            None => Err(self.fault("four hex digits are wanted after \\u")),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, wanted: JsonValue<'_>) {
        assert_eq!(JsonValue::parse(text), Ok(wanted));
    }

    #[test]
    fn numbers_keep_their_text() {
        for number in ["0", "-0", "18446744073709551616", "1.10", "-1e-400", "1E+2"] {
            check(number, JsonValue::Number(number));
        }
    }

    #[test]
    fn strings_are_unescaped() {
        check(r#""a\"\\\/\n\u00e9\ud83d\ude00b""#, JsonValue::Text("a\"\\/\né😀b".into()));
        assert!(matches!(JsonValue::parse("\"plain\""), Ok(JsonValue::Text(Cow::Borrowed("plain")))));
    }

    #[test]
    fn nesting_and_order_are_kept() {
        let text = r#" {"b": [1, null], "a": {}} "#;
        let Ok(JsonValue::Object(entries, raw)) = JsonValue::parse(text) else { panic!("not an object") };
        assert_eq!(raw, text.trim());
        assert_eq!(
            entries[0],
            ("b".into(), JsonValue::Array(vec![JsonValue::Number("1"), JsonValue::Null], "[1, null]"))
        );
        assert_eq!(entries[1], ("a".into(), JsonValue::Object(vec![], "{}")));
    }

    #[test]
    fn faults_say_where() {
        for (text, at) in [
            ("{\"a\":1", 6),
            ("01", 0),
            ("1.", 2),
            ("NaN", 0),
            ("[1 2]", 3),
            ("{a:1}", 1),
            ("\"\\x\"", 2),
            ("\"\\ud800\"", 7),
            ("1 2", 2),
            ("\"\u{1}\"", 1),
        ] {
            assert_eq!(JsonValue::parse(text).unwrap_err().at, at, "{text}");
        }
        assert!(JsonValue::parse(&"[".repeat(100_000)).is_err());
    }

    proptest! {
        /// The same texts are accepted as by another parser, and strings come out the same.
        #[test]
        fn agrees_with_serde(text in r#"(\{"a":)?(null|-?[0-9]{1,3}(\.[0-9]{0,2})?(e-?[0-9]?)?|"([a-zé]|\\[nu"\\]|\\u[0-9a-f]{4}){0,4}"|\[[0-9,]{0,4}\])\}?"#) {
            let theirs = serde_json::from_str::<serde_json::Value>(&text);
            let ours = JsonValue::parse(&text);
            prop_assert_eq!(ours.is_ok(), theirs.is_ok(), "{:?} {:?}", ours, theirs);
            if let (Ok(JsonValue::Text(ours)), Ok(serde_json::Value::String(theirs))) = (&ours, &theirs) {
                prop_assert_eq!(ours.as_ref(), theirs.as_str());
            }
        }
    }
}
