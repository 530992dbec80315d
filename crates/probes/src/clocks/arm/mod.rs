//! The counters of Arm.

pub(crate) mod cntvct;
pub(crate) mod cntvctss;
pub(crate) mod isb_cntvct;
pub(crate) mod pmccntr;

/// The instruction that reads a 64-bit system register.
const READ: &str = if cfg!(target_arch = "arm") {
    "mrrc"
} else {
    "mrs"
};
