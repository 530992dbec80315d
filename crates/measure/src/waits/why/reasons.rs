//! The parts of all late wake-ups of one row by their lateness, and the worst of them.

use super::culprits::Culprits;
use super::split::{Evidence, Floors, Parts, ready_spans, split};
use chronoscope_model::why::{
    APART_NS, Cause, EXAMINED_NS, Idle, Interrupts, Later, WORST, Why, Worst,
};
use chronoscope_probes::blame::{Found, IdleState, Ran, Span};

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
pub(in crate::waits) struct Reasons {
    /// The time that the quickest wake-up of the thread took.
    pub(in crate::waits) floors: Floors,
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
    pub(in crate::waits) fn add(
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
    pub(in crate::waits) fn wanted(&self) -> (bool, bool) {
        (self.culprits.wanted(), self.interrupted_s.is_some())
    }

    /// Says which tasks have run on the CPU since the last call.
    pub(in crate::waits) fn likely(&mut self, ran: &[Ran]) {
        self.culprits.likely(ran, &mut self.found.worst);
    }

    /// Says which interrupts came since they were last counted.
    pub(in crate::waits) fn interrupts(&mut self, counted: &[Interrupts]) {
        let Some(since) = self.interrupted_s.take() else {
            return;
        };
        let of_them = |it: &&mut Worst| it.at_s >= since && interrupted(it);
        for worst in self.found.worst.iter_mut().filter(of_them) {
            worst.interrupts = counted.iter().take(INTERRUPTS).cloned().collect();
        }
    }

    /// Returns the reasons as a report contains them.
    pub(in crate::waits) fn report(&self) -> Why {
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
    pub(in crate::waits) fn take_worst(&mut self, patient_s: f64) -> Vec<Worst> {
        let waiting = [self.culprits.waiting_since(), self.interrupted_s].into_iter().flatten();
        let since_s = waiting.fold(f64::INFINITY, f64::min).max(patient_s);
        let worst = std::mem::take(&mut self.found.worst);
        let (taken, left) = worst.into_iter().partition(|worst| worst.at_s < since_s);
        self.found.worst = left;
        taken
    }

    /// Takes the reasons away, apart from the latest wake-ups, and begins again.
    pub(in crate::waits) fn take(&mut self) -> Self {
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
    pub(in crate::waits) fn of(why: &Why) -> Self {
        let culprits = Culprits::of(&why.culprits);
        let mut reasons = Self { found: why.clone(), culprits, ..Self::default() };
        let found = &mut reasons.found;
        found.culprits.clear();
        found.later.clear();
        found.apart = found.apart.min(found.examined);
        found.idle.truncate(STATES);
        found.worst.truncate(WORST);
        found.worst.sort_by_key(|worst| std::cmp::Reverse(worst.late_ns));
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

#[cfg(test)]
mod tests {
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
