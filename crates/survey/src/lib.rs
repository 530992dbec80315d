//! The chronoscope tool as a library. A [`Survey`] measures what it is asked for on the machine
//! that it runs on, and returns a complete [`Report`]: figures, verdicts, findings and advice.
//! Nothing here parses arguments, prints, or depends on a terminal.
//!
//! ```
//! use chronoscope_survey::Survey;
//! chronoscope_survey::start_up(); // first in main
//! let survey = Survey::clocks(["rust/instant"])?.budget(std::time::Duration::from_millis(200));
//! let report = survey.run()?;
//! assert!(report.clocks[0].read_ns().is_some());
//! # Ok::<(), chronoscope_survey::Error>(())
//! ```

#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod doctor;
mod requests;
mod run;
pub mod select;
mod survey;
mod usual;
mod waits;
pub mod watch;

pub use chronoscope_measure::against;
pub use chronoscope_measure::clocks::costs::CounterRequest as Hardware;
pub use chronoscope_measure::engine::Interrupt;
pub use chronoscope_measure::loops::demo;
pub use chronoscope_measure::run::{Measurement, Progress};
pub use chronoscope_model::waits::{Slack, WaitSpec};
pub use chronoscope_model::{Report, spec, spec::Spec};
pub use requests::{AdviceRequest as Advice, Brief, Summary, add_unmeasured};
pub use run::{Error, may_measure, start_up};
pub use survey::Survey;
pub use waits::WaitsProgress;

/// The sample in the README is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
