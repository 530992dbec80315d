//! Many calls of each clock, really made (`--calls`), in the two tables of the comparison that the
//! project grew from: difference over 100 ms, time and example; then speed, kind of time, home.
//! Both have a row for each call that this platform lacks.

use super::super::Detail;
use super::super::columns::{Of, Rows, column};
use super::terms;
use crate::block::{Block, Cell, Text, Tone};
use crate::number::plural;
use chronoscope_model::Report;
use chronoscope_model::clock::{Bulk, Clock, Kind, Scope, Speed};

/// A clock and its calls; none if the platform lacks it.
type Made<'a> = (&'a Clock, Option<&'a Bulk>);

/// Both tables; nothing if no calls were made.
pub(super) fn view(report: &Report) -> Vec<Block> {
    let clocks = || report.clocks.iter();
    let Some(first) = clocks().find_map(|clock| clock.bulk.as_ref()) else {
        return Vec::new();
    };
    let made = clocks().filter(|clock| clock.bulk.is_some());
    let lacking = clocks().filter(|clock| !clock.available);
    let rows = made.chain(lacking).map(|clock| (clock, clock.bulk.as_ref()));
    let rows: Vec<Made> = rows.collect();
    let title = plural(first.calls, "call", "calls");
    let remark = Text::toned(Tone::Dim, "really made, one after the other");
    let mut blocks = vec![Block::remarked(title, remark)];
    if let Some(hz) = report.environment.measured_hz() {
        let khz = format!("CPU frequency: {:.0} kHz (the TSC's measured rate)", hz / 1e3);
        blocks.push(Block::paragraph(khz));
    }
    for columns in [times(), speeds()] {
        blocks.push(Block::Table(Rows::shown(columns, Detail::Full, &[]).of_all(&rows)));
    }
    let legend = "fast: up to twice the cheapest clock here whose tick is below 1 ms. ok: up to \
                  ten times. slow: more. not here: this platform lacks the call.";
    blocks.push(Block::Legend(legend.into()));
    blocks
}

fn function<'a>() -> Of<Made<'a>> {
    column("", &terms::FUNCTION, |(clock, _): &Made| Cell::code(&clock.call))
        .full(0)
        .head("Function")
        .name(16)
}

fn times<'a>() -> Vec<Of<Made<'a>>> {
    vec![
        function(),
        column("", &terms::INTERVAL, |(clock, _): &Made| {
            let difference = clock.difference_100ms.as_ref();
            match difference.filter(|d| d.clock_ms.is_finite()) {
                Some(d) => {
                    let cell = Cell::number(Some(d.clock_ms)).shown(format!("{:.0}", d.clock_ms));
                    if d.agrees { cell } else { cell.toned(Tone::Warn) }
                }
                None => Cell::default(),
            }
        })
        .full(0)
        .head("Difference\n(100 ms)")
        .right(),
        column("", &terms::TIME, |(_, bulk): &Made| match bulk {
            Some(bulk) => Cell::number(Some(bulk.ms)),
            None => Cell::default().shown("not here").toned(Tone::Dim),
        })
        .full(0)
        .head("Time\n(ms)")
        .right(),
        column("", &terms::EXAMPLE_MS, |(clock, _): &Made| {
            let ms = clock.example_ms.filter(|ms| ms.is_finite());
            let cell = Cell::number(ms).toned(Tone::Dim);
            ms.map_or(cell.clone(), |ms| cell.shown(format!("{ms:.0}")))
        })
        .full(0)
        .head("Example\n(ms)")
        .right()
        .optional(),
    ]
}

fn speeds<'a>() -> Vec<Of<Made<'a>>> {
    vec![
        function(),
        column("", &terms::SPEED, |(_, bulk): &Made| match bulk.and_then(|bulk| bulk.speed) {
            Some(Speed::Fast) => Cell::text("fast").toned(Tone::Good),
            Some(Speed::Ok) => Cell::text("ok"),
            Some(Speed::Slow) => Cell::text("slow").toned(Tone::Warn),
            None => Cell::default(),
        })
        .full(0)
        .head("Speed"),
        column("", &terms::NS_PER_CALL, |(_, bulk): &Made| {
            Cell::number(bulk.map(|bulk| bulk.ns_per_call()))
        })
        .full(0)
        .right(),
        column("", &terms::SCOPE, |(clock, _): &Made| Cell::text(gives(clock)))
            .full(0)
            .head("Gives time"),
        column("", &terms::COMPATIBLE, |(clock, _): &Made| Cell::text(&clock.home))
            .full(0)
            .head("Compatible")
            .gives_way(14),
    ]
}

fn gives(clock: &Clock) -> &'static str {
    match (clock.kind, clock.scope) {
        (Kind::Counter, _) => "tick",
        (_, Scope::Local) => "Local",
        (_, Scope::Universal) => "Universal",
        (_, Scope::Cpu) => "CPU time",
    }
}
