//! [`Settings`]: what the command line, the environment and the configuration file mean together.
//!
//! An option of the command line wins over the environment, that over the configuration file, that over the default.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, CommandFactory, FromArgMatches, ValueEnum};

use ostracon::Authorizations;

use crate::args::{
    LoadArgs, LowArgs, LowCommand, ParquetCommand, PigArgs, SharedArgs, SqlArgs, StoreCommand, labels,
    with_pig_options,
};
use crate::format::Format;

/// All that is to be done, and how.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) store: StoreSettings,
    pub(crate) format: Format,
    /// Whether progress bars may be shown: stderr is a terminal and nobody forbade it.
    pub(crate) progress: bool,
    /// Whether a person reads stdout as it is written.
    pub(crate) interactive: bool,
    pub(crate) command: Command,
}

/// How the store is opened, and as whom.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct StoreSettings {
    /// `None`: nothing is kept.
    pub(crate) folder: Option<PathBuf>,
    pub(crate) user: Option<String>,
    /// The labels that the session asks for.
    pub(crate) auths: Authorizations,
    /// Session settings of the configuration file, in its order.
    pub(crate) session: Vec<(String, String)>,
}

/// What is to be done.
#[derive(Debug)]
pub(crate) enum Command {
    Scripts(Vec<Script>),
    Shell,
    Pig(PigArgs),
    Load(LoadArgs),
    Parquet(ParquetCommand),
    Store(StoreCommand),
    /// The demo, in the folder that was named (which keeps its tables) or in a passing one.
    Demo {
        keep: bool,
    },
}

/// One source of SQL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Script {
    Text(String),
    File(PathBuf),
    Stdin,
}

/// The folder of the store when none is named.
const DEFAULT_FOLDER: &str = "ostracon-data";

/// The words of a configuration file that set options of the command line.
#[derive(Debug, Default, PartialEq, Eq)]
struct Config {
    data: Option<PathBuf>,
    user: Option<String>,
    auths: Option<Authorizations>,
    format: Option<Format>,
    progress: Option<bool>,
    session: Vec<(String, String)>,
}

impl Settings {
    /// Reads the command line; the error is clap's, which prints itself and knows the exit status (2, or 0 for help).
    pub(crate) fn from_args(args: impl Iterator<Item = OsString>) -> Result<Self, clap::Error> {
        let matches = LowArgs::command().try_get_matches_from(with_pig_options(args))?;
        let low = LowArgs::from_arg_matches(&matches)?;
        let refuse =
            |message: String| LowArgs::command().error(clap::error::ErrorKind::ValueValidation, message);
        let config = match &low.shared.config {
            Some(path) => read_config(path).map_err(refuse)?,
            None => Config::default(),
        };
        let mut scripts = scripts_in_order(&matches, &low.sql);
        let command = match low.command {
            None => Command::Shell,
            Some(LowCommand::Sql(sql)) => {
                let nested = matches.subcommand_matches("sql");
                scripts.extend(nested.map(|nested| scripts_in_order(nested, &sql)).unwrap_or_default());
                Command::Shell
            }
            Some(LowCommand::Pig(pig)) => Command::Pig(pig),
            Some(LowCommand::Load(load)) => Command::Load(load),
            Some(LowCommand::Parquet(parquet)) => Command::Parquet(parquet),
            Some(LowCommand::Store(store)) => Command::Store(store),
            Some(LowCommand::Demo) => {
                Command::Demo { keep: low.shared.data.is_some() || config.data.is_some() }
            }
        };
        let command = match command {
            Command::Shell if !scripts.is_empty() => Command::Scripts(scripts),
            Command::Shell if !std::io::stdin().is_terminal() => Command::Scripts(vec![Script::Stdin]),
            Command::Shell => Command::Shell,
            _ if !scripts.is_empty() => {
                return Err(refuse("-c and -f belong to SQL, not to this command".to_owned()));
            }
            other => other,
        };
        Ok(Self::settled(low.shared, config, command))
    }

    fn settled(shared: SharedArgs, config: Config, command: Command) -> Self {
        let interactive = std::io::stdout().is_terminal();
        let folder = shared.data.or(config.data).unwrap_or_else(|| PathBuf::from(DEFAULT_FOLDER));
        let store = StoreSettings {
            folder: (folder.as_os_str() != ":memory:").then_some(folder),
            user: shared.user.or(config.user),
            auths: shared.auths.or(config.auths).unwrap_or_default(),
            session: config.session,
        };
        let default_format = if interactive { Format::Table } else { Format::Csv };
        Self {
            store,
            format: shared.format.or(config.format).unwrap_or(default_format),
            progress: !shared.no_progress
                && config.progress != Some(false)
                && std::io::stderr().is_terminal(),
            interactive,
            command,
        }
    }
}

/// The scripts as they were typed: `-c` and `-f` may be mixed.
fn scripts_in_order(matches: &ArgMatches, sql: &SqlArgs) -> Vec<Script> {
    let places = |id: &str| matches.indices_of(id).map(Iterator::collect::<Vec<_>>).unwrap_or_default();
    let texts = sql.commands.iter().map(|text| Script::Text(text.clone()));
    let files = sql.files.iter().map(|path| match path.as_os_str() == "-" {
        true => Script::Stdin,
        false => Script::File(path.clone()),
    });
    let mut all: Vec<_> = places("commands").into_iter().zip(texts).collect();
    all.extend(places("files").into_iter().zip(files));
    all.sort_by_key(|(place, _)| *place);
    all.into_iter().map(|(_, script)| script).collect()
}

fn read_config(path: &Path) -> Result<Config, String> {
    let shown = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("cannot read the configuration {shown}: {error}"))?;
    parse_config(&text).map_err(|(line, reason)| format!("{shown}:{line}: {reason}"))
}

/// Lines of `KEY = VALUE`; blank lines and lines that begin with `#` are left out; a value may stand in double quotes.
fn parse_config(text: &str) -> Result<Config, (usize, String)> {
    let mut config = Config::default();
    for (index, line) in text.lines().enumerate() {
        let wrong = |reason: String| (index + 1, reason);
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (key, value) = line.split_once('=').ok_or_else(|| wrong("KEY = VALUE is wanted".to_owned()))?;
        let (key, value) = (key.trim(), value.trim());
        let quoted = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
        let value = quoted.unwrap_or(value).to_owned();
        match key {
            "data" => config.data = Some(value.into()),
            "user" => config.user = Some(value),
            "auths" => config.auths = Some(labels(&value).map_err(wrong)?),
            "format" => config.format = Some(Format::from_str(&value, true).map_err(wrong)?),
            "progress" => {
                let value =
                    value.parse().map_err(|_| wrong(format!("progress is true or false, not {value}")))?;
                config.progress = Some(value);
            }
            _ if key.starts_with("ostracon.") || key.starts_with("datafusion.") => {
                config.session.push((key.to_owned(), value));
            }
            _ => {
                let known = "data, user, auths, format, progress, ostracon.* and datafusion.*";
                return Err(wrong(format!("unknown key {key}; known are {known}")));
            }
        }
    }
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(args: &[&str]) -> Settings {
        let args = std::iter::once("ostracon").chain(args.iter().copied()).map(OsString::from);
        Settings::from_args(args).unwrap()
    }

    #[test]
    fn scripts_keep_their_order() {
        let found = settings(&["-c", "A", "sql", "-f", "x.sql", "-c", "B", "-f", "-"]);
        let wanted = [
            Script::Text("A".to_owned()),
            Script::File("x.sql".into()),
            Script::Text("B".to_owned()),
            Script::Stdin,
        ];
        assert!(matches!(found.command, Command::Scripts(scripts) if scripts == wanted));
    }

    #[test]
    fn memory_keeps_nothing() {
        assert_eq!(settings(&["--data", ":memory:", "store", "check"]).store.folder, None);
        assert_eq!(settings(&["store", "check", "--data=x"]).store.folder, Some("x".into()));
    }

    #[test]
    fn sql_belongs_to_sql() {
        let args = ["ostracon", "-c", "SELECT 1", "demo"].map(OsString::from);
        assert_eq!(Settings::from_args(args.into_iter()).unwrap_err().exit_code(), 2);
    }

    #[test]
    fn a_configuration_is_read_by_lines() {
        let config = parse_config(
            "# mine\n\ndata = \"/a b\"\nformat=JSON\nprogress = false\nostracon.use_index = true\n",
        )
        .unwrap();
        assert_eq!(config.data, Some("/a b".into()));
        assert_eq!(config.format, Some(Format::Json));
        assert_eq!(config.progress, Some(false));
        assert_eq!(config.session, [("ostracon.use_index".to_owned(), "true".to_owned())]);
        assert_eq!(parse_config("data = x\nnonsense").unwrap_err().0, 2);
        assert!(parse_config("dta = x").unwrap_err().1.contains("unknown key dta"));
    }
}
