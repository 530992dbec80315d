//! What every measurement is made with: a host that is measured, a ruler to measure it by, and
//! rounds in random order.

pub mod fake;
pub mod figure;
pub mod host;
pub mod machine;
pub mod pace;
pub mod pilot;
pub mod rounds;
pub mod ruler;

pub use host::{Batch, Host, Mode, Rate, Spec};
pub use machine::Machine;
pub use ruler::{Ruler, RulerKind};
