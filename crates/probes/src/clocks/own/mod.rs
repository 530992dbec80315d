//! This project's own clock.

pub(crate) mod instant;
pub(crate) mod ordered;
