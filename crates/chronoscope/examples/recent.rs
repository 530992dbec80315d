//! The recent time as a server uses it: each request compares it with a deadline. Also what a read
//! of it costs next to a read of the clock, and how old it was.
//!
//! `cargo run --release -p chronoscope --example recent`

use std::hint::black_box;
use std::time::Duration;

use chronoscope::{Instant, Upkeep, UpkeepError};

const READS: u32 = 1_000_000;
const BATCHES: usize = 21;

/// The median of several batches, in nanoseconds per read.
fn cost(read: impl Fn() -> Instant) -> f64 {
    let mut batches: Vec<_> = (0..BATCHES)
        .map(|_| {
            let start = Instant::start();
            for _ in 0..READS {
                black_box(read());
            }
            Instant::stop().ns_since(start)
        })
        .collect();
    batches.sort_unstable();
    batches[BATCHES / 2] as f64 / f64::from(READS)
}

fn main() -> Result<(), UpkeepError> {
    // Bound to a name: as `_` it would end at once.
    let upkeep = Upkeep::start(Duration::from_millis(1))?;
    let deadline = Instant::recent() + Duration::from_millis(20);
    let mut requests = 0u64;
    while Instant::recent() < deadline {
        requests += black_box(1);
    }
    println!("{requests} requests before the deadline");
    println!("recent {:.2} ns", cost(Instant::recent));
    println!("now    {:.2} ns", cost(Instant::now));
    println!("at most {:?} old", upkeep.longest_gap());
    Ok(())
}
