//! How a report is shown: screens for people, formats for programs. Nothing here measures, judges
//! or examines a terminal; a screen or a file is a function of the report.
//!
//! A [section] of the report describes itself once, as [blocks](block) with typed cells. The
//! [screens](text) and the [formats](mod@format) are made from these: a section knows no format,
//! and a format knows no section.

#![forbid(unsafe_code)]

pub mod block;
pub mod clean;
pub mod compare;
pub mod format;
pub mod late;
pub mod metrics;
pub mod page;
pub mod recording;
pub mod scale;
pub mod section;
pub mod terms;
pub mod text;

mod number;

pub use format::{csv, json, markdown};

/// The sample in the README is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
