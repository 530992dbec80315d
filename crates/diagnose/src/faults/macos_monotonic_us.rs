//! macOS gives CLOCK_MONOTONIC in whole microseconds.

use super::{Fault, Need};
use crate::reading::short;
use crate::system::System;
use chronoscope_model::clock::Kind;
use chronoscope_model::{Certainty, Level};

pub(super) const FAULT: Fault = Fault {
    id: "macos-monotonic-us",
    title: "CLOCK_MONOTONIC moves by microseconds",
    about: "On macOS CLOCK_MONOTONIC is made from gettimeofday's clock and has whole microseconds, \
            although the counter behind it ticks in tens of nanoseconds.",
    fix: "Use CLOCK_UPTIME_RAW, or mach_absolute_time, which give nanoseconds and cost less.",
    reference: "clock_gettime(3) of macOS; Apple Libc gen/clock_gettime.c",
    certainty: Certainty::Measured,
    looks_at: "the tick of each monotonic clock",
    needs: &[Need::Mac, Need::Costs],
    minor: false,
    look: |report, fault| {
        if System::of(&report.environment) != System::Mac {
            return None;
        }
        let whole = |ns: f64| (999.0..1_001.0).contains(&ns);
        let coarse = report.clocks.iter().filter(|clock| clock.kind == Kind::Monotonic);
        let coarse = coarse.filter_map(|clock| Some((clock, clock.step_ns()?)));
        let evidence: Vec<String> = coarse
            .filter(|(_, tick)| whole(*tick))
            .map(|(clock, tick)| format!("{}: a tick of {}", clock.id, short(tick)))
            .collect();
        if evidence.is_empty() {
            return None;
        }
        fault.found(Level::Info, Certainty::Measured, evidence)
    },
};
