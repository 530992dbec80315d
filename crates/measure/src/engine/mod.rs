//! The parts that all measurements share: a host to measure, a ruler to measure it with, a clock
//! for time limits, and rounds in random order.

pub mod around;
pub mod batch;
pub mod bench;
pub mod child;
pub mod children;
pub mod fake;
pub mod figure;
pub mod gauges;
pub mod host;
pub(crate) mod load;
pub mod machine;
pub mod neighbour;
pub mod notes;
pub(crate) mod order;
pub mod ordering;
pub mod pace;
pub mod pilot;
pub(crate) mod processes;
pub mod resolution;
pub mod rounds;
pub mod ruler;
pub mod sampling;
pub mod schedule;
pub mod serve;
pub mod spec;
pub mod time;
pub(crate) mod time_taken;

pub use batch::{Batch, Mode, Rate};
pub use host::{Batches, Timed, Values};
pub use machine::Machine;
pub use ruler::{Ruler, RulerKind};
pub use spec::{Offer, Spec};
pub use time::{Interrupt, Time};
