//! What was different about the machine while a run measured it: other work, and changed settings.

use super::fault::{Clear, Evidence, FAULT, Fault, Found, clear_if, found, ran, ruler};
use chronoscope_model::quantile::Percentile;
use chronoscope_model::run::Noise;
use chronoscope_model::units::{count, human_ns, percent, plural};
use chronoscope_model::waits::{Kind, Load};
use chronoscope_model::{About, Certainty, Level, Report, change};

/// Fewer batches than this prove nothing.
const ENOUGH: u64 = 50;

pub(super) const CHANGED_DURING_RUN: Fault = Fault {
    id: "changed-during-run",
    about: About::Run,
    affects_all: true,
    look: |report| {
        // A change of the clock source is a fault of its own.
        let changes = report.run.changed.iter().filter(|it| it.fact != change::CLOCK_SOURCE);
        let text = |it: &change::Change| format!("{}: {}, later {}", it.fact, it.before, it.after);
        clear_if(ran(report), found(Level::Warning, changes.map(text)))
    },
    ..FAULT
};

pub(super) const NOISY_MACHINE: Fault = Fault {
    id: "noisy-machine",
    certainty: Certainty::Measured,
    about: About::Run,
    affects_all: true,
    look: |report| {
        let noise = report.ruler.as_ref().map(|ruler| &ruler.noise);
        let watched = noise.is_some_and(|it| {
            it.run_queue_ms.is_some() || (it.batches >= ENOUGH && it.involuntary_switches.is_some())
        });
        // The tool's own load is not noise.
        let loaded: f64 = report.load_runs.iter().map(|run| run.seconds).sum();
        let queued = noise.and_then(|noise| queued(noise, report.run.seconds - loaded));
        let disturbed = noise.and_then(disturbed);
        let measured = [queued, disturbed, late(report), varied(report), taken(report)];
        let measured = measured.into_iter().flatten();
        let seen = match found(Level::Warning, measured) {
            Clear if !watched && overloaded(report) => Found(Evidence {
                level: Level::Info,
                certainty: Some(Certainty::Evidence),
                lines: Vec::new(),
                fix: None,
            }),
            looked => looked,
        };
        let own = report.noise.is_some() || report.watched.is_some();
        let judged = if own { Ok(()) } else { ruler(report).map(|_| ()) };
        let look = clear_if(judged, seen)?;
        let switches = noise.and_then(|noise| noise.involuntary_switches);
        let (one, many) = ("involuntary context switch", "involuntary context switches");
        Ok(look.and(load(report)).and(switches.map(|n| plural(n, one, many))))
    },
    ..FAULT
};

/// The measuring thread had to wait for its CPU.
fn queued(noise: &Noise, seconds: f64) -> Option<String> {
    /// A thread that waits for its CPU for this share of a run shares it: kernel threads and
    /// interrupts of an idle machine take less than 1 %.
    const QUEUED: f64 = 0.03;
    let (queued_ms, whole_ms) = (noise.run_queue_ms?, seconds * 1e3);
    let much = queued_ms.is_finite() && whole_ms > 0.0 && queued_ms / whole_ms > QUEUED;
    let [queued, whole] = [queued_ms, whole_ms].map(|ms| human_ns(ms * 1e6));
    much.then(|| format!("the tool waited {queued} of {whole} for the CPU"))
}

fn disturbed(noise: &Noise) -> Option<String> {
    /// Above this share of disturbed batches, the others are disturbed too: what evicts a thread
    /// also evicts its caches, which no counter of context switches shows.
    const SHARE: f64 = 0.05;
    let share = noise.disturbed as f64 / noise.batches.max(1) as f64;
    (noise.batches >= ENOUGH && share > SHARE).then(|| {
        let batches = plural(noise.batches, "batch", "batches");
        format!("{} of {batches} disturbed ({})", count(noise.disturbed), percent(share))
    })
}

/// The same work took a different time again and again.
fn varied(report: &Report) -> Option<String> {
    /// A benchmark whose medians vary by more cannot show a change of 5 %.
    const VARIED: f64 = 0.02;
    let noise = report.noise.as_ref()?;
    let (count, share) = (noise.median_of, percent(noise.good_to));
    (noise.good_to > VARIED)
        .then(|| format!("medians of {count} samples of the same work vary by ±{share}"))
}

/// Other work had the CPUs of a command that was watched.
fn taken(report: &Report) -> Option<String> {
    /// As for the tool's own thread.
    const TAKEN: f64 = 0.03;
    let share = report.watched.as_ref()?.taken.filter(|share| *share > TAKEN)?;
    Some(format!("others took {} of the time of the command", percent(share)))
}

/// A thread that never gave up its CPU was late, although the tool ran no load.
fn late(report: &Report) -> Option<String> {
    /// A thread that spins does not give up its CPU. If half of its waits end later than this, in
    /// nanoseconds, something else had the CPU.
    const LATE_NS: u64 = 100_000;
    let spins = report
        .waits
        .iter()
        .filter(|wait| wait.available && wait.load == Load::None && wait.kind == Kind::Busy);
    // Too few waits give no median.
    let medians = spins.filter_map(|wait| Some((wait, wait.percentile(Percentile::P50)?)));
    let (worst, ns) = medians.max_by_key(|(_, ns)| *ns)?;
    let text =
        || format!("half of the waits by {} ended {} late or more", worst.id, human_ns(ns as f64));
    (ns > LATE_NS).then(text)
}

/// Whether more threads were ready to run than there are CPUs, on average over a minute.
fn overloaded(report: &Report) -> bool {
    let env = &report.environment;
    let cpus = env.cpu.logical;
    cpus > 0 && env.load.is_some_and(|[one, ..]| one > cpus as f64)
}

fn load(report: &Report) -> Option<String> {
    let [one, ..] = report.environment.load?;
    let on = match report.environment.cpu.logical as u64 {
        0 => String::new(),
        cpus => format!(" on {}", plural(cpus, "CPU", "CPUs")),
    };
    Some(format!("load average over one minute: {one:.2}{on}"))
}
