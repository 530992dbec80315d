//! What is concluded of each clock: the verdict, in a few words, what the tests of its order mean,
//! how fast its calls were, and which is the best of each kind.
//!
//! Also the verdict on a clock that was watched: whether it can be trusted, in a few words.

use crate::reading::{
    System, Word, cost, counts_counter, counts_source, in_step, orders_memory, out_of_step,
    promised, short, slow_source, source, unordered, unproven, word,
};
use chronoscope_model::Report;
use chronoscope_model::clock::{BuiltOn, Clock, Counts, Grade, Kind, Limit, Reads, Speed, Verdict};
use chronoscope_model::clock_source::SLOW_NS;
use chronoscope_model::environment::{Environment, TscKind};
use chronoscope_model::ordering::Ordering;
use chronoscope_model::trust::{Trust, Watch};
use chronoscope_model::units::two_digits;

/// A tick of this or more, in nanoseconds, is coarse: an interval of a microsecond cannot be seen.
pub const COARSE_NS: f64 = 1000.0;

/// A clock that returns to zero within an hour cannot time an hour.
pub const SHORT_WRAP_S: f64 = 3600.0;

/// The verdict on a clock; `None` if it is not available, or too little of it was measured.
///
/// The first of these that holds is given: it went backwards; it stood still; it does not follow an
/// interval of 100 ms; its counter cannot be trusted; what that would depend on is unknown; it
/// counts something other than elapsed time; it is coarse; it was not watched for long enough to
/// change; it is slow; it wraps early; it ran backwards between CPUs although its reads are
/// ordered; it is not ordered; it is stepped with the wall clock. The text has 20 columns at most,
/// so that a table of 80 can hold it.
pub fn verdict(clock: &Clock, env: &Environment) -> Option<Verdict> {
    if !clock.available || (clock.read_ns().is_none() && clock.resolution.is_none()) {
        return None;
    }
    let (grade, text) = seen_wrong(clock)
        .or_else(|| counter(clock, env))
        .or_else(|| unknown(clock, env))
        .or_else(|| other_than_time(clock))
        .or_else(|| coarse(clock))
        .or_else(|| unseen(clock))
        .or_else(|| slow(clock, env))
        .or_else(|| limits(clock, env))
        // A run that was stopped early has no cost for a clock that was not timed.
        .or_else(|| clock.read_ns().map(|_| (Grade::Good, "good".into())))?;
    Some(Verdict { grade, text })
}

type Judged = Option<(Grade, String)>;

fn seen_wrong(clock: &Clock) -> Judged {
    if clock.backwards.as_ref().is_some_and(|b| b.violations > 0) {
        return Some((Grade::Avoid, "goes backwards".into()));
    }
    let still = clock.resolution.as_ref().is_some_and(|r| r.stood_still());
    if still && clock.kind != Kind::Cpu {
        return Some((Grade::Avoid, "stood still".into()));
    }
    // A clock that is read between its steps can be off by at most two of them.
    let steps_ms = 2.0 * clock.step_ns().unwrap_or(0.0) / 1e6;
    let follows = clock.difference_100ms.as_ref().is_none_or(|d| {
        d.agrees || (d.clock_ms - d.reference_ms).abs() <= d.tolerance_ms + steps_ms
    });
    // A sleep costs no CPU time, so such a clock rightly does not follow it.
    (!follows && clock.kind != Kind::Cpu).then(|| (Grade::Avoid, "off over 100 ms".into()))
}

fn counter(clock: &Clock, env: &Environment) -> Judged {
    let cycles = clock.facts.is_some_and(|facts| facts.counts == Counts::Cycles);
    if clock.kind == Kind::Counter && cycles {
        return Some((Grade::Limited, "cycles, not time".into()));
    }
    if !counts_counter(clock) {
        return None;
    }
    if out_of_step(env).is_some() {
        return Some((Grade::Avoid, "CPUs not in step".into()));
    }
    let tsc = env.tsc.as_ref()?;
    match tsc.kind {
        TscKind::None => None,
        TscKind::Variant => Some((Grade::Avoid, "rate varies".into())),
        TscKind::Constant => Some((Grade::Limited, "may stop in idle".into())),
        TscKind::Invariant if word(env) == Word::Against => {
            Some((Grade::Avoid, "kernel left TSC".into()))
        }
        TscKind::Invariant => None,
    }
}

/// What a judgement needs and the report lacks. A missing fact does not count as good.
fn unknown(clock: &Clock, env: &Environment) -> Judged {
    let unknown = |text: &str| Some((Grade::Unknown, text.to_owned()));
    if counts_counter(clock) {
        // The counter of Arm's generic timer is one for the whole system by architecture (Arm ARM
        // D12); that of x86 is one for each CPU.
        let arm = env.counter.is_some() || matches!(env.arch.as_str(), "aarch64" | "arm");
        let lfence = clock.facts.is_some_and(|facts| facts.by_lfence);
        let tested = clock.ordering.as_ref().is_some_and(|ordering| ordering.was_tested());
        return match &env.tsc {
            None if arm => None,
            None => unknown("no facts on counter"),
            Some(_) if unproven(env).is_some() => unknown("no proof across CPUs"),
            Some(_) if lfence && promised(clock, env) == Some(false) && !tested => {
                unknown("LFENCE not promised")
            }
            Some(_) => None,
        };
    }
    if !counts_source(clock) || System::of(env) != System::Linux {
        return None;
    }
    let variant = env.tsc.as_ref().is_some_and(|tsc| tsc.kind != TscKind::Invariant);
    match (source(env), word(env)) {
        (None | Some(""), _) => unknown("clock source unknown"),
        (Some("tsc"), Word::Unchecked(_)) if variant || in_step(env) != Some(true) => {
            unknown("TSC is not checked")
        }
        _ => None,
    }
}

fn other_than_time(clock: &Clock) -> Judged {
    if clock.kind != Kind::Cpu {
        return None;
    }
    let text = match clock.step_ns() {
        Some(tick) if tick >= COARSE_NS => format!("CPU, {} tick", short(tick)),
        _ => "CPU time only".into(),
    };
    Some((Grade::Limited, text))
}

fn coarse(clock: &Clock) -> Judged {
    let tick = clock.step_ns().filter(|&ns| ns >= COARSE_NS)?;
    Some((Grade::Limited, format!("coarse: {}", short(tick))))
}

fn unseen(clock: &Clock) -> Judged {
    let resolution = clock.resolution.as_ref()?;
    (resolution.verdict == Limit::NotSeen).then(|| (Grade::Limited, "no change seen".into()))
}

fn slow(clock: &Clock, env: &Environment) -> Judged {
    clock.read_ns().filter(|&ns| ns > SLOW_NS)?;
    let exits = clock.facts.as_ref().is_some_and(|facts| facts.exits_guest);
    let text = match slow_source(env) {
        _ if clock.reads(Reads::SystemCall) => "slow: syscall".into(),
        _ if exits && env.hypervisor.is_some() => "slow: exits VM".into(),
        // A name that fits the column.
        Some(source) if clock.kind != Kind::Counter && source.name.len() <= 8 => {
            format!("slow: reads {}", source.name)
        }
        _ => format!("slow: {}", cost(clock)?),
    };
    Some((Grade::Limited, text))
}

fn limits(clock: &Clock, env: &Environment) -> Judged {
    if let Some(s) = clock.wraps_after_s
        && s > 0.0
        && s < SHORT_WRAP_S
    {
        return Some((Grade::Limited, format!("wraps after {}", short(s * 1e9))));
    }
    let ordering = clock.ordering.as_ref();
    let promised = promised(clock, env) == Some(true);
    if promised && ordering.is_some_and(|seen| seen.backwards().is_some()) {
        return Some((Grade::Limited, "backwards on 2 CPUs".into()));
    }
    if let Some(ns) = early(clock) {
        return Some((Grade::Limited, format!("{} early", short(ns))));
    }
    if unordered(clock, env) {
        let text = if orders_memory(clock) { "memory order only" } else { "may be read early" };
        return Some((Grade::Limited, text.into()));
    }
    (clock.kind == Kind::Wall).then(|| (Grade::Limited, "may be stepped".into()))
}

/// Adds the promise and the result to the clock's tests; does nothing if there were no tests.
pub(crate) fn describe_order(clock: &mut Clock, env: &Environment) {
    let promised = promised(clock, env);
    if let Some(ordering) = &mut clock.ordering {
        ordering.promised = promised;
        ordering.text = order_text(ordering, promised);
    }
}

fn order_text(ordering: &Ordering, promised: Option<bool>) -> String {
    let mut seen = Vec::new();
    if let Some(ns) = ordering.early() {
        seen.push(format!("{} early", short(two_digits(ns))));
    }
    if let Some(handed) = ordering.backwards() {
        let (one_in, worst) = (handed.one_in(), short(two_digits(handed.worst_ns)));
        seen.push(format!("1 in {one_in} hand-overs backwards, up to {worst}"));
    }
    let broken = promised == Some(true) && !seen.is_empty();
    if let Some(ns) = ordering.overtaken() {
        seen.push(format!("later work {} ahead of it", short(two_digits(ns))));
    }
    let result = match (seen.is_empty(), promised) {
        (true, _) if !ordering.was_tested() => "not tested".into(),
        (true, Some(true)) => "ordered, as promised".into(),
        (true, Some(false)) => "ordered in every test, not promised".into(),
        (true, None) => "ordered in every test".into(),
        (false, _) => seen.join("; "),
    };
    if broken { result + "; against the promise" } else { result }
}

/// By how much a read of the clock can be early, in nanoseconds with two digits, because that is
/// as long as the work before the read happened to take: the worst of all tests of its order.
/// `None` if no test showed that.
pub(crate) fn early(clock: &Clock) -> Option<f64> {
    let ordering = clock.ordering.as_ref()?;
    let backwards = ordering.backwards().map(|handed| handed.worst_ns);
    ordering.early().into_iter().chain(backwards).max_by(f64::total_cmp).map(two_digits)
}

/// From here on a call is slow: a system call of a slow kernel, or a read of a device.
const DEVICE_NS: f64 = 1000.0;

/// Judges each clock by what a call takes, whatever else was measured.
pub(crate) fn judge_speed(clocks: &mut [Clock]) {
    for bulk in clocks.iter_mut().filter_map(|clock| clock.bulk.as_mut()) {
        bulk.speed = Some(match bulk.ns_per_call() {
            ns if ns < SLOW_NS => Speed::Fast,
            ns if ns < DEVICE_NS => Speed::Ok,
            _ => Speed::Slow,
        });
    }
}

/// By how much a clock may cost more than the cheapest and still count as equal: what two calls of
/// one kind differ by from one build to the next.
const EQUAL_COSTS: f64 = 1.05;

/// Marks the best clock of each kind: the one that is advised, for the first purpose whose clock is
/// of this kind, so that the choice is made only once. If none is, as in a run of a few clocks, it
/// is the cheapest with no known problem. If all have one, it is the cheapest that is fine enough
/// for a microsecond and good within limits: wall clocks are all stepped, clocks of CPU time count
/// nothing else, and over a slow clock source all are slow. Among clocks that count as equal it is
/// the first of the catalogue, and another path to a clock counts only if that clock itself was not
/// measured.
pub(crate) fn mark_best(report: &mut Report) {
    let chosen = report.advice.iter().filter(|advice| advice.languages.is_empty());
    let advised: Vec<&str> = chosen.filter_map(|advice| advice.clock.as_deref()).collect();
    let mut best = Vec::new();
    for kind in [Kind::Counter, Kind::Monotonic, Kind::Wall, Kind::Cpu] {
        let of_kind = |clock: &&Clock| clock.available && clock.kind == kind;
        let clocks: Vec<&Clock> = report.clocks.iter().filter(of_kind).collect();
        let good = |clock: &Clock| has_grade(clock, Grade::Good);
        let limited = |clock: &Clock| {
            kind != Kind::Counter
                && has_grade(clock, Grade::Limited)
                && clock.step_ns().is_none_or(|ns| ns < COARSE_NS)
        };
        let mut named = advised.iter().filter_map(|id| clocks.iter().find(|clock| clock.id == *id));
        let found = named
            .find(|clock| good(clock) || limited(clock))
            .copied()
            .or_else(|| cheapest(&clocks, good))
            .or_else(|| cheapest(&clocks, limited));
        best.extend(found.map(|clock| clock.id.clone()));
    }
    for clock in &mut report.clocks {
        clock.best = best.contains(&clock.id);
    }
}

fn has_grade(clock: &Clock, grade: Grade) -> bool {
    clock.verdict.as_ref().is_some_and(|v| v.grade == grade)
}

/// The first accepted clock that counts as the cheapest of them.
fn cheapest<'a>(clocks: &[&'a Clock], accept: impl Fn(&Clock) -> bool) -> Option<&'a Clock> {
    let measured = |id: &str| clocks.iter().any(|c| c.id == id && c.read_ns().is_some());
    let own = |clock: &&&Clock| {
        let other = clock.alternative_to.as_deref();
        other.is_none_or(|id| !measured(id))
    };
    let costs = clocks.iter().filter(own).filter(|clock| accept(clock));
    let costs: Vec<(&Clock, f64)> =
        costs.filter_map(|clock| Some((*clock, clock.read_ns()?))).collect();
    let least = costs.iter().map(|(_, cost)| *cost).fold(f64::INFINITY, f64::min);
    let mut equal = costs.iter().filter(|(_, cost)| *cost <= least * EQUAL_COSTS);
    equal.next().map(|(clock, _)| *clock)
}

/// Sets the verdicts on all clocks that were watched.
pub(crate) fn judge_watched(report: &mut Report) {
    let Some(trust) = &mut report.trust else {
        return;
    };
    let verdicts: Vec<_> = trust.clocks.iter().map(|watch| watched_verdict(watch, trust)).collect();
    for (watch, verdict) in trust.clocks.iter_mut().zip(verdicts) {
        watch.verdict = verdict;
    }
}

/// The verdict; `None` if the clock is not available.
///
/// The first of these that holds is given: it went back on one thread or when the thread moved; it
/// stood still; its CPUs are out of step; it jumped; the vDSO contradicted the system call; it went
/// back between threads, which only an unordered read does on a sound machine; it was not tested;
/// it can be set. The text has 20 columns at most.
fn watched_verdict(watch: &Watch, trust: &Trust) -> Option<Verdict> {
    if watch.unavailable_reason.is_some() {
        return None;
    }
    let (grade, text) = judged(watch, trust);
    Some(Verdict { grade, text: text.into() })
}

fn judged(watch: &Watch, trust: &Trust) -> (Grade, &'static str) {
    let was_set = || {
        let steps = trust.wall.iter().flat_map(|wall| &wall.steps);
        watch.kind == Kind::Wall && steps.into_iter().any(|step| step.by_ns < 0.0)
    };
    let one_thread = watch.one_thread.as_ref().is_some_and(|one| one.violations > 0);
    let moved = watch.migrating.as_ref().is_some_and(|moved| moved.backwards > 0);
    let handed = watch.handed.as_ref().is_some_and(|handed| handed.backwards > 0);
    let facts = watch.facts.unwrap_or_default();
    let by_counter = facts.built_on == BuiltOn::Counter;
    let jumped = |jump: &chronoscope_model::trust::Jump| {
        jump.id == watch.id || by_counter && jump.id == trust.matrix.id
    };
    let mut sandwiches = trust.sandwiches.iter();
    match () {
        () if one_thread && was_set() => (Grade::Limited, "was set back"),
        () if one_thread => (Grade::Avoid, "goes backwards"),
        () if by_counter && trust.matrix.in_step() == Some(false) => {
            (Grade::Avoid, "CPUs not in step")
        }
        () if moved && !was_set() => (Grade::Avoid, "back between CPUs"),
        () if watch.frozen && watch.kind != Kind::Cpu => (Grade::Avoid, "stood still"),
        () if trust.watched.jumps.iter().any(jumped) => (Grade::Avoid, "jumped"),
        () if sandwiches.any(|one| one.id == watch.id && one.disagrees()) => {
            (Grade::Avoid, "vDSO disagrees")
        }
        // With CPUs in step, only the reads themselves can be out of order.
        () if handed && watch.unordered().is_some() && trust.matrix.in_step() == Some(true) => {
            (Grade::Limited, "unordered reads")
        }
        () if handed && was_set() => (Grade::Limited, "was set back"),
        () if handed => (Grade::Avoid, "back between CPUs"),
        () if watch.tries() == 0 => (Grade::Unknown, "not tested"),
        () if facts.counts == Counts::Cycles => (Grade::Limited, "cycles, not time"),
        () if watch.kind == Kind::Cpu => (Grade::Limited, "CPU time"),
        () if watch.kind == Kind::Wall => (Grade::Limited, "can be set"),
        () if watch.handed.is_none() && watch.one_cpu.is_none() => {
            (Grade::Unknown, "too little tested")
        }
        () if watch.handed.is_none() => (Grade::Good, "good on one CPU"),
        () => (Grade::Good, "good"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_model::clock::{Bulk, Cost, Resolution};
    use chronoscope_model::{Advice, Estimate};

    fn clock(id: &str, ns: f64, grade: Grade, tick_ns: f64) -> Clock {
        Clock {
            id: id.into(),
            available: true,
            cost: Cost {
                throughput: Some(Estimate { value_ns: ns, ..Estimate::default() }),
                ..Cost::default()
            },
            resolution: Some(Resolution { nominal_ns: Some(tick_ns), ..Resolution::default() }),
            verdict: Some(Verdict { grade, text: String::new() }),
            ..Clock::default()
        }
    }

    fn marked(clocks: Vec<Clock>, advised: &[&str]) -> Vec<String> {
        let advice = |id: &&str| Advice { clock: Some((*id).into()), ..Advice::default() };
        let mut report =
            Report { clocks, advice: advised.iter().map(advice).collect(), ..Report::default() };
        mark_best(&mut report);
        let best = report.clocks.into_iter().filter(|clock| clock.best);
        best.map(|clock| clock.id).collect()
    }

    #[test]
    fn the_advised_one_is_marked() {
        let clocks = || {
            vec![
                clock("coarse", 4.0, Grade::Limited, 4e6),
                clock("a", 16.0, Grade::Good, 1.0),
                clock("b", 16.5, Grade::Good, 1.0),
                clock("c", 20.0, Grade::Good, 1.0),
            ]
        };
        assert_eq!(marked(clocks(), &[]), ["a"]);
        assert_eq!(marked(clocks(), &["c", "b"]), ["c"]);
        assert_eq!(marked(clocks(), &["coarse", "b"]), ["b"]);
    }

    /// Which of two equal clocks is cheaper differs from run to run.
    #[test]
    fn among_equals_the_mark_does_not_move_from_run_to_run() {
        for (a, b) in [(16.0, 16.3), (16.3, 16.0)] {
            let clocks = vec![clock("a", a, Grade::Good, 1.0), clock("b", b, Grade::Good, 1.0)];
            assert_eq!(marked(clocks, &[]), ["a"]);
        }
    }

    #[test]
    fn another_path_to_a_clock_is_marked_only_if_the_clock_was_not_measured() {
        let own = clock("own", 200.0, Grade::Limited, 1.0);
        let bare = Clock {
            alternative_to: Some("own".into()),
            ..clock("bare", 100.0, Grade::Limited, 1.0)
        };
        assert_eq!(marked(vec![bare.clone(), own], &[]), ["own"]);
        assert_eq!(marked(vec![bare], &[]), ["bare"]);
    }

    #[test]
    fn without_a_good_one_it_is_the_cheapest_that_is_fine_enough() {
        let clocks = vec![
            clock("avoid", 1.0, Grade::Avoid, 1.0),
            clock("coarse", 4.0, Grade::Limited, 4e6),
            clock("fine", 18.0, Grade::Limited, 1.0),
        ];
        assert_eq!(marked(clocks, &[]), ["fine"]);
        assert!(marked(vec![Clock::default()], &[]).is_empty());
    }

    /// The speeds of clocks whose calls take this long.
    fn speeds(ns: &[f64]) -> Vec<Option<Speed>> {
        let bulk = |ns: &f64| Bulk { calls: 1_000_000, ms: *ns, speed: None };
        let clock = |ns| Clock { bulk: Some(bulk(ns)), ..Clock::default() };
        let mut clocks: Vec<Clock> = ns.iter().map(clock).collect();
        judge_speed(&mut clocks);
        clocks.into_iter().map(|clock| clock.bulk.and_then(|it| it.speed)).collect()
    }

    #[test]
    fn a_speed_does_not_depend_on_what_else_was_called() {
        let all = [8.0, 22.0, 350.0, 1120.0];
        assert_eq!(speeds(&all), [Speed::Fast, Speed::Fast, Speed::Ok, Speed::Slow].map(Some));
        for ns in all {
            assert_eq!(
                speeds(&[ns])[0],
                speeds(&all)[all.iter().position(|it| *it == ns).unwrap()]
            );
        }
    }
}

#[cfg(test)]
mod trust_tests {
    use super::*;
    use chronoscope_model::clock::{Backwards, Facts, Orders};
    use chronoscope_model::ordering::Handed;
    use chronoscope_model::trust::{HandedAll, Jump, Offset, Pair, Sandwich};

    fn watch(one_thread: u64, handed: u64) -> Watch {
        Watch {
            id: "fake/clock".into(),
            kind: Kind::Counter,
            facts: Some(Facts { built_on: BuiltOn::Counter, ..Facts::default() }),
            one_thread: Some(Backwards { tries: 1000, violations: one_thread, worst_ns: 5.0 }),
            handed: Some(HandedAll {
                pairs: 1,
                turns: 1000,
                backwards: handed,
                ..HandedAll::default()
            }),
            ..Watch::default()
        }
    }

    fn trust(offset_ns: f64) -> Trust {
        let mut trust = Trust::default();
        trust.matrix.id = "counter".into();
        trust.matrix.pairs.push(Pair {
            handed: Handed { cpus: [0, 1], turns: 10, ..Handed::default() },
            offsets: vec![Offset { offset_ns, uncertainty_ns: 50.0, ..Offset::default() }],
            ..Pair::default()
        });
        trust
    }

    fn text(watch: &Watch, trust: &Trust) -> (Grade, String) {
        let verdict = watched_verdict(watch, trust).expect("a verdict");
        assert!(verdict.text.len() <= 20, "{}", verdict.text);
        (verdict.grade, verdict.text)
    }

    #[test]
    fn the_worst_that_was_seen_decides() {
        let avoid = |text: &str| (Grade::Avoid, text.to_owned());
        let sound = trust(3.0);
        assert_eq!(text(&watch(0, 0), &sound), (Grade::Good, "good".into()));
        assert_eq!(text(&watch(1, 0), &sound), avoid("goes backwards"));
        let unordered = (Grade::Limited, "unordered reads".to_owned());
        assert_eq!(text(&watch(0, 9), &sound), unordered);
        let mut ordered = watch(0, 9);
        ordered.facts = Some(Facts { orders: Orders::Earlier, ..Facts::default() });
        assert_eq!(text(&ordered, &sound), avoid("back between CPUs"));
        assert_eq!(text(&watch(0, 9), &trust(900.0)), avoid("CPUs not in step"));
        let mut jumped = trust(0.0);
        jumped.watched.jumps.push(Jump { id: "counter".into(), ..Jump::default() });
        assert_eq!(text(&watch(0, 0), &jumped), avoid("jumped"));
        let mut disagrees = trust(0.0);
        disagrees.sandwiches.push(Sandwich {
            id: "fake/clock".into(),
            tries: 9,
            below: 1,
            ..Sandwich::default()
        });
        assert_eq!(text(&watch(0, 0), &disagrees), avoid("vDSO disagrees"));
        let untested = Watch::default();
        assert_eq!(text(&untested, &sound).0, Grade::Unknown);
        let away = Watch { unavailable_reason: Some("no such device".into()), ..Watch::default() };
        assert!(watched_verdict(&away, &sound).is_none());
    }
}
