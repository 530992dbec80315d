//! What differs between two reports besides their figures: the machines, the tools and the
//! settings, and the findings, verdicts and results of tests that only one has; and what the rows
//! that changed have in common.

use chronoscope_model::clock::Clock;
use chronoscope_model::compare::{Difference, Row, Section, Shared, Verdict};
use chronoscope_model::finding::Outcome;
use chronoscope_model::run::Core;
use chronoscope_model::trust::{Matrix, RateAgainst, Watch};
use chronoscope_model::units::{short_ns, three_digits};
use chronoscope_model::{Environment, Report, Trust, change};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

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
    let (core, fifo) = (ruler.and_then(|it| it.noise.core), ruler.and_then(|it| it.fifo));
    let ghz = |core: Core| format!("{} GHz", three_digits(core.hz / 1e9));
    facts.extend([
        ("timer slack", Show::Matters, env.timer_slack_ns.map(|ns| short_ns(ns as f64))),
        ("CPU quota", Show::Matters, quota(env)),
        ("boot parameters", Show::Matters, text(&env.parameters.join(" "))),
        ("CPU of the run", Show::Differs, ruler.and_then(|it| it.cpu).map(|it| it.to_string())),
        ("type of core", Show::Matters, core_type(report)),
        ("core frequency", Show::Differs, core.map(ghz)),
        ("real-time priority", Show::Matters, fifo.map(|it| it.to_string())),
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

/// What both sides say under a key, if it is not the same.
fn differing([a, b]: [BTreeMap<String, String>; 2]) -> Vec<Difference> {
    let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    let both = keys.into_iter().map(|key| Difference {
        key: key.clone(),
        a: a.get(key).cloned(),
        b: b.get(key).cloned(),
        matters: true,
    });
    both.filter(|it| !it.is_same()).collect()
}

/// What may be why figures differ.
fn difference(key: String, [a, b]: [String; 2]) -> Difference {
    Difference { key, a: Some(a), b: Some(b), matters: true }
}

/// The findings that only one of them has, with their titles. A fault that could not be looked for
/// is no finding.
pub fn findings(a: &Report, b: &Report) -> Vec<Difference> {
    let of = |report: &Report| {
        let found = report.findings.iter().filter(|it| it.is_found());
        found.map(|it| (it.id.clone(), it.title.clone())).collect::<BTreeMap<_, _>>()
    };
    let mut all = differing([of(a), of(b)]);
    // A title may hold figures, which differ from run to run.
    all.retain(|it| it.a.is_none() || it.b.is_none());
    all
}

/// The verdicts on clocks that both have, if the grade is not the same.
pub fn verdicts(a: &Report, b: &Report) -> Vec<Difference> {
    let others: BTreeMap<&str, _> = b.clocks.iter().map(|it| (it.id.as_str(), it)).collect();
    let mut seen = BTreeSet::new();
    let both = a.clocks.iter().filter(|it| seen.insert(it.id.as_str())).filter_map(|clock| {
        let (a, b) = (clock.verdict.as_ref()?, others.get(clock.id.as_str())?.verdict.as_ref()?);
        let texts = || [a.text.clone(), b.text.clone()];
        (a.grade != b.grade).then(|| difference(clock.id.clone(), texts()))
    });
    both.collect()
}

/// What differs in the tests of trust, and in what was looked for: whether clocks go backwards,
/// whether the CPUs agree, what the rates are, and the outcome of each check.
pub fn trust(a: &Report, b: &Report) -> Vec<Difference> {
    let mut all = differing([checks(a), checks(b)]);
    all.retain(|it| it.a.is_some() && it.b.is_some());
    if let (Some(a), Some(b)) = (&a.trust, &b.trust) {
        all.extend(steps(a, b));
        all.extend(in_step(&a.matrix, &b.matrix));
        all.extend(rates(a, b));
    }
    all
}

fn checks(report: &Report) -> BTreeMap<String, String> {
    let known = report.checks.iter().filter_map(|it| {
        let outcome = match it.outcome {
            Outcome::Found => "found",
            Outcome::Clear => "not found",
            Outcome::Unknown | Outcome::Elsewhere => return None,
        };
        Some((it.id.clone(), outcome.to_owned()))
    });
    known.collect()
}

/// The clocks that stepped back in only one of the two.
fn steps<'a>(a: &'a Trust, b: &'a Trust) -> impl Iterator<Item = Difference> + 'a {
    let text = |watch: &Watch| {
        let ordered = watch.ordered();
        format!("{} of {}", ordered.violations, ordered.tries)
    };
    a.clocks.iter().filter_map(move |watch| {
        let other = b.of(&watch.id)?;
        let [a, b] = [watch, other].map(|it| it.ordered().violations > 0);
        let key = || format!("steps back of {}", watch.id);
        (a != b).then(|| difference(key(), [watch, other].map(text)))
    })
}

fn in_step(a: &Matrix, b: &Matrix) -> Option<Difference> {
    let text = |matrix: &Matrix| {
        let apart = matrix.out_of_step().count();
        Some(match matrix.in_step()? {
            true => "in step".to_owned(),
            false => format!("{apart} of {} pairs apart", matrix.pairs.len()),
        })
    };
    let texts = [text(a)?, text(b)?];
    (texts[0] != texts[1]).then(|| difference("counters of the CPUs".into(), texts))
}

/// The rates whose intervals do not overlap.
fn rates<'a>(a: &'a Trust, b: &'a Trust) -> impl Iterator<Item = Difference> + 'a {
    let text = |it: &RateAgainst| format!("{:+.3} ± {:.3} ppm", it.ppm, it.half_width_ppm());
    a.rates.iter().filter_map(move |rate| {
        let same = |it: &&RateAgainst| (&it.id, &it.against) == (&rate.id, &rate.against);
        let other = b.rates.iter().find(same)?;
        let apart = rate.high_ppm < other.low_ppm || other.high_ppm < rate.low_ppm;
        let key = || format!("rate of {} by {}", rate.id, rate.against);
        apart.then(|| difference(key(), [rate, other].map(text)))
    })
}

/// So many rows have to have changed, and to be the same, before it says something that a fact
/// separates them.
const LEAST_SHARING: usize = 3;

/// The facts about clocks that all rows which changed have, and none that is the same. Rows of
/// which it cannot be told count on neither side.
pub fn shared(rows: &[Row], clocks: &[Clock]) -> Vec<Shared> {
    let clocks: BTreeMap<&str, &Clock> = clocks.iter().map(|it| (it.id.as_str(), it)).collect();
    let of = |wanted: fn(Verdict) -> bool| -> Vec<[(&str, String); 4]> {
        let rows = rows.iter().filter(|row| row.key.section == Section::Clocks);
        let found = rows.filter(|row| wanted(row.verdict));
        found.filter_map(|row| facts_of_clock(clocks.get(row.key.id.as_str())?)).collect()
    };
    let changed = of(Verdict::changed);
    let same = of(|verdict| verdict == Verdict::Same);
    let Some(first) = changed.first().filter(|_| changed.len().min(same.len()) >= LEAST_SHARING)
    else {
        return Vec::new();
    };
    let with =
        |rows: &[[(&str, String); 4]], fact| rows.iter().filter(|it| it.contains(fact)).count();
    let counted = first.iter().map(|fact| Shared {
        fact: fact.0.into(),
        value: fact.1.clone(),
        changed: with(&changed, fact),
        of: changed.len(),
        same: with(&same, fact),
    });
    counted.filter(|it| it.changed == it.of && it.same == 0).collect()
}

/// The facts as the report spells them; `None` in reports of earlier versions.
fn facts_of_clock(clock: &Clock) -> Option<[(&'static str, String); 4]> {
    let word = |value: serde_json::Result<Value>| {
        value.ok().as_ref().and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let known = clock.facts?;
    Some([
        ("reads", word(serde_json::to_value(known.reads))),
        ("built_on", word(serde_json::to_value(known.built_on))),
        ("language", word(serde_json::to_value(clock.language))),
        ("kind", word(serde_json::to_value(clock.kind))),
    ])
}
