//! The wait calls of POSIX.

pub(crate) mod cond_timedwait;
pub(crate) mod usleep;
