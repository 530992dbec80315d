//! The best clock of each kind.

use crate::verdict::COARSE_NS;
use chronoscope_model::Report;
use chronoscope_model::clock::{Clock, Grade, Kind};

/// By how much a clock may cost more than the cheapest and still count as equal: what two calls of
/// one kind differ by from one build to the next.
const EQUAL: f64 = 1.05;

/// Marks the best clock of each kind: the cheapest with no known problem. If all have one, the
/// cheapest that is fine enough for a microsecond and good within limits: wall clocks are all
/// stepped, clocks of CPU time count nothing else, and over a slow clock source all are slow. Among
/// clocks that count as equal it is the one that is advised, for the first purpose for which any of
/// them is, so that table and advice do not name two.
pub(crate) fn mark(report: &mut Report) {
    let advised: Vec<&String> = report
        .advice
        .iter()
        .filter_map(|advice| advice.clock.as_ref())
        .collect();
    let mut best = Vec::new();
    for kind in [Kind::Counter, Kind::Monotonic, Kind::Wall, Kind::Cpu] {
        let of_kind = |clock: &&Clock| clock.available && clock.kind == kind;
        let clocks: Vec<&Clock> = report.clocks.iter().filter(of_kind).collect();
        let good = cheapest(&clocks, &advised, |clock| is(clock, Grade::Good));
        let limited = || {
            cheapest(&clocks, &advised, |clock| {
                kind != Kind::Counter
                    && is(clock, Grade::Limited)
                    && clock.step_ns().is_none_or(|ns| ns < COARSE_NS)
            })
        };
        best.extend(good.or_else(limited).map(|clock| clock.id.clone()));
    }
    for clock in &mut report.clocks {
        clock.best = best.contains(&clock.id);
    }
}

fn is(clock: &Clock, grade: Grade) -> bool {
    clock.verdict.as_ref().is_some_and(|v| v.grade == grade)
}

fn cheapest<'a>(
    clocks: &[&'a Clock],
    advised: &[&String],
    accept: impl Fn(&Clock) -> bool,
) -> Option<&'a Clock> {
    let costs = clocks.iter().filter(|clock| accept(clock));
    let costs: Vec<(&Clock, f64)> = costs
        .filter_map(|clock| Some((*clock, clock.read_ns()?)))
        .collect();
    let (first, least) = costs.iter().min_by(|a, b| a.1.total_cmp(&b.1)).copied()?;
    let equal = |id: &&String| {
        let mut equals = costs.iter().filter(|(_, cost)| *cost <= least * EQUAL);
        equals.find(|(clock, _)| clock.id == **id).map(|c| c.0)
    };
    Some(advised.iter().find_map(equal).unwrap_or(first))
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
                throughput: Some(Estimate {
                    value_ns: ns,
                    ..Estimate::default()
                }),
                ..Cost::default()
            },
            resolution: Some(Resolution {
                nominal_ns: Some(tick_ns),
                ..Resolution::default()
            }),
            verdict: Some(Verdict {
                grade,
                text: String::new(),
            }),
            ..Clock::default()
        }
    }

    fn marked(clocks: Vec<Clock>, advised: &[&str]) -> Vec<String> {
        let advice = |id: &&str| Advice {
            clock: Some((*id).into()),
            ..Advice::default()
        };
        let mut report = Report {
            clocks,
            advice: advised.iter().map(advice).collect(),
            ..Report::default()
        };
        mark(&mut report);
        let best = report.clocks.into_iter().filter(|clock| clock.best);
        best.map(|clock| clock.id).collect()
    }

    #[test]
    fn the_cheapest_good_one_is_marked_and_among_equals_the_advised_one() {
        let clocks = || {
            vec![
                clock("coarse", 4.0, Grade::Limited, 4e6),
                clock("a", 16.0, Grade::Good, 1.0),
                clock("b", 16.5, Grade::Good, 1.0),
                clock("c", 20.0, Grade::Good, 1.0),
            ]
        };
        assert_eq!(marked(clocks(), &[]), ["a"]);
        assert_eq!(marked(clocks(), &["c", "b"]), ["b"]);
        assert_eq!(marked(clocks(), &["c"]), ["a"]);
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
