//! The parts of every measurement: a host to measure, a ruler to measure it with, a clock for time
//! limits, and rounds in random order.

pub mod bench;
pub mod elsewhere;
pub mod fake;
pub mod figure;
pub mod gauges;
pub mod host;
pub mod machine;
pub mod neighbour;
pub(crate) mod order;
pub mod pace;
pub mod pilot;
pub mod remote;
pub mod rounds;
pub mod ruler;
pub mod sampling;
pub mod subject;
pub mod time;

pub use host::{Batch, Batches, Fresh, Mode, Rate, Rounds, Timed, Values, Work};
pub use machine::Machine;
pub use ruler::{Ruler, RulerKind};
pub use subject::{Offer, Spec, Subject};
pub use time::{Interrupt, Time};
