//! Waits that sleep first and spin for the rest.

pub(crate) mod fixed;
