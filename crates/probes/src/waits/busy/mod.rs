//! Waits that read a clock again and again and never give up the processor, unless they say so.

pub(crate) mod cntvct;
pub(crate) mod instant;
pub(crate) mod monotonic;
pub(crate) mod qpc;
pub(crate) mod sched_yield;
pub(crate) mod spin;
pub(crate) mod tpause;
pub(crate) mod tsc;
pub(crate) mod tsc_bare;
pub(crate) mod umwait;
pub(crate) mod wfe;
pub(crate) mod wfet;
