//! Splits the lateness of one wait into its parts, from the records of the thread's sources.
//!
//! Nothing here reads a clock: the same evidence gives the same parts, so the rules are tested on
//! recorded and simulated waits. docs/waits.md describes them.

use chronoscope_model::why::{Cause, Part};
use chronoscope_probes::blame::{Seen, Span, Switch, Turn};
use chronoscope_probes::waits::Kind;

/// What is known about a wait. Times are those of the clock that timers run on, in nanoseconds.
#[derive(Clone, Debug)]
pub(in crate::waits) struct Evidence<'a> {
    pub(in crate::waits) kind: Kind,
    /// The requested duration of the wait.
    pub(in crate::waits) asked_ns: u64,
    pub(in crate::waits) deadline: u64,
    pub(in crate::waits) end: u64,
    /// By how much the kernel may delay the expiry of the timer.
    pub(in crate::waits) slack_ns: u64,
    /// Whether the process was stopped, or the machine suspended.
    pub(in crate::waits) stopped: bool,
    /// What the thread's sources saw around the wait.
    pub(in crate::waits) seen: Seen<'a>,
}

/// The least time seen of what every wait includes. It is not lateness with a cause of its own: a
/// timer that expires at once still has to wake the thread.
#[derive(Clone, Copy, Debug)]
pub(in crate::waits) struct Floors {
    /// From the deadline to the start of the thread, without the run queue.
    asleep: u64,
    /// From the start of the thread to the end of the wait.
    awake: u64,
}

impl Default for Floors {
    fn default() -> Self {
        Self { asleep: u64::MAX, awake: u64::MAX }
    }
}

impl Floors {
    fn asleep(&mut self, ns: u64) -> u64 {
        self.asleep = self.asleep.min(ns);
        self.asleep
    }

    /// The most that the way back to the program usually takes: twice the least, and the time that
    /// a cold cache adds.
    fn awake(&mut self, ns: u64) -> u64 {
        const COLD: u64 = 2_000;
        self.awake = self.awake.min(ns);
        self.awake.saturating_mul(2).saturating_add(COLD)
    }
}

/// Time that a running thread has lost without a record by the kernel must exceed the cost of
/// reading the clocks on both sides, in nanoseconds.
const HIDDEN: u64 = 5_000;
/// In a longer wait, in nanoseconds, the kernel's periodic tick occurs anyway (1000 Hz is the
/// highest CONFIG_HZ), so an interrupt proves nothing about the end of the wait.
const TICK: u64 = 1_000_000;

/// The parts of a lateness, by cause. They add up to the lateness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::waits) struct Parts([u64; Cause::ALL.len()]);

impl Parts {
    fn add(&mut self, cause: Cause, ns: u64) {
        let part = &mut self.0[cause as usize];
        *part = part.saturating_add(ns);
    }

    pub(super) fn join(&mut self, other: &Self) {
        for (cause, ns) in Cause::ALL.iter().zip(other.0) {
            self.add(*cause, ns);
        }
    }

    #[cfg(test)]
    pub(super) fn sum(&self) -> u64 {
        self.0.iter().fold(0, |all, ns| all.saturating_add(*ns))
    }

    pub(super) fn of(&self, cause: Cause) -> u64 {
        self.0[cause as usize]
    }

    /// Returns the parts that are not zero, the largest first.
    pub(super) fn list(&self) -> Vec<Part> {
        let all = Cause::ALL.iter().zip(self.0);
        let mut list: Vec<Part> =
            all.filter(|(_, ns)| *ns > 0).map(|(&cause, ns)| Part { cause, ns }).collect();
        list.sort_by_key(|part| std::cmp::Reverse(part.ns));
        list
    }

    pub(super) fn from_list(list: &[Part]) -> Self {
        let mut parts = Self::default();
        for part in list {
            parts.add(part.cause, part.ns);
        }
        parts
    }

    /// Returns what is left after subtracting `other`, which must be a part of it.
    pub(super) fn less(mut self, other: &Self) -> Self {
        for (part, ns) in self.0.iter_mut().zip(other.0) {
            *part = part.saturating_sub(ns);
        }
        self
    }
}

/// A span in which the thread did not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Off {
    from: u64,
    to: u64,
    preempted: bool,
}

impl Off {
    fn ns(self) -> u64 {
        self.to.saturating_sub(self.from)
    }

    fn within(self, from: u64, to: u64) -> u64 {
        self.to.min(to).saturating_sub(self.from.max(from))
    }
}

/// Returns the spans between leaving the CPU and coming back. The thread ran at both ends of the
/// records, so a span that begins with a return began when the records did.
fn offs(switches: &[Switch], since: u64) -> impl Iterator<Item = Off> {
    let mut left = Some((since, false));
    switches.iter().filter_map(move |switch| {
        if switch.turn != Turn::In {
            left = Some((switch.at, switch.turn == Turn::Preempted));
            return None;
        }
        let (from, preempted) = left.take()?;
        Some(Off { from, to: switch.at, preempted })
    })
}

/// What the records of switches show about the time from the deadline to the end.
#[derive(Clone, Copy, Debug, Default)]
struct Spans {
    /// The thread had given up its CPU.
    asleep: u64,
    /// The thread was taken off its CPU.
    preempted: u64,
    /// Over the whole time that was watched: off the CPU, and taken off it.
    off: u64,
    taken: u64,
}

impl Spans {
    fn of(switches: &[Switch], wait: &Evidence) -> Self {
        let mut spans = Self::default();
        for off in offs(switches, wait.seen.since) {
            let ns = off.within(wait.deadline, wait.end);
            spans.off += off.ns();
            if off.preempted {
                spans.taken += off.ns();
                spans.preempted += ns;
            } else {
                spans.asleep += ns;
            }
        }
        spans
    }
}

/// Splits the lateness into its parts; none if the wait was not late.
pub(in crate::waits) fn split(wait: &Evidence, floors: &mut Floors) -> Parts {
    let (mut parts, seen) = (Parts::default(), &wait.seen);
    let late = wait.end.saturating_sub(wait.deadline);
    if late == 0 {
        return parts;
    }
    let spans = seen.switches.map(|switches| Spans::of(switches, wait));
    let (asleep, queued, preempted, awake) = match (spans, seen.queued_ns) {
        (Some(it), queued) => {
            let taken = it.asleep.saturating_add(it.preempted);
            if taken > late {
                // The kernel's records contradict each other.
                parts.add(Cause::Unknown, late);
                return parts;
            }
            // The time in the run queue includes that after each preemption.
            let queued = queued.map(|ns| ns.saturating_sub(it.taken).min(it.asleep));
            (it.asleep - queued.unwrap_or(0), queued, it.preempted, late - taken)
        }
        (None, Some(queued)) if wait.kind == Kind::Busy => {
            let preempted = queued.min(late);
            (0, Some(0), preempted, late - preempted)
        }
        (None, Some(queued)) => {
            let queued = queued.min(late);
            (late - queued, Some(queued), 0, 0)
        }
        (None, None) if wait.kind == Kind::Busy => {
            let whole = seen.until.saturating_sub(seen.since);
            let off = seen.ran_ns.map_or(0, |ran| whole.saturating_sub(ran));
            let off = off.min(late);
            parts.add(Cause::OffCpu, off);
            (0, Some(0), 0, late - off)
        }
        (None, None) => (late, None, 0, 0),
    };
    ready(wait, queued.unwrap_or(0), preempted, &mut parts);
    // Without the records of switches, the way back to the program is part of it.
    let is_exit = spans.is_some() && queued.is_some();
    off_cpu(wait, asleep, is_exit, floors, &mut parts);
    let hidden = match (spans, seen.ran_ns) {
        (Some(it), Some(ran)) => {
            let there = seen.until.saturating_sub(seen.since).saturating_sub(it.off);
            there.saturating_sub(ran)
        }
        _ => 0,
    };
    on_cpu(wait, awake, hidden, floors, &mut parts);
    parts
}

/// The spans in which the thread was ready to run and did not, from the deadline to the end:
/// preemptions, and the ends of its sleeps, for as long as it was in the run queue. `parts` are
/// those of this wait.
pub(super) fn ready_spans(wait: &Evidence, parts: &Parts) -> Vec<Span> {
    let causes = [Cause::RunQueue, Cause::Preempted, Cause::Throttled];
    let mut queued = causes.iter().fold(0u64, |ns, cause| ns.saturating_add(parts.of(*cause)));
    if queued == 0 {
        return Vec::new();
    }
    let offs = offs(wait.seen.switches.unwrap_or_default(), wait.seen.since);
    let clipped = offs.filter_map(|off| {
        let (from, to) = (off.from.max(wait.deadline), off.to.min(wait.end));
        (from < to).then_some(Off { from, to, ..off })
    });
    let offs: Vec<Off> = clipped.collect();
    let preempted = offs.iter().filter(|off| off.preempted).map(|off| off.ns());
    queued = queued.saturating_sub(preempted.sum());
    let mut spans: Vec<Span> = Vec::with_capacity(offs.len());
    for off in offs.iter().rev() {
        let mut from = off.from;
        if !off.preempted {
            from = off.to - queued.min(off.ns());
            queued -= off.to - from;
        }
        if from < off.to {
            spans.push(Span { from, to: off.to });
        }
    }
    spans.reverse();
    spans
}

/// The time in which the thread was ready to run: in the run queue after it was woken, and after it
/// was preempted. The time of a quota is part of it, and the two cannot be told apart.
fn ready(wait: &Evidence, queued: u64, preempted: u64, parts: &mut Parts) {
    let throttled = wait.seen.throttled_ns.unwrap_or(0).min(queued + preempted);
    let from_queue = throttled.min(queued);
    parts.add(Cause::Throttled, throttled);
    parts.add(Cause::RunQueue, queued - from_queue);
    parts.add(Cause::Preempted, preempted - (throttled - from_queue));
}

/// The time after the deadline in which the thread had given up its CPU and was not ready to run.
fn off_cpu(wait: &Evidence, asleep: u64, is_exit: bool, floors: &mut Floors, parts: &mut Parts) {
    if asleep == 0 {
        return;
    }
    if wait.stopped {
        return parts.add(Cause::Stopped, asleep);
    }
    // A timer with slack expires at the end of it, unless another one expires before.
    let mut rest = asleep;
    if wait.kind == Kind::Sleep {
        let slack = asleep.saturating_sub(floors.asleep(asleep)).min(wait.slack_ns);
        parts.add(Cause::TimerSlack, slack);
        rest -= slack;
    }
    parts.add(
        match (is_exit, wait.seen.idle) {
            (false, _) => Cause::OffCpu,
            (true, Some(None)) => Cause::Interrupt,
            (true, _) => Cause::IdleExit,
        },
        rest,
    );
}

/// The time after the deadline in which the thread had its CPU; `hidden` is the part of the whole
/// wait that its CPU time lacks.
fn on_cpu(wait: &Evidence, awake: u64, hidden: u64, floors: &mut Floors, parts: &mut Parts) {
    let steal = if hidden > HIDDEN { hidden.min(awake) } else { 0 };
    parts.add(Cause::Steal, steal);
    let own = awake - steal;
    let usual = floors.awake(own).min(own);
    parts.add(Cause::Return, usual);
    // A sleep ends in the kernel, where interrupts leave no trace.
    let spins = wait.kind != Kind::Sleep;
    let cause = match wait.seen.entered {
        Some(false) if spins => Cause::BelowKernel,
        Some(true) if wait.asked_ns <= TICK || !spins => Cause::Interrupt,
        _ => Cause::OnCpu,
    };
    parts.add(cause, own - usual);
}

#[cfg(test)]
#[path = "split_tests.rs"]
mod tests;
