//! The list of targets. A new target is one entry.

use crate::packages::Need;
use crate::{PUBLISHED, sh};
use std::path::PathBuf;

/// The folder of what the targets need, apart from the builds themselves.
pub fn folder() -> PathBuf {
    sh::target().join("cross")
}

/// What can be done with a target on this machine.
#[derive(Clone, Copy)]
pub enum How {
    /// Built, and run natively.
    Native,
    /// Built, and run under Wine.
    Wine,
    /// Built, and run under QEMU's user-mode emulation.
    Qemu(Machine),
    /// These packages are checked by the compiler, and the tests of the library run under QEMU.
    Library(&'static [&'static str], Machine),
    /// Built and linked; it cannot run on this machine.
    Link,
    /// Only checked by the compiler: these packages.
    Check(&'static [&'static str]),
}

/// A processor that QEMU emulates.
#[derive(Clone, Copy)]
pub struct Machine {
    /// QEMU's name for the processor.
    pub name: &'static str,
    /// The folder of the C library, which statically linked programs do not use.
    pub library: &'static str,
}

/// The compilers of a target for C and C++.
#[derive(Clone, Copy)]
pub enum Compilers {
    /// Debian's C and C++ compilers, by these names.
    Debian(&'static str, &'static str),
    /// zig, with its name for the target.
    Zig(&'static str),
}

/// The tests to run on a target.
#[derive(Clone, Copy)]
pub struct Suites {
    /// The packages whose tests run. Empty if the target cannot run on this machine.
    pub packages: &'static str,
    /// The files of integration tests of these packages that are excluded, and why. Those that are
    /// programs of their own are not built.
    pub left_out: &'static str,
    pub why: &'static str,
    /// Files of integration tests that run a second time with the processor's counter. By default,
    /// the library does not use an emulated counter, because it costs more than a system call.
    pub by_counter: &'static str,
}

#[derive(Clone, Copy)]
pub struct Target {
    pub triple: &'static str,
    pub about: &'static str,
    /// The system packages that the target needs to build and run.
    pub needs: &'static [Need],
    pub how: How,
    /// Whether zig links it, and compiles its C and C++ unless `env` names compilers.
    pub zig: bool,
    /// Additional flags for the compiler.
    pub rustflags: &'static str,
    pub env: &'static [(&'static str, &'static str)],
    /// The compilers for C and C++ programs that use the library. `None` if there are no such
    /// programs on this target.
    pub compilers: Option<Compilers>,
    pub suites: Suites,
    /// Clocks and waits that must be available, in groups: those of the tables with which this
    /// project began, and the target's own.
    pub clocks: &'static [&'static str],
    pub waits: &'static [&'static str],
    /// Clocks that must be unavailable, each with part of the reason.
    pub unavailable: &'static [(&'static str, &'static str)],
    /// What the report must name as running the tool.
    pub run_by: RunBy,
}

/// What the report names as running the tool.
#[derive(Clone, Copy)]
pub enum RunBy {
    /// Nothing, because the tool runs natively.
    Nobody,
    /// An emulator of the processor.
    Emulator,
    /// A system whose name contains this text.
    Os(&'static str),
}

/// Whether a word is in a list of words.
pub fn named(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|one| one == word)
}

/// Defaults for the fields of an entry.
const BASE: Target = Target {
    triple: "",
    about: "",
    needs: &[],
    how: How::Link,
    zig: false,
    rustflags: "",
    env: &[],
    compilers: None,
    suites: Suites { packages: "", left_out: "", why: "", by_counter: "" },
    clocks: &[],
    waits: &[],
    unavailable: &[],
    run_by: RunBy::Nobody,
};

/// aarch64 with Debian's C library.
const AARCH64: Machine = Machine { name: "aarch64", library: "/usr/aarch64-linux-gnu" };

/// Clocks of C, which exist on every system.
const C_CLOCKS: &str = "c/clock posix/realtime posix/monotonic";

const CXX_CLOCKS: &str =
    "cxx/steady_clock cxx/system_clock cxx/steady_clock-nocast cxx/system_clock-nocast";

/// Clocks that exist on every Linux.
const LINUX_CLOCKS: &str = "linux/monotonic-raw";

/// Clocks of specific processors.
const X86_CLOCKS: &str = "x86/rdtsc-asm x86/rdtsc-intrinsic x86/rdtsc-builtin";
const ARM_CLOCKS: &str = "arm/cntvct arm/isb-cntvct";

const CXX_WAITS: &str = "cxx/sleep_for";

/// Waits that exist on every Linux.
const LINUX_WAITS: &str = "linux/nanosleep linux/clock_nanosleep-abs linux/timerfd linux/ppoll \
    linux/select posix/usleep posix/cond_timedwait rust/thread-sleep busy/monotonic hybrid/fixed \
    chronoscope/wait";

/// The packages with code for specific processors.
const BY_PROCESSOR: [&str; 6] =
    ["-p", "chronoscope", "-p", "chronoscope-probes", "-p", "chronoscope-measure"];

/// The tests that depend on the C library or the processor, without those that take minutes.
const PLATFORM_TESTS: Suites = Suites {
    packages: "chronoscope chronoscope-probes chronoscope-measure",
    left_out: "distrusted engine forks hybrid limits memory next_run ordering \
               recent replay sandbox signals",
    why: "pure computation is tested natively, with the same word size and byte order; the command \
          line is tested on other targets; emulators have no filters of system calls, and their \
          own threads do not survive every fork and signal",
    by_counter: "",
};

/// The library's tests, on processors without specific code.
const LIBRARY_TESTS: Suites = Suites {
    packages: "chronoscope",
    left_out: "forks recent replay sandbox signals",
    why: "recorded waits take minutes to replay; emulators have no filters of system calls, and \
          their own threads do not survive every fork and signal",
    by_counter: "",
};

/// Every target, of which Windows and 64-bit Arm run, with fewer tests, and the compiler checks the
/// others: those crates that have code for systems and processors.
pub fn small() -> Vec<&'static Target> {
    let run = |target: &Target, packages| {
        let suites = Suites { packages, ..target.suites };
        Target { suites, ..*target }
    };
    let small = |target: &Target| match target.triple {
        "x86_64-pc-windows-gnu" => run(target, "chronoscope"),
        "aarch64-unknown-linux-gnu" => run(target, "chronoscope chronoscope-probes"),
        _ => {
            let packages = match target.how {
                How::Library(packages, _) => packages,
                How::Check(packages) if packages.len() < PUBLISHED.len() => packages,
                _ => &BY_PROCESSOR,
            };
            Target { how: How::Check(packages), suites: BASE.suites, ..*target }
        }
    };
    // They live as long as the others.
    let all: &'static [Target] = ALL.iter().map(small).collect::<Vec<_>>().leak();
    all.iter().collect()
}

pub const ALL: &[Target] = &[
    Target {
        triple: "x86_64-pc-windows-gnu",
        about: "Windows, under Wine",
        needs: &[Need::Windows],
        how: How::Wine,
        // Debian has two compilers. With this one, steady_clock is clock_gettime. With the other,
        // which uses Windows' own threads, it is gettimeofday, in whole microseconds.
        env: &[
            ("CC_x86_64_pc_windows_gnu", "x86_64-w64-mingw32-gcc-posix"),
            ("CXX_x86_64_pc_windows_gnu", "x86_64-w64-mingw32-g++-posix"),
        ],
        compilers: Some(Compilers::Debian(
            "x86_64-w64-mingw32-gcc-posix",
            "x86_64-w64-mingw32-g++-posix",
        )),
        suites: Suites {
            packages: "chronoscope chronoscope-capi chronoscope-model \
                       chronoscope-probes chronoscope-measure chronoscope-diagnose \
                       chronoscope-report chronoscope-cli",
            left_out: "distrusted engine hybrid limits memory next_run ordering replay",
            why: "the engine on simulated clocks is pure computation, which is tested natively; \
                  tests that need signals, /proc or Unix compilers are not compiled for Windows",
            by_counter: "",
        },
        clocks: &[
            C_CLOCKS,
            CXX_CLOCKS,
            X86_CLOCKS,
            "windows/getsystemtimeasfiletime windows/qpc windows/rtl-qpc",
        ],
        waits: &["windows/sleep windows/waitable-timer windows/waitable-timer-high-resolution \
                  mingw/usleep mingw/nanosleep busy/qpc hybrid/fixed chronoscope/wait"],
        run_by: RunBy::Os("Wine"),
        ..BASE
    },
    Target {
        triple: "aarch64-unknown-linux-gnu",
        about: "64-bit Arm Linux, under QEMU",
        needs: &[Need::Aarch64],
        how: How::Qemu(AARCH64),
        env: &[("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", "aarch64-linux-gnu-gcc")],
        compilers: Some(Compilers::Debian("aarch64-linux-gnu-gcc", "aarch64-linux-gnu-g++")),
        suites: Suites {
            // The tests that read the process's clock; the others simulate theirs.
            by_counter: "instant keep steady",
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
        how: How::Qemu(Machine { name: "arm", library: "/usr/arm-linux-gnueabihf" }),
        env: &[("CARGO_TARGET_ARMV7_UNKNOWN_LINUX_GNUEABIHF_LINKER", "arm-linux-gnueabihf-gcc")],
        compilers: Some(Compilers::Debian("arm-linux-gnueabihf-gcc", "arm-linux-gnueabihf-g++")),
        suites: Suites {
            packages: "chronoscope chronoscope-model chronoscope-probes \
                       chronoscope-measure chronoscope-diagnose",
            why: "the engine on simulated clocks takes minutes there; the report and the command \
                  line, which take an hour, run on other targets; emulators have no filters of \
                  system calls, and their own threads do not survive every fork and signal",
            ..PLATFORM_TESTS
        },
        // The counter is not included: qemu-arm traps it, as a kernel may. This tests that a
        // trapped counter is reported as an unavailable clock and does not crash the tool.
        clocks: &[C_CLOCKS, CXX_CLOCKS, LINUX_CLOCKS],
        waits: &[LINUX_WAITS, CXX_WAITS],
        run_by: RunBy::Emulator,
        ..BASE
    },
    Target {
        triple: "x86_64-unknown-linux-musl",
        about: "Linux with musl (Alpine), statically linked",
        needs: &[Need::Musl],
        how: How::Native,
        // Debian has a C compiler for musl but none for C++. The clocks of C++ must give that
        // reason.
        env: &[
            ("CC_x86_64_unknown_linux_musl", "x86_64-linux-musl-gcc"),
            ("CXX_x86_64_unknown_linux_musl", "x86_64-linux-musl-g++"),
        ],
        suites: Suites {
            packages: "chronoscope chronoscope-probes",
            left_out: "forks recent replay sandbox signals",
            why: "the engine calls no C library, and is tested natively with glibc",
            by_counter: "",
        },
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
        about: "64-bit Arm Linux with musl, statically linked by zig, under QEMU",
        needs: &[Need::Zig, Need::QemuAarch64],
        how: How::Qemu(AARCH64),
        zig: true,
        compilers: Some(Compilers::Zig("aarch64-linux-musl")),
        suites: Suites {
            packages: "chronoscope-probes",
            left_out: "",
            why: "the other packages are tested with musl on x86-64, and with glibc on AArch64",
            by_counter: "",
        },
        clocks: &[C_CLOCKS, CXX_CLOCKS, LINUX_CLOCKS, ARM_CLOCKS],
        waits: &[LINUX_WAITS, CXX_WAITS],
        run_by: RunBy::Emulator,
        ..BASE
    },
    Target {
        triple: "x86_64-unknown-linux-gnu",
        about: "Linux with glibc, statically linked",
        how: How::Native,
        rustflags: "-Ctarget-feature=+crt-static",
        clocks: &[C_CLOCKS, CXX_CLOCKS, LINUX_CLOCKS, X86_CLOCKS],
        waits: &[LINUX_WAITS, CXX_WAITS],
        ..BASE
    },
    Target {
        triple: "aarch64-apple-darwin",
        about: "macOS on Apple's processors, linked only",
        needs: &[Need::Zig],
        zig: true,
        ..BASE
    },
    Target {
        triple: "x86_64-apple-darwin",
        about: "macOS on Intel's processors, checked only",
        needs: &[Need::Zig],
        how: How::Check(&BY_PROCESSOR),
        zig: true,
        ..BASE
    },
    Target {
        triple: "s390x-unknown-linux-gnu",
        about: "a processor with the most significant byte first: the library, under QEMU",
        needs: &[Need::S390x],
        // A dependency of the tool, io-uring, knows no such processor.
        how: How::Library(
            &["-p", "chronoscope", "--no-default-features"],
            Machine { name: "s390x", library: "/usr/s390x-linux-gnu" },
        ),
        env: &[("CARGO_TARGET_S390X_UNKNOWN_LINUX_GNU_LINKER", "s390x-linux-gnu-gcc")],
        suites: LIBRARY_TESTS,
        ..BASE
    },
    Target {
        triple: "riscv64gc-unknown-linux-gnu",
        about: "a processor without specific code: the library, under QEMU",
        needs: &[Need::Riscv64],
        how: How::Library(
            &BY_PROCESSOR,
            Machine { name: "riscv64", library: "/usr/riscv64-linux-gnu" },
        ),
        env: &[("CARGO_TARGET_RISCV64GC_UNKNOWN_LINUX_GNU_LINKER", "riscv64-linux-gnu-gcc")],
        suites: Suites {
            left_out: "faults_bound faults_late faults_wait forks recent replay sandbox signals",
            why: "the slow simulations are the same on s390x; emulators have no filters of system \
                  calls, and their own threads do not survive every fork and signal",
            ..LIBRARY_TESTS
        },
        ..BASE
    },
    Target {
        triple: "x86_64-unknown-freebsd",
        about: "a system without specific code, checked only",
        how: How::Check(&PUBLISHED),
        ..BASE
    },
    Target {
        triple: "x86_64-unknown-none",
        about: "no operating system: the library's counter without std, checked only",
        how: How::Check(&["-p", "chronoscope", "--no-default-features"]),
        ..BASE
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    /// The files of tests that are named and are in no crate.
    fn lost(suites: &Suites) -> Vec<&'static str> {
        let Suites { packages, left_out, by_counter, .. } = suites;
        let folders = packages.split_whitespace().map(|name| match name {
            "chronoscope" => sh::root().join("crates/chronoscope/tests"),
            other => sh::root().join(other.replace("chronoscope-", "crates/")).join("tests"),
        });
        let folders: Vec<PathBuf> = folders.collect();
        let names = [left_out, by_counter].into_iter().flat_map(|names| names.split_whitespace());
        let is_there = |name: &str| {
            folders.iter().any(|folder| folder.join(name).with_extension("rs").exists())
        };
        names.filter(|name| !is_there(name)).collect()
    }

    #[test]
    fn tests_that_targets_leave_out_exist() {
        for target in ALL {
            assert_eq!(lost(&target.suites), [""; 0], "{}", target.triple);
        }
        let planted = Suites { left_out: "forks gone", by_counter: "lost", ..LIBRARY_TESTS };
        assert_eq!(lost(&planted), ["gone", "lost"]);
    }
}
