//! Random tables: typed ones with simple and composite keys, and mapped ones with every encoding.

use crate::random::Random;

/// A column type with values that sit on its edges, as SQL literals.
pub(crate) struct SqlType {
    pub(crate) name: &'static str,
    pub(crate) values: &'static [&'static str],
    /// Literals of other types that the planner accepts beside the column; for nested types, predicates of a column `COL`.
    pub(crate) foreign: &'static [&'static str],
    pub(crate) kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Integer,
    Float,
    Decimal,
    Boolean,
    Date,
    Timestamp,
    Text,
    Bytes,
    /// A value of the Arrow type of this name.
    Nested(&'static str),
}

impl SqlType {
    /// A value of this type that a literal stands for.
    pub(crate) fn cast(&self, literal: &str) -> String {
        match self.kind {
            Kind::Nested(arrow) => format!("arrow_cast({literal}, '{arrow}')"),
            _ => format!("CAST({literal} AS {})", self.name),
        }
    }

    pub(crate) fn is_nested(&self) -> bool {
        matches!(self.kind, Kind::Nested(_))
    }
}

pub(crate) const TYPES: &[SqlType] = &[
    SqlType {
        name: "TINYINT",
        values: &["-128", "-7", "-1", "0", "1", "5", "100", "127"],
        foreign: &["128", "-129", "5.5", "300", "'5'", "1e3", "-0.5"],
        kind: Kind::Integer,
    },
    SqlType {
        name: "SMALLINT",
        values: &["-32768", "-300", "-1", "0", "1", "9", "255", "256", "32767"],
        foreign: &["40000", "-40000", "9.0", "9.5", "'256'", "3000000000"],
        kind: Kind::Integer,
    },
    SqlType {
        name: "INT",
        values: &["-2147483648", "-300", "-1", "0", "1", "10", "255", "65536", "2147483647"],
        foreign: &["3000000000", "-3000000000", "0.5", "10.0", "'10'", "1e10", "2147483648"],
        kind: Kind::Integer,
    },
    SqlType {
        name: "BIGINT",
        values: &[
            "-9223372036854775808",
            "-4294967296",
            "-1",
            "0",
            "7",
            "9007199254740992",
            "9007199254740993",
            "9223372036854775807",
        ],
        foreign: &["18446744073709551615", "0.5", "9007199254740993.0", "'7'", "1e300", "-1e19"],
        kind: Kind::Integer,
    },
    SqlType {
        name: "INT UNSIGNED",
        values: &["0", "1", "9", "10", "2147483648", "4294967295"],
        foreign: &["-1", "4294967296", "9.5", "'10'"],
        kind: Kind::Integer,
    },
    SqlType {
        name: "BIGINT UNSIGNED",
        values: &["0", "1", "10", "9223372036854775808", "18446744073709551615"],
        foreign: &["-1", "10.5", "'10'", "18446744073709551616"],
        kind: Kind::Integer,
    },
    SqlType {
        name: "REAL",
        values: &[
            "CAST('-inf' AS REAL)",
            "-2.5",
            "-0.1",
            "0.0",
            "0.1",
            "16777216",
            "3e38",
            "CAST('inf' AS REAL)",
            "CAST('NaN' AS REAL)",
        ],
        foreign: &["16777217", "CAST(0.1 AS DOUBLE)", "1e300", "5", "-0.0"],
        kind: Kind::Float,
    },
    SqlType {
        name: "DOUBLE",
        values: &[
            "CAST('-inf' AS DOUBLE)",
            "-1e300",
            "-2.5",
            "0.0",
            "1e-10",
            "9.0",
            "10.0",
            "1e300",
            "CAST('inf' AS DOUBLE)",
            "CAST('NaN' AS DOUBLE)",
        ],
        foreign: &["9", "10", "'9.0'", "-0.0", "9223372036854775807"],
        kind: Kind::Float,
    },
    SqlType {
        name: "DECIMAL(10,2)",
        values: &["-99999999.99", "-3.25", "-0.01", "0.00", "5.55", "5.56", "10.50", "99999999.99"],
        foreign: &["5.555", "10.5", "10", "1e5", "'5.55'", "-4", "100000000"],
        kind: Kind::Decimal,
    },
    SqlType {
        name: "DECIMAL(30,5)",
        // No larger than the planner's common type DECIMAL(38,15) holds: whether an overflow beside an OR is reached
        // depends on what else is in a batch.
        values: &[
            "-10000000000000000000000.00001",
            "-0.00001",
            "0",
            "0.1",
            "7.5",
            "1234567890123456789.12345",
        ],
        foreign: &["7.500001", "8", "0.10000", "'7.5'"],
        kind: Kind::Decimal,
    },
    SqlType { name: "BOOLEAN", values: &["true", "false"], foreign: &[], kind: Kind::Boolean },
    SqlType {
        name: "DATE",
        values: &[
            "DATE '0001-01-01'",
            "DATE '1912-06-25'",
            "DATE '1969-12-31'",
            "DATE '1970-01-01'",
            "DATE '2020-02-29'",
            "DATE '2020-03-01'",
            "DATE '9999-12-31'",
        ],
        foreign: &["'1970-01-01'", "'2020-02-29'"],
        kind: Kind::Date,
    },
    SqlType {
        name: "TIMESTAMP",
        values: &[
            "TIMESTAMP '1700-01-01T00:00:00'",
            "TIMESTAMP '1969-12-31T23:59:59.999999'",
            "TIMESTAMP '1970-01-01T00:00:00'",
            "TIMESTAMP '2020-01-01T12:30:00'",
            "TIMESTAMP '2020-01-02T00:00:00.000001'",
            "TIMESTAMP '2200-01-01T00:00:00'",
        ],
        foreign: &["'2020-01-01'", "DATE '2020-01-02'", "'1970-01-01T00:00:00'"],
        kind: Kind::Timestamp,
    },
    SqlType {
        name: "TIMESTAMP(6)",
        values: &[
            "'0001-01-01T00:00:00'",
            "'1969-12-31T23:59:59.999999'",
            "'1970-01-01T00:00:00'",
            "'2020-01-01T12:30:00'",
            "'9999-12-31T23:59:59.999999'",
        ],
        foreign: &["'2020-01-01'"],
        kind: Kind::Timestamp,
    },
    SqlType {
        name: "VARCHAR",
        values: &[
            "''",
            "'a'",
            "'A'",
            "'a '",
            "'ab'",
            "'a%b'",
            "'a_b'",
            "'axb'",
            "'foo\\_a'",
            "'z'",
            "'é'",
            "'10'",
            "'9'",
            "chr(0)",
            "'a' || chr(0)",
            "'😀'",
            "'\u{ffff}'",
        ],
        foreign: &[],
        kind: Kind::Text,
    },
    SqlType {
        name: "BYTEA",
        values: &["x''", "x'00'", "x'0001'", "x'01'", "x'7f'", "x'fe'", "x'ff'", "x'ff00'", "x'ffff'"],
        foreign: &[],
        kind: Kind::Bytes,
    },
    SqlType {
        name: "ARRAY<INT>",
        values: &["[]", "[1]", "[1, NULL]", "[NULL]", "[3, 2, 1]", "[-2147483648, 2147483647]"],
        foreign: &["COL[1] = 1", "array_length(COL) > 1", "array_has(COL, 2)", "COL[2] IS NULL", "COL = [1]"],
        kind: Kind::Nested("List(Int32)"),
    },
    SqlType {
        name: "STRUCT<a DOUBLE, b ARRAY<VARCHAR>>",
        values: &[
            "named_struct('a', 0.5, 'b', ['x', NULL])",
            "named_struct('a', CAST('NaN' AS DOUBLE), 'b', [])",
            "named_struct('a', NULL, 'b', NULL)",
            "named_struct('a', -0.0, 'b', ['', 'é'])",
        ],
        foreign: &["COL['a'] > 0", "COL['a'] IS NULL", "COL['b'][1] = 'x'", "array_length(COL['b']) IS NULL"],
        kind: Kind::Nested("Struct(\"a\": Float64, \"b\": List(Utf8))"),
    },
];

pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) sql_type: &'static SqlType,
    pub(crate) key: bool,
}

pub(crate) struct Table {
    pub(crate) columns: Vec<Column>,
    pub(crate) create: String,
}

/// Sometimes, columns for a locality group.
fn grouped(random: &mut Random, columns: &[Column]) -> Option<String> {
    let values: Vec<_> = columns.iter().filter(|column| !column.key).collect();
    let members: Vec<_> =
        values.iter().filter(|_| random.chance(30)).map(|column| column.name.as_str()).collect();
    (!members.is_empty()).then(|| members.join(","))
}

impl Table {
    /// A random table named `t`.
    pub(crate) fn random(random: &mut Random) -> Self {
        if random.chance(60) { Self::typed(random) } else { Self::mapped(random) }
    }

    fn columns(random: &mut Random, keys: usize) -> Vec<Column> {
        let values = 1 + random.below(4);
        let nested = TYPES.iter().position(SqlType::is_nested).unwrap_or(TYPES.len());
        let plain = TYPES.get(..nested).unwrap_or(TYPES);
        (0..keys + values)
            .map(|i| Column {
                name: if i < keys { format!("k{i}") } else { format!("v{i}") },
                sql_type: if i < keys { random.pick(plain) } else { random.pick(TYPES) },
                key: i < keys,
            })
            .collect()
    }

    fn typed(random: &mut Random) -> Self {
        let keys = 1 + random.below(3);
        let columns = Self::columns(random, keys);
        let list: Vec<_> = columns.iter().map(|c| format!("{} {}", c.name, c.sql_type.name)).collect();
        let key: Vec<_> = columns.iter().filter(|c| c.key).map(|c| c.name.clone()).collect();
        let with = match grouped(random, &columns) {
            Some(members) => format!(" WITH ('locality.group.g' = '{members}')"),
            None => String::new(),
        };
        let create = format!("CREATE TABLE t ({}, PRIMARY KEY ({})){with}", list.join(", "), key.join(", "));
        Self { columns, create }
    }

    fn mapped(random: &mut Random) -> Self {
        let columns = Self::columns(random, 1);
        let list: Vec<_> = columns.iter().map(|c| format!("{} {}", c.name, c.sql_type.name)).collect();
        let mut entries = Vec::new();
        for column in &columns {
            let code = if column.sql_type.is_nested() { "#n" } else { *random.pick(&["", "#s", "#b", "#n"]) };
            entries.push(if column.key {
                format!(":rowid{code}")
            } else {
                format!("f:{}{code}", column.name)
            });
        }
        let group = match grouped(random, &columns) {
            Some(members) => format!(", 'locality.group.g' '{members}'"),
            None => String::new(),
        };
        let create = format!(
            "CREATE EXTERNAL TABLE t ({}) STORED AS TABLET OPTIONS ('columns.mapping' '{}', 'table.name' 'cells', 'external.table.purge' 'true'{group})",
            list.join(", "),
            entries.join(",")
        );
        Self { columns, create }
    }

    /// `SELECT` of random rows with distinct keys, each value cast to its column's type.
    pub(crate) fn rows(&self, random: &mut Random, count: usize) -> String {
        let mut rows = std::collections::BTreeMap::new();
        for _ in 0..count {
            let values: Vec<String> = self
                .columns
                .iter()
                .map(|c| {
                    let value =
                        if !c.key && random.chance(20) { "NULL" } else { *random.pick(c.sql_type.values) };
                    format!("{} AS {}", c.sql_type.cast(value), c.name)
                })
                .collect();
            let key: Vec<_> =
                values.iter().zip(&self.columns).filter(|(_, c)| c.key).map(|(v, _)| v.clone()).collect();
            rows.insert(key, format!("SELECT {}", values.join(", ")));
        }
        rows.into_values().collect::<Vec<_>>().join(" UNION ALL ")
    }
}
