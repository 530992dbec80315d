//! The wait of Rust's standard library.

pub(crate) mod thread_sleep;
