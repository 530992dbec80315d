//! What only Linux reports about a thread or does for it. Windows counts the switches of a thread,
//! but not which of them were involuntary; it has no such signals, and does not report that a
//! process was suspended and resumed.

use crate::waits::Unavailable;

pub const HAS_FIFO: bool = false;

pub fn switches() -> Option<(u64, u64)> {
    None
}

pub fn slice() -> Option<u64> {
    None
}

pub fn set_slice(_: u64) -> Result<(), Unavailable> {
    Err(Unavailable::only_on("Linux"))
}

pub fn set_fifo(_: u32) -> Result<(), Unavailable> {
    Err(Unavailable::only_on("Linux"))
}

pub fn end_fifo() {}

pub fn limit_realtime(_: u64) -> Result<u64, Unavailable> {
    Err(Unavailable::only_on("Linux"))
}

pub fn block_signals() {}

pub fn hold_signals() {}

pub fn continued() -> bool {
    false
}

pub fn forget_continue() {}
