//! Several reports next to each other: what changed, and what works on every machine.
//!
//! Below are the figures of a report that another report may have, too.

mod basis;
pub mod history;
mod machines;
mod portable;
pub mod rule;
pub mod runs;

use crate::run;
use basis::Basis;
use chronoscope_model::clock::{BuiltOn, Clock, Facts, Reads};
use chronoscope_model::compare::{
    Change, Compared, Figure, Key, Method, Other, Quantity, Row, SCHEMA, Section, Side, Verdict,
};
use chronoscope_model::quantile::Percentile;
use chronoscope_model::{Estimate, Report, Wait};
use portable::source;
use rule::{Limits, Ratio};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

pub use machines::{environment, one_machine};

/// More reports than this are not compared with the first one.
pub const COLUMNS: usize = 4;

/// Compares reports, each with the name of its file: what changed from the first to each of the
/// others, if there are at most [`COLUMNS`], and what works on all machines, if there are several
/// or there are more reports. What not every report holds is left out.
pub fn compare(reports: &[(String, Report)]) -> Compared {
    let Some(((name, first), others)) = reports.split_first() else {
        return Compared::default();
    };
    let many = reports.len() > COLUMNS;
    let machines = many || others.iter().any(|(_, other)| !one_machine(first, other));
    let judged = if many { &[] } else { others };
    let changes = judged.iter().map(|(file, other)| stored((name, first), (file, other)));
    portable::complete(compared(Method::Stored, changes), reports, machines)
}

/// Compares two reports, each with the name of its file.
pub fn stored((a_file, a): (&str, &Report), (b_file, b): (&str, &Report)) -> Change {
    let pairs = pairs_of(figures(a), figures(b));
    let basis = Basis::choose([a, b], &pairs);
    let (mut found, mut p) = (Vec::new(), Vec::new());
    for [a, b] in &pairs {
        let (ratio, why) = (basis.ratio(a, b), why(a, b));
        p.extend(why.is_none().then(|| rule::p(a, b, ratio)));
        found.push((a, b, ratio, why));
    }
    let mut chances = rule::holm(&p).into_iter();
    let mut row = |(a, b, ratio, why): (&Measured, &Measured, Ratio, Option<String>)| {
        let (key, figures) = (a.key.clone(), [a.figure, b.figure]);
        let Some(p) = why.is_none().then(|| chances.next()).flatten() else {
            return Row { why, ..rule::row(key, figures, ratio) };
        };
        let row = rule::judged(key, figures, ratio, p, Limits::of(a, b));
        let open = row.verdict == Verdict::CannotTell;
        Row { why: open.then(|| rule::too_wide(a).into()), ..row }
    };
    let rows = found.into_iter().map(&mut row).collect();
    Change {
        unit: basis.unit,
        unit_why: basis.why,
        findings: machines::findings(a, b),
        verdicts: machines::verdicts(a, b),
        trust: machines::trust(a, b),
        ..change((side(a_file, a), a), (side(b_file, b), b), rows)
    }
}

/// What changed from A to B, whose machines and clocks these reports show. Of another machine, a
/// higher cost is no worse one.
fn change((a, of_a): (Side, &Report), (b, of_b): (Side, &Report), mut rows: Vec<Row>) -> Change {
    if !one_machine(of_a, of_b) {
        rows.iter_mut().for_each(|row| row.verdict = rule::elsewhere(row.verdict));
    }
    Change {
        a,
        b,
        environment: environment(of_a, of_b),
        shared: machines::shared(&rows, &of_b.clocks),
        counts: rule::counts(&rows),
        rows,
        ..Change::default()
    }
}

/// What was judged by a method.
fn compared(method: Method, changes: impl IntoIterator<Item = Change>) -> Compared {
    let mut changes = changes.into_iter();
    let (change, more) = (changes.next(), changes.collect());
    Compared { schema: SCHEMA.into(), method, change, more, ..Compared::default() }
}

/// Why a row is not judged; `None` if it is.
fn why(a: &Measured, b: &Measured) -> Option<String> {
    if let (Some(a), Some(b)) = (a.wait, b.wait)
        && a.load != b.load
    {
        return Some(format!("the load is {} in A and {} in B", a.load.name(), b.load.name()));
    }
    let unjudged = rule::not_judged(a).or_else(|| rule::not_judged(b)).map(str::to_owned);
    unjudged.or_else(|| rule::never_alone(a, "A")).or_else(|| rule::never_alone(b, "B"))
}

/// The figures that both have, in the order of the first. A wait that the other report has under
/// another load only is compared with that one.
fn pairs_of<'a>(a: Vec<Measured<'a>>, b: Vec<Measured<'a>>) -> Vec<[Measured<'a>; 2]> {
    // A grid of deadlines is not a wait of the same duration, and nor is one with another tick.
    let of = |it: &Measured| {
        (it.key.clone(), it.wait.map(|wait| (wait.period_ns, wait.work_ns, wait.timer_period_ms)))
    };
    let mut others = BTreeMap::new();
    for it in b {
        others.entry(of(&it)).or_insert(it);
    }
    let (mut both, mut alone, mut seen) = (Vec::new(), BTreeMap::new(), BTreeSet::new());
    for it in a.into_iter().filter(|it| seen.insert(of(it))) {
        match others.remove(&of(&it)) {
            Some(other) => both.push([it, other]),
            None => drop(alone.insert(of(&it), it)),
        }
    }
    let without = |(key, wait): (Key, _)| (Key { load: None, ..key }, wait);
    let mut elsewhere: BTreeMap<_, VecDeque<_>> = BTreeMap::new();
    for (key, it) in others.into_iter().filter(|(_, it)| it.wait.is_some()) {
        elsewhere.entry(without(key)).or_default().push_back(it);
    }
    both.extend(alone.into_iter().filter_map(|(key, it)| {
        let other = elsewhere.get_mut(&without(key))?.pop_front()?;
        Some([it, other])
    }));
    both
}

/// What a comparison says of a report.
pub fn side(file: &str, report: &Report) -> Side {
    Side {
        file: file.into(),
        run: report.run.id.clone(),
        started: report.run.started.clone(),
        cpu: report.ruler.as_ref().and_then(|ruler| ruler.cpu),
        runs: None,
        disturbed: run::reasons(report).into_iter().map(|it| it.text).collect(),
    }
}

/// What there is to say of one report next to `a`, or why it could not be read.
pub fn brief(a: (&str, &Report), file: &str, other: Result<&Report, String>) -> Other {
    let unread = |error| Other {
        side: Side { file: file.into(), ..Side::default() },
        error: Some(error),
        ..Other::default()
    };
    let other = match other {
        Ok(report) => report,
        Err(why) => return unread(why),
    };
    let change = stored(a, (file, other));
    let side = change.b;
    if change.rows.is_empty() {
        return Other { side, ..unread("it has no figure in common".into()) };
    }
    let size = |row: &Row| row.change.ln_1p().abs();
    let mut changed: Vec<Row> = change.rows;
    changed.retain(|row| row.verdict.changed());
    let most = changed.into_iter().max_by(|a, b| {
        let worse = |row: &Row| matches!(row.verdict, Verdict::Worse | Verdict::Higher);
        worse(a).cmp(&worse(b)).then(size(a).total_cmp(&size(b)))
    });
    let mut differs = change.environment;
    differs.retain(|it| it.matters);
    // Thousands of these are kept.
    differs.shrink_to_fit();
    Other { side, differs, counts: change.counts, most, error: None }
}

/// All of them: the one with most worse rows first, and those that could not be read last.
pub fn many((file, a): (&str, &Report), mut others: Vec<Other>) -> Compared {
    others.sort_by(|a, b| {
        let by = |it: &Other| it.most.as_ref().map_or(0.0, |row| row.change);
        let key = |it: &Other| (it.error.is_some(), Reverse(it.counts.worse));
        key(a)
            .cmp(&key(b))
            .then(by(b).total_cmp(&by(a)))
            .then(b.counts.better.cmp(&a.counts.better))
    });
    Compared { reports: vec![source(file, a)], others, ..compared(Method::Stored, []) }
}

/// A figure, and what decides how it is judged.
#[derive(Clone, Debug, Default)]
pub struct Measured<'a> {
    pub key: Key,
    pub figure: Figure,
    /// The same cost in cycles of the core, if that is known.
    pub core_cycles: Option<f64>,
    /// The processes that a cost comes from, if that is known.
    pub processes: Option<u32>,
    /// Whether a neighbour used the core in so many rounds that the cost is that of a shared one.
    pub only_shared: bool,
    /// The clock that it is the cost of, unless it is that of a runtime or a wait.
    pub clock: Option<&'a Clock>,
    /// The wait that it is a percentile of.
    pub wait: Option<&'a Wait>,
}

impl Measured<'_> {
    /// What is known of its clock before it is measured.
    pub fn facts(&self) -> Option<Facts> {
        self.clock?.facts
    }

    /// Whether a read enters the kernel.
    pub fn through_kernel(&self) -> bool {
        self.facts().is_some_and(|it| matches!(it.reads, Reads::SystemCall | Reads::File))
    }

    /// Whether it is a read back to back that only loads what something else has stored. A loop of
    /// so few cycles has two rhythms, a quarter apart, and a run stays in one of them.
    pub fn stored_time(&self) -> bool {
        let reads = |it: Facts| matches!(it.reads, Reads::Vdso | Reads::Memory);
        let loads = |it: Facts| it.built_on == BuiltOn::Tick && reads(it);
        self.key.quantity == Quantity::Read && self.facts().is_some_and(loads)
    }
}

/// Every figure with an interval: costs of clocks, with and without load, and of runtimes, and the
/// percentiles of waits. Costs that are too small to be resolved are left out.
pub fn figures(report: &Report) -> Vec<Measured<'_>> {
    let mut found = Vec::new();
    let clocks = report.clocks.iter().chain(&report.clocks_under_load);
    for clock in clocks.filter(|clock| clock.available) {
        let cost = &clock.cost;
        for (quantity, estimate) in [
            (Quantity::Read, &cost.throughput),
            (Quantity::Ordered, &cost.latency),
            (Quantity::Cold, &cost.cold),
            (Quantity::First, &cost.first),
        ] {
            let key = Key { id: clock.id.clone(), quantity, load: clock.load, ..Key::default() };
            found.extend(of_cost(key, estimate.as_ref(), Some(clock)));
        }
    }
    let runtimes = report.runtimes.iter();
    for (runtime, clock) in runtimes.flat_map(|it| it.clocks.iter().map(move |clock| (it, clock))) {
        let id = format!("{}/{}", runtime.id, clock.id);
        let key = Key { section: Section::Runtimes, id, ..Key::default() };
        let ordered = Key { quantity: Quantity::Ordered, ..key.clone() };
        found.extend(of_cost(key, clock.throughput.as_ref(), None));
        found.extend(of_cost(ordered, clock.latency.as_ref(), None));
    }
    for wait in report.waits.iter().filter(|wait| wait.samples > 0) {
        found.extend(Percentile::ALL.into_iter().filter_map(|at| of_wait(wait, at)));
    }
    found
}

fn of_cost<'a>(
    key: Key,
    estimate: Option<&Estimate>,
    clock: Option<&'a Clock>,
) -> Option<Measured<'a>> {
    let it = estimate.filter(|it| !it.below_resolution)?;
    let figure = Figure { value_ns: it.value_ns, low_ns: it.low_ns, high_ns: it.high_ns };
    sound(&figure).then_some(Measured {
        key,
        figure,
        core_cycles: it.core_cycles,
        processes: it.processes,
        only_shared: it.only_shared,
        clock,
        wait: None,
    })
}

fn of_wait(wait: &Wait, at: Percentile) -> Option<Measured<'_>> {
    let interval = wait.intervals.get(at)?;
    let figure = Figure {
        value_ns: wait.percentile(at)? as f64,
        low_ns: interval.low_ns as f64,
        high_ns: interval.high_ns? as f64,
    };
    let key = Key {
        section: Section::Waits,
        id: wait.id.clone(),
        quantity: Quantity::Overshoot,
        percentile: Some(at.name().into()),
        requested_ns: wait.requested_ns,
        // The default may differ between machines, which is a fact about them.
        slack_ns: wait.slack_ns.filter(|_| !wait.default_slack),
        slice_ns: wait.slice_ns,
        policy: wait.policy,
        load: Some(wait.load),
    };
    sound(&figure).then(|| Measured { key, figure, wait: Some(wait), ..Measured::default() })
}

/// Whether a ratio can be made of it. A file may hold anything.
fn sound(figure: &Figure) -> bool {
    let Figure { value_ns, low_ns, high_ns } = *figure;
    let finite = [value_ns, low_ns, high_ns].iter().all(|ns| ns.is_finite());
    finite && value_ns > 0.0 && low_ns <= value_ns && value_ns <= high_ns
}
