//! The resolution of a clock: its tick, and the differences that it shows. The same reads show
//! whether the clock went backwards.

use super::Values;
use super::schedule::Limit;
use crate::stats::period::period_structure;
use crate::stats::tick::tick;
use chronoscope_model::clock::{Backwards, Limit as Bound, RENEWED, Resolution, TickFrom};
use std::mem::replace;
use std::time::Duration;

const CHUNK: usize = 4096;
/// A clock that changed this often needs no further reads.
const ENOUGH: usize = 20_000;
/// A clock that changed less often than this in the quick look is watched for longer.
const FEW: usize = 24;
/// How often a clock must change in the longer watch.
const PATIENT_CHANGES: usize = 12;
/// A longer time between two looks at the slow clocks means that another thread had the CPU: a look
/// takes far less, and the usual slice of Linux is 0.7 ms or longer (kernel/sched/fair.c,
/// `sysctl_sched_base_slice`).
const AWAY: Duration = Duration::from_micros(500);
/// The longest sleep after another thread had the CPU. It is longer than the usual ticks of
/// kernels, 1 to 10 ms.
const LONGEST_SLEEP: Duration = Duration::from_millis(12);

/// The number of reads with a varying amount of work between them.
const APART: usize = 400;
/// The most work between two of these reads, in iterations of [`spin`](crate::engine::spin).
const MOST_WORK: f64 = 1024.0;

/// The observed values of one clock, in its raw units.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Non-zero differences between successive values.
    deltas: Vec<u64>,
    /// Differences between reads with a varying amount of work between them, zeros included.
    apart: Vec<u64>,
    /// Differences over a time in which another thread had the CPU, with that time in nanoseconds:
    /// each may be several ticks.
    away: Vec<(u64, f64)>,
    tries: u64,
    violations: u64,
    worst: u64,
    watched_ns: f64,
}

/// Amounts of work, from one iteration to many. Each scale is as frequent as any other.
pub fn work() -> impl Iterator<Item = u32> {
    let mut rng = fastrand::Rng::with_seed(APART as u64);
    (0..APART).map(move |_| MOST_WORK.powf(rng.f64()) as u32)
}

impl Seen {
    /// Adds successive values.
    pub fn add(&mut self, values: &[u64]) {
        for pair in values.windows(2) {
            self.tries += 1;
            // Subtracts with wrapping, so that a counter that wraps around is not a violation.
            let delta = pair[1].wrapping_sub(pair[0]) as i64;
            if delta < 0 {
                self.violations += 1;
                self.worst = self.worst.max(delta.unsigned_abs());
            } else if delta > 0 {
                self.deltas.push(delta as u64);
            }
        }
    }

    pub fn add_apart(&mut self, delta: u64) {
        if delta as i64 >= 0 {
            self.apart.push(delta);
        }
    }

    /// Returns the tick that all differences have in common, in raw units: their divisor, or a
    /// period that is not a whole number of units. Differences between successive reads show only a
    /// tick that is too long for the other differences, because the duration of a loop repeats too.
    pub fn tick(&self) -> Option<f64> {
        let divisor = tick(&[self.deltas.as_slice(), &self.apart].concat())?;
        let found = period_structure(&self.apart);
        let period = found.and_then(|found| found.tick).or_else(|| {
            let longest = found.map_or(0.0, |found| found.longest);
            divisor.fractional.filter(|period| *period > longest)
        });
        let whole = divisor.ticks as f64;
        Some(period.filter(|period| *period > whole * 1.5).unwrap_or(whole))
    }
}

/// Reads every subject for a while, then watches all those that hardly changed together until they
/// have changed a dozen times or `patience` has passed.
pub fn watch<H: Values>(
    host: &mut H,
    subjects: &[usize],
    quick: Duration,
    patience: Duration,
) -> Vec<Seen> {
    let mut buffer = vec![0; CHUNK];
    let mut seen: Vec<Seen> = vec![Seen::default(); subjects.len()];
    for (subject, seen) in subjects.iter().zip(&mut seen) {
        // A clock on a slow device, read through a system call, gives only a few values at a time.
        let few = &mut buffer[..16];
        let start = host.elapsed();
        host.fill(*subject, few);
        let each = host.elapsed().saturating_sub(start).as_nanos() / 16;
        seen.add(few);
        let affordable = quick.as_nanos().checked_div(each).unwrap_or(u128::MAX);
        let chunk = affordable.clamp(2, CHUNK as u128) as usize;
        let mut limit = Limit::new(host, quick, 1000);
        while seen.deltas.len() < ENOUGH && !limit.reached(host) {
            host.fill(*subject, &mut buffer[..chunk]);
            seen.add(&buffer[..chunk]);
        }
        seen.watched_ns = host.elapsed().saturating_sub(start).as_nanos() as f64;
        apart(host, *subject, quick / 2, seen);
    }
    be_patient(host, subjects, &mut seen, patience);
    seen
}

/// Reads a subject with a varying amount of work between the reads.
fn apart<H: Values>(host: &mut H, subject: usize, span: Duration, seen: &mut Seen) {
    let mut limit = Limit::new(host, span, APART as u64);
    let mut last = host.value(subject);
    for spins in work() {
        if limit.reached(host) {
            return;
        }
        host.spin(spins);
        let value = host.value(subject);
        seen.add_apart(value.wrapping_sub(last));
        last = value;
    }
}

/// Reads the slow clocks in turn and records each change of value.
///
/// Kernels switch threads at the same ticks at which they update their coarse clocks. A thread that
/// shares its CPU may therefore see only every second value, and a step of twice the tick each
/// time. After the thread was away, it sleeps for a random time, because a thread that wakes up is
/// usually run at once, wherever between two ticks that is. What changed meanwhile is kept apart.
fn be_patient<H: Values>(host: &mut H, subjects: &[usize], seen: &mut [Seen], patience: Duration) {
    struct Slow {
        index: usize,
        value: u64,
        changes: Vec<u64>,
        away: Vec<(u64, f64)>,
    }
    let mut slow: Vec<Slow> = Vec::new();
    for (index, seen) in seen.iter().enumerate() {
        if seen.deltas.len() < FEW {
            let value = host.value(subjects[index]);
            slow.push(Slow { index, value, changes: Vec::new(), away: Vec::new() });
        }
    }
    // No read takes less than a few nanoseconds, so this ends even if the ruler stands still.
    let turns = patience.as_nanos() as u64 / 10;
    let mut limit = Limit::new(host, patience, turns);
    let mut rng = fastrand::Rng::with_seed(PATIENT_CHANGES as u64);
    let start = host.elapsed();
    let mut before = start;
    while !slow.is_empty() && !limit.reached(host) {
        if host.elapsed().saturating_sub(before) > AWAY {
            host.sleep(LONGEST_SLEEP.mul_f64(rng.f64()));
        }
        // The value before the first change was a whole one, too, so that change counts.
        let read: Vec<u64> = slow.iter().map(|clock| host.value(subjects[clock.index])).collect();
        let now = host.elapsed();
        let took = now.saturating_sub(before);
        before = now;
        for (clock, value) in slow.iter_mut().zip(read) {
            match value.wrapping_sub(replace(&mut clock.value, value)) {
                0 => {}
                delta if took > AWAY => clock.away.push((delta, took.as_nanos() as f64)),
                delta => clock.changes.push(delta),
            }
        }
        slow.retain_mut(|clock| {
            let enough = clock.changes.len() >= PATIENT_CHANGES;
            if enough {
                let watched = host.elapsed().saturating_sub(start);
                take(&mut seen[clock.index], &clock.changes, &[], watched);
            }
            !enough
        });
    }
    for clock in slow {
        let watched = host.elapsed().saturating_sub(start);
        take(&mut seen[clock.index], &clock.changes, &clock.away, watched);
    }
}

/// Takes over the changes that were seen in this time. The time excludes the quick look before it,
/// in which nearly all clocks of this kind stand still, and which does not know whether another
/// thread had the CPU.
fn take(seen: &mut Seen, changes: &[u64], away: &[(u64, f64)], watched: Duration) {
    seen.watched_ns = watched.as_nanos() as f64;
    if !changes.is_empty() || !away.is_empty() {
        seen.deltas.clear();
        seen.apart.clear();
    }
    let forward = |delta: &u64| *delta as i64 > 0;
    seen.deltas.extend(changes.iter().copied().filter(forward));
    seen.away.extend(away.iter().copied().filter(|(delta, _)| forward(delta)));
}

/// Converts the observations to nanoseconds, with the verdict. A tick longer than a read is the
/// resolution; a shorter one is hidden behind the read, and no figure is made up for it.
pub fn judge(
    seen: &mut Seen,
    ns_per_unit: f64,
    nominal_ns: Option<f64>,
    cost_ns: Option<f64>,
) -> Resolution {
    // In less than half of what the clock advanced by, it cannot have advanced more than once.
    let once = |(delta, ns): &(u64, f64)| *ns < *delta as f64 * ns_per_unit / 2.0;
    let (once, several): (Vec<_>, Vec<_>) = seen.away.drain(..).partition(once);
    seen.deltas.extend(once.into_iter().map(|(delta, _)| delta));
    seen.deltas.sort_unstable();
    let found = seen.tick();
    let at = |index: usize| seen.deltas.get(index).map(|delta| *delta as f64 * ns_per_unit);
    let median = at(seen.deltas.len() / 2);
    // If most pairs of reads show no change, the value stands still between steps. The smallest
    // step is then the tick, even if steps differ slightly and so have no common divisor but 1: the
    // kernel slews its coarse clocks within each of their steps.
    let stands_still = (seen.deltas.len() as u64) * 2 < seen.tries;
    let tick_ns = found.map(|units| {
        let divisor = units * ns_per_unit;
        match (at(0), cost_ns) {
            (Some(least), Some(cost))
                if stands_still && divisor < cost && renewed(Some(least), cost) =>
            {
                least
            }
            _ => divisor,
        }
    });
    let verdict = limit(tick_ns, median, cost_ns);
    // A value that stays the same for longer than a read takes shows its tick, whatever its unit.
    let tick_from = found.map(|units| match verdict {
        Bound::Latency if units <= 1.0 => TickFrom::Unit,
        _ => TickFrom::Seen,
    });
    Resolution {
        nominal_ns,
        tick_ns,
        tick_from,
        observed_min_ns: at(0),
        observed_median_ns: median,
        changes: (seen.deltas.len() + several.len()) as u64,
        watched_ns: Some(seen.watched_ns),
        verdict,
    }
}

/// Returns what limits a clock with this tick, median difference and cost, in nanoseconds.
fn limit(tick: Option<f64>, median: Option<f64>, cost: Option<f64>) -> Bound {
    match (tick, cost.or(median)) {
        (None, _) => Bound::NotSeen,
        (Some(tick), Some(cost)) if tick < cost && !renewed(median, cost) => Bound::Latency,
        _ => Bound::Tick,
    }
}

/// Two ticks that differ by less than this share are the same tick.
const SAME: f64 = 0.1;

/// Makes the tick at least that of the counter that the clock is built on, in nanoseconds: a
/// clock that computes its value from a counter changes when the counter does.
pub fn built_on(resolution: &mut Resolution, counter_ns: f64, cost_ns: Option<f64>) {
    let finer = |tick: f64| tick < counter_ns * (1.0 - SAME);
    if resolution.tick_ns.is_some_and(finer) {
        resolution.tick_ns = Some(counter_ns);
        resolution.tick_from = Some(TickFrom::BuiltOn);
        resolution.verdict = limit(resolution.tick_ns, resolution.observed_median_ns, cost_ns);
    }
}

/// Whether the value stays the same for many reads, even if the tick is shorter than a read.
fn renewed(median_ns: Option<f64>, cost_ns: f64) -> bool {
    median_ns.is_some_and(|median| median > RENEWED * cost_ns)
}

/// Returns whether the clock went backwards, and by how much, in nanoseconds.
pub fn backwards(seen: &Seen, ns_per_unit: f64) -> Backwards {
    Backwards {
        tries: seen.tries,
        violations: seen.violations,
        worst_ns: seen.worst as f64 * ns_per_unit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::fake::{Disturbance, Fake, FakeClock};

    /// The resolution of a clock with this tick whose reads cost this much, in nanoseconds.
    fn found(tick_ns: f64, cost_ns: f64) -> Resolution {
        let clock = FakeClock { tick_ns, cost_ns, ..FakeClock::default() };
        let mut host = Fake::new(vec![clock], Disturbance::default(), 1);
        let span = Duration::from_millis(3);
        let mut seen = watch(&mut host, &[0], span, Duration::from_millis(100));
        judge(&mut seen[0], 1.0, Some(1.0), Some(cost_ns))
    }

    #[test]
    fn a_tick_is_found_where_another_thread_runs_every_second_tick() {
        let tick_ns = 4e6;
        let clock = FakeClock { tick_ns, ..FakeClock::default() };
        let shared = Disturbance { turns_ns: tick_ns, ..Disturbance::default() };
        let mut host = Fake::new(vec![clock], shared, 1);
        let patience = Duration::from_millis(400);
        let seen = watch(&mut host, &[0], Duration::from_millis(1), patience);
        assert_eq!(seen[0].tick(), Some(tick_ns));
    }

    #[test]
    fn a_tick_below_the_cost_of_a_read_is_found() {
        for cost in [14.0, 22.3, 171.0, 540.0] {
            for tick in [9.0, 10.0149, 18.5185] {
                let resolution = found(tick, cost);
                let error = resolution.tick_ns.map(|found| (found / tick - 1.0).abs());
                assert!(
                    error.is_some_and(|error| error < 5e-3),
                    "{tick} at {cost}: {resolution:?}"
                );
                assert_eq!(resolution.tick_from, Some(TickFrom::Seen));
            }
        }
        assert_eq!(found(10.0149, 22.3).verdict, Bound::Latency);
        assert_eq!(found(18.5185, 14.0).verdict, Bound::Tick);
    }

    #[test]
    fn without_structure_the_unit_is_not_taken_for_a_tick() {
        for cost in [9.7, 22.3, 171.0, 540.0] {
            let resolution = found(1.0, cost);
            let tick = (resolution.tick_ns, resolution.tick_from);
            assert_eq!(tick, (Some(1.0), Some(TickFrom::Unit)), "{cost}: {resolution:?}");
        }
        // A clock that stands still for many reads shows its tick, whatever its unit.
        let coarse = found(1000.0, 20.0);
        assert_eq!((coarse.tick_ns, coarse.tick_from), (Some(1000.0), Some(TickFrom::Seen)));
    }

    #[test]
    fn a_change_while_another_thread_had_the_cpu_shows_a_tick_only_if_that_was_short() {
        let judged = |away| {
            let mut seen = Seen { tries: 1000, watched_ns: 1e9, away, ..Seen::default() };
            judge(&mut seen, 1.0, Some(4e6), Some(5.0))
        };
        let several = judged(vec![(20_000_000, 18e6), (48_000_000, 47e6)]);
        assert_eq!((several.verdict, several.tick_ns, several.changes), (Bound::NotSeen, None, 2));
        assert!(!several.stood_still() && several.known_step_ns() == Some(4e6), "{several:?}");
        let once = judged(vec![(1_000_000_000, 30e6)]);
        assert_eq!((once.verdict, once.tick_ns), (Bound::Tick, Some(1e9)));
    }

    #[test]
    fn a_clock_is_no_finer_than_the_counter_that_it_is_built_on() {
        let mut resolution = found(1.0, 22.3);
        built_on(&mut resolution, 10.0149, Some(22.3));
        let tick = (resolution.tick_ns, resolution.tick_from, resolution.verdict);
        assert_eq!(tick, (Some(10.0149), Some(TickFrom::BuiltOn), Bound::Latency));
        built_on(&mut resolution, 41.7, Some(22.3));
        assert_eq!((resolution.tick_ns, resolution.verdict), (Some(41.7), Bound::Tick));
        // A clock that is coarser, or equal within its uncertainty, keeps its tick as seen.
        let mut coarse = found(1000.0, 20.0);
        built_on(&mut coarse, 10.0, Some(20.0));
        assert_eq!((coarse.tick_ns, coarse.tick_from), (Some(1000.0), Some(TickFrom::Seen)));
        let mut same = found(10.0149, 22.3);
        built_on(&mut same, 10.1, Some(22.3));
        assert_eq!(same.tick_from, Some(TickFrom::Seen));
    }
}
