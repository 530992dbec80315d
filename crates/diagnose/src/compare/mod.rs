//! Several reports next to each other: what changed, and what works on every machine.

mod basis;
mod brief;
mod environment;
pub mod figures;
mod gained;
mod history;
pub mod judged;
pub mod pairs;
mod portable;
pub mod rule;
mod sets;
mod shared;
pub mod stats;
mod stored;
pub mod turns;

pub use brief::{brief, many};
pub use environment::{environment, one_machine};
pub use gained::{findings, trust, verdicts};
pub use history::Past;
pub use sets::{Set, sets};
pub use shared::shared;
pub use stored::{side, stored};

use chronoscope_model::Report;
use chronoscope_model::compare::Compared;

/// More reports than this are not compared with the first one.
pub const COLUMNS: usize = 4;

/// Compares reports, each with the name of its file: what changed from the first to each of the
/// others, if there are at most [`COLUMNS`], and what works on all machines, if there are several
/// or there are more reports. What not every report holds is left out.
pub fn compare(reports: &[(String, Report)]) -> Compared {
    let Some(((name, first), others)) = reports.split_first() else {
        return Compared::default();
    };
    let many = reports.len() > COLUMNS;
    let machines = many || others.iter().any(|(_, other)| !one_machine(first, other));
    let judged = if many { &[] } else { others };
    let mut changes = judged.iter().map(|(file, other)| stored((name, first), (file, other)));
    let (change, more) = (changes.next(), changes.collect());
    Compared { change, more, ..portable::portable(reports, machines) }
}
