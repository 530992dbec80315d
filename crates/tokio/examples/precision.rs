//! How late sleeps of a millisecond end: tokio's, this crate's, and this crate's with a spin.
//!
//! `cargo run --release -p chronoscope-tokio --example precision`

use std::time::Duration;

use chronoscope::Instant;
use chronoscope_tokio::sleep;

const TIME: Duration = Duration::from_millis(1);
const ROUNDS: usize = 500;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let spin = Duration::from_micros(60);
    let mut late = [const { Vec::new() }; 3];
    // In turn, so that all meet the same noise.
    for _ in 0..ROUNDS {
        for (method, late) in late.iter_mut().enumerate() {
            let start = Instant::now_ordered();
            match method {
                0 => tokio::time::sleep(TIME).await,
                1 => sleep(TIME).await,
                _ => sleep(TIME).spinning(spin).await,
            }
            late.push(start.elapsed().saturating_sub(TIME));
        }
    }
    let names = ["tokio::time::sleep", "sleep", "sleep, spinning 60 us"];
    for (name, mut late) in names.into_iter().zip(late) {
        late.sort_unstable();
        println!(
            "{name:<22} median {:?}, 90 % {:?}, 99 % {:?} late",
            late[ROUNDS / 2],
            late[ROUNDS * 9 / 10],
            late[ROUNDS * 99 / 100]
        );
    }
}
