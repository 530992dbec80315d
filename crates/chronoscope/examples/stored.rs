//! A measurement that leaves the process: what took how long, how accurately, and when.
//!
//! `cargo run -p chronoscope --example stored --features serde,jiff`

use chronoscope::{Bounded, Clock, Description, Instant, WallTime};
use serde::Serialize;

#[derive(Serialize)]
struct Measurement {
    /// Nanoseconds since 1970. An `Instant` would mean nothing to the reader.
    at: WallTime,
    took: Bounded,
    clock: Description,
}

fn main() -> Result<(), serde_json::Error> {
    let at = WallTime::now();
    let start = Instant::start();
    let sum: u64 = std::hint::black_box((0..1000).sum());
    let took = start.elapsed_bounded();
    let clock = Clock::global().describe();
    let measurement = Measurement { at, took, clock };
    println!("{sum} at {}", jiff::Timestamp::from(at));
    println!("{}", serde_json::to_string_pretty(&measurement)?);
    Ok(())
}
