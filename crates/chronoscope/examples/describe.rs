//! What the library reads on this machine, why, and how the bound of its rate shrinks.
//!
//! `cargo run --release -p chronoscope --example describe`

use std::time::Duration;

use chronoscope::{Clock, Instant, Wall};

fn main() {
    // Measured with another clock, because the first moment of this one comes at the end of the
    // choice.
    let start = std::time::Instant::now();
    Instant::now();
    let took = start.elapsed();
    println!("first read: {took:?} including the choice of a source\n");
    let clock = Clock::global();
    println!("{}\n", clock.describe());
    for millis in [20, 200, 1000] {
        chronoscope::wait::sleep(Duration::from_millis(millis));
        println!("{millis} ms later: {:?}", clock.sync());
    }
    println!("{}\n", clock.describe());
    let interval = Wall::now_bounded();
    println!("wall clock: {} ns since 1970", interval.now);
    println!("  at most {} ns from the system's", interval.tracking);
    match interval.kernel {
        Some(error) => println!("  which states an error of up to {:.3} ms", error as f64 / 1e6),
        None => println!("  which states no error"),
    }
}
