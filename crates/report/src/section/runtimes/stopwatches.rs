//! The best monotonic clock of each runtime by system and hardware timer, as comparisons of
//! runtimes show it: a tick, the latency and the resolution.

use super::{OneClock, latency, resolution};
use crate::block::{Block, Cell};
use crate::section::Detail;
use crate::section::columns::{Rows, Spec, columns};
use chronoscope_model::runtimes::{Runtime, RuntimeClock, Spread};
use std::collections::BTreeSet;

/// The table, and with `-v` the figures of the benchmark for each clock. `by_source`: in groups by
/// what the system keeps time with.
pub(super) fn view(measured: &[&Runtime], detail: Detail, by_source: bool) -> Vec<Block> {
    let rows = best(measured, detail);
    if rows.is_empty() {
        return Vec::new();
    }
    let mut table = Rows::shown(main_columns(!by_source), Detail::Full);
    let mut group = "";
    for row in &rows {
        let (runtime, _) = row;
        if by_source && runtime.hardware_timer != group {
            group = &runtime.hardware_timer;
            table.group(group, &runtime.system);
        }
        table.row(row);
    }
    let mut blocks = vec![Block::heading("Runtime, system, timer"), Block::Table(table.table())];
    let shown = measured.iter().filter(|_| detail == Detail::Everything);
    let clocks = shown.flat_map(|runtime| runtime.clocks.iter().map(move |c| (*runtime, c)));
    let methods: Vec<Method> = clocks.flat_map(methods).collect();
    if !methods.is_empty() {
        let table = Rows::shown(method_columns(), Detail::Full).of_all(&methods);
        blocks.push(Block::heading("Latency and resolution, as a benchmark measures them"));
        blocks.push(Block::Table(table));
    }
    blocks
}

/// Builds that differ only in level are left out.
fn best<'a>(measured: &[&'a Runtime], detail: Detail) -> Vec<OneClock<'a>> {
    let mut families = BTreeSet::new();
    let mut rows = Vec::new();
    for runtime in measured {
        let key = (runtime.family(), &runtime.system, &runtime.hardware_timer, &runtime.processor);
        let best = runtime.clocks.iter().find(|clock| clock.tick_ns.is_some());
        let all = detail == Detail::Everything || best.is_none();
        let first = all || families.insert(key);
        rows.extend(best.filter(|_| first).map(|clock| (*runtime, clock)));
    }
    rows
}

fn main_columns<'a>(system: bool) -> Vec<Spec<OneClock<'a>>> {
    columns! { (r, c) in OneClock;
        "" "runtime" [full name(10)] Cell::code(&r.id);
        "" "system" [full_if(system) gives_way(12)] Cell::text(&r.system);
        "" "hardware timer" [full_if(system) narrow("hardware\ntimer")]
            Cell::text(&r.hardware_timer);
        "" "1 tick" [full right] Cell::ns(c.unit_ns);
        "" "tick" [full right] Cell::ns(c.tick_ns);
        "" "latency" [full right] Cell::ns(latency(c).map(|s| s.median_ns).or(c.read_ns()));
        "" "StdDev" [full right] Cell::ns(latency(c).map(|s| s.sd_ns));
        "" "resolution" [full right] match c.is_limited_by_read() {
            true => Cell::text("≈ latency"),
            false => Cell::ns(resolution(c).map(|s| s.median_ns).or(c.resolution_ns)),
        };
    }
}

/// A clock, a method of the benchmark, and its figures.
type Method<'a> = (&'a Runtime, &'a RuntimeClock, &'static str, Spread);

fn methods<'a>((runtime, clock): OneClock<'a>) -> impl Iterator<Item = Method<'a>> {
    let both = [("Latency()", latency(clock)), ("Resolution()", resolution(clock))];
    both.into_iter().filter_map(move |(name, figures)| Some((runtime, clock, name, figures?)))
}

fn method_columns<'a>() -> Vec<Spec<Method<'a>>> {
    columns! { (r, c, name, s) in Method;
        "" "runtime" [full name(10)] Cell::code(&r.id);
        "" "call" [full gives_way(12)] Cell::code(&c.call);
        "" "hardware timer" [full spare] Cell::text(&r.hardware_timer);
        "" "method" [full] Cell::text(*name);
        "" "mean" [full right] Cell::ns(s.mean_ns);
        "" "median" [full right] Cell::ns(s.median_ns);
        "" "StdDev" [full right] Cell::ns(s.sd_ns);
        "" "iterations" [full right spare] Cell::count(s.iterations);
    }
}
