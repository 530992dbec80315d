//! Systems on which the tool makes no load.

use super::Order;
use crate::waits::Unavailable;

/// There is none.
#[derive(Debug)]
pub enum Child {}

impl Child {
    pub fn cpu(&self) -> usize {
        match *self {}
    }

    pub fn cpu_ns(&self) -> Option<u64> {
        match *self {}
    }

    pub fn alive(&self) -> bool {
        match *self {}
    }
}

pub fn start(_: &Order, _: &mut Vec<String>) -> Result<Vec<Child>, Unavailable> {
    Err(Unavailable(
        "the tool makes load on Linux only; start one of your own and measure with --load none"
            .into(),
    ))
}
