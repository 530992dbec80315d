//! Compares chronoscope with its peers, and checks what it promises.

mod interleave;
mod load;
mod os;
mod promises;
mod reads;
mod record;
mod waits;
mod witnessed;

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
    /// Overshoot and CPU time of waits, compared with all peers
    Waits {
        #[arg(long, value_enum, default_value_t = load::Load::None)]
        load: load::Load,
        #[arg(long, value_delimiter = ',', default_value = "100,200,1000,10000,100000")]
        lengths_us: Vec<u64>,
        /// Waits of each method and length in each run; a tenth of that above 10 ms
        #[arg(long, default_value_t = 10_000)]
        waits: usize,
        #[arg(long, default_value_t = 5)]
        runs: u32,
        /// The longest that it may take
        #[arg(long, default_value_t = 86_400)]
        seconds: u64,
        /// A file for what has been measured, from which it is continued
        #[arg(long)]
        store: Option<std::path::PathBuf>,
    },
    /// How late sleeps wake, one after the other, for the tests of the library
    Record {
        #[arg(long, value_enum, default_value_t = load::Load::None)]
        load: load::Load,
        #[arg(long, default_value_t = 1000)]
        length_us: u64,
        #[arg(long, default_value_t = 1000)]
        count: usize,
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
    /// Disturbances of pieces with a witness
    Witnessed {
        #[arg(long, default_value_t = 1_000)]
        pieces: usize,
    },
    /// Pieces with a witness, while something stops the machine for longer than 25 ms
    Stopped {
        #[arg(long, default_value_t = 20)]
        seconds: u64,
    },
    /// Pieces with a witness, while something outside makes the processor slower when asked to
    Slowed {
        #[arg(long, default_value_t = 200)]
        pieces: usize,
    },
    /// What a witness costs, at each level
    WitnessCost {
        #[arg(long, default_value_t = 1000)]
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
            let tables =
                [reads::single, reads::ordered, reads::elapsed, reads::bounded, reads::witnessed];
            for table in tables {
                print(&table(rounds, calls))?;
            }
            Ok(())
        }
        What::Waits { load, lengths_us, waits, runs, seconds, store } => {
            anyhow::ensure!(
                lengths_us.iter().all(|length| (1..=60_000_000).contains(length)),
                "--lengths-us takes 1 to 60000000"
            );
            print(&waits::run(&waits::Request {
                load,
                lengths_us: &lengths_us,
                waits,
                runs,
                limit: std::time::Duration::from_secs(seconds),
                store: store.as_deref(),
            })?)
        }
        What::Record { load, length_us, count } => {
            record::run(load, length_us.clamp(1, 60_000_000), count)
        }
        What::Rate { seconds } => print(&promises::rate::run(seconds)),
        What::Unsynced { seconds } => print(&promises::unsynced::run(seconds)),
        What::Bound { load, checks } => print(&[promises::bound::run(load, checks)?]),
        What::Wall { seconds } => print(&[promises::wall::run(seconds)?]),
        What::Handover { count } => print(&promises::handover::run(count)?),
        What::Threads { rounds } => print(&promises::threads::run(rounds.max(1))?),
        What::Witnessed { pieces } => print(&witnessed::run(pieces.max(1))?),
        What::Stopped { seconds } => print(&[witnessed::stopped(seconds)]),
        What::Slowed { pieces } => print(&[witnessed::slowed(pieces)]),
        What::WitnessCost { rounds } => print(&reads::witnessed(rounds.max(1), 1000)),
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
