//! What timing adds to a real loop: the sum of some integers, with and without two reads and a
//! subtraction around it.

use crate::engine::notes;
use crate::engine::schedule;
use crate::engine::time::Limit;
use crate::engine::{Spec, Values};
use crate::run::measurement::{Error, Measurement, Progress, Setting};
use chronoscope_model::overhead::{Centre, Overhead};
use chronoscope_model::run::Noise;
use chronoscope_model::{Note, Report};
use chronoscope_probes::clocks::Entry;
use std::time::Duration;

/// The work between two checks of the time and of the user's request to stop: some milliseconds,
/// against which the ruler's own two reads are negligible.
const PART_S: f64 = 0.02;
/// The most iterations of a part, and the most additions in it, however short the ruler makes them
/// seem: a ruler that stands still must not hang the tool.
const PART_TURNS: u64 = 1_000_000;
const PART_SUMS: u64 = 100_000_000;

pub struct Request {
    pub entry: &'static Entry,
    /// Samples, iterations per sample, integers summed in each iteration.
    pub shape: [u64; 3],
}

impl Measurement for Request {
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        let mut session = setting.session(&report.environment, &[self.entry])?;
        let specs = session.specs.clone();
        let mut rng = fastrand::Rng::with_seed(setting.seed);
        let longest = setting.budget.unwrap_or(schedule::OVERHEAD.time);
        let host = &mut session.machine;
        let found = measure(host, &specs, 0, self.shape, longest, &mut rng, |done| {
            (setting.progress)(Progress::Phase("overhead", done));
        });
        report.notes.extend(found.as_ref().and_then(negative));
        report.overhead.extend(found);
        session.conclude(report, 0.0, Noise::default());
        Ok(())
    }
}

/// Measures one subject. Each sample is a loop without timing and one with timing, in random order,
/// so that a slow period affects both. Long samples are made in parts that alternate between the
/// two loops, so that neither a limit nor the user has to wait for the end of a sample.
///
/// Stops early, with the samples so far, if the time runs out or the user asks for it. A sample
/// that was cut short counts only if it is the only one. `None` if there is not even that.
pub fn measure<H: Values>(
    host: &mut H,
    specs: &[Spec],
    subject: usize,
    [samples, n, m]: [u64; 3],
    longest: Duration,
    rng: &mut fastrand::Rng,
    mut progress: impl FnMut(f64),
) -> Option<Overhead> {
    let values: Vec<u64> = (0..m).collect();
    let pair = Pair { subject, baseline: specs[subject].baseline, values: &values };
    let part = pair.part(host, n);
    let tick_ns = 1e9 / host.hz();
    let mut pairs: Vec<[f64; 2]> = Vec::with_capacity(samples.min(1 << 20) as usize);
    let mut cut_short = None;
    let mut limit = Limit::new(host, longest, samples);
    while !limit.reached(host) {
        let mut ticks = [0u64; 2];
        let mut done = 0;
        while done < n && (done == 0 || !limit.spent(host)) {
            let turns = part.min(n - done);
            let [without, with] = pair.time(host, turns, rng);
            ticks = [ticks[0] + without, ticks[1] + with];
            done += turns;
            if part < n {
                progress((pairs.len() as f64 + done as f64 / n as f64) / samples as f64);
            }
        }
        let sample = ticks.map(|ticks| ticks as f64 * tick_ns / done as f64);
        if done == n {
            pairs.push(sample);
        } else if pairs.is_empty() {
            pairs.push(sample);
            cut_short = Some(done);
        }
        if pairs.len().is_multiple_of(64) {
            progress(pairs.len() as f64 / samples as f64);
        }
    }
    (!pairs.is_empty()).then(|| Overhead {
        id: specs[subject].row.id.clone(),
        samples,
        n,
        m,
        taken: pairs.len() as u64,
        cut_short,
        baseline: centre(pairs.iter().map(|p| p[0])),
        timed: centre(pairs.iter().map(|p| p[1])),
        overhead: centre(pairs.iter().map(|p| p[1] - p[0])),
    })
}

fn negative(found: &Overhead) -> Option<Note> {
    (found.has_intervals() && found.overhead.high_ns < 0.0).then(|| notes::negative_overhead(found))
}

/// The loop without timing and the loop with timing.
struct Pair<'a> {
    baseline: usize,
    subject: usize,
    values: &'a [u64],
}

impl Pair<'_> {
    /// Times both loops for this many iterations, in random order. Returns the ticks without and
    /// with timing.
    fn time<H: Values>(&self, host: &mut H, turns: u64, rng: &mut fastrand::Rng) -> [u64; 2] {
        let mut ticks = [0; 2];
        let timed_first = rng.bool();
        for timed in [timed_first, !timed_first] {
            let which = if timed { self.subject } else { self.baseline };
            ticks[usize::from(timed)] = host.around(which, turns, self.values);
        }
        ticks
    }

    /// Determines the iterations of one part by trying; the tries also warm up the loops.
    fn part<H: Values>(&self, host: &mut H, n: u64) -> u64 {
        let sums = PART_SUMS / (self.values.len() as u64).max(1);
        let most = n.min(PART_TURNS).min(sums.max(1));
        let enough = (PART_S * host.hz()) as u64;
        let mut part = most.min(64);
        loop {
            host.around(self.baseline, part, self.values);
            if host.around(self.subject, part, self.values) >= enough || part == most {
                return part;
            }
            part = (part * 2).min(most);
        }
    }
}

/// Mean and median. The 95 % interval of the median is from order statistics: the ranks n/2 ± 0.98
/// √n, by the normal approximation to the binomial (David & Nagaraja, Order Statistics, 7.1).
fn centre(samples: impl Iterator<Item = f64>) -> Centre {
    let mut sorted: Vec<f64> = samples.filter(|x| x.is_finite()).collect();
    if sorted.is_empty() {
        return Centre::default();
    }
    sorted.sort_unstable_by(f64::total_cmp);
    let n = sorted.len() as f64;
    let rank = |r: f64| sorted[(r.max(0.0) as usize).min(sorted.len() - 1)];
    let spread = 0.98 * n.sqrt();
    Centre {
        average_ns: sorted.iter().sum::<f64>() / n,
        median_ns: rank(n / 2.0),
        low_ns: rank((n / 2.0 - spread).floor()),
        high_ns: rank((n / 2.0 + spread).ceil()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::fake::{Disturbance, Fake, FakeClock};

    /// What timing with a clock of this cost adds.
    fn found(cost_ns: f64, samples: u64) -> Overhead {
        let clock = FakeClock { cost_ns, ..FakeClock::default() };
        let mut host = Fake::new(vec![clock], Disturbance::default(), 1);
        let specs = host.specs();
        let mut rng = fastrand::Rng::with_seed(1);
        let longest = Duration::from_secs(9);
        measure(&mut host, &specs, 0, [samples, 99, 999], longest, &mut rng, |_| ())
            .expect("samples")
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
}
