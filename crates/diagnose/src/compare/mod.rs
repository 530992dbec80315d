//! Several reports next to each other: what changed, and what works on every machine.

pub mod figures;
mod portable;

pub use portable::portable as compare;
