//! Everything of chronoscope that touches the machine: the readers of its clocks, its ways to wait,
//! the facts about its timers, and what keeps a measurement quiet or loads the machine on purpose.
//!
//! ```
//! use chronoscope_probes::clocks;
//! let entry = clocks::find("rust/instant").ok_or("no such clock")?;
//! let reader = (entry.open)()?; // or the reason why it cannot be read here
//! let mut values = [0; 1000];
//! reader.fill(&mut values);
//! assert!(values.is_sorted());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Which clocks and waits there are is [`clocks::ALL`] and [`waits::ALL`]: one file each, one line
//! each in the list.

pub mod clocks;
pub mod displace;
pub mod load;
pub mod machine;
pub mod order;
pub mod waits;
