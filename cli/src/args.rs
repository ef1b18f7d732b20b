//! [`LowArgs`]: the command line as typed. What it means is settled in [`crate::settings`].

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::format::Format;
use ostracon::Authorizations;

/// A tablet store with SQL on Apache DataFusion.
#[derive(Debug, Parser)]
#[command(name = "ostracon", version, max_term_width = 100, disable_help_subcommand = true, after_help = AFTER)]
pub(crate) struct LowArgs {
    #[command(flatten)]
    pub(crate) shared: SharedArgs,
    #[command(flatten)]
    pub(crate) sql: SqlArgs,
    #[command(subcommand)]
    pub(crate) command: Option<LowCommand>,
}

const AFTER: &str = "Without a command: SQL, from -c and -f, or typed in.
Exit status: 0 done, 1 a statement failed, 2 bad usage.";

/// What every command takes.
#[derive(Debug, Args)]
pub(crate) struct SharedArgs {
    /// The store's folder; `:memory:` keeps nothing [default: ./ostracon-data]
    #[arg(long, value_name = "DIR", global = true, env = "OSTRACON_DATA")]
    pub(crate) data: Option<PathBuf>,
    /// Act as this user [default: the store's administrator]
    #[arg(long, value_name = "NAME", global = true)]
    pub(crate) user: Option<String>,
    /// Visibility labels that this session may read, as in A,B [default: none]
    #[arg(long, value_name = "A,B", global = true, value_parser = labels)]
    pub(crate) auths: Option<Authorizations>,
    /// A file of `KEY = VALUE` lines: data, user, auths, format, progress, ostracon.*, datafusion.*
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) config: Option<PathBuf>,
    /// How results are written [default: table on a terminal, else csv]
    #[arg(long, value_name = "F", global = true)]
    pub(crate) format: Option<Format>,
    /// Show no progress bars
    #[arg(long, global = true)]
    pub(crate) no_progress: bool,
}

/// What there is to do.
#[derive(Debug, Subcommand)]
pub(crate) enum LowCommand {
    /// Run SQL statements, or type them in
    Sql(SqlArgs),
    /// Run Pig Latin, or type it in
    #[command(after_help = PIG_EXAMPLES)]
    Pig(PigArgs),
    /// Load CSV, NDJSON or Parquet files into a table, as one atomic statement
    Load(LoadArgs),
    /// Print the types of Parquet files
    #[command(subcommand, after_help = PARQUET_EXAMPLES)]
    Parquet(ParquetCommand),
    /// Look into the store and look after it
    #[command(subcommand)]
    Store(StoreCommand),
    /// Create, load and query the bundled data: flights that left New York in January and February 2013
    Demo,
}

/// What is asked about Parquet files.
#[derive(Debug, Subcommand)]
pub(crate) enum ParquetCommand {
    /// The message type of a file
    Schema {
        /// The file
        file: PathBuf,
    },
    /// A message type clipped to the columns that are asked for
    Clip {
        /// The type of a file, as `parquet schema` prints it
        #[arg(long, value_name = "MESSAGE TYPE")]
        file_schema: String,
        /// The columns, as in CREATE EXTERNAL TABLE
        #[arg(long, value_name = "DDL COLUMNS")]
        requested: String,
        /// Match names without regard to case
        #[arg(long)]
        case_insensitive: bool,
        /// Field ids: `s=1,s.a=7`; a list's element is `element`, a map's parts are `key` and `value`
        #[arg(long, value_name = "PATH=N,...")]
        ids: Option<String>,
    },
}

/// Shown below the help of `ostracon parquet`.
const PARQUET_EXAMPLES: &str = "Examples:
  ostracon parquet schema data/part-0.parquet
  ostracon parquet clip --file-schema 'message m { optional group s { optional int32 a; optional int32 b; } }' \\
      --requested 's STRUCT<b INT>'";

/// Where SQL comes from.
#[derive(Debug, Default, Args)]
pub(crate) struct SqlArgs {
    /// Run these statements; may be given several times
    #[arg(short = 'c', long = "command", value_name = "SQL")]
    pub(crate) commands: Vec<String>,
    /// Run the statements of this file (`-` is standard input); may be given several times
    #[arg(short = 'f', long = "file", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

const PIG_EXAMPLES: &str = "Pig's own spelling with one dash is understood: -param, -param_file, -check, -dryrun.

Examples:
  ostracon pig script.pig
  ostracon pig -param day=2026-01-31 -param_file common.params script.pig
  ostracon pig -e \"A = LOAD 'table:events'; B = GROUP A BY kind; C = FOREACH B GENERATE group, COUNT(A); DUMP C;\"
  ostracon pig -check script.pig";

/// Where Pig Latin comes from, and what is done with it.
#[derive(Debug, Default, Args)]
pub(crate) struct PigArgs {
    /// The script; `-` is standard input
    pub(crate) file: Option<PathBuf>,
    /// Run these statements; may be given several times
    #[arg(short = 'e', long = "execute", value_name = "LATIN", conflicts_with = "file")]
    pub(crate) execute: Vec<String>,
    /// Give a parameter its value; may be given several times
    #[arg(short = 'p', long = "param", value_name = "K=V")]
    pub(crate) parameters: Vec<String>,
    /// Read parameters from a file of `K=V` lines; may be given several times
    #[arg(short = 'm', long = "param_file", value_name = "FILE")]
    pub(crate) parameter_files: Vec<PathBuf>,
    /// Only check the script: all faults are told, nothing is run
    #[arg(short = 'c', long, conflicts_with = "dryrun")]
    pub(crate) check: bool,
    /// Only show the script, after parameters and macros
    #[arg(short = 'r', long)]
    pub(crate) dryrun: bool,
}

/// The options that Pig spells with one dash.
const PIG_OPTIONS: [&str; 6] = ["-param", "-param_file", "-check", "-dryrun", "-execute", "-help"];

/// The command line with Pig's options as others are, behind the command `pig`.
pub(crate) fn with_pig_options(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut pig = false;
    args.map(|arg| {
        let text = arg.to_str().unwrap_or_default();
        pig |= text == "pig";
        let name = text.split('=').next().unwrap_or_default();
        match pig && PIG_OPTIONS.contains(&name) {
            true => OsString::from(format!("-{text}")),
            false => arg,
        }
    })
    .collect()
}

/// What is loaded, and how it is read.
#[derive(Debug, Args)]
pub(crate) struct LoadArgs {
    /// The table that takes the rows
    pub(crate) table: String,
    /// The files; `-` is standard input, `.gz`, `.zst`, `.bz2` and `.xz` are decompressed
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The files' format [default: by extension]
    #[arg(long, value_name = "F", value_parser = ["csv", "tsv", "ndjson", "json", "parquet"])]
    pub(crate) input_format: Option<String>,
    /// The first line of a CSV file names the columns [default: guessed]
    #[arg(long, conflicts_with = "no_header")]
    pub(crate) header: bool,
    /// The first line of a CSV file is a row
    #[arg(long)]
    pub(crate) no_header: bool,
    /// The unquoted CSV text that is NULL
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(crate) null: String,
    /// What stands between CSV fields [default: a comma, or a tab for TSV]
    #[arg(long, value_name = "CHAR", value_parser = mark)]
    pub(crate) delimiter: Option<u8>,
    /// What stands around CSV fields
    #[arg(long, value_name = "CHAR", default_value = "\"", value_parser = mark)]
    pub(crate) quote: u8,
    /// Write rows that do not fit into this CSV file, with line, column and reason, and load the others
    #[arg(long, value_name = "FILE")]
    pub(crate) reject: Option<PathBuf>,
}

/// The tools of the store. KEY is the text of the key's type, ISO for dates and times, `\xHH` for bytes, the parts of a
/// composite key between commas; `--` ends the options, so that a negative number may follow.
#[derive(Debug, Subcommand)]
pub(crate) enum StoreCommand {
    /// Print the rows of a table between two keys, or its cells
    Scan {
        /// The table
        table: String,
        /// The first key
        #[arg(long, value_name = "KEY", allow_hyphen_values = true)]
        begin: Option<String>,
        /// The last key; rows that begin with it (the leading parts of a composite key) are still printed
        #[arg(long, value_name = "KEY", allow_hyphen_values = true)]
        end: Option<String>,
        /// Print the cells as they are stored, with labels and timestamps
        #[arg(long)]
        raw: bool,
    },
    /// Bring what is in memory to disk
    Flush {
        /// The tables [default: all]
        tables: Vec<String>,
    },
    /// Merge the files of tables, and let deleted and expired cells go
    Compact {
        /// The tables [default: all]
        tables: Vec<String>,
    },
    /// Cut tablets at keys; each key becomes the last one of its tablet
    Split {
        /// The table
        table: String,
        /// The keys
        #[arg(required = true, value_name = "KEY")]
        keys: Vec<String>,
    },
    /// Join tablets again: all of a table, or those between two keys
    Merge {
        /// The table
        table: String,
        /// The first key
        #[arg(long, value_name = "KEY", allow_hyphen_values = true)]
        begin: Option<String>,
        /// The last key
        #[arg(long, value_name = "KEY", allow_hyphen_values = true)]
        end: Option<String>,
    },
    /// List tablets with their bounds and sizes
    Tablets {
        /// The tables [default: all]
        tables: Vec<String>,
    },
    /// Show what tables take on disk
    Du {
        /// The tables [default: all]
        tables: Vec<String>,
    },
    /// Verify that all that is stored can be read
    Check,
}

/// One ASCII character; a tab may be written `\t`.
fn mark(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        [byte] if byte.is_ascii() => Ok(*byte),
        b"\\t" => Ok(b'\t'),
        _ => Err("one ASCII character is wanted".to_owned()),
    }
}

/// Labels between commas.
pub(crate) fn labels(text: &str) -> Result<Authorizations, String> {
    Authorizations::parse(text)
        .map_err(|error| format!("{}, at character {}", error.message, error.position + 1))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        LowArgs::command().debug_assert();
    }

    #[test]
    fn shared_options_may_follow_the_command() {
        let args = LowArgs::try_parse_from(["ostracon", "sql", "--data", "d", "-c", "SELECT 1"]).unwrap();
        assert_eq!(args.shared.data, Some("d".into()));
        assert!(matches!(args.command, Some(LowCommand::Sql(sql)) if sql.commands == ["SELECT 1"]));
    }

    #[test]
    fn pig_options_have_one_dash_or_two() {
        let typed =
            ["ostracon", "pig", "s.pig", "-param", "a=-check", "-param_file", "p", "-param=b=2", "--check"];
        let args = LowArgs::try_parse_from(with_pig_options(typed.into_iter().map(OsString::from))).unwrap();
        let Some(LowCommand::Pig(pig)) = args.command else { panic!("{:?}", args.command) };
        assert_eq!(pig.file, Some("s.pig".into()));
        assert_eq!(pig.parameters, ["a=-check", "b=2"]);
        assert_eq!(pig.parameter_files, [PathBuf::from("p")]);
        assert!(pig.check && !pig.dryrun);
    }

    #[test]
    fn marks_are_single_characters() {
        assert_eq!((mark(";"), mark("\\t")), (Ok(b';'), Ok(b'\t')));
        assert!(mark("é").is_err() && mark("").is_err() && mark("ab").is_err());
    }

    #[test]
    fn labels_are_checked_as_typed() {
        let args = LowArgs::try_parse_from(["ostracon", "--auths", "A, B"]).unwrap();
        assert_eq!(args.shared.auths, Some(Authorizations::new(["A", "B"])));
        let error = LowArgs::try_parse_from(["ostracon", "--auths", "A,\""]).unwrap_err();
        assert!(error.exit_code() == 2 && error.to_string().contains("character 3"), "{error}");
    }

    #[test]
    fn keys_may_be_negative_after_two_dashes() {
        let args = LowArgs::try_parse_from(["ostracon", "store", "split", "t", "--", "-5", "5"]).unwrap();
        match args.command {
            Some(LowCommand::Store(StoreCommand::Split { keys, .. })) => assert_eq!(keys, ["-5", "5"]),
            other => panic!("{other:?}"),
        }
        let args = LowArgs::try_parse_from(["ostracon", "store", "scan", "t", "--begin", "-5"]).unwrap();
        assert!(
            matches!(args.command, Some(LowCommand::Store(StoreCommand::Scan { begin: Some(key), .. })) if key == "-5")
        );
    }
}
