//! The list of targets: a new one is one entry.

use crate::packages::Need;
use crate::sh;
use std::path::PathBuf;

/// Where what other targets need is kept.
pub fn folder() -> PathBuf {
    sh::target().join("cross")
}

/// How far a target can be taken on this machine.
#[derive(Clone, Copy)]
pub enum How {
    /// Built, and run as it is.
    Native,
    /// Built, and run under Wine.
    Wine,
    /// Built, and run under QEMU's emulation of a processor.
    Qemu(Machine),
    /// Built and linked: nothing here can run it.
    Link,
    /// Checked by the compiler, these packages.
    Check(&'static [&'static str]),
}

/// A processor that QEMU emulates.
#[derive(Clone, Copy)]
pub struct Machine {
    /// QEMU's name for it.
    pub name: &'static str,
    /// The folder of its C library; unused by programs that are linked statically.
    pub library: &'static str,
}

/// The compilers of a target.
#[derive(Clone, Copy)]
pub enum Compilers {
    /// Debian's, for C and C++, by these names.
    Debian(&'static str, &'static str),
    /// zig, by its name for the target.
    Zig(&'static str),
}

/// The tests that are run on a target.
#[derive(Clone, Copy)]
pub struct Suites {
    /// The packages whose tests are run; none if nothing can run them.
    pub packages: &'static [&'static str],
    /// The integration tests of these packages that are left out, and why.
    pub left_out: &'static [&'static str],
    pub why: &'static str,
    /// Integration tests that are run a second time, with the processor's counter: the library does
    /// not choose a counter that is emulated, as it costs more than a system call.
    pub by_counter: &'static [&'static str],
}

pub struct Target {
    pub triple: &'static str,
    pub about: &'static str,
    /// The system packages that it cannot be built or run without.
    pub needs: &'static [Need],
    pub how: How,
    /// Whether zig links it, and compiles its C and C++ unless `env` names compilers.
    pub zig: Zig,
    /// Further flags for the compiler.
    pub rustflags: &'static str,
    pub env: &'static [(&'static str, &'static str)],
    /// What programs in C and C++ that use the library are compiled with; absent if they are not.
    pub compilers: Option<Compilers>,
    pub suites: Suites,
    /// Clocks and waits that must be available, by groups: those of the tables that this project
    /// began with, and the target's own.
    pub clocks: &'static [&'static [&'static str]],
    pub waits: &'static [&'static [&'static str]],
    /// Clocks that must be unavailable, and a part of the reason.
    pub unavailable: &'static [(&'static str, &'static str)],
    /// What a report must say about who runs the tool.
    pub run_by: RunBy,
    /// Whether the tool is also run on a whole machine that is booted for it.
    pub boots: bool,
}

/// What a report says about who runs the tool.
#[derive(Clone, Copy)]
pub enum RunBy {
    /// Nobody: it runs on this machine.
    Nobody,
    /// An emulator of the processor.
    Emulator,
    /// A system with this in its name.
    Os(&'static str),
}

/// Whether a target is linked by zig, which brings the C library.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Zig {
    Never,
    /// If the standard library is built here: rustup's brings the C library, too.
    WithoutRustup,
    Always,
}

/// What entries have in common.
const BASE: Target = Target {
    triple: "",
    about: "",
    needs: &[],
    how: How::Link,
    zig: Zig::Never,
    rustflags: "",
    env: &[],
    compilers: None,
    suites: Suites {
        packages: &[],
        left_out: &[],
        why: "",
        by_counter: &[],
    },
    clocks: &[],
    waits: &[],
    unavailable: &[],
    run_by: RunBy::Nobody,
    boots: false,
};

/// The C library of aarch64 on Debian.
const AARCH64: Machine = Machine {
    name: "aarch64",
    library: "/usr/aarch64-linux-gnu",
};

/// Clocks of C, that exist everywhere.
const C_CLOCKS: &[&str] = &["c/clock", "posix/realtime", "posix/monotonic"];

/// Clocks of C++.
const CXX_CLOCKS: &[&str] = &[
    "cxx/steady_clock",
    "cxx/system_clock",
    "cxx/steady_clock-nocast",
    "cxx/system_clock-nocast",
];

/// Clocks that exist on every Linux.
const LINUX_CLOCKS: &[&str] = &["linux/monotonic-raw"];

/// Clocks of two processors.
const X86_CLOCKS: &[&str] = &["x86/rdtsc-asm", "x86/rdtsc-intrinsic", "x86/rdtsc-builtin"];
const ARM_CLOCKS: &[&str] = &["arm/cntvct", "arm/isb-cntvct"];

/// Waits of C++.
const CXX_WAITS: &[&str] = &["cxx/sleep_for"];

/// Waits that exist on every Linux.
const LINUX_WAITS: &[&str] = &[
    "linux/nanosleep",
    "linux/clock_nanosleep-abs",
    "linux/timerfd",
    "linux/ppoll",
    "linux/select",
    "posix/usleep",
    "posix/cond_timedwait",
    "rust/thread-sleep",
    "busy/monotonic",
    "hybrid/fixed",
    "chronoscope/wait",
];

/// The tests that depend on the C library or the processor, and take no minutes.
const PLATFORM_TESTS: Suites = Suites {
    packages: &["chronoscope", "chronoscope-probes", "chronoscope-measure"],
    left_out: &["distrusted", "engine", "limits", "memory"],
    why: "computation is tested natively, where word size and byte order are the same; the command \
          line on other targets",
    by_counter: &[],
};

pub const ALL: &[Target] = &[
    Target {
        triple: "x86_64-pc-windows-gnu",
        about: "Windows, under Wine",
        needs: &[Need::Windows],
        how: How::Wine,
        // Debian has two. With this one steady_clock is clock_gettime; with the other, which is for
        // Windows' own threads, it is gettimeofday, in whole microseconds.
        env: &[
            ("CC_x86_64_pc_windows_gnu", "x86_64-w64-mingw32-gcc-posix"),
            ("CXX_x86_64_pc_windows_gnu", "x86_64-w64-mingw32-g++-posix"),
        ],
        compilers: Some(Compilers::Debian(
            "x86_64-w64-mingw32-gcc-posix",
            "x86_64-w64-mingw32-g++-posix",
        )),
        suites: Suites {
            packages: &[
                "chronoscope",
                "chronoscope-capi",
                "chronoscope-model",
                "chronoscope-probes",
                "chronoscope-measure",
                "chronoscope-diagnose",
                "chronoscope-report",
                "chronoscope-cli",
            ],
            left_out: &["distrusted", "engine", "limits", "memory"],
            why: "the engine on simulated clocks is computation, which is tested natively; tests \
                  that need signals, /proc or the compilers of Unix are not compiled for Windows",
            by_counter: &[],
        },
        clocks: &[
            C_CLOCKS,
            CXX_CLOCKS,
            X86_CLOCKS,
            &[
                "windows/getsystemtimeasfiletime",
                "windows/qpc",
                "windows/rtl-qpc",
            ],
        ],
        waits: &[&[
            "windows/sleep",
            "windows/waitable-timer",
            "windows/waitable-timer-high-resolution",
            "mingw/usleep",
            "mingw/nanosleep",
            "busy/qpc",
            "hybrid/fixed",
            "chronoscope/wait",
        ]],
        run_by: RunBy::Os("Wine"),
        ..BASE
    },
    Target {
        triple: "aarch64-unknown-linux-gnu",
        about: "64-bit Arm Linux, under QEMU",
        needs: &[Need::Aarch64],
        how: How::Qemu(AARCH64),
        env: &[(
            "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER",
            "aarch64-linux-gnu-gcc",
        )],
        compilers: Some(Compilers::Debian(
            "aarch64-linux-gnu-gcc",
            "aarch64-linux-gnu-g++",
        )),
        suites: Suites {
            // Those that read the clock of the process: the others have simulated ones.
            by_counter: &["instant", "keep", "steady"],
            ..PLATFORM_TESTS
        },
        clocks: &[C_CLOCKS, CXX_CLOCKS, LINUX_CLOCKS, ARM_CLOCKS],
        waits: &[LINUX_WAITS, CXX_WAITS],
        run_by: RunBy::Emulator,
        ..BASE
    },
    Target {
        triple: "armv7-unknown-linux-gnueabihf",
        about: "32-bit Arm Linux (Raspberry Pi), under QEMU",
        needs: &[Need::Armv7],
        how: How::Qemu(Machine {
            name: "arm",
            library: "/usr/arm-linux-gnueabihf",
        }),
        env: &[(
            "CARGO_TARGET_ARMV7_UNKNOWN_LINUX_GNUEABIHF_LINKER",
            "arm-linux-gnueabihf-gcc",
        )],
        compilers: Some(Compilers::Debian(
            "arm-linux-gnueabihf-gcc",
            "arm-linux-gnueabihf-g++",
        )),
        suites: Suites {
            packages: &[
                "chronoscope",
                "chronoscope-model",
                "chronoscope-probes",
                "chronoscope-measure",
                "chronoscope-diagnose",
                "chronoscope-report",
                "chronoscope-cli",
            ],
            left_out: &[
                "distrusted",
                "engine",
                "limits",
                "memory",
                "options",
                "own_clock",
                "reports",
                "usage",
                "waits",
                "waits_troubles",
            ],
            why: "the engine on simulated clocks takes minutes there; so do the long runs of the \
                  command line, which run on other targets",
            by_counter: &[],
        },
        // The counter is not among them: qemu-arm traps it, as a kernel may, which shows that a
        // trapped counter is an unavailable clock and no crash.
        clocks: &[C_CLOCKS, CXX_CLOCKS, LINUX_CLOCKS],
        waits: &[LINUX_WAITS, CXX_WAITS],
        run_by: RunBy::Emulator,
        ..BASE
    },
    Target {
        triple: "x86_64-unknown-linux-musl",
        about: "Linux with musl (Alpine), linked statically",
        needs: &[Need::Musl],
        how: How::Native,
        zig: Zig::WithoutRustup,
        // Debian has musl's C compiler and none for C++: the clocks of C++ must say so.
        env: &[
            ("CC_x86_64_unknown_linux_musl", "x86_64-linux-musl-gcc"),
            ("CXX_x86_64_unknown_linux_musl", "x86_64-linux-musl-g++"),
        ],
        suites: PLATFORM_TESTS,
        clocks: &[C_CLOCKS, LINUX_CLOCKS, X86_CLOCKS],
        waits: &[LINUX_WAITS],
        unavailable: &[(
            "cxx/steady_clock",
            "there was no C++ compiler for x86_64-unknown-linux-musl",
        )],
        ..BASE
    },
    Target {
        triple: "aarch64-unknown-linux-musl",
        about: "64-bit Arm Linux with musl, linked statically by zig, under QEMU",
        needs: &[Need::Zig, Need::QemuAarch64],
        how: How::Qemu(AARCH64),
        zig: Zig::Always,
        compilers: Some(Compilers::Zig("aarch64-linux-musl")),
        suites: PLATFORM_TESTS,
        clocks: &[C_CLOCKS, CXX_CLOCKS, LINUX_CLOCKS, ARM_CLOCKS],
        waits: &[LINUX_WAITS, CXX_WAITS],
        run_by: RunBy::Emulator,
        ..BASE
    },
    Target {
        triple: "x86_64-unknown-linux-gnu",
        about: "Linux with glibc linked statically; also booted on a whole machine under QEMU",
        needs: &[Need::Boot],
        how: How::Native,
        rustflags: "-Ctarget-feature=+crt-static",
        clocks: &[C_CLOCKS, CXX_CLOCKS, LINUX_CLOCKS, X86_CLOCKS],
        waits: &[LINUX_WAITS, CXX_WAITS],
        boots: true,
        ..BASE
    },
    Target {
        triple: "aarch64-apple-darwin",
        about: "macOS on Apple's processors, linked only",
        needs: &[Need::Zig],
        zig: Zig::Always,
        ..BASE
    },
    Target {
        triple: "x86_64-apple-darwin",
        about: "macOS on Intel's processors, checked only",
        needs: &[Need::Zig],
        how: How::Check(WORKSPACE),
        zig: Zig::Always,
        ..BASE
    },
    Target {
        triple: "riscv64gc-unknown-linux-gnu",
        about: "a processor without code of its own, checked only",
        how: How::Check(WORKSPACE),
        ..BASE
    },
    Target {
        triple: "x86_64-unknown-freebsd",
        about: "a system without code of its own, checked only",
        how: How::Check(WORKSPACE),
        ..BASE
    },
    Target {
        triple: "x86_64-unknown-none",
        about: "no operating system: the library's counter without std, checked only",
        how: How::Check(&["-p", "chronoscope", "--no-default-features"]),
        ..BASE
    },
];

/// All packages, less those that are for the machine that builds and no part of what users run.
pub const WORKSPACE: &[&str] = &[
    "--workspace",
    "--exclude",
    "xtask",
    "--exclude",
    "chronoscope-bench",
];
