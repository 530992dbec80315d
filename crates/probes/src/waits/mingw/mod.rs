//! The wait calls that mingw-w64 adds to Windows.

pub(crate) mod nanosleep;
pub(crate) mod usleep;
