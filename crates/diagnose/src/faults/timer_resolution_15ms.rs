//! Windows' clock interrupt comes every 15.6 ms.

use super::{Fault, Need};
use crate::system::System;
use chronoscope_model::{Certainty, Level};

pub(super) const FAULT: Fault = Fault {
    id: "timer-resolution-15ms",
    title: "Windows' clock interrupt comes every 15.6 ms",
    about: "Sleeps and timeouts end at the clock interrupt, 64 times a second unless a program \
            asks for more. That is the normal state, and saves power.",
    fix: "For a wait that must be precise, use a waitable timer with \
          CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, or timeBeginPeriod(1) for as long as it matters.",
    reference: "Microsoft Learn, timeBeginPeriod; CreateWaitableTimerExW",
    certainty: Certainty::Evidence,
    looks_at: "NtQueryTimerResolution",
    needs: &[Need::Windows],
    minor: true,
    look: |report, fault| {
        if System::of(&report.environment) != System::Windows {
            return None;
        }
        let timers = report.environment.timers.iter();
        let interrupt = timers.filter_map(|timer| Some((timer, timer.hz?)));
        let (timer, hz) = interrupt
            .into_iter()
            .find(|(timer, hz)| timer.name.contains("interrupt") && *hz > 60.0 && *hz < 70.0)?;
        let evidence = vec![format!("{}: {hz:.1} Hz; {}", timer.name, timer.evidence)];
        fault.found(Level::Info, Certainty::Evidence, evidence)
    },
};
