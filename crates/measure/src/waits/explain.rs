//! Explains the lateness of a wait: queries the thread's sources after each wait, and passes their
//! results to the reasons of the row.

use super::host::Waiting;
use super::job::Job;
use super::live_row::{LiveRow, locked};
use super::runners::Runners;
use super::why::{Evidence, Floors, split};
use chronoscope_model::waits::Kind;
use chronoscope_model::why::{EXAMINED_NS, Worst};
use chronoscope_probes::blame::{Seen, Sources, Switch};

#[derive(Clone, Copy, Debug)]
pub(super) struct Ended {
    /// The deadline and the end, by the clock that timers run on.
    pub(super) deadline: u64,
    pub(super) end: u64,
    /// The overshoot by the ruler.
    pub(super) late: i64,
    /// Whether the mark was still there, if known.
    pub(super) stood: Option<bool>,
}

impl Ended {
    /// The overshoot by the clock that timers run on.
    #[inline]
    pub(super) fn by_clock(&self) -> i64 {
        self.end.wrapping_sub(self.deadline) as i64
    }
}

/// Explains a wait, if its row asks for that. `stopped`: whether the process could not run at all.
pub(super) fn explain(
    (sources, mut runners): (&mut Sources, Option<&mut Runners>),
    row: &LiveRow,
    job: &Job,
    wait: Ended,
    stopped: bool,
) {
    let Some(reasons) = &row.why else {
        return;
    };
    let at_s = job.seconds();
    let late = u64::try_from(wait.late).unwrap_or(0);
    let seen = sources.look(late >= EXAMINED_NS, wait.stood);
    if late < EXAMINED_NS
        && let Some(runners) = &mut runners
    {
        runners.look();
    }
    let spec = &row.spec;
    let slack = spec.slack.and(row.slack_ns.get().copied());
    let cpus = seen.switches.unwrap_or_default();
    let worst = Worst {
        at_s,
        late_ns: late,
        cpu: cpus.last().map(|switch| switch.cpu as usize).or(row.cpu),
        moved: moved(cpus),
        smis: seen.smis.unwrap_or(0),
        ..Worst::default()
    };
    let evidence = Evidence {
        kind: spec.entry.kind,
        asked_ns: spec.ns,
        deadline: wait.deadline,
        end: wait.deadline.saturating_add(late),
        slack_ns: slack.map_or(0, |ns| spec.entry.facts.timer_slack.of(ns, spec.ns)),
        stopped,
        seen,
    };
    // Only a reader of the row holds the lock, for as long as a copy takes.
    let by_clock = wait.end.saturating_sub(wait.deadline);
    locked(reasons).add(&evidence, by_clock, worst, |spans, late| runners?.ran(spans, late));
}

/// Finds the quickest wake-up of a thread: the shortest of a few short sleeps without slack.
pub(super) fn quickest(host: &mut impl Waiting, sources: &mut Sources) -> Floors {
    const SLEEPS: usize = 16;
    const NS: u64 = 200_000;
    let mut floors = Floors::default();
    // If the sleep is refused, the floors come from the rows.
    let _ = host.set_slack(1);
    for _ in 0..SLEEPS {
        sources.forget();
        let deadline = host.clock().saturating_add(NS);
        host.settle(NS);
        let end = host.clock();
        let seen = Seen { throttled_ns: None, idle: None, ..sources.look(false, None) };
        let (kind, asked_ns, slack_ns, stopped) = (Kind::Sleep, NS, 0, false);
        split(&Evidence { kind, asked_ns, deadline, end, slack_ns, stopped, seen }, &mut floors);
    }
    let _ = host.set_slack(0);
    floors
}

/// Whether the thread ran on more than one CPU.
fn moved(switches: &[Switch]) -> bool {
    switches.windows(2).any(|pair| pair[0].cpu != pair[1].cpu)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_probes::blame::Turn;

    #[test]
    fn a_thread_that_came_back_on_another_cpu_has_moved() {
        let on = |cpu, turn| Switch { at: 1, cpu, turn };
        assert!(!moved(&[]));
        assert!(!moved(&[on(1, Turn::Out), on(1, Turn::In)]));
        assert!(moved(&[on(1, Turn::Out), on(2, Turn::In)]));
        assert!(moved(&[on(1, Turn::Out), on(1, Turn::In), on(0, Turn::Preempted)]));
    }
}
