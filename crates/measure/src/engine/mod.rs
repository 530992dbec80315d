//! The parts that all measurements share: a host to measure, a ruler to measure it with, a clock
//! for time limits, and rounds in random order.

pub mod batch;
pub mod child;
pub mod children;
#[cfg(any(test, feature = "simulation"))]
#[path = "../../tests/simulation/fake.rs"]
pub mod fake;
pub mod machine;
pub mod notes;
pub mod ordering;
pub mod resolution;
pub mod rounds;
pub mod ruler;
pub mod sampling;
pub mod schedule;
pub mod serve;
pub(crate) mod time_taken;

pub use batch::{Batch, Batches, Mode, Offer, Rate, Spec, Timed, Values};
pub use machine::Machine;
pub use ruler::{Ruler, RulerKind};
pub use schedule::{Interrupt, Time};
