//! What other people's crates cost, and how late they are, with their own clocks and with ours.
//! Each row is a line of JSON.

mod benchmarks;
mod calls;
#[path = "../bench/src/interleave.rs"]
mod interleave;
mod timers;

use anyhow::{Context, Result, bail};
use serde::Serialize;

fn main() -> Result<()> {
    let mut words = std::env::args().skip(1);
    let what = words.next().context("what is to be compared?")?;
    let count: usize = words.next().context("how often?")?.parse()?;
    match what.as_str() {
        "stamps" => print(&calls::stamps(count)),
        "lines" => print(&calls::lines(count)),
        "spans" => print(&calls::spans(count)),
        "checks" => print(&calls::checks(count)),
        "benchmarks" => print(&benchmarks::run(count)?),
        "medians" => print(&benchmarks::medians(count)?),
        "async-io" => print(&timers::async_io(count)),
        "embassy" => print(&timers::embassy(count)),
        other => bail!("{other} is nothing to be compared"),
    }
}

fn print<T: Serialize>(rows: &[T]) -> Result<()> {
    for row in rows {
        println!("{}", serde_json::to_string(row)?);
    }
    Ok(())
}
