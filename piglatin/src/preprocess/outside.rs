/// Reads the files that IMPORT names.
pub trait ScriptReader {
    /// The text of the file, `None` if there is none of that path. `Err` tells why one that is there cannot be read.
    fn read_script(&self, path: &str) -> Result<Option<String>, String>;
}

/// Runs the commands whose output is the value of a parameter: ``%declare day `date +%F` ``.
pub trait CommandRunner {
    /// What the command prints, or why it failed.
    fn output_of(&self, command: &str) -> Result<String, String>;
}

/// A script that stands alone: no files to import, no commands to run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Isolated;

impl ScriptReader for Isolated {
    fn read_script(&self, _path: &str) -> Result<Option<String>, String> {
        Ok(None)
    }
}

impl CommandRunner for Isolated {
    fn output_of(&self, _command: &str) -> Result<String, String> {
        Err("commands cannot be run here".to_owned())
    }
}
