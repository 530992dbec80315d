//! A run next to earlier ones, on simulated runs: how often nothing is taken for a change, and what
//! changes are found.

use chronoscope_diagnose::compare::history::{Point, judge_run, turns};

const FIGURES: usize = 60;
const DRAWS: usize = 300;

struct Simulated {
    random: fastrand::Rng,
    /// The standard deviation between runs.
    sd: f64,
}

impl Simulated {
    fn normal(&mut self) -> f64 {
        // Box and Muller.
        let (a, b) = (1.0 - self.random.f64(), self.random.f64());
        (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
    }

    /// The figures of a run around 20 ns. Half of the spread is common to all: a run is off as a
    /// whole.
    fn run(&mut self) -> Vec<f64> {
        let common = self.normal() * self.sd / 2f64.sqrt();
        let figures = 0..FIGURES;
        figures.map(|_| 20f64.ln() + common + self.normal() * self.sd / 2f64.sqrt()).collect()
    }

    fn runs(&mut self, number: usize) -> Vec<Vec<f64>> {
        (0..number).map(|_| self.run()).collect()
    }
}

/// A run whose intervals say that it is within 0.2 %.
fn point(ln: f64) -> Point {
    Point { ln, se: 0.001, ns: ln.exp() }
}

/// The sides of the last run's figures.
fn last(runs: &[Vec<f64>]) -> Vec<i8> {
    let (new, earlier) = runs.split_last().expect("runs");
    let figure = |at: usize| earlier.iter().map(|run| point(run[at])).collect();
    let earlier: Vec<Vec<Point>> = (0..FIGURES).map(figure).collect();
    let earlier: Vec<&[Point]> = earlier.iter().map(Vec::as_slice).collect();
    let new: Vec<Option<Point>> = new.iter().map(|ln| Some(point(*ln))).collect();
    judge_run(&earlier, &new).iter().map(|it| it.map_or(0, |it| it.side())).collect()
}

/// The runs that begin a new level of each figure.
fn changes(runs: &[Vec<f64>]) -> Vec<Vec<usize>> {
    let figure = |at: usize| runs.iter().map(|run| Some(point(run[at]))).collect();
    let figures: Vec<Vec<Option<Point>>> = (0..FIGURES).map(figure).collect();
    let levels = turns(&figures).into_iter();
    levels.map(|(levels, _)| levels.iter().skip(1).map(|level| level.from).collect()).collect()
}

/// Holm keeps the chance of any false alarm in a run below 5 %, however many figures it has and
/// however they depend on each other.
#[test]
fn runs_of_one_kind_are_not_taken_for_changes() {
    for (sd, seed) in [(0.002, 1), (0.01, 2), (0.05, 3)] {
        for earlier in [5, 8, 12] {
            let mut simulated = Simulated { random: fastrand::Rng::with_seed(seed), sd };
            let alarms = (0..DRAWS).filter(|_| {
                let runs = simulated.runs(earlier + 1);
                last(&runs).iter().any(|side| *side != 0)
            });
            let alarms = alarms.count();
            assert!(alarms * 20 <= DRAWS, "{alarms} of {DRAWS}: {earlier} runs, {sd}");
        }
    }
}

#[test]
fn a_change_of_two_and_a_half_percent_is_found_on_a_calm_machine() {
    for (earlier, least) in [(5, 0.9), (8, 0.99), (12, 0.99)] {
        let mut simulated = Simulated { random: fastrand::Rng::with_seed(4), sd: 0.0007 };
        let mut found = 0;
        for _ in 0..DRAWS {
            let mut runs = simulated.runs(earlier + 1);
            runs[earlier][7] += 1.025f64.ln();
            runs[earlier][8] -= 1.025f64.ln();
            let sides = last(&runs);
            found += usize::from(sides[7] == 1) + usize::from(sides[8] == -1);
        }
        assert!(found as f64 >= least * 2.0 * DRAWS as f64, "{found} after {earlier} runs");
    }
}

#[test]
fn fewer_than_five_runs_or_a_small_change_tell_nothing() {
    let mut simulated = Simulated { random: fastrand::Rng::with_seed(5), sd: 0.0 };
    let mut runs = simulated.runs(5);
    runs[4][0] += 1.0;
    assert!(last(&runs).iter().all(|side| *side == 0));
    let mut runs = simulated.runs(30);
    runs[29][0] += 1.009f64.ln();
    runs[29][1] += 1.011f64.ln();
    assert_eq!(last(&runs)[..2], [0, 1]);
}

#[test]
fn a_change_is_dated_and_a_spike_is_none() {
    let mut simulated = Simulated { random: fastrand::Rng::with_seed(6), sd: 0.001 };
    let mut runs = simulated.runs(24);
    for (at, run) in runs.iter_mut().enumerate() {
        run[0] += if at >= 9 { 0.04 } else { 0.0 };
        run[1] += if at == 9 { 0.5 } else { 0.0 };
        // There and back.
        run[2] -= if (8..16).contains(&at) { 0.04 } else { 0.0 };
        // A spike hides no later change.
        run[3] += if at == 6 || at >= 15 { 0.06 } else { 0.0 };
        // The newest run alone.
        run[4] += if at == 23 { 0.5 } else { 0.0 };
    }
    let found = changes(&runs);
    assert_eq!(found[..5], [vec![9], vec![], vec![8, 16], vec![15], vec![]]);
    assert!(found[5..].iter().all(Vec::is_empty), "{found:?}");
}

/// A figure that has two states at random is at first off by itself at most; once both states were
/// seen twice, it is in one of them.
#[test]
fn two_states_are_not_many_changes() {
    let mut simulated = Simulated { random: fastrand::Rng::with_seed(7), sd: 0.001 };
    let (mut dated, mut all) = (0, 0);
    for _ in 0..40 {
        let mut runs = simulated.runs(40);
        for run in &mut runs {
            for figure in run.iter_mut() {
                *figure += if simulated.random.bool() { 0.03 } else { 0.0 };
            }
        }
        let found = changes(&runs);
        dated += found.iter().filter(|turns| !turns.is_empty()).count();
        all += found.len();
    }
    assert!(dated * 20 <= all, "{dated} of {all}");
}

#[test]
fn a_slow_drift_is_no_jump() {
    let mut simulated = Simulated { random: fastrand::Rng::with_seed(8), sd: 0.002 };
    let mut runs = simulated.runs(60);
    for (at, run) in runs.iter_mut().enumerate() {
        run[0] += at as f64 * 0.0005;
    }
    assert!(changes(&runs)[0].is_empty());
}
