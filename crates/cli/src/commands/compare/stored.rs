//! Stored reports next to each other.

use super::Args;
use crate::context::Context;
use crate::error::Usage;
use crate::input;
use crate::task::Task;
use chronoscope_diagnose::compare::{COLUMNS, one_machine};
use chronoscope_model::Report;
use chronoscope_model::compare::Compared;

/// What changed from the first report to each of the others, and what works on all machines.
pub fn task(args: &Args, context: &Context) -> anyhow::Result<Task> {
    if args.files.len() < 2 {
        let line = "compare needs two reports or more: name another file";
        return Err(Usage(line.into()).into());
    }
    let mut reports = Vec::new();
    for file in &args.files {
        reports.push((file.display().to_string(), input::report(file)?));
    }
    let compared = chronoscope_diagnose::compare(&reports);
    match nothing(&reports, &compared) {
        Some(why) => Err(Usage(why).into()),
        None => super::shown(compared, args, context),
    }
}

/// Why there is nothing to show.
fn nothing(reports: &[(String, Report)], compared: &Compared) -> Option<String> {
    let Some(first) = &compared.change else {
        let one = reports.windows(2).all(|pair| one_machine(&pair[0].1, &pair[1].1));
        let none = compared.clocks.is_empty() && compared.overhead.is_empty();
        let why = if one { "of one machine" } else { "without clocks in all of them" };
        return (one || none).then(|| {
            let number = reports.len();
            format!(
                "{number} reports {why}: name at most {COLUMNS}, or one report and a folder with \
                 the others"
            )
        });
    };
    if !compared.clocks.is_empty() || !compared.overhead.is_empty() {
        return None;
    }
    let empty = std::iter::once(first).chain(&compared.more).position(|change| {
        let lists = [&change.findings, &change.verdicts, &change.trust];
        change.rows.is_empty() && lists.iter().all(|it| it.is_empty())
    })?;
    let [a, b] = [0, empty + 1].map(|at| &reports[at].0);
    Some(format!("{a} and {b} have no figure in common: name reports of one command"))
}
