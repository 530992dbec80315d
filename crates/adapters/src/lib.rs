//! chronoscope in other people's crates. Each adapter needs the feature of its name; without any,
//! this crate is empty.
//!
//! | feature and module | what it provides |
//! | --- | --- |
//! | `tracing-subscriber` | timestamps of lines, and the time that spans take, with its error |
//! | `criterion` | a measurement, with reads that no instruction of the benchmark passes |
//! | `governor` | a clock for rate limiters |
//! | `async-io` | a timer that ends on time |
//! | `embassy` | a time driver, also without `std` |
//!
//! docs/RESULTS.md in the repository has figures of each, before and after, and the README of this
//! crate says which crates accept no other clock.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "async-io")]
pub mod async_io;
#[cfg(feature = "criterion")]
pub mod criterion;
#[cfg(feature = "embassy")]
pub mod embassy;
#[cfg(feature = "governor")]
pub mod governor;
#[cfg(feature = "tracing-subscriber")]
pub mod tracing_subscriber;

/// The sample on the front page is compiled and run.
#[cfg(all(doctest, feature = "tracing-subscriber"))]
#[doc = include_str!("../README.md")]
struct Readme;
