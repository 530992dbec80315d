//! The wait of Mach.

pub(crate) mod wait_until;
