//! The same measurements under each clock source of the kernel.

use crate::clock::Clock;
use crate::deltas::Deltas;

/// What was measured under one clock source.
#[record]
pub struct Source {
    /// The clock source, as the kernel names it.
    pub name: String,
    /// Whether it was in use when the run began.
    #[always]
    pub original: bool,
    /// Why nothing, or not everything, was measured under it.
    pub left_out: Option<String>,
    /// What the clocks cost under it, and what their resolution is.
    pub clocks: Vec<Clock>,
    /// The differences between their successive reads.
    pub deltas: Vec<Deltas>,
}
