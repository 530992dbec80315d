//! Sleeps and intervals for tokio that end within microseconds of their deadline rather than
//! milliseconds, and never early.
//!
//! | for | use |
//! | --- | --- |
//! | a pause | [`sleep`] |
//! | a moment | [`sleep_until`] |
//! | a grid in time | [`interval`] |
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! use chronoscope_tokio::sleep;
//! use std::time::{Duration, Instant};
//! let start = Instant::now();
//! sleep(Duration::from_micros(300)).await;
//! assert!(start.elapsed() >= Duration::from_micros(300));
//! # }
//! ```
//!
//! # How
//!
//! tokio's timers tick in milliseconds and round up. So tokio's timer takes a sleep only to within
//! [`HANDOVER`] of its deadline. For the rest, the task is in the list of a thread that waits for
//! the earliest deadline of the list with [`chronoscope::wait`], and wakes the task then.
//!
//! # What it costs
//!
//! One thread for the whole process, which starts with the first sleep and lasts; it sleeps while
//! its list is empty. Each sleep takes a lock of that list for a moment, and typically two wakes of
//! the thread. If two deadlines are closer than a wake takes and the earlier one arrives later, it
//! can be late by up to 200 µs.
//!
//! After the thread has woken the task, the runtime still has to run it. If the runtime's threads
//! are asleep, this takes tens of microseconds; [`Sleep::spinning`] trades them for CPU time.
//!
//! # Features
//!
//! `test-util`: follows tokio's clock while a test has paused it. Without it, only sleeps of more
//! than [`HANDOVER`] notice that.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod interval;
mod sleep;
mod timer;

pub use chronoscope::wait::{BadPeriod, Missed};
pub use interval::{Interval, Tick, interval};
pub use sleep::{Sleep, sleep, sleep_until};
pub use timer::HANDOVER;

/// The sample on the front page is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
