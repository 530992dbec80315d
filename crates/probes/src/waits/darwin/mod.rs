//! The wait calls of Darwin.

pub(crate) mod kevent;
pub(crate) mod nanosleep;
