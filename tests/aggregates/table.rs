//! Random tables of columns that can be added up, compared and grouped by.

use crate::random::Random;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Integer,
    Decimal,
    Float,
    Other,
}

#[derive(Debug)]
struct SqlType {
    name: &'static str,
    kind: Kind,
    values: &'static [&'static str],
}

const TYPES: &[SqlType] = &[
    SqlType { name: "TINYINT", kind: Kind::Integer, values: &["-128", "-1", "0", "1", "7", "127"] },
    SqlType { name: "SMALLINT", kind: Kind::Integer, values: &["-32768", "-1", "0", "3", "100", "32767"] },
    SqlType { name: "INT", kind: Kind::Integer, values: &["-2147483648", "-5", "0", "1", "2", "2147483647"] },
    SqlType { name: "INT", kind: Kind::Integer, values: &["-1", "0", "1", "2", "3"] },
    SqlType {
        name: "BIGINT",
        kind: Kind::Integer,
        values: &["-9223372036854775808", "-4294967296", "0", "1", "9007199254740993", "9223372036854775807"],
    },
    SqlType { name: "BIGINT", kind: Kind::Integer, values: &["-10", "0", "1", "5", "1000000"] },
    SqlType { name: "INT UNSIGNED", kind: Kind::Integer, values: &["0", "1", "9", "4294967295"] },
    SqlType {
        name: "BIGINT UNSIGNED",
        kind: Kind::Integer,
        values: &["0", "1", "10", "9223372036854775808", "18446744073709551615"],
    },
    SqlType {
        name: "DECIMAL(15,2)",
        kind: Kind::Decimal,
        values: &["-3.25", "0.00", "0.05", "17.00", "104949.50"],
    },
    SqlType {
        name: "DECIMAL(15,2)",
        kind: Kind::Decimal,
        values: &["-9999999999999.99", "0.01", "9999999999999.99", "1.00"],
    },
    SqlType {
        name: "DECIMAL(30,5)",
        kind: Kind::Decimal,
        values: &[
            "'-1234567890123456789012345.00001'",
            "-0.00001",
            "0",
            "7.5",
            "'1234567890123456789.12345'",
        ],
    },
    SqlType {
        name: "DECIMAL(38,0)",
        kind: Kind::Decimal,
        values: &[
            "'-99999999999999999999999999999999999999'",
            "0",
            "1",
            "'99999999999999999999999999999999999999'",
        ],
    },
    SqlType {
        name: "DOUBLE",
        kind: Kind::Float,
        // No NaN: DataFusion's least and greatest of those depend on which partition ends first.
        values: &["-2.5", "0.0", "-0.0", "1e300", "0.1", "CAST('inf' AS DOUBLE)", "CAST('-inf' AS DOUBLE)"],
    },
    SqlType { name: "DOUBLE", kind: Kind::Float, values: &["-2.5", "0.0", "1e300", "0.1"] },
    SqlType { name: "REAL", kind: Kind::Float, values: &["-2.5", "0.0", "16777216", "3e38"] },
    SqlType { name: "BOOLEAN", kind: Kind::Other, values: &["true", "false"] },
    SqlType {
        name: "DATE",
        kind: Kind::Other,
        values: &["DATE '0001-01-01'", "DATE '1970-01-01'", "DATE '2020-02-29'"],
    },
    SqlType {
        name: "TIMESTAMP",
        kind: Kind::Other,
        values: &["TIMESTAMP '1700-01-01T00:00:00'", "TIMESTAMP '2020-01-01T12:30:00.000001'"],
    },
    SqlType { name: "VARCHAR", kind: Kind::Other, values: &["''", "'a'", "'A'", "'ab'", "'é'", "'z'"] },
    SqlType { name: "BYTEA", kind: Kind::Other, values: &["x''", "x'00'", "x'ff'", "x'ff00'"] },
];

#[derive(Debug, Clone)]
pub(crate) struct Column {
    pub(crate) name: String,
    ty: &'static SqlType,
    nullable: bool,
    /// Whether it is a part of the key.
    pub(crate) key: bool,
}

impl Column {
    pub(crate) fn kind(&self) -> Kind {
        self.ty.kind
    }

    /// In which way its values become bytes: as values that sort, as Hive's integers, or as text.
    fn encoding(&self, random: &mut Random) -> &'static str {
        match self.kind() {
            Kind::Integer => random.pick::<&str>(&["n", "n", "b", "s"]),
            Kind::Decimal => random.pick::<&str>(&["n", "n", "s"]),
            Kind::Float | Kind::Other => "n",
        }
    }

    /// A random value of the column, as SQL.
    pub(crate) fn value(&self, random: &mut Random) -> String {
        let value = if self.nullable && random.chance(15) { "NULL" } else { *random.pick(self.ty.values) };
        format!("CAST({value} AS {})", self.ty.name)
    }
}

pub(crate) struct Table {
    /// Without the key.
    pub(crate) columns: Vec<Column>,
    pub(crate) create: String,
    /// Whether rows carry labels.
    pub(crate) labelled: bool,
}

impl Table {
    /// A table named `t` with the key `k`.
    pub(crate) fn random(random: &mut Random) -> Self {
        let labelled = random.chance(25);
        let mut columns: Vec<Column> = (0..2 + random.below(5))
            .map(|index| Column {
                name: format!("c{index}"),
                ty: random.pick(TYPES),
                nullable: labelled || random.chance(60),
                key: false,
            })
            .collect();
        let not_null = |column: &Column| if column.nullable { "" } else { " NOT NULL" };
        let list: Vec<String> =
            columns.iter().map(|c| format!("{} {}{}", c.name, c.ty.name, not_null(c))).collect();
        let create = if labelled {
            let cells: Vec<String> = columns
                .iter()
                .map(|column| format!("f:{}#{}", column.name, column.encoding(random)))
                .collect();
            format!(
                "CREATE EXTERNAL TABLE t (k INT, {}, label VARCHAR) STORED AS TABLET \
                 OPTIONS ('columns.mapping' ':rowid#n,{},:visibility')",
                list.join(", "),
                cells.join(",")
            )
        } else {
            if let Some(first) = columns.first_mut() {
                first.key = !first.nullable && first.kind() != Kind::Float && random.chance(60);
            }
            let key = if columns.first().is_some_and(|first| first.key) { "k, c0" } else { "k" };
            format!("CREATE TABLE t (k INT, {}, PRIMARY KEY ({key}))", list.join(", "))
        };
        Self { columns, create, labelled }
    }

    /// `SELECT` of rows with distinct keys.
    pub(crate) fn rows(&self, random: &mut Random, count: usize) -> String {
        let first = random.below(200) as i64 - 100;
        let rows: Vec<String> = (0..count as i64)
            .map(|row| {
                let mut values = vec![format!("CAST({} AS INT)", first + row)];
                values.extend(self.columns.iter().map(|column| column.value(random)));
                if self.labelled {
                    values.push((*random.pick(&["''", "'A'", "'B'", "'A&B'", "'A|B'"])).to_owned());
                }
                format!("({})", values.join(", "))
            })
            .collect();
        format!("VALUES {}", rows.join(", "))
    }
}
