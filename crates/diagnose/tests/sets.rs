//! Sets of stored runs, simulated with known truth.

use crate::pairs::{clocks, normal};
use crate::runs::{Machine, STEADY};
use chronoscope_diagnose::compare::runs::{Runs, sets};
use chronoscope_model::compare::{Change, Unit, Verdict};
use chronoscope_model::run::Run;
use chronoscope_model::{Report, Ruler};

/// A run of clocks with these costs, in nanoseconds.
fn run(id: u64, costs: impl IntoIterator<Item = f64>) -> Report {
    Report { run: Run { id: format!("{id:016x}"), ..Run::default() }, ..clocks(costs) }
}

/// A set of runs of twelve clocks. A run is off as a whole by 1 %, each figure by half a percent,
/// and one in twenty by 30 %. The first `slower` clocks cost `change` more.
fn simulated(rng: &mut fastrand::Rng, runs: u64, slower: usize, change: f64) -> Vec<Report> {
    let one = |id| {
        let whole = 0.01 * normal(rng);
        let cost = |at| {
            let spike = if rng.u8(0..20) == 0 { 0.3 } else { 0.0 };
            let planted = if at < slower { change } else { 0.0 };
            20.0 * (whole + 0.005 * normal(rng) + spike + planted).exp()
        };
        run(id, (0..12).map(cost).collect::<Vec<f64>>())
    };
    (1..=runs).map(one).collect()
}

fn change(a: &[Report], b: &[Report]) -> Result<Change, String> {
    let set = |name, runs: &[Report]| {
        let mut set = Runs::of_set(name);
        runs.iter().for_each(|run| set.add(run));
        set
    };
    let compared = sets(vec![set("a", a), set("b", b)], 1)?;
    Ok(compared.change.expect("two sets"))
}

#[test]
fn identical_sets_are_hardly_ever_called_changed_and_planted_changes_are_found() {
    let mut rng = fastrand::Rng::with_seed(5);
    let (mut alarms, mut found) = (0, 0);
    for _ in 0..25 {
        let a = simulated(&mut rng, 10, 0, 0.0);
        let same = change(&a, &simulated(&mut rng, 10, 0, 0.0)).expect("enough runs");
        alarms += u32::from(same.counts.worse + same.counts.better > 0);
        // A spike in one of twenty figures is what most of the spread is.
        let slower = change(&a, &simulated(&mut rng, 10, 3, 0.2)).expect("enough runs");
        let worse = |id: &str| {
            let row = slower.rows.iter().find(|row| row.key.id == id).expect("a row");
            row.verdict == Verdict::Worse
        };
        found += [0, 1, 2].iter().filter(|at| worse(&format!("clock/{at}"))).count();
        assert_eq!(slower.rows.len(), 12);
    }
    assert!(alarms <= 2, "{alarms} of 25");
    assert!(found >= 45, "{found} of 75");
}

#[test]
fn the_interval_encloses_the_shift_whatever_the_distribution() {
    let mut rng = fastrand::Rng::with_seed(6);
    let (mut missed, mut rows) = (0, 0);
    for _ in 0..25 {
        let a = simulated(&mut rng, 7, 0, 0.0);
        for row in change(&a, &simulated(&mut rng, 9, 12, 0.1)).expect("enough runs").rows {
            let bounds = row.bounds.expect("sets have bounds");
            assert!(bounds.misrate <= 0.05 && bounds.ratio_low <= bounds.ratio_high);
            let within = bounds.ratio_low..=bounds.ratio_high;
            missed += u32::from(!within.contains(&0.1_f64.exp()));
            rows += 1;
        }
    }
    // Rows of a run share what it is off by, so they miss together.
    assert!(missed * 10 < rows, "{missed} of {rows}");
}

#[test]
fn a_figure_that_few_runs_have_and_a_run_that_comes_twice_do_not_count() {
    let mut rng = fastrand::Rng::with_seed(7);
    let mut a = simulated(&mut rng, 6, 0, 0.0);
    let b = simulated(&mut rng, 6, 0, 0.0);
    a.iter_mut().skip(3).for_each(|run| drop(run.clocks.remove(0)));
    let rows = change(&a, &b).expect("enough runs").rows;
    assert_eq!(rows.len(), 11);
    assert!(rows.iter().all(|row| row.key.id != "clock/0"));
    let twice: Vec<Report> = a[..4].iter().chain(&a[..4]).cloned().collect();
    let refused = change(&twice, &b).expect_err("four runs");
    assert!(refused.contains("takes 5 runs or more, and this one has 4"), "{refused}");
}

fn disturb(run: &mut Report) {
    share(run, 0.99);
}

fn share(run: &mut Report, shared: f64) {
    let mut ruler = Ruler::default();
    ruler.noise.shared = Some(shared);
    run.ruler = Some(ruler);
}

/// Ten runs of four clocks, each figure off by 0.1 %. In three of ten, a neighbour used the core
/// throughout, which costs up to a tenth more; in the others, in up to half of the rounds, which
/// costs nothing. The first clock costs `change` more.
fn next_to_a_neighbour(rng: &mut fastrand::Rng, change: f64) -> Vec<Report> {
    let one = |id| {
        let throughout = rng.u8(0..10) < 3;
        let (shared, more) = match throughout {
            true => (0.97 + 0.03 * rng.f64(), 0.02 + 0.08 * rng.f64()),
            false => (0.5 * rng.f64(), 0.0),
        };
        let cost = |at| {
            let planted = if at == 0 { change } else { 0.0 };
            20.0 * (more + 0.001 * normal(rng) + planted).exp()
        };
        let mut run = run(id, (0..4).map(cost).collect::<Vec<f64>>());
        share(&mut run, shared);
        run
    };
    (1..=10).map(one).collect()
}

/// A verdict and its interval say the same.
fn agrees(change: &Change) {
    for row in &change.rows {
        let bounds = row.bounds.expect("sets have bounds");
        assert!(bounds.ratio_low <= bounds.ratio && bounds.ratio <= bounds.ratio_high, "{row:?}");
        match row.verdict {
            Verdict::Worse => assert!(bounds.ratio_low > 1.0, "{row:?}"),
            Verdict::Better => assert!(bounds.ratio_high < 1.0, "{row:?}"),
            _ => {}
        }
    }
}

#[test]
fn a_small_change_is_found_next_to_runs_whose_core_was_shared() {
    let mut rng = fastrand::Rng::with_seed(10);
    let (mut alarms, mut found, mut unaware) = (0, 0, 0);
    for _ in 0..25 {
        let a = next_to_a_neighbour(&mut rng, 0.0);
        let same = change(&a, &next_to_a_neighbour(&mut rng, 0.0)).expect("enough runs");
        alarms += u32::from(same.counts.worse + same.counts.better > 0);
        let mut b = next_to_a_neighbour(&mut rng, 0.025);
        let slower = change(&a, &b).expect("enough runs");
        found += u32::from(slower.rows[0].verdict == Verdict::Worse);
        [&same, &slower].into_iter().for_each(agrees);
        // What the reports say of the core is what finds it.
        let mut a = a;
        a.iter_mut().chain(&mut b).for_each(|run| run.ruler = None);
        let slower = change(&a, &b).expect("enough runs");
        unaware += u32::from(slower.rows[0].verdict == Verdict::Worse);
    }
    assert!(alarms <= 1, "{alarms} of 25");
    assert!(found >= 24 && unaware < found, "{found} and {unaware} of 25");
}

/// What differs from run to run, and what the costs of five and five runs are then judged in: a
/// core whose frequency varies hides no change, and nor does a gauge of it that errs.
#[test]
fn costs_are_judged_in_the_unit_in_which_the_counter_s_own_reads_vary_less() {
    let mut rng = fastrand::Rng::with_seed(12);
    let machine = Machine { rows: 6, counters: 2, error: 0.0005, ..STEADY };
    let drifting = Machine { drift: 0.02, ..machine };
    for (machine, unit, is_found) in [
        (machine, Unit::Ns, true),
        (Machine { gauge: 0.02, ..machine }, Unit::Ns, true),
        (drifting, Unit::CoreCycles, true),
        // Nothing shows that only the frequency differs.
        (Machine { counters: 0, ..drifting }, Unit::Ns, false),
        // A gauge that errs as much proves nothing.
        (Machine { gauge: 0.02, ..drifting }, Unit::Ns, false),
    ] {
        let (mut alarms, mut found, mut of_unit) = (0, 0, 0);
        for _ in 0..10 {
            let mut of = |change: f64| -> Vec<Report> {
                (0..5).map(|_| machine.run(&mut rng, &[change])).collect()
            };
            let a = of(0.0);
            let same = change(&a, &of(0.0)).expect("enough runs");
            let slower = change(&a, &of(0.02)).expect("enough runs");
            alarms += u32::from(same.counts.worse + same.counts.better > 0);
            let row = slower.rows.iter().find(|row| row.key.id == "posix/0").expect("a row");
            found += u32::from(row.verdict == Verdict::Worse);
            agrees(&slower);
            of_unit += u32::from(slower.unit == unit);
        }
        assert!(alarms <= 1, "{alarms} of 10");
        assert_eq!(of_unit, 10, "{unit:?}");
        assert_eq!(found >= 9, is_found, "{found} of 10 in {unit:?}");
    }
}

/// A neighbour that never leaves makes all runs count alike.
#[test]
fn sets_whose_core_was_never_their_own_are_judged() {
    let mut rng = fastrand::Rng::with_seed(11);
    let mut a = simulated(&mut rng, 10, 0, 0.0);
    let mut b = simulated(&mut rng, 10, 12, 0.8);
    let plain = change(&a, &b).expect("enough runs");
    a.iter_mut().chain(&mut b).for_each(|run| share(run, 1.0));
    let shared = change(&a, &b).expect("enough runs");
    assert_eq!(plain.counts, shared.counts);
    assert!(plain.counts.worse > 0);
}

#[test]
fn equal_figures_are_the_same_and_one_run_that_is_off_is_no_change() {
    let of = |costs: &[f64], from: u64| {
        let runs = costs.iter().zip(from..).map(|(ns, id)| run(id, [*ns, 20.0]));
        runs.collect::<Vec<Report>>()
    };
    let a = of(&[20.0; 10], 1);
    let same = change(&a, &of(&[20.0; 10], 11)).expect("enough runs");
    assert!(same.rows.iter().all(|row| row.verdict == Verdict::Same && row.p == Some(1.0)));
    let mut off = [20.0; 10];
    off[3] = 60.0;
    let outlier = change(&a, &of(&off, 11)).expect("enough runs");
    assert_eq!((outlier.counts.worse, outlier.counts.better), (0, 0));
    // Of five and five equal runs, all that changed is as much as can be shown.
    let fewest = change(&of(&[20.0; 5], 1), &of(&[21.0; 5], 11)).expect("enough runs");
    assert_eq!((fewest.rows[0].verdict, fewest.rows[0].p), (Verdict::Worse, Some(2.0 / 252.0)));
    agrees(&fewest);
}

/// Next to a load, as many runs of one set are disturbed as of the other, but for chance.
#[test]
fn sets_that_were_disturbed_alike_are_judged() {
    let mut rng = fastrand::Rng::with_seed(9);
    let mut a = simulated(&mut rng, 10, 0, 0.0);
    let mut b = simulated(&mut rng, 10, 12, 0.8);
    a[..5].iter_mut().for_each(disturb);
    b[..7].iter_mut().for_each(disturb);
    assert!(change(&a, &b).expect("enough runs").counts.worse > 0);
    b.iter_mut().for_each(disturb);
    a.iter_mut().for_each(|run| run.ruler = None);
    assert_eq!(change(&a, &b).expect("enough runs").counts.worse, 0);
}

#[test]
fn a_set_that_was_disturbed_as_a_whole_proves_no_change() {
    let mut rng = fastrand::Rng::with_seed(8);
    let a = simulated(&mut rng, 6, 0, 0.0);
    let mut b = simulated(&mut rng, 6, 12, 0.8);
    assert!(change(&a, &b).expect("enough runs").counts.worse > 0);
    b.iter_mut().for_each(disturb);
    let change = change(&a, &b).expect("enough runs");
    assert_eq!((change.counts.worse, change.counts.better), (0, 0));
    let why = change.rows[0].why.as_deref().unwrap_or_default();
    assert!(why.contains("most runs of B were disturbed"), "{why}");
    assert_eq!(change.b.runs, Some(6));
}
