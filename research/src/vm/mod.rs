//! Virtual machines under QEMU: Debian's kernel, an initramfs, and the control of the emulator.
//!
//! QEMU emulates the processor (`-accel tcg`), because only that is the same on every host.

mod debian;
mod initramfs;
mod machine;
pub mod snapshot;

pub use debian::{Architecture, kernel, package_kernel, unpacked};
pub use initramfs::{Initramfs, init};
pub use machine::{Running, Start};

use chronoscope_ci::sh;
use std::path::PathBuf;

/// The folder of kernels, initramfs archives and what machines write.
pub fn folder() -> PathBuf {
    sh::target().join("vm")
}
