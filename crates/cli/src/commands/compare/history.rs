//! Earlier reports of the same machine.

use super::{Args, each, shown};
use crate::context::Context;
use crate::error::Usage;
use crate::input;
use crate::task::Task;
use chronoscope_diagnose::compare::Past;
use chronoscope_model::Report;
use chronoscope_model::compare::Unread;
use std::path::Path;

/// The most files that are named if they cannot be read.
const NAMED: usize = 3;

/// A report next to the earlier ones of a folder; without a report, when each figure changed there.
pub fn task(args: &Args, folder: &Path, context: &Context) -> anyhow::Result<Task> {
    if !folder.exists() {
        return Err(Usage(format!("{}: there is no such folder", folder.display())).into());
    }
    let (file, newest) = match &args.files[..] {
        [] => newest(folder)?,
        [one] => (one.display().to_string(), input::report(one)?),
        _ => return Err(Usage("--history takes one report at most, the new one".into()).into()),
    };
    let mut unread = Vec::new();
    let mut past = Past::of(&file, &newest);
    each::each(folder, &mut |file, report| match report {
        Ok(report) => past.add(&file, &report),
        Err(why) => unread.push(Unread { file, why }),
    })?;
    for Unread { file, why } in unread.iter().take(NAMED) {
        context.warn(&format!("left out: {file}: {why}"));
    }
    if let more @ 1.. = unread.len().saturating_sub(NAMED) {
        context.warn(&format!("left out: {more} more, which cannot be read either"));
    }
    let shown_folder = folder.display().to_string();
    let compared = past.compared(&shown_folder, args.files.is_empty());
    let mut compared = compared.map_err(|why| Usage(format!("{shown_folder}: {why}")))?;
    if let Some(history) = &mut compared.history {
        history.unread = unread;
    }
    shown(compared, vec![(file, newest)], args, context)
}

/// The newest report of a folder that has costs.
fn newest(folder: &Path) -> Result<(String, Report), Usage> {
    let mut newest: Option<(String, Report)> = None;
    each::each(folder, &mut |file, report| {
        let Ok(report) = report else { return };
        let has = !report.clocks.is_empty() || !report.runtimes.is_empty();
        let newer = |(_, known): &(String, Report)| known.run.started < report.run.started;
        if has && newest.as_ref().is_none_or(newer) {
            newest = Some((file, report));
        }
    })?;
    newest.ok_or_else(|| Usage(format!("{}: no report in it has clocks", folder.display())))
}
