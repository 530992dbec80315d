//! A clock that costs one instruction and bounds its own error, and waits that end on time for
//! little CPU time.
//!
//! | for | use |
//! | --- | --- |
//! | elapsed time, as with [`std::time::Instant`] | [`Instant`] |
//! | a timed region that no instruction enters or leaves | [`Instant::start`], [`Instant::stop`] |
//! | elapsed time with a bound of its error | [`Instant::elapsed_bounded`] |
//! | wall-clock time, as an interval that contains it | [`Wall`] |
//! | nanoseconds that never go back, as in C++'s `steady_clock` | [`Steady`] |
//! | waits for a duration, until a moment, or on a grid | [`wait`] |
//! | what is read here, why, and how accurate its rate is | [`Clock::describe`] |
//! | a calibration, a source or a machine of your own | [`Clock`], [`machine`] |
//! | time that a test advances by hand | [`mock`] |
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
//! The first read decides, in under a millisecond. The processor's counter (`rdtsc`, `cntvct_el0`,
//! `cntvct` on 32-bit Arm Linux) is read if the process may read it, its rate is constant, the
//! kernel does not distrust it, it advances at a plausible rate, and a read costs no more than one
//! of the system's clock. If the kernel does not use it for its own time, the CPUs are compared
//! too. In all other cases the system's monotonic clock is read. `CHRONOSCOPE_SOURCE=counter` or
//! `os` in the environment overrides the choice, and [`Clock::choose`] overrides both.
//!
//! # What is bounded
//!
//! The rate is determined between reads of the system's clock that enclose a read of the counter.
//! Its error is a bound rather than an estimate: it covers all rates that are consistent with
//! everything observed. The bound shrinks as the observed time grows, and with each
//! [`Clock::sync`]; [`Clock::keep`] calls that periodically. The bound is relative to the system's
//! own undisciplined clock, which may itself be wrong.
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

/// The samples on the front page are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
