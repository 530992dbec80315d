//! Many calls of each clock, really made (`--calls`), in the two tables of the comparison that the
//! project grew out of: difference over 100 ms, time and example; then speed, kind of time, home.
//! Both have a row for each call that this platform lacks.

use super::super::Detail;
use super::super::columns::{Rows, Spec, columns};
use crate::block::{Block, Cell, Tone};
use crate::number::{plural, short};
use chronoscope_model::clock::{Bulk, Clock, Kind, Scope, Speed};
use chronoscope_model::{Environment, Report};

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
    let remark = "really made, one after the other";
    let mut blocks = vec![Block::noted(title, remark)];
    blocks.extend(rate(&report.environment).map(Block::paragraph));
    for columns in [times(), speeds()] {
        blocks.push(Block::Table(Rows::shown(columns, Detail::Full).of_all(&rows)));
    }
    let legend = "fast: less than 100 ns per call. ok: less than 1 us. slow: more. not here: this \
                  platform lacks the call.";
    blocks.push(Block::legend(legend));
    blocks.extend(periods(&rows).map(Block::legend));
    blocks
}

/// What the counts of C++ are in, if they are shown without a cast.
fn periods(rows: &[Made]) -> Option<String> {
    let periods = rows.iter().filter(|(_, bulk)| bulk.is_some()).filter_map(|(clock, _)| {
        let ns = clock.period?.ns();
        let counted = clock.resolution.as_ref()?.nominal_ns == Some(ns);
        counted.then(|| format!("{}: {}", clock.id, short(ns)))
    });
    let periods: Vec<String> = periods.collect();
    (!periods.is_empty()).then(|| {
        let periods = periods.join(", ");
        format!(
            "Without a cast, a count of C++ is in the clock's period ({periods} in this build). \
             The standard leaves that to the library, so the same code may be wrong elsewhere: \
             system_clock has 1 ns in libstdc++, 1 us in libc++ and 100 ns in MSVC's library."
        )
    })
}

/// The measured rate of the counter, by its name; none if no counter was measured. That of a TSC is
/// about the frequency that the processor is sold with; Arm's generic timer has its own.
fn rate(env: &Environment) -> Option<String> {
    let khz = env.measured_hz()? / 1e3;
    Some(match (&env.tsc, env.arch.as_str()) {
        (Some(_), _) => format!("CPU frequency: {khz:.0} kHz (the TSC's measured rate)"),
        (None, "aarch64") => counter("cntvct_el0", khz),
        (None, _) => counter("CNTVCT", khz),
    })
}

fn counter(name: &str, khz: f64) -> String {
    format!("Counter: {khz:.0} kHz (the measured rate of {name}, the generic timer)")
}

fn times<'a>() -> Vec<Spec<Made<'a>>> {
    columns! { (clock, bulk) in Made;
        "" "Function" [full name(16)] Cell::code(&clock.call);
        "" "Difference\n(100 ms)" [full right] {
            let found = clock.difference_100ms.as_ref();
            let off = found.is_some_and(|it| !it.agrees);
            whole(found.map(|it| it.clock_ms)).toned_if(off, Tone::Warn)
        };
        "" "Time\n(ms)" [full right] match bulk {
            Some(bulk) => Cell::number(bulk.ms),
            None => Cell::default().shown("not here").toned(Tone::Dim),
        };
        "" "Example\n(ms)" [full right] whole(clock.example_ms).toned(Tone::Dim);
    }
}

/// A figure without decimals.
fn whole(ms: Option<f64>) -> Cell {
    let ms = ms.filter(|ms| ms.is_finite());
    Cell::number(ms).said(ms.map(|ms| format!("{ms:.0}")))
}

fn speeds<'a>() -> Vec<Spec<Made<'a>>> {
    columns! { (clock, bulk) in Made;
        "" "Function" [full name(16)] Cell::code(&clock.call);
        "" "Speed" [full] match bulk.and_then(|bulk| bulk.speed) {
            Some(Speed::Fast) => Cell::text("fast").toned(Tone::Good),
            Some(Speed::Ok) => Cell::text("ok"),
            Some(Speed::Slow) => Cell::text("slow").toned(Tone::Warn),
            None => Cell::default(),
        };
        "" "ns per call" [full right] Cell::number(bulk.map(|bulk| bulk.ns_per_call()));
        "" "Gives time" [full] Cell::text(gives(clock));
        "" "Compatible" [full gives_way(14)] Cell::text(&clock.home);
    }
}

fn gives(clock: &Clock) -> &'static str {
    match (clock.kind, clock.scope) {
        (Kind::Counter, _) => "tick",
        (_, Scope::Local) => "Local",
        (_, Scope::Universal) => "Universal",
        (_, Scope::Cpu) => "CPU time",
    }
}
