//! This project's own wait.

pub(crate) mod wait;
pub(crate) mod wait_economy;
pub(crate) mod wait_precise;
