//! What differs between the machines, the tools and the settings of two runs?

use chronoscope_model::change;
use chronoscope_model::compare::Difference;
use chronoscope_model::units::{short_ns, three_digits};
use chronoscope_model::{Environment, Report};
use std::collections::BTreeSet;

/// How a fact is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Show {
    /// Even if it is the same: a reader would ask. It may be why figures differ.
    Always,
    /// If it differs, and it may be why figures do.
    Matters,
    /// If it differs.
    Differs,
}

/// The facts of both sides that differ, and the few that a reader would ask for in any case.
pub fn environment(a: &Report, b: &Report) -> Vec<Difference> {
    let (a, b) = (facts(a), facts(b));
    let pairs = a.into_iter().zip(b).filter_map(|((key, show, a), (.., b))| {
        let same = a == b;
        let shown = (a.is_some() || b.is_some()) && (!same || show == Show::Always);
        let matters = !same && show != Show::Differs;
        shown.then(|| Difference { key: key.into(), a, b, matters })
    });
    pairs.collect()
}

type Fact = (&'static str, Show, Option<String>);

/// Every fact of a report, in an order that is the same for all.
fn facts(report: &Report) -> Vec<Fact> {
    let env = &report.environment;
    let text = |it: &str| (!it.is_empty()).then(|| it.to_owned());
    let hypervisor = env.hypervisor.as_ref();
    let ruler = report.ruler.as_ref();
    let mut facts: Vec<Fact> = vec![
        ("processor", Show::Always, env.cpu.model.clone()),
        ("processor's signature", Show::Matters, env.cpu.signature.clone()),
        ("architecture", Show::Matters, text(&env.arch)),
        ("system", Show::Matters, text(&env.os)),
        ("kernel", Show::Always, env.kernel.clone()),
        ("C library", Show::Matters, env.c_library.clone()),
        ("hypervisor", Show::Always, hypervisor.map(|it| it.name.clone())),
        ("emulated by", Show::Matters, env.emulated.clone()),
        ("tool", Show::Always, text(&report.run.tool_version)),
    ];
    facts.extend(change::facts(env).map(|(key, value)| match key {
        change::CLOCK_SOURCE => (key, Show::Always, value),
        change::POWER => (key, Show::Matters, power(report).or(value)),
        change::SMT | change::GOVERNOR => (key, Show::Matters, value),
        _ => (key, Show::Differs, value),
    }));
    facts.extend([
        ("timer slack", Show::Matters, env.timer_slack_ns.map(|ns| short_ns(ns as f64))),
        ("CPU quota", Show::Matters, quota(env)),
        ("boot parameters", Show::Matters, text(&env.parameters.join(" "))),
        ("CPU of the run", Show::Differs, ruler.and_then(|it| it.cpu).map(|it| it.to_string())),
        ("type of core", Show::Matters, core_type(report)),
        (
            "core frequency",
            Show::Differs,
            ruler
                .and_then(|it| it.noise.core)
                .map(|it| format!("{} GHz", three_digits(it.hz / 1e9))),
        ),
        (
            "real-time priority",
            Show::Matters,
            ruler.and_then(|it| it.fifo).map(|it| it.to_string()),
        ),
        ("load", Show::Matters, loads(report)),
        ("duration of waits", Show::Matters, durations(report)),
        ("scheduling of waits", Show::Matters, scheduling(report)),
    ]);
    facts
}

/// What powered the machine while it waited.
fn power(report: &Report) -> Option<String> {
    distinct(report.waits.iter().filter_map(|wait| wait.power.clone()))
}

fn quota(env: &Environment) -> Option<String> {
    let (quota, period) = (env.cpu_quota?.quota_us?, env.cpu_quota?.period_us?);
    Some(format!("{:.2} CPUs", quota as f64 / period.max(1) as f64))
}

fn core_type(report: &Report) -> Option<String> {
    let cpu = report.ruler.as_ref()?.cpu?;
    report.environment.cpu.core_type(cpu).map(|it| it.name.clone())
}

/// The loads next to the waits, and next to the clocks.
fn loads(report: &Report) -> Option<String> {
    let waits = report.waits.iter().map(|wait| wait.load);
    let all = waits.chain(report.clocks_under_load.iter().filter_map(|clock| clock.load));
    let all: BTreeSet<_> = all.collect();
    distinct(all.into_iter().map(|load| load.name().to_owned()))
}

fn durations(report: &Report) -> Option<String> {
    let all: BTreeSet<u64> = report.waits.iter().filter_map(|wait| wait.requested_ns).collect();
    distinct(all.into_iter().map(|ns| short_ns(ns as f64)))
}

fn scheduling(report: &Report) -> Option<String> {
    let all: BTreeSet<_> = report.waits.iter().map(|wait| wait.scheduling.clone()).collect();
    distinct(all.into_iter().filter(|it| !it.is_empty()))
}

/// Words, each once, in their order; `None` if there are none.
fn distinct(words: impl Iterator<Item = String>) -> Option<String> {
    let mut all: Vec<String> = words.collect();
    all.dedup();
    (!all.is_empty()).then(|| all.join(", "))
}

/// Whether the two are of one machine, as far as they say: changes of costs are then for worse or
/// for better. A newer kernel or a newer release of the system leaves it the same machine.
pub fn one_machine(a: &Report, b: &Report) -> bool {
    let identity = |report: &Report| {
        let env = &report.environment;
        let hypervisor = env.hypervisor.as_ref().map(|it| it.name.clone());
        let emulated = env.emulated.is_some();
        (env.arch.clone(), family(&env.os), env.cpu.model.clone(), hypervisor, emulated)
    };
    identity(a) == identity(b)
}

/// The kind of system; the report has its name and version. Distributions of Linux have names of
/// their own.
fn family(os: &str) -> &'static str {
    let others = ["Windows", "macOS", "FreeBSD"];
    others.into_iter().find(|name| os.starts_with(name)).unwrap_or("Linux")
}
