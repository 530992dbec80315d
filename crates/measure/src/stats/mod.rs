//! Estimating from noisy samples: modes with intervals, ticks, rates, orders.
//!
//! Everything here takes plain numbers and gives plain numbers back; nothing reads a clock.
//! No function panics on empty, NaN or infinite input: such samples are left out, and where too
//! little is left the answer is `None`. Units are those of the input throughout.

pub mod compare;
pub mod estimate;
pub mod mode;
pub mod order;
pub mod rate;
mod rivals;
mod shape;
pub mod summary;
pub mod synthetic;
pub mod tick;
