//! This project's own wait.

pub(crate) mod wait;
