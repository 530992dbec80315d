//! How reads become estimates: the engine, one file for each measurement, and the statistics.
//! `docs/METHOD.md` describes the procedure and names the file of each constant.
//!
//! - [`session`] prepares: opens clocks, pins the thread, calibrates the ruler.
//! - [`clocks`] is the main job, in phases that each have their share of the time: the rounds of
//!   [`engine`], then [`resolution`], [`difference`] and [`single`] (cold and first reads).
//! - [`deltas`], [`calls`], [`overhead`] and [`bulk`] answer one question about one clock.
//! - [`waits`] measures how late a wait ends.
//! - [`stats`] knows samples, and nothing about where they come from.
//! - [`notes`] lists what a run can leave out or do differently than asked.
//!
//! All of them measure what a host offers: this machine ([`engine::Machine`]) or a simulated one
//! ([`engine::fake`], [`waits::simulate`]) whose every cost and overshoot is known.

#![forbid(unsafe_code)]

pub mod bulk;
pub mod calls;
pub mod clocks;
pub mod deltas;
pub mod difference;
pub mod engine;
pub mod notes;
pub mod overhead;
pub mod resolution;
pub mod session;
pub mod single;
pub mod stats;
pub mod waits;

/// The samples of the front page and of the method's description are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
#[doc = include_str!("../../../docs/METHOD.md")]
struct Pages;
