//! Nobody shares a page about time here.

use core::ffi::CStr;

use super::page::{Kind, Words};

pub const VMCLOCK: &CStr = c"";

#[derive(Debug)]
pub struct Shared(());

impl Shared {
    pub const fn new() -> Self {
        Self(())
    }

    pub fn open(&self, _: &CStr, _: Kind) -> bool {
        false
    }

    pub fn words(&self, _: Kind) -> Option<Words> {
        None
    }
}
