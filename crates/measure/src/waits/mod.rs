//! How exactly one can wait: the overshoot of every method, at every duration, under every load.
//!
//! Overshoot is the time at which the thread ran again less its deadline. Two clocks tell it: the
//! ruler, so that no method is judged by its own clock alone, and the clock that the system's
//! timers run on. The procedure and its caveats are in `docs/waits.md`.

mod burst;
pub mod checkpoint;
mod clocks;
mod earlier;
mod glance;
mod job;
mod plan;
mod recorder;
mod row;
mod run;
mod series;
mod simulation;
mod stop;
mod tally;
mod threads;
mod wall;
mod worker;

pub use glance::glance;
pub use plan::{Error, Plan, Slack};
pub use run::{Found, Hooks, Progress, run};
pub use simulation::Simulation;
