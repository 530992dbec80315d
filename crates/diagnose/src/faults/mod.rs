//! Problems with time on a machine: one file each, one line each in the list below.
//!
//! A fault becomes a finding only if the report holds evidence of it. What the report does not hold
//! proves nothing, and a healthy machine gets no findings.

use crate::advise::system_clock;
use crate::reading::{cost, source};
use chronoscope_model::{Certainty, Finding, Level, Report};

/// A problem that the tool can detect.
pub struct Fault {
    /// A stable name, which `--allow` takes.
    pub id: &'static str,
    /// The problem in one line.
    pub title: &'static str,
    /// What it is, what causes it, and what it costs.
    pub about: &'static str,
    /// What to do about it.
    pub fix: &'static str,
    /// Where to read more.
    pub reference: &'static str,
    /// Looks for evidence of it.
    look: fn(&Report, &Fault) -> Option<Finding>,
}

impl Fault {
    /// The finding, with the fault's title, fix and reference.
    fn found(&self, level: Level, certainty: Certainty, evidence: Vec<String>) -> Option<Finding> {
        Some(Finding {
            id: self.id.into(),
            level,
            certainty,
            affects_all: false,
            title: self.title.into(),
            evidence,
            fix: self.fix.into(),
            reference: self.reference.into(),
        })
    }
}

macro_rules! faults {
    ($($file:ident),* $(,)?) => {
        $(mod $file;)*

        /// Every fault, by id.
        pub const ALL: &[&Fault] = &[$(&$file::FAULT),*];

        #[cfg(test)]
        const FILES: &[&str] = &[$(stringify!($file)),*];
    };
}

faults! {
    changed_during_run,
    clock_backwards,
    clock_not_in_vdso,
    counter_out_of_step,
    emulated_cpu,
    frequency_changed,
    governor_powersave,
    no_vdso,
    noisy_machine,
    noisy_neighbour,
    on_battery,
    slow_clocksource_acpi_pm,
    slow_clocksource_hpet,
    slow_clocksource_jiffies,
    slow_clocksource_xen,
    smt_sibling_busy,
    tsc_rate_mismatch,
    tsc_variant,
}

/// The findings of a report, worst first.
pub fn findings(report: &Report) -> Vec<Finding> {
    let mut found: Vec<Finding> = ALL
        .iter()
        .filter_map(|fault| (fault.look)(report, fault))
        .collect();
    found.sort_by_key(|finding| std::cmp::Reverse(finding.level));
    found
}

/// Finds that the clock source in use is the slow one with this name, and what a read costs.
fn slow_clock_source(report: &Report, fault: &Fault, name: &str) -> Option<Finding> {
    let env = &report.environment;
    if source(env)? != name {
        return None;
    }
    let mut evidence = vec![format!("current_clocksource: {name}")];
    if let Some(cs) = &env.clocksource {
        evidence.push(format!("available_clocksource: {}", cs.available.join(" ")));
    }
    evidence.extend(cost_of_system_clock(report));
    fault.found(Level::Warning, Certainty::Evidence, evidence)
}

/// `posix/monotonic costs 790 ns per read`
fn cost_of_system_clock(report: &Report) -> Option<String> {
    let clock = system_clock(report)?;
    Some(format!("{} costs {} per read", clock.id, cost(clock)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_in_the_list_and_named_after_its_fault() {
        crate::lists::check("src/faults", FILES, ALL.iter().map(|fault| fault.id));
    }

    #[test]
    fn nothing_is_found_in_an_empty_report() {
        assert_eq!(findings(&Report::default()), Vec::new());
    }
}
