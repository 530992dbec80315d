//! Tick, latency and resolution of each clock in one table, as Akinshin's comparison of timers has
//! them, next to what the clock is built on.

use super::super::Detail;
use super::super::columns::{Of, Rows, column};
use super::terms;
use crate::block::{Block, Cell, Text, Tone};
use chronoscope_model::Report;
use chronoscope_model::clock::{BuiltOn, Clock};

/// A clock and the name of the system's clock source.
type Timer<'a> = (&'a Clock, &'a str);

/// The table; nothing if no clock was watched until it changed.
pub(super) fn view(report: &Report) -> Vec<Block> {
    let source = report.environment.clocksource.as_ref();
    let source = source.map_or("the system's", |source| source.current.trim());
    let watched = report.clocks.iter().filter(|clock| clock.resolution.is_some());
    let timers: Vec<Timer> = watched.map(|clock| (clock, source)).collect();
    if timers.iter().all(|(clock, _)| clock.until_change.is_none()) {
        return Vec::new();
    }
    let remark = Text::toned(Tone::Dim, "until change: reads until the value is another");
    vec![
        Block::remarked("Tick, latency and resolution", remark),
        Block::Table(Rows::shown(columns(), Detail::Full, &[]).of_all(&timers)),
    ]
}

fn columns<'a>() -> Vec<Of<Timer<'a>>> {
    let duration = |term, cell| column("", term, cell).full(0).right();
    vec![
        column("", &terms::CLOCK, |(clock, _): &Timer| Cell::code(&clock.id)).full(0).name(12),
        column("", &terms::TIMER, |(clock, source): &Timer| {
            let on = clock.facts.map_or(BuiltOn::Unknown, |facts| facts.built_on);
            Cell::text(match on {
                BuiltOn::Counter => "counter",
                BuiltOn::Cycles => "cycles",
                BuiltOn::ClockSource => source,
                BuiltOn::Tick => "timer tick",
                BuiltOn::CpuTime => "scheduler",
                BuiltOn::Device => "device",
                BuiltOn::Unknown => "-",
            })
        })
        .full(0)
        .head("timer"),
        duration(&terms::TICK, |(clock, _): &Timer| super::table::tick(clock)),
        duration(&terms::ORDERED, |(clock, _): &Timer| {
            Cell::ns(clock.cost.latency.as_ref().and_then(|latency| latency.known_ns()))
        })
        .head("latency"),
        duration(&terms::MEASURED, |(clock, _): &Timer| super::table::smallest(clock))
            .head("measured"),
        duration(&terms::UNTIL_CHANGE, |(clock, _): &Timer| {
            Cell::ns(clock.until_change.as_ref().map(|change| change.median_ns))
        })
        .head("until\nchange"),
        duration(&terms::CHANGE_SD, |(clock, _): &Timer| {
            Cell::ns(clock.until_change.as_ref().map(|change| change.sd_ns)).toned(Tone::Dim)
        })
        .head("its\nSD"),
    ]
}
