//! chronoscope beside its peers, and held against what it promises.

mod interleave;
mod load;
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
    /// One read, an ordered read, and a start with its elapsed time, against all peers.
    Reads {
        #[arg(long, default_value_t = 2000)]
        rounds: usize,
        #[arg(long, default_value_t = 1000)]
        calls: u32,
    },
    /// Lateness and CPU time of waits, against all peers.
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
    /// A load, started by `waits`.
    #[command(hide = true)]
    Burn {
        #[arg(long, allow_hyphen_values = true)]
        nice: i32,
    },
}

fn main() -> Result<()> {
    match Arguments::parse().what {
        What::Reads { rounds, calls } => {
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
        What::Burn { nice } => load::burn(nice),
    }
}

/// One line of JSON a row: what makes the tables reads it.
fn print<T: serde::Serialize>(rows: &[T]) -> Result<()> {
    for row in rows {
        println!("{}", serde_json::to_string(row)?);
    }
    Ok(())
}
