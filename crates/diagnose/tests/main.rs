//! The integration tests of this crate, as one program: linking takes longer than compiling one.

mod machines;
mod runs;

mod changes;
mod changes_properties;
mod changes_statistics;
mod code;
mod compare;
mod decided_once;
mod doctor_verdict;
mod evidence;
mod history;
mod judgement;
mod late_waits;
mod measured;
mod noise;
mod pairs;
mod sets;
mod stability;
