//! Stored reports next to each other.

use super::Args;
use crate::context::Context;
use crate::error::Usage;
use crate::task::Task;
use chronoscope_diagnose::compare::{COLUMNS, one_machine};
use chronoscope_model::Report;
use chronoscope_model::compare::Compared;
use chronoscope_report::section;

/// What changed from the first report to each of the others, and what works on all machines.
pub fn task(
    reports: Vec<(String, Report)>,
    args: &Args,
    context: &Context,
) -> anyhow::Result<Task> {
    super::shown(compared(&reports)?, reports, args, context)
}

/// What changed, if there is anything to compare.
///
/// # Errors
/// There is nothing.
pub fn compared(reports: &[(String, Report)]) -> Result<Compared, Usage> {
    let compared = chronoscope_diagnose::compare(reports);
    match nothing(reports, &compared) {
        Some(why) => Err(Usage(why)),
        None => Ok(compared),
    }
}

/// Why there is nothing to show.
fn nothing(reports: &[(String, Report)], compared: &Compared) -> Option<String> {
    if compared.change.is_none() {
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
    }
    let held = |(name, report): &(String, Report)| {
        let held: Vec<&str> = section::measured(report).iter().map(|it| it.id).collect();
        (name.clone(), held)
    };
    let (a, first) = held(reports.first()?);
    reports.iter().map(held).find_map(|(b, other)| {
        let apart = !first.iter().any(|id| other.contains(id)) && first != other;
        let list = |ids: &[&str]| if ids.is_empty() { "nothing".into() } else { ids.join(", ") };
        let (first, other) = (list(&first), list(&other));
        apart.then(|| format!("{a} has {first}, {b} has {other}: name reports of one kind"))
    })
}
