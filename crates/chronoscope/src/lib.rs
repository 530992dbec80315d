//! A clock at the cost of one instruction, which says how far it can be off, and a wait that wakes
//! on time for little CPU time.
//!
//! | for | there is |
//! | --- | --- |
//! | elapsed time, as with [`std::time::Instant`] | [`Instant`] |
//! | a timed region, from whose ends no instruction strays | [`Instant::start`], [`Instant::stop`] |
//! | elapsed time with a bound of its error | [`Instant::elapsed_bounded`] |
//! | the time of the world, as an interval that holds it | [`Wall`] |
//! | nanoseconds that never go back, as in C++'s `steady_clock` | [`Steady`] |
//! | waiting for a time, until a moment, on a grid | [`wait`] |
//! | what is read here, why, and how sure its rate is | [`Clock::describe`] |
//! | a calibration, a source or a machine of one's own | [`Clock`], [`machine`] |
//! | time that a test moves by hand | [`mock`] |
//! | the bare counter, and its ticks in nanoseconds, without `std` | [`counter`], [`convert`] |
//!
//! ```
//! use chronoscope::{Clock, Instant};
//! let start = Instant::start();
//! let sum: u64 = (0..1000).sum();
//! let stop = Instant::stop();
//! println!("{sum} took {} ns", stop.ns_since(start));
//! println!("{}", Clock::global().describe());
//! ```
//!
//! # Which clock is read
//!
//! The first read decides, in under a millisecond. The counter of the processor (`rdtsc`,
//! `cntvct_el0`, on 32-bit Arm Linux `cntvct`) is read where the process may read it, its rate is
//! constant, the kernel does not distrust it, it moves at a rate that a counter can have, and a read
//! costs no more than one of the system's clock; where the kernel does not stake its own time on it, the processors are compared
//! too. In all other cases the system's monotonic clock is read. `CHRONOSCOPE_SOURCE=counter` or
//! `os` in the environment overrides that, and [`Clock::choose`] overrides both.
//!
//! # What is bounded
//!
//! The rate is found between reads of the system's clock that enclose one of the counter, and
//! its error is a bound and no estimate: all rates under which everything seen can be true. The bound
//! shrinks as the observed time grows, and with each [`Clock::sync`]; [`Clock::keep`] calls that now
//! and then. It is relative to the system's own undisciplined clock, which may be wrong itself.
//!
//! # Features
//!
//! `std` (default): everything that asks the operating system. Without it, on x86-64 and AArch64,
//! [`counter`] and [`convert`] remain; elsewhere [`convert`].
#![cfg_attr(not(feature = "std"), no_std)]
#![deny(missing_docs)]

#[cfg(feature = "std")]
mod bracket;
#[cfg(feature = "std")]
mod calibrate;
#[cfg(feature = "std")]
mod choose;
#[cfg(feature = "std")]
mod clock;
pub mod convert;
#[cfg(any(feature = "std", target_arch = "x86_64", target_arch = "aarch64"))]
pub mod counter;
#[cfg(feature = "std")]
mod instant;
#[cfg(feature = "std")]
pub mod machine;
#[cfg(feature = "std")]
pub mod mock;
#[cfg(feature = "std")]
mod seqlock;
#[cfg(feature = "std")]
mod standard;
#[cfg(feature = "std")]
pub mod steady;
#[cfg(feature = "std")]
mod sync;
#[cfg(any(feature = "std", target_arch = "x86_64", target_arch = "aarch64"))]
mod sys;
#[cfg(feature = "std")]
pub mod wait;
#[cfg(feature = "std")]
pub mod wall;

#[cfg(feature = "std")]
pub use choose::Source;
#[cfg(feature = "std")]
pub use clock::{AlreadyChosen, Bounded, Clock, Description, Keeper, Synced, Ticks};
#[cfg(feature = "std")]
pub use instant::Instant;
#[cfg(feature = "std")]
pub use machine::Wanted;
#[cfg(feature = "std")]
pub use steady::Steady;
#[cfg(feature = "std")]
pub use wall::{Wall, WallInterval};

/// The samples of the front page are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
