//! The waits of other libraries, to compare with.

pub(crate) mod spin_sleep;
