//! The integration tests of this crate, as one program: linking takes longer than compiling one.
//! `Cargo.toml` lists those that need a process of their own.

mod common;

mod coarse;
mod conversion;
mod faults_bound;
mod faults_choice;
mod faults_dead;
mod faults_late;
mod faults_missed;
mod faults_rate;
mod faults_wait;
mod faults_wall;
mod instant;
mod keep;
mod lives;
mod replay;
mod scoped;
mod serde;
mod steady;
mod waits;
mod wall_lives;
mod wall_time;
mod witness;
