//! Clocks in groups of one kind, the cheapest first.

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

/// The cheapest trustworthy clock of a group: nothing speaks against it. Where there is none, the
/// cheapest that is fine enough for a microsecond and good within limits: wall clocks are all
/// stepped, clocks of processor time count nothing else, and over a slow clock source all are slow.
pub(super) fn best(group: &Group<'_>) -> Option<String> {
    let graded = |clock: &&&Clock, grade| {
        cost(clock).is_some() && clock.verdict.as_ref().is_some_and(|v| v.grade == grade)
    };
    let good = group.clocks.iter().find(|c| graded(c, Grade::Good));
    let shared = || {
        group.clocks.iter().find(|c| {
            let coarse = c
                .resolution
                .as_ref()
                .and_then(Resolution::step_ns)
                .is_some_and(|ns| ns >= 1000.0);
            c.kind != Kind::Counter && graded(c, Grade::Limited) && !coarse
        })
    };
    good.or_else(shared).map(|c| c.id.clone())
}
