//! The live view of `chronoscope watch`. [`State::apply`] takes in what happened, and [`draw`] is a
//! function of the state and the size of the screen; neither knows a clock or a terminal. So a
//! recording gives the frames that its run gave.

#![forbid(unsafe_code)]

mod draw;
mod run;
mod state;
mod terminal;

pub use draw::draw;
pub use run::{Ended, Replay, Source, run};
pub use state::{Command, SPEEDS, State, View};
pub use terminal::{is_stuck, restore};

/// The sample in the README is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
