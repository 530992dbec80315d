//! The rounds of one process. A run divides its rounds among several processes, because each one
//! places its code, stack and heap elsewhere in memory, and that alone can move a cheap read by
//! several percent (Mytkowicz et al. 2009, *Producing Wrong Data Without Doing Anything Obviously
//! Wrong!*, ASPLOS XIV).
//!
//! A pilot finds the number of reads in a batch.
//!
//! [`Pace`] is how fast the core ran in each round. A core that changes its frequency changes
//! nearly every cost by the same factor, which no batch can detect. So the frequency is gauged in
//! each round, reported, and taken out of the scatter of all costs that follow it.
//!
//! [`sample_around`] takes those of `overhead`: the loop around some work, without timing and with
//! it, one after the other in random order, so that a slow period affects both.
//!
//! At last the processes of a run are compared: what each shows of one cost on its own.

use super::machine::Look;
use super::schedule::Limit;
use super::{Around, Batches, Job, Mode, Pairs, Round, Sampled, Values};
use crate::sorted;
use crate::stats::estimate::ModeEstimate;
use crate::stats::{Summary, deviation, quantile};
use chronoscope_model::run::Core;

/// The number of batches between two looks at the core, so that a neighbour that comes and goes
/// within a round is noticed.
const LOOK_EVERY: usize = 64;
/// Makes the rounds of a job. `enough` is called now and then to ask whether the samples suffice.
pub fn sample<H: Batches>(
    host: &mut H,
    job: &Job,
    mut enough: impl FnMut(&mut H, &Sampled) -> bool,
) -> Sampled {
    let mut rng = fastrand::Rng::with_seed(job.seed);
    let mut limit = Limit::new(host, job.budget, u64::from(job.most));
    let mut sampled = Sampled {
        ruler_ticks: ruler_cost(host, job.empty),
        rounds: Vec::with_capacity(job.most as usize),
        ticks: vec![Vec::with_capacity(job.most as usize); job.series.len()],
    };
    let mut order: Vec<usize> = (0..job.series.len()).collect();
    // Nothing in this process is warm yet.
    for wanted in &job.series {
        host.batch(wanted.subject, wanted.mode, wanted.reads);
    }
    let ruler_ticks = sampled.ruler_ticks;
    let look = |host: &mut H| Look::now(|what| host.gauge(what), ruler_ticks);
    let mut before = look(host);
    loop {
        let made = sampled.rounds.len();
        let few = made < job.least as usize && !host.interrupted();
        if limit.reached(host) && !few {
            break;
        }
        rng.shuffle(&mut order);
        let mut seen = before;
        for (at, &index) in order.iter().enumerate() {
            if at > 0 && at.is_multiple_of(LOOK_EVERY) {
                seen = seen.and(look(host));
            }
            let wanted = &job.series[index];
            let batch = host.batch(wanted.subject, wanted.mode, wanted.reads);
            sampled.ticks[index].push((!batch.disturbed).then_some(batch.ticks));
        }
        before = look(host);
        seen = seen.and(before);
        let stolen = host.end_round();
        sampled.rounds.push(Round { stolen, pace: seen.pace(), width: seen.width });
        if enough(host, &sampled) {
            break;
        }
    }
    sampled
}

/// The cost of an empty batch: the ruler's start and stop and one call. It is the mean of the
/// batches that nothing interrupted, because a ruler may count in steps that are as long as its own
/// cost, and a mode would be one of them.
fn ruler_cost<H: Batches>(host: &mut H, empty: usize) -> f64 {
    let batches = (0..400).map(|_| host.batch(empty, Mode::Throughput, 0));
    let ticks: Vec<f64> = batches.filter(|b| !b.disturbed).map(|b| b.ticks as f64).collect();
    let Some(Summary { median, .. }) = Summary::of(&ticks) else { return 0.0 };
    let quiet: Vec<f64> = ticks.into_iter().filter(|ticks| *ticks <= 2.0 * median).collect();
    Summary::of(&quiet).map_or(0.0, |quiet| quiet.mean)
}

/// The intended length of a batch, in nanoseconds: short compared with the time between interrupts.
/// On a machine whose kernel ticks at 250 Hz, a tick hits one batch in 300.
pub const BATCH_NS: f64 = 12_000.0;
/// The least length, as a multiple of the ruler's own cost and tick.
const RULERS: f64 = 100.0;

/// The intended length in ticks, if it is this one in nanoseconds.
pub fn aim(batch_ns: f64, hz: f64, ruler_ticks: f64) -> f64 {
    (batch_ns * hz / 1e9).max(ruler_ticks * RULERS)
}

/// The cost of the ruler, in ticks: the cheapest of some empty batches.
pub fn pilot_ruler<H: Batches>(host: &mut H, empty: usize) -> f64 {
    let ticks = (0..100).map(|_| host.batch(empty, Mode::Throughput, 0).ticks);
    ticks.min().unwrap_or(0) as f64
}

/// The most reads in a batch; a clock so cheap that this limits it costs nothing.
const MOST_READS: u64 = 1 << 20;

/// Determines the cost of one read, in ticks: doubles the batch until it is long enough to time.
/// `ruler_ticks` is the cost of the ruler or its tick, whichever is longer.
///
/// Each length is tried three times and the cheapest try counts, so that a single interruption
/// does not make the batches of the whole run too short.
pub fn pilot_cost<H: Batches>(
    host: &mut H,
    subject: usize,
    mode: Mode,
    aim: f64,
    ruler_ticks: f64,
) -> f64 {
    let mut reads = 1u64;
    loop {
        let cost = (0..3).map(|_| host.batch(subject, mode, reads).ticks).min().unwrap_or(0) as f64;
        let net = (cost - ruler_ticks).max(0.0);
        // An eighth of the intended length is enough to divide by.
        if net >= aim / 8.0 || reads >= MOST_READS {
            return (net / reads as f64).max(1e-3);
        }
        reads *= 2;
    }
}

/// Costs that differ by a smaller factor count as about the same.
const ALIKE: f64 = 1.1;
/// The factor by which a batch may exceed the intended length to match the others.
const STRETCH: f64 = 1.5;

/// Returns how many reads make up a batch for each cost: a power of two, and the same number for
/// costs that are about the same, so that the overhead of a batch has the same weight for clocks
/// that will be compared.
pub fn pilot_reads(costs: &[f64], aim: f64) -> Vec<u64> {
    let mut order: Vec<usize> = (0..costs.len()).collect();
    order.sort_by(|a, b| costs[*a].total_cmp(&costs[*b]));
    let mut reads = vec![1; costs.len()];
    let mut before: Option<(f64, u64)> = None;
    for at in order {
        let cost = costs[at];
        reads[at] = match before {
            Some((last, same)) if cost <= last * ALIKE && cost * same as f64 <= aim * STRETCH => {
                same
            }
            _ => 1 << ((aim / cost) as u64).clamp(1, MOST_READS).ilog2(),
        };
        before = Some((cost, reads[at]));
    }
    reads
}

/// A frequency further than this from the usual one counts as a different one: multipliers change
/// in steps of 25 to 100 MHz, and the gauge itself scatters by one or two in a thousand.
const SAME: f64 = 0.01;

#[derive(Clone, Debug, Default)]
pub struct Pace {
    /// Cycles per tick of the ruler in each round; absent if unknown.
    rounds: Vec<Option<f64>>,
    /// Cycles per tick of the ruler at the usual frequency.
    pub usual: Option<f64>,
}

impl Pace {
    pub fn push(&mut self, pace: Option<f64>) {
        self.rounds.push(pace);
    }

    /// Determines the usual frequency of the rounds so far.
    pub fn judge(&mut self) {
        self.usual = usual(&sorted(self.rounds.iter().copied().flatten()));
    }

    /// The factor that turns a cost in that round into the cost at the usual frequency, if the cost
    /// follows the frequency. 1 if unknown.
    pub fn factor(&self, round: u32) -> f64 {
        match (self.rounds.get(round as usize), self.usual) {
            (Some(Some(pace)), Some(usual)) => pace / usual,
            _ => 1.0,
        }
    }

    /// The standard deviation of the usual frequencies of processes, which begin with these rounds,
    /// as a share of the usual frequency: how far the usual frequency of another run may be from
    /// this one's. 0 with fewer than two processes, or if unknown.
    pub fn drift(&self, starts: &[u32]) -> f64 {
        let ends = starts.iter().skip(1).copied().chain([self.rounds.len() as u32]);
        let known = |(from, to)| {
            let rounds = self.rounds.get(from as usize..to as usize)?;
            usual(&sorted(rounds.iter().copied().flatten()))
        };
        let each: Vec<f64> = starts.iter().copied().zip(ends).filter_map(known).collect();
        self.usual.map_or(0.0, |usual| deviation(&each) / usual)
    }

    /// The frequencies as the report contains them, by the ruler's rate. `None` if no round
    /// determined a frequency.
    pub fn core(&self, ruler_hz: f64) -> Option<Core> {
        let sorted = sorted(self.rounds.iter().copied().flatten());
        let usual = self.usual?;
        let others = sorted.iter().filter(|p| (**p / usual - 1.0).abs() > SAME);
        Some(Core {
            hz: usual * ruler_hz,
            low_hz: quantile(&sorted, 0.01)? * ruler_hz,
            high_hz: quantile(&sorted, 0.99)? * ruler_hz,
            elsewhere: others.count() as f64 / sorted.len() as f64,
        })
    }
}

/// The mean of the frequencies that count as the median one. A median alone would be one of the few
/// values that a coarse ruler can show. It stands alone between two that are far apart.
fn usual(sorted: &[f64]) -> Option<f64> {
    let median = quantile(sorted, 0.5)?;
    let same = sorted.iter().filter(|pace| (**pace / median - 1.0).abs() <= SAME);
    let (count, sum) = same.fold((0.0, 0.0), |(count, sum), pace| (count + 1.0, sum + pace));
    Some(if count > 0.0 { sum / count } else { median })
}

/// The work between two checks of the time and of the user's request to stop: some milliseconds,
/// against which the ruler's own two reads are negligible.
const PART_S: f64 = 0.02;
/// The most iterations of a part, and the most additions in it, however short the ruler makes them
/// seem: a ruler that stands still must not hang the tool.
const PART_TURNS: u64 = 1_000_000;
const PART_SUMS: u64 = 100_000_000;

/// Makes the samples. Long ones are made in parts that alternate between the two loops, so that
/// neither a limit nor the user has to wait for the end of a sample. `progress` is called with the
/// share that is done.
///
/// Stops early, with the samples so far, if the time runs out or the user asks for it. A sample
/// that was cut short counts only if it is the only one.
pub fn sample_around<H: Values>(
    host: &mut H,
    job: &Around,
    mut progress: impl FnMut(f64),
) -> Pairs {
    let values: Vec<u64> = (0..job.m).collect();
    let mut rng = fastrand::Rng::with_seed(job.seed);
    // Nothing in this process is warm yet.
    time(host, job, 1, &values, &mut rng);
    let mut pairs = Pairs::default();
    pairs.taken.reserve(job.samples.min(1 << 20) as usize);
    let mut limit = Limit::new(host, job.budget, job.samples);
    while !limit.reached(host) {
        let mut ticks = [0u64; 2];
        let mut done = 0;
        while done < job.n && (done == 0 || !limit.spent(host)) {
            let turns = job.part.min(job.n - done);
            let [without, with] = time(host, job, turns, &values, &mut rng);
            ticks = [ticks[0] + without, ticks[1] + with];
            done += turns;
            if job.part < job.n {
                let whole = pairs.taken.len() as f64 + done as f64 / job.n as f64;
                progress(whole / job.samples as f64);
            }
        }
        let sample = ticks.map(|ticks| ticks as f64 / done as f64);
        if done == job.n {
            pairs.taken.push(sample);
        } else if pairs.taken.is_empty() {
            pairs.taken.push(sample);
            pairs.cut_short = Some(done);
        }
        if pairs.taken.len().is_multiple_of(64) {
            progress(pairs.taken.len() as f64 / job.samples as f64);
        }
    }
    pairs
}

/// Times both loops for this many iterations, in random order. Returns the ticks without and with
/// timing.
fn time<H: Values>(
    host: &mut H,
    job: &Around,
    turns: u64,
    values: &[u64],
    rng: &mut fastrand::Rng,
) -> [u64; 2] {
    let mut ticks = [0; 2];
    let timed_first = rng.bool();
    for timed in [timed_first, !timed_first] {
        let which = if timed { job.subject } else { job.baseline };
        ticks[usize::from(timed)] = host.around(which, turns, values);
    }
    ticks
}

/// Determines the iterations of one part by trying, and the ticks of an iteration without and with
/// timing; the tries also warm up the loops.
pub fn part<H: Values>(host: &mut H, job: &Around) -> (u64, f64) {
    let values: Vec<u64> = (0..job.m).collect();
    let sums = PART_SUMS / job.m.max(1);
    let most = job.n.min(PART_TURNS).min(sums.max(1));
    let enough = (PART_S * host.hz()) as u64;
    let mut part = most.min(64);
    loop {
        let without = host.around(job.baseline, part, &values);
        let with = host.around(job.subject, part, &values);
        if with >= enough || part == most {
            return (part, (without + with) as f64 / part.max(1) as f64);
        }
        part = (part * 2).min(most);
    }
}

/// Processes that do not differ are said to disagree with a probability of 0.1 %: the point of the
/// normal distribution beyond which that much of it lies.
const ALPHA_Z: f64 = 3.09;

/// Processes that differ by less do not disagree, whatever their samples say: the standard
/// deviation of their estimates, as a share of the cost.
const LEAST: f64 = 0.01;

/// Returns the estimates of the processes in nanoseconds, rounded to a hundredth to a tenth of
/// half the interval of them all: no digit is kept that means nothing. Empty if there are fewer
/// than two.
pub fn rounded(each: &[ModeEstimate], all: &ModeEstimate, ns: f64) -> Vec<f64> {
    if each.len() < 2 {
        return Vec::new();
    }
    let half = all.half_width() * ns;
    let places = if half > 0.0 { (1.0 - half.log10().floor()).clamp(0.0, 4.0) } else { 4.0 };
    let unit = 10f64.powi(places as i32);
    each.iter().map(|one| (one.value * ns * unit).round() / unit).collect()
}

/// Returns whether the processes differ by more than their samples explain: Cochran's Q of their
/// estimates, each with the standard error of its own samples, against chi-square (by Wilson and
/// Hilferty 1931), and by at least `LEAST`.
pub fn processes_disagree(each: &[ModeEstimate]) -> bool {
    let freedom = each.len() as f64 - 1.0;
    if freedom < 1.0 {
        return false;
    }
    let values: Vec<f64> = each.iter().map(|one| one.value).collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    if deviation(&values) < LEAST * mean.abs() {
        return false;
    }
    // Samples that are all equal have an interval without width.
    let weight = |one: &ModeEstimate| (1.96 / one.half_width().max(1e-6 * mean.abs())).powi(2);
    let weights: f64 = each.iter().map(weight).sum();
    let center = each.iter().map(|one| weight(one) * one.value).sum::<f64>() / weights;
    let q: f64 = each.iter().map(|one| weight(one) * (one.value - center).powi(2)).sum();
    let spread = 2.0 / (9.0 * freedom);
    q > freedom * (1.0 - spread + ALPHA_Z * spread.sqrt()).powi(3)
}

#[cfg(test)]
mod pilot_tests {
    use super::*;

    #[test]
    fn similar_costs_get_batches_of_the_same_size() {
        // These costs are on either side of the limit between 32 and 64 reads.
        assert_eq!(pilot_reads(&[190.0, 185.0, 8.0], 12_000.0), [64, 64, 1024]);
        // A long chain of slowly growing costs must not lead to ever longer batches.
        let row: Vec<f64> = (0..60).map(|at| 10.0 * 1.09f64.powi(at)).collect();
        for (cost, reads) in row.iter().zip(pilot_reads(&row, 12_000.0)) {
            let length = cost * reads as f64;
            assert!(length <= 18_000.0 && (length >= 5_999.0 || reads == 1), "{cost} x {reads}");
        }
        assert_eq!(pilot_reads(&[1e9, 1e-3], 12_000.0), [1, MOST_READS]);
    }
}

#[cfg(test)]
mod pace_tests {
    use super::*;

    fn pace(ghz: impl IntoIterator<Item = Option<f64>>) -> Pace {
        let mut pace = Pace::default();
        for ghz in ghz {
            pace.push(ghz.map(|ghz| ghz / 2.6));
        }
        pace.judge();
        pace
    }

    #[test]
    fn a_steady_core_changes_nothing_and_its_frequency_is_reported() {
        let pace = pace((0..200).map(|_| Some(3.5)));
        assert!((0..200).all(|round| (pace.factor(round) - 1.0).abs() < 1e-12));
        let core = pace.core(2.6e9).expect("gauged");
        assert!((core.hz / 3.5e9 - 1.0).abs() < 1e-3, "{}", core.hz);
        assert_eq!(core.elsewhere, 0.0);
    }

    #[test]
    fn a_cost_that_follows_the_frequency_is_scaled_to_the_usual_one() {
        let ghz = |i: u32| if i.is_multiple_of(4) { 3.3 } else { 3.5 };
        let pace = pace((0..200).map(|i| Some(ghz(i))));
        for round in 0..200 {
            let cost = 70.0 / ghz(round);
            assert!((cost * pace.factor(round) - 20.0).abs() < 0.02);
        }
        let core = pace.core(2.6e9).expect("gauged");
        assert!((core.elsewhere - 0.25).abs() < 1e-9);
        assert!(core.low_hz < 3.31e9 && core.high_hz > 3.49e9);
    }

    #[test]
    fn the_usual_frequency_lies_between_the_values_that_a_coarse_ruler_can_show() {
        let pace = pace((0..200).map(|i| Some(if i % 10 < 7 { 3.5 } else { 3.51 })));
        assert!((pace.usual.expect("gauged") * 2.6 - 3.503).abs() < 1e-9);
        assert!(
            (self::pace([Some(3.0), Some(3.5)]).usual.expect("gauged") * 2.6 - 3.25).abs() < 1e-9
        );
    }

    #[test]
    fn the_drift_is_that_between_processes_and_not_between_rounds() {
        let starts: Vec<u32> = (0..8).map(|process| process * 100).collect();
        let steady = pace((0..800).map(|i| Some(if i % 2 == 0 { 3.5 } else { 3.51 })));
        assert!(steady.drift(&starts) < 1e-9, "{}", steady.drift(&starts));
        let moving = pace((0..800).map(|i| Some(if i / 100 % 2 == 0 { 3.5 } else { 3.57 })));
        assert!((moving.drift(&starts) - 0.0107).abs() < 1e-3, "{}", moving.drift(&starts));
        assert_eq!((moving.drift(&starts[..1]), moving.drift(&[])), (0.0, 0.0));
        assert_eq!(pace([None, None]).drift(&[0, 1]), 0.0);
    }

    #[test]
    fn rounds_without_a_frequency_change_nothing() {
        let pace = pace([None, None, None]);
        assert!((0..5).all(|round| pace.factor(round) == 1.0));
        assert_eq!(pace.core(2.6e9), None);
    }
}

#[cfg(test)]
mod processes_tests {
    use super::*;

    fn each(values: &[f64], half: f64) -> Vec<ModeEstimate> {
        let of = |value: &f64| ModeEstimate {
            value: *value,
            low: value - half,
            high: value + half,
            second: None,
        };
        values.iter().map(of).collect()
    }

    #[test]
    fn processes_disagree_only_beyond_their_scatter_and_if_it_matters() {
        let two = [20.0, 22.0, 20.0, 20.0, 22.0, 20.0, 20.0, 20.0];
        assert!(processes_disagree(&each(&two, 0.05)));
        assert!(!processes_disagree(&each(&two, 3.0)), "their samples explain it");
        let close = two.map(|ns| 20.0 + (ns - 20.0) / 20.0);
        assert!(!processes_disagree(&each(&close, 0.001)), "half a percent does not matter");
        for few in [&two[..0], &two[..1]] {
            assert!(!processes_disagree(&each(few, 0.05)));
        }
        assert!(processes_disagree(&each(&two[..2], 0.0)), "no scatter at all");
        assert!(!processes_disagree(&each(&[f64::NAN, 20.0], 0.1)));
    }

    #[test]
    fn no_digit_is_kept_that_the_interval_makes_meaningless() {
        let rounded = |half| rounded(&each(&[22.18643, 21.0], 1.0), &each(&[22.0], half)[0], 1.0);
        assert_eq!(rounded(0.04), [22.186, 21.0]);
        assert_eq!(rounded(0.4), [22.19, 21.0]);
        assert_eq!(rounded(40.0), [22.0, 21.0]);
        assert_eq!(rounded(0.0), [22.1864, 21.0]);
        let [one, all] = [each(&[22.0], 1.0), each(&[22.0], 1.0)];
        assert!(super::rounded(&one, &all[0], 1.0).is_empty());
    }
}
