//! Texts and their tokens.

use ostracon_piglatin::lex::{TokenKind, tokenize};
use ostracon_piglatin::source::SourceId;

fn show(text: &str) -> String {
    let tokens = tokenize(SourceId(0), text);
    assert_eq!(tokens.last().map(|token| &token.kind), Some(&TokenKind::End), "{text}");
    let one = |kind: &TokenKind| match kind {
        TokenKind::Word(word) => word.clone(),
        TokenKind::Position(index) => format!("${index}"),
        TokenKind::Number { digits, suffix } => format!("{digits}:{suffix:?}"),
        TokenKind::Quoted(text) => format!("{text:?}"),
        TokenKind::Command(text) => format!("`{text}`"),
        TokenKind::Shell(words) => format!("{:?}", words.iter().map(|(word, _)| word).collect::<Vec<_>>()),
        TokenKind::Sign(sign) => sign.text().to_owned(),
        TokenKind::Bad(found) => format!("<{}..{} {}>", found.span.start, found.span.end, found.message),
        TokenKind::End => String::new(),
    };
    tokens[..tokens.len() - 1].iter().map(|token| one(&token.kind)).collect::<Vec<_>>().join(" ")
}

#[test]
fn texts_become_tokens() {
    let table = [
        ("", ""),
        ("a b_1 _c é", "a b_1 _c é"),
        ("A::b A ::b A:: b a::b::c", "A::b A : : b A : : b a::b::c"),
        ("a -- b 'c\n d", "a d"),
        ("a /* b ' \n ; */ d /**/ e", "a d e"),
        ("a-b a--b\nc", "a - b a c"),
        ("'a' 'b c' ''", r#""a" "b c" """#),
        (r"'it\'s' '\\' '\t' 'é'", r#""it's" "\\" "\t" "é""#),
        (r"'\u0041' '\u00' '\u00zz' '\q'", r#""A" "\\u00" "\\u00zz" "\\q""#),
        (r"'\ud83d\ude00' '\ud83d' '\ud83dx'", r#""😀" "\\ud83d" "\\ud83dx""#),
        ("`cut -f 'a;b'` x", "`cut -f 'a;b'` x"),
        (
            "1 1L 1l 1.5 1.5F 1e5 1E-5f 1BI 1.5BD 007",
            "1:None 1:Long 1:Long 1.5:None 1.5:Float 1e5:None 1E-5:Float 1:BigInteger 1.5:BigDecimal 007:None",
        ),
        ("1..2 $1..$2 a..b ..c $1..", "1:None .. 2:None $1 .. $2 a .. b .. c $1 .."),
        ("t.$0 t.a .5 1. (a).5", "t . $0 t . a .5:None 1.:None ( a ) . 5:None"),
        ("== = => != <= < >= > + - * / % # ? : @ . , ;", "== = => != <= < >= > + - * / % # ? : @ . , ;"),
        ("(a){b}[c]", "( a ) { b } [ c ]"),
    ];
    for (text, tokens) in table {
        assert_eq!(show(text), tokens, "{text}");
    }
}

#[test]
fn commands_of_the_shell_are_words_to_the_end_of_their_line() {
    let table = [
        ("fs -ls /a/*\nA", r#"["fs", "-ls", "/a/*"] A"#),
        ("SH echo it's; ls", r#"["sh", "echo", "it's"] ; ["ls"]"#),
        ("cat 'a b' \"c;d\" e", r#"["cat", "a b", "c;d", "e"]"#),
        ("ls = LOAD 'x'; A = ls;", r#"ls = LOAD "x" ; A = ls ;"#),
        ("run(A); run, b = m(); run x.pig", r#"run ( A ) ; run , b = m ( ) ; ["run", "x.pig"]"#),
        ("A = cat;", "A = cat ;"),
    ];
    for (text, tokens) in table {
        assert_eq!(show(text), tokens, "{text}");
    }
}

#[test]
fn what_is_no_token_says_so_at_its_place() {
    let table = [
        ("a = 'b;\nc", "a = <4..6 the string has no closing quote on its line> ; c"),
        ("'", "<0..1 the string has no closing quote on its line>"),
        ("\"a b\" c", "<0..5 strings stand in single quotes, not in double quotes> c"),
        ("\"a b", "<0..1 strings stand in single quotes, not in double quotes> a b"),
        ("a `b", "a <2..3 the command has no closing backtick>"),
        ("a /* b", "a <2..4 the comment '/*' has no end>"),
        ("5x", "<0..2 '5x' is neither a number nor a name>"),
        ("$99999999999999999999999", "<0..24 the position $99999999999999999999999 is too large>"),
        (
            "$a ${b}",
            "<0..2 '$a' is neither a position nor a parameter> <3..7 '${b}' is neither a position nor a parameter>",
        ),
        ("{$a}", "{ <1..3 '$a' is neither a position nor a parameter> }"),
        ("a ! b", "a <2..3 the character '!' has no meaning here> b"),
        ("\u{2019}a", "<0..3 the character '\u{2019}' has no meaning here> a"),
    ];
    for (text, tokens) in table {
        assert_eq!(show(text), tokens, "{text}");
    }
}
