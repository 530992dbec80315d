//! The list of targets: to add one, add its entry.

use super::qemu::Machine;
use crate::packages::Need;

/// How far a target can be taken here.
#[derive(Clone, Copy)]
pub enum How {
    /// Built and run under Wine.
    Wine,
    /// Built and run under QEMU's emulation of a processor.
    Qemu(Machine),
    /// Built and linked: nothing here can run it.
    Link,
    /// Checked by the compiler: it stands for all systems without code of their own.
    Check,
}

pub struct Target {
    pub triple: &'static str,
    pub about: &'static str,
    /// The system packages without which it cannot be taken.
    pub need: Option<Need>,
    pub how: How,
    pub env: &'static [(&'static str, &'static str)],
}

pub const ALL: &[Target] = &[
    Target {
        triple: "x86_64-pc-windows-gnu",
        about: "Windows, under Wine",
        need: Some(Need::Windows),
        how: How::Wine,
        // Of the two that Debian has, this one's steady_clock is clock_gettime; the other, made for
        // Windows' own threads, has gettimeofday in its place, in whole microseconds.
        env: &[
            ("CC_x86_64_pc_windows_gnu", "x86_64-w64-mingw32-gcc-posix"),
            ("CXX_x86_64_pc_windows_gnu", "x86_64-w64-mingw32-g++-posix"),
        ],
    },
    Target {
        triple: "aarch64-unknown-linux-gnu",
        about: "64-bit Arm Linux, under QEMU",
        need: Some(Need::Aarch64),
        how: How::Qemu(Machine {
            name: "aarch64",
            library: "/usr/aarch64-linux-gnu",
        }),
        env: &[(
            "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER",
            "aarch64-linux-gnu-gcc",
        )],
    },
    Target {
        triple: "armv7-unknown-linux-gnueabihf",
        about: "32-bit Arm Linux (Raspberry Pi), under QEMU",
        need: Some(Need::Armv7),
        how: How::Qemu(Machine {
            name: "arm",
            library: "/usr/arm-linux-gnueabihf",
        }),
        env: &[(
            "CARGO_TARGET_ARMV7_UNKNOWN_LINUX_GNUEABIHF_LINKER",
            "arm-linux-gnueabihf-gcc",
        )],
    },
    Target {
        triple: "aarch64-apple-darwin",
        about: "macOS on Apple's processors, linked only",
        need: Some(Need::MacOs),
        how: How::Link,
        env: &[("CARGO_PROFILE_RELEASE_STRIP", "none")],
    },
    Target {
        triple: "x86_64-apple-darwin",
        about: "macOS on Intel's processors, linked only",
        need: Some(Need::MacOs),
        how: How::Link,
        env: &[("CARGO_PROFILE_RELEASE_STRIP", "none")],
    },
    Target {
        triple: "riscv64gc-unknown-linux-gnu",
        about: "a processor without code of its own, checked only",
        need: None,
        how: How::Check,
        env: &[],
    },
    Target {
        triple: "x86_64-unknown-freebsd",
        about: "a system without code of its own, checked only",
        need: None,
        how: How::Check,
        env: &[],
    },
];
