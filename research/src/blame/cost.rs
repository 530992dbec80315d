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
/// The most of a CPU that the record may take at the rate of switches next to the plants.
const MOST: f64 = 0.02;

/// Counts the switches of a CPU, on average over all of them, for as long as other things happen.
pub struct Rate(Instant, u64);

impl Rate {
    pub fn start() -> Result<Self> {
        Ok(Self(Instant::now(), switches()?))
    }

    /// Switches per second.
    fn get(&self) -> Result<f64> {
        let cpus = std::thread::available_parallelism()?.get();
        let all = switches()?.saturating_sub(self.1) as f64;
        Ok(all / cpus as f64 / self.0.elapsed().as_secs_f64())
    }
}

/// The switches of all CPUs since boot (proc_stat(5)).
fn switches() -> Result<u64> {
    let text = std::fs::read_to_string("/proc/stat")?;
    let line = text.lines().find_map(|line| line.strip_prefix("ctxt "));
    Ok(line.context("/proc/stat counts no switches")?.trim().parse()?)
}

/// Adds the result to `part`. Returns why it is too much, if so.
pub fn run(part: &mut String, rate: &Rate) -> Result<Option<String>> {
    let rate = rate.get()?;
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
    let share = each.max(0.0) * 1e-9 * rate;
    writeln!(
        part,
        "\nThe record of all switches of a CPU adds {each:.0} ns to a switch (median of {PAIRS} \
         pairs of {} switches), which is {:.2} % of a CPU at the {rate:.0} switches per second of \
         the runs above.",
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
