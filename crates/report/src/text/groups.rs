//! Clocks in groups of one kind, the cheapest first.

use chronoscope_model::Advice;
use chronoscope_model::clock::{Clock, Grade, Kind, Resolution};

/// One kind of clock, and those of it that can be read here.
pub(super) struct Group<'a> {
    pub(super) name: &'static str,
    pub(super) remark: &'static str,
    pub(super) clocks: Vec<&'a Clock>,
}

/// Kinds in the order of the catalogue, with their names and what they count.
const KINDS: [(Kind, &str, &str); 4] = [
    (Kind::Counter, "Counters", "raw ticks, no epoch"),
    (Kind::Monotonic, "Monotonic", "local time, never stepped"),
    (Kind::Wall, "Wall", "universal time, may be stepped"),
    (Kind::Cpu, "CPU time", "of the process or the thread"),
];

/// What a read costs, for the order of rows.
pub(super) fn cost(clock: &Clock) -> Option<f64> {
    let estimate = clock
        .cost
        .throughput
        .as_ref()
        .or(clock.cost.latency.as_ref())?;
    Some(estimate.value_ns).filter(|ns| ns.is_finite())
}

/// The clocks that can be read here, by kind, the cheapest of each kind first.
pub(super) fn groups(clocks: &[Clock]) -> Vec<Group<'_>> {
    KINDS
        .into_iter()
        .filter_map(|(kind, name, remark)| {
            let mut members: Vec<&Clock> = clocks
                .iter()
                .filter(|c| c.available && c.kind == kind)
                .collect();
            members.sort_by(|a, b| {
                let of = |c: &Clock| cost(c).unwrap_or(f64::INFINITY);
                of(a).total_cmp(&of(b))
            });
            (!members.is_empty()).then_some(Group {
                name,
                remark,
                clocks: members,
            })
        })
        .collect()
}

/// What a clock may cost more than the cheapest and still count as equal: what two calls of one
/// kind differ by from one build to the next.
const EQUAL: f64 = 1.05;

/// The cheapest trustworthy clock of a group: nothing speaks against it. Where there is none, the
/// cheapest that is fine enough for a microsecond and good within limits: wall clocks are all
/// stepped, clocks of processor time count nothing else, and over a slow clock source all are slow.
/// Of equals it is the one that is advised, for the first purpose that any of them is advised for,
/// so that table and advice do not name two.
pub(super) fn best(group: &Group<'_>, advice: &[Advice]) -> Option<String> {
    let graded = |clock: &Clock, grade| {
        cost(clock).is_some() && clock.verdict.as_ref().is_some_and(|v| v.grade == grade)
    };
    let good = |clock: &Clock| graded(clock, Grade::Good);
    let limited = |clock: &Clock| {
        let step = clock
            .resolution
            .as_ref()
            .and_then(Resolution::known_step_ns);
        let coarse = step.is_some_and(|ns| ns >= 1000.0);
        clock.kind != Kind::Counter && graded(clock, Grade::Limited) && !coarse
    };
    let cheapest = |accept: &dyn Fn(&Clock) -> bool| {
        let accepted: Vec<&Clock> = group.clocks.iter().copied().filter(|c| accept(c)).collect();
        let first = accepted.first()?;
        let most = cost(first)? * EQUAL;
        let equal = |id: &String| {
            let of_this = |c: &&&Clock| c.id == *id && cost(c).is_some_and(|ns| ns <= most);
            accepted.iter().find(of_this)
        };
        let mut advised = advice.iter().filter_map(|a| a.clock.as_ref());
        let chosen = advised.find_map(equal).unwrap_or(first);
        Some(chosen.id.clone())
    };
    cheapest(&good).or_else(|| cheapest(&limited))
}
