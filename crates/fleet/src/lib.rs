//! The exporter: measures within a budget and answers Prometheus from memory.

#![forbid(unsafe_code)]

pub mod board;
mod budget;
pub mod exporter;
pub mod files;
pub mod http;
mod identity;
mod look;
mod meter;
mod process;
mod rounds;
mod schedule;
pub mod worker;

/// The sample in the README is compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
