//! The resolution of a clock: its tick, and the differences it shows. The same reads show whether
//! it went backwards.

use crate::engine::host::Values;
use crate::engine::time::Limit;
use crate::stats::tick::tick;
use chronoscope_model::clock::{Backwards, Limit as Bound, RENEWED, Resolution};
use std::time::Duration;

/// Reads in one chunk.
const CHUNK: usize = 4096;
/// A clock that changed this often needs no further reads.
const ENOUGH: usize = 20_000;
/// A clock that changed less often than this in the quick look is watched for longer.
const FEW: usize = 24;
/// How often a clock must change while it is watched for longer.
const PATIENT_CHANGES: usize = 12;

/// What was seen of one clock, in its raw units.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Non-zero differences between successive values.
    deltas: Vec<u64>,
    tries: u64,
    violations: u64,
    worst: u64,
    watched_ns: f64,
}

impl Seen {
    fn add(&mut self, values: &[u64]) {
        for pair in values.windows(2) {
            self.tries += 1;
            // Wrapping, so that a counter that wraps around is not a violation.
            let delta = pair[1].wrapping_sub(pair[0]) as i64;
            if delta < 0 {
                self.violations += 1;
                self.worst = self.worst.max(delta.unsigned_abs());
            } else if delta > 0 {
                self.deltas.push(delta as u64);
            }
        }
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
        let each = (host.elapsed() - start).as_nanos() / 16;
        seen.add(few);
        let affordable = quick.as_nanos().checked_div(each).unwrap_or(u128::MAX);
        let chunk = affordable.clamp(2, CHUNK as u128) as usize;
        let mut limit = Limit::new(host, quick, 1000);
        while seen.deltas.len() < ENOUGH && !limit.reached(host) {
            host.fill(*subject, &mut buffer[..chunk]);
            seen.add(&buffer[..chunk]);
        }
        seen.watched_ns = (host.elapsed() - start).as_nanos() as f64;
    }
    be_patient(host, subjects, &mut seen, patience);
    seen
}

/// Reads the slow clocks in turn and records each change of value.
fn be_patient<H: Values>(host: &mut H, subjects: &[usize], seen: &mut [Seen], patience: Duration) {
    struct Slow {
        index: usize,
        value: u64,
        changes: Option<Vec<u64>>,
    }
    let mut slow: Vec<Slow> = Vec::new();
    for (index, seen) in seen.iter().enumerate() {
        if seen.deltas.len() < FEW {
            slow.push(Slow {
                index,
                value: read(host, subjects[index]),
                changes: None,
            });
        }
    }
    // No read takes less than a few nanoseconds, so this ends even if the ruler stands still.
    let turns = patience.as_nanos() as u64 / 10;
    let mut limit = Limit::new(host, patience, turns);
    let start = host.elapsed();
    while !slow.is_empty() && !limit.reached(host) {
        for clock in &mut slow {
            let value = read(host, subjects[clock.index]);
            if value == clock.value {
                continue;
            }
            // The start of the interval before the first change was not seen. The value before it
            // was a whole one too, so its difference counts all the same.
            clock
                .changes
                .get_or_insert_default()
                .push(value.wrapping_sub(clock.value));
            clock.value = value;
        }
        slow.retain_mut(|clock| {
            let enough = clock
                .changes
                .as_ref()
                .is_some_and(|c| c.len() >= PATIENT_CHANGES);
            if enough {
                take(&mut seen[clock.index], clock.changes.take());
            }
            !enough
        });
    }
    // Without the quick look before it, which was shared with the other clocks.
    let watched_ns = (host.elapsed() - start).as_nanos() as f64;
    for clock in slow {
        seen[clock.index].watched_ns = watched_ns;
        take(&mut seen[clock.index], clock.changes);
    }
}

fn take(seen: &mut Seen, changes: Option<Vec<u64>>) {
    seen.deltas.extend(
        changes
            .into_iter()
            .flatten()
            .filter(|delta| (*delta as i64) > 0),
    );
}

fn read<H: Values>(host: &mut H, subject: usize) -> u64 {
    let mut one = [0];
    host.fill(subject, &mut one);
    one[0]
}

/// Converts what was seen to nanoseconds, with the verdict. A tick longer than a read is the
/// resolution; a shorter one is hidden behind the read, and no figure is made up for it.
pub fn judge(
    seen: &mut Seen,
    ns_per_unit: f64,
    nominal_ns: Option<f64>,
    cost_ns: Option<f64>,
) -> Resolution {
    seen.deltas.sort_unstable();
    let found = tick(&seen.deltas);
    let at = |index: usize| {
        seen.deltas
            .get(index)
            .map(|delta| *delta as f64 * ns_per_unit)
    };
    let median = at(seen.deltas.len() / 2);
    // If most pairs of reads show no change, the value stands still between steps. The smallest
    // step is then the tick, even if steps differ slightly and so have no common divisor but 1: the
    // kernel slews its coarse clocks within each of their steps.
    let stands_still = (seen.deltas.len() as u64) * 2 < seen.tries;
    let tick_ns = found.map(|tick| {
        let divisor = tick.fractional.unwrap_or(tick.ticks as f64) * ns_per_unit;
        match (at(0), cost_ns) {
            (Some(least), Some(cost))
                if stands_still && divisor < cost && renewed(Some(least), cost) =>
            {
                least
            }
            _ => divisor,
        }
    });
    Resolution {
        nominal_ns,
        tick_ns,
        observed_min_ns: at(0),
        observed_median_ns: median,
        changes: seen.deltas.len() as u64,
        watched_ns: Some(seen.watched_ns),
        verdict: match (tick_ns, cost_ns.or(median)) {
            (None, _) => Bound::NotSeen,
            (Some(tick), Some(cost)) if tick < cost && !renewed(median, cost) => Bound::Latency,
            _ => Bound::Tick,
        },
    }
}

/// Whether the value stays the same for many reads, even if the tick is shorter than a read.
fn renewed(median_ns: Option<f64>, cost_ns: f64) -> bool {
    median_ns.is_some_and(|median| median > RENEWED * cost_ns)
}

/// Whether the clock went backwards, in nanoseconds.
pub fn backwards(seen: &Seen, ns_per_unit: f64) -> Backwards {
    Backwards {
        tries: seen.tries,
        violations: seen.violations,
        worst_ns: seen.worst as f64 * ns_per_unit,
    }
}
