//! Estimates from noisy samples: modes with intervals, ticks, rates, orders.
//!
//! All functions take and return plain numbers; none reads a clock. None panics on empty, NaN or
//! infinite input: such samples are left out, and if too few remain, the result is `None`. All
//! units are those of the input.

pub mod estimate;
pub mod mode;
pub mod period;
pub(crate) mod periodicity;
pub mod rate;
pub mod recurrence;
mod resample;
pub mod second_mode;
mod shape;
pub mod summary;
pub mod tick;

#[cfg(test)]
#[path = "../../tests/synthetic/mod.rs"]
mod synthetic;
