//! A run: what all measurements have in common, what it prepares and concludes with, and what it
//! checks of its own results.

pub(crate) mod contradictions;
mod independent;
pub mod measurement;
pub mod session;
