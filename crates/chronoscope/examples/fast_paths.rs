//! Each read in a function of its own, to make its machine code easy to inspect. `cargo xtask
//! disasm` does so, and checks that none of them can panic.

use std::hint::black_box;
use std::time::Duration;

use chronoscope::{Instant, Steady, Wall};

#[inline(never)]
fn now() -> Instant {
    Instant::now()
}

#[inline(never)]
fn now_ordered() -> Instant {
    Instant::now_ordered()
}

#[inline(never)]
fn start() -> Instant {
    Instant::start()
}

#[inline(never)]
fn stop() -> Instant {
    Instant::stop()
}

#[inline(never)]
fn elapsed_ns(start: Instant) -> u64 {
    start.elapsed_ns()
}

#[inline(never)]
fn elapsed(start: Instant) -> Duration {
    start.elapsed()
}

#[inline(never)]
fn duration_since(start: Instant, stop: Instant) -> Duration {
    stop.duration_since(start)
}

#[inline(never)]
fn recent() -> Instant {
    Instant::recent()
}

#[inline(never)]
fn wall() -> u64 {
    Wall::now()
}

#[inline(never)]
fn steady() -> u64 {
    Steady::now()
}

fn main() {
    let begin = black_box(now());
    black_box((now_ordered(), recent(), wall(), steady()));
    println!(
        "{} ns, {:?}, {:?}",
        elapsed_ns(begin),
        elapsed(begin),
        duration_since(start(), stop())
    );
}
