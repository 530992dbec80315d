//! The best clock of each kind.

use crate::verdict::COARSE_NS;
use chronoscope_model::Report;
use chronoscope_model::clock::{Clock, Grade, Kind};

/// By how much a clock may cost more than the cheapest and still count as equal: what two calls of
/// one kind differ by from one build to the next.
const EQUAL: f64 = 1.05;

/// Marks the best clock of each kind: the one that is advised, for the first purpose whose clock is
/// of this kind, so that the choice is made only once. If none is, as in a run of a few clocks, it
/// is the cheapest with no known problem. If all have one, it is the cheapest that is fine enough
/// for a microsecond and good within limits: wall clocks are all stepped, clocks of CPU time count
/// nothing else, and over a slow clock source all are slow. Among clocks that count as equal it is
/// the first of the catalogue, and another path to a clock counts only if that clock itself was not
/// measured.
pub(crate) fn mark(report: &mut Report) {
    let chosen = report.advice.iter().filter(|advice| advice.languages.is_empty());
    let advised: Vec<&str> = chosen.filter_map(|advice| advice.clock.as_deref()).collect();
    let mut best = Vec::new();
    for kind in [Kind::Counter, Kind::Monotonic, Kind::Wall, Kind::Cpu] {
        let of_kind = |clock: &&Clock| clock.available && clock.kind == kind;
        let clocks: Vec<&Clock> = report.clocks.iter().filter(of_kind).collect();
        let good = |clock: &Clock| is(clock, Grade::Good);
        let limited = |clock: &Clock| {
            kind != Kind::Counter
                && is(clock, Grade::Limited)
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

fn is(clock: &Clock, grade: Grade) -> bool {
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
    let mut equal = costs.iter().filter(|(_, cost)| *cost <= least * EQUAL);
    equal.next().map(|(clock, _)| *clock)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_model::clock::{Cost, Resolution, Verdict};
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
        mark(&mut report);
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
}
