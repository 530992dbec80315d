//! Problems with time on a machine: a row or a function each, in the file of their topic, and one
//! line each in the list below.
//!
//! A fault becomes a finding only if the report holds evidence of it. What the report does not hold
//! proves nothing, and a healthy machine gets no findings.

mod clock_source;
mod counter;
mod during_run;
mod fault;
mod kernel_log;
mod library;
mod outside;
mod permission;
mod power;
mod skew;
mod systems;
mod vdso;
mod verdict;
mod vm;
mod waits;
mod wall;

pub use fault::Fault;
pub use verdict::verdict;

use chronoscope_model::{Check, Finding, Level, Report};

/// Every fault, by id.
pub static ALL: &[&Fault] = &[
    &permission::ADJTIMEX_DENIED,
    &counter::ARM_COUNTER_ERRATUM,
    &counter::BAD_CALIBRATION,
    &waits::CGROUP_THROTTLED,
    &during_run::CHANGED_DURING_RUN,
    &wall::CLOCK_BACKWARDS,
    &vdso::CLOCK_NOT_IN_VDSO,
    &wall::CLOCK_SLEWED,
    &wall::CLOCK_STEPPED,
    &clock_source::CLOCKSOURCE_CHANGED,
    &kernel_log::CLOCKSOURCE_REFUSED,
    &counter::CNTFRQ_MISMATCH,
    &counter::COARSE_COUNTER,
    &waits::COARSE_TICK,
    &counter::CONTENDED_READ,
    &counter::COUNTER_OUT_OF_STEP,
    &waits::DEEP_IDLE,
    &counter::EMULATED_CPU,
    &outside::ERROR_UNDERSTATED,
    &power::FREQUENCY_CHANGED,
    &power::GOVERNOR_POWERSAVE,
    &outside::GUEST_AHEAD,
    &outside::GUEST_BEHIND,
    &kernel_log::GUEST_CALIBRATION_FAILED,
    &kernel_log::GUEST_TSC_UNRELIABLE,
    &waits::HOST_GAPS,
    &waits::HRTIMERS_OFF,
    &clock_source::HYPERV_TSC_PAGE_OFF,
    &clock_source::KVM_CLOCK_UNSTABLE,
    &wall::LEAP_PENDING,
    &kernel_log::LEAP_SECOND_INSERTED,
    &library::LIBRARY_CLOCK,
    &waits::LONG_SLICE_LATE,
    &systems::MACOS_MONOTONIC_US,
    &vdso::NO_VDSO,
    &during_run::NOISY_MACHINE,
    &vm::NOISY_NEIGHBOUR,
    &power::ON_BATTERY,
    &waits::PREEMPTED_AWAKE,
    &systems::QPC_ON_HPET,
    &systems::QPC_ON_VARIANT_TSC,
    &systems::QPC_SHIFTED,
    &clock_source::RATE_OFF_EVERYWHERE,
    &permission::RDTSCP_FORBIDDEN,
    &kernel_log::READOUT_STALL,
    &kernel_log::RT_THROTTLING,
    &clock_source::SAME_OSCILLATOR,
    &permission::SLEEPS_REFUSED,
    &clock_source::SLOW_CLOCKSOURCE_ACPI_PM,
    &clock_source::SLOW_CLOCKSOURCE_HPET,
    &clock_source::SLOW_CLOCKSOURCE_JIFFIES,
    &clock_source::SLOW_CLOCKSOURCE_XEN,
    &waits::SMI,
    &power::SMT_SIBLING_BUSY,
    &outside::SOURCES_DISAGREE,
    &wall::SUSPENDED,
    &wall::TAI_UNSET,
    &permission::TIME64_BLOCKED,
    &wall::TIME_NAMESPACE,
    &kernel_log::TIMER_INTERRUPT_LONG,
    &systems::TIMER_REQUESTS_IGNORED,
    &systems::TIMER_RESOLUTION_15MS,
    &waits::TIMER_SLACK,
    &kernel_log::TSC_ADJUST_DIFFERS,
    &kernel_log::TSC_DEADLINE_OFF,
    &counter::TSC_EMULATED,
    &permission::TSC_FORBIDDEN,
    &counter::TSC_FORCED_RELIABLE,
    &kernel_log::TSC_GIVEN_UP,
    &counter::TSC_JUMP,
    &kernel_log::TSC_NOT_P0,
    &counter::TSC_RATE_MISMATCH,
    &kernel_log::TSC_SKEW,
    &counter::TSC_VARIANT,
    &kernel_log::TSC_WARP,
    &wall::TWO_DISCIPLINES,
    &counter::UNORDERED_READ,
    &wall::UNSYNCHRONISED,
    &kernel_log::VCPU_HOTPLUG,
    &vdso::VDSO_DISAGREES,
    &vm::VM_MIGRATED,
    &vm::VM_PAUSED,
    &vm::VM_RESTORED,
    &kernel_log::WATCHDOG_FALSE_POSITIVE,
    &clock_source::WATCHDOG_OFF,
];

/// The findings of a report, worst first, without those that matter only to someone who looks for
/// faults.
pub fn findings(report: &Report) -> Vec<Finding> {
    let found = ALL.iter().filter_map(|fault| {
        let found = fault.check(report).0?;
        (!fault.minor || found.level > Level::Info).then_some(found)
    });
    worst_first(found.collect())
}

/// Every finding of a report, worst first, and the result of looking for each fault.
pub fn examined(report: &Report) -> (Vec<Finding>, Vec<Check>) {
    if of_browser(report) {
        return (worst_first(report.findings.clone()), Vec::new());
    }
    let (found, checks): (Vec<_>, Vec<_>) = ALL.iter().map(|fault| fault.check(report)).unzip();
    (worst_first(found.into_iter().flatten().collect()), checks)
}

/// Whether a page measured its browser. It judged what it found, and knows nothing of the machine,
/// which is what faults and verdicts are about.
pub fn of_browser(report: &Report) -> bool {
    report.clocks.iter().any(|clock| clock.home == "browsers")
}

fn worst_first(mut found: Vec<Finding>) -> Vec<Finding> {
    found.sort_by_key(|finding| std::cmp::Reverse(finding.level));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_model::check;
    use std::path::Path;

    #[test]
    fn every_fault_of_every_file_is_in_the_list_by_its_id() {
        let list = include_str!("mod.rs");
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/faults");
        let mut names = Vec::new();
        for entry in std::fs::read_dir(folder).expect("a folder of this crate") {
            let path = entry.expect("a file in it").path();
            let topic = path.file_stem().and_then(|stem| stem.to_str()).expect("a name").to_owned();
            let text = std::fs::read_to_string(&path).expect("a text");
            assert!(topic == "mod" || list.contains(&format!("mod {topic};")), "{topic}.rs");
            let entries = text.lines().filter_map(|line| line.strip_prefix("pub(super) const "));
            let entries = entries.filter_map(|line| line.split_once(": Fault = "));
            // Those of a macro: `    NAME "id" Level BASE {`.
            let rows =
                text.lines().filter_map(|line| line.strip_prefix("    ")?.strip_suffix(" {"));
            let rows = rows.filter(|row| row.starts_with(|c: char| c.is_ascii_uppercase()));
            let rows = rows.filter_map(|row| row.split_once(" \""));
            for name in entries.chain(rows).map(|it| it.0) {
                if name == "FAULT" {
                    continue;
                }
                let listed = list.contains(&format!("    &{topic}::{name},\n"));
                assert!(listed, "faults/mod.rs does not list {topic}::{name}");
                names.push(name.to_lowercase());
            }
        }
        names.sort();
        let ids: Vec<String> = ALL.iter().map(|fault| fault.id().replace('-', "_")).collect();
        assert_eq!(names, ids);
    }

    #[test]
    fn nothing_is_found_in_an_empty_report_and_nothing_ruled_out() {
        assert_eq!(findings(&Report::default()), Vec::new());
        let mut wrong = Vec::new();
        for os in ["Linux", "Windows 11", "macOS", "FreeBSD", ""] {
            for arch in ["x86_64", "aarch64", "arm", ""] {
                let mut report = Report::default();
                report.environment.os = os.into();
                report.environment.arch = arch.into();
                report.environment.keeping = Some(Default::default()).filter(|_| os == "Linux");
                for check in examined(&report).1 {
                    if check.outcome == check::Outcome::Clear {
                        wrong.push(format!("{} on {os} {arch}", check.id));
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "ruled out without a fact: {wrong:#?}");
    }
}
