//! The parts that all measurements share: a host to measure, a ruler to measure it with, a clock
//! for time limits, and rounds in random order.

pub mod batch;
pub mod bench;
pub mod children;
pub mod fake;
pub mod figure;
pub mod gauges;
pub mod host;
pub mod machine;
pub mod neighbour;
pub(crate) mod order;
pub mod pace;
pub mod pilot;
pub(crate) mod processes;
pub mod rounds;
pub mod ruler;
pub mod sampling;
pub mod serve;
pub mod spec;
pub mod time;

pub use batch::{Batch, Mode, Rate};
pub use host::{Batches, Timed, Values};
pub use machine::Machine;
pub use ruler::{Ruler, RulerKind};
pub use spec::{Offer, Spec};
pub use time::{Interrupt, Time};
