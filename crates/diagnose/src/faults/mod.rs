//! Problems with time on a machine: one file each, one line each in the list below.
//!
//! A fault becomes a finding only if the report holds evidence of it. What the report does not hold
//! proves nothing, and a healthy machine gets no findings.

use crate::advise::system_clock;
use crate::late;
use crate::needs::{Need, Unmet};
use crate::reading::{cost, source};
use chronoscope_model::check::{Check, Outcome};
use chronoscope_model::environment::{Environment, Timer};
use chronoscope_model::why::Cause;
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
    /// How it is known if it is found: the best that its evidence allows.
    pub certainty: Certainty,
    /// The evidence that it looks at: files, flags, figures.
    pub looks_at: &'static str,
    /// What must be known to rule it out.
    needs: &'static [Need],
    /// Whether a finding at the level of information matters only to someone who looks for faults.
    minor: bool,
    /// Looks for evidence of it.
    look: fn(&Report, &Fault) -> Option<Finding>,
}

impl Fault {
    /// What came of looking for it.
    fn check(&self, report: &Report, found: Option<&Finding>) -> Check {
        let unmet: Vec<Unmet> = match found {
            Some(_) => Vec::new(),
            None => self.needs.iter().filter_map(|need| need.unmet(report)).collect(),
        };
        let elsewhere = unmet.iter().find(|unmet| matches!(unmet, Unmet::Elsewhere(_)));
        let (outcome, why) = match (found, elsewhere.or(unmet.first())) {
            (Some(found), _) if found.certainty == Certainty::Unknown => (Outcome::Unknown, None),
            (Some(_), _) => (Outcome::Found, None),
            (None, Some(Unmet::Elsewhere(why))) => (Outcome::Elsewhere, Some(why.clone())),
            (None, Some(Unmet::Unknown(why))) => (Outcome::Unknown, Some(why.clone())),
            (None, None) => (Outcome::Clear, None),
        };
        Check {
            id: self.id.into(),
            outcome,
            certainty: found.map_or(self.certainty, |found| found.certainty),
            looks_at: self.looks_at.into(),
            why,
        }
    }

    /// The finding if this cause, which stands for other threads, dominates the latest wake-ups.
    fn took_the_cpu(&self, report: &Report, cause: Cause) -> Option<Finding> {
        /// A shorter time is a switch to a kernel thread, in nanoseconds.
        const LEAST_NS: f64 = 200_000.0;
        let rows = late::by(report, cause, LEAST_NS);
        if rows.is_empty() {
            return None;
        }
        // The tool's own load was asked for.
        let level = match late::idle(&rows) {
            true => Level::Warning,
            false => Level::Info,
        };
        self.found(level, Certainty::Measured, late::lines(&rows))
    }

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
    adjtimex_denied,
    arm_counter_erratum,
    bad_calibration,
    cgroup_throttled,
    changed_during_run,
    clock_backwards,
    clock_not_in_vdso,
    clock_slewed,
    clock_stepped,
    clocksource_changed,
    coarse_counter,
    coarse_tick,
    contended_read,
    counter_out_of_step,
    deep_idle,
    emulated_cpu,
    frequency_changed,
    governor_powersave,
    guest_calibration_failed,
    host_gaps,
    hrtimers_off,
    hyperv_tsc_page_off,
    kvm_clock_unstable,
    leap_pending,
    long_slice_late,
    macos_monotonic_us,
    no_vdso,
    noisy_machine,
    noisy_neighbour,
    on_battery,
    preempted_awake,
    qpc_on_hpet,
    qpc_shifted,
    rate_off_everywhere,
    rdtscp_forbidden,
    readout_stall,
    rt_throttling,
    same_oscillator,
    slow_clocksource_acpi_pm,
    slow_clocksource_hpet,
    slow_clocksource_jiffies,
    slow_clocksource_xen,
    smi,
    smt_sibling_busy,
    suspended,
    tai_unset,
    time64_blocked,
    time_namespace,
    timer_resolution_15ms,
    timer_slack,
    tsc_adjust_differs,
    tsc_emulated,
    tsc_forbidden,
    tsc_forced_reliable,
    tsc_jump,
    tsc_rate_mismatch,
    tsc_skew,
    tsc_variant,
    tsc_warp,
    two_disciplines,
    unordered_read,
    unsynchronised,
    vcpu_hotplug,
    vdso_disagrees,
    vm_migrated,
    vm_paused,
    vm_restored,
    watchdog_false_positive,
    watchdog_off,
}

/// The findings of a report, worst first, without those that matter only to someone who looks for
/// faults.
pub fn findings(report: &Report) -> Vec<Finding> {
    let matters = |fault: &&Fault, found: &Finding| !fault.minor || found.level > Level::Info;
    let found = ALL.iter().filter_map(|fault| {
        let found = (fault.look)(report, fault)?;
        matters(fault, &found).then_some(found)
    });
    worst_first(found.collect())
}

/// Every finding of a report, worst first, and what came of looking for each fault.
pub fn examined(report: &Report) -> (Vec<Finding>, Vec<Check>) {
    let looked = ALL.iter().map(|fault| {
        let found = (fault.look)(report, fault);
        let check = fault.check(report, found.as_ref());
        (found, check)
    });
    let (found, checks): (Vec<_>, Vec<_>) = looked.unzip();
    (worst_first(found.into_iter().flatten().collect()), checks)
}

fn worst_first(mut found: Vec<Finding>) -> Vec<Finding> {
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

/// The most lines of the kernel's log that are given as evidence.
const LINES: usize = 4;

/// What faults of the TSC have in common that the kernel's log shows.
const TSC_LOG: Fault = Fault {
    id: "",
    title: "",
    about: "",
    fix: "",
    reference: "",
    certainty: Certainty::Evidence,
    looks_at: "",
    needs: &[Need::Linux, Need::Tsc, Need::Log],
    minor: false,
    look: |_, _| None,
};

/// Finds that the kernel's log has lines with any of these words.
fn logged(report: &Report, fault: &Fault, level: Level, words: &[&str]) -> Option<Finding> {
    let log = report.environment.kernel_log.iter();
    let lines: Vec<&String> =
        log.filter(|line| words.iter().any(|word| line.contains(word))).collect();
    let first = lines.iter().take(LINES);
    let mut evidence: Vec<String> = first.map(|line| format!("kernel log: {line}")).collect();
    if evidence.is_empty() {
        return None;
    }
    let more = lines.len() - evidence.len();
    if more > 0 {
        evidence.push(format!("and {more} more such lines"));
    }
    fault.found(level, Certainty::Evidence, evidence)
}

/// The running programs whose task it is to correct the clock. The others are the tools of
/// hypervisors, which do so only if that is switched on.
fn time_programs(env: &Environment) -> impl Iterator<Item = &str> {
    const TOOLS: [&str; 4] = ["vmtoolsd", "VBoxService", "prltoolsd", "xe-daemon"];
    let programs = env.keeping.iter().flat_map(|keeping| &keeping.programs);
    let programs = programs.flatten().map(String::as_str);
    programs.filter(|program| !TOOLS.contains(program))
}

/// Windows' performance counter, with its rate.
fn performance_counter(report: &Report) -> Option<(&Timer, f64)> {
    let mut timers = report.environment.timers.iter();
    let timer = timers.find(|timer| timer.name == "QPC")?;
    Some((timer, timer.hz?))
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
