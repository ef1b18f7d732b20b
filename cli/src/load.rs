//! `ostracon load TABLE FILE...`: files into a table, as one atomic statement.

use std::sync::Arc;
use std::time::Instant;

use ostracon_handler::load::{HeaderRule, LoadFormat, LoadOptions, LoadProgress};

use crate::args::LoadArgs;
use crate::error::{CliError, Result};
use crate::progress::{Counters, ReadBar, rate};
use crate::runner::{open_session, tell_notices};
use crate::settings::StoreSettings;
use crate::terminal::{grouped, tell};

/// Loads the files.
pub(crate) async fn run(store: &StoreSettings, args: LoadArgs, show_progress: bool) -> Result<()> {
    let options = options(&args)?;
    let reject = options.reject.clone();
    let session = open_session(store)?;
    let progress = Arc::new(LoadProgress::default());
    let counted = Arc::clone(&progress);
    let bar = show_progress.then(|| ReadBar::start(move || Counters::of_load(&counted)));
    let started = Instant::now();
    let loading = session.load(&args.table, &args.files, options, Arc::clone(&progress));
    let rows = tokio::select! {
        rows = loading => rows.map_err(CliError::from),
        _ = tokio::signal::ctrl_c() => Err(CliError::Interrupted),
    };
    drop(bar);
    tell_notices(&session);
    let rows = rows?;
    tell(&format!("{} in {:.1} s\n", rate(rows, started.elapsed()), started.elapsed().as_secs_f64()));
    if let Some(path) = reject.filter(|_| progress.rejected() > 0) {
        let rejected = progress.rejected();
        let rows = if rejected == 1 { "row" } else { "rows" };
        tell(&format!("warning: {} {rows} did not fit and went to {}\n", grouped(rejected), path.display()));
    }
    Ok(())
}

fn options(args: &LoadArgs) -> Result<LoadOptions> {
    let format = match &args.input_format {
        Some(name) => {
            let format = LoadFormat::from_name(name);
            Some(format.ok_or_else(|| CliError::invalid(format!("there is no input format {name}")))?)
        }
        None => None,
    };
    let header = match (args.header, args.no_header) {
        (true, _) => HeaderRule::Names,
        (_, true) => HeaderRule::Absent,
        _ => HeaderRule::Guess,
    };
    Ok(LoadOptions {
        format,
        header,
        null: args.null.clone(),
        delimiter: args.delimiter,
        quote: args.quote,
        reject: args.reject.clone(),
        ..LoadOptions::default()
    })
}
