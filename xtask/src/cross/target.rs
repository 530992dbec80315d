//! The list of targets: to add one, add its entry.

use super::capi::Compilers;
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
    /// Checked by the compiler, what is named as for `cargo check`.
    Check(&'static [&'static str]),
}

/// Which tests are run on a target.
pub struct Suites {
    /// What is handed to `cargo test`, one call each.
    pub calls: &'static [&'static [&'static str]],
    /// Of these, what is also to be passed by the processor's counter where the library, left to
    /// itself, does not read it: an emulated counter costs more than a call of the system.
    pub by_counter: &'static [&'static str],
    /// What is left out there, and why.
    pub left_out: &'static str,
}

pub struct Target {
    pub triple: &'static str,
    pub about: &'static str,
    /// The system packages without which it cannot be taken.
    pub need: Option<Need>,
    pub how: How,
    pub env: &'static [(&'static str, &'static str)],
    /// Those that programs in C and C++ are compiled with; none where nothing can run them.
    pub compilers: Option<Compilers>,
    /// Its test suites; none where nothing can run it.
    pub suites: Suites,
    /// Clocks and waits that must be available there: those of the tables that this project
    /// began with, and the target's own.
    pub clocks: &'static [&'static str],
    pub waits: &'static [&'static str],
    /// What the environment of a report must say of who runs the tool.
    pub told: &'static str,
}

/// Where nothing runs.
const NONE: Suites = Suites {
    calls: &[],
    by_counter: &[],
    left_out: "",
};

/// Waits that every Linux has.
const LINUX_WAITS: &[&str] = &[
    "linux/nanosleep",
    "linux/clock_nanosleep-abs",
    "linux/timerfd",
    "linux/ppoll",
    "linux/select",
    "posix/usleep",
    "posix/cond_timedwait",
    "rust/thread-sleep",
    "cxx/sleep_for",
    "busy/monotonic",
    "hybrid/fixed",
    "chronoscope/wait",
];

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
        compilers: Some(Compilers {
            c: "x86_64-w64-mingw32-gcc-posix",
            cxx: "x86_64-w64-mingw32-g++-posix",
        }),
        suites: Suites {
            calls: &[&["--workspace", "--lib", "--bins", "--tests"]],
            // Wine hands the processor's own counter on, and the library trusts it.
            by_counter: &[],
            left_out: "tests that need signals, /proc or the compilers of Unix: they are compiled for Unix only",
        },
        clocks: &[
            "c/clock",
            "cxx/steady_clock",
            "cxx/system_clock",
            "cxx/steady_clock-nocast",
            "cxx/system_clock-nocast",
            "x86/rdtsc-asm",
            "x86/rdtsc-intrinsic",
            "x86/rdtsc-builtin",
            "posix/realtime",
            "posix/monotonic",
            "windows/getsystemtimeasfiletime",
            "windows/qpc",
            "windows/rtl-qpc",
        ],
        waits: &[
            "windows/sleep",
            "windows/waitable-timer",
            "windows/waitable-timer-high-resolution",
            "mingw/usleep",
            "mingw/nanosleep",
            "busy/qpc",
            "hybrid/fixed",
            "chronoscope/wait",
        ],
        told: "Wine",
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
        compilers: Some(Compilers {
            c: "aarch64-linux-gnu-gcc",
            cxx: "aarch64-linux-gnu-g++",
        }),
        suites: Suites {
            calls: &[
                &[
                    "-p",
                    "chronoscope",
                    "-p",
                    "chronoscope-probes",
                    "--lib",
                    "--tests",
                ],
                &["-p", "chronoscope-measure", "--lib"],
                &[
                    "-p",
                    "chronoscope-cli",
                    "--bins",
                    "--test",
                    "usage",
                    "--test",
                    "runs",
                ],
            ],
            // Those that read the clock of the process: the others have simulated ones.
            by_counter: &[
                "-p",
                "chronoscope",
                "--lib",
                "--test",
                "instant",
                "--test",
                "keep",
                "--test",
                "steady",
            ],
            left_out: "model, report, diagnose and the engine on simulated clocks: pure computation, by the word size and \
                       byte order of x86-64, where they are run; and the command line's long runs of waits, which take \
                       minutes",
        },
        clocks: &[
            "c/clock",
            "cxx/steady_clock",
            "cxx/system_clock",
            "cxx/steady_clock-nocast",
            "posix/realtime",
            "posix/monotonic",
            "linux/monotonic-raw",
            "arm/cntvct",
            "arm/isb-cntvct",
        ],
        waits: LINUX_WAITS,
        told: "emulated",
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
        compilers: Some(Compilers {
            c: "arm-linux-gnueabihf-gcc",
            cxx: "arm-linux-gnueabihf-g++",
        }),
        suites: Suites {
            calls: &[
                &[
                    "-p",
                    "chronoscope",
                    "-p",
                    "chronoscope-probes",
                    "-p",
                    "chronoscope-model",
                    "-p",
                    "chronoscope-report",
                    "-p",
                    "chronoscope-diagnose",
                    "--lib",
                    "--tests",
                ],
                &["-p", "chronoscope-measure", "--lib"],
                &["-p", "chronoscope-cli", "--bins", "--test", "runs"],
            ],
            // The counter is trapped there.
            by_counter: &[],
            left_out: "the engine on simulated clocks, which takes minutes there; and of the command line's tests its \
                       refusals and its long runs of waits, which run on aarch64 or natively",
        },
        // The counter is not among them: qemu-arm traps it, as a kernel may, and so shows that a
        // trapped counter is an unavailable clock and no crash.
        clocks: &[
            "c/clock",
            "cxx/steady_clock",
            "cxx/system_clock",
            "cxx/steady_clock-nocast",
            "posix/realtime",
            "posix/monotonic",
            "linux/monotonic-raw",
        ],
        waits: LINUX_WAITS,
        told: "emulated",
    },
    Target {
        triple: "aarch64-apple-darwin",
        about: "macOS on Apple's processors, linked only",
        need: Some(Need::MacOs),
        how: How::Link,
        env: &[("CARGO_PROFILE_RELEASE_STRIP", "none")],
        compilers: None,
        suites: NONE,
        clocks: &[],
        waits: &[],
        told: "",
    },
    Target {
        triple: "x86_64-apple-darwin",
        about: "macOS on Intel's processors, linked only",
        need: Some(Need::MacOs),
        how: How::Link,
        env: &[("CARGO_PROFILE_RELEASE_STRIP", "none")],
        compilers: None,
        suites: NONE,
        clocks: &[],
        waits: &[],
        told: "",
    },
    Target {
        triple: "riscv64gc-unknown-linux-gnu",
        about: "a processor without code of its own, checked only",
        need: None,
        how: How::Check(&["--workspace"]),
        env: &[],
        compilers: None,
        suites: NONE,
        clocks: &[],
        waits: &[],
        told: "",
    },
    Target {
        triple: "x86_64-unknown-freebsd",
        about: "a system without code of its own, checked only",
        need: None,
        how: How::Check(&["--workspace"]),
        env: &[],
        compilers: None,
        suites: NONE,
        clocks: &[],
        waits: &[],
        told: "",
    },
    Target {
        triple: "x86_64-unknown-none",
        about: "no operating system: the library's counter without std, checked only",
        need: None,
        how: How::Check(&["-p", "chronoscope", "--no-default-features"]),
        env: &[],
        compilers: None,
        suites: NONE,
        clocks: &[],
        waits: &[],
        told: "",
    },
];
