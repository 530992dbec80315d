//! The kernel's timers end at its tick.

use super::{Fault, Need};
use chronoscope_model::{Certainty, Level};

/// High-resolution timers claim 1 ns; the shortest tick of a kernel is 1 ms.
const COARSE_NS: u64 = 100_000;

pub(super) const FAULT: Fault = Fault {
    id: "hrtimers-off",
    title: "High-resolution timers are off: sleeps end at the tick of the kernel",
    about: "Without high-resolution timers, each sleep and timeout is rounded up to the next tick \
            of the kernel, 1 to 10 ms. The kernel does that if it is told to, or if it has no \
            clock source and no event timer that allow more.",
    fix: "Remove `highres=off` and `nohz=off` from the kernel's command line. Otherwise find out \
          why: `dmesg | grep -i -e clocksource -e hrtimer`, /proc/timer_list.",
    reference: "Linux Documentation/timers/highres.rst; clock_getres(2); kernel/time/hrtimer.c",
    certainty: Certainty::Evidence,
    looks_at: "clock_getres(CLOCK_MONOTONIC), .hres_active in /proc/timer_list",
    needs: &[Need::Linux, Need::Timers],
    minor: false,
    look: |report, fault| {
        let env = &report.environment;
        let keeping = env.keeping.as_ref()?;
        let coarse = keeping.timer_resolution_ns.filter(|ns| *ns >= COARSE_NS);
        if coarse.is_none() && keeping.high_resolution != Some(false) {
            return None;
        }
        let mut evidence = Vec::new();
        if let Some(ns) = coarse {
            evidence.push(format!("clock_getres(CLOCK_MONOTONIC): {ns} ns"));
        }
        if keeping.high_resolution == Some(false) {
            evidence.push("/proc/timer_list: .hres_active 0".into());
        }
        let told = env.parameters.iter().find(|word| word.starts_with("highres="));
        evidence.extend(told.map(|word| format!("/proc/cmdline: {word}")));
        fault.found(Level::Warning, Certainty::Evidence, evidence)
    },
};
