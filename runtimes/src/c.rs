//! C, with every compiler that is found, at every level of optimisation.

use crate::declaration::{File, Install, Program, RUNTIME as PLAIN, Runtime, Way};

/// The levels of optimisation.
pub(crate) const LEVELS: &[&str] = &["-O0", "-O1", "-O2", "-O3"];

/// The file that the probes of C and C++ share.
pub(crate) const SHARED: File = File { name: "probe.h", text: include_str!("../c/probe.h") };

/// Where compilers usually are.
pub(crate) const PLACES: &[&str] = &["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"];

/// Runs programs for Windows on other systems.
#[cfg(not(windows))]
pub(crate) const WINE: Program =
    Program { name: "wine", names: &["wine", "wine64"], places: &["/usr/bin", "/usr/lib/wine"] };

/// The first start of Wine creates the user's drive C, which may take as long as compiling.
#[cfg(not(windows))]
pub(crate) const WINE_STARTS: &[&str] = &["{wine}", "cmd", "/c", "ver"];

pub const RUNTIME: Runtime = Runtime {
    id: "c",
    name: "C",
    language: "C",
    about: "The calls of the C library, as every compiler that is found makes them. The level of \
            optimisation changes the loop around a read, not the read itself, which is in the C \
            library and the kernel.",
    source: File { name: "probe.c", text: include_str!("../c/probe.c") },
    files: &[SHARED],
    ways: &[
        Way {
            name: "gcc",
            programs: &[Program { name: "cc", names: &["gcc"], places: PLACES }],
            version: &["{cc}", "-dumpfullversion"],
            build: &[&["{cc}", "{level}", "-o", "{dir}/probe{exe}", "{source}"]],
            run: &["{dir}/probe{exe}"],
        },
        Way {
            name: "clang",
            programs: &[Program {
                name: "cc",
                names: &[
                    "clang", "clang-21", "clang-20", "clang-19", "clang-18", "clang-16", "clang-14",
                ],
                places: PLACES,
            }],
            version: &["{cc}", "--version"],
            build: &[&["{cc}", "{level}", "-o", "{dir}/probe{exe}", "{source}"]],
            run: &["{dir}/probe{exe}"],
        },
        #[cfg(not(windows))]
        Way {
            name: "mingw",
            programs: &[
                Program { name: "cc", names: &["x86_64-w64-mingw32-gcc"], places: PLACES },
                WINE,
            ],
            version: &["{cc}", "-dumpfullversion"],
            build: &[
                &["{cc}", "{level}", "-static", "-o", "{dir}/probe.exe", "{source}"],
                WINE_STARTS,
            ],
            run: &["{wine}", "{dir}/probe.exe"],
        },
    ],
    every_way: true,
    levels: LEVELS,
    compiled: true,
    env: &[("WINEDEBUG", "-all")],
    install: &[
        Install { on: "Debian", command: "apt install gcc libc6-dev" },
        Install { on: "Windows", command: "winget install MSYS2.MSYS2" },
        Install { on: "macOS", command: "xcode-select --install" },
    ],
    references: &["clock_gettime(2)", "vdso(7)"],
    ..PLAIN
};
