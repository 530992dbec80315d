//! Why waits end late: splits the lateness of each wait, and adds up the parts for the row.
//!
//! [`Reasons`] has the parts of all late wake-ups of one row by their lateness, and the worst of
//! them. The culprits are the tasks that ran while the thread of a row was ready to run: those of
//! each late wake-up, and all of them together.

use super::split::{Evidence, Floors, Parts, ready_spans, split};
use crate::engine::notes;
use chronoscope_model::Note;
use chronoscope_model::waits::Wait;
use chronoscope_model::why::{
    APART_NS, Cause, Culprit, EXAMINED_NS, Idle, Interrupts, Known, Later, WORST, Why, Worst,
};
use chronoscope_probes::blame::{Found, IdleState, Missing, Ran, Span, hidden};
use std::cmp::Reverse;

/// Notes on who ran instead of the threads of these rows, as far as that is not known:
/// `unrecorded` is why it was not recorded, and `left_out` processes were not searched. `named`:
/// whether names are wanted.
pub(super) fn about_culprits(
    unrecorded: Option<&str>,
    left_out: u64,
    named: bool,
    rows: &[Wait],
) -> Vec<Note> {
    let mut all = rows.iter().filter_map(|row| row.why.as_ref());
    let ready = |why: &Why| {
        why.later.first().is_some_and(|all| {
            all.parts.iter().any(|it| matches!(it.cause, Cause::RunQueue | Cause::Preempted))
        })
    };
    if !all.any(|why| why.examined > 0 && ready(why)) {
        return Vec::new();
    }
    let unrecorded = unrecorded.map(notes::likely);
    let hidden = hidden().filter(|_| named).map(notes::names_hidden);
    let left_out = (left_out > 0).then(|| notes::tasks_left_out(left_out));
    [unrecorded, hidden, left_out].into_iter().flatten().collect()
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

/// Wake-ups are grouped by these limits, in nanoseconds: zero, and 1, 2 and 5 times the powers of
/// ten from 1 us on.
const EDGES: [u64; 23] = {
    let mut edges = [0; 23];
    let (mut nth, mut ten) = (1, 1_000);
    while nth < edges.len() {
        edges[nth] = ten * [1, 2, 5][(nth - 1) % 3];
        if nth % 3 == 0 {
            ten *= 10;
        }
        nth += 1;
    }
    edges
};
/// No machine enters more idle states; a report may claim otherwise.
const STATES: usize = 16;
/// The most interrupts that are kept of a wake-up.
const INTERRUPTS: usize = 8;

/// The wake-ups between two edges.
#[derive(Clone, Copy, Debug, Default)]
struct Bin {
    waits: u64,
    late_ns: u64,
    parts: Parts,
}

/// Why the waits of one row ended late.
#[derive(Clone, Debug, Default)]
pub(super) struct Reasons {
    /// The time that the quickest wake-up of the thread took.
    pub(super) floors: Floors,
    bins: [Bin; EDGES.len()],
    /// Everything except the wake-ups by their lateness, which the bins hold.
    found: Why,
    culprits: Culprits,
    /// When the first wake-up was that interrupts may have made late and that has no counts of
    /// them yet, in seconds from the start of the run.
    interrupted_s: Option<f64>,
}

impl Reasons {
    /// Adds a wait. `worst` describes the wait apart from its parts, with its lateness by the
    /// ruler; `by_clock` is the lateness by the clock that timers run on. `who` finds who had the
    /// CPU in the spans in which the thread was ready to run, and the interrupts in the one in
    /// which it was late, if that is recorded, and is asked only if there are any; an error is the
    /// number of records that are missing.
    pub(super) fn add(
        &mut self,
        wait: &Evidence,
        by_clock: u64,
        mut worst: Worst,
        who: impl FnOnce(&[Span], Option<Span>) -> Option<Result<Found, u64>>,
    ) {
        let parts = split(wait, &mut self.floors);
        if worst.late_ns >= EXAMINED_NS {
            worst.parts = parts.list();
            let spans = ready_spans(wait, &parts);
            let late = Span { from: wait.deadline, to: wait.end };
            let late = interrupted(&worst).then_some(late);
            let asked = !spans.is_empty() || late.is_some();
            let found = if asked { who(&spans, late) } else { None };
            if let Some(Err(lost)) = found {
                self.found.lost = self.found.lost.saturating_add(lost);
            }
            let found = found.and_then(Result::ok);
            if let Some(found) = &found {
                worst.interrupts = found.interrupts.iter().take(INTERRUPTS).cloned().collect();
            }
            let seen = found.filter(|_| !spans.is_empty()).map(|found| found.ran);
            self.culprits.add(&mut worst, seen, parts.of(Cause::Throttled) > 0);
            if interrupted(&worst) {
                self.interrupted_s = self.interrupted_s.or(Some(worst.at_s));
            }
        }
        let found = &mut self.found;
        let (late, state) = (worst.late_ns, wait.seen.idle.flatten());
        found.lost = found.lost.saturating_add(wait.seen.lost);
        if let Some(more) = wait.seen.smis {
            found.smis = Some(found.smis.unwrap_or(0).saturating_add(more));
        }
        if !wait.stopped {
            let last = EDGES.len() - 1;
            let nth = EDGES.partition_point(|edge| *edge <= late).clamp(1, last + 1) - 1;
            let bin = &mut self.bins[nth];
            bin.waits += 1;
            bin.late_ns = bin.late_ns.saturating_add(late);
            bin.parts.join(&parts);
            if late >= EXAMINED_NS {
                found.examined += 1;
                let apart = by_clock.abs_diff(late).max(parts.of(Cause::Unknown));
                found.apart += u64::from(apart > APART_NS);
                if let Some(state) = state {
                    idled(&mut found.idle, state);
                }
            }
        }
        let least = found.worst.last().map_or(0, |worst| worst.late_ns);
        if late > 0 && (found.worst.len() < WORST || late > least) {
            let at = found.worst.partition_point(|worst| worst.late_ns >= late);
            found.worst.truncate(WORST - 1);
            worst.parts = parts.list();
            found.worst.insert(
                at.min(found.worst.len()),
                Worst { idle: state.map(|state| state.name.clone()), ..worst },
            );
        }
    }

    /// Whether late wake-ups wait for [`likely`](Self::likely), and for
    /// [`interrupts`](Self::interrupts).
    pub(super) fn wanted(&self) -> (bool, bool) {
        (self.culprits.wanted(), self.interrupted_s.is_some())
    }

    /// Says which tasks have run on the CPU since the last call.
    pub(super) fn likely(&mut self, ran: &[Ran]) {
        self.culprits.likely(ran, &mut self.found.worst);
    }

    /// Says which interrupts came since they were last counted.
    pub(super) fn interrupts(&mut self, counted: &[Interrupts]) {
        let Some(since) = self.interrupted_s.take() else {
            return;
        };
        let of_them = |it: &&mut Worst| it.at_s >= since && interrupted(it);
        for worst in self.found.worst.iter_mut().filter(of_them) {
            worst.interrupts = counted.iter().take(INTERRUPTS).cloned().collect();
        }
    }

    /// Returns the reasons as a report contains them.
    pub(super) fn report(&self) -> Why {
        let mut sum = Bin::default();
        let mut later: Vec<Later> = Vec::new();
        for (than_ns, bin) in EDGES.iter().zip(&self.bins).rev() {
            if bin.waits == 0 {
                continue;
            }
            sum.waits = sum.waits.saturating_add(bin.waits);
            sum.late_ns = sum.late_ns.saturating_add(bin.late_ns);
            sum.parts.join(&bin.parts);
            later.push(Later {
                than_ns: *than_ns,
                waits: sum.waits,
                late_ns: sum.late_ns,
                parts: sum.parts.list(),
            });
        }
        later.reverse();
        Why { later, culprits: self.culprits.list(), ..self.found.clone() }
    }

    /// Takes the latest wake-ups away. Those stay that still wait for who ran, or for their
    /// interrupts, unless they ended before `patient_s`, in seconds from the start of the run.
    pub(super) fn take_worst(&mut self, patient_s: f64) -> Vec<Worst> {
        let waiting = [self.culprits.waiting_since(), self.interrupted_s].into_iter().flatten();
        let since_s = waiting.fold(f64::INFINITY, f64::min).max(patient_s);
        let worst = std::mem::take(&mut self.found.worst);
        let (taken, left) = worst.into_iter().partition(|worst| worst.at_s < since_s);
        self.found.worst = left;
        taken
    }

    /// Takes the reasons away, apart from the latest wake-ups, and begins again.
    pub(super) fn take(&mut self) -> Self {
        let culprits = self.culprits.take();
        let left = Self {
            floors: self.floors,
            found: Why { worst: std::mem::take(&mut self.found.worst), ..Why::default() },
            culprits: std::mem::take(&mut self.culprits),
            interrupted_s: self.interrupted_s,
            ..Self::default()
        };
        Self { culprits, ..std::mem::replace(self, left) }
    }

    /// Continues the reasons of an earlier run, whose file may contain any figures.
    pub(super) fn of(why: &Why) -> Self {
        let culprits = Culprits::of(&why.culprits);
        let mut reasons = Self { found: why.clone(), culprits, ..Self::default() };
        let found = &mut reasons.found;
        found.culprits.clear();
        found.later.clear();
        found.apart = found.apart.min(found.examined);
        found.idle.truncate(STATES);
        found.worst.truncate(WORST);
        found.worst.sort_by_key(|worst| Reverse(worst.late_ns));
        for (nth, later) in why.later.iter().enumerate() {
            let none = Later::default();
            let above = why.later.get(nth + 1).unwrap_or(&none);
            let at = EDGES.partition_point(|edge| *edge <= later.than_ns);
            let bin = &mut reasons.bins[at.max(1) - 1];
            let parts = Parts::from_list(&later.parts);
            bin.waits = bin.waits.saturating_add(later.waits.saturating_sub(above.waits));
            bin.late_ns = bin.late_ns.saturating_add(later.late_ns.saturating_sub(above.late_ns));
            bin.parts.join(&parts.less(&Parts::from_list(&above.parts)));
        }
        reasons
    }
}

/// Whether interrupts may have made this wake-up late, and are not known.
fn interrupted(worst: &Worst) -> bool {
    let share = worst.share(Cause::Interrupt) + worst.share(Cause::OnCpu);
    worst.interrupts.is_empty() && share * worst.late_ns as f64 >= EXAMINED_NS as f64
}

/// Counts a wake-up after an idle state.
fn idled(all: &mut Vec<Idle>, state: &IdleState) {
    if let Some(idle) = all.iter_mut().find(|idle| idle.name == state.name) {
        idle.waits = idle.waits.saturating_add(1);
    } else if all.len() < STATES {
        all.push(Idle { name: state.name.clone(), exit_ns: state.exit_ns, waits: 1 });
    }
}

/// The most tasks that are kept of a row, and of one of its wake-ups.
const MOST: usize = 256;
const OF_ONE: usize = 64;
/// An idle CPU is the way to the thread, unless it is idle for longer than this, in nanoseconds.
const IDLE_NS: u64 = 2_000;
/// A task with a smaller share of the time is not likely to have made all of these wake-ups late.
const LIKELY: f64 = 0.05;

#[derive(Clone, Debug, Default)]
pub(super) struct Culprits {
    /// Those of this run, without names.
    all: Vec<Culprit>,
    /// Those of an earlier run, whose numbers now may be others'.
    earlier: Vec<Culprit>,
    unnamed: Unnamed,
}

/// Late wake-ups of which nobody is known to have run while the thread was ready.
#[derive(Clone, Copy, Debug, Default)]
struct Unnamed {
    wake_ups: u64,
    /// How long the thread was ready.
    ns: u64,
    /// When the first of them was, in seconds from the start of the run.
    since_s: f64,
}

/// How long the thread was ready to run, by the parts of a wake-up.
fn ready(worst: &Worst) -> u64 {
    let of_it = |cause| matches!(cause, Cause::RunQueue | Cause::Preempted);
    let ns = worst.parts.iter().filter(|part| of_it(part.cause)).map(|part| part.ns);
    ns.fold(0, u64::saturating_add)
}

impl Culprits {
    /// Continues those of an earlier run, whose file may contain anything.
    pub(super) fn of(earlier: &[Culprit]) -> Self {
        let earlier = earlier.iter().take(MOST).cloned().collect();
        Self { earlier, ..Self::default() }
    }

    /// Adds a late wake-up with its parts, and those that ran, if they were seen. `throttled`: the
    /// thread's group had also used up its quota, which is a part of its own.
    pub(super) fn add(&mut self, worst: &mut Worst, seen: Option<Vec<Ran>>, throttled: bool) {
        let ready = ready(worst);
        let Some(mut ran) = seen else {
            if ready > 0 {
                let before = self.unnamed;
                self.unnamed = Unnamed {
                    wake_ups: before.wake_ups + 1,
                    ns: before.ns.saturating_add(ready),
                    since_s: if before.wake_ups == 0 { worst.at_s } else { before.since_s },
                };
            }
            return;
        };
        ran.retain(|ran| ran.task.tid != 0 || (ran.ns > IDLE_NS && !throttled));
        if throttled {
            to_sum(&mut ran, ready);
        }
        for ran in &ran {
            self.count(ran, 1, Known::Seen);
        }
        ran.truncate(OF_ONE);
        worst.culprits = ran.iter().map(|ran| culprit(ran, 1, Known::Seen)).collect();
    }

    /// Whether late wake-ups wait for [`likely`](Self::likely).
    pub(super) fn wanted(&self) -> bool {
        self.unnamed.wake_ups > 0
    }

    /// When the first late wake-up was that waits for that, in seconds from the start of the run.
    pub(super) fn waiting_since(&self) -> Option<f64> {
        self.wanted().then_some(self.unnamed.since_s)
    }

    /// Takes them away, apart from the wake-ups that wait for [`likely`](Self::likely).
    pub(super) fn take(&mut self) -> Self {
        let waiting = Self { unnamed: self.unnamed, ..Self::default() };
        std::mem::replace(self, waiting)
    }

    /// Says which tasks have run since the last call: they are likely to have made those wake-ups
    /// late that have no others, and share their time as they shared the CPU.
    pub(super) fn likely(&mut self, ran: &[Ran], worst: &mut [Worst]) {
        let Unnamed { wake_ups, ns, since_s } = std::mem::take(&mut self.unnamed);
        let sum = ran.iter().map(|ran| ran.ns as f64).sum::<f64>();
        if wake_ups == 0 || sum == 0.0 {
            return;
        }
        let shared = |ns| {
            let mut ran = ran.to_vec();
            ran.retain(|ran| ran.ns as f64 >= LIKELY * sum);
            to_sum(&mut ran, ns);
            ran
        };
        for ran in shared(ns) {
            self.count(&ran, wake_ups, Known::Likely);
        }
        let of_them = |it: &&mut Worst| it.culprits.is_empty() && it.at_s >= since_s;
        for worst in worst.iter_mut().filter(of_them) {
            let ran = shared(ready(worst)).into_iter().filter(|ran| ran.ns > 0);
            let ran = ran.take(OF_ONE).map(|ran| culprit(&ran, 1, Known::Likely));
            worst.culprits = ran.collect();
        }
    }

    fn count(&mut self, ran: &Ran, wake_ups: u64, known: Known) {
        let same =
            |it: &&mut Culprit| (it.pid, it.tid, it.known) == (ran.task.pid, ran.task.tid, known);
        if let Some(one) = self.all.iter_mut().find(same) {
            one.ns = one.ns.saturating_add(ran.ns);
            one.wake_ups = one.wake_ups.saturating_add(wake_ups);
            return;
        }
        let new = culprit(ran, wake_ups, known);
        if self.all.len() < MOST {
            self.all.push(new);
        } else if let Some(least) = self.all.iter_mut().min_by_key(|it| it.ns)
            && least.ns < new.ns
        {
            *least = new;
        }
    }

    /// All of them, the one with the most time first.
    pub(super) fn list(&self) -> Vec<Culprit> {
        let mut all = [&self.earlier[..], &self.all].concat();
        all.sort_by_key(|it| Reverse(it.ns));
        all.truncate(MOST);
        all
    }
}

fn culprit(ran: &Ran, wake_ups: u64, known: Known) -> Culprit {
    let (pid, tid) = (ran.task.pid, ran.task.tid);
    Culprit { pid, tid, ns: ran.ns, wake_ups, known, ..Culprit::default() }
}

/// Makes the times add up to `ns`, or to less if they already do.
fn to_sum(ran: &mut [Ran], ns: u64) {
    let sum = ran.iter().map(|ran| u128::from(ran.ns)).sum::<u128>();
    if sum > u128::from(ns) {
        for ran in ran {
            ran.ns = (u128::from(ran.ns) * u128::from(ns) / sum) as u64;
        }
    }
}

#[cfg(test)]
mod reasons_tests {
    use super::*;
    use chronoscope_model::waits::Kind;
    use chronoscope_probes::blame::{Seen, Task};

    /// A sleep that ended late by this much, all of it in the run queue.
    fn add(reasons: &mut Reasons, late_ns: u64, stopped: bool) {
        let state = IdleState { name: "C6".into(), exit_ns: 133_000 };
        let seen = Evidence {
            kind: Kind::Sleep,
            asked_ns: 1_000_000,
            deadline: 2_000_000,
            end: 2_000_000 + late_ns,
            slack_ns: 0,
            stopped,
            runtime: None,
            seen: Seen {
                since: 1_000_000,
                until: 2_000_000 + late_ns,
                queued_ns: Some(if stopped { 0 } else { late_ns }),
                idle: Some(Some(&state)),
                ..Seen::default()
            },
        };
        let worst = Worst { late_ns, ..Worst::default() };
        reasons.add(&seen, late_ns, worst, |_, _| None);
    }

    #[test]
    fn what_is_taken_is_gone_and_what_waits_for_culprits_stays() {
        let mut reasons = Reasons::default();
        add(&mut reasons, 60_000, false);
        let taken = |reasons: &mut Reasons, patient_s| {
            let worst = reasons.take_worst(patient_s);
            Why { worst, ..reasons.take().report() }
        };
        let first = taken(&mut reasons, 0.0);
        assert_eq!((first.all().map(|all| all.waits), first.worst.len()), (Some(1), 0));
        let task = Task { pid: 7, tid: 7 };
        reasons.likely(&[Ran { task, ns: 60_000 }]);
        add(&mut reasons, 500, false);
        let second = taken(&mut reasons, 0.0);
        assert_eq!(second.all().map(|all| all.waits), Some(1));
        assert_eq!((second.worst[0].culprits[0].tid, second.culprits[0].tid), (7, 7));
        // Nobody waits forever.
        add(&mut reasons, 70_000, false);
        assert_eq!(taken(&mut reasons, 1e-3).worst.len(), 1);
        assert_eq!(taken(&mut reasons, 0.0), Why::default());
    }

    #[test]
    fn interrupts_that_were_seen_are_not_counted() {
        let eth0 = Interrupts { id: "24".into(), name: "eth0".into(), count: 1, ns: Some(40_000) };
        let wait = Evidence {
            kind: Kind::Busy,
            asked_ns: 100_000,
            deadline: 2_000_000,
            end: 2_060_000,
            slack_ns: 0,
            stopped: false,
            runtime: None,
            seen: Seen { queued_ns: Some(0), entered: Some(true), ..Seen::default() },
        };
        let mut reasons = Reasons::default();
        // The quickest return is known.
        reasons
            .add(&Evidence { end: 2_000_100, ..wait.clone() }, 100, Worst::default(), |_, _| None);
        for interrupts in [vec![eth0.clone(); 2 * INTERRUPTS], Vec::new()] {
            let worst = Worst { late_ns: 60_000, ..Worst::default() };
            let found = Found { interrupts: interrupts.clone(), ..Found::default() };
            reasons.add(&wait, 60_000, worst, |ready, late| {
                assert_eq!((ready, late), (&[][..], Some(Span { from: 2_000_000, to: 2_060_000 })));
                Some(Ok(found))
            });
            assert_eq!(reasons.wanted(), (false, interrupts.is_empty()));
        }
        let loc = Interrupts { id: "LOC".into(), count: 9, ..Interrupts::default() };
        reasons.interrupts(std::slice::from_ref(&loc));
        let worst = reasons.report().worst;
        let all: Vec<_> = worst.into_iter().map(|it| it.interrupts).collect();
        assert_eq!(all, [vec![eth0; INTERRUPTS], vec![loc]]);
    }

    #[test]
    fn wake_ups_are_counted_by_how_late_they_were() {
        assert_eq!(EDGES[..5], [0, 1_000, 2_000, 5_000, 10_000]);
        assert_eq!(EDGES[22], 10_000_000_000);
        let mut reasons = Reasons::default();
        for late in [0, 500, 1_000, 60_000, 70_000, 3_000_000, u64::MAX / 4] {
            add(&mut reasons, late, false);
        }
        add(&mut reasons, 5_000_000, true);
        let why = reasons.report();
        let counts: Vec<(u64, u64)> = why.later.iter().map(|it| (it.than_ns, it.waits)).collect();
        let expected = [(0, 7), (1_000, 5), (50_000, 4), (2_000_000, 2), (10_000_000_000, 1)];
        assert_eq!(counts, expected);
        for later in &why.later {
            assert!(later.share(Cause::RunQueue) >= 0.5);
            let sum = later.parts.iter().map(|part| part.ns).sum::<u64>();
            assert_eq!(sum, later.late_ns);
        }
        assert_eq!((why.examined, why.apart, why.explained()), (4, 0, Some(1.0)));
        assert_eq!((why.idle.len(), why.idle[0].waits), (1, 4));
        // The stop is not a sample, but is among the worst.
        assert_eq!(why.worst.len(), 7);
        assert!(why.worst.is_sorted_by(|a, b| a.late_ns >= b.late_ns));
        assert_eq!(why.worst[1].parts[0].cause, Cause::Stopped);
    }

    #[test]
    fn only_the_worst_are_kept_and_a_later_run_goes_on() {
        let mut reasons = Reasons::default();
        for late in 1..=1_000 {
            add(&mut reasons, late * 10_000 % 7_777_777, false);
        }
        let why = reasons.report();
        assert_eq!(why.worst.len(), WORST);
        let again = Reasons::of(&why);
        assert_eq!(again.report(), why);
        let mut both = again;
        add(&mut both, 8_000_000, false);
        assert_eq!(both.report().worst[0].late_ns, 8_000_000);
        assert_eq!(both.report().later[0].waits, 1_001);
        // Figures that contradict each other add up to something, without a panic.
        let mut odd = why;
        odd.later.reverse();
        odd.later[0].than_ns = u64::MAX;
        odd.examined = 0;
        assert!(Reasons::of(&odd).report().later.len() <= EDGES.len());
    }
}

#[cfg(test)]
mod culprits_tests {
    use super::*;
    use chronoscope_model::why::Part;
    use chronoscope_probes::blame::Task;

    fn ran(n: u32, ns: u64) -> Ran {
        Ran { task: Task { pid: n, tid: n }, ns }
    }

    fn late(ns: u64) -> Worst {
        let parts = vec![Part { cause: Cause::RunQueue, ns }];
        Worst { late_ns: ns, parts, ..Worst::default() }
    }

    fn times(of: &[Culprit]) -> Vec<(u32, u64, u64)> {
        of.iter().map(|it| (it.tid, it.ns, it.wake_ups)).collect()
    }

    #[test]
    fn those_that_were_seen_are_added_up_over_the_run() {
        let (mut all, mut first, mut second) = (Culprits::default(), late(90_000), late(50_000));
        all.add(&mut first, Some(vec![ran(5, 60_000), ran(6, 28_000), ran(0, 2_000)]), false);
        all.add(&mut second, Some(vec![ran(6, 40_000), ran(0, 10_000)]), false);
        assert_eq!(times(&first.culprits), [(5, 60_000, 1), (6, 28_000, 1)]);
        assert_eq!(times(&all.list()), [(6, 68_000, 2), (5, 60_000, 1), (0, 10_000, 1)]);
        assert!(!all.wanted());
        // Half of the time was that of the quota.
        let mut throttled = late(30_000);
        all.add(&mut throttled, Some(vec![ran(5, 40_000), ran(6, 20_000), ran(0, 9_000)]), true);
        assert_eq!(times(&throttled.culprits), [(5, 20_000, 1), (6, 10_000, 1)]);
    }

    #[test]
    fn those_that_are_likely_share_the_time_as_they_shared_the_cpu() {
        let (mut all, mut worst) = (Culprits::default(), vec![late(40_000), late(20_000)]);
        for worst in &mut worst {
            all.add(worst, None, false);
        }
        assert!(all.wanted());
        all.likely(&[ran(8, 3_000_000), ran(9, 1_000_000), ran(10, 1_000)], &mut worst);
        assert_eq!(times(&worst[0].culprits), [(8, 30_000, 1), (9, 10_000, 1)]);
        assert_eq!(times(&all.list()), [(8, 45_000, 2), (9, 15_000, 2)]);
        assert!(all.list().iter().all(|it| it.known == Known::Likely) && !all.wanted());
        // Nobody ran, or nobody was late.
        all.add(&mut late(1_000), None, false);
        all.likely(&[], &mut []);
        all.likely(&[ran(8, 5)], &mut []);
        assert_eq!(all.list().len(), 2);
    }

    #[test]
    fn only_so_many_are_kept_and_those_of_an_earlier_run_stay() {
        let mut all = Culprits::of(&vec![culprit(&ran(1, u64::MAX), 3, Known::Seen); 2 * MOST]);
        for n in 0..2 * MOST as u32 {
            all.add(&mut late(9), Some(vec![ran(n + 1, u64::from(n))]), false);
        }
        assert_eq!((all.all.len(), all.list().len(), all.list()[0].wake_ups), (MOST, MOST, 3));
        assert!(all.all.iter().any(|it| it.tid == 2 * MOST as u32), "the longest is among them");
    }
}
