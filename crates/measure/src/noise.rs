//! Is this machine fit to measure on? The same piece of work is timed again and again, each with a
//! witness of the library, as a benchmark would do. How far medians of successive pieces lie apart
//! is what a benchmark's medians are good to, and the witnesses say why.

use crate::run::{Error, Measurement, Progress, Setting};
use crate::sorted;
use crate::stats::quantile;
use chronoscope::Instant;
use chronoscope::witness::{Disturbance, Level, Verdict, Witness};
use chronoscope_model::Report;
use chronoscope_model::noise::{Noise, NoiseCause};
use chronoscope_probes::time::Instant as Own;
use std::hint::black_box;
use std::time::Duration;

/// The time that pieces are timed for, unless a budget says otherwise.
pub const TIME: Duration = Duration::from_secs(2);

/// A piece lasts about as long as a sample of a benchmark.
const PIECE: Duration = Duration::from_millis(1);

/// The pieces whose median is looked at: as many as criterion takes samples.
const MEDIAN_OF: usize = 100;

/// Fewer pieces than five medians of them say nothing about how far medians lie apart.
const FEWEST: usize = 5 * MEDIAN_OF;

/// Without a budget, a busy machine gets this many times as long for so many pieces.
const PATIENCE: u32 = 5;

/// Successive medians begin this many pieces apart.
const STEP: usize = 10;

/// The quantile of the undisturbed pieces that stands for a good one.
const GOOD: f64 = 0.05;

/// The causes, in the order in which a piece counts for one: what takes the CPU away first.
const CAUSES: [(&str, &[Disturbance]); 5] = [
    ("preempted", &[Disturbance::Preempted, Disturbance::Moved]),
    ("steal", &[Disturbance::GapBelowKernel]),
    ("core-shared", &[Disturbance::CoreShared]),
    ("frequency-changed", &[Disturbance::FrequencyChanged]),
    ("interrupted", &[Disturbance::Interrupted]),
];
const UNEXPLAINED: &str = "unexplained";

pub struct Request;

/// How long a piece took, in nanoseconds, and the place of its cause in [`CAUSES`].
#[derive(Clone, Copy, Debug)]
struct Piece {
    ns: f64,
    cause: Option<usize>,
}

impl Measurement for Request {
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        let time = setting.left().unwrap_or(TIME);
        (setting.progress)(Progress::Time(time));
        // Limits hold whatever the clock that times the pieces does.
        let began = Own::now();
        let mut work = Work::of_a_piece();
        let mut witness = Witness::new(Level::Gauges);
        let (mut pieces, mut last) = (Vec::new(), None);
        let longest = if setting.budget.is_none() { PATIENCE * time } else { time };
        let goes_on = |pieces: usize| {
            let elapsed = began.elapsed();
            elapsed < time || (pieces < FEWEST && elapsed < longest)
        };
        while goes_on(pieces.len()) && !setting.interrupt.is_set() {
            witness.begin();
            let start = Instant::start();
            work.run();
            let ns = Instant::stop().ns_since(start) as f64;
            let verdict = witness.end();
            pieces.push(Piece { ns, cause: cause(&verdict) });
            last = Some(verdict);
            // A line on the terminal is work of this thread, between two pieces.
            if pieces.len().is_multiple_of(MEDIAN_OF) {
                let share = began.elapsed().as_secs_f64() / time.as_secs_f64();
                (setting.progress)(Progress::Phase("noise", share.min(1.0)));
            }
        }
        if !pieces.is_empty() && pieces.iter().all(|piece| piece.ns <= 0.0) {
            let line = "the clock that times the pieces of work does not advance: see `chronoscope \
                        doctor`";
            return Err(Error::Nothing(line.into()));
        }
        let unseen = last.map_or_else(Vec::new, |verdict| unseen(&verdict));
        let Some(noise) = judged(&pieces, unseen) else {
            let took = pieces.iter().map(|piece| piece.ns).sum::<f64>() / 1e6;
            let line = format!(
                "noise needs {FEWEST} pieces of work of about 1 ms, and {} took {took:.0} ms: give \
                 it more time with --budget",
                pieces.len()
            );
            let stopped = setting.interrupt.is_set();
            return if stopped { Ok(()) } else { Err(Error::Nothing(line)) };
        };
        report.noise = Some(noise);
        Ok(())
    }
}

fn cause(verdict: &Verdict) -> Option<usize> {
    let happened = |kinds: &[Disturbance]| kinds.iter().any(|it| verdict.saw(*it) == Some(true));
    CAUSES.iter().position(|(_, kinds)| happened(kinds))
}

/// The causes of which none of the kinds can be seen.
fn unseen(verdict: &Verdict) -> Vec<String> {
    let hidden = |kinds: &[Disturbance]| kinds.iter().all(|it| verdict.saw(*it).is_none());
    let causes = CAUSES.iter().filter(|(_, kinds)| hidden(kinds));
    causes.map(|(name, _)| (*name).to_owned()).collect()
}

/// The figures of pieces in the order of time; `None` if they are too few.
fn judged(pieces: &[Piece], unseen: Vec<String>) -> Option<Noise> {
    let all: Vec<f64> = pieces.iter().map(|piece| piece.ns).collect();
    let clean: Vec<f64> =
        pieces.iter().filter(|piece| piece.cause.is_none()).map(|piece| piece.ns).collect();
    let good_to = good_to(&all)?;
    let known = if clean.len() < FEWEST { &all } else { &clean };
    let good = quantile(&sorted(known.iter().copied()), GOOD)?;
    let total: f64 = all.iter().sum();
    let lost = |cause: Option<usize>| {
        let of = pieces.iter().filter(|piece| piece.cause == cause);
        let (count, ns) =
            of.fold((0, 0.0), |(count, ns), it| (count + 1, ns + (it.ns - good).max(0.0)));
        (f64::from(count) / pieces.len() as f64, ns / total)
    };
    let named = CAUSES.iter().enumerate().map(|(at, (name, _))| (*name, lost(Some(at))));
    // Undisturbed pieces that are longer than a good one were not explained.
    let named = named.chain([(UNEXPLAINED, lost(None))]);
    let mut causes: Vec<NoiseCause> = named
        .filter(|(_, (share, _))| *share > 0.0)
        .map(|(cause, (pieces, lost))| NoiseCause { cause: cause.into(), pieces, lost })
        .collect();
    causes.sort_by(|a, b| b.lost.total_cmp(&a.lost));
    Some(Noise {
        pieces: pieces.len() as u64,
        piece_ns: quantile(&sorted(all), 0.5)?,
        median_of: MEDIAN_OF as u64,
        good_to,
        undisturbed_good_to: self::good_to(&clean),
        undisturbed: clean.len() as u64,
        lost: causes.iter().map(|cause| cause.lost).sum(),
        causes,
        unseen,
    })
}

/// Half of the range of 95 % of the medians of [`MEDIAN_OF`] successive pieces, as a share of its
/// middle. Next to bursts, the median of them all is at either end, as chance has it.
fn good_to(ns: &[f64]) -> Option<f64> {
    if ns.len() < FEWEST {
        return None;
    }
    let medians = ns.windows(MEDIAN_OF).step_by(STEP);
    let medians = medians.filter_map(|window| quantile(&sorted(window.iter().copied()), 0.5));
    let medians = sorted(medians);
    let [low, high] = [0.025, 0.975].map(|q| quantile(&medians, q));
    Some((high? - low?) / (high? + low?))
}

/// Work as benchmarks have it: chains of arithmetic and of reads next to each other, which keep the
/// units of a core busy and so notice a neighbour on it, in memory that fits into its own caches.
struct Work {
    memory: Vec<u64>,
    rounds: u64,
}

/// Half of a core's second cache on most processors.
const WORDS: usize = (256 << 10) / size_of::<u64>();

impl Work {
    /// Work of about [`PIECE`], by the fastest of several tries.
    fn of_a_piece() -> Self {
        const TRIES: usize = 20;
        let mut work = Self { memory: (0..WORDS as u64).collect(), rounds: 1 };
        let fastest = (0..TRIES).map(|_| {
            let start = Own::now();
            work.run();
            start.elapsed()
        });
        let fastest = fastest.min().unwrap_or(PIECE).max(Duration::from_nanos(1));
        work.rounds = (PIECE.as_nanos() / fastest.as_nanos()).max(1) as u64;
        work
    }

    fn run(&mut self) {
        for _ in 0..self.rounds {
            let sum = black_box(&self.memory).iter().fold(0_u64, |sum, it| sum.wrapping_add(*it));
            let mut states = [1, 2, 3, 4, 5, 6, 7, 8].map(|nth| black_box(sum) ^ nth);
            for _ in 0..WORDS / 16 {
                for state in &mut states {
                    *state ^= *state << 13;
                    *state ^= *state >> 7;
                    *state ^= *state << 17;
                    *state = state.wrapping_add(self.memory[*state as usize % WORDS]);
                }
            }
            self.memory[0] = black_box(states).iter().fold(1, |all, it| all ^ it);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(ns: impl Fn(usize) -> f64, cause: impl Fn(usize) -> Option<usize>) -> Vec<Piece> {
        (0..1000).map(|nth| Piece { ns: ns(nth), cause: cause(nth) }).collect()
    }

    #[test]
    fn equal_pieces_are_good_to_nothing_and_lose_nothing() {
        let noise = judged(&pieces(|_| 1e6, |_| None), Vec::new()).unwrap();
        assert_eq!((noise.good_to, noise.undisturbed_good_to, noise.lost), (0.0, Some(0.0), 0.0));
        assert_eq!((noise.pieces, noise.undisturbed), (1000, 1000));
    }

    /// Every fourth piece was preempted for as long as it takes, and of the others some waited for
    /// an interrupt.
    #[test]
    fn what_was_lost_is_divided_among_its_causes() {
        let ns = |nth: usize| match nth % 4 {
            0 => 2e6,
            1 => 1.01e6,
            _ => 1e6,
        };
        let cause = |nth: usize| match nth % 4 {
            0 => Some(0),
            1 => Some(4),
            _ => None,
        };
        let noise = judged(&pieces(ns, cause), Vec::new()).unwrap();
        let [preempted, interrupted, unexplained] = &noise.causes[..] else {
            panic!("{:?}", noise.causes)
        };
        assert_eq!((&*preempted.cause, preempted.pieces), ("preempted", 0.25));
        assert!((preempted.lost - 1.0 / 5.01).abs() < 1e-9, "{preempted:?}");
        assert_eq!((&*interrupted.cause, interrupted.pieces), ("interrupted", 0.25));
        assert_eq!((&*unexplained.cause, unexplained.lost), ("unexplained", 0.0));
        assert!((noise.lost - 1.01 / 5.01).abs() < 1e-9);
    }

    /// A disturbance of half of the time moves the medians, and leaving it out restores them.
    #[test]
    fn a_burst_spoils_medians_but_not_those_of_undisturbed_pieces() {
        // The burst is in most of the pieces, and then in few: the range is the same.
        for spell in [240, 160] {
            let busy = |nth: usize| nth % 400 < spell;
            let ns = |nth: usize| if busy(nth) { 1.5e6 } else { 1e6 };
            let noise = judged(&pieces(ns, |nth| busy(nth).then_some(1)), Vec::new()).unwrap();
            assert!((noise.good_to - 0.2).abs() < 1e-9, "{noise:?}");
            let undisturbed = noise.undisturbed_good_to;
            assert!(undisturbed.is_none_or(|good_to| good_to == 0.0), "{undisturbed:?}");
        }
    }

    #[test]
    fn too_few_pieces_say_nothing() {
        let all = pieces(|_| 1e6, |_| None);
        assert_eq!(judged(&all[..FEWEST - 1], Vec::new()), None);
        let mostly =
            judged(&pieces(|_| 1e6, |nth| (nth > FEWEST / 2).then_some(0)), Vec::new()).unwrap();
        assert_eq!(mostly.undisturbed_good_to, None);
    }

    #[test]
    fn a_piece_of_work_takes_time_and_is_not_removed_by_the_compiler() {
        let mut work = Work::of_a_piece();
        let before = work.memory[0];
        let start = Instant::start();
        work.run();
        assert!(start.elapsed() > Duration::from_micros(10));
        assert_ne!(work.memory[0], before);
    }
}
