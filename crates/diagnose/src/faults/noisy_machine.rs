//! Other work disturbed the measurement.

use super::{Fault, Need};
use chronoscope_model::quantile::Percentile;
use chronoscope_model::units::{count, human_ns, percent, plural};
use chronoscope_model::waits::{Kind, Load};
use chronoscope_model::{Certainty, Finding, Level, Report};

/// Above this share of disturbed batches, the others are hardly undisturbed: what evicts a thread
/// also evicts its caches, which no counter of context switches shows.
const SHARE: f64 = 0.05;
/// Fewer batches than this prove nothing.
const ENOUGH: u64 = 50;
/// A thread that waits for its CPU for this share of a run shares it: kernel threads and interrupts
/// of an idle machine take less than 1 %.
const QUEUED: f64 = 0.03;
/// A thread that spins does not let go of its CPU. If half of its waits end later than this, in
/// nanoseconds, something else had it.
const LATE_NS: u64 = 100_000;

pub(super) const FAULT: Fault = Fault {
    id: "noisy-machine",
    title: "The machine was busy",
    about: "Other work ran during the measurement: the measuring thread had to wait for its CPU \
            for more than 3 % of the run, more than 5 % of the batches saw an involuntary context \
            switch, a migration or steal, or half of the waits of a thread that spins ended more \
            than 100 us late. No estimate includes a disturbed batch, but those in between ran \
            with whatever the other work left in the caches, and waits ended later than on a quiet \
            machine. Where the system reports neither switches nor the time in the run queue, a \
            load average above the number of CPUs counts as well.",
    fix: "Measure again when less is running (`uptime`, `top`), or on an idle CPU: `--cpu N`.",
    reference: "METHOD.md, Noise; Linux Documentation/scheduler/sched-stats.rst",
    certainty: Certainty::Measured,
    looks_at: "disturbed batches, the run queue, late spins, /proc/loadavg",
    needs: &[Need::Noise],
    minor: false,
    look: |report, fault| {
        let measured: Vec<String> =
            [queued(report), disturbed(report), late(report)].into_iter().flatten().collect();
        let noise = report.ruler.as_ref().map(|ruler| &ruler.noise);
        let watched = noise.is_some_and(|it| {
            it.run_queue_ms.is_some() || (it.batches >= ENOUGH && it.involuntary_switches.is_some())
        });
        let (level, certainty) = match (measured.is_empty(), watched, overloaded(report)) {
            (false, _, _) => (Level::Warning, Certainty::Measured),
            (true, false, true) => (Level::Info, Certainty::Evidence),
            _ => return None,
        };
        let mut evidence = measured;
        evidence.extend(load(report));
        if let Some(n) = noise.and_then(|noise| noise.involuntary_switches) {
            let many = "involuntary context switches";
            evidence.push(plural(n, "involuntary context switch", many));
        }
        let found = fault.found(level, certainty, evidence)?;
        Some(Finding { affects_all: true, ..found })
    },
};

/// The measuring thread had to wait for its CPU.
fn queued(report: &Report) -> Option<String> {
    let queued_ms = report.ruler.as_ref()?.noise.run_queue_ms?;
    let whole_ms = report.run.seconds * 1e3;
    (queued_ms.is_finite() && whole_ms > 0.0 && queued_ms / whole_ms > QUEUED).then(|| {
        format!(
            "its thread waited {} of {} for the CPU",
            human_ns(queued_ms * 1e6),
            human_ns(whole_ms * 1e6)
        )
    })
}

/// Too many batches were disturbed.
fn disturbed(report: &Report) -> Option<String> {
    let noise = &report.ruler.as_ref()?.noise;
    let share = noise.disturbed as f64 / noise.batches.max(1) as f64;
    (noise.batches >= ENOUGH && share > SHARE).then(|| {
        format!(
            "{} of {} disturbed ({})",
            count(noise.disturbed),
            plural(noise.batches, "batch", "batches"),
            percent(share)
        )
    })
}

/// A thread that never gave up its CPU was late all the same, next to no load of ours.
fn late(report: &Report) -> Option<String> {
    let spins = report
        .waits
        .iter()
        .filter(|wait| wait.available && wait.load == Load::None && wait.kind == Kind::Busy);
    // Too few waits have no median.
    let medians = spins.filter_map(|wait| Some((wait, wait.percentile(Percentile::P50)?)));
    let (worst, ns) = medians.max_by_key(|(_, ns)| *ns)?;
    (ns > LATE_NS).then(|| {
        format!("half of the waits by {} ended {} late or more", worst.id, human_ns(ns as f64))
    })
}

/// Whether more threads were ready to run than there are CPUs, on average over a minute.
fn overloaded(report: &Report) -> bool {
    let env = &report.environment;
    let cpus = env.cpu.logical;
    cpus > 0 && env.load.is_some_and(|[one, ..]| one > cpus as f64)
}

fn load(report: &Report) -> Option<String> {
    let [one, ..] = report.environment.load?;
    let cpus = report.environment.cpu.logical as u64;
    Some(match cpus {
        0 => format!("load average over one minute: {one:.2}"),
        _ => format!("load average over one minute: {one:.2} on {}", plural(cpus, "CPU", "CPUs")),
    })
}
