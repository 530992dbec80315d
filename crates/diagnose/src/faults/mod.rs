//! Problems with time on a machine: a row of the table below, a function in the file of its topic,
//! and a page in `faults.md` each.
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
use chronoscope_model::Certainty::{Measured, Unknown};
use chronoscope_model::clock::{Clock, Grade};
use chronoscope_model::clock_source::in_user_space;
use chronoscope_model::why::Cause;
use chronoscope_model::{About, Check, Finding, Level, Report, change};
pub use fault::Fault;
use fault::{ARM, BARE, FAULT, INTEL, LINUX, MAC, SEVERAL_CPUS, TIME64, TSC, VIRTUAL, WINDOWS};

macro_rules! faults {
    ($($id:literal: $look:expr $(, $field:ident $(= $value:expr)?)*;)*) => {
        /// Every fault, by id.
        pub static ALL: &[Fault] = &[$(
            Fault { id: $id, look: $look, $($field: faults!(@$($value)?),)* ..FAULT },
        )*];
    };
    (@) => { true };
    (@$value:expr) => { $value };
}

// The id of a fault, what looks for it, and the fields of [`Fault`] that differ from the usual.
faults! {
    "adjtimex-denied": systems::adjtimex_denied, only = &[LINUX], certainty = Unknown, minor,
        by_glance = Some(true);
    "arm-counter-erratum": counter::arm_counter_erratum, only = &[LINUX, ARM];
    "bad-calibration": counter::bad_calibration, certainty = Measured, by_library;
    "cgroup-throttled": waits::cgroup_throttled, only = &[LINUX], certainty = Measured,
        by_glance = Some(true);
    "changed-during-run": machine::changed_during_run, about = About::Run, affects_all;
    "clock-backwards": wall::clock_backwards, certainty = Measured, by_library;
    "clock-not-in-vdso": clock_source::clock_not_in_vdso, only = &[LINUX], certainty = Measured,
        by_library;
    "clock-slewed": wall::clock_slewed, only = &[LINUX];
    "clock-stepped": wall::clock_stepped, certainty = Measured, by_library;
    "clocksource-changed": clock_source::clocksource_changed, only = &[LINUX], affects_all;
    "clocksource-refused": kernel_log::clocksource_refused, only = &[LINUX];
    "cntfrq-mismatch": counter::cntfrq_mismatch, only = &[ARM];
    "coarse-counter": counter::coarse_counter, only = &[ARM], minor;
    "coarse-tick": waits::coarse_tick, certainty = Measured, by_library;
    "contended-read": counter::contended_read, only = &[SEVERAL_CPUS], certainty = Measured, yields,
        by_library;
    "counter-out-of-step": counter::counter_out_of_step, certainty = Measured, yields, by_library;
    "deep-idle": waits::deep_idle, certainty = Measured, by_library;
    "emulated-cpu": counter::emulated_cpu;
    "error-understated": outside::error_understated, certainty = Measured;
    "frequency-changed": machine::frequency_changed, certainty = Measured, about = About::Run;
    "governor-powersave": machine::governor_powersave, only = &[LINUX];
    "guest-ahead": |report| outside::against_host(report, |wall| wall.low), only = &[VIRTUAL],
        certainty = Measured, by_library;
    "guest-behind": |report| outside::against_host(report, |wall| -wall.high), only = &[VIRTUAL],
        certainty = Measured, by_library;
    "guest-calibration-failed": kernel_log::guest_calibration_failed, only = &[LINUX, TSC];
    "guest-tsc-unreliable":
        |report| kernel_log::only_logged(report, Level::Warning, "guest-tsc-unreliable"),
        only = &[LINUX];
    "host-gaps": waits::host_gaps, certainty = Measured, about = About::Run;
    "hrtimers-off": waits::hrtimers_off, only = &[LINUX];
    "hyperv-tsc-page-off": clock_source::hyperv_tsc_page_off, only = &[LINUX, VIRTUAL];
    "kvm-clock-unstable": clock_source::kvm_clock_unstable, only = &[LINUX, VIRTUAL];
    "leap-pending": wall::leap_pending, only = &[LINUX];
    "leap-second-inserted": kernel_log::leap_second_inserted, only = &[LINUX];
    "library-clock": clock_source::library_clock, only = &[LINUX], certainty = Measured,
        by_glance = Some(true), affects_all;
    "long-slice-late": |report| waits::took_the_cpu(report, Cause::RunQueue, "schedstat"),
        only = &[LINUX], certainty = Measured, about = About::Run;
    "macos-monotonic-us": systems::macos_monotonic_us, only = &[MAC], certainty = Measured;
    "no-vdso": clock_source::no_vdso, only = &[LINUX];
    "noisy-machine": machine::noisy_machine, certainty = Measured, about = About::Run, affects_all;
    "noisy-neighbour": machine::noisy_neighbour, only = &[LINUX], certainty = Measured,
        about = About::Run;
    "on-battery": machine::on_battery, only = &[BARE];
    "preempted-awake": |report| waits::took_the_cpu(report, Cause::Preempted, "switches"),
        certainty = Measured, about = About::Run;
    "qpc-on-hpet": systems::qpc_on_hpet, only = &[WINDOWS];
    "qpc-on-variant-tsc": systems::qpc_on_variant_tsc, only = &[WINDOWS];
    "qpc-shifted": systems::qpc_shifted, only = &[WINDOWS], minor;
    "rate-misjudged": outside::rate_misjudged, certainty = Measured;
    "rate-off-everywhere": clock_source::rate_off_everywhere, certainty = Unknown, minor;
    "rdtscp-forbidden": systems::rdtscp_forbidden, only = &[TSC], minor;
    "readout-stall": |report| kernel_log::logged(report, Level::Info, "readout-stall"),
        only = &[LINUX], minor;
    "rt-throttling": kernel_log::rt_throttling, only = &[LINUX], minor;
    "same-oscillator": clock_source::same_oscillator, minor, by_glance = Some(false);
    "sleeps-refused": systems::sleeps_refused, only = &[LINUX], certainty = Measured,
        by_glance = Some(true);
    "slow-clocksource-acpi-pm": |report| clock_source::slow(report, &["acpi_pm"]), only = &[LINUX];
    "slow-clocksource-hpet": |report| clock_source::slow(report, &["hpet"]), only = &[LINUX];
    "slow-clocksource-jiffies":
        |report| clock_source::slow(report, &["jiffies", "refined-jiffies", "pit"]),
        only = &[LINUX];
    "slow-clocksource-xen": |report| clock_source::slow(report, &["xen"]), only = &[LINUX];
    "smi": waits::smi, only = &[TSC, INTEL, BARE], certainty = Measured;
    "smt-sibling-busy": machine::smt_sibling_busy, certainty = Measured, about = About::Run;
    "sources-disagree": outside::sources_disagree, certainty = Measured;
    "suspended": wall::suspended, only = &[LINUX], certainty = Measured, by_library;
    "tai-unset": wall::tai_unset, only = &[LINUX], minor;
    "time64-blocked": systems::time64_blocked, only = &[LINUX, TIME64], certainty = Measured;
    "time-namespace": wall::time_namespace, only = &[LINUX];
    "timer-interrupt-long":
        |report| kernel_log::only_logged(report, Level::Info, "timer-interrupt-long"),
        only = &[LINUX];
    "timer-requests-ignored": systems::timer_requests_ignored, only = &[WINDOWS];
    "timer-resolution-15ms": systems::timer_resolution_15ms, only = &[WINDOWS], minor;
    "timer-slack": waits::timer_slack, certainty = Measured, by_glance = Some(true);
    "tsc-adjust-differs": kernel_log::tsc_adjust_differs, only = &[LINUX, TSC];
    "tsc-deadline-off": |report| kernel_log::only_logged(report, Level::Info, "tsc-deadline-off"),
        only = &[LINUX, TSC];
    "tsc-emulated": counter::tsc_emulated, only = &[TSC], certainty = Measured,
        by_glance = Some(true);
    "tsc-forbidden": systems::tsc_forbidden, only = &[LINUX, TSC];
    "tsc-forced-reliable": counter::tsc_forced_reliable, only = &[LINUX, TSC];
    "tsc-given-up": |report| kernel_log::only_logged(report, Level::Info, "tsc-given-up"),
        only = &[LINUX, TSC];
    "tsc-jump": counter::tsc_jump, certainty = Measured, yields, by_library;
    "tsc-not-p0": |report| kernel_log::only_logged(report, Level::Info, "tsc-not-p0"),
        only = &[LINUX, TSC];
    "tsc-rate-mismatch": counter::tsc_rate_mismatch, only = &[TSC], certainty = Measured, yields,
        by_library;
    "tsc-skew": kernel_log::tsc_skew, only = &[LINUX, TSC];
    "tsc-variant": counter::tsc_variant, only = &[TSC];
    "tsc-warp": kernel_log::tsc_warp, only = &[LINUX, TSC];
    "two-disciplines": wall::two_disciplines, only = &[LINUX];
    "unordered-read": counter::unordered_read, certainty = Measured, minor;
    "unsynchronised": wall::unsynchronised, only = &[LINUX], minor;
    "vcpu-hotplug": |report| kernel_log::logged(report, Level::Warning, "vcpu-hotplug"),
        only = &[LINUX, TSC];
    "vdso-disagrees": clock_source::vdso_disagrees, only = &[LINUX], certainty = Measured, yields,
        by_library;
    "vm-migrated": machine::vm_migrated, only = &[LINUX, VIRTUAL], certainty = Measured;
    "vm-paused": machine::vm_paused, certainty = Measured, by_library;
    "vm-restored": machine::vm_restored, only = &[LINUX, VIRTUAL], minor;
    "watchdog-false-positive": kernel_log::watchdog_false_positive, only = &[LINUX, TSC];
    "watchdog-off": clock_source::watchdog_off, only = &[LINUX, TSC], certainty = Measured,
        by_library;
}

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
        ([], []) if kernel_log::gave_up(report) => LEFT_OPEN.into(),
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

/// What is wrong if the log has the consequence only.
const LEFT_OPEN: &str = "the kernel gave up the TSC, and its log does not say why";

/// Whether the log holds a line about time that nothing recognises.
fn unread(report: &Report) -> bool {
    let mut log = report.environment.kernel_log.iter();
    log.any(|line| chronoscope_model::kernel_log::alarming(line).is_some())
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
    use std::collections::BTreeSet;
    use std::path::Path;

    /// The names and texts of the files that `mod.rs` contains.
    fn topics() -> Vec<(String, String)> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/faults");
        let paths = std::fs::read_dir(folder).expect("a folder of this crate");
        let paths = paths.map(|entry| entry.expect("a file in it").path());
        let rust = paths.filter(|path| path.extension().is_some_and(|ending| ending == "rs"));
        let named = rust.map(|path| {
            let name = path.file_stem().and_then(|stem| stem.to_str()).expect("a name").to_owned();
            (name, std::fs::read_to_string(&path).expect("a text"))
        });
        named.filter(|(name, _)| name != "mod").collect()
    }

    #[test]
    fn every_page_that_is_named_exists_and_every_case_is_named() {
        let topics = topics();
        let texts = topics.iter().flat_map(|(_, text)| text.split('"'));
        let is_page = |text: &&str| {
            let fault = text.split('/').next().unwrap_or_default();
            !text.contains(' ') && ALL.iter().any(|it| fault.len() > 2 && it.id.contains(fault))
        };
        let cases = texts.filter(|text| text.contains('/')).filter(is_page);
        let plain = topics.iter().flat_map(|(_, text)| text.split("page(\"").skip(1));
        let plain = plain.filter_map(|rest| rest.split('"').next());
        let named: BTreeSet<&str> = cases.chain(plain).collect();
        let lost = named.iter().filter(|id| fault::page(id).act.is_empty());
        assert_eq!(lost.collect::<Vec<_>>(), [&""; 0]);
        assert!(named.len() > 30, "{named:?}");
        let pages = include_str!("faults.md").lines().filter_map(|line| line.strip_prefix("## "));
        let unnamed = |page: &&str| page.contains('/') && !named.contains(page);
        assert_eq!(pages.filter(unnamed).collect::<Vec<_>>(), [""; 0]);
    }

    #[test]
    fn every_file_is_a_topic_and_the_table_has_each_fault_once_by_its_name() {
        let text = include_str!("mod.rs");
        for (topic, _) in topics() {
            assert!(text.contains(&format!("mod {topic};")), "{topic}.rs");
        }
        let ids: Vec<String> = ALL.iter().map(|fault| fault.id.replace('-', "_")).collect();
        assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
        let rows = text.lines().filter_map(|line| line.strip_prefix("    \"")?.split_once("\": "));
        let mut functions = 0;
        for (id, look) in rows.filter(|(_, look)| !look.starts_with('|')) {
            let name = look.split([':', ',', ';']).nth(2);
            assert_eq!(name, Some(id.replace('-', "_").as_str()));
            functions += 1;
        }
        assert!(functions > ALL.len() / 2, "{functions} rows have a function of their own");
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
