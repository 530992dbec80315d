//! Many calls of each clock, really made (`--calls`), in the two tables of the comparison that the
//! project grew from: difference over 100 ms, time and example; then speed, kind of time, home.

use super::super::Detail;
use super::super::columns::{Of, Rows, column};
use super::terms;
use crate::block::{Block, Cell, Text, Tone, Value};
use crate::number::plural;
use chronoscope_model::Report;
use chronoscope_model::clock::{Bulk, Clock, Kind, Scope, Speed};

/// A clock and its calls.
type Made<'a> = (&'a Clock, &'a Bulk);

/// Both tables; nothing if no calls were made.
pub(super) fn view(report: &Report) -> Vec<Block> {
    let clocks = report.clocks.iter();
    let made: Vec<Made> = clocks
        .filter_map(|clock| Some((clock, clock.bulk.as_ref()?)))
        .collect();
    let Some((_, first)) = made.first() else {
        return Vec::new();
    };
    let title = plural(first.calls, "call", "calls");
    let remark = Text::toned(Tone::Dim, "really made, one after the other");
    let mut blocks = vec![Block::remarked(title, remark)];
    if let Some(hz) = report.environment.measured_hz() {
        let khz = format!("CPU frequency: {:.0} kHz (the TSC's measured rate)", hz / 1e3);
        blocks.push(Block::paragraph(khz));
    }
    for columns in [times(), speeds()] {
        let rows = Rows::shown(columns, Detail::Full, &[]);
        blocks.push(Block::Table(rows.of_all(&made)));
    }
    let legend = "fast: up to twice the cheapest clock here whose tick is below 1 ms. ok: up to \
                  ten times. slow: more.";
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
        column("", &terms::TIME, |(_, bulk): &Made| Cell::number(Some(bulk.ms)))
            .full(0)
            .head("Time\n(ms)")
            .right(),
        column("", &terms::EXAMPLE, |(clock, _): &Made| {
            Cell::some(clock.example.clone(), Value::Text).toned(Tone::Dim)
        })
        .full(0)
        .head("Example")
        .right()
        .optional(),
    ]
}

fn speeds<'a>() -> Vec<Of<Made<'a>>> {
    vec![
        function(),
        column("", &terms::SPEED, |(_, bulk): &Made| match bulk.speed {
            Some(Speed::Fast) => Cell::text("fast").toned(Tone::Good),
            Some(Speed::Ok) => Cell::text("ok"),
            Some(Speed::Slow) => Cell::text("slow").toned(Tone::Warn),
            None => Cell::default(),
        })
        .full(0)
        .head("Speed"),
        column("", &terms::NS_PER_CALL, |(_, bulk): &Made| {
            Cell::number(Some(bulk.ns_per_call()))
        })
        .full(0)
        .right(),
        column("", &terms::SCOPE, |(clock, _): &Made| Cell::text(gives(clock)))
            .full(0)
            .head("Gives time"),
        column("", &terms::COMPATIBLE, |(clock, _): &Made| {
            Cell::text(&clock.home)
        })
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
