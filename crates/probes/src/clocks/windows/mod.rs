//! The clocks of Windows.

pub(crate) mod qpc;
