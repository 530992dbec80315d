//! A billion simulated waits, recorded as measured ones are. Shows the cost of a sample apart from
//! its wait, and how much memory the samples take.
//! `cargo run --release -p chronoscope-measure --example billion [SAMPLES]`

use chronoscope_measure::waits::Simulation;
use chronoscope_probes::waits;
use std::time::{Duration, Instant};

/// Overshoots like those of a busy machine: most of them some tens of microseconds, a tail of
/// milliseconds, and one in a million long enough to miss deadlines of the grid.
fn overshoot(random: &mut fastrand::Rng) -> i64 {
    let draw = random.u64(..);
    let usual = 40_000 + (draw & 0x7fff) as i64;
    match draw >> 44 {
        0 => 1_000_000 + (draw >> 20 & 0xff_ffff) as i64,
        1..1024 => usual << (draw >> 20 & 3),
        _ => usual,
    }
}

fn main() {
    let asked = std::env::args().nth(1);
    let samples: u64 = match asked.as_deref().map(str::parse) {
        None => 1_000_000_000,
        Some(Ok(samples)) if samples > 0 => samples,
        Some(_) => {
            eprintln!("the number of samples must be a whole number above zero");
            std::process::exit(2);
        }
    };
    let Some(entry) = waits::find("rust/thread-sleep") else {
        eprintln!("rust/thread-sleep is not among the waits");
        std::process::exit(3);
    };
    let mut random = fastrand::Rng::with_seed(1);
    let mut drawn = 0i64;
    let start = Instant::now();
    for _ in 0..samples {
        drawn = drawn.wrapping_add(std::hint::black_box(overshoot(&mut random)));
    }
    let drawing = start.elapsed();

    let mut random = fastrand::Rng::with_seed(1);
    let mut row = Simulation::new(entry, Duration::from_millis(1));
    let start = Instant::now();
    let mut left = samples;
    while left > 0 {
        let part = u32::try_from(left).unwrap_or(u32::MAX);
        row.feed((0..part).map(|_| std::hint::black_box(overshoot(&mut random))));
        left -= u64::from(part);
    }
    let feeding = start.elapsed();

    let wait = row.row();
    let missed = wait.grid.as_ref().map_or(0, |grid| grid.missed);
    let each = |time: Duration| time.as_secs_f64() * 1e9 / samples as f64;
    println!(
        "{} samples and {missed} missed deadlines in {:.2} s: {:.2} ns each, of which {:.2} ns to \
         draw them",
        wait.samples,
        feeding.as_secs_f64(),
        each(feeding),
        each(drawing)
    );
    let sum = (wait.mean_ns * samples as f64 - drawn as f64).abs() / drawn as f64;
    println!(
        "median {:?} ns, p99.9 {:?} ns, max {} ns; the sum is off by {sum:.1e}",
        wait.overshoot.p50_ns, wait.overshoot.p999_ns, wait.max_ns
    );
    println!(
        "the row takes {} bytes in the report",
        serde_json::to_vec(&wait).map_or(0, |text| text.len())
    );
    match peak_kib() {
        Some(kib) => println!("peak memory {:.1} MiB", kib as f64 / 1024.0),
        None => println!("peak memory: not reported by this system"),
    }
}

/// The most memory that was ever resident, in KiB (proc(5), VmHWM).
fn peak_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
