//! Estimates from noisy samples: modes with intervals, ticks, rates, orders.
//!
//! All functions take and return plain numbers; none reads a clock. None panics on empty, NaN or
//! infinite input: such samples are left out, and if too few are left the result is `None`. Units
//! are those of the input throughout.

pub mod compare;
pub mod estimate;
pub mod mode;
pub mod order;
pub mod period;
pub mod places;
pub mod rate;
pub mod recurrence;
mod resample;
mod rivals;
mod shape;
pub mod summary;
pub mod synthetic;
pub mod tick;
