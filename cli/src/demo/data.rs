//! The demo's tables and the bundled files that fill them (`demo/data/README.md` tells where they come from).

/// A bundled file.
pub(super) struct Bundled {
    /// The table that takes the rows, and the file's name.
    pub(super) table: &'static str,
    /// Compressed CSV with a header.
    pub(super) bytes: &'static [u8],
}

/// The files, in the order in which they are loaded.
pub(super) const FILES: [Bundled; 4] = [
    Bundled { table: "flights", bytes: include_bytes!("../../../demo/data/flights.csv.gz") },
    Bundled { table: "weather", bytes: include_bytes!("../../../demo/data/weather.csv.gz") },
    Bundled { table: "planes", bytes: include_bytes!("../../../demo/data/planes.csv.gz") },
    Bundled { table: "airlines", bytes: include_bytes!("../../../demo/data/airlines.csv.gz") },
];

/// A table and how it is made.
pub(super) struct Made {
    pub(super) table: &'static str,
    pub(super) about: &'static str,
    pub(super) sql: &'static str,
}

/// The tables. `planes` and `plane_makers` are two views of the same cells.
pub(super) const TABLES: [Made; 5] = [
    Made {
        table: "flights",
        about: "a typed table: its rows lie in the order of the composite key",
        sql: "CREATE TABLE flights (
    origin VARCHAR, departs TIMESTAMP(0), carrier VARCHAR, flight INT,
    dest VARCHAR, tailnum VARCHAR, dep_time INT, dep_delay INT, arr_time INT, arr_delay INT,
    air_time INT, distance INT,
    PRIMARY KEY (origin, departs, carrier, flight))",
    },
    Made {
        table: "weather",
        about: "a typed table with the same leading key parts",
        sql: "CREATE TABLE weather (
    origin VARCHAR, observed TIMESTAMP(0), temp DOUBLE, dewp DOUBLE, humid DOUBLE, wind_dir DOUBLE,
    wind_speed DOUBLE, wind_gust DOUBLE, precip DOUBLE, pressure DOUBLE, visib DOUBLE,
    PRIMARY KEY (origin, observed))",
    },
    Made {
        table: "planes",
        about: "a mapped table: cells of two families, text and big-endian numbers",
        sql: "CREATE EXTERNAL TABLE planes (
    tailnum VARCHAR, built INT, kind VARCHAR, maker VARCHAR, model VARCHAR,
    engines INT, seats INT, speed INT, engine VARCHAR)
STORED AS TABLET OPTIONS (
    'columns.mapping' ':rowid,made:built,made:kind,made:maker,made:model,spec:engines#b,spec:seats#b,spec:speed#b,spec:engine',
    'table.name' 'planes')",
    },
    Made {
        table: "plane_makers",
        about: "the same cells again, in Hive's words: one family as a map",
        sql: "CREATE EXTERNAL TABLE plane_makers (tailnum string, made map<string,string>)
STORED BY 'org.apache.hadoop.hive.accumulo.AccumuloStorageHandler'
WITH SERDEPROPERTIES ('accumulo.columns.mapping' = ':rowid,made:*')
TBLPROPERTIES ('accumulo.table.name' = 'planes')",
    },
    Made {
        table: "airlines",
        about: "a small typed table",
        sql: "CREATE TABLE airlines (carrier VARCHAR PRIMARY KEY, name VARCHAR)",
    },
];
