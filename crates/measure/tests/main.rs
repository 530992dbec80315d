//! The integration tests of this crate, as one program: linking takes longer than compiling one.

mod against;
mod answers;
mod batch_to_cell;
mod distrusted;
mod engine;
mod exchanges;
mod hybrid;
mod limits;
mod next_run;
mod ordering;
mod overhead;
mod schedule;
mod trust;
mod waits_simulated;
