//! Why waits end late: asks the sources after each wait, splits its lateness, and adds up the parts
//! for the row.

mod split;
mod tally;

pub(super) use split::Floors;
pub(super) use tally::Reasons;

use super::burst::Burst;
use super::host::Waiting;
use chronoscope_model::waits::{Kind, Wait};
use chronoscope_model::why::{Cause, EXAMINED_NS, Why, Worst};
use chronoscope_probes::blame::{Missing, Switch};
use split::{Evidence, split};
use std::sync::PoisonError;

/// The end of a wait, as the loop around it saw it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ended {
    /// The deadline and the end, by the clock that timers run on.
    pub(super) deadline: u64,
    pub(super) end: u64,
    /// The overshoot by the ruler.
    pub(super) late: i64,
    /// Whether the mark was still there.
    pub(super) stood: Option<bool>,
    /// Whether the process could not run at all.
    pub(super) stopped: bool,
}

impl<H: Waiting> Burst<'_, H> {
    /// Explains a wait, if that was asked for.
    pub(super) fn explain(&mut self, ended: Ended) {
        let Some(reasons) = &self.series.why else {
            return;
        };
        let question = &self.series.question;
        let late = u64::try_from(ended.late).unwrap_or(0);
        let slack = question.slack.and(self.series.slack_ns.get().copied());
        let rule = question.entry.facts.timer_slack;
        let Some(seen) = self.host.look(late >= EXAMINED_NS, ended.stood) else {
            return;
        };
        let evidence = Evidence {
            kind: question.entry.kind,
            asked_ns: question.ns,
            deadline: ended.deadline,
            end: ended.deadline.saturating_add(late),
            since: seen.since,
            until: seen.until,
            switches: seen.switches,
            queued_ns: seen.queued_ns,
            ran_ns: seen.ran_ns,
            throttled_ns: seen.throttled_ns,
            slack_ns: slack.map_or(0, |ns| rule.of(ns, question.ns)),
            idled: seen.idle.map(|state| state.is_some()),
            entered: seen.entered,
            stopped: ended.stopped,
        };
        let cpus = seen.switches.unwrap_or_default();
        let worst = Worst {
            at_s: self.job.seconds(),
            late_ns: late,
            cpu: cpus.last().map(|switch| switch.cpu as usize).or(self.series.cpu),
            moved: moved(cpus),
            smis: seen.smis.unwrap_or(0),
            ..Worst::default()
        };
        let state = seen.idle.flatten();
        // Only a reader of the row holds it, for as long as a copy takes.
        let mut reasons = reasons.lock().unwrap_or_else(PoisonError::into_inner);
        reasons.lose(seen.lost);
        reasons.interrupt(seen.smis);
        let by_clock = ended.end.saturating_sub(ended.deadline);
        reasons.add(&evidence, by_clock, state, worst);
    }
}

/// The quickest wake-up of a thread: the least of a few short sleeps without slack.
pub(super) fn quickest(host: &mut impl Waiting, mut sleep: impl FnMut(u64)) -> Floors {
    const SLEEPS: usize = 16;
    const NS: u64 = 200_000;
    let mut floors = Floors::default();
    // If it is refused, the least is that of the rows.
    let _ = host.set_slack(1);
    for _ in 0..SLEEPS {
        host.forget();
        let deadline = host.clock().saturating_add(NS);
        sleep(NS);
        let end = host.clock();
        if let Some(seen) = host.look(false, None) {
            split(
                &Evidence {
                    kind: Kind::Sleep,
                    asked_ns: NS,
                    deadline,
                    end,
                    since: seen.since,
                    until: seen.until,
                    switches: seen.switches,
                    queued_ns: seen.queued_ns,
                    ran_ns: seen.ran_ns,
                    throttled_ns: None,
                    slack_ns: 0,
                    idled: None,
                    entered: None,
                    stopped: false,
                },
                &mut floors,
            );
        }
    }
    let _ = host.set_slack(0);
    floors
}

/// Whether the thread ran on more than one CPU.
fn moved(switches: &[Switch]) -> bool {
    switches.windows(2).any(|pair| pair[0].cpu != pair[1].cpu)
}

/// A part of at least this share of the lateness of a row matters.
const SEEN: f64 = 0.05;

/// The missing sources that matter for these rows.
pub(super) fn that_matter<'a>(missing: &'a [Missing], rows: &[Wait]) -> Vec<&'a Missing> {
    let all = || rows.iter().filter_map(|row| row.why.as_ref()).filter_map(Why::all);
    let seen = |cause| all().any(|all| all.share(cause) >= SEEN);
    let dominates = |cause| all().any(|all| all.share(cause) >= 0.5);
    let matters = |one: &&Missing| match one.id {
        "smi" => seen(Cause::BelowKernel),
        "null-selector" => seen(Cause::OnCpu),
        "timerlat" => dominates(Cause::IdleExit),
        "cpu-stat" => seen(Cause::RunQueue) || seen(Cause::Preempted),
        _ => all().next().is_some(),
    };
    missing.iter().filter(matters).collect()
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
