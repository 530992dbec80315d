//! Timer slack makes waits late.

use super::{Fault, Need};
use crate::late;
use chronoscope_model::why::Cause;
use chronoscope_model::{Certainty, Level};

/// What Linux gives a thread (init/init_task.c, `timer_slack_ns`). More than that was set by
/// someone.
const USUAL_NS: u64 = 50_000;
/// Less slack than this is no trouble, in nanoseconds.
const LEAST_NS: f64 = 20_000.0;

pub(super) const FAULT: Fault = Fault {
    id: "timer-slack",
    title: "Timer slack is most of what makes waits late",
    about: "The kernel may delay a timer by the slack of its thread, to serve several with one \
            interrupt: 50 us by default on Linux, and more if a parent process or a service \
            manager set it. It is inherited.",
    fix: "prctl(PR_SET_TIMERSLACK, 1) in the waiting thread, or TimerSlackNSec= in a systemd \
          service; see `chronoscope explain cause/timer-slack`.",
    reference: "prctl(2), PR_SET_TIMERSLACK",
    certainty: Certainty::Measured,
    looks_at: "the parts of late wake-ups (waits --why)",
    needs: &[Need::Why],
    minor: false,
    look: |report, fault| {
        let rows = late::by(report, Cause::TimerSlack, LEAST_NS);
        let large = rows.first()?.wait.slack_ns.is_some_and(|ns| ns > USUAL_NS);
        let level = if large { Level::Warning } else { Level::Info };
        fault.found(level, Certainty::Measured, late::lines(&rows))
    },
};
