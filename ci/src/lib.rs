//! What builds, runs and checks the tool, on this machine and for other targets. `cargo xtask`
//! passes commands on to the program of this package, and runs its steps; experiments use the rest.

pub mod capi;
pub mod cross;
pub mod disasm;
pub mod dist;
pub mod fleet;
pub mod forms;
pub mod generate;
pub mod package;
pub mod page;
pub mod pages;
pub mod runtimes;
pub mod tool;

pub use xtask::{PUBLISHED, ended, packages, processor, replaced, sh, tally};
