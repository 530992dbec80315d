//! Everything of chronoscope that touches the machine: the readers of its clocks, the facts about
//! its timers, and what keeps a measurement quiet.

pub mod clocks;
pub mod displace;
pub mod load;
pub mod machine;
pub mod order;
pub mod waits;
