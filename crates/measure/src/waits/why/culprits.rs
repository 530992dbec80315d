//! The tasks that ran while the thread of a row was ready to run: those of each late wake-up, and
//! all of them together.

use chronoscope_model::why::{Cause, Culprit, Known, Worst};
use chronoscope_probes::blame::Ran;
use std::cmp::Reverse;

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
mod tests {
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
