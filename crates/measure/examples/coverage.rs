//! Regenerates the tables of `docs/method-statistics.md`.
//!
//! `cargo run --release -p chronoscope-measure --example coverage -- 4000`
//!
//! The argument is the number of replications, 2000 if absent. Every figure follows from the seed,
//! except for the times in the last table.

use chronoscope_measure::stats::estimate::{Estimator, ModeEstimate};
use chronoscope_measure::stats::mode::half_sample_mode;
use fastrand::Rng;
use std::time::Instant;
use synthetic::{Noise, differ};

#[path = "../tests/synthetic/mod.rs"]
mod synthetic;

const SIZES: [usize; 4] = [30, 100, 300, 1000];
const SEED: u64 = 20_240_229;

/// The kinds of noise for which coverage is claimed.
const CLAIMED: [Noise; 10] = [
    Noise::Gaussian,
    Noise::Delayed { share: 0.10, mean: 10.0 },
    Noise::Delayed { share: 0.25, mean: 10.0 },
    Noise::Delayed { share: 0.10, mean: 30.0 },
    Noise::Delayed { share: 0.25, mean: 30.0 },
    Noise::Quantised { tick: 0.5 },
    Noise::Quantised { tick: 1.0 },
    Noise::Quantised { tick: 2.0 },
    Noise::Spells { share: 0.2, shift: 10.0, length: 8.0 },
    Noise::Spells { share: 0.2, shift: 10.0, length: 30.0 },
];

/// Noise beyond what the method can handle, included to show its limits.
const LIMITS: [Noise; 8] = [
    Noise::Delayed { share: 0.10, mean: 3.0 },
    Noise::Delayed { share: 0.25, mean: 3.0 },
    Noise::Quantised { tick: 3.0 },
    Noise::Spells { share: 0.2, shift: 4.0, length: 8.0 },
    Noise::Spells { share: 0.2, shift: 5.0, length: 8.0 },
    Noise::Spells { share: 0.2, shift: 6.0, length: 8.0 },
    Noise::Correlated { rho: 0.3 },
    Noise::Correlated { rho: 0.7 },
];

fn name(noise: Noise) -> String {
    match noise {
        Noise::Gaussian => "Gaussian".into(),
        Noise::Delayed { share, mean } => format!("{:.0} % delayed, mean {mean}", share * 100.0),
        Noise::Quantised { tick } if tick > 2.0 => format!("tick {tick}, known"),
        Noise::Quantised { tick } => format!("tick {tick}"),
        Noise::Spells { share, shift, length } => {
            format!("{:.0} % in spells of {length}, shift {shift}", share * 100.0)
        }
        Noise::Correlated { rho } => format!("correlation {rho}"),
    }
}

struct Figures {
    covered: f64,
    bias: f64,
    error: f64,
    half: f64,
    plain: f64,
    differ: f64,
}

/// The estimator infers the tick for the noise for which coverage is claimed, and is given the tick
/// for the rest.
fn estimator(noise: Noise) -> Estimator {
    match noise {
        Noise::Quantised { tick } if tick > 2.0 => {
            Estimator { quantum: tick, ..Estimator::default() }
        }
        _ => Estimator::default(),
    }
}

fn simulate(noise: Noise, size: usize, times: usize) -> Figures {
    let mut rng = Rng::with_seed(SEED ^ size as u64);
    let mut samples = vec![0.0; size];
    let mut sums = [0.0; 6];
    let mut last: Option<ModeEstimate> = None;
    for _ in 0..times {
        noise.fill(&mut samples, &mut rng);
        let Some(found) = estimator(noise).estimate(&samples, &mut rng) else {
            continue;
        };
        samples.sort_unstable_by(f64::total_cmp);
        let plain = half_sample_mode(&samples).unwrap_or(f64::NAN);
        let pair = last.replace(found);
        let terms = [
            f64::from(u8::from(found.low <= 0.0 && 0.0 <= found.high)),
            found.value,
            found.value * found.value,
            found.half_width(),
            plain * plain,
            f64::from(u8::from(pair.is_some_and(|before| differ(both(&before), both(&found))))),
        ];
        sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
    }
    let [covered, bias, error, half, plain, differ] = sums.map(|sum| sum / times as f64);
    Figures { covered, bias, error: error.sqrt(), half, plain: plain.sqrt(), differ }
}

fn table(title: &str, list: &[Noise], times: usize) {
    println!("### {title}\n");
    println!(
        "Each cell: coverage %, bias, root mean square error (that of the plain \
         half-sample mode), half-width, A/A differ %.\n"
    );
    println!("| noise | n = 30 | n = 100 | n = 300 | n = 1000 |\n| --- | --- | --- | --- | --- |");
    for &noise in list {
        print!("| {} |", name(noise));
        for size in SIZES {
            let f = simulate(noise, size, times);
            print!(
                " **{:.1}** {:+.3} {:.3} ({:.2}) {:.3} {:.1} |",
                f.covered * 100.0,
                f.bias,
                f.error,
                f.plain,
                f.half,
                f.differ * 100.0
            );
        }
        println!();
    }
    println!();
}

fn main() {
    let times = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(2000);
    println!("{times} replications, seed {SEED}\n");
    table("Claimed", &CLAIMED, times);
    table("Limits", &LIMITS, times);

    println!("### Time per estimate\n");
    let mut rng = Rng::with_seed(SEED);
    for noise in [CLAIMED[2], CLAIMED[6]] {
        let mut samples = vec![0.0; 1000];
        noise.fill(&mut samples, &mut rng);
        let start = Instant::now();
        for _ in 0..200 {
            let found = Estimator::default().estimate(&samples, &mut rng);
            std::hint::black_box(found);
        }
        let each = start.elapsed().as_secs_f64() * 1e3 / 200.0;
        println!("- {}, n = 1000: {each:.2} ms", name(noise));
    }
}

/// An estimate's value and half of its interval.
fn both(estimate: &ModeEstimate) -> (f64, f64) {
    (estimate.value, estimate.half_width())
}
