//! Systems other than Linux: what they do not have.

/// Which process this is: its ID, which is a number of its own as long as its ancestors live.
pub mod process {
    /// A number that differs from that of every living process that this one was forked from; never
    /// zero.
    pub fn number() -> u64 {
        // Nothing forks there, and the standard library has no number.
        if cfg!(target_family = "wasm") {
            return 1;
        }
        u64::from(std::process::id()).max(1)
    }
}

/// Nobody shares a page about time here.
pub mod shared {
    use core::ffi::CStr;

    use crate::sys::page::{Kind, Words};

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
}

/// Systems that report nothing about the scheduler, and whose slices cannot be set.
pub mod thread {
    use std::io::{Error, ErrorKind};

    use crate::sys::NoSlice;

    pub fn queued() -> Option<u64> {
        None
    }

    pub fn shorten_slice(_ns: u64) -> Result<Option<u64>, NoSlice> {
        Err(NoSlice::Unsupported)
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
}

/// What a system's file exports if nothing more is known of the system.
pub mod lacking {
    use crate::machine::Inquiry;
    use crate::sys::os;

    /// Nothing more is known than at first.
    pub fn inquire(names: &[&str], _deeply: bool) -> Inquiry {
        Inquiry { kernel: os::first_view(names), hint: None }
    }

    /// Nothing is known to forbid the counter.
    pub fn counter_forbidden() -> bool {
        false
    }

    /// Windows' W32Time reports no bound to programs, and macOS' `timed` does not maintain what
    /// `ntp_adjtime` returns.
    pub fn wall_error() -> Option<u64> {
        None
    }

    /// No page of a hypervisor is known.
    pub fn disruption() -> Option<u64> {
        None
    }

    /// The kernel's first view says more.
    pub fn reads_directly() -> Option<bool> {
        None
    }

    /// Nothing is left out for fear of a filter.
    pub fn assume_that_nothing_kills() {}

    /// No filter of system calls ends a process.
    pub fn nothing_kills() -> bool {
        true
    }

    /// A thread cannot choose its CPU on macOS. On Windows it is left to the kernel's view: because
    /// of processor groups, visiting each CPU would need code of its own.
    pub fn on_each_cpu(_visit: &mut dyn FnMut(usize) -> bool) -> bool {
        false
    }
}
