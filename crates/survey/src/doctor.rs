//! What is wrong with time on a machine: the short measurements by which faults are judged, and
//! machines that cannot be measured, because the process may not read a clock or because only their
//! recorded facts are available.

use crate::waits;
use chronoscope_diagnose::examine;
use chronoscope_measure::clocks::costs::QuickRequest;
use chronoscope_measure::engine::schedule::{DOCTOR, DOCTOR_WAITS, DOCTOR_WATCH};
use chronoscope_measure::run::{Error, Measurement, Progress, Setting};
use chronoscope_measure::{against, clocks, trust};
use chronoscope_model::clock::Reads;
use chronoscope_model::environment::{Rate, RateKind};
use chronoscope_model::run::Run;
use chronoscope_model::waits::WaitSpec;
use chronoscope_model::{Environment, Note, Report, SCHEMA};
use chronoscope_probes::clocks::{ALL, Entry, Kind, Language};
use chronoscope_probes::machine::{self, Root};
use std::time::Duration;

/// The duration of a sleep, which is shorter than any tick of a kernel.
const WAIT: Duration = Duration::from_micros(500);

/// A request for the measurements by which faults are judged.
pub(crate) struct Request;

impl Measurement for Request {
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        /// Under an emulator the figures are the emulator's, and what is computed from them takes
        /// many times as long, too: a part of the time suffices.
        const PART: u32 = 4;
        let usual = DOCTOR.time / report.environment.emulated.as_ref().map_or(1, |_| PART);
        let budget = setting.budget.unwrap_or(usual);
        (setting.progress)(Progress::Time(budget));
        let (for_watch, for_waits) = (DOCTOR_WATCH.of(budget), DOCTOR_WAITS.of(budget));
        let clocks = clocks::Request { entries: diagnostic_clocks(), ..clocks::Request::default() };
        let rest = budget.saturating_sub(for_waits + for_watch);
        clocks.within(rest, setting, report)?;
        if setting.interrupt.is_set() {
            return Ok(());
        }
        let watch = trust::Request::new(Vec::new(), Some(for_watch));
        if let Err(why) = Box::new(watch).measure(setting, report) {
            report.notes.push(Note {
                id: "not-watched".into(),
                about: Some("trust".into()),
                text: format!("the clocks were not watched: {why}"),
                fix: "chronoscope trust".into(),
            });
        }
        let sleeps = WaitSpec { why: true, no_culprits: true, ..waits::sleeps(WAIT) };
        waits::after_clocks(sleeps, for_waits, setting, report);
        // Without a clock of the host, this takes no time.
        let guest = report.environment.hypervisor.is_some();
        report.against = against::glance(guest, &setting.interrupt);
        // Without a table of late waits, only the faults that need a missing source mention it.
        for note in report.notes.extract_if(.., |note| note.id.starts_with("why-")) {
            report.environment.not_known(&note.id, note.text);
        }
        Ok(())
    }
}

/// A request for the costs of the counter, and of the system's monotonic clock in user space and by
/// a system call.
pub(crate) fn quick() -> QuickRequest {
    let all = diagnostic_clocks();
    let first = |wanted: &dyn Fn(&Entry) -> bool| all.iter().copied().find(|entry| wanted(entry));
    let system = |entry: &Entry| entry.kind == Kind::Monotonic && entry.alternative_to.is_none();
    let clock = first(&|entry| system(entry) && entry.facts.reads != Reads::Counter);
    let call = clock.and_then(|clock| first(&|entry| entry.alternative_to == Some(clock.id)));
    let counter = first(&|entry| entry.facts.reads == Reads::Counter);
    QuickRequest { entries: [clock, call, counter].into_iter().flatten().collect() }
}

/// Returns a report on this machine without reading a clock: its facts, and the faults that they
/// show. This is for a process that may not read the time-stamp counter, and so not even the
/// system's clocks; the times of the run are therefore left empty.
pub fn unmeasured() -> Report {
    diagnosed(&Root::host(), None)
}

/// Returns what the recorded facts of a machine show, together with the figures that were measured
/// on it, if there are any.
pub fn diagnosed(root: &Root, measured: Option<Report>) -> Report {
    let mut report = measured.unwrap_or_default();
    report.environment = facts(root, std::mem::take(&mut report.environment));
    report.schema = SCHEMA.into();
    report.run =
        Run { tool_version: env!("CARGO_PKG_VERSION").into(), complete: true, ..report.run };
    examined(report)
}

/// Returns what a stored report shows, by its own facts and figures.
pub fn examined(mut report: Report) -> Report {
    report.run.screen = Some("doctor".into());
    examine(&mut report);
    report
}

/// Returns what a stored report shows together with what other texts of its machine say: their log
/// is added, and other facts where the report has none.
pub fn completed(mut report: Report, root: &Root) -> Report {
    let mut texts = machine::environment(root);
    let env = &mut report.environment;
    let new = texts.kernel_log.extract_if(.., |line| !env.kernel_log.contains(line));
    let new: Vec<String> = new.collect();
    env.kernel_log.extend(new);
    for (own, other) in [(&mut env.arch, texts.arch), (&mut env.os, texts.os)] {
        if own.is_empty() {
            *own = other;
        }
    }
    if env.cpu.vendor.is_none() && env.cpu.model.is_none() {
        env.cpu = texts.cpu;
    }
    if env.parameters.is_empty() {
        env.parameters = texts.parameters;
    }
    env.kernel = env.kernel.take().or(texts.kernel);
    env.clocksource = env.clocksource.take().or(texts.clocksource);
    env.hypervisor = env.hypervisor.take().or(texts.hypervisor);
    env.tsc = env.tsc.take().or(texts.tsc);
    env.counter = env.counter.take().or(texts.counter);
    env.cpu_quota = env.cpu_quota.or(texts.cpu_quota);
    if let (Some(own), Some(other)) = (&mut env.keeping, texts.keeping) {
        own.adjtimex = own.adjtimex.or(other.adjtimex);
    }
    let (log, source) = (!env.kernel_log.is_empty(), env.clocksource.is_some());
    env.unknown.retain(|it| !match it.subject.as_str() {
        "kernel log" => log,
        "clock source" => source,
        _ => false,
    });
    examined(report)
}

/// Returns the facts in the files behind `root`, together with the figures among the `stored`
/// facts. Only on Linux do files and the recorded answers of calls hold all facts. Elsewhere the
/// run asked the system for the other facts, and a bundle holds them in the report.
fn facts(root: &Root, stored: Environment) -> Environment {
    if !root.is_host() && !root.is_linux() && !stored.os.is_empty() {
        return stored;
    }
    let mut environment = machine::environment(root);
    environment.across_cpus = stored.across_cpus.clone();
    environment.throughput = stored.throughput.clone();
    let measured = |rate: &&Rate| rate.kind == RateKind::Measured;
    let figures: Vec<_> = stored.counter_rates().iter().filter(measured).cloned().collect();
    if let Some(rates) = environment.counter_rates_mut() {
        rates.retain(|rate| rate.kind != RateKind::Measured);
        rates.extend(figures);
    }
    if let (Some(quota), Some(stored)) = (&mut environment.cpu_quota, stored.cpu_quota) {
        quota.run_periods = stored.run_periods;
    }
    let why = stored.unknown.into_iter().filter(|unknown| unknown.subject.starts_with("why-"));
    environment.unknown.extend(why);
    if let (Some(tsc), Some(stored)) = (&mut environment.tsc, &stored.tsc) {
        tsc.rdtsc_ns = stored.rdtsc_ns;
        tsc.rdtsc_cycles = stored.rdtsc_cycles;
        tsc.rdtsc_core_cycles = stored.rdtsc_core_cycles;
    }
    environment
}

/// Returns the report as a bundle stores it: without the command line, which can name a user's
/// files, and without those who ran instead of late threads.
pub fn without_names(report: &Report) -> Report {
    let mut report = report.clone();
    report.run.argv = vec!["chronoscope".into(), "doctor".into()];
    for why in report.waits.iter_mut().filter_map(|wait| wait.why.as_mut()) {
        why.culprits.clear();
        why.worst.iter_mut().for_each(|worst| worst.culprits.clear());
    }
    report
}

/// The clocks that show a fault: the counter, the clocks that the vDSO may serve, the equivalent
/// system calls, and the clocks that Rust reads. Other languages read them in the same way.
fn diagnostic_clocks() -> Vec<&'static Entry> {
    let in_user_space = |entry: &Entry| matches!(entry.facts.reads, Reads::Counter | Reads::Vdso);
    let other_path = |entry: &Entry| {
        let clock = ALL.iter().find(|clock| Some(clock.id) == entry.alternative_to);
        clock.is_some_and(|clock| in_user_space(clock))
    };
    let wanted = |entry: &Entry| match entry.alternative_to {
        None => in_user_space(entry),
        Some(_) => other_path(entry) && entry.language != Language::Cxx,
    };
    let here = ALL.iter().copied().filter(|entry| !entry.is_on_other_system());
    let found: Vec<_> = here.filter(|entry| wanted(entry)).collect();
    if found.is_empty() { ALL.to_vec() } else { found }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clocks_that_show_faults_are_some_of_all() {
        let some = diagnostic_clocks();
        assert!(!some.is_empty() && some.len() < ALL.len());
    }

    #[test]
    fn facts_that_no_file_holds_are_those_of_the_report() {
        let folder = tempfile::tempdir().expect("a folder");
        let diagnose = |sysname: &str, os: &str| {
            let process = format!("arch=x86_64\nsysname={sysname}\n");
            std::fs::write(folder.path().join("process"), process).expect("a file");
            let root = Root::recorded(folder.path()).expect("a bundle");
            let mut stored = Report::default();
            stored.environment.os = os.into();
            stored.environment.power.source = Some("battery".into());
            diagnosed(&root, Some(stored)).environment
        };
        let windows = diagnose("Windows", "Windows 10.0");
        assert_eq!(windows.power.source.as_deref(), Some("battery"));
        assert_eq!(windows.os, "Windows 10.0");
        // Files show these facts on Linux, and a report without facts shows none.
        assert_eq!(diagnose("Linux", "Linux").power.source, None);
        assert_eq!(diagnose("Windows", "").power.source, None);
    }
}
