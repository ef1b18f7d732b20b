//! Scripts that may well be right, from a number.

/// Numbers from a number (xorshift).
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or_default() % sides
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.roll(all.len())]
    }
}

/// What an expression shall be; most come out so.
#[derive(Clone, Copy)]
enum Sort {
    Boolean,
    Number,
    Text,
    Date,
    Tuple,
    Bag,
    Map,
    Unknown,
}

const SORTS: [Sort; 8] =
    [Sort::Boolean, Sort::Number, Sort::Text, Sort::Date, Sort::Tuple, Sort::Bag, Sort::Map, Sort::Unknown];

/// The relation that all scripts begin with; every field is read from text.
pub(crate) const FIELDS: &str = "p:boolean, i:int, l:long, f:float, d:double, z:datetime, s:chararray, bi:biginteger, \
    bd:bigdecimal, t:(x:int, y:chararray), b:{(k:chararray, n:int)}, m:map[int], u, g:map[], o:tuple(), w:bag{}, \
    v:{r:(q:(e:int, h), c)}";

const TYPES: &[&str] = &[
    "boolean",
    "int",
    "long",
    "float",
    "double",
    "chararray",
    "biginteger",
    "bigdecimal",
    "datetime",
    "bytearray",
    "tuple()",
    "(int, chararray)",
    "bag{}",
    "bag{(chararray, long)}",
    "map[]",
    "map[double]",
    "map[chararray]",
];

pub(crate) fn script(dice: &mut Dice) -> String {
    let mut text = format!("a = LOAD 'f' AS ({FIELDS});\n");
    text += "k = GROUP a ALL;\none = FOREACH k GENERATE COUNT(a) AS c, MAX(a.d) AS mx, a.(i, s) AS bag;\nr = LOAD 'f';\n";
    for number in 0..12 {
        text += &statement(dice, number);
        text.push('\n');
    }
    text
}

fn statement(dice: &mut Dice, number: usize) -> String {
    match dice.roll(16) {
        0 => format!("n{number} = FILTER a BY {};", expression(Sort::Boolean, dice, 3)),
        1 => {
            let key = any(dice, 2);
            let inner = any(dice, 2);
            let (kept, by) = (expression(Sort::Boolean, dice, 2), expression(Sort::Number, dice, 2));
            let down = dice.of(&["", " DESC"]);
            format!(
                "h{number} = GROUP a BY {key};\nn{number} = FOREACH h{number} {{ kept = FILTER a BY {kept}; sorted = ORDER \
                 kept BY {by}{down}; some = LIMIT sorted {}; made = FOREACH some GENERATE {inner} AS one, s, {}; both = \
                 CROSS some, made; single = DISTINCT both; GENERATE group, kept.(i, s), COUNT(sorted), FLATTEN(made), \
                 SUM(kept.l), single, kept.$0; }};",
                dice.roll(3),
                item(dice, 1)
            )
        }
        2 => {
            let (to, with) = (dice.of(&["*", "i..s", "$3..", "t, b..u"]), item(dice, 2));
            format!("n{number} = FOREACH a GENERATE {to}, {with};")
        }
        3 => {
            let (left, right) = (any(dice, 2), any(dice, 2));
            format!(
                "e{number} = FOREACH a GENERATE {left} AS v, i AS w;\nf{number} = FOREACH a GENERATE {right} AS v, d AS w;\n\
                 n{number} = UNION {}e{number}, f{number};",
                dice.of(&["", "ONSCHEMA "])
            )
        }
        4 => {
            let (key, other) = (any(dice, 2), any(dice, 2));
            format!(
                "o{number} = FOREACH a GENERATE i, s, l;\nn{number} = JOIN a BY {key}, o{number} BY {};",
                { if dice.roll(2) == 0 { key.clone() } else { other } }
            )
        }
        5 => format!("n{number} = FOREACH r GENERATE $0, (int)$1, $2 + 1, {};", item(dice, 0)),
        6 => {
            let (one, two) = (expression(Sort::Boolean, dice, 2), expression(Sort::Boolean, dice, 2));
            format!(
                "SPLIT a INTO s{number} IF {one}, t{number} IF {two}, n{number} OTHERWISE{};",
                dice.of(&["", " ALL"])
            )
        }
        7 => {
            let (key, other) = (any(dice, 2), any(dice, 2));
            format!("n{number} = COGROUP a BY ({key}, i){}, one BY ({other}, c);", dice.of(&["", " INNER"]))
        }
        8 => {
            let columns = dice.of(&["CUBE(i, s)", "ROLLUP(p, z), CUBE(l)", "CUBE(u, i)", "ROLLUP(s..bd)"]);
            format!(
                "n{number} = CUBE a BY {columns};\nm{number} = FOREACH n{number} GENERATE FLATTEN(group), COUNT(cube), cube.d;"
            )
        }
        9 => {
            let (one, two) = (any(dice, 1), any(dice, 1));
            let how = dice.of(&["", " DESC", " DESC DENSE"]);
            format!(
                "n{number} = RANK a BY {one} DESC, {two}{how};\nm{number} = ORDER n{number} BY {two}, rank_a DESC, u;"
            )
        }
        _ => {
            let items: Vec<String> = (0..=dice.roll(3)).map(|_| item(dice, 3)).collect();
            format!("n{number} = FOREACH a GENERATE {};", items.join(", "))
        }
    }
}

fn item(dice: &mut Dice, deep: usize) -> String {
    let value = any(dice, deep);
    match dice.roll(6) {
        0 => format!("{value} AS v{}:{}", dice.roll(1000), dice.of(TYPES)),
        1 => format!("FLATTEN({value})"),
        2 => format!("FLATTEN({value}) AS (w{0}, x{0}:{1})", dice.roll(1000), dice.of(TYPES)),
        _ => format!("{value} AS v{}", dice.roll(1000)),
    }
}

fn any(dice: &mut Dice, deep: usize) -> String {
    let sort = SORTS[dice.roll(SORTS.len())];
    expression(sort, dice, deep)
}

fn leaf(sort: Sort, dice: &mut Dice) -> String {
    dice.of(match sort {
        Sort::Boolean => &["p", "true", "null", "$0"],
        Sort::Number => {
            &["i", "l", "f", "d", "bi", "bd", "5", "2L", "0.5", "1.5F", "3BI", "2.25BD", "null", "u"]
        }
        Sort::Text => &["s", "'ab'", "''", "'12'", "null", "u"],
        Sort::Date => &["z", "ToDate(0L)", "null"],
        Sort::Tuple => &["t", "o", "(i, s)", "()", "(1, 'a', null)"],
        Sort::Bag => &["b", "w", "v", "{(1, 'a')}", "{}", "{i, l}", "{t, o}", "one.bag"],
        Sort::Map => &["m", "g", "[]", "['k'#1]", "['k'#i, 'j'#s]"],
        Sort::Unknown => &["u", "null", "m#'k'", "g#'k'", "t.$0", "o.$1", "t.y"],
    })
    .to_owned()
}

fn expression(sort: Sort, dice: &mut Dice, deep: usize) -> String {
    if deep == 0 || dice.roll(5) == 0 {
        return leaf(sort, dice);
    }
    let mut sub = |sort| expression(sort, dice, deep - 1);
    // Both sides of what wants two of a kind.
    let (one, two) = (sub(sort), sub(sort));
    let (number, second) = (sub(Sort::Number), sub(Sort::Number));
    let (text, boolean) = (sub(Sort::Text), sub(Sort::Boolean));
    let (tuple, bag, map) = (sub(Sort::Tuple), sub(Sort::Bag), sub(Sort::Map));
    let (date, unknown) = (sub(Sort::Date), sub(Sort::Unknown));
    let free = any(dice, deep - 1);
    match dice.roll(9) {
        0 => return format!("({boolean} ? {one} : {two})"),
        1 => return format!("(CASE {number} WHEN {second} THEN {one} ELSE {two} END)"),
        2 => return format!("(CASE WHEN {boolean} THEN {one} WHEN {number} > {second} THEN {two} END)"),
        _ => {}
    }
    let compared = dice.of(&["==", "!=", "<", "<=", ">", ">="]);
    match sort {
        Sort::Boolean => match dice.roll(8) {
            0 => format!("({number} {compared} {second})"),
            1 => format!("({text} {compared} {unknown})"),
            2 => format!("({one} {} {two})", dice.of(&["AND", "OR"])),
            3 => format!("(NOT {one})"),
            4 => format!("({free} IS {}NULL)", dice.of(&["", "NOT "])),
            5 => format!("({text} MATCHES {})", dice.of(&["'a.*'", "'[0-9]+'", "s"])),
            6 => format!("({free} IN ({number}, {unknown}))"),
            _ => format!("({tuple} == {})", dice.of(&["t", "o", "(1, 'a')", "(1L, s)"])),
        },
        Sort::Number => match dice.roll(8) {
            0 => format!("(- {number})"),
            1 => format!(
                "({}){free}",
                dice.of(&["int", "long", "double", "bigdecimal", "biginteger", "float"])
            ),
            2 => format!("SIZE({free})"),
            3 => format!("{}({bag}.$0)", dice.of(&["SUM", "MAX", "MIN", "AVG"])),
            4 => format!("COUNT({bag})"),
            5 => format!("ABS({number})"),
            6 => dice.of(&["one.c", "one.mx", "one.$0", "b.n", "t.x"]).to_owned(),
            _ => format!("({number} {} {second})", dice.of(&["+", "-", "*", "/", "%"])),
        },
        Sort::Text => match dice.roll(5) {
            0 => format!("UPPER({text})"),
            1 => format!("CONCAT({text}, {unknown})"),
            2 => format!("(chararray){free}"),
            3 => format!("REPLACE({text}, 'a', {text})"),
            _ => format!("{tuple}.{}", dice.of(&["y", "$1", "$0"])),
        },
        Sort::Date => match dice.roll(2) {
            0 => format!("(datetime){}", dice.of(&["s", "l", "u", "z", "g#'k'"])),
            _ => format!("AddDuration({date}, 'P1D')"),
        },
        Sort::Tuple => match dice.roll(5) {
            0 => format!("({free}, {one})"),
            1 => format!("TOTUPLE({free}, {text})"),
            2 => format!("({}){}", dice.of(&["tuple()", "(long, chararray)", "tuple(int)"]), unknown),
            3 => format!("{tuple}.({})", dice.of(&["$0, $1", "x, y", "$1"])),
            _ => format!("({}){tuple}", dice.of(&["(long, chararray)", "(chararray, bytearray)", "tuple()"])),
        },
        Sort::Bag => match dice.roll(6) {
            0 => format!("{{{free}, {number}}}"),
            1 => format!("TOBAG({free}, {unknown})"),
            2 => format!("{bag}.({})", dice.of(&["$0", "$1, $0", "k, n", "q"])),
            3 => format!("(bag{{({})}}){unknown}", dice.of(&["int", "chararray, long", "map[]"])),
            4 => format!(
                "(bag{{({})}}){bag}",
                dice.of(&["long, chararray", "chararray, double", "(int, int), int"])
            ),
            _ => format!("{{{tuple}, {tuple}}}"),
        },
        Sort::Map => match dice.roll(4) {
            0 => format!("['k'#{free}, 'j'#{unknown}]"),
            1 => format!("TOMAP('k', {free})"),
            2 => format!("(map[{}]){map}", dice.of(&["", "int", "chararray", "tuple(int)"])),
            _ => format!("(map[{}]){unknown}", dice.of(&["", "long", "bag{(int)}"])),
        },
        Sort::Unknown => match dice.roll(4) {
            0 => format!("{map}#'k'"),
            1 => format!("{unknown}.$0"),
            2 => format!("{tuple}.$1"),
            _ => format!("{unknown}#'k'"),
        },
    }
}
