//! Compares chronoscope with its peers, and checks what it promises.

mod interleave;
mod load;
mod os;
mod promises;
mod reads;
mod waits;

use anyhow::Result;
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(about)]
struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// One read, an ordered read, and a start with its elapsed time, compared with all peers
    Reads {
        #[arg(long, default_value_t = 2000)]
        rounds: usize,
        #[arg(long, default_value_t = 1000)]
        calls: u32,
    },
    /// Lateness and CPU time of waits, compared with all peers
    Waits {
        #[arg(long, value_enum, default_value_t = load::Load::None)]
        load: load::Load,
        #[arg(
            long,
            value_delimiter = ',',
            default_value = "100,200,1000,10000,100000"
        )]
        lengths_us: Vec<u64>,
        #[arg(long, default_value_t = 60)]
        seconds: u64,
    },
    /// The rate compared with CLOCK_MONOTONIC_RAW, as it improves
    Rate {
        #[arg(long, default_value_t = 60)]
        seconds: u64,
    },
    /// Spans of minutes that nobody syncs for
    Unsynced {
        #[arg(long, default_value_t = 300)]
        seconds: u64,
    },
    /// The stated bound checked against the system's clock, on all CPUs
    Bound {
        #[arg(long, value_enum, default_value_t = load::Load::None)]
        load: load::Load,
        #[arg(long, default_value_t = 50_000_000)]
        checks: u64,
    },
    /// Wall time compared with CLOCK_REALTIME
    Wall {
        #[arg(long, default_value_t = 600)]
        seconds: u64,
    },
    /// Reads handed from thread to thread
    Handover {
        #[arg(long, default_value_t = 1_000_000_000)]
        count: u64,
    },
    /// Reads by one thread, and by one on each CPU
    Threads {
        #[arg(long, default_value_t = 2_000)]
        rounds: usize,
    },
    /// A load, started by `waits` and `bound`.
    #[command(hide = true)]
    Burn {
        #[arg(long, allow_hyphen_values = true)]
        nice: i32,
    },
}

fn main() -> Result<()> {
    match Arguments::parse().what {
        What::Reads { rounds, calls } => {
            let rounds = rounds.max(1);
            for table in [reads::single, reads::ordered, reads::elapsed] {
                print(&table(rounds, calls))?;
            }
            Ok(())
        }
        What::Waits {
            load,
            lengths_us,
            seconds,
        } => {
            anyhow::ensure!(
                lengths_us
                    .iter()
                    .all(|length| (1..=60_000_000).contains(length)),
                "--lengths-us takes 1 to 60000000"
            );
            print(&waits::run(load, &lengths_us, seconds)?)
        }
        What::Rate { seconds } => print(&promises::rate::run(seconds)),
        What::Unsynced { seconds } => print(&promises::unsynced::run(seconds)),
        What::Bound { load, checks } => print(&[promises::bound::run(load, checks)?]),
        What::Wall { seconds } => print(&[promises::wall::run(seconds)?]),
        What::Handover { count } => print(&promises::handover::run(count)?),
        What::Threads { rounds } => print(&promises::threads::run(rounds.max(1))?),
        What::Burn { nice } => load::burn(nice),
    }
}

/// Prints one line of JSON per row, for the code that makes the tables.
fn print<T: serde::Serialize>(rows: &[T]) -> Result<()> {
    for row in rows {
        println!("{}", serde_json::to_string(row)?);
    }
    Ok(())
}
