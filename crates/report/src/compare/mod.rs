//! Several reports next to each other: what changed, and what works on every machine.

mod portable;

pub use portable::{formats, view};
