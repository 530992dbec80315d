//! How reads become estimates: the engine, one file for each measurement, and the statistics.
//!
//! The procedure is `docs/METHOD.md`'s.

#![forbid(unsafe_code)]

pub mod bulk;
pub mod calls;
pub mod clocks;
pub mod deltas;
pub mod difference;
pub mod engine;
pub mod overhead;
pub mod resolution;
pub mod session;
pub mod single;
pub mod stats;
pub mod waits;
