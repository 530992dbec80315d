//! The exporter: measures within a budget and answers Prometheus from memory.

#![forbid(unsafe_code)]

pub mod exporter;
pub mod files;
pub mod http;
mod look;
mod process;
pub mod rounds;
mod schedule;
pub mod time;

/// The sample in the README is compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
