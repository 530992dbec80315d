//! What the record of all switches of a CPU costs: two threads on one CPU that hand a byte to each
//! other, with the record and without it in turn.

use crate::paired::last_cpu;
use crate::results::median;
use anyhow::{Context, Result};
use chronoscope_probes::blame::Record;
use chronoscope_probes::machine::affinity;
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Instant;

/// How often the byte goes there and back, and how often both ways are measured.
const TRIPS: u32 = 20_000;
const PAIRS: usize = 20;
/// The most of a CPU that the record may take, and the rate at which that is judged: switches per
/// second and CPU of a machine that compiles and answers requests.
const MOST: f64 = 0.02;
const RATE: f64 = 20_000.0;

/// Adds the result to `part`. Returns why it is too much, if so.
pub fn run(part: &mut String) -> Result<Option<String>> {
    let cpu = last_cpu()?;
    let _pin = affinity::pin(cpu).map_err(|why| anyhow::anyhow!("CPU {cpu}: {why}"))?;
    if let Err(why) = Record::open(cpu) {
        writeln!(part, "\nThe cost of the record of switches was not measured: {why}.")?;
        return Ok(None);
    }
    trips()?;
    let mut more = Vec::new();
    for pair in 0..PAIRS {
        let recorded = || -> Result<f64> {
            let mut record = Record::open(cpu).map_err(anyhow::Error::msg)?;
            let time = trips()?;
            drop(record.heard());
            Ok(time)
        };
        // Whichever is first may find the machine in another state.
        let (with, without) = if pair % 2 == 0 {
            let with = recorded()?;
            (with, trips()?)
        } else {
            let without = trips()?;
            (recorded()?, without)
        };
        more.push(with - without);
    }
    let each = median(more.iter().copied()).context("no pairs")?;
    let share = each.max(0.0) * 1e-9 * RATE;
    writeln!(
        part,
        "\nThe record of all switches of a CPU adds {each:.0} ns to a switch (median of {PAIRS} \
         pairs of {} switches), which is {:.2} % of a CPU at {RATE} switches per second.",
        2 * TRIPS,
        share * 100.0
    )?;
    println!("record of switches: {each:.0} ns each");
    Ok((share > MOST).then(|| format!("the record takes {:.1} % of a CPU", share * 100.0)))
}

/// The nanoseconds of a switch between two threads of this CPU.
fn trips() -> Result<f64> {
    let (mut here, mut there) = UnixStream::pair()?;
    // A new thread has the affinity of this one.
    let other = std::thread::spawn(move || -> std::io::Result<()> {
        let mut byte = [0];
        for _ in 0..TRIPS {
            there.read_exact(&mut byte)?;
            there.write_all(&byte)?;
        }
        Ok(())
    });
    let began = Instant::now();
    let mut byte = [0];
    for _ in 0..TRIPS {
        here.write_all(&byte)?;
        here.read_exact(&mut byte)?;
    }
    let ns = began.elapsed().as_nanos() as f64 / f64::from(2 * TRIPS);
    other.join().map_err(|_| anyhow::anyhow!("the other thread ended"))??;
    Ok(ns)
}
