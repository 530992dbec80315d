//! The report in two lines, to paste into a bug report: plain, and never wrapped. They hold what a
//! reader of a bug report needs first, and the ids of findings.

use super::style::Style;
use crate::clean::clean;
use crate::number::{count, short, three};
use crate::section::machine;
use chronoscope_model::clock::{Clock, Kind, Orders, Reads};
use chronoscope_model::waits::{self, Load, Wait};
use chronoscope_model::{About, Environment, Report};

/// Draws the lines: the machine, and what was measured and found.
pub fn render(report: &Report, style: &Style) -> String {
    let lines = [on(report), found(report)];
    let lines = lines.map(|parts| style.signs(&clean(&parts.join(", "))));
    lines.map(|line| line + "\n").concat()
}

fn on(report: &Report) -> Vec<String> {
    let env = &report.environment;
    let tool = format!("chronoscope {}: ", report.run.tool_version);
    let mut parts = vec![tool + &machine::processor(env), hypervisor(env)];
    let linux = env.os.is_empty() || env.os.contains("Linux");
    if !linux {
        parts.push(env.os.clone());
    }
    let kernel = env.kernel.iter();
    parts.extend(kernel.map(|kernel| format!("kernel {kernel}")));
    parts.push(env.arch.clone());
    match &env.clocksource {
        Some(source) => parts.push(format!("clock source {}", source.current)),
        None if linux => parts.push("clock source unknown".into()),
        // Other systems do not name theirs.
        None => {}
    }
    parts
}

fn hypervisor(env: &Environment) -> String {
    match &env.hypervisor {
        Some(hypervisor) => format!("under {}", hypervisor.name),
        None => "no hypervisor detected".into(),
    }
}

/// What was measured, and the conclusions.
fn found(report: &Report) -> Vec<String> {
    let mut parts =
        vec![cost(counter(report), "counter"), cost(monotonic(report), "monotonic clock")];
    let tick = monotonic(report).and_then(|clock| clock.resolution.as_ref()?.tick_ns);
    parts.extend(tick.map(|ns| format!("tick {}", short(ns))));
    parts.push(worst(&report.waits));
    let ids = |about| {
        let found = report.findings.iter().filter(|it| it.is_found() && it.about == about);
        found.map(|finding| finding.id.as_str()).collect::<Vec<_>>().join(" ")
    };
    parts.push(match (ids(About::Machine), ids(About::Run)) {
        (machine, run) if machine.is_empty() && run.is_empty() => "no findings".into(),
        (machine, run) if run.is_empty() => format!("findings: {machine}"),
        (machine, run) if machine.is_empty() => format!("findings about this run: {run}"),
        (machine, run) => format!("findings: {machine}, about this run: {run}"),
    });
    if !report.run.complete {
        parts.push("interrupted".into());
    }
    parts
}

fn cost(clock: Option<&Clock>, what: &str) -> String {
    match clock.and_then(|clock| Some((clock, clock.read_ns()?))) {
        Some((clock, ns)) => format!("{} {} ns", clock.id, three(ns)),
        None => format!("no {what} measured"),
    }
}

/// The plain counter: the cheapest read of the processor's counter that waits for nothing.
fn counter(report: &Report) -> Option<&Clock> {
    let plain = |clock: &&Clock| {
        let facts = clock.facts.as_ref();
        facts.is_none_or(|it| it.reads == Reads::Counter && it.orders == Orders::Nothing)
    };
    cheapest(report.clocks.iter().filter(plain), Kind::Counter)
}

/// The system's clock for intervals: the one that is marked as the best, or else the cheapest that
/// is fine enough, or else the cheapest.
fn monotonic(report: &Report) -> Option<&Clock> {
    let tick = |clock: &Clock| clock.resolution.as_ref().and_then(|found| found.tick_ns);
    let fine = |clock: &&Clock| tick(clock).is_some_and(|ns| ns <= FINE_NS);
    let of = |is_it: &dyn Fn(&&Clock) -> bool| {
        cheapest(report.clocks.iter().filter(is_it), Kind::Monotonic)
    };
    of(&|clock| clock.best).or_else(|| of(&fine)).or_else(|| of(&|_| true))
}

/// The longest tick of a clock that is fine enough to time intervals, in nanoseconds.
const FINE_NS: f64 = 1000.0;

fn cheapest<'a>(clocks: impl Iterator<Item = &'a Clock>, kind: Kind) -> Option<&'a Clock> {
    let measured = clocks.filter(|clock| clock.kind == kind && clock.read_ns().is_some());
    let cost = |clock: &Clock| clock.read_ns().unwrap_or(f64::INFINITY);
    measured.min_by(|a, b| cost(a).total_cmp(&cost(b)))
}

/// The sleep that ended latest, without load.
fn worst(waits: &[Wait]) -> String {
    let slept = |wait: &&Wait| {
        wait.samples > 0 && wait.load == Load::None && wait.kind == waits::Kind::Sleep
    };
    let all = waits.iter().filter(slept);
    let samples: u64 = all.clone().map(|wait| wait.samples).sum();
    match all.max_by_key(|wait| wait.max_ns) {
        Some(wait) => {
            let late = short(wait.max_ns as f64);
            format!("worst wake-up {late} late (of {}, {})", count(samples), wait.id)
        }
        None => "no wake-up measured".into(),
    }
}
