//! Systems and processors on which nothing marks a thread.

#[derive(Debug)]
pub enum Mark {}

impl Mark {
    /// None.
    pub fn of_this_thread() -> Option<Self> {
        None
    }

    pub fn set(&self) -> u32 {
        match *self {}
    }

    pub fn take(&self) -> (Option<bool>, u32) {
        match *self {}
    }
}

#[derive(Debug)]
pub enum Entries {}

impl Entries {
    /// None.
    pub fn shown() -> Option<Self> {
        None
    }

    pub fn set(&self) {
        match *self {}
    }

    pub fn stood(&self) -> bool {
        match *self {}
    }
}

/// There are no gauges.
pub const CHAIN: u64 = 0;

pub fn chain() {}

pub fn independent() {}
