//! Rounds: each series contributes one batch to every round, in random order, until all are known
//! precisely enough or the time is over. A slow period then affects all series rather than one. For
//! the same reason no series leaves the rounds before the others: figures that will be compared
//! come from samples taken at the same time. The rounds are divided among several processes
//! ([`sampling`]).
//!
//! The end turns two estimates in ticks of the ruler into a cost in nanoseconds, as a report
//! contains it.

use super::machine::Neighbour;
use super::sampling::{
    self, Pace, pilot_cost, pilot_reads, pilot_ruler, processes_disagree, rounded,
};
use super::schedule::Limit;
use super::{Batches, Job, Mode, Rate, Sampled, Spec, Wanted};
use crate::add_new;
use crate::stats::Summary;
use crate::stats::estimate::{Estimator, MIN_SAMPLES, ModeEstimate};
use chronoscope_model::Estimate;
use chronoscope_model::between::Between;
use chronoscope_model::estimate::{SampledTo, Second};
use chronoscope_model::run::Noise;
use std::time::Duration;

/// An estimate is also precise enough if its interval is narrower than this share of the value.
pub const RELATIVE: f64 = 0.005;

/// The fewest rounds, whatever the budget: a slow or busy machine could otherwise use up the budget
/// before there is any figure. Even if half of them are disturbed, there are enough samples for
/// one.
const LEAST_ROUNDS: u32 = 2 * MIN_SAMPLES as u32;

/// The number of processes among which the rounds are divided. With eight, Student's t is 2.36, and
/// a placement that one process in eight has is likely to be seen.
pub const PROCESSES: u32 = 8;
/// The fewest rounds for which a process is started.
const ROUNDS_WORTH_A_PROCESS: f64 = 15.0;
/// The time allowed for starting a process. If starting takes longer, there are fewer processes.
pub(crate) const START: Duration = Duration::from_millis(8);

/// When to stop, and the length of batches.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub budget: Duration,
    /// Sampling does not stop before this many rounds, in all processes together.
    pub min_rounds: u32,
    /// The limit on rounds in addition to the budget; memory is allocated for this many samples.
    pub max_rounds: u32,
    /// The most processes to divide the rounds among.
    pub processes: u32,
    /// Stop when the 95 % interval is narrower than this share of the estimate …
    pub relative: f64,
    /// … or than this many nanoseconds.
    pub absolute_ns: f64,
    /// The intended length of a batch.
    pub batch_ns: f64,
}

impl Plan {
    /// Returns the stopping rule of METHOD within a budget.
    pub fn within(budget: Duration) -> Self {
        Self {
            budget,
            min_rounds: 200,
            max_rounds: 3000,
            processes: PROCESSES,
            relative: RELATIVE,
            absolute_ns: FINEST_NS,
            batch_ns: sampling::BATCH_NS,
        }
    }
}

struct Series {
    wanted: Wanted,
    /// Its place among the series of each process.
    at: usize,
    estimate: Option<ModeEstimate>,
    /// The estimate from the rounds in which the core was shared.
    shared: Option<ModeEstimate>,
    /// The estimate of each process alone, once all have made their rounds.
    by_process: Vec<Option<ModeEstimate>>,
    /// Whether the estimate comes from shared rounds, because there are not enough others.
    only_shared: bool,
    done: bool,
}

impl Series {
    fn new((at, wanted): (usize, &Wanted)) -> Self {
        Self {
            wanted: *wanted,
            at,
            estimate: None,
            shared: None,
            by_process: Vec::new(),
            only_shared: false,
            done: false,
        }
    }

    /// Estimates the cost from the samples so far. A batch is counted in whole ticks, so the cost
    /// per read has steps of one tick divided by the reads in a batch.
    fn judge(&mut self, core: &Core, rng: &mut fastrand::Rng) {
        let (estimator, series) = (self.estimator(), &*self);
        let mut of = |which: Which| {
            let groups = series.at_usual_frequency(core, which);
            let enough = groups.iter().map(Vec::len).sum::<usize>() >= ENOUGH_ALONE;
            let found = estimator.estimate_groups(&groups, rng)?;
            Some((found, enough))
        };
        let shared = of(Which::Shared).map(|(found, _)| found);
        let alone = of(Which::Alone);
        let only_shared = shared.is_some() && !alone.is_some_and(|(_, enough)| enough);
        let estimate = if only_shared { of(Which::All) } else { alone };
        self.estimate = estimate.map(|(found, _)| found);
        self.shared = shared;
        self.only_shared = only_shared;
    }

    fn estimator(&self) -> Estimator {
        Estimator { quantum: 1.0 / self.wanted.reads as f64, lower: true }
    }

    /// Estimates the cost in each process from its samples alone.
    fn split(&mut self, core: &Core, rng: &mut fastrand::Rng) {
        let (estimator, groups) = (self.estimator(), self.at_usual_frequency(core, self.which()));
        let each = groups.iter().map(|samples| estimator.estimate(samples, rng));
        self.by_process = each.collect();
    }

    /// Returns the samples, by process, as they would have been at the core's usual frequency. The
    /// samples themselves show whether they follow the frequency: if they do, they scatter less
    /// after the correction. Reads that wait for a bus or a device do not follow it.
    fn at_usual_frequency(&self, core: &Core, which: Which) -> Vec<Vec<f64>> {
        let scatter = |groups: &[Vec<f64>]| Summary::of(&groups.concat()).map(|s| s.mad);
        let by = |factor: &dyn Fn(u32) -> f64| {
            let mut groups = vec![Vec::new(); core.sampled.len()];
            for (process, round, cost) in self.counted(core, which) {
                groups[process].push(cost * factor(round));
            }
            groups
        };
        let (scaled, plain) = (by(&|round| core.pace.factor(round)), by(&|_| 1.0));
        if scatter(&scaled) < scatter(&plain) { scaled } else { plain }
    }

    /// The cost per read of every batch that was not itself disturbed, in the rounds that count: in
    /// ticks, with its process and its round.
    fn counted(&self, core: &Core, which: Which) -> impl Iterator<Item = (usize, u32, f64)> {
        let processes = core.starts.iter().zip(&core.sampled).enumerate();
        processes.flat_map(move |(process, (start, sampled))| {
            let ticks = sampled.ticks.get(self.at).into_iter().flatten();
            (*start..).zip(ticks).filter_map(move |(round, ticks)| {
                let net = (*ticks)? as f64 - sampled.ruler_ticks;
                let cost = net / self.wanted.reads as f64;
                core.counts(round, which).then_some((process, round, cost))
            })
        })
    }

    /// The rounds that the estimate is based on.
    fn which(&self) -> Which {
        if self.only_shared { Which::All } else { Which::Alone }
    }

    /// The batches that do not count: those disturbed themselves, and those in a disturbed round.
    fn left_out(&self, core: &Core) -> u64 {
        u64::from(core.rounds) - self.counted(core, Which::All).count() as u64
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    All,
    /// The rounds in which nothing ran on the core's other hardware thread.
    Alone,
    /// The rounds in which something ran on the core's other hardware thread.
    Shared,
}

/// What is known about each round, from the first process to the last.
#[derive(Default)]
struct Core {
    pace: Pace,
    neighbour: Neighbour,
    /// Whether the hypervisor took time from this CPU, and in how many rounds it did.
    stolen: Vec<bool>,
    all_stolen: usize,
    /// The batches of each process, and its first round.
    sampled: Vec<Sampled>,
    starts: Vec<u32>,
    rounds: u32,
}

impl Core {
    fn judge(&mut self) {
        self.pace.judge();
        self.neighbour.judge();
    }

    fn counts(&self, round: u32, which: Which) -> bool {
        let left_out = self.stolen.get(round as usize) == Some(&true) && !self.mostly_stolen();
        !left_out
            && match which {
                Which::All => true,
                Which::Alone => !self.neighbour.shared(round),
                Which::Shared => self.neighbour.shared(round),
            }
    }

    /// Whether the hypervisor took time in most rounds: then that distinguishes nothing, and all
    /// rounds count. The time taken lengthens only a few of their batches, and the estimate does
    /// not follow those.
    fn mostly_stolen(&self) -> bool {
        self.all_stolen * 2 > self.stolen.len()
    }
}

pub struct Outcome {
    series: Vec<Series>,
    /// The cost of the ruler and of calling a batch, in ticks.
    pub ruler_ticks: f64,
    pub batches: u64,
    /// The number of batches that were disturbed and do not count.
    pub disturbed: u64,
    core: Core,
    /// What whole runs differ by.
    between: Between,
    specs: Vec<Spec>,
}

/// The fewest unshared samples that are enough for an estimate of their own.
const ENOUGH_ALONE: usize = 24;

/// Measures every subject of `wanted` in every mode of `modes`, each together with the empty loop
/// of its language.
pub fn run<H: Batches>(
    host: &mut H,
    wanted: &[usize],
    modes: &[Mode],
    plan: Plan,
    seed: u64,
    mut progress: impl FnMut(f64),
) -> Outcome {
    let limit = Limit::new(host, plan.budget, u64::from(plan.max_rounds));
    let mut keys: Vec<(usize, Mode)> = Vec::new();
    for &subject in wanted {
        for &mode in modes {
            add_new(&mut keys, [(host.specs()[subject].baseline, mode), (subject, mode)]);
        }
    }
    let Some(&first) = wanted.first() else {
        return Outcome::new(&[], host);
    };
    let empty = host.specs()[first].baseline;
    let least = pilot_ruler(host, empty).max(1.0);
    let aim = sampling::aim(plan.batch_ns, host.hz(), least);
    let cost = |&(subject, mode): &_| pilot_cost(host, subject, mode, aim, least);
    let costs: Vec<f64> = keys.iter().map(cost).collect();
    let reads = pilot_reads(&costs, aim);
    let round = costs.iter().zip(&reads).map(|(cost, n)| cost * *n as f64 + least);
    let round = Duration::from_secs_f64(round.sum::<f64>() / host.hz());
    let series = keys.into_iter().zip(reads);
    let series = series.map(|((subject, mode), reads)| Wanted { subject, mode, reads }).collect();

    let processes = if host.has_children() {
        let each = START + round.mul_f64(ROUNDS_WORTH_A_PROCESS);
        let worth = plan.budget.as_secs_f64() / each.as_secs_f64().max(1e-9);
        (worth as u32).clamp(1, plan.processes)
    } else {
        1
    };
    let mut job = Job {
        series,
        empty,
        budget: limit.left(host) / processes,
        least: LEAST_ROUNDS,
        most: plan.max_rounds.div_ceil(processes),
        seed,
        copy: 0,
    };
    let mut outcome = Outcome::new(&job.series, host);
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut next_look = plan.min_rounds.div_ceil(processes);
    let here = sampling::sample(host, &job, |host, sampled| {
        let made = sampled.rounds.len() as u32;
        if made.is_multiple_of(16) {
            let left = limit.left(host).as_secs_f64();
            progress(1.0 - left / plan.budget.as_secs_f64().max(1e-9));
        }
        if made < next_look {
            return false;
        }
        next_look = made + made / 2;
        let mut alone = Outcome::new(&job.series, host);
        alone.add(sampled.clone());
        alone.judge(&plan, &mut rng, host.hz())
    });
    job.most = here.rounds.len() as u32;
    outcome.add(here);
    for process in 1..processes {
        // The time is for measuring, and a process is started only if there is some left for it.
        let left = limit.left(host);
        if left < START || host.interrupted() {
            break;
        }
        job.budget = left / (processes - process);
        job.seed = seed.wrapping_add(u64::from(process));
        job.copy = process as usize;
        let Some(sampled) = host.child_rounds(&job) else {
            break;
        };
        outcome.add(sampled);
        progress(f64::from(process + 1) / f64::from(processes));
    }
    outcome.judge(&plan, &mut rng, host.hz());
    for series in &mut outcome.series {
        series.split(&outcome.core, &mut rng);
    }
    let left_out = outcome.series.iter().map(|s| s.left_out(&outcome.core));
    outcome.disturbed = left_out.sum();
    outcome
}

/// A factor for what the interval of one series cannot show: a batch finds caches and predictors in
/// a state that depends on the batches before it, and hundreds of rounds do not average that out.
/// Determined by comparing identical clocks under two names on real machines.
const ORDER: f64 = 1.2;

impl Outcome {
    /// Starts these series without samples.
    fn new(series: &[Wanted], host: &impl Batches) -> Self {
        Self {
            series: series.iter().enumerate().map(Series::new).collect(),
            ruler_ticks: 0.0,
            batches: 0,
            disturbed: 0,
            core: Core { neighbour: Neighbour::new(host.least_width()), ..Core::default() },
            between: host.between(),
            specs: host.specs().to_vec(),
        }
    }

    /// Adds the batches of a process.
    fn add(&mut self, sampled: Sampled) {
        if sampled.rounds.is_empty() {
            return;
        }
        let core = &mut self.core;
        if core.sampled.is_empty() {
            self.ruler_ticks = sampled.ruler_ticks;
        }
        core.starts.push(core.rounds);
        core.rounds += sampled.rounds.len() as u32;
        for round in &sampled.rounds {
            core.pace.push(round.pace);
            core.neighbour.push(round.width);
            core.stolen.push(round.stolen);
            core.all_stolen += usize::from(round.stolen);
        }
        self.batches += (sampled.rounds.len() * self.series.len()) as u64;
        core.sampled.push(sampled);
    }

    /// Estimates every series, marks those that are known precisely enough, and returns whether all
    /// of them are.
    fn judge(&mut self, plan: &Plan, rng: &mut fastrand::Rng, hz: f64) -> bool {
        self.core.judge();
        for series in &mut self.series {
            series.judge(&self.core, rng);
        }
        for index in 0..self.series.len() {
            let Series { wanted: Wanted { subject, mode, .. }, estimate: own, .. } =
                self.series[index];
            let empty = self.series(self.specs[subject].baseline, mode);
            let both = own.zip(empty.and_then(|series| series.estimate));
            self.series[index].done = both.is_some_and(|(own, empty)| {
                let cost = difference(&own, &empty, ORDER);
                let narrow = (cost.value.abs() * plan.relative).max(plan.absolute_ns * hz / 1e9);
                cost.high - cost.low <= narrow
            });
        }
        self.series.iter().all(|series| series.done)
    }

    fn series(&self, subject: usize, mode: Mode) -> Option<&Series> {
        self.series.iter().find(|one| one.wanted.subject == subject && one.wanted.mode == mode)
    }

    pub fn rounds(&self) -> u32 {
        self.core.rounds
    }

    /// The share of rounds in which something else ran on the core, if some figures include such
    /// rounds because there were too few others.
    pub fn shared_but_counted(&self) -> Option<f64> {
        let counted = self.series.iter().any(|series| series.only_shared);
        self.core.neighbour.share().filter(|_| counted)
    }

    /// The number of processes that made the rounds.
    pub fn processes(&self) -> usize {
        self.core.starts.len()
    }

    pub fn knows_pace(&self) -> bool {
        self.core.pace.usual.is_some()
    }

    pub fn noise(&self, rate: Rate) -> Noise {
        Noise {
            batches: self.batches,
            disturbed: self.disturbed,
            core: self.core.pace.core(rate.hz),
            shared: self.core.neighbour.share(),
            crowded: self.core.neighbour.crowded(),
            ..Noise::default()
        }
    }

    /// The number of rounds in which the hypervisor took time, if they were so many that all rounds
    /// count.
    pub fn stolen_but_counted(&self) -> Option<usize> {
        self.core.mostly_stolen().then_some(self.core.all_stolen)
    }

    /// Returns the cost per read of each batch that the estimate is based on, less the estimate of
    /// the empty loop, in nanoseconds by a calibrated rate.
    pub fn batches_ns(&self, subject: usize, mode: Mode, ruler: Rate) -> Option<Vec<f64>> {
        let series = self.series(subject, mode)?;
        let empty = self.series(self.specs[subject].baseline, mode)?.estimate?;
        let counted = series.counted(&self.core, series.which());
        Some(counted.map(|(.., cost)| (cost - empty.value) * 1e9 / ruler.hz).collect())
    }

    /// The standard deviation of the processes' frequencies, as a share, unless it does not count.
    fn drift(&self) -> f64 {
        let counts = self.between.shares.frequencies > 0.0;
        if counts { self.core.pace.drift(&self.core.starts) } else { 0.0 }
    }

    /// Half the 95 % interval of the frequency that another run may find, as a share of this one's.
    /// Estimates leave it out from now on: for ratios of costs of one run, or if something else
    /// covers it.
    pub fn take_drift(&mut self) -> f64 {
        let drift = self.between.shares.frequencies * self.drift();
        self.between.shares.frequencies = 0.0;
        drift
    }

    /// Returns the estimate for one subject and mode, in nanoseconds by a calibrated rate. `None`
    /// if every batch was disturbed or none was made.
    pub fn estimate(&self, subject: usize, mode: Mode, ruler: Rate) -> Option<Estimate> {
        let series = self.series(subject, mode)?;
        let empty = self.series(self.specs[subject].baseline, mode)?;
        let which = series.which();
        let plain: Vec<f64> = series.counted(&self.core, which).map(|(.., cost)| cost).collect();
        let summary = Summary::of(&plain)?;
        let (own, nothing) = (series.estimate?, empty.estimate?);
        let mut cost = difference(&own, &nothing, ORDER);
        let row = &self.specs[subject].row;
        let between = self.between.half(&row.id, row.facts, mode == Mode::Latency, self.drift());
        let runs = cost.value.abs() * between;
        // The ruler's own error scales the whole cost, so it widens the interval.
        let stretch = cost.value.abs() * ruler.error_ppm * 1e-6;
        cost.low = cost.value - runs.hypot(cost.value - cost.low) - stretch;
        cost.high = cost.value + runs.hypot(cost.high - cost.value) + stretch;
        let tick_ns = 1e9 / ruler.hz;
        let ns = |ticks: f64| ticks * tick_ns;
        let shared = series.shared.zip(empty.shared.or(empty.estimate));
        let pairs = series.by_process.iter().zip(&empty.by_process);
        let each = pairs.filter_map(|(own, empty)| Some(difference(&(*own)?, &(*empty)?, ORDER)));
        let each: Vec<ModeEstimate> = each.collect();
        Some(Estimate {
            by_process: rounded(&each, &cost, tick_ns),
            processes_disagree: processes_disagree(&each),
            reads_per_batch: series.wanted.reads,
            disturbed: series.left_out(&self.core),
            stopped_by: if series.done { SampledTo::Precision } else { SampledTo::Budget },
            core_cycles: self.core.pace.usual.map(|cycles| cost.value * cycles),
            processes: u32::try_from(self.processes()).ok(),
            shared_ns: shared.map(|(own, empty)| ns(own.value - empty.value)),
            only_shared: series.only_shared,
            second: own.second.map(|place| Second {
                value_ns: ns(place.value - nothing.value),
                share: place.share,
            }),
            ..in_ns(&cost, [&own, &nothing], &summary, ruler)
        })
    }
}

/// The finest difference that is claimed, in nanoseconds. An estimate is precise enough if its
/// interval is as narrow as this, and a read that is cheaper than this is indistinguishable from no
/// read.
pub const FINEST_NS: f64 = 0.02;

/// Subtracts one estimate from another, with the interval of the difference. The distances of the
/// ends add in quadrature, because the two estimates are independent; `wider` is a factor for both
/// distances.
pub fn difference(own: &ModeEstimate, empty: &ModeEstimate, wider: f64) -> ModeEstimate {
    let value = own.value - empty.value;
    let below = wider * (own.value - own.low).hypot(empty.high - empty.value);
    let above = wider * (own.high - own.value).hypot(empty.value - empty.low);
    ModeEstimate { value, low: value - below, high: value + above, second: None }
}

/// An estimate in nanoseconds by a calibrated rate, from those in ticks: of a cost, of what was
/// measured, and of what was subtracted from that. The caller sets the rest.
pub fn in_ns(
    cost: &ModeEstimate,
    [own, nothing]: [&ModeEstimate; 2],
    samples: &Summary,
    ruler: Rate,
) -> Estimate {
    let tick_ns = 1e9 / ruler.hz;
    let ns = |ticks: f64| ticks * tick_ns;
    Estimate {
        value_ns: ns(cost.value),
        low_ns: ns(cost.low),
        high_ns: ns(cost.high),
        raw_ns: ns(own.value),
        empty_ns: ns(nothing.value),
        cycles: ruler.is_tsc.then_some(cost.value),
        below_resolution: cost.low <= 0.0 || ns(cost.value) < FINEST_NS,
        batches: samples.n as u64,
        min_ns: ns(samples.min),
        median_ns: ns(samples.median),
        mad_ns: ns(samples.mad),
        sd_ns: Some(ns(samples.sd)),
        p99_ns: ns(samples.p99),
        max_ns: ns(samples.max),
        ..Estimate::default()
    }
}
