//! Systems on which the tool makes no load.

use super::Order;
use crate::waits::Unavailable;
use chronoscope_model::waits::Load;

/// No child can exist.
#[derive(Debug)]
pub enum Child {}

impl Child {
    pub fn cpu_ns(&self) -> Option<u64> {
        match *self {}
    }

    pub fn alive(&self) -> bool {
        match *self {}
    }
}

lacking! {
    pub fn scheduling(&Order) -> String = String::new();
    pub fn about(Load) -> String = String::new();
    pub fn leaves_one_free(Load, bool) -> bool = false;
    pub fn requested() -> Option<i32> = None;
}

pub fn prepare(_: &Order, _: &mut Vec<String>) -> Result<(), Unavailable> {
    Err(Unavailable(
        "the tool can make load on Linux and Windows only; start a load of your own and measure \
         with --load none"
            .into(),
    ))
}

pub fn launch(order: &Order, _: usize, _: usize, (): &()) -> Result<Child, Unavailable> {
    Err(Unavailable(format!("load {}", order.load.name())))
}
