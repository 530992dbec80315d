//! Everything in chronoscope that touches the machine: the readers of its clocks, its wait methods,
//! the facts about its timers, and what keeps a measurement quiet or loads the machine on purpose.
//!
//! ```
//! use chronoscope_probes::clocks;
//! let entry = clocks::find("rust/instant").ok_or("no such clock")?;
//! let mut reader = entry.open(clocks::Opening::Checked)?; // or the reason why it cannot be read
//! let mut values = [0; 1000];
//! reader.fill(&mut values);
//! assert!(values.is_sorted());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`clocks::ALL`] and [`waits::ALL`] list the clocks and the wait methods: each is one row of a
//! table.

#[macro_use]
mod catalogue;

pub mod blame;
pub mod clocks;
pub mod group;
pub mod load;
pub mod machine;
pub mod memory;
pub mod order;
#[cfg(target_os = "linux")]
mod scheduler;
#[cfg(test)]
#[path = "../tests/common/shown.rs"]
mod shown;
pub mod time;
pub mod waits;

pub use catalogue::Unavailable;

/// The compilers that built this crate and the readers of clocks in it, with their versions.
pub fn compilers() -> Vec<String> {
    let all = [
        option_env!("CHRONOSCOPE_RUST"),
        option_env!("CHRONOSCOPE_WITH_C"),
        option_env!("CHRONOSCOPE_WITH_CXX"),
    ];
    all.into_iter().flatten().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// The sample in the README is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
