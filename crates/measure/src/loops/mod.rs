//! Loops of one clock or one call each: what a million calls cost, what timing adds to a loop, and
//! what goes wrong when time is measured carelessly.

pub mod calls;
pub mod demo;
pub mod overhead;
