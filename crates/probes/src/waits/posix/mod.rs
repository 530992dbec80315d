//! The wait calls of POSIX.

mod cond_timedwait;
mod usleep;

pub(super) const WAITS: &[super::Entry] = &[usleep::ENTRY, cond_timedwait::ENTRY];
