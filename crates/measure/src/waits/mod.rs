//! Wait methods: the overshoot of each, at every duration, under every load.
//!
//! The overshoot is the time at which the thread ran again, less its deadline. Two clocks measure
//! it: the ruler, so that no method is judged by its own clock alone, and the clock that the
//! system's timers run on. `docs/waits.md` describes the procedure and its limits.

mod burst;
mod clock_watch;
mod clocks;
mod earlier;
mod explain;
mod gaps;
mod host;
mod job;
mod lateness;
mod live;
mod live_row;
mod plan;
mod power;
mod progress;
mod recorder;
mod records;
mod ring;
mod rounds;
mod row;
mod row_spec;
mod run;
mod runners;
mod schedule;
mod spent;
mod stop;
mod threads;
mod ticks;
mod wall;
mod why;
mod worker;

pub use chronoscope_model::waits::{Slack, WaitSpec};
pub use clock_watch::ClockWatch;
pub use live::{Live, Tap};
pub use plan::{Error, Plan};
pub use progress::Progress;
pub use run::{Found, Hooks, run};

#[cfg(feature = "simulation")]
#[path = "../../tests/simulation/mod.rs"]
mod simulation;
#[cfg(feature = "simulation")]
pub use simulation::{FakeMethod, Simulation, simulate};
