//! How reads become estimates: the engine, one file per measurement, and the statistics.
//! `docs/METHOD.md` describes the procedure and names the file of each constant.
//!
//! - [`measurement`] is what all measurements have in common: the trait, and the run's settings.
//! - [`session`] prepares a run: it opens clocks, pins the thread and calibrates the ruler.
//! - [`clocks`] is the main job, in phases that each get a share of the time: the rounds of
//!   [`engine`], then [`resolution`], [`difference`], [`single`] (cold and first reads) and
//!   instructions, on systems that can count them.
//! - [`deltas`], [`calls`], [`overhead`] and [`bulk`] each answer one question about one clock, and
//!   [`hardware`] measures the counter only, with rows of a hundred reads as instruction tables are
//!   made.
//! - [`quick`] has the cost of a few clocks from a glance at them.
//! - `disturbance` has clocks, differences and calls measured again under loads.
//! - [`demo`] shows what goes wrong when time is measured carelessly.
//! - [`sweep`] repeats measurements under every clock source of the kernel.
//! - [`waits`] measures how late a wait ends.
//! - [`runtimes`] measures the clocks of other languages, in processes of their own.
//! - [`trust`] watches clocks for a while: whether they go back, agree, and keep their rate.
//! - [`stats`] works on samples, whatever they are samples of.
//! - [`schedule`] gives every measurement and each of its phases their time.
//! - [`notes`] lists what a run may leave out or do differently than asked.
//!
//! All of them measure a host: either this machine ([`engine::Machine`]) or a simulated one
//! ([`engine::fake`], and for waits the feature `simulation`), whose costs and overshoots are all
//! known.

#![forbid(unsafe_code)]

pub mod across;
pub mod bulk;
pub mod calls;
pub mod child;
pub mod clocks;
mod contradictions;
pub mod deltas;
pub mod demo;
pub mod difference;
mod disturbance;
pub mod engine;
pub mod hardware;
mod independent;
mod instructions;
mod load;
pub mod measurement;
pub mod notes;
pub mod ordering;
pub mod overhead;
mod places;
pub mod quick;
pub mod resolution;
pub mod runtimes;
pub mod schedule;
pub mod session;
pub mod single;
pub mod slices;
pub mod stats;
pub mod sweep;
mod tally;
mod throughput;
mod time_taken;
pub mod trust;
pub mod until_change;
pub mod waits;

/// The samples on the front page and in the description of the method are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
#[doc = include_str!("../../../docs/METHOD.md")]
struct Pages;

/// The sample in this crate's own README is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
