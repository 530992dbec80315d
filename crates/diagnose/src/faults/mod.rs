//! Problems with time on a machine: a row or a function each, in the file of their topic, one line
//! each in the list below, and a page in `faults.md`.
//!
//! A fault becomes a finding only if the report holds evidence of it. What the report does not hold
//! proves nothing, and a healthy machine gets no findings.
//!
//! What all faults together say about time on a machine, in a sentence or two.

mod clock_source;
mod counter;
mod fault;
mod kernel_log;
mod machine;
mod outside;
mod skew;
mod systems;
mod waits;
mod wall;

use crate::advise::system_clock;
use crate::reading::{cost, source};
use chronoscope_model::clock::{Clock, Grade};
use chronoscope_model::clock_source::in_user_space;
use chronoscope_model::{About, Check, Finding, Level, Report, change};
pub use fault::Fault;

/// Every fault, by id.
pub static ALL: &[&Fault] = &[
    &systems::ADJTIMEX_DENIED,
    &counter::ARM_COUNTER_ERRATUM,
    &counter::BAD_CALIBRATION,
    &waits::CGROUP_THROTTLED,
    &machine::CHANGED_DURING_RUN,
    &wall::CLOCK_BACKWARDS,
    &clock_source::CLOCK_NOT_IN_VDSO,
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
    &machine::FREQUENCY_CHANGED,
    &machine::GOVERNOR_POWERSAVE,
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
    &clock_source::LIBRARY_CLOCK,
    &waits::LONG_SLICE_LATE,
    &systems::MACOS_MONOTONIC_US,
    &clock_source::NO_VDSO,
    &machine::NOISY_MACHINE,
    &machine::NOISY_NEIGHBOUR,
    &machine::ON_BATTERY,
    &waits::PREEMPTED_AWAKE,
    &systems::QPC_ON_HPET,
    &systems::QPC_ON_VARIANT_TSC,
    &systems::QPC_SHIFTED,
    &clock_source::RATE_OFF_EVERYWHERE,
    &systems::RDTSCP_FORBIDDEN,
    &kernel_log::READOUT_STALL,
    &kernel_log::RT_THROTTLING,
    &clock_source::SAME_OSCILLATOR,
    &systems::SLEEPS_REFUSED,
    &clock_source::SLOW_CLOCKSOURCE_ACPI_PM,
    &clock_source::SLOW_CLOCKSOURCE_HPET,
    &clock_source::SLOW_CLOCKSOURCE_JIFFIES,
    &clock_source::SLOW_CLOCKSOURCE_XEN,
    &waits::SMI,
    &machine::SMT_SIBLING_BUSY,
    &outside::SOURCES_DISAGREE,
    &wall::SUSPENDED,
    &wall::TAI_UNSET,
    &systems::TIME64_BLOCKED,
    &wall::TIME_NAMESPACE,
    &kernel_log::TIMER_INTERRUPT_LONG,
    &systems::TIMER_REQUESTS_IGNORED,
    &systems::TIMER_RESOLUTION_15MS,
    &waits::TIMER_SLACK,
    &kernel_log::TSC_ADJUST_DIFFERS,
    &kernel_log::TSC_DEADLINE_OFF,
    &counter::TSC_EMULATED,
    &systems::TSC_FORBIDDEN,
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
    &clock_source::VDSO_DISAGREES,
    &machine::VM_MIGRATED,
    &machine::VM_PAUSED,
    &machine::VM_RESTORED,
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

/// `Clock source tsc, read in user space, 22.2 ns: good. Two things to know.`
///
/// It follows from the findings that the report holds now, so what was allowed is not counted.
pub fn verdict(report: &Report) -> String {
    let of = |about| report.findings.iter().filter(move |it| it.about == about && it.is_found());
    let at = |level| of(About::Machine).filter(move |finding| finding.level == level);
    let [errors, warnings, rest] =
        [Level::Error, Level::Warning, Level::Info].map(|level| at(level).collect::<Vec<_>>());
    let clock = system_clock(report);
    let verdict = clock.and_then(|clock| clock.verdict.as_ref());
    let good = verdict.is_some_and(|verdict| verdict.grade == Grade::Good);
    // What makes the figures those of something else comes first, and they are not judged.
    let instead = instead(report);
    let good = good && instead.is_none();
    let judged = match (errors.as_slice(), warnings.as_slice()) {
        ([], []) if good => "good".into(),
        ([], []) if unread(report) => "a line of the kernel log was not understood".into(),
        ([], []) if clock.is_none() => "nothing wrong was found in what is known".into(),
        ([], []) => "nothing wrong was found".into(),
        ([], warnings) if good => format!("good, but {}", named(warnings, "warning", "warnings")),
        ([], warnings) => named(warnings, "warning", "warnings"),
        (errors, _) => format!("broken, {}", named(errors, "error", "errors")),
    };
    // The warnings are in the first sentence unless there are errors.
    let warnings = if errors.is_empty() { 0 } else { warnings.len() };
    let others =
        [(warnings, "warning", "warnings"), (rest.len(), "thing to know", "things to know")];
    let others = others.iter().filter(|(n, ..)| *n > 0);
    let others: Vec<String> = others.map(|(n, one, many)| counted(*n, one, many)).collect();
    let subject = instead.unwrap_or_else(|| subject(report, clock));
    let mut sentences = vec![format!("{subject}: {judged}"), capital(&others.join(", "))];
    if of(About::Run).any(|finding| finding.level > Level::Info) {
        sentences.push("The run was disturbed".into());
    }
    sentences.retain(|sentence| !sentence.is_empty());
    sentences.join(". ") + "."
}

/// Whether the log holds a line about time that nothing recognises.
fn unread(report: &Report) -> bool {
    report
        .environment
        .kernel_log
        .iter()
        .any(|line| chronoscope_model::kernel_log::alarming(line).is_some())
}

/// What was measured in place of this machine's clocks, as the subject of a sentence, if something
/// was: an emulator, a library, or two clock sources.
fn instead(report: &Report) -> Option<String> {
    let found = |id: &str| report.findings.iter().find(|it| it.id == id && it.is_found());
    let env = &report.environment;
    if found("emulated-cpu").is_some() {
        let name = env.emulated.as_deref().and_then(|it| it.split(" (").next());
        return Some(format!("The figures are an emulator's, {}", name.unwrap_or("unknown")));
    }
    if found("library-clock").is_some_and(|it| it.level > Level::Info) {
        let clock = env.keeping.as_ref().and_then(|it| it.library_clock.as_ref());
        let names = clock.map(|it| it.preloaded.join(", ")).filter(|names| !names.is_empty());
        let names = names.map_or(String::new(), |names| format!(", {names}"));
        return Some(format!("The C library's clock is not the kernel's but a library's{names}"));
    }
    let changed = report.run.changed.iter().find(|it| it.fact == change::CLOCK_SOURCE)?;
    let (before, after) = (&changed.before, &changed.after);
    Some(format!("Clock source {before}, and later {after}"))
}

/// The system's clock as the subject of a sentence. Only Linux names its clock source; elsewhere
/// the clock itself is named.
fn subject(report: &Report, clock: Option<&Clock>) -> String {
    let mut parts = match (source(&report.environment), clock) {
        (Some(source), _) if !source.is_empty() => vec![format!("Clock source {source}")],
        (_, Some(clock)) => vec![format!("System clock {}", clock.id)],
        (_, None) if report.clocks.is_empty() => return "No clock was measured".into(),
        (_, None) => return "The system's clock was not measured".into(),
    };
    match clock.and_then(|clock| Some((clock, cost(clock)?))) {
        Some((clock, cost)) => {
            parts.extend(in_user_space(report, clock).map(|it| match it {
                true => "read in user space".into(),
                false => "read by a system call".into(),
            }));
            parts.push(cost);
        }
        None => parts.push("not measured".into()),
    }
    parts.join(", ")
}

/// `one warning, no-vdso` or `two warnings, no-vdso and unsynchronised`
fn named(found: &[&Finding], one: &str, many: &str) -> String {
    let number = counted(found.len(), one, many);
    match found {
        [only] => format!("{number}, {}", only.id),
        [a, b] => format!("{number}, {} and {}", a.id, b.id),
        _ => number,
    }
}

fn counted(n: usize, one: &str, many: &str) -> String {
    const WORDS: [&str; 10] =
        ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
    let number = WORDS.get(n).map_or_else(|| n.to_string(), |word| (*word).into());
    format!("{number} {}", if n == 1 { one } else { many })
}

fn capital(text: &str) -> String {
    let mut all = text.chars();
    all.next().map_or(String::new(), |first| first.to_uppercase().chain(all).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_model::finding::Outcome;
    use std::path::Path;

    #[test]
    fn every_fault_of_every_file_is_in_the_list_by_its_id() {
        let list = include_str!("mod.rs");
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/faults");
        let mut names = Vec::new();
        for entry in std::fs::read_dir(folder).expect("a folder of this crate") {
            let path = entry.expect("a file in it").path();
            if path.extension().is_none_or(|ending| ending != "rs") {
                continue;
            }
            let topic = path.file_stem().and_then(|stem| stem.to_str()).expect("a name").to_owned();
            let text = std::fs::read_to_string(&path).expect("a text");
            assert!(topic == "mod" || list.contains(&format!("mod {topic};")), "{topic}.rs");
            let entries = text.lines().filter_map(|line| line.strip_prefix("pub(super) const "));
            let entries = entries.filter_map(|line| line.split_once(": Fault ="));
            // Those of a macro: `    NAME "id" Level BASE;`.
            let rows = text.lines().filter_map(|line| line.strip_prefix("    ")?.strip_suffix(';'));
            let is_name =
                |text: &str| text.chars().all(|c| matches!(c, 'A'..='Z' | '0'..='9' | '_'));
            let rows = rows.filter_map(|row| row.split_once(" \"")).filter(|row| is_name(row.0));
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
        let ids: Vec<String> = ALL.iter().map(|fault| fault.id.replace('-', "_")).collect();
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
                    if check.outcome == Outcome::Clear {
                        wrong.push(format!("{} on {os} {arch}", check.id));
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "ruled out without a fact: {wrong:#?}");
    }
}
