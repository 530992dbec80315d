//! Tick, latency and resolution of each clock in one table, as Akinshin's comparison of timers has
//! them, next to what the clock is built on.

use super::super::Detail;
use super::super::columns::{Rows, Spec, columns};
use super::table::{smallest, tick};
use crate::block::{Block, Cell, Tone};
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
    let remark = "until change: reads until the value is another";
    vec![
        Block::noted("Tick, latency and resolution", remark),
        Block::Table(Rows::shown(columns(), Detail::Full).of_all(&timers)),
    ]
}

fn columns<'a>() -> Vec<Spec<Timer<'a>>> {
    columns! { (clock, source) in Timer;
        "" "clock" [full name(12)] Cell::code(&clock.id);
        "" "timer" [full] Cell::text(built_on(clock, source));
        "" "tick" [full right] tick(clock);
        "" "latency" [full right]
            Cell::ns(clock.cost.latency.as_ref().and_then(|latency| latency.known_ns()));
        "" "measured" [full right] smallest(clock);
        "" "until\nchange" [full right]
            Cell::ns(clock.until_change.as_ref().map(|change| change.median_ns));
        "" "its\nSD" [full right]
            Cell::ns(clock.until_change.as_ref().map(|change| change.sd_ns)).toned(Tone::Dim);
    }
}

fn built_on<'a>(clock: &Clock, source: &'a str) -> &'a str {
    match clock.facts.map_or(BuiltOn::Unknown, |facts| facts.built_on) {
        BuiltOn::Counter => "counter",
        BuiltOn::Cycles => "cycles",
        BuiltOn::ClockSource => source,
        BuiltOn::Tick => "timer tick",
        BuiltOn::CpuTime => "scheduler",
        BuiltOn::Device => "device",
        BuiltOn::Unknown => "-",
    }
}
