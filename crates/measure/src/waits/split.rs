//! Splits the lateness of one wait into its parts, from the records of the thread's sources.
//!
//! Nothing here reads a clock: the same evidence gives the same parts, so the rules are tested on
//! recorded and simulated waits. docs/waits.md describes them.

use chronoscope_model::why::{Cause, Part};
use chronoscope_probes::blame::{Seen, Span, Switch, Turn};
use chronoscope_probes::waits::Kind;

/// What is known about a wait. Times are those of the clock that timers run on, in nanoseconds.
#[derive(Clone, Debug)]
pub(super) struct Evidence<'a> {
    pub(super) kind: Kind,
    /// The requested duration of the wait.
    pub(super) asked_ns: u64,
    pub(super) deadline: u64,
    pub(super) end: u64,
    /// By how much the kernel may delay the expiry of the timer.
    pub(super) slack_ns: u64,
    /// Whether the process was stopped, or the machine suspended.
    pub(super) stopped: bool,
    /// If the runtime of a language made the wait, the unit in nanoseconds to which it rounds.
    pub(super) runtime: Option<u64>,
    /// What the thread's sources saw around the wait.
    pub(super) seen: Seen<'a>,
}

/// How long the thread of a runtime was in the run queue before its wait began, of `queued_ns`: it
/// is woken by a request first, right after it was looked at.
pub(super) fn queued_before(seen: &Seen, began: u64, queued_ns: u64) -> u64 {
    let woken = seen.switches.and_then(|all| all.iter().find(|it| it.turn == Turn::In));
    let until = woken.map_or(began, |woken| woken.at.min(began));
    until.saturating_sub(seen.since).min(queued_ns)
}

/// The least time seen of what every wait includes. It is not lateness with a cause of its own: a
/// timer that expires at once still has to wake the thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Floors {
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
pub(super) struct Parts([u64; Cause::ALL.len()]);

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
    /// The part of it that began after the deadline: the timer had woken the thread.
    again: u64,
    /// When it last gave up its CPU before the deadline.
    went: Option<u64>,
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
                if off.from >= wait.deadline {
                    spans.again += ns;
                } else {
                    spans.went = Some(off.from);
                }
            }
        }
        spans
    }
}

/// Splits the lateness into its parts; none if the wait was not late.
pub(super) fn split(wait: &Evidence, floors: &mut Floors) -> Parts {
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
    let asleep = asleep - in_runtime(wait, spans, asleep, queued.unwrap_or(0), &mut parts);
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
    // The run queue is that of the last sleep, or of the timer's, which a runtime may follow by
    // sleeps of its own.
    let timers = offs.iter().position(|off| !off.preempted);
    let first = timers.filter(|_| wait.runtime.is_some()).into_iter();
    let others = (0..offs.len()).rev().filter(|nth| wait.runtime.is_none() || timers != Some(*nth));
    for off in first.chain(others).map(|nth| offs[nth]) {
        let mut from = off.from;
        if !off.preempted {
            from = off.to - queued.min(off.ns());
            queued -= off.to - from;
        }
        if from < off.to {
            spans.push(Span { from, to: off.to });
        }
    }
    spans.sort_by_key(|span| span.from);
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

/// The time after the deadline in which the thread slept because its runtime wanted it to: what the
/// runtime rounded up, and sleeps that began after the thread had been woken. Returns that time.
fn in_runtime(
    wait: &Evidence,
    spans: Option<Spans>,
    asleep: u64,
    queued: u64,
    parts: &mut Parts,
) -> u64 {
    let (Some(unit), Some(it)) = (wait.runtime, spans) else {
        return 0;
    };
    if wait.stopped {
        return 0;
    }
    // The run queue is that of the timer's sleep, as far as it can be.
    let timer = it.asleep - it.again;
    let again = it.again.saturating_sub(queued.saturating_sub(timer)).min(asleep);
    let rounded = match it.went {
        Some(went) if unit > 1 => {
            let left = wait.deadline.saturating_sub(went);
            (left.div_ceil(unit).saturating_mul(unit) - left).min(asleep - again)
        }
        _ => 0,
    };
    parts.add(Cause::Runtime, again + rounded);
    again + rounded
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
        _ if wait.runtime.is_some() => Cause::Runtime,
        Some(false) if spins => Cause::BelowKernel,
        Some(true) if wait.asked_ns <= TICK || !spins => Cause::Interrupt,
        _ => Cause::OnCpu,
    };
    parts.add(cause, own - usual);
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_probes::blame::IdleState;
    use proptest::prelude::*;

    fn at(us: u64, turn: Turn) -> Switch {
        Switch { at: us * 1_000, cpu: 1, turn }
    }

    /// A sleep of 1 ms from 1,000 us on, watched from 990 us until 10 us after its end.
    fn sleep(end_us: u64) -> Evidence<'static> {
        Evidence {
            kind: Kind::Sleep,
            asked_ns: 1_000_000,
            deadline: 2_000_000,
            end: end_us * 1_000,
            slack_ns: 50_000,
            stopped: false,
            runtime: None,
            seen: Seen {
                since: 990_000,
                until: end_us * 1_000 + 10_000,
                idle: Some(Some(&IDLED)),
                entered: Some(false),
                ..Seen::default()
            },
        }
    }

    static IDLED: IdleState = IdleState { name: String::new(), exit_ns: 0 };

    /// A wait for which the thread's sources saw something else.
    fn with<'a>(wait: Evidence<'a>, change: impl FnOnce(&mut Seen<'a>)) -> Evidence<'a> {
        let mut wait = wait;
        change(&mut wait.seen);
        wait
    }

    /// A wait with these switches and this time in the run queue.
    fn switched<'a>(wait: Evidence<'a>, switches: &'a [Switch], queued_ns: u64) -> Evidence<'a> {
        with(wait, |seen| (seen.switches, seen.queued_ns) = (Some(switches), Some(queued_ns)))
    }

    fn spin(end_us: u64) -> Evidence<'static> {
        Evidence { kind: Kind::Busy, slack_ns: 0, ..sleep(end_us) }
    }

    /// Returns the parts in microseconds, the largest first, and checks that they add up.
    fn parts(seen: &Evidence) -> Vec<(Cause, u64)> {
        // What the quickest wait took.
        let mut floors = Floors { asleep: 30_000, awake: 4_000 };
        let parts = split(seen, &mut floors);
        assert_eq!(parts.sum(), seen.end.saturating_sub(seen.deadline));
        let list = parts.list().into_iter();
        list.map(|part| (part.cause, part.ns / 1_000)).collect()
    }

    const SLEPT: [Switch; 2] = [
        Switch { at: 1_010_000, cpu: 1, turn: Turn::Out },
        Switch { at: 2_085_000, cpu: 1, turn: Turn::In },
    ];

    #[test]
    fn an_idle_machine_takes_the_slack_and_an_idle_exit() {
        let seen = switched(sleep(2_090), &SLEPT, 3_000);
        let expected = [
            (Cause::TimerSlack, 50),
            (Cause::IdleExit, 32),
            (Cause::Return, 5),
            (Cause::RunQueue, 3),
        ];
        assert_eq!(parts(&seen), expected);
        // Without slack, all of it is the exit; and if no idle state was entered, interrupts.
        let tight = with(Evidence { slack_ns: 0, ..seen.clone() }, |seen| seen.idle = Some(None));
        assert_eq!(parts(&tight)[0], (Cause::Interrupt, 82));
        // A timer that another one has woken early has no slack left.
        let switches = [at(1_010, Turn::Out), at(2_025, Turn::In)];
        let early = switched(sleep(2_030), &switches, 0);
        assert_eq!(parts(&early), [(Cause::IdleExit, 25), (Cause::Return, 5)]);
    }

    #[test]
    fn a_hog_keeps_the_thread_in_the_run_queue() {
        let switches = [at(1_010, Turn::Out), at(4_900, Turn::In)];
        let seen = switched(sleep(4_904), &switches, 2_850_000);
        assert_eq!(parts(&seen)[0], (Cause::RunQueue, 2_850));
        // To the thread, a quota is the same, except for its own account.
        let quota = with(seen.clone(), |seen| seen.throttled_ns = Some(2_800_000));
        let quota = parts(&quota);
        assert_eq!(quota[0], (Cause::Throttled, 2_800));
        assert!(quota.contains(&(Cause::RunQueue, 50)), "{quota:?}");
    }

    #[test]
    fn a_preemption_after_waking_is_timed_by_its_records() {
        let switches = [
            at(1_010, Turn::Out),
            at(2_040, Turn::In),
            at(2_045, Turn::Preempted),
            at(5_045, Turn::In),
        ];
        let seen = Evidence { slack_ns: 0, ..switched(sleep(5_050), &switches, 3_002_000) };
        let found = parts(&seen);
        assert_eq!(found[0], (Cause::Preempted, 3_000));
        assert!(found.contains(&(Cause::RunQueue, 2)), "{found:?}");
    }

    #[test]
    fn a_preemption_before_the_deadline_makes_nothing_late() {
        let switches = [
            at(995, Turn::Preempted),
            at(1_005, Turn::In),
            at(1_010, Turn::Out),
            at(2_040, Turn::In),
        ];
        let seen = Evidence { slack_ns: 0, ..switched(sleep(2_045), &switches, 12_000) };
        let expected = [(Cause::IdleExit, 38), (Cause::Return, 5), (Cause::RunQueue, 2)];
        assert_eq!(parts(&seen), expected);
    }

    #[test]
    fn a_stop_and_a_spin_are_told_apart_from_sleeps() {
        let stopped = Evidence { stopped: true, ..switched(sleep(2_090), &SLEPT, 0) };
        assert_eq!(parts(&stopped)[0], (Cause::Stopped, 85));
        let spun = |entered, asked_ns, ran_us: u64| {
            let seen = Evidence { asked_ns, ..switched(spin(2_100), &[], 0) };
            let seen =
                with(seen, |seen| (seen.entered, seen.ran_ns) = (entered, Some(ran_us * 1_000)));
            parts(&seen)[0]
        };
        let whole = 2_110 - 990;
        assert_eq!(spun(Some(false), 1_000_000, whole), (Cause::BelowKernel, 90));
        assert_eq!(spun(Some(true), 1_000_000, whole), (Cause::Interrupt, 90));
        // The tick occurs in every long wait.
        assert_eq!(spun(Some(true), 10_000_000, whole), (Cause::OnCpu, 90));
        assert_eq!(spun(None, 1_000_000, whole), (Cause::OnCpu, 90));
        assert_eq!(spun(Some(true), 1_000_000, whole - 95), (Cause::Steal, 95));
    }

    #[test]
    fn a_runtime_rounds_up_blocks_again_and_takes_its_time() {
        let runtime = |unit, wait: Evidence<'static>| Evidence { runtime: Some(unit), ..wait };
        // Awake from 2,085 us on, of which 4 us and as much again and 2 us are usual.
        let slow = runtime(1, switched(sleep(2_125), &SLEPT, 0));
        assert_eq!(parts(&slow)[1..3], [(Cause::IdleExit, 35), (Cause::Runtime, 30)]);
        // A time-out of 2 ms for the 990 us that were left at 1,010 us ends at 3,010 us.
        static LONG: [Switch; 2] = [
            Switch { at: 1_010_000, cpu: 1, turn: Turn::Out },
            Switch { at: 3_095_000, cpu: 1, turn: Turn::In },
        ];
        let long = Evidence { slack_ns: 0, ..runtime(2_000_000, switched(sleep(3_100), &LONG, 0)) };
        assert_eq!(parts(&long)[..2], [(Cause::Runtime, 1_010), (Cause::IdleExit, 85)]);
        // The timer has woken the thread, and a lock lets it sleep again. The run queue is that of
        // the first sleep, as far as it can be.
        static TWICE: [Switch; 4] = [
            Switch { at: 1_010_000, cpu: 1, turn: Turn::Out },
            Switch { at: 2_085_000, cpu: 1, turn: Turn::In },
            Switch { at: 2_087_000, cpu: 1, turn: Turn::Out },
            Switch { at: 2_487_000, cpu: 1, turn: Turn::In },
        ];
        let blocked =
            Evidence { slack_ns: 0, ..runtime(1, switched(sleep(2_490), &TWICE, 25_000)) };
        let found = parts(&blocked);
        assert_eq!(found[..2], [(Cause::Runtime, 400), (Cause::IdleExit, 60)]);
        let spans = ready_spans(&blocked, &split(&blocked, &mut Floors::default()));
        assert_eq!(spans, [Span { from: 2_060_000, to: 2_085_000 }]);
    }

    #[test]
    fn the_run_queue_of_a_request_is_not_that_of_the_wait() {
        // The request woke the thread at 990 us, and it got its CPU 4 ms later.
        let switches = [at(4_990, Turn::In), at(5_010, Turn::Out), at(8_000, Turn::In)];
        let seen = Seen { since: 990_000, switches: Some(&switches), ..Seen::default() };
        assert_eq!(queued_before(&seen, 5_000_000, 6_500_000), 4_000_000);
        // The way to the thread was an idle exit.
        assert_eq!(queued_before(&seen, 5_000_000, 3_000), 3_000);
        let unseen = Seen { switches: None, ..seen };
        assert_eq!(queued_before(&unseen, 1_000_000, 6_500_000), 10_000);
    }

    #[test]
    fn what_cannot_be_separated_keeps_its_common_name() {
        // No schedstat: the timer and the run queue are one.
        let seen = with(sleep(2_090), |seen| seen.switches = Some(&SLEPT));
        assert_eq!(parts(&seen)[0], (Cause::TimerSlack, 50));
        assert_eq!(parts(&seen)[1], (Cause::OffCpu, 35));
        // No records: the way back is one with the idle exit, and preemptions are in the run queue.
        let seen = with(sleep(2_110), |seen| seen.queued_ns = Some(20_000));
        let expected = [(Cause::TimerSlack, 50), (Cause::OffCpu, 40), (Cause::RunQueue, 20)];
        assert_eq!(parts(&seen), expected);
        let seen = with(spin(2_090), |seen| seen.queued_ns = Some(80_000));
        assert_eq!(parts(&seen)[0], (Cause::Preempted, 80));
        // Neither: what the thread ran for is all that is known, as on Windows.
        let seen = with(spin(2_100), |seen| (seen.ran_ns, seen.entered) = (Some(1_020_000), None));
        assert_eq!(parts(&seen)[0], (Cause::OffCpu, 100));
        let expected = [(Cause::TimerSlack, 50), (Cause::OffCpu, 50)];
        assert_eq!(parts(&sleep(2_100)), expected);
    }

    #[test]
    fn a_wait_that_was_not_late_has_no_parts() {
        assert_eq!(parts(&sleep(1_990)), []);
        assert_eq!(parts(&sleep(2_000)), []);
    }

    #[test]
    fn records_of_a_clock_that_went_back_explain_nothing() {
        let switches = [at(2_001, Turn::Out), at(2_050, Turn::In), at(2_002, Turn::Out)];
        let twice = [switches.as_slice(), &[at(2_049, Turn::In)]].concat();
        let seen = switched(sleep(2_051), &twice, 0);
        assert_eq!(parts(&seen), [(Cause::Unknown, 51)]);
    }

    fn turns() -> impl Strategy<Value = Vec<Switch>> {
        let turn = prop_oneof![Just(Turn::In), Just(Turn::Out), Just(Turn::Preempted)];
        let switch = (0..10_000_000u64, 0..4u32, turn);
        prop::collection::vec(switch, 0..12).prop_map(|mut all| {
            all.sort_by_key(|switch| switch.0);
            let switch = |(at, cpu, turn)| Switch { at, cpu, turn };
            all.into_iter().map(switch).collect()
        })
    }

    proptest! {
        /// Whatever the sources say, and however they contradict each other.
        #[test]
        fn the_parts_always_add_up_to_the_lateness(
            switches in prop::option::of(turns()),
            kind in prop_oneof![Just(Kind::Sleep), Just(Kind::Busy), Just(Kind::Hybrid)],
            since in 0..2_000_000u64,
            asked_ns in 0..5_000_000u64,
            late in 0..8_000_000u64,
            after in 0..100_000u64,
            known in prop::array::uniform3(prop::option::of(any::<u64>())),
            short in prop::array::uniform3(prop::option::of(0..8_000_000u64)),
            small: bool,
            slack_ns in prop_oneof![Just(0), 0..100_000_000u64, any::<u64>()],
            idled: Option<bool>,
            entered: Option<bool>,
            stopped: bool,
            runtime in prop::option::of(prop_oneof![Just(1), 1..5_000_000u64, any::<u64>()]),
        ) {
            let [queued_ns, ran_ns, throttled_ns] = if small { short } else { known };
            let deadline = since + asked_ns;
            let seen = Evidence {
                kind,
                asked_ns,
                deadline,
                end: deadline + late,
                slack_ns,
                stopped,
                runtime,
                seen: Seen {
                    since,
                    until: deadline + late + after,
                    switches: switches.as_deref(),
                    queued_ns,
                    ran_ns,
                    throttled_ns,
                    idle: idled.map(|idled| idled.then_some(&IDLED)),
                    entered,
                    ..Seen::default()
                },
            };
            let mut floors = Floors::default();
            for _ in 0..2 {
                let parts = split(&seen, &mut floors);
                prop_assert_eq!(parts.sum(), late);
                prop_assert!(parts.list().iter().all(|part| part.ns > 0));
                prop_assert_eq!(Parts::from_list(&parts.list()), parts);
                // With the thread's switches, it is known when it was ready.
                let spans = ready_spans(&seen, &parts);
                let ready = [Cause::RunQueue, Cause::Preempted, Cause::Throttled];
                let ready = ready.map(|it| parts.of(it));
                let known = if switches.is_some() { ready.iter().sum() } else { 0 };
                prop_assert_eq!(spans.iter().map(|it| it.to - it.from).sum::<u64>(), known);
                prop_assert!(spans.is_sorted_by(|a, b| a.to <= b.from));
            }
        }
    }
}
