//! The advice on waits is the same in each run on the same machine: the simulated runs have the
//! same distributions of overshoot, but different random numbers.

use chronoscope_diagnose::advise::advise;
use chronoscope_measure::waits::{FakeMethod, Plan, Slack, WaitSpec, simulate};
use chronoscope_model::waits::{Load, Wait};
use chronoscope_model::{Environment, Report};
use chronoscope_probes::waits::find;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The randomness of a run. A simulated method is a plain function, so this is a static.
static SEED: AtomicU64 = AtomicU64::new(0);
/// Held by the test whose runs it is that of.
static ALONE: Mutex<()> = Mutex::new(());

/// A number from 0 to 1, determined by the run, the method and the number of its wait (Steele, Lea
/// and Flood, Fast Splittable Pseudorandom Number Generators, 2014: the finalizer of SplitMix64).
fn uniform(method: u64, n: u64) -> f64 {
    let run = SEED.load(Ordering::Relaxed);
    let mut z = run ^ (method << 48) ^ n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (z ^ (z >> 31)) as f64 / u64::MAX as f64
}

/// The overshoot at p0, p50, p90, p99 and p100, in nanoseconds; between them, its logarithm is
/// linear.
type Shape = [f64; 5];

fn overshoot(method: u64, n: u64, ns: u64, shapes: [Shape; 3]) -> Result<i64, i32> {
    const SHARES: [f64; 5] = [0.0, 0.5, 0.9, 0.99, 1.0];
    let shape = match ns {
        0..300_000 => shapes[0],
        300_000..3_000_000 => shapes[1],
        _ => shapes[2],
    };
    let u = uniform(method, n);
    let at = SHARES.iter().rposition(|share| *share <= u).unwrap_or(0).min(3);
    let part = (u - SHARES[at]) / (SHARES[at + 1] - SHARES[at]);
    let log = shape[at].ln() * (1.0 - part) + shape[at + 1].ln() * part;
    Ok(log.exp() as i64)
}

// The shapes at 100 us, 1 ms and 10 ms, as measured on a virtual machine with two busy CPUs.

fn sleep(n: u64, ns: u64) -> Result<i64, i32> {
    // The fake thread does not apply its slack, so both rows of a sleep have the same shape.
    let shapes = [
        [12e3, 17.1e3, 21.7e3, 58e3, 7e6],
        [20e3, 28.2e3, 37e3, 3.97e6, 7.3e6],
        [25e3, 36.4e3, 96e3, 2e6, 4.7e6],
    ];
    overshoot(1, n, ns, shapes)
}

fn spin(n: u64, ns: u64) -> Result<i64, i32> {
    let shapes = [
        [40.0, 78.0, 218.0, 3.1e6, 9.7e6],
        [40.0, 223.0, 3.2e6, 7.2e6, 7.8e6],
        [60.0, 892.0, 2.7e6, 7e6, 7.4e6],
    ];
    overshoot(2, n, ns, shapes)
}

fn balanced(n: u64, ns: u64) -> Result<i64, i32> {
    let shapes = [
        [40.0, 88.0, 218.0, 801e3, 20e6],
        [60.0, 303.0, 1244.0, 3.96e6, 10e6],
        [80.0, 1032.0, 6931.0, 800e3, 1.1e6],
    ];
    overshoot(3, n, ns, shapes)
}

fn economy(n: u64, ns: u64) -> Result<i64, i32> {
    let shapes = [
        [40.0, 88.0, 228.0, 3.9e6, 8.4e6],
        [100.0, 2857.0, 13.4e3, 3.8e6, 6.5e6],
        [200.0, 5491.0, 2.9e6, 5e6, 5.3e6],
    ];
    overshoot(4, n, ns, shapes)
}

/// Next to a load, all methods share the machine's tail.
fn loaded_sleep(n: u64, ns: u64) -> Result<i64, i32> {
    let shapes = [
        [10e3, 13.4e3, 14.3e3, 22e3, 8e6],
        [12e3, 15.6e3, 2.97e6, 9e6, 18e6],
        [20e3, 1.1e6, 6.1e6, 10e6, 10.5e6],
    ];
    overshoot(5, n, ns, shapes)
}

fn loaded_spin(n: u64, ns: u64) -> Result<i64, i32> {
    let shapes = [
        [40.0, 78.0, 328.0, 1.9e6, 16e6],
        [60.0, 463.0, 3.8e6, 12e6, 23e6],
        [60.0, 4e6, 20e6, 22e6, 23e6],
    ];
    overshoot(6, n, ns, shapes)
}

fn loaded_balanced(n: u64, ns: u64) -> Result<i64, i32> {
    let shapes = [
        [40.0, 98.0, 338.0, 3.9e6, 20e6],
        [60.0, 173.0, 2.98e6, 7.4e6, 8.2e6],
        [100.0, 434e3, 5.9e6, 11e6, 11.3e6],
    ];
    overshoot(7, n, ns, shapes)
}

fn method(id: &str, overshoot: fn(u64, u64) -> Result<i64, i32>, cpu_ns: u64) -> FakeMethod {
    FakeMethod { entry: find(id).expect("in the catalogue"), overshoot, cpu_ns }
}

/// Makes a run like the overview's: both loads, three durations, 9.3 s for each load.
fn run(seed: u64) -> Vec<Wait> {
    SEED.store(seed.wrapping_mul(0xD1B5_4A32_D192_ED03), Ordering::Relaxed);
    let spec = WaitSpec {
        wait: [100, 1_000, 10_000].map(Duration::from_micros).to_vec(),
        slack: vec![Slack::Default, Slack::Ns(1)],
        duration: Some(Duration::from_millis(9_300)),
        ..WaitSpec::default()
    };
    let plan = Plan { spec, seed, ..Plan::default() };
    let idle = [
        method("rust/thread-sleep", sleep, 21_000),
        method("busy/instant", spin, 930_000),
        method("chronoscope/wait", balanced, 37_000),
        method("chronoscope/wait-economy", economy, 27_000),
    ];
    let loaded = [
        method("rust/thread-sleep", loaded_sleep, 15_500),
        method("busy/instant", loaded_spin, 960_000),
        method("chronoscope/wait", loaded_balanced, 30_000),
    ];
    let mut rows = simulate(&plan, &idle).expect("a plan");
    let loaded = simulate(&plan, &loaded).expect("a plan").into_iter();
    rows.extend(loaded.map(|row| Wait { load: Load::Normal, ..row }));
    rows
}

#[test]
fn nineteen_of_twenty_runs_give_the_same_answers() {
    const RUNS: usize = 40;
    let _alone = ALONE.lock();
    let mut answers: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    for seed in 1..=RUNS as u64 {
        let report = Report {
            waits: run(seed),
            environment: Environment { os: "Linux".into(), ..Environment::default() },
            ..Report::default()
        };
        for advice in advise(&report) {
            let choice = advice.wait.expect("advice on a wait");
            let method = advice.clock.unwrap_or("none".into());
            let answer = format!("{method}, slack {:?}", choice.slack_ns);
            *answers.entry(advice.title).or_default().entry(answer).or_default() += 1;
        }
    }
    println!("{answers:#?}");
    assert_eq!(answers.len(), 12);
    for (title, given) in &answers {
        let most = given.values().copied().max().unwrap_or(0);
        assert!(most * 20 >= RUNS * 19, "{title}: {given:?}");
        assert!(!given.keys().any(|answer| answer.starts_with("none")), "{title}: {given:?}");
    }
    // A spin or the library's wait reaches a fraction of a microsecond; no sleep comes close.
    let accurate = &answers["Wait 100 us: least overshoot"];
    assert!(accurate.keys().all(|answer| !answer.contains("sleep")), "{accurate:?}");
}

/// The waits of a run without a command, on an idle machine or on a busy one: all rows are without
/// a load of the tool's.
fn short_run(seed: u64, busy: bool) -> Vec<Wait> {
    SEED.store(seed.wrapping_mul(0xD1B5_4A32_D192_ED03), Ordering::Relaxed);
    let spec = WaitSpec {
        wait: [100, 1_000].map(Duration::from_micros).to_vec(),
        slack: vec![Slack::Default, Slack::Ns(1)],
        duration: Some(Duration::from_millis(900)),
        ..WaitSpec::default()
    };
    let plan = Plan { spec, seed, ..Plan::default() };
    let [sleeps, spins, both] = match busy {
        false => [sleep, spin, balanced],
        true => [loaded_sleep, loaded_spin, loaded_balanced],
    };
    let methods = [
        method("rust/thread-sleep", sleeps, 21_000),
        method("busy/instant", spins, 930_000),
        method("chronoscope/wait", both, 37_000),
    ];
    simulate(&plan, &methods).expect("a plan")
}

#[test]
fn a_short_run_names_the_same_usual_wait_idle_and_busy() {
    let _alone = ALONE.lock();
    let mut given: BTreeMap<String, usize> = BTreeMap::new();
    for (seed, busy) in (1..=20).flat_map(|seed| [(seed, false), (seed, true)]) {
        let report = Report { waits: short_run(seed, busy), ..Report::default() };
        let advice = advise(&report).into_iter().find(|advice| advice.summary);
        let advice = advice.expect("one for the summary");
        *given.entry(format!("{} {:?}", advice.short, advice.clock)).or_default() += 1;
    }
    let wanted = "Wait 1 ms Some(\"chronoscope/wait\")";
    assert!(given.get(wanted).is_some_and(|runs| *runs >= 39), "{given:?}");
}
