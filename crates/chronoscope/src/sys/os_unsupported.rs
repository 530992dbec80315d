//! A system of which only what the standard library offers is known.

pub use super::plain::{
    NAME as MONOTONIC, NAME as REFERENCE, WALL_STEP, monotonic, monotonic as reference,
    sleep_until, step as monotonic_step, step as reference_step, wall,
};

use crate::machine::{Inquiry, Kernel};

/// Nothing is known to forbid the counter, and nothing confirms that it is reliable, so it is not
/// used unless the user wants it.
pub fn counter_forbidden() -> bool {
    false
}

pub fn wall_error() -> Option<u64> {
    None
}

pub fn first_view(_names: &[&str]) -> Kernel {
    Kernel::Silent
}

pub fn inquire(_names: &[&str], _deeply: bool) -> Inquiry {
    Inquiry { kernel: Kernel::Silent, hint: None }
}

/// No page of a hypervisor is known here.
pub fn disruption() -> Option<u64> {
    None
}

pub fn reads_directly() -> Option<bool> {
    None
}

/// Nothing is left out for fear of a filter here.
pub fn assume_that_nothing_kills() {}

/// No filter of system calls ends a process here.
pub fn nothing_kills() -> bool {
    true
}

pub fn on_each_cpu(_visit: &mut dyn FnMut(usize) -> bool) -> bool {
    false
}

/// As on Linux, because nothing better is known.
pub const MARGIN_CAP: u64 = 150_000;
