//! The readers, machine facts and load generators behind chronoscope: all that touches the machine.

pub mod machine;
