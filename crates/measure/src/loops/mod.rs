//! Loops of one clock or one call each: what a million calls cost, what timing adds to a loop, and
//! what goes wrong when time is measured carelessly.
//!
//! `calls`: the mean of a million calls, the mean of ten, and a single call, in three passes, with
//! nothing printed in between.
//!
//! `overhead`: what timing adds to a real loop, the sum of some integers, with and without two
//! reads and a subtraction around it.

pub mod demo;

use crate::engine::children::LONGEST_SPIN;
use crate::engine::rounds::{PROCESSES, START};
use crate::engine::sampling::{part, sample_around};
use crate::engine::schedule::{self, CALLS_MEAN, CALLS_QUIET, Limit};
use crate::engine::{Around, Batches, Mode, Pairs, Values, notes, ticks};
use crate::run::{Conditions, Error, Measurement, Progress, Setting};
use crate::stats::deviation;
use crate::stats::estimate::student_975;
use chronoscope_model::loops::{Calls, Centre, FEWEST, Overhead, Pass};
use chronoscope_model::run::Noise;
use chronoscope_model::spec::Disturbance;
use chronoscope_model::{Note, Report};
use chronoscope_probes::clocks::Entry;
use std::time::Duration;

/// How many calls each of the three means is taken over.
pub const COUNTS: [u64; 3] = [1_000_000, 10, 1];
pub const PASSES: usize = 3;
/// The most calls that warm up the code with which the ruler times.
const WARM: u64 = 10;
/// How often the cost of a call is tried: the first try is often slow.
const LOOKS: usize = 3;
/// The most time of a real-time thread. Its means take a sixth of three quarters of that
/// at most ([`CALLS_MEAN`]): no more than such a thread may spin.
const REAL_TIME: Duration = LONGEST_SPIN.saturating_mul(8);

pub struct CallsRequest {
    pub entry: &'static Entry,
    pub disturbance: Disturbance,
}

impl Measurement for CallsRequest {
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        let conditions = Conditions::new(&self.disturbance, setting)?;
        let mut session = setting.session(&report.environment, &[self.entry])?;
        let longest = setting.left().map(|left| left / (1 + conditions.loads()));
        // A real-time thread may not make a million slow calls without a rest.
        let most = setting.fifo.map(|_| REAL_TIME);
        let longest = longest.into_iter().chain(most).min();
        let mut found = Vec::new();
        setting.budget.into_iter().for_each(|time| (setting.progress)(Progress::Time(time)));
        conditions.each(&mut session, report, |session, load, whole| {
            let progress = |part| (setting.progress)(Progress::Phase("calls", whole(part)));
            let calls = measure_calls(&mut session.machine, 0, longest, progress);
            found.extend(calls.map(|calls| Calls { load, ..calls }));
        })?;
        setting.require_unit(found.first(), self.entry)?;
        report.calls.append(&mut found);
        session.conclude(report, 0.0, Noise::default());
        Ok(())
    }
}

/// Measures one subject by itself, within a time limit if there is one; the large mean is then
/// taken over as many calls as fit. If the user asks to stop, the result has the complete passes.
/// `None` if no pass was complete, or if the clock's unit has no fixed length. `progress` gets the
/// share that is done, 0 to 1.
pub fn measure_calls<H: Batches + Values>(
    host: &mut H,
    subject: usize,
    longest: Option<Duration>,
    mut progress: impl FnMut(f64),
) -> Option<Calls> {
    let spec = host.specs()[subject].clone();
    let ns_per_unit = spec.ns_per_unit(host.hz())?;
    // Any loading that the start of the program caused has ended after the quiet start.
    let quiet = CALLS_QUIET.within(longest);
    // Each of the passes has a large mean by the clock and one by the ruler. A clock for which one
    // would take longer gets fewer calls, and the report gives their number.
    let large = CALLS_MEAN.within(longest.map(|longest| longest - quiet));
    progress(0.0);
    host.sleep(quiet);

    // Nothing is stored between the calls: after a million of them, an array is in no cache, and
    // its first stores would take longer than ten calls.
    let mut look = || {
        let start = host.ticks();
        host.span(subject, 10);
        (host.ticks().wrapping_sub(start) / 11).max(1)
    };
    let each = (0..LOOKS).map(|_| look()).min().unwrap_or(1);
    let affordable = (ticks(host, large) / each).min(host.longest_span());
    let counts = COUNTS.map(|count| count.min(affordable).max(1));

    // The cost of the ruler with nothing between its start and its stop.
    let baseline = spec.baseline;
    let empty = (0..64).map(|_| host.batch(baseline, Mode::Throughput, 0).ticks).min().unwrap_or(0);

    let mut passes = Vec::with_capacity(PASSES);
    'passes: while passes.len() < PASSES {
        progress((1.0 + passes.len() as f64) / (1 + PASSES) as f64);
        let mut by_clock = [0.0; 3];
        let mut by_ruler = [0.0; 3];
        for (at, count) in counts.into_iter().enumerate() {
            if host.interrupted() {
                break 'passes;
            }
            let elapsed = host.span(subject, count) as i64;
            by_clock[at] = elapsed as f64 * ns_per_unit / count as f64;
            // The batch before ended with system calls, after which the code that times is cold.
            host.batch(subject, Mode::Throughput, count.min(WARM));
            let ticks = host.batch(subject, Mode::Throughput, count).ticks;
            by_ruler[at] = ticks.saturating_sub(empty) as f64 / host.hz() * 1e9 / count as f64;
        }
        passes.push(Pass {
            delta1_ns: by_clock[0],
            delta2_ns: by_clock[1],
            delta3_ns: by_clock[2],
            ruler_ns: by_ruler,
        });
    }
    (!passes.is_empty()).then(|| Calls {
        id: spec.row.id.clone(),
        call: Some(spec.row.call.clone()),
        load: None,
        nominal_ns: spec.nominal_ns,
        counts,
        passes,
    })
}

pub struct OverheadRequest {
    pub entry: &'static Entry,
    /// Samples, iterations per sample, integers summed in each iteration.
    pub shape: [u64; 3],
    pub disturbance: Disturbance,
}

impl Measurement for OverheadRequest {
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        let conditions = Conditions::new(&self.disturbance, setting)?;
        let mut session = setting.session(&report.environment, &[self.entry])?;
        let seed = setting.seed;
        let left = setting.left().map(|left| left / (1 + conditions.loads()));
        let longest = left.unwrap_or(schedule::OVERHEAD.time);
        let mut found = Vec::new();
        setting.budget.into_iter().for_each(|time| (setting.progress)(Progress::Time(time)));
        conditions.each(&mut session, report, |session, load, whole| {
            let host = &mut session.machine;
            let made = measure_overhead(host, 0, self.shape, longest, seed, |part| {
                (setting.progress)(Progress::Phase("overhead", whole(part)));
            });
            found.extend(made.map(|made| Overhead { load, ..made }));
        })?;
        report.notes.extend(found.first().and_then(negative));
        report.overhead.append(&mut found);
        session.conclude(report, 0.0, Noise::default());
        Ok(())
    }
}

/// Measures one subject. The samples are divided among several processes, one after the other, each
/// of which has its memory and its copy of the loops at other places (see
/// [`rounds`](crate::engine::rounds)).
///
/// Stops early, with the samples so far, if the time runs out or the user asks for it. `None` if
/// there is not even one.
pub fn measure_overhead<H: Values + Batches>(
    host: &mut H,
    subject: usize,
    [samples, n, m]: [u64; 3],
    longest: Duration,
    seed: u64,
    mut progress: impl FnMut(f64),
) -> Option<Overhead> {
    let limit = Limit::new(host, longest, samples);
    let (baseline, budget) = (host.specs()[subject].baseline, longest);
    let mut job = Around { subject, baseline, samples, n, m, part: 0, budget, seed, copy: 0 };
    let (part, turn) = part(host, &job);
    job.part = part;
    // A process is started only if there is time for an interval from its samples.
    let few = Duration::try_from_secs_f64(FEWEST as f64 * n as f64 * turn / host.hz());
    let each = few.map_or(f64::INFINITY, |few| (START + few).as_secs_f64());
    let worth = (longest.as_secs_f64() / each) as u32;
    let most = u32::try_from(samples / FEWEST).unwrap_or(PROCESSES).min(PROCESSES);
    let processes = if host.has_children() { worth.min(most).max(1) } else { 1 };
    let mut groups: Vec<Pairs> = Vec::new();
    let mut left = samples;
    for process in 0..processes {
        job.samples = left.div_ceil(u64::from(processes - process));
        job.budget = limit.left(host) / (processes - process);
        job.seed = seed.wrapping_add(u64::from(process));
        job.copy = process as usize;
        let done = |part: f64| (f64::from(process) + part) / f64::from(processes);
        let made = match process {
            0 => Some(sample_around(host, &job, |part| progress(done(part)))),
            _ if limit.left(host) < START || host.interrupted() => None,
            _ => host.child_around(&job),
        };
        let Some(made) = made else { break };
        left = left.saturating_sub(made.taken.len() as u64);
        progress(done(1.0));
        groups.push(made);
    }
    let cut_short = groups.first()?.cut_short;
    if groups.len() > 1 {
        groups.retain(|it| it.cut_short.is_none() && it.taken.len() as u64 >= FEWEST);
    }
    let taken = groups.iter().map(|it| it.taken.len() as u64).sum();
    let between = host.between();
    let [base, read] = [job.baseline, subject].map(|it| {
        let row = &host.specs()[it].row;
        let of = |ordered| between.half(&row.id, row.facts, ordered, 0.0);
        of(false).max(of(true))
    });
    let ns = 1e9 / host.hz();
    let added = centre(&groups, |[without, with]| (with - without) * ns);
    let plain = centre(&groups, |[without, _]| without * ns);
    let timed = centre(&groups, |[_, with]| with * ns);
    // What whole runs differ by, in nanoseconds. The sum is a chain of additions, whose cost
    // follows the core's frequency as the reads do: another run may find another one.
    let each = medians(&groups, |[without, _]| without * ns);
    let frequency = between.shares.frequencies * deviation(&each) / plain.median_ns.max(1e-9);
    let runs = [plain.median_ns * base.hypot(frequency), added.median_ns * read.hypot(frequency)];
    (taken > 0).then(|| Overhead {
        id: host.specs()[subject].row.id.clone(),
        call: Some(host.specs()[subject].row.call.clone()),
        load: None,
        samples,
        n,
        m,
        taken,
        processes: Some(groups.len() as u32),
        cut_short,
        baseline: plain.widened(runs[0]),
        timed: timed.widened(runs[0].hypot(runs[1])),
        overhead: added.widened(runs[1]),
    })
}

pub(crate) fn negative(found: &Overhead) -> Option<Note> {
    (found.has_intervals() && found.overhead.high_ns < 0.0).then(|| notes::negative_overhead(found))
}

/// The mean of all samples, and the mean of the processes' medians. Its 95 % interval is Student's,
/// from the spread of these medians, and at least as wide as that of the median of all samples,
/// which is from order statistics: the ranks n/2 ± 0.98 √n, by the normal approximation to the
/// binomial (David & Nagaraja, Order Statistics, 7.1). From one process there is only the latter.
fn centre(groups: &[Pairs], of: impl Fn([f64; 2]) -> f64) -> Centre {
    let all = sorted(groups.iter().flat_map(|it| &it.taken), &of);
    if all.is_empty() {
        return Centre::default();
    }
    let n = all.len() as f64;
    let rank = |r: f64| all[(r.max(0.0) as usize).min(all.len() - 1)];
    let ranks = 0.98 * n.sqrt();
    let ends = [rank((n / 2.0 - ranks).floor()), rank((n / 2.0 + ranks).ceil())];
    let medians = medians(groups, of);
    let k = medians.len() as f64;
    let median_ns = medians.iter().sum::<f64>() / k;
    let half = if k > 1.0 { student_975(k - 1.0) * deviation(&medians) / k.sqrt() } else { 0.0 };
    Centre {
        average_ns: all.iter().sum::<f64>() / n,
        median_ns,
        low_ns: (median_ns - half).min(ends[0]),
        high_ns: (median_ns + half).max(ends[1]),
    }
}

fn sorted<'a>(pairs: impl Iterator<Item = &'a [f64; 2]>, of: impl Fn([f64; 2]) -> f64) -> Vec<f64> {
    crate::sorted(pairs.map(|pair| of(*pair)).filter(|x| x.is_finite()))
}

/// The median of each process.
fn medians(groups: &[Pairs], of: impl Fn([f64; 2]) -> f64) -> Vec<f64> {
    let each = groups.iter().map(|it| sorted(it.taken.iter(), &of));
    each.filter_map(|one| one.get(one.len() / 2).copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::fake::{Disturbance, Fake, FakeClock};

    /// What timing with a clock of this cost adds.
    fn measured(cost_ns: f64, samples: u64, disturbance: Disturbance, seed: u64) -> Overhead {
        let clock = FakeClock { cost_ns, ..FakeClock::default() };
        let mut host = Fake::new(vec![clock], disturbance, seed);
        let longest = Duration::from_secs(9);
        measure_overhead(&mut host, 0, [samples, 99, 999], longest, seed, |_| ()).expect("samples")
    }

    fn found(cost_ns: f64, samples: u64) -> Overhead {
        measured(cost_ns, samples, Disturbance::default(), 1)
    }

    #[test]
    fn a_loop_that_timing_makes_faster_is_explained() {
        let note = negative(&found(-3.0, 50)).expect("a note");
        assert!(note.id == "negative-overhead" && note.text.contains("fake/clock"));
        assert!(note.text.contains("6.0 ns faster"), "{}", note.text);
        assert!(!note.fix.is_empty());
    }

    #[test]
    fn an_overhead_that_may_be_positive_needs_no_explanation() {
        assert!(negative(&found(3.0, 50)).is_none());
        assert!(negative(&found(0.0, 50)).is_none());
        // There is no interval that the median could lie outside of.
        assert!(negative(&found(-3.0, 5)).is_none());
    }

    /// Where a process places its code and memory changes what a read costs there.
    #[test]
    fn the_interval_covers_what_other_runs_with_other_placements_find() {
        let badly = Disturbance { placed_badly: (0.4, 0.1), ..Disturbance::default() };
        for disturbance in [Disturbance { placement: 0.05, ..Disturbance::default() }, badly] {
            let runs: Vec<Overhead> =
                (1..102).map(|seed| measured(20.0, 80, disturbance, seed)).collect();
            assert!(runs.iter().all(|run| run.processes == Some(8)));
            let apart = |pair: &[Overhead]| {
                let [a, b] = [&pair[0].overhead, &pair[1].overhead];
                a.high_ns < b.low_ns || b.high_ns < a.low_ns
            };
            let apart = runs.windows(2).filter(|pair| apart(pair)).count();
            assert!(apart <= 7, "{apart} of 100");
            // Half of the mean's interval is 2.36 / √8 standard deviations of the placements.
            let wide = |run: &Overhead| (run.overhead.high_ns - run.overhead.low_ns) / 2.0;
            let widest = runs.iter().map(wide).fold(0.0, f64::max);
            assert!(widest < 40.0 * 0.1, "{widest}");
        }
    }
}
