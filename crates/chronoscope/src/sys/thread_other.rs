//! Systems that report nothing about the scheduler, and whose slices cannot be set.

use std::io::{Error, ErrorKind};

pub fn queued() -> Option<u64> {
    None
}

/// Why a slice cannot be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unset {
    Unsupported,
    OtherPolicy,
    Filtered,
    Refused(i32),
}

pub fn shorten_slice(_ns: u64) -> Result<Option<u64>, Unset> {
    Err(Unset::Unsupported)
}

pub fn restore_slice(_ns: u64, _restores: u64) -> bool {
    false
}

/// A timer that wakes no thread; none here.
#[derive(Debug)]
pub enum Alarm {}

impl Alarm {
    pub fn new() -> Result<Self, Error> {
        Err(ErrorKind::Unsupported.into())
    }

    pub fn set(&self, _moment: u64) {}
}

pub fn cpu_time() -> Option<u64> {
    None
}
